#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_ldap
short_description: Manage Artifactory LDAP settings
description:
  - Create, update or delete LDAP settings of Artifactory and their group settings. An LDAP setting lets the users of an
    LDAP server log in. A group setting defines where Artifactory finds their groups.
  - The module compares and changes only the options that are set.
  - To manage several LDAP settings in one task, use O(items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_ldap
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.purge
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.update_secret
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires administrator permissions. Set O(token), because the server may accept only access tokens for this API.
  - Requires Artifactory Pro 7.57.1 or later. For older versions and the open-source edition, use
    O(buildworks.toolchain.artifact_configuration#module:configuration) with C(security.ldapSettings).
  - A task without changes sends one request, or two if O(groups) is set, regardless of the number of O(items).
  - The module does not test the connection to the LDAP server, and does not import groups.
  - Artifactory replaces a setting as a whole. The module reads it again immediately before. If another administrator
    changes it between these two requests, the change is lost.
  - An enabled setting is disabled while it is changed, and enabled after everything that was sent is verified. Logins
    with LDAP are interrupted for this moment. If the change fails, the setting stays disabled, and the message says so.
    A setting with which the account of the task may log in is changed while it is enabled, with a warning. A change of
    O(groups) alone does not disable it.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  key:
    description:
      - Key of the LDAP setting, which cannot be changed. Required if O(items) is not set.
      - The key must differ from the keys and names of repositories, repository layouts, proxies, property sets and
        backups.
    type: str
  ldap_url:
    description:
      - URL of the LDAP server with the base DN, such as V(ldaps://ldap.example.com:636/dc=example,dc=com). Required if
        the setting does not exist.
      - The URL must not contain a user name or password. Use O(manager_dn) and O(manager_password).
    type: str
  enabled:
    description: Whether users can log in with this setting. The default for a new setting is V(true).
    type: bool
  user_dn_pattern:
    description:
      - Pattern of the DN with which a user binds to the LDAP server, relative to the base DN of O(ldap_url), such as
        V(uid={0},ou=people). V({0}) stands for the user name.
      - An empty string removes the pattern. A setting requires a pattern, O(search_filter) or both.
    type: str
  search_filter:
    description:
      - LDAP filter that finds the DN of a user, such as V((uid={0}\)). V({0}) stands for the user name.
      - An empty string removes the filter, O(search_base), O(manager_dn) and O(manager_password).
    type: str
  search_base:
    description:
      - DN below which O(search_filter) is applied, relative to the base DN of O(ldap_url). Separate several DNs by
        V(|).
      - An empty string stands for the base DN. Requires O(search_filter).
    type: str
  search_sub_tree:
    description: Whether to apply O(search_filter) to all levels below O(search_base) instead of only to the first
      level. The default for a new setting is V(true). Ignored without O(search_filter).
    type: bool
  manager_dn:
    description:
      - DN of the account with which Artifactory binds to the LDAP server to search for users.
      - With an empty string, which is the default for a new setting, Artifactory binds anonymously. Requires
        O(search_filter).
    type: str
  manager_password:
    description:
      - Password of O(manager_dn).
      - If O(manager_dn) is used, the password is required to create the setting or to change any option other than
        O(groups). An empty string stands for no password.
      - The module never compares or returns the password. O(update_secret) defines when it is sent.
    type: str
  auto_create_user:
    description:
      - Whether Artifactory creates a user at the first login. The default for a new setting is V(true).
      - If V(false), users exist only for their session. They are members of the groups that new users join
        automatically.
    type: bool
  email_attribute:
    description: LDAP attribute from which Artifactory reads the email address of a new user. The default for a new
      setting is V(mail).
    type: str
  ldap_poisoning_protection:
    description: Whether Artifactory filters out users whose LDAP entries could be used for LDAP poisoning. The default
      for a new setting is V(true).
    type: bool
  allow_user_to_access_profile:
    description: Whether users that Artifactory creates can open their profile page, for example to create an API key.
      The default for a new setting is V(false).
    type: bool
  paging_support_enabled:
    description: Whether Artifactory requests search results in pages. The LDAP server must support paging. The default
      for a new setting is V(true).
    type: bool
  groups:
    description:
      - Group settings of this LDAP setting.
      - In existing group settings, suboptions that are not set are not changed. Group settings that are not listed are
        kept unless O(purge=true).
      - The names of group settings are unique on a server. The task fails if a group setting belongs to another LDAP
        setting.
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the group setting, which cannot be changed. Required.
        type: str
      base_dn:
        description: DN below which groups are searched, relative to the base DN of O(ldap_url). An empty string, the
          default for a new group setting, stands for the base DN.
        type: str
      name_attribute:
        description: LDAP attribute with the name of a group, such as V(cn). Required for a new group setting.
        type: str
      member_attribute:
        description: LDAP attribute of a group that lists its members, such as V(uniqueMember). With
          O(groups[].strategy=dynamic), the LDAP attribute of a user that lists the groups of the user, such as
          V(memberOf). Required for a new group setting.
        type: str
      sub_tree:
        description: Whether to search groups at all levels below O(groups[].base_dn) instead of only at the first
          level. The default for a new group setting is V(true). With O(groups[].strategy=hierarchical), it is always
          V(false).
        type: bool
      force_attribute_search:
        description: Whether Artifactory always searches the attributes of groups. Change it only if JFrog Support
          recommends it. The default for a new group setting is V(false).
        type: bool
      filter:
        description: LDAP filter that finds groups, such as V((objectClass=groupOfNames\)). Required for a new group
          setting.
        type: str
      description_attribute:
        description: LDAP attribute with the description of a group, such as V(description). Required for a new group
          setting.
        type: str
      strategy:
        description: How the LDAP server assigns users to groups. The default for a new group setting is V(static).
        type: str
        choices:
          static: The entry of a group lists its members.
          dynamic: The entry of a user lists the groups of the user.
          hierarchical: The DN of a user contains the groups of the user.
  purge:
    description:
      - Whether to delete group settings of this LDAP setting that are not in O(groups). Ignored if O(groups) is not
        set.
      - With O(state=absent), whether to delete all group settings of the LDAP setting as well. If V(false), the task
        fails if there are any.
  allow_lockout:
    description:
      - Whether to allow disabling or deleting the LDAP setting if the account of this task comes from LDAP and could be
        locked out.
      - If V(false), the task fails before such a change. It also fails before it deletes a group setting if the account
        comes from LDAP and is an administrator only through groups.
      - The task also fails if the name or the realm of the account is unknown, as with O(api_key).
      - The module cannot detect other changes that prevent logins, such as a wrong O(ldap_url).
    type: bool
    default: false
  update_secret:
    description:
      - When to send O(manager_password) for an existing setting.
      - To change any option other than O(groups), the module must replace the whole setting. It then sends the password
        again, even with V(on_create). The diff lists the password in C(updated_secrets).
      - If the password is required but not set, the task fails without changing the setting.
    choices:
      on_create: Send the password when the setting is created, or when an option other than O(groups) changes.
      always: Send the password on each run. If it is set, the task always reports a change.
  undeclared:
    description:
      - How to treat existing LDAP settings that are not in O(items).
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Create or update the LDAP setting.
      absent: Delete the LDAP setting. See O(purge) for its group settings.
  items:
    description:
      - LDAP settings to manage, each with the options below. Options set outside O(items) are the defaults for all
        items.
      - Each item requires a unique C(key). All items are validated before the first request.
    type: list
    elements: dict
    suboptions:
      key:
        description: Value of O(key) for this item.
        type: str
      ldap_url:
        description: Value of O(ldap_url) for this item.
        type: str
      enabled:
        description: Value of O(enabled) for this item.
        type: bool
      user_dn_pattern:
        description: Value of O(user_dn_pattern) for this item.
        type: str
      search_filter:
        description: Value of O(search_filter) for this item.
        type: str
      search_base:
        description: Value of O(search_base) for this item.
        type: str
      search_sub_tree:
        description: Value of O(search_sub_tree) for this item.
        type: bool
      manager_dn:
        description: Value of O(manager_dn) for this item.
        type: str
      manager_password:
        description: Value of O(manager_password) for this item.
        type: str
      auto_create_user:
        description: Value of O(auto_create_user) for this item.
        type: bool
      email_attribute:
        description: Value of O(email_attribute) for this item.
        type: str
      ldap_poisoning_protection:
        description: Value of O(ldap_poisoning_protection) for this item.
        type: bool
      allow_user_to_access_profile:
        description: Value of O(allow_user_to_access_profile) for this item.
        type: bool
      paging_support_enabled:
        description: Value of O(paging_support_enabled) for this item.
        type: bool
      groups:
        description: Value of O(groups) for this item.
        type: list
        elements: dict
        suboptions:
          name:
            description: Value of O(groups[].name) for this item.
            type: str
          base_dn:
            description: Value of O(groups[].base_dn) for this item.
            type: str
          name_attribute:
            description: Value of O(groups[].name_attribute) for this item.
            type: str
          member_attribute:
            description: Value of O(groups[].member_attribute) for this item.
            type: str
          sub_tree:
            description: Value of O(groups[].sub_tree) for this item.
            type: bool
          force_attribute_search:
            description: Value of O(groups[].force_attribute_search) for this item.
            type: bool
          filter:
            description: Value of O(groups[].filter) for this item.
            type: str
          description_attribute:
            description: Value of O(groups[].description_attribute) for this item.
            type: str
          strategy:
            description: Value of O(groups[].strategy) for this item.
            type: str
            choices:
              static: Same as O(groups[].strategy=static).
              dynamic: Same as O(groups[].strategy=dynamic).
              hierarchical: Same as O(groups[].strategy=hierarchical).
      purge:
        description: Value of O(purge) for this item.
        type: bool
      allow_lockout:
        description: Value of O(allow_lockout) for this item.
        type: bool
      update_secret:
        description: Value of O(update_secret) for this item.
        type: str
        choices:
          on_create: Same as O(update_secret=on_create).
          always: Same as O(update_secret=always).
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.artifact_ldap_info
  - module: buildworks.toolchain.artifact_configuration
"""

EXAMPLES = r"""
- name: Let users of an LDAP server log in
  buildworks.toolchain.artifact_ldap:
    key: corporate-ldap
    ldap_url: ldaps://ldap.example.com:636/dc=example,dc=com
    search_filter: (uid={0})
    search_base: ou=people
    manager_dn: cn=artifactory,ou=services,dc=example,dc=com
    manager_password: "{{ lookup('ansible.builtin.env', 'LDAP_PASSWORD') }}"

- name: Define the groups of the LDAP server, and delete other group settings of this LDAP setting
  buildworks.toolchain.artifact_ldap:
    key: corporate-ldap
    groups:
      - name: corporate-groups
        base_dn: ou=groups
        name_attribute: cn
        member_attribute: uniqueMember
        filter: (objectClass=groupOfUniqueNames)
        description_attribute: description
    purge: true

- name: Replace the password
  buildworks.toolchain.artifact_ldap:
    key: corporate-ldap
    manager_password: "{{ lookup('ansible.builtin.env', 'NEW_LDAP_PASSWORD') }}"
    update_secret: always

- name: Preview the exact LDAP settings of the server
  buildworks.toolchain.artifact_ldap:
    items:
      - key: corporate-ldap
        enabled: true
      - key: partner-ldap
        ldap_url: ldap://ldap.partner.example/dc=partner,dc=example
        user_dn_pattern: uid={0},ou=people
    undeclared: remove
    purge: true
  check_mode: true

- name: Delete an LDAP setting and its group settings
  buildworks.toolchain.artifact_ldap:
    key: corporate-ldap
    purge: true
    state: absent
"""

RETURN = r"""
setting:
  description: The LDAP setting after the task or, in check mode, as predicted. It does not contain the password.
    V(null) if the setting does not exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    key:
      description: Key of the LDAP setting.
      type: str
    ldap_url:
      description: URL of the LDAP server with the base DN.
      type: str
    enabled:
      description: Whether users can log in with this setting.
      type: bool
    user_dn_pattern:
      description: Pattern of the DN with which a user binds to the LDAP server. An empty string if it is not set.
      type: str
    search_filter:
      description: LDAP filter that finds the DN of a user. An empty string if it is not set.
      type: str
    search_base:
      description: DN below which RV(setting.search_filter) is applied. An empty string stands for the base DN of
        RV(setting.ldap_url).
      type: str
    search_sub_tree:
      description: Whether RV(setting.search_filter) is applied to all levels below RV(setting.search_base) instead of
        only to the first level.
      type: bool
    manager_dn:
      description: DN of the account with which Artifactory searches for users. An empty string if it binds anonymously.
      type: str
    auto_create_user:
      description: Whether Artifactory creates a user at the first login.
      type: bool
    email_attribute:
      description: LDAP attribute from which Artifactory reads the email address of a new user.
      type: str
    ldap_poisoning_protection:
      description: Whether Artifactory filters out users whose LDAP entries could be used for LDAP poisoning.
      type: bool
    allow_user_to_access_profile:
      description: Whether users that Artifactory creates can open their profile page.
      type: bool
    paging_support_enabled:
      description: Whether Artifactory requests search results in pages.
      type: bool
    groups:
      description: Group settings of this LDAP setting, sorted by name.
      returned: when O(groups) is set
      type: list
      elements: dict
      contains:
        name:
          description: Name of the group setting.
          type: str
        base_dn:
          description: DN below which groups are searched. An empty string stands for the base DN.
          type: str
        name_attribute:
          description: LDAP attribute with the name of a group.
          type: str
        member_attribute:
          description: LDAP attribute of a group that lists its members or, with the strategy V(dynamic), of a user that
            lists the groups of the user.
          type: str
        sub_tree:
          description: Whether groups are searched at all levels below the base DN instead of only at the first level.
          type: bool
        force_attribute_search:
          description: Whether Artifactory always searches the attributes of groups.
          type: bool
        filter:
          description: LDAP filter that finds groups.
          type: str
        description_attribute:
          description: LDAP attribute with the description of a group.
          type: str
        strategy:
          description: How the LDAP server assigns users to groups. One of V(static), V(dynamic) and V(hierarchical).
          type: str
  sample:
    key: corporate-ldap
    ldap_url: ldaps://ldap.example.com:636/dc=example,dc=com
    enabled: true
    user_dn_pattern: ""
    search_filter: (uid={0})
    search_base: ou=people
    search_sub_tree: true
    manager_dn: cn=artifactory,ou=services,dc=example,dc=com
    auto_create_user: true
    email_attribute: mail
    ldap_poisoning_protection: true
    allow_user_to_access_profile: false
    paging_support_enabled: true
    groups:
      - name: corporate-groups
        base_dn: ou=groups
        name_attribute: cn
        member_attribute: uniqueMember
        sub_tree: true
        force_attribute_search: false
        filter: (objectClass=groupOfUniqueNames)
        description_attribute: description
        strategy: static
undeclared:
  description: Sorted keys of the existing LDAP settings that are not in O(items).
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [old-directory]
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
    setting:
      description: Value of RV(setting) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.ldap import form, managed, settings
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import Item, process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME, SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PURGE,
    STATE,
    UNDECLARED,
    UPDATE_SECRET,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Option
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import append_undeclared

_URL = ("(?i:ldaps?)://[^/@\\s]+(/[^@]*)?", "a URL such as ldap://host:389/dc=example,dc=com, without a user name")
_USER_TEMPLATE = dict(one_line=True, matches=(r"(.*\{0\}.*)?", "empty or contain {0}, which stands for the user name"))
_GROUP: dict[str, Option] = dict(
    name=dict(type="str", **SEGMENT),
    base_dn=dict(type="str", one_line=True, narrows_scope=True),
    name_attribute=dict(type="str", **NAME),
    member_attribute=dict(type="str", **NAME),
    sub_tree=dict(type="bool"),
    force_attribute_search=dict(type="bool"),
    filter=dict(type="str", narrows_scope=True, **NAME),
    description_attribute=dict(type="str", **NAME),
    strategy=dict(type="str", choices=list(form.STRATEGIES)),
)


def declared_fields(params: Fields) -> Fields:
    return {} if params["state"] == "absent" else form.parse_options(params)


ITEM = (PURGE + STATE + UPDATE_SECRET) + ArgumentSpec(
    dict(
        key=dict(type="str", required=True, no_log=False, **SEGMENT),
        ldap_url=dict(type="str", address=True, **NAME, matches=_URL),
        enabled=dict(type="bool"),
        user_dn_pattern=dict(type="str", **_USER_TEMPLATE),
        search_filter=dict(type="str", narrows_scope=True, **_USER_TEMPLATE),
        search_base=dict(type="str", one_line=True, narrows_scope=True),
        search_sub_tree=dict(type="bool"),
        manager_dn=dict(type="str", one_line=True),
        manager_password=dict(type="str", no_log=True, unchecked="a password may be any text"),
        auto_create_user=dict(type="bool"),
        email_attribute=dict(type="str", one_line=True),
        ldap_poisoning_protection=dict(type="bool"),
        allow_user_to_access_profile=dict(type="bool"),
        paging_support_enabled=dict(type="bool"),
        groups=dict(type="list", elements="dict", options=_GROUP),
        allow_lockout=dict(type="bool", default=False),
    ),
    checks=[declared_fields],
)
SPEC = (ARTIFACT + UNDECLARED + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    shared = managed.SharedLists()

    def append_others(items: list[Item]) -> list[Item]:
        managed.check_unique_groups(task, items)
        return append_undeclared(
            task, "LDAP settings", items, "key", lambda: shared.get(ArtifactService(task), settings.SETTING)
        )

    process_one_or_items(
        task,
        lambda item_task: reconcile_setting(item_task, shared),
        identity=lambda params: params["key"],
        name_option="key",
        expand_all=append_others,
    )


def reconcile_setting(task: Task, shared: managed.SharedLists) -> None:
    setting = managed.ManagedSetting(task, ArtifactService(task), shared, declared_fields(task.params))
    reconcile(
        task,
        "setting",
        read=setting.find,
        desired=setting.desired,
        create=setting.create,
        update=setting.update,
        delete=setting.delete,
        check=setting.check,
        to_result=setting.to_result,
        replaces=True,
        enable_last="enabled",
        may_disable=setting.may_disable,
        cumulative=task.params["purge"],
        secrets=setting.secrets,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
