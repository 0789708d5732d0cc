#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_configuration
short_description: Manage the Jenkins configuration as code
description:
  - Change the configuration of Jenkins with the Configuration as Code plugin (JCasC). The configuration includes the
    system message, executors, security settings, tools and settings of plugins.
  - The module compares the declared members with the configuration that Jenkins exports. It applies only the parts that
    differ. Members that are not declared are kept, unless they are inside a part that is replaced.
  - Jenkins replaces the value of a setting as a whole, for example the list C(jenkins.nodes) or the object
    C(jenkins.authorizationStrategy). List elements that are not declared are deleted. Inside list elements and objects,
    members that are not declared return to their defaults.
  - Unless O(allow_lockout=true), the module refuses a change of C(jenkins.authorizationStrategy) or
    C(jenkins.securityRealm) after which the account of the task would no longer have the Overall/Administer permission
    or could no longer log in. No request could undo such a change.
  - The diff and the results RV(removed) and RV(reset) show such losses, also in check mode. The module deletes list
    elements only if O(allow_removals=true), and stored secrets that a declared object does not contain only if
    O(allow_secret_removals=true).
  - After a change, the module reads the configuration again. If a value did not take effect, the task fails, and the
    message contains the declared and the current value. For example, Jenkins uses
    the default instead of a quiet period that is too large.
  - A text for a number or boolean that Jenkins would read as V(0) or V(false) is refused before the change. So are
    permissions of roles that Jenkins would ignore, and patterns of roles that are not regular expressions. If Jenkins
    refuses a deprecated member, the message says what to declare instead.
  - Immediately before a change, the module reads the configuration again. If another client changed a declared member
    in between, it compares the configuration again. What another client changes between this read and the change is
    overwritten if it is inside a part that is replaced.
  - In check mode, Jenkins validates the parts that differ without applying them. Users are excluded, because the
    validation would change them.
  - A task without changes sends one request. A task with changes sends five requests, or six if Jenkins reloads
    O(source_file). A change of C(jenkins.authorizationStrategy) sends up to three more, which read the account of the
    task and the permissions of the server and check the patterns of roles.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_configuration
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.to_file
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires the Overall/Administer permission and the plugin C(configuration-as-code).
  - Jenkins stores the applied values in its own files. It does not store the declaration.
  - Configuration sources of Jenkins, such as the files in C(CASC_JENKINS_CONFIG), take precedence. Jenkins applies them
    when it starts, reloads its configuration or applies a declaration. This reverts other changes of the members that
    the sources set. If a source sets a part that differs, the task therefore fails. To write a source with this module,
    use O(source_file).
  - If the file of a source is missing, Jenkins refuses each change. The task then fails before the change.
  - The module cannot compare the values of passwords, keys and other secrets. It applies such values if they are
    missing, or together with a part that differs for another reason. RV(sent_secrets) lists the applied secrets. To
    apply a new value of an existing secret, set O(force=true).
  - In values with variables such as C(${NAME}), the module compares the text outside of the variables. If it is the
    same, the value counts as equal, even if a variable has another value now.
  - Jenkins replaces variables such as C(${NAME}) with values from its secret sources, for example the environment of
    the Jenkins process. An unknown variable becomes an empty text. If nothing else is in the value, the task fails
    before the change. To set the literal text C(${NAME}), write C(^${NAME}).
  - If properties of users are declared, the module asks Jenkins whether it has them, because Jenkins cannot check users
    without changing them.
  - Jenkins does not export members that have their default value. If the module does not know the default, it applies
    the part in each run and prints a warning. To avoid this, remove such members from the declaration.
  - Requires the Python package PyYAML on the host that runs the module. It is installed together with ansible-core.
  - Tested against the simulated server (sandbox) that comes with this collection. The module has not been tested
    against a real Jenkins server.
options:
  configuration:
    description:
      - Declared part of the configuration in the format of the Configuration as Code plugin (JCasC). The keys are the
        roots, such as V(jenkins), V(unclassified), V(security), V(tool) and V(credentials).
        M(buildworks.toolchain.ci_configuration_info) returns the configuration of a server in the same format.
      - Jenkins ignores settings that are V(null). Inside list elements and objects, V(null) is refused, because Jenkins
        would reset the member to its default. An empty list or string removes the value.
      - The module compares numbers and booleans by their text. For example, V(4) and V('4') are equal.
      - The module identifies the elements of a list by their member C(id), C(name) or C(key).
      - Other forms that Jenkins accepts are equal to the form that it exports. Examples are other names of classes,
        such as V(slave) for V(permanent) and V(jnlp) for V(inbound), permissions by name or ID, the old rows of a
        permission matrix, and the order of names of jobs, members of roles and permissions.
      - Labels in C(jenkins.labelAtoms) that no node has are refused, because Jenkins would drop them.
      - The roots C(jobs) and C(items) are refused, because Jenkins does not export jobs. Use
        M(buildworks.toolchain.ci_job) instead.
      - Exactly one of O(configuration) and O(src) is required.
    type: dict
  src:
    description:
      - Path to a YAML file with the declared part of the configuration. The file must be on the host that runs the
        module.
      - A file with a duplicate key is refused, because Jenkins would use only the last value of the key.
      - Exactly one of O(configuration) and O(src) is required.
    type: path
  allow_removals:
    description:
      - Whether to delete list elements that are not declared, such as nodes, credentials, views or entries of a
        permission matrix.
      - If V(false) and the change would delete such elements, the task fails, and the message lists them.
      - Single words in lists, such as permissions, are always removed if they are not declared.
    type: bool
    default: false
  allow_secret_removals:
    description:
      - Whether to delete stored secrets of objects that are declared without them, such as the password of a
        credential or of the mail server. This also applies to secrets that are declared as an empty string.
      - If V(false) and the change would delete such secrets, the task fails, and the message lists them. Jenkins
        replaces an object as a whole, so a change of its description requires all its secrets.
      - Secrets of list elements that O(allow_removals=true) deletes are deleted together with the element.
    type: bool
    default: false
  allow_user_changes:
    description:
      - Whether to apply C(jenkins.securityRealm.local.users). If V(false), the task fails if a declared user differs.
      - If V(true) and at least one declared user differs, Jenkins sets the passwords of all declared users. It also
        deletes the API tokens of all declared users that have C(properties). Jenkins does not delete users.
      - If possible, use M(buildworks.toolchain.ci_user) instead.
      - With O(source_file), each declaration of users requires V(true), because Jenkins applies the file at each start.
    type: bool
    default: false
  allow_lockout:
    description:
      - Whether to allow a change after which the account of this task no longer has the Overall/Administer permission
        or cannot log in. If V(false), the task fails and does not make such a change.
      - The module judges the authorization strategies C(globalMatrix), C(projectMatrix), C(roleBased),
        C(loggedInUsersCanDoAnything) and C(unsecured). It refuses a change to another strategy unless V(true).
      - It refuses another security realm than C(local) unless the strategy is C(unsecured). It refuses a change to the
        realm C(local) unless the declared users contain the account with the password of this task.
      - It refuses declared users that replace the password or API token with which the task logs in.
      - If the account loses the permission, the module cannot read the changed configuration. The task then fails with
        the error of the server, although the change took effect.
    type: bool
    default: false
  force:
    description: Whether to apply the declaration even if it does not differ from the current configuration. If V(true),
      the task always reports a change.
    type: bool
    default: false
  source_file:
    description:
      - Path to a file in which the module stores the declaration, on the host that runs the module.
      - If this is the host of Jenkins, use a path from C(CASC_JENKINS_CONFIG) of Jenkins, or C(jenkins.yaml) in the
        Jenkins home directory.
      - The file contains the whole declaration, including its secrets. It is replaced atomically.
      - If Jenkins has a configuration source with the same file name, the module does not apply a change directly.
        Instead, it writes the file and lets Jenkins reload its sources. This includes a file that Jenkins has not
        loaded yet, such as a new C(jenkins.yaml).
    type: path
  owner:
    description:
      - Name of the user who owns O(source_file). Changing the owner requires superuser permissions.
      - If not set, the owner of an existing file is not changed. A new file is owned by the user running the task.
  group:
    description: Name of the group of O(source_file). If not set, the group of an existing file is not changed.
  mode:
    description:
      - Mode of O(source_file) as three octal digits in quotes, such as V('0640').
      - If not set, the mode of an existing file is not changed. A new file has the mode V('0600').
seealso:
  - module: buildworks.toolchain.ci_configuration_info
  - name: Configuration as Code
    description: Documentation of the plugin, with the members of the configuration.
    link: https://plugins.jenkins.io/configuration-as-code/
"""

EXAMPLES = r"""
- name: Configure Jenkins
  buildworks.toolchain.ci_configuration:
    configuration:
      jenkins:
        systemMessage: Managed by Ansible
        numExecutors: 0
        quietPeriod: 5
        crumbIssuer: standard
      unclassified:
        location:
          url: https://ci.example.com/
          adminAddress: ci@example.com

- name: Declare all agents, and delete others
  buildworks.toolchain.ci_configuration:
    configuration:
      jenkins:
        nodes:
          - permanent:
              name: linux-1
              remoteFS: /home/jenkins
              labelString: linux docker
              numExecutors: 4
              launcher: inbound
    allow_removals: true

- name: Write a declaration into a file
  ansible.builtin.copy:
    content: |
      jenkins:
        disableRememberMe: true
        scmCheckoutRetryCount: 2
    dest: "{{ playbook_dir }}/casc.yaml"
    mode: "0600"

- name: Apply the file
  buildworks.toolchain.ci_configuration:
    src: "{{ playbook_dir }}/casc.yaml"

- name: Set a new password of a credential
  buildworks.toolchain.ci_configuration:
    configuration:
      credentials:
        system:
          domainCredentials:
            - credentials:
                - usernamePassword:
                    id: registry
                    scope: GLOBAL
                    username: ci
                    password: "{{ lookup('ansible.builtin.env', 'REGISTRY_PASSWORD') }}"
    force: true
    allow_removals: true

- name: Apply the file, and keep it for the next start of Jenkins on this host
  buildworks.toolchain.ci_configuration:
    src: "{{ playbook_dir }}/casc.yaml"
    source_file: "{{ jenkins_home | default(ansible_facts.env.HOME) }}/jenkins.yaml"
    mode: "0640"
"""

RETURN = r"""
configuration:
  description:
    - Values of the members that O(configuration) or O(src) declares, after the task or, in check mode, as predicted.
    - Secrets are replaced with V(MASKED_SECRET), or with V(MASKED_SECRET (sent\)) if the task applied them.
  returned: success
  type: dict
  sample:
    jenkins:
      systemMessage: Managed by Ansible
      numExecutors: 0
removed:
  description:
    - Paths of the list elements that the task deleted or, in check mode, would delete, because they are not declared.
      An empty list if there are none.
    - If O(allow_removals=false), the task fails instead of deleting such elements, and the message lists them.
  returned: success
  type: list
  elements: str
  sample: ["jenkins.nodes[permanent old-agent]"]
reset:
  description: Paths of the members that returned to their defaults or, in check mode, would return to them. Such
    members are not declared, but belong to a setting that is replaced as a whole. An empty list if there are none.
  returned: success
  type: list
  elements: str
  sample: ["jenkins.nodes[permanent linux-1].permanent.nodeDescription"]
sent_secrets:
  description:
    - Paths of the secrets that the task applied or, in check mode, would apply. An empty list if there are none.
    - If a part of the configuration differs, all secrets in this part are applied, even if their values are the same.
  returned: success
  type: list
  elements: str
  sample: ["unclassified.mailer.authentication.password"]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.configuration import Configuration
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.declaration import Declaration
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import TO_FILE, VISIBILITY
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (CI + TO_FILE + VISIBILITY) + ArgumentSpec(
    dict(
        configuration=dict(type="dict", not_empty=True, text_values=True, secret_members=True),
        src=dict(type="path", not_empty=True),
        allow_removals=dict(type="bool", default=False, narrows_scope=True),
        allow_secret_removals=dict(type="bool", default=False, narrows_scope=True, no_log=False),
        allow_user_changes=dict(type="bool", default=False, narrows_scope=True),
        allow_lockout=dict(type="bool", default=False, narrows_scope=True),
        force=dict(type="bool", default=False),
        source_file=dict(type="path", not_empty=True),
    ),
    mutually_exclusive=[("configuration", "src")],
    required_one_of=[("configuration", "src")],
)


def run(task: Task) -> None:
    declaration = Declaration(task)
    Configuration(task, CiService(task), declaration).reconcile()


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
