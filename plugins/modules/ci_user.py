#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_user
short_description: Manage Jenkins users
description:
  - Create, update or delete accounts in the user database of Jenkins. With O(items), the module manages several
    accounts concurrently.
  - The module compares and changes only the options that are set.
  - Jenkins ignores the case of user names. For example, V(Carol) and V(carol) are the same user.
  - Jenkins also has users without an account, such as the authors of commits. The module does not manage these users.
    If an account is created for such a user, the user keeps its builds and settings.
  - If a password is changed, the sessions of the user end. API tokens remain valid.
  - To set the password of a user, use O(user_password) or, in O(items), O(items[].password). O(password) is the
    password with which the task logs in.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_user
  - buildworks.toolchain.ci
  - buildworks.toolchain.ci_sources
  - buildworks.toolchain.connection
  - buildworks.toolchain.ci_predicted_plugins
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires the Overall/Administer permission. Jenkins does not list accounts in its REST API. The module therefore
    reads and changes them with scripts.
  - Requires that Jenkins uses its own user database. The task fails if the users come from another security realm, such
    as LDAP.
  - If nothing changes, the module sends one request, regardless of the number of O(items). With
    O(update_secret=verify), it sends one more request for each user. With O(undeclared=report) or
    O(undeclared=remove), one more request reads the configuration sources.
  - Tested against the simulated server (sandbox) that comes with this collection. The sandbox is itself tested with
    recorded responses of Jenkins 2.579. The module has not been tested against a real Jenkins server.
options:
  name:
    description:
      - Name of the user (user ID). The name of a new user can contain ASCII letters, digits, underscores and hyphens,
        unless Jenkins is configured to allow other names. V(anonymous), V(system) and V(unknown) are reserved.
      - Required if O(items) is not set.
    type: str
  full_name:
    description: Full name of the user. If not set, the full name of a new user is O(name).
    type: str
  description:
    description: Description of the user. An empty string removes it.
    type: str
  email:
    description:
      - Email address of the user. An empty string removes it. Requires the Jenkins plugin C(mailer).
      - Required for a new user if the plugin C(mailer) is active.
    type: str
  user_password:
    description: Password of the user. Required for a new user. For an existing user, O(update_secret) determines when
      the password is sent to Jenkins.
    type: str
  update_secret:
    description:
      - When to send the password of the user to Jenkins. Jenkins does not return passwords, so the module cannot
        compare them.
      - After the module has sent a password, it logs in once with this password. If the login fails, the task fails.
    type: str
    choices:
      on_create: Send the password only when the user is created.
      always: Send the password in each run. The task then always reports a change.
      verify: Log in as the user with the password. Send the password only if the login fails. Check mode also logs in.
    default: on_create
  allow_lockout:
    description:
      - Whether to change the password with which this task logs in. If V(false), the task fails and does not change it.
      - If V(true), the module logs in with the new password from then on. With O(items), this item is processed last.
        Set O(password) of later tasks to the new password.
      - The account of the task cannot be deleted, even if V(true).
    type: bool
    default: false
  predict_missing:
    description:
      - Whether check mode assumes that an earlier task makes Jenkins use its own user database. Jenkins then has no
        users yet.
      - If V(false), check mode fails if the users come from another security realm.
      - Ignored outside of check mode.
  undeclared:
    description:
      - Whether to keep, report or delete existing accounts that are not in O(items).
      - The module never reports or deletes the account of the task, users without an account, and users that a
        configuration source of Jenkins sets.
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Create the user, or change the user as specified.
      absent: Delete the user and its API tokens. The account of the task cannot be deleted.
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
      full_name:
        description: Value of O(full_name) for this item.
        type: str
      description:
        description: Value of O(description) for this item.
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
  - module: buildworks.toolchain.ci_user_info
  - module: buildworks.toolchain.ci_api_token
"""

EXAMPLES = r"""
- name: Create a user, or update its full name
  buildworks.toolchain.ci_user:
    name: carol
    full_name: Carol Jones
    user_password: "{{ lookup('ansible.builtin.password', ansible_facts.env.HOME ~ '/carol.password') }}"

- name: Manage several users, and change passwords that do not work
  buildworks.toolchain.ci_user:
    update_secret: verify
    items:
      - name: dave
        full_name: Dave Miller
        password: "{{ lookup('ansible.builtin.password', ansible_facts.env.HOME ~ '/dave.password') }}"
      - name: deployer
        description: Service account of the deployment
        password: "{{ lookup('ansible.builtin.password', ansible_facts.env.HOME ~ '/deployer.password') }}"

- name: Report users that are not declared
  buildworks.toolchain.ci_user:
    items:
      - name: admin
      - name: reader
    undeclared: report

- name: Delete a user
  buildworks.toolchain.ci_user:
    name: carol
    state: absent
"""

RETURN = r"""
user:
  description: State of the user after the task or, in check mode, the predicted state. V(null) if the user has no
    account. The password is never returned.
  returned: success, when O(items) is not set
  type: dict
  contains:
    name:
      description: Name of the user (user ID).
      type: str
    full_name:
      description: Full name of the user.
      type: str
    description:
      description: Description of the user. V(null) if it is not set.
      type: str
    email:
      description: Email address of the user. V(null) if it is not set, or if the Jenkins plugin C(mailer) is not
        active.
      type: str
  sample:
    name: carol
    full_name: Carol Jones
    description: null
    email: null
undeclared:
  description:
    - Names of the existing accounts that are not in O(items), in lower case and sorted. The account of the task and the
      users that a configuration source of Jenkins sets are not included.
    - With O(undeclared=remove), the module deletes these accounts like items with O(state=absent). RV(counts) and
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
      description: Item as specified in O(items), without options that are not set. The password is masked. Its key is
        C(user_password).
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

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import PREDICTED_PLUGINS
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.users import accounts, managed_user
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME, SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
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
from ansible_collections.buildworks.toolchain.plugins.module_utils._write_only_secrets import WriteOnlySecrets

ITEM = STATE + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **SEGMENT),
        full_name=dict(type="str", **NAME),
        description=dict(type="str", unchecked="a description may be any text"),
        email=dict(type="str", one_line=True),
        user_password=dict(type="str", no_log=True, not_empty=True),
        allow_lockout=dict(type="bool", default=False, narrows_scope=True),
        update_secret=dict(type="str", choices=["on_create", "always", "verify"], default="on_create", no_log=False),
    )
)
SPEC = (CI + PREDICT_MISSING + PREDICTED_PLUGINS + UNDECLARED + VISIBILITY) + with_items(ITEM, user_password="password")


def run(task: Task) -> None:
    ci, shared = CiService(task), accounts.SharedAccounts(predicts_database=task.predicts_missing)
    for item in task.params["items"] or ():  # `password` is the option of the connection
        item["user_password"] = item.pop("password", None)
    process_one_or_items(
        task,
        lambda item_task: reconcile_user(item_task, shared),
        check=lambda params: desired_user(params, accounts.own_name(ci)),
        identity=lambda params: params["name"].lower(),
        name_option="name",
        # last, because the other items log in with the current password
        level_of=lambda item: inherit_options(task.params, item)["name"].lower() == accounts.own_name(ci),
        expand_all=lambda items: append_undeclared(
            task, "users", items, "name", lambda: shared.list_deletable(ci), str.lower
        ),
    )


def reconcile_user(task: Task, shared: accounts.SharedAccounts) -> None:
    ci = CiService(task)
    user = managed_user.ManagedUser(task, ci, shared, desired_user(task.params, accounts.own_name(ci)))
    reconcile(
        task,
        "user",
        read=user.find,
        desired=user.desired,
        create=user.create,
        update=user.update,
        delete=user.delete,
        check=user.check,
        to_result=user.to_result,
        secrets=WriteOnlySecrets([managed_user.PASSWORD], task.params["update_secret"], user.has_password),
        grants_access=True,
    )


def desired_user(params: Fields, own: str | None) -> Fields:
    name = params["name"].lower()
    for option in ("name", "full_name"):
        if (params[option] or "").lower() in accounts.RESERVED:
            raise BadOption(
                option,
                f"'{params[option]}' is reserved by Jenkins for requests without an account",
            )
    if params["state"] == "absent":
        if name == own:
            raise BadOption("name", f"'{params['name']}' is the account of this task, which Jenkins does not delete")
        return {}
    desired = {field: params[field] or None for field in managed_user.FIELDS if params[field] is not None}
    if params["user_password"] is not None:
        desired[managed_user.PASSWORD] = params["user_password"]
    return desired


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
