#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_node
short_description: Manage Jenkins nodes
description:
  - Create, update, rename or delete permanent agents of Jenkins, and configure the built-in node.
  - The module compares and changes only the options that are set. Other parts of the configuration are kept, such as
    node properties of plugins. An agent that is temporarily offline stays offline.
  - In a new agent, an option that is not set has the value that Jenkins' own form for a new agent sets.
  - With O(secret_file), the module stores the secret of an inbound agent in a file.
  - To manage several nodes concurrently, use O(items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_node
  - buildworks.toolchain.ci
  - buildworks.toolchain.ci_sources
  - buildworks.toolchain.connection
  - buildworks.toolchain.ci_predicted_plugins
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.ci_on_dropped
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires the Agent/Configure permission. Creating agents also requires Agent/Create, and deleting agents requires
    Agent/Delete. O(secret_file) requires Agent/Connect. Configuring the built-in node requires Overall/Administer.
  - Some launchers require a Jenkins plugin, which O(launcher.type) names. If the plugin is missing, the task fails
    before it changes anything.
  - If nothing changes, the module sends one request for each node. With O(secret_file), it sends two.
  - Each update replaces the whole configuration of an agent. The module reads the configuration again immediately
    before it writes, and compares again if another client has changed it. A change of another client between this read
    and the write is lost.
  - The built-in node supports only the options O(executors), O(labels) and O(usage). The module sets them with a
    script, because the configuration form of Jenkins would reset the other settings of the node.
  - Jenkins does not return agents without executors in its API. The module can therefore neither change nor delete
    them. If such a hidden agent already has the name O(name), the task fails and explains how to delete it.
  - Changing the launcher does not disconnect an agent that is online.
  - Tested against the simulated server (sandbox) that comes with this collection. The sandbox simulates Jenkins 2.579.
    The module has not been tested against a real Jenkins server.
options:
  name:
    description:
      - Name of the node. The name is case-sensitive. V(built-in) is the built-in node of the controller, which was
        formerly called V(master).
      - The name of an agent can have at most 200 characters. It must not contain control characters or any of the
        characters C(?*/\%!@#$^&|<>[]:;). It must not be V(api) or V(search), because Jenkins has other
        pages at these paths. The name of a new agent must not end with a period.
      - Required if O(items) is not set.
    type: str
  previous_name:
    description:
      - Current name of the agent to rename to O(name). Renaming an inbound agent also changes its secret.
      - If an agent with the name O(name) already exists, this option is ignored.
      - If neither an agent with the name O(name) nor one with the name O(previous_name) exists, a new agent is created.
    type: str
  description:
    description: Description of the agent. An empty string removes it.
    type: str
  remote_root:
    description: Root directory on the agent. The agent stores its files in this directory. Required if the agent does
      not exist, unless O(config) contains the element C(remoteFS).
    type: str
  executors:
    description:
      - Number of builds that can run on the node at the same time. It must be 1 or more. For the built-in node, it can
        also be V(0).
      - The default for a new agent is V(1).
    type: int
  usage:
    description: Which builds run on the node. The default for a new agent is V(normal).
    type: str
    choices:
      normal: All builds that may run on the node.
      exclusive: Only builds whose label expression matches the node.
  labels:
    description: Labels of the node, without whitespace, quotes and backslashes. Labels that are not listed are removed.
      An empty list removes all labels.
    type: list
    elements: str
  launcher:
    description:
      - How the connection between Jenkins and the agent is established. The default for a new agent is a launcher of
        the type V(inbound).
      - Only the suboptions that are set are compared and changed.
    type: dict
    suboptions:
      type:
        description: Type of the launcher. Required if O(launcher) is set. If it differs from the current type, a new
          launcher replaces the current one. Suboptions that are not set then get their default values.
        type: str
        choices:
          inbound: The agent connects to Jenkins.
          ssh: Jenkins connects to the agent with SSH. Requires the Jenkins plugin C(ssh-slaves).
          command: Jenkins runs a command on the controller to start the agent. Requires the Jenkins plugin
            C(command-launcher).
      web_socket:
        description: Whether the agent connects with a WebSocket. Only valid if O(launcher.type=inbound). The default
          for a new launcher is V(false).
        type: bool
      tunnel:
        description: Host and port through which the agent connects to Jenkins, such as V(gateway:50000). An empty
          string removes the setting. Only valid if O(launcher.type=inbound).
        type: str
      disable_work_dir:
        description: Whether to disable the work directory, in which the agent stores its files and logs. Only valid if
          O(launcher.type=inbound). The default for a new launcher is V(false).
        type: bool
      work_dir:
        description: Work directory of the agent. If it is an empty string, Jenkins uses O(remote_root). Only valid if
          O(launcher.type) is V(inbound) or V(ssh).
        type: str
      internal_dir:
        description: Directory for internal data of the agent, relative to the work directory. Only valid if
          O(launcher.type=inbound). The default for a new launcher is V(remoting).
        type: str
      fail_if_work_dir_is_missing:
        description: Whether the agent refuses to start if its work directory does not exist. Only valid if
          O(launcher.type=inbound). The default for a new launcher is V(false).
        type: bool
      host:
        description: Host name or IP address of the agent. Required for a new launcher of the type V(ssh). Only valid if
          O(launcher.type=ssh).
        type: str
      port:
        description: SSH port of the agent. Only valid if O(launcher.type=ssh). The default for a new launcher is V(22).
        type: int
      credentials_id:
        description: ID of the Jenkins credential for the SSH connection. The module does not verify that the credential
          exists. Required for a new launcher of the type V(ssh). Only valid if O(launcher.type=ssh).
        type: str
      host_key_verification:
        description: How Jenkins verifies the SSH host key of the agent. Only valid if O(launcher.type=ssh). The default
          for a new launcher is V(known_hosts).
        type: str
        choices:
          known_hosts: The host key must be in the file C(~/.ssh/known_hosts) of the controller.
          provided_key: The host key must be the key in O(launcher.host_key).
          first_connection: Jenkins stores the host key of the first connection. Later connections must have the same
            host key.
          none: Jenkins does not verify the host key. The connection is not protected from attackers in the network.
      host_key:
        description: Public SSH host key of the agent, such as V(ssh-ed25519 AAAAC3Nz...), without a comment. Required
          if O(launcher.host_key_verification=provided_key), and only valid then.
        type: str
      require_manual_trust:
        description: Whether an administrator must confirm the host key that the agent presents when Jenkins first
          connects to it. Only valid if O(launcher.host_key_verification=first_connection). The default for a new or
          changed verification is V(false).
        type: bool
      java_path:
        description: Path of the Java program on the agent. If it is an empty string, Jenkins searches for Java. Only
          valid if O(launcher.type=ssh).
        type: str
      jvm_options:
        description: Options for the Java virtual machine on the agent. Only valid if O(launcher.type=ssh).
        type: str
      prefix_start_command:
        description: Text to insert before the command that starts the agent. Only valid if O(launcher.type=ssh).
        type: str
      suffix_start_command:
        description: Text to append to the command that starts the agent. Only valid if O(launcher.type=ssh).
        type: str
      launch_timeout:
        description: Maximum time for a connection attempt, in seconds. Only valid if O(launcher.type=ssh). The default
          for a new launcher is V(60).
        type: int
      max_retries:
        description: Number of further connection attempts if the first attempt fails. Only valid if
          O(launcher.type=ssh). The default for a new launcher is V(10).
        type: int
      retry_wait:
        description: Time between two connection attempts, in seconds. Only valid if O(launcher.type=ssh). The default
          for a new launcher is V(15).
        type: int
      tcp_no_delay:
        description: Whether to send small network packets without delay. Only valid if O(launcher.type=ssh). The
          default for a new launcher is V(true).
        type: bool
      command:
        description: Command that Jenkins runs on the controller to start the agent. An administrator may have to
          approve the command before Jenkins runs it. Required for a new launcher of the type V(command). Only valid if
          O(launcher.type=command).
        type: str
  retention:
    description:
      - When Jenkins connects and disconnects the agent (retention strategy). The default for a new agent is the type
        V(always).
      - Only the suboptions that are set are compared and changed.
    type: dict
    suboptions:
      type:
        description: Type of the retention strategy. Required if O(retention) is set. If it differs from the current
          type, a new strategy replaces the current one. Suboptions that are not set then get their default values.
        type: str
        choices:
          always: Jenkins keeps the agent online as much as possible.
          demand: Jenkins connects the agent when builds wait for it. Jenkins disconnects the agent when it is idle.
          schedule: Jenkins connects the agent at the times in O(retention.start_times).
      in_demand_delay:
        description: Time that builds wait before Jenkins connects the agent, in minutes. Only valid if
          O(retention.type=demand). The default for a new retention strategy is V(0).
        type: int
      idle_delay:
        description: Idle time after which Jenkins disconnects the agent, in minutes. Only valid if
          O(retention.type=demand). The default for a new retention strategy is V(1).
        type: int
      start_times:
        description: Times at which Jenkins connects the agent, in the cron syntax of Jenkins, such as V(0 8 * * 1-5).
          Required for a new strategy of the type V(schedule). Only valid if O(retention.type=schedule).
        type: str
      up_time:
        description: Time that the agent stays online after each start time, in minutes. Required for a new strategy of
          the type V(schedule). Only valid if O(retention.type=schedule).
        type: int
      keep_up_when_active:
        description: Whether the agent stays online after its scheduled time while it runs builds. Only valid if
          O(retention.type=schedule). The default for a new retention strategy is V(true).
        type: bool
  environment_variables:
    description:
      - Environment variables of builds on the agent. The keys are the names, and the values must be strings. Jenkins
        ignores the case of the names.
      - Variables that are not listed are removed. An empty dictionary removes all variables.
    type: dict
  tools:
    description: Locations of tools on the agent. Locations that are not listed are removed. An empty list removes all
      locations.
    type: list
    elements: dict
    suboptions:
      type:
        description: Java class that identifies the type of the tool, such as V(hudson.model.JDK$DescriptorImpl).
          Required for each entry of O(tools).
        type: str
      name:
        description: Name of the tool in the configuration of Jenkins. Required for each entry of O(tools).
        type: str
      home:
        description: Directory of the tool on the agent. Required for each entry of O(tools).
        type: str
  config:
    description:
      - Further configuration of the agent as XML with the root element C(slave), for example for node properties of
        plugins.
      - Only the elements in this XML are compared and changed.
      - The XML must not contain an element that is also set with another option of the module. For example, C(label)
        cannot be combined with O(labels).
    type: str
  secret_file:
    description:
      - Path to a file on the host that runs the module. The module stores the secret of the inbound agent in this file.
        The agent requires this secret to connect to Jenkins. The file contains only the secret.
      - If the content of the file differs from the secret in Jenkins, the module updates the file. The module never
        returns the secret.
      - Requires the launcher type V(inbound) and the Agent/Connect permission. Ignored if O(state=absent).
    type: path
  owner:
    description:
      - Name of the user who owns O(secret_file). Changing the owner requires superuser permissions.
      - If not set, the owner of an existing file is not changed. A new file is owned by the user running the task.
    type: str
  group:
    description: Name of the group of O(secret_file). If not set, the group of an existing file is not changed.
    type: str
  mode:
    description:
      - Mode of O(secret_file) as three octal digits in quotes, such as V('0640').
      - If not set, the mode of an existing file is not changed. A new file has the mode V('0600').
    type: str
  allow_abort_builds:
    description:
      - Whether to delete or rename an agent even if it runs builds. Deleting or renaming the agent aborts these builds.
      - If V(false), the task fails if it would abort builds.
    type: bool
    default: false
  undeclared:
    description:
      - Whether to keep, report or delete existing permanent agents that are not in O(items).
      - The module never reports or deletes the built-in node, agents of clouds and agents in O(items[].previous_name).
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Create the agent, update it, or rename it from O(previous_name).
      absent: Delete the agent. The built-in node and agents of clouds cannot be deleted.
  items:
    description:
      - List of nodes, each with the options below. Options that are set outside O(items) are the defaults for all
        items.
      - Each item requires a unique C(name). All items are validated before the first request.
    type: list
    elements: dict
    suboptions:
      name:
        description: Value of O(name) for this item.
        type: str
      previous_name:
        description: Value of O(previous_name) for this item.
        type: str
      description:
        description: Value of O(description) for this item.
        type: str
      remote_root:
        description: Value of O(remote_root) for this item.
        type: str
      executors:
        description: Value of O(executors) for this item.
        type: int
      usage:
        description: Value of O(usage) for this item.
        type: str
        choices:
          normal: Same as O(usage=normal).
          exclusive: Same as O(usage=exclusive).
      labels:
        description: Value of O(labels) for this item.
        type: list
        elements: str
      launcher:
        description: Value of O(launcher) for this item.
        type: dict
        suboptions:
          type:
            description: Value of O(launcher.type) for this item.
            type: str
            choices:
              inbound: Same as O(launcher.type=inbound).
              ssh: Same as O(launcher.type=ssh).
              command: Same as O(launcher.type=command).
          web_socket:
            description: Value of O(launcher.web_socket) for this item.
            type: bool
          tunnel:
            description: Value of O(launcher.tunnel) for this item.
            type: str
          disable_work_dir:
            description: Value of O(launcher.disable_work_dir) for this item.
            type: bool
          work_dir:
            description: Value of O(launcher.work_dir) for this item.
            type: str
          internal_dir:
            description: Value of O(launcher.internal_dir) for this item.
            type: str
          fail_if_work_dir_is_missing:
            description: Value of O(launcher.fail_if_work_dir_is_missing) for this item.
            type: bool
          host:
            description: Value of O(launcher.host) for this item.
            type: str
          port:
            description: Value of O(launcher.port) for this item.
            type: int
          credentials_id:
            description: Value of O(launcher.credentials_id) for this item.
            type: str
          host_key_verification:
            description: Value of O(launcher.host_key_verification) for this item.
            type: str
            choices:
              known_hosts: Same as O(launcher.host_key_verification=known_hosts).
              provided_key: Same as O(launcher.host_key_verification=provided_key).
              first_connection: Same as O(launcher.host_key_verification=first_connection).
              none: Same as O(launcher.host_key_verification=none).
          host_key:
            description: Value of O(launcher.host_key) for this item.
            type: str
          require_manual_trust:
            description: Value of O(launcher.require_manual_trust) for this item.
            type: bool
          java_path:
            description: Value of O(launcher.java_path) for this item.
            type: str
          jvm_options:
            description: Value of O(launcher.jvm_options) for this item.
            type: str
          prefix_start_command:
            description: Value of O(launcher.prefix_start_command) for this item.
            type: str
          suffix_start_command:
            description: Value of O(launcher.suffix_start_command) for this item.
            type: str
          launch_timeout:
            description: Value of O(launcher.launch_timeout) for this item.
            type: int
          max_retries:
            description: Value of O(launcher.max_retries) for this item.
            type: int
          retry_wait:
            description: Value of O(launcher.retry_wait) for this item.
            type: int
          tcp_no_delay:
            description: Value of O(launcher.tcp_no_delay) for this item.
            type: bool
          command:
            description: Value of O(launcher.command) for this item.
            type: str
      retention:
        description: Value of O(retention) for this item.
        type: dict
        suboptions:
          type:
            description: Value of O(retention.type) for this item.
            type: str
            choices:
              always: Same as O(retention.type=always).
              demand: Same as O(retention.type=demand).
              schedule: Same as O(retention.type=schedule).
          in_demand_delay:
            description: Value of O(retention.in_demand_delay) for this item.
            type: int
          idle_delay:
            description: Value of O(retention.idle_delay) for this item.
            type: int
          start_times:
            description: Value of O(retention.start_times) for this item.
            type: str
          up_time:
            description: Value of O(retention.up_time) for this item.
            type: int
          keep_up_when_active:
            description: Value of O(retention.keep_up_when_active) for this item.
            type: bool
      environment_variables:
        description: Value of O(environment_variables) for this item.
        type: dict
      tools:
        description: Value of O(tools) for this item.
        type: list
        elements: dict
        suboptions:
          type:
            description: Value of O(tools[].type) for this item.
            type: str
          name:
            description: Value of O(tools[].name) for this item.
            type: str
          home:
            description: Value of O(tools[].home) for this item.
            type: str
      config:
        description: Value of O(config) for this item.
        type: str
      secret_file:
        description: Value of O(secret_file) for this item.
        type: path
      owner:
        description: Value of O(owner) for this item.
        type: str
      group:
        description: Value of O(group) for this item.
        type: str
      mode:
        description: Value of O(mode) for this item.
        type: str
      allow_abort_builds:
        description: Value of O(allow_abort_builds) for this item.
        type: bool
      on_dropped:
        description: Value of O(on_dropped) for this item.
        type: str
        choices:
          fail: Same as O(on_dropped=fail).
          warn: Same as O(on_dropped=warn).
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.ci_node_info
  - module: buildworks.toolchain.ci_node_drain
"""

EXAMPLES = r"""
- name: Manage an inbound agent
  buildworks.toolchain.ci_node:
    name: linux-1
    description: Builds for Linux
    remote_root: /var/lib/jenkins
    executors: 4
    labels: [linux, docker]
    launcher:
      type: inbound
      web_socket: true
    environment_variables:
      CCACHE_DIR: /var/cache/ccache

- name: Store the secret that the agent connects with
  buildworks.toolchain.ci_node:
    name: linux-1
    remote_root: /var/lib/jenkins
    secret_file: ~/linux-1.secret

- name: Manage several agents, and delete all other permanent agents
  buildworks.toolchain.ci_node:
    remote_root: /home/jenkins
    executors: 2
    items:
      - name: linux-1
        labels: [linux]
      - name: linux-2
        labels: [linux, gpu]
        usage: exclusive
    undeclared: remove

- name: Manage an agent that Jenkins connects to with SSH
  buildworks.toolchain.ci_node:
    name: build-1
    remote_root: /home/jenkins
    launcher:
      type: ssh
      host: build-1.example.com
      credentials_id: agents
      host_key_verification: known_hosts
    retention:
      type: demand
      idle_delay: 30
    tools:
      - type: hudson.model.JDK$DescriptorImpl
        name: jdk-21
        home: /opt/jdk-21
    predicted_plugins: [ssh-slaves]
  check_mode: true

- name: Run no builds on the built-in node
  buildworks.toolchain.ci_node:
    name: built-in
    executors: 0

- name: Delete an agent, unless it runs builds
  buildworks.toolchain.ci_node:
    name: linux-2
    state: absent
"""

RETURN = r"""
node:
  description:
    - State of the node after the task or, in check mode, the predicted state. V(null) if the agent does not exist.
    - The built-in node has only the keys C(name), C(executors), C(labels) and C(usage).
  returned: success, when O(items) is not set
  type: dict
  contains:
    name:
      description: Name of the node. The built-in node has the name V(built-in).
      type: str
    description:
      description: Description of the agent. Empty if it is not set.
      type: str
    remote_root:
      description: Root directory on the agent, in which the agent stores its files.
      type: str
    executors:
      description: Number of executors, which is the number of builds that can run at the same time.
      type: int
    usage:
      description: Which builds run on the node. V(normal) permits all builds. V(exclusive) permits only builds whose
        label expression matches the node.
      type: str
    labels:
      description: Labels of the node, sorted. The name of the node, which Jenkins adds as a label, is not included.
      type: list
      elements: str
    launcher:
      description: How the connection between Jenkins and the agent is established. The dictionary has all suboptions of
        O(launcher) that apply to its type. If the agent has a launcher of another plugin, the dictionary has only the
        key C(type) with the Java class of the launcher.
      type: dict
    retention:
      description: When Jenkins connects and disconnects the agent. The dictionary has all suboptions of O(retention)
        that apply to its type. If the agent has a strategy of another plugin, the dictionary has only the key C(type)
        with the Java class of the strategy.
      type: dict
    environment_variables:
      description: Environment variables of builds on the agent. The keys are the names of the variables. Empty if no
        variable is set.
      type: dict
    tools:
      description: Locations of tools on the agent, sorted by type and name. Each entry is a dictionary with C(type),
        C(name) and C(home), which have the same meaning as in O(tools).
      type: list
      elements: dict
    elements:
      description:
        - Texts and attributes of the XML elements in O(config). The keys are the paths of the elements and attributes
          in the XML document, such as C(launcher/@class). The values are strings.
        - V((encrypted\)) replaces the value of an encrypted secret.
      returned: when O(config) is set
      type: dict
    secret_file:
      description: Path of the file that contains the secret of the agent. Not returned if the file does not contain the
        current secret.
      returned: when O(secret_file) is set
      type: str
  sample:
    name: linux-1
    description: Builds for Linux
    remote_root: /var/lib/jenkins
    executors: 4
    usage: normal
    labels: [docker, linux]
    launcher:
      type: inbound
      web_socket: true
      tunnel: ""
      disable_work_dir: false
      work_dir: ""
      internal_dir: remoting
      fail_if_work_dir_is_missing: false
    retention:
      type: always
    environment_variables:
      CCACHE_DIR: /var/cache/ccache
    tools: []
undeclared:
  description: Names of the existing permanent agents that are not in O(items), sorted. Agents in
    O(items[].previous_name) are not included.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [linux-3]
counts:
  description: Number of items for each outcome. Each item is counted once.
  returned: when O(items) is set
  type: dict
  contains:
    changed:
      description: Number of items that were changed or, in check mode, would be changed.
      type: int
    ok:
      description: Number of items that were already in the desired state.
      type: int
    failed:
      description: Number of items that failed. RV(failures) contains the reasons.
      type: int
    unknown:
      description: Number of items with an unknown outcome, because the response was lost or the task was interrupted.
        RV(failures) lists these items.
      type: int
    skipped:
      description: Number of items that were not processed, because the task stopped early, for example when
        O(max_failures) was reached.
      type: int
  sample: {changed: 120, ok: 4879, failed: 1, unknown: 0, skipped: 0}
failures:
  description: Outcomes of all items with the status V(failed) or V(unknown), in the order of the items. The entries
    have the same keys as RV(outcomes).
  returned: when O(items) is set
  type: list
  elements: dict
  sample: []
outcomes:
  description: Outcomes of O(result_limit) items. Failures come first, then deletions, changes that open access, other
    changes and unchanged items, each in the order of O(items). To save the outcomes of all items, set O(to_file).
  returned: when O(items) is set
  type: list
  elements: dict
  contains:
    index:
      description: Position of the item in O(items), starting at 0.
      type: int
    item:
      description: Item as specified in O(items), without options that are not set.
      type: dict
    status:
      description: Outcome of the item. One of V(changed), V(ok), V(failed), V(unknown) and V(skipped). RV(counts)
        explains these values.
      type: str
    changed:
      description: Whether the item changed anything on the server or, in check mode, would change anything. V(true) is
        also possible for a failed item, if a part of the change took effect.
      type: bool
    reason:
      description: Reason why the item failed, was skipped or has an unknown outcome. V(null) for successful items.
      type: str
    node:
      description: State of the node after the item was processed or, in check mode, the predicted state. It has the
        same keys as RV(node).
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.ownership import SharedSources
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items import names
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.nodes import built_in, form, kinds, nodes
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.nodes.managed import ManagedAgent
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import PREDICTED_PLUGINS
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.losses import ON_DROPPED
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    STATE,
    TO_FILE,
    UNDECLARED,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Option
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import append_undeclared

_LABEL = dict(**NAME, matches=(r"[^\s\"'\\]+", "a label without spaces, quotes and backslashes"))
_TEXT: Option = dict(matches=("[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\ufffe\uffff]*", "a text without control characters"))
_HOST_KEY = ("[a-z0-9@.-]+ [A-Za-z0-9+/]+=*", "a key such as 'ssh-ed25519 AAAAC3Nz...', without a comment")
_LAUNCHER: dict[str, Option] = dict(
    type=dict(type="str", choices=list(kinds.LAUNCHERS)),
    web_socket=dict(type="bool"),
    tunnel=dict(type="str", one_line=True),
    disable_work_dir=dict(type="bool"),
    work_dir=dict(type="str", one_line=True),
    internal_dir=dict(type="str", **NAME),
    fail_if_work_dir_is_missing=dict(type="bool"),
    host=dict(type="str", **NAME),
    port=dict(type="int", at_least=1, at_most=65535),
    credentials_id=dict(type="str", **NAME),
    host_key_verification=dict(type="str", choices=list(kinds.VERIFICATIONS)),
    host_key=dict(type="str", no_log=False, matches=_HOST_KEY),
    require_manual_trust=dict(type="bool"),
    java_path=dict(type="str", one_line=True),
    jvm_options=dict(type="str", one_line=True),
    prefix_start_command=dict(type="str", **_TEXT),
    suffix_start_command=dict(type="str", **_TEXT),
    launch_timeout=dict(type="int", at_least=1, at_most=86400),
    max_retries=dict(type="int", at_least=0, at_most=10_000),
    retry_wait=dict(type="int", at_least=1, at_most=86400),
    tcp_no_delay=dict(type="bool"),
    command=dict(type="str", **NAME),
)
_RETENTION: dict[str, Option] = dict(
    type=dict(type="str", choices=list(kinds.RETENTIONS)),
    in_demand_delay=dict(type="int", at_least=0, at_most=1_000_000),
    idle_delay=dict(type="int", at_least=1, at_most=1_000_000),
    start_times=dict(type="str", not_empty=True, **_TEXT),
    up_time=dict(type="int", at_least=1, at_most=1_000_000),
    keep_up_when_active=dict(type="bool"),
)
_TOOL: dict[str, Option] = dict(
    type=dict(type="str", **NAME),
    name=dict(type="str", **NAME),
    home=dict(type="str", **NAME),
)


def check_options(params: Fields) -> None:
    if params["name"] == nodes.BUILT_IN:
        built_in.parse_options(params)
    elif params["state"] == "absent":
        if params["previous_name"] is not None:
            raise BadOption("previous_name", "must not be set with 'state: absent'")
    else:
        names.check_new_name(params["name"], "name")
        if params["executors"] == 0:
            raise BadOption("executors", "must be 1 or more: Jenkins hides agents without executors")
        form.parse_options(params)
        form.parse_config(params)


ITEM = (STATE + TO_FILE + ON_DROPPED) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **nodes.NODE),
        previous_name=dict(type="str", **nodes.NODE),
        description=dict(type="str", **_TEXT),
        remote_root=dict(type="str", **NAME),
        executors=dict(type="int", at_least=0, at_most=1_000),
        usage=dict(type="str", choices=list(form.USAGES)),
        labels=dict(type="list", elements="str", each_element=_LABEL, refused_with_undeclared=True),
        launcher=dict(type="dict", options=_LAUNCHER),
        retention=dict(type="dict", options=_RETENTION),
        environment_variables=dict(
            type="dict", text_values=True, refuses_null=True, unchecked="checked when it is parsed"
        ),
        tools=dict(type="list", elements="dict", options=_TOOL),
        config=dict(type="str", not_empty=True, secret_elements=True),
        secret_file=dict(type="path", no_log=False, not_empty=True),
        allow_abort_builds=dict(type="bool", default=False),
    ),
    checks=[check_options],
)


def check_secret_files(params: Fields) -> None:
    paths = [item["secret_file"] or params["secret_file"] for item in params["items"] or ()]
    repeated = {path for path in paths if path is not None and paths.count(path) > 1}
    if repeated:
        raise BadOption("secret_file", f"'{min(repeated)}' is the file of several items. Set one for each item")


SPEC = (
    (CI + PREDICTED_PLUGINS + UNDECLARED + VISIBILITY)
    + with_items(ITEM)
    + ArgumentSpec({}, checks=[check_secret_files])
)


def run(task: Task) -> None:
    sources = SharedSources()
    process_one_or_items(
        task,
        lambda item_task: reconcile_node(item_task, sources),
        identity=lambda params: params["name"],
        name_option="name",
        expand_all=lambda items: append_undeclared(
            task, "agents", items, "name", lambda: list_deletable(CiService(task), items)
        ),
    )


def list_deletable(ci: CiService, items: list[Fields]) -> set[str]:
    return nodes.list_permanent_agents(ci) - {item.get("previous_name") for item in items}


def reconcile_node(task: Task, sources: SharedSources) -> None:
    check_options(task.params)  # undeclared objects inherit the options of the task
    if task.params["name"] == nodes.BUILT_IN:
        reconcile_built_in(task, sources)
    else:
        reconcile_agent(task, sources)


def reconcile_built_in(task: Task, sources: SharedSources) -> None:
    ci = CiService(task)
    reconcile(
        task,
        "node",
        read=lambda: built_in.fetch(ci),
        desired=built_in.parse_options(task.params),
        update=lambda fields: built_in.update(ci, fields),
        check=lambda _before, fields: built_in.check(ci, sources, fields or {}),
        predict_refusal=lambda: built_in.predict_refusal(ci),
        to_result=lambda fields: {"name": nodes.BUILT_IN, **fields},
    )


def reconcile_agent(task: Task, sources: SharedSources) -> None:
    agent = ManagedAgent(task, CiService(task), sources)
    reconcile(
        task,
        "node",
        read=agent.find,
        desired=agent.desired,
        create=agent.create,
        update=agent.update,
        replaces=True,
        delete=agent.delete,
        check=agent.check,
        predict_refusal=agent.predict_refusal,
        to_result=agent.to_result,
        explain_shortfall=agent.explain_loss,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
