# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Admin keys of an organization: known by their names; the value of each is told only once."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization import (
    listings,
    redacted_keys,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_client import (
    AdminClient,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import ADMIN_KEY
from ansible_collections.buildworks.toolchain.plugins.module_utils._issued import Issued
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

LONGEST_LIFE = 365 * 86400

_MEMBERS = (
    *("id", "name", "redacted_value", "created", "created_at", "last_used", "last_used_at"),
    *("expires", "expires_at", "age_days", "owner"),
)
_ALL = "/organization/admin_api_keys"


class AdminKey(Issued):
    """The admin key of a name, as `listings.admin_keys` gives it, with `surplus`."""

    noun = "admin key"

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        life, early = task.params["expires_in"], task.params["rotate_before"]
        if life and early and early >= life:
            raise BadOption("rotate_before", f"must be less than 'expires_in' ({life} s), or each run makes a new key")
        self._admin = AdminClient(task)
        self._keys: list[Fields] = []

    def listed(self) -> list[Fields]:
        """Those of the name, newest first, also when they have expired."""
        self._keys = listings.list_admin_keys(self._admin)
        return listings.filter_by_name(self._keys, self._task.params["name"])

    def make(self) -> tuple[Fields, Fields]:
        """Make one."""
        life = self._task.params["expires_in"]
        wishes = {"name": self._task.params["name"], **({"expires_in_seconds": life} if life else {})}
        reply = self._admin.post(_ALL, json=wishes)
        return listings.parse_admin_key(reply, self._admin.now()), {"secret": reply.text("value")}

    def delete(self, id_: str) -> None:
        """Revoke one."""
        self._admin.delete(f"{_ALL}/{{}}", id_)

    def worn(self, one: Fields) -> str | None:
        """Whether it expires too soon, or has."""
        left = float("inf") if one["expires"] is None else one["expires"] - self._admin.now()
        if left <= 0:
            return "it has expired"
        return "it expires soon" if left < (self._task.params["rotate_before"] or 0) else None

    def whose(self, secret: str) -> str | None:
        """The id of the key of this name that is in the file."""
        key = redacted_keys.find_key(secret, self._keys)
        path = self._task.params["key_file"]
        if key is None:
            redacted_keys.check_replaceable(self._task, ADMIN_KEY, secret, _ALL)
            return None
        if key["name"] != self._task.params["name"]:
            raise BadOption("key_file", f"'{path}' holds the admin key '{key['name']}', and is left as it is")
        return key["id"]

    def check(self, before: Fields | None, wanted: Fields | None) -> None:
        """Warn as all that is issued does.

        :raises ToolchainError: when the key that the task uses itself would go
        """
        super().check(before, wanted)
        if before is None:
            return
        left = None if wanted is None or self.stale(before) else before
        own = redacted_keys.find_key(self._task.params["admin_key"], self._keys)
        if own and own["id"] in self.going(left):
            raise ToolchainError(
                f"The admin key '{own['name']}' ({own['id']}) is the one that this task uses, and is not removed: give "
                "another one as 'admin_key'."
            )

    def shown(self, key: Fields) -> Fields:
        """The key with all its members, also when it is to be made yet."""
        return {**dict.fromkeys(_MEMBERS), "surplus": [], **key}
