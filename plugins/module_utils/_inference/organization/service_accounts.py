# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Service accounts of a project: known by their names, each with a key whose value is told only once."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization import (
    listings,
    projects,
    redacted_keys,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_client import (
    AdminClient,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import API_KEY
from ansible_collections.buildworks.toolchain.plugins.module_utils._issued import Issued
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

ROLES = ("owner", "member")

_MEMBERS = ("id", "name", "role", "created", "created_at")
_ALL = "/organization/projects/{}/service_accounts"
_ONE = f"{_ALL}/{{}}"


class ServiceAccount(Issued):
    """The service account of a name in a project, `{id, name, role, created, created_at, surplus}`."""

    noun = "service account"

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self._admin = AdminClient(task)
        self._project = projects.resolve_project_id(self._admin, task.params)

    def wanted(self, before: Fields | None) -> Fields:
        """The managed fields; one that replaces another gets its role."""
        given = self._task.select_provided("name", "role")
        if before and before["role"] in ROLES and self.stale(before):
            given = {"role": before["role"], **given}
        return self.desired(**given)

    def listed(self) -> list[Fields]:
        """Those of the name, newest first."""
        return listings.filter_by_name(
            listings.list_service_accounts(self._admin, self._project), self._task.params["name"]
        )

    def make(self) -> tuple[Fields, Fields]:
        """Make one with a key."""
        reply = self._admin.post(_ALL, self._project, json={"name": self._task.params["name"]})
        return listings.parse_service_account(reply), {"secret": reply.record("api_key").text("value")}

    def create(self, fields: Fields) -> None:
        """Make it, store its key, and give it its role."""
        super().create(fields)
        if self._made and fields.get("role") not in (None, self._made["role"]):
            self._set_role(self._made["id"], fields["role"])

    def update(self, changes: Fields) -> None:
        """Give it its role, and remove others of the name."""
        one = self._the_one()
        if one and "role" in changes:
            self._set_role(one["id"], changes["role"])
        if "surplus" in changes:
            self.remove_surplus(changes)

    def delete(self, id_: str) -> None:
        """Delete one; its keys go with it."""
        self._admin.delete(_ONE, self._project, id_)

    def worn(self, one: Fields) -> str | None:
        """Whether it is older than `rotate_after` says."""
        limit = self._task.params["rotate_after"]
        if limit is None or one["created"] is None or self._admin.now() - one["created"] < limit:
            return None
        return f"it is older than {limit} s"

    def whose(self, secret: str) -> str | None:
        """The id of the account of this name that the key in the file belongs to."""
        key = redacted_keys.find_key(secret, listings.list_project_keys(self._admin, self._project))
        path = self._task.params["key_file"]
        if key is None:
            redacted_keys.check_replaceable(self._task, API_KEY, secret, "/models")
            return None
        if key["owner"]["id"] not in [account["id"] for account in self._live]:
            owner = key["owner"]["name"] or key["owner"]["id"]
            raise BadOption("key_file", f"'{path}' holds a key of '{owner}', and is left as it is")
        return key["owner"]["id"]

    def shown(self, account: Fields) -> Fields:
        """The account with all its members, also when it is to be made yet."""
        return {**dict.fromkeys(_MEMBERS), "role": "member", "surplus": [], **account}

    def _set_role(self, id_: str, role: str) -> None:
        self._just_listed = None
        self._admin.post(_ONE, self._project, id_, json={"role": role}, repeatable=True)
