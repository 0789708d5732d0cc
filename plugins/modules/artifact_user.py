#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_user
short_description: Manage Artifactory users
description:
  - Create, update or delete users of Artifactory and their group memberships. With O(items), manage several users
    concurrently.
  - The module compares and changes only the options that are set.
  - Artifactory stores user names in lower case. The module converts O(name) to lower case, so that V(Carol) and
    V(carol) are the same user. Since Artifactory 7.49.3, group names are also compared without regard to case.
  - Uses the Access API of Artifactory 7.49.3 and later, and the API of Artifactory itself for older versions.
  - The password of a user is O(items[].password) or, without O(items), O(user_password), because O(password) is the
    password of the connection.
  - The user V(anonymous) cannot be deleted. The account of the task cannot be deleted and cannot lose its
    administration, unless O(allow_lockout=true).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.purge
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires an administrator. Since Artifactory 7.49.3, servers may accept only an access token, so set O(token).
  - Requires Artifactory Pro.
  - An unchanged user costs one request, with O(update_secret=verify) two. Before Artifactory 7.49.3, O(locked) and
    O(update_secret=verify) cost one more request.
  - Verified on the sandbox, which is itself verified with jfrog-client-go and pyartifactory. Not verified on a real
    Artifactory.
options:
  name:
    description: Name of the user. Required without O(items).
    type: str
  email:
    description: Email address. Required for a new user.
    type: str
  user_password:
    description:
      - Password of the user.
      - Required for a new user, unless O(internal_password_disabled=true), and when
        O(internal_password_disabled) changes to V(false).
      - Artifactory refuses passwords that violate its rules, by default 8 characters with uppercase and lowercase
        letters, digits and special characters.
    type: str
  update_secret:
    description: When to send the password of an existing user. The server does not return it.
    type: str
    choices:
      on_create: Send the password only when the user is created.
      always: Send the password on each run. The task always reports a change.
      verify: Log in as the user with the password, and send the password only if the login fails. There is one login
        for each user and run, also in check mode. The failed login counts for the lock policy of the server, so do not
        use this value if one failure locks an account. The task fails without a login if the user is disabled, has no
        password, or is locked and not unlocked with O(locked=false). It also fails if the server blocks the login.
    default: on_create
  groups:
    description:
      - Groups that the user should be a member of. The groups must exist. Other memberships are kept unless
        O(purge=true).
      - A new user also joins all groups with C(auto_join), usually V(readers). With O(purge=true), the module removes
        the user from those that are not listed. Check mode does not predict these groups.
    type: list
    elements: str
  purge:
    description: Whether to remove the user from groups that are not in O(groups). Ignored if O(groups) is not set.
  admin:
    description: Whether the user is an administrator. Members of a group with C(admin_privileges) are administrators as
      well.
    type: bool
  profile_updatable:
    description: Whether the user can change their profile.
    type: bool
  disable_ui_access:
    description: Whether the user can use only the REST API. Artifactory refuses this for administrators.
    type: bool
  internal_password_disabled:
    description: Whether the user cannot log in with a password that is stored in Artifactory, but only through an
      external directory, single sign-on or access tokens.
    type: bool
  watch_manager:
    description: Whether the user may manage Xray watches. Requires Artifactory 7.128 or later.
    type: bool
  policy_viewer:
    description: Whether the user may view Xray policies. Requires Artifactory 7.128 or later.
    type: bool
  policy_manager:
    description: Whether the user may manage Xray policies. Artifactory then also sets O(policy_viewer). Requires
      Artifactory 7.128 or later.
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
    description: Whether the user may view everything, but change nothing. Requires Artifactory 7.141 or later.
    type: bool
  locked:
    description: Set V(false) to unlock a user that is locked after failed logins. V(true) is refused, because
      Artifactory has no request to lock a user.
    type: bool
  allow_lockout:
    description:
      - Whether to allow a change that deletes the account of this task, disables the password that it uses, or removes
        its administrator rights, directly or through its groups.
      - If V(false), the task fails before such a change. It also fails if the user may be the account of the task,
        because its name is unknown. This is the case with O(api_key) and, before Artifactory 7.53, with a reference
        token.
      - If V(true) and the account loses its administrator rights, the module cannot read the result back. The task then
        fails with the error of the server, although the change took effect.
    type: bool
    default: false
  undeclared:
    description:
      - How to treat existing users that are not in O(items). V(admin), V(anonymous), the account of the task and users
        of external directories are never deleted.
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: The user exists.
      absent: The user does not exist.
  items:
    description:
      - List of users, each with the options below. Options set outside O(items) are the defaults for all items.
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
      description: Email address. V(null) if the user has none.
      type: str
    admin:
      description: Whether the user is an administrator themselves, not only through a group.
      type: bool
    profile_updatable:
      description: Whether the user can change their profile.
      type: bool
    disable_ui_access:
      description: Whether the user can use only the REST API.
      type: bool
    internal_password_disabled:
      description: Whether the user cannot log in with a password that is stored in Artifactory, but only through an
        external directory, single sign-on or access tokens.
      type: bool
    watch_manager:
      description: Whether the user may manage Xray watches. V(null) before Artifactory 7.128.
      type: bool
    policy_viewer:
      description: Whether the user may view Xray policies. V(null) before Artifactory 7.128.
      type: bool
    policy_manager:
      description: Whether the user may manage Xray policies. V(null) before Artifactory 7.128.
      type: bool
    reports_manager:
      description: Whether the user may manage Xray reports. V(null) before Artifactory 7.128.
      type: bool
    resources_manager:
      description: Whether the user may manage resources and their permissions in the default project. V(null) before
        Artifactory 7.128.
      type: bool
    manage_webhook:
      description: Whether the user may manage webhooks. V(null) before Artifactory 7.128.
      type: bool
    platform_auditor:
      description: Whether the user may view everything, but change nothing. V(null) before Artifactory 7.141.
      type: bool
    groups:
      description: Groups of the user, sorted.
      type: list
      elements: str
    status:
      description: V(enabled), V(disabled), V(invited) or V(locked). V(null) before Artifactory 7.49.3, unless the user
        is locked and O(locked) is set.
      type: str
    realm:
      description: Where the user comes from, such as V(internal), V(ldap) or V(saml).
      type: str
    effective_admin:
      description: Whether the user is an administrator, directly or through a group. V(null) before Artifactory 7.66.
      type: bool
    last_logged_in:
      description: Time of the last login in ISO 8601 format. V(null) if the user has not logged in.
      type: str
    locked:
      description: Whether the user is locked after failed logins. V(null) before Artifactory 7.49.3, unless O(locked)
        is set.
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
  description: Names of existing users that are not in O(items), sorted.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [mallory]
counts:
  description: Number of O(items) by outcome. Each item is counted once.
  returned: when O(items) is set
  type: dict
  contains:
    changed:
      description: Items that were changed or, in check mode, would be changed.
      type: int
    ok:
      description: Items that were already in the desired state.
      type: int
    failed:
      description: Items that failed. RV(failures) has the reasons.
      type: int
    unknown:
      description: Items whose outcome is unknown because the response was lost. RV(failures) lists these items.
      type: int
    skipped:
      description: Items that were skipped because of O(max_failures).
      type: int
  sample: {changed: 120, ok: 4879, failed: 1, unknown: 0, skipped: 0}
failures:
  description: Entries for all items with the status V(failed) or V(unknown), with the same keys as RV(outcomes).
  returned: when O(items) is set
  type: list
  elements: dict
  sample: []
outcomes:
  description: Outcomes of the first O(result_limit) items, in the order of O(items).
  returned: when O(items) is set
  type: list
  elements: dict
  contains:
    index:
      description: Index of the item in O(items), starting at 0.
      type: int
    item:
      description: Item as specified in O(items). The masked password has the key C(user_password).
      type: dict
    status:
      description: Outcome of the item, which is V(changed), V(ok), V(failed), V(unknown) or V(skipped). RV(counts)
        explains these values.
      type: str
    changed:
      description: Whether the item changed anything on the server. Can be V(true) even if the item failed.
      type: bool
    reason:
      description: Reason why the item failed or was skipped.
      type: str
    user:
      description: Value of RV(user) for this item.
      type: dict
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import (
    identity_fields,
    managed_user,
    memberships,
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
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import (
    append_undeclared,
    check_undeclared,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path
from ansible_collections.buildworks.toolchain.plugins.module_utils._write_only_secrets import WriteOnlySecrets

_FLAGS = tuple(name for name in users.FIELDS.names if name != "email")
ITEM = (PURGE + STATE) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **SEGMENT),
        email=dict(type="str", **NAME),
        user_password=dict(type="str", no_log=True, not_empty=True),
        update_secret=dict(type="str", choices=["on_create", "always", "verify"], default="on_create", no_log=False),
        groups=dict(type="list", elements="str", each_element=SEGMENT),
        **{name: dict(type="bool", no_log=False) for name in _FLAGS},
        locked=dict(type="bool"),
        allow_lockout=dict(type="bool", default=False),
    )
)
SPEC = (ARTIFACT + PREDICT_MISSING + UNDECLARED) + with_items(ITEM, user_password="password")


def run(task: Task) -> None:
    check_undeclared(task)
    artifact = ArtifactService(task)
    for item in task.params["items"] or ():  # `password` is the option of the connection
        item["user_password"] = item.pop("password", None)
    process_one_or_items(
        task,
        ITEM,
        reconcile_user,
        check=desired_user,
        identity=lambda params: params["name"].lower(),
        name_option="name",
        expand_all=lambda items: append_undeclared(
            task, "users", items, "name", lambda: users.list_deletable(task, artifact), str.lower
        ),
    )


def reconcile_user(task: Task) -> None:
    params = task.params
    artifact = ArtifactService(task)
    user = managed_user.ManagedUser(task, artifact, desired_user(params))

    def predict_refusal() -> None:
        if params["state"] == "present" and not task.predicts_missing:
            user.check_groups()

    reconcile(
        task,
        "user",
        read=user.find,
        desired=user.desired,
        create=user.create,
        update=user.update,
        delete=user.delete,
        check=lambda before, fields: user.check(before, fields, params["allow_lockout"]),
        predict_refusal=predict_refusal,
        to_result=user.to_result,
        secrets=WriteOnlySecrets(
            ["password"],
            params["update_secret"],
            lambda: password_check.is_current(task, artifact, user.current, user.desired),
        ),
    )


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


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
