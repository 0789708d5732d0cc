#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_user
short_description: Manage Artifactory users
description:
  - Create, update or delete users of Artifactory and their group memberships. With O(items), the module manages several
    users concurrently.
  - The module compares and changes only the options that are set.
  - Artifactory stores user names in lower case. The module therefore converts O(name) to lower case, so that V(Carol)
    and V(carol) are the same user. On Artifactory 7.49.3 and later, the case of group names is also ignored.
  - The module uses the Access API on Artifactory 7.49.3 and later, and the Security API (C(/artifactory/api/security))
    on older versions.
  - To set the password of a user, use O(user_password) or, in O(items), O(items[].password). O(password) is the
    password with which the task logs in.
  - The user V(anonymous) cannot be deleted. Unless O(allow_lockout=true), the module refuses to delete the account of
    the task, or to remove its administrator permissions.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_user
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.purge
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires administrator permissions. On Artifactory 7.49.3 and later, set O(token), because the server may accept
    only access tokens for this API.
  - Requires Artifactory Pro.
  - If nothing changes, the module sends one request for each user, or two with O(update_secret=verify). On Artifactory
    before 7.49.3, O(locked) and O(update_secret=verify) each require one more request.
  - Tested against the sandbox of this collection, which is itself tested with jfrog-client-go and pyartifactory. Not
    tested against a real Artifactory server.
options:
  name:
    description: Name of the user. The module converts it to lower case. Required if O(items) is not set.
    type: str
  email:
    description: Email address of the user. Required for a new user.
    type: str
  user_password:
    description:
      - Password of the user. O(update_secret) determines when it is sent.
      - Required for a new user unless O(internal_password_disabled=true). Also required if
        O(internal_password_disabled) changes to V(false).
      - If the task logs in with the password that it changes, it verifies the new password with a login and uses it
        from then on. With O(items), this item is processed last. Set O(password) of later tasks to the new password.
      - Artifactory refuses passwords that violate its password policy. By default, a password must have at least 8
        characters, including uppercase and lowercase letters, digits and special characters.
    type: str
  update_secret:
    description:
      - When to send the password of the user. The server does not return passwords, so the module cannot compare them.
      - With V(verify), the task fails if a login cannot show whether the password is correct. This is the case if the
        user is disabled, has no password, or is locked and O(locked=false) is not set. It is also the case if the
        server blocks the login.
    type: str
    choices:
      on_create: Send the password only when the user is created.
      always: Send the password in each run. The task then always reports a change.
      verify: Log in as the user with the password, and send the password only if the login fails. The module attempts
        at most one login for each user in each run, also in check mode. A failed login counts toward the lock policy of
        the server, so do not use this value if one failed login locks a user.
    default: on_create
  groups:
    description:
      - Names of the groups that the user should be a member of. The groups must exist. Other memberships are kept
        unless O(purge=true).
      - A new user also joins all groups with C(auto_join), usually V(readers). With O(purge=true), the module removes
        the user from those that are not listed. Check mode does not predict these additional groups.
    type: list
    elements: str
  purge:
    description: Whether to remove the user from groups that are not in O(groups). Ignored if O(groups) is not set.
  admin:
    description: Whether the user is an administrator. Even if this is V(false), members of a group with
      C(admin_privileges) are administrators.
    type: bool
  profile_updatable:
    description: Whether the user may change their own profile.
    type: bool
  disable_ui_access:
    description: Whether to deny the user access to the web interface, so that they can use only the REST API.
      Artifactory 7.49.3 and later refuses V(true) for administrators.
    type: bool
  internal_password_disabled:
    description: Whether to disable the login with a password that is stored in Artifactory. If V(true), the user can
      log in only through an external directory, single sign-on or access tokens.
    type: bool
  watch_manager:
    description: Whether the user may manage Xray watches. Requires Artifactory 7.128 or later.
    type: bool
  policy_viewer:
    description: Whether the user may view Xray policies. Requires Artifactory 7.128 or later.
    type: bool
  policy_manager:
    description: Whether the user may manage Xray policies. If V(true), Artifactory also sets O(policy_viewer=true).
      Requires Artifactory 7.128 or later.
    type: bool
  reports_manager:
    description: Whether the user may manage Xray reports. Requires Artifactory 7.128 or later.
    type: bool
  resources_manager:
    description: Whether the user may manage resources and their permissions in the default project. Requires
      Artifactory 7.128 or later.
    type: bool
  manage_webhook:
    description: Whether the user may manage webhooks. Requires Artifactory 7.128 or later.
    type: bool
  platform_auditor:
    description: Whether the user has read-only access to the whole JFrog Platform. Requires Artifactory 7.141 or later.
    type: bool
  locked:
    description: Set this to V(false) to unlock a user that is locked after failed logins. V(true) is refused, because
      the API of Artifactory cannot lock users.
    type: bool
  allow_lockout:
    description:
      - Whether to allow a change that locks out the account of this task. Such a change deletes the account, disables
        the password with which the task logs in, or removes administrator permissions, directly or through groups.
        A change of this password is not a lock-out.
      - If V(false), the task fails before such a change. It also fails if the name of its account is unknown and the
        user may be this account. The name is unknown with O(api_key) and, on Artifactory before 7.53, with a reference
        token.
      - If V(true) and the account loses its administrator permissions, the module cannot read the changed user. The
        task then fails with the error of the server, although the change took effect.
    type: bool
    default: false
  withhold_grants:
    description:
      - Whether to leave out what gives access, namely new groups, V(true) in O(admin), O(watch_manager) and similar
        options, and V(false) in O(disable_ui_access) and O(locked). New users are created without it. Everything else
        is changed.
      - Plays use it to remove users from groups before they change permissions. A later task without this option then
        adds the new groups.
    type: bool
    default: false
  predict_missing:
    description:
      - Whether check mode assumes that earlier tasks create missing groups. If V(false), check mode fails if a group to
        add does not exist.
      - If the task sets only O(groups) and options that give access, check mode also assumes that an earlier task
        creates a missing user.
      - Ignored outside of check mode.
  undeclared:
    description:
      - How to treat existing users that are not in O(items).
      - The module never reports or deletes V(admin), V(anonymous), the account of the task and users of external
        directories. If the name of the account is unknown, for example with O(api_key), V(report) may include it and
        V(remove) fails.
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Create the user or change it as specified.
      absent: Delete the user.
  items:
    description:
      - List of users, each with the options below. Options that are set outside O(items) are the defaults for all
        items.
      - All items are validated before the first request. Two items must not have the same name.
    type: list
    elements: dict
    suboptions:
      name:
        description: Value of O(name) for this item.
        type: str
      email:
        description: Value of O(email) for this item.
        type: str
      password:
        description: Value of O(user_password) for this item.
        type: str
      update_secret:
        description: Value of O(update_secret) for this item.
        type: str
        choices:
          on_create: Same as O(update_secret=on_create).
          always: Same as O(update_secret=always).
          verify: Same as O(update_secret=verify).
      groups:
        description: Value of O(groups) for this item.
        type: list
        elements: str
      purge:
        description: Value of O(purge) for this item.
        type: bool
      admin:
        description: Value of O(admin) for this item.
        type: bool
      profile_updatable:
        description: Value of O(profile_updatable) for this item.
        type: bool
      disable_ui_access:
        description: Value of O(disable_ui_access) for this item.
        type: bool
      internal_password_disabled:
        description: Value of O(internal_password_disabled) for this item.
        type: bool
      watch_manager:
        description: Value of O(watch_manager) for this item.
        type: bool
      policy_viewer:
        description: Value of O(policy_viewer) for this item.
        type: bool
      policy_manager:
        description: Value of O(policy_manager) for this item.
        type: bool
      reports_manager:
        description: Value of O(reports_manager) for this item.
        type: bool
      resources_manager:
        description: Value of O(resources_manager) for this item.
        type: bool
      manage_webhook:
        description: Value of O(manage_webhook) for this item.
        type: bool
      platform_auditor:
        description: Value of O(platform_auditor) for this item.
        type: bool
      locked:
        description: Value of O(locked) for this item.
        type: bool
      allow_lockout:
        description: Value of O(allow_lockout) for this item.
        type: bool
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.artifact_user_info
  - module: buildworks.toolchain.artifact_group
  - module: buildworks.toolchain.access_token
"""

EXAMPLES = r"""
- name: Create a user, or update its email address and groups
  buildworks.toolchain.artifact_user:
    name: carol
    email: carol@example.com
    user_password: "{{ lookup('ansible.builtin.password', ansible_facts.env.HOME ~ '/carol.password') }}-1aA"
    groups: [readers]

- name: Manage several users, eight at a time
  buildworks.toolchain.artifact_user:
    items:
      - name: dave
        email: dave@example.com
        internal_password_disabled: true # logs in with single sign-on
      - name: ci
        email: ci@example.com
        password: "{{ lookup('ansible.builtin.password', ansible_facts.env.HOME ~ '/ci.password') }}-1aA"
        update_secret: verify # change the password if the user cannot log in with it
        disable_ui_access: true
        groups: [readers]
        purge: true # no other groups
    workers: 8

- name: Unlock a user
  buildworks.toolchain.artifact_user:
    name: carol
    locked: false

- name: Report users that are not declared
  buildworks.toolchain.artifact_user:
    items:
      - name: admin
      - name: carol
    undeclared: report

- name: Delete a user
  buildworks.toolchain.artifact_user:
    name: carol
    state: absent
"""

RETURN = r"""
user:
  description: State of the user after the task or, in check mode, the predicted state. V(null) if the user does not
    exist. The password is never returned.
  returned: success, when O(items) is not set
  type: dict
  contains:
    name:
      description: Name of the user in lower case.
      type: str
    email:
      description: Email address of the user. V(null) if it is not set.
      type: str
    admin:
      description: Whether the user is an administrator themselves. Administrator permissions through a group do not
        count.
      type: bool
    profile_updatable:
      description: Whether the user may change their own profile.
      type: bool
    disable_ui_access:
      description: Whether the user is denied access to the web interface and can use only the REST API.
      type: bool
    internal_password_disabled:
      description: Whether the login with a password that is stored in Artifactory is disabled. If V(true), the user can
        log in only through an external directory, single sign-on or access tokens.
      type: bool
    watch_manager:
      description: Whether the user may manage Xray watches. V(null) on Artifactory before 7.128.
      type: bool
    policy_viewer:
      description: Whether the user may view Xray policies. V(null) on Artifactory before 7.128.
      type: bool
    policy_manager:
      description: Whether the user may manage Xray policies. V(null) on Artifactory before 7.128.
      type: bool
    reports_manager:
      description: Whether the user may manage Xray reports. V(null) on Artifactory before 7.128.
      type: bool
    resources_manager:
      description: Whether the user may manage resources and their permissions in the default project. V(null) on
        Artifactory before 7.128.
      type: bool
    manage_webhook:
      description: Whether the user may manage webhooks. V(null) on Artifactory before 7.128.
      type: bool
    platform_auditor:
      description: Whether the user has read-only access to the whole JFrog Platform. V(null) on Artifactory before
        7.141.
      type: bool
    groups:
      description: Names of the groups that the user is a member of, sorted.
      type: list
      elements: str
    status:
      description: Status of the user. V(enabled), V(disabled), V(invited) or V(locked). V(null) on Artifactory before
        7.49.3.
      type: str
    realm:
      description: Realm that the user comes from, such as V(internal), V(ldap) or V(saml).
      type: str
    effective_admin:
      description: Whether the user is an administrator, directly or through a group. V(null) on Artifactory before
        7.66.
      type: bool
    last_logged_in:
      description: Time of the user's last login, in ISO 8601 format. V(null) if the user has never logged in.
      type: str
    locked:
      description: Whether the user is locked after failed logins. On Artifactory before 7.49.3, V(null) unless
        O(locked) is set.
      type: bool
  sample:
    name: carol
    email: carol@example.com
    admin: false
    profile_updatable: true
    disable_ui_access: false
    internal_password_disabled: false
    watch_manager: null
    policy_viewer: null
    policy_manager: null
    reports_manager: null
    resources_manager: null
    manage_webhook: null
    platform_auditor: null
    groups: [readers]
    status: enabled
    realm: internal
    effective_admin: false
    last_logged_in: null
    locked: false
undeclared:
  description:
    - Names of the existing users that are not in O(items), sorted. Protected users are not included.
    - With O(undeclared=remove), the module processes these users like items with O(state=absent). RV(counts) and
      RV(outcomes) include them.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [mallory]
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
      description: Item as specified in O(items), without options that are not set. The password is masked and has the
        key C(user_password).
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
    user:
      description: State of the user after the item was processed or, in check mode, the predicted state. It has the
        same keys as RV(user).
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import (
    identity_fields,
    managed_user,
    memberships,
    own_account,
    password_check,
    users,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME, SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    PURGE,
    STATE,
    UNDECLARED,
    VISIBILITY,
    inherit_options,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import append_undeclared
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path
from ansible_collections.buildworks.toolchain.plugins.module_utils._write_only_secrets import WriteOnlySecrets

_FLAGS = tuple(name for name in users.FIELDS.names if name != "email")


def desired_user(params: Fields) -> Fields:
    encode_path(params["name"], option="name")
    memberships.check_spelling("groups", params["groups"] or ())
    if params["locked"]:
        raise BadOption("locked", "must be false, because Artifactory locks users only after failed logins")
    if params["state"] == "absent":
        return {}
    desired = identity_fields.select_desired(params, (*users.FIELDS.names, "locked"))
    if params["user_password"] is not None:
        desired["password"] = params["user_password"]
    return desired


ITEM = (PURGE + STATE) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **SEGMENT),
        email=dict(type="str", **NAME),
        user_password=dict(type="str", no_log=True, not_empty=True),
        update_secret=dict(type="str", choices=["on_create", "always", "verify"], default="on_create", no_log=False),
        groups=dict(
            type="list", elements="str", narrows_scope=True, each_element=SEGMENT, refused_with_undeclared=True
        ),
        **{name: dict(type="bool", no_log=False) for name in _FLAGS},
        locked=dict(type="bool"),
        allow_lockout=dict(type="bool", default=False),
    ),
    checks=[desired_user],
)
SPEC = (ARTIFACT + PREDICT_MISSING + UNDECLARED + VISIBILITY + memberships.WITHHOLD_GRANTS) + with_items(
    ITEM, user_password="password"
)


def run(task: Task) -> None:
    artifact = ArtifactService(task)
    for item in task.params["items"] or ():  # `password` is the option of the connection
        item["user_password"] = item.pop("password", None)

    def has_own_password(item: Fields) -> bool:
        params = inherit_options(task.params, item)
        return params["user_password"] is not None and own_account.has_password(artifact, params["name"])

    process_one_or_items(
        task,
        reconcile_user,
        identity=lambda params: params["name"].lower(),
        name_option="name",
        expand_all=lambda items: append_undeclared(
            task, "users", items, "name", lambda: users.list_deletable(task, artifact), str.lower
        ),
        level_of=has_own_password,  # last, because the other items log in with the current password
    )


def reconcile_user(task: Task) -> None:
    params = task.params
    artifact = ArtifactService(task)
    user = managed_user.ManagedUser(task, artifact, desired_user(params))
    reconcile(
        task,
        "user",
        read=user.find,
        desired=user.desired_for,
        create=user.create,
        update=user.update,
        delete=user.delete,
        check=lambda before, fields: user.check(before, fields, params["allow_lockout"]),
        to_result=user.to_result,
        secrets=WriteOnlySecrets(
            ["password"],
            params["update_secret"],
            lambda: password_check.is_current(task, artifact, user.current, user.desired),
        ),
        grants_access=True,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
