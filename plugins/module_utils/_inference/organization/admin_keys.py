# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Admin API keys of an OpenAI organization, identified by their names."""

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
from ansible_collections.buildworks.toolchain.plugins.module_utils._issued_secret import SecretKind, SecretService
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

LONGEST_LIFE = 365 * 86400

_FIELDS = (
    *("id", "name", "redacted_value", "created", "created_at", "last_used", "last_used_at"),
    *("expires", "expires_at", "age_days", "owner"),
)
_PATH = "/organization/admin_api_keys"


class AdminKeyService(SecretService):
    """The requests for the admin key that a task manages. Keys are as `listings.list_admin_keys` returns them."""

    kind = SecretKind("admin key")

    def __init__(self, task: Task) -> None:
        lifetime, early = task.params["expires_in"], task.params["rotate_before"]
        if lifetime and early and early >= lifetime:
            raise BadOption(
                "rotate_before", f"must be less than 'expires_in' ({lifetime} s), or each run creates a new key"
            )
        self._task = task
        self._admin = AdminClient(task)
        self._keys: list[Fields] = []

    def list_matching(self) -> list[Fields]:
        """Return the keys with the name, newest first, including expired ones."""
        self._keys = listings.list_admin_keys(self._admin)
        return listings.filter_by_name(self._keys, self._task.params["name"])

    def create(self) -> tuple[Fields, Fields]:
        """Create a key."""
        lifetime = self._task.params["expires_in"]
        body = {"name": self._task.params["name"], **({"expires_in_seconds": lifetime} if lifetime else {})}
        reply = self._admin.post(_PATH, json=body)
        return listings.parse_admin_key(reply, self._admin.now()), {"secret": reply.text("value")}

    def delete(self, item_id: str) -> None:
        """Revoke a key."""
        self._admin.delete(f"{_PATH}/{{}}", item_id)

    def expiry_reason(self, item: Fields) -> str | None:
        """Return a reason if the key has expired, or expires within `rotate_before` seconds."""
        remaining = float("inf") if item["expires"] is None else item["expires"] - self._admin.now()
        if remaining <= 0:
            return "it has expired"
        return "it expires soon" if remaining < (self._task.params["rotate_before"] or 0) else None

    def find_owner(self, secret: str, _items: list[Fields]) -> str | None:
        """Return the ID of the key with this name that is in the file."""
        key = redacted_keys.find_key(secret, self._keys)
        path = self._task.params["key_file"]
        if key is None:
            redacted_keys.check_replaceable(self._task, ADMIN_KEY, secret, _PATH)
            return None
        if key["name"] != self._task.params["name"]:
            raise BadOption("key_file", f"'{path}' contains the admin key '{key['name']}', and is left unchanged")
        return key["id"]

    def check_removal(self, item_ids: list[str]) -> None:
        """Check that the task does not revoke its own admin key.

        :raises ToolchainError: if it would, or if this is unknown
        """
        if self._task.params["allow_lockout"]:
            return
        own = self._task.params["admin_key"]
        for key in (key for key in self._keys if key["id"] in item_ids):
            if redacted_keys.matches_redacted(own, key["redacted_value"]):
                raise ToolchainError(
                    f"Cannot revoke the admin key '{key['name']}' ({key['id']}), because this task uses it. Set "
                    "'admin_key' to another key, or set 'allow_lockout: true'."
                )
            if redacted_keys.may_match(own, key["redacted_value"]):
                raise ToolchainError(
                    "Cannot verify that the task does not revoke its own admin key: the API does not return a part of "
                    f"the key '{key['name']}' ({key['id']}). Set 'allow_lockout: true' to revoke it."
                )


def to_result(key: Fields) -> Fields:
    """Return the fields of the result, also for a predicted key."""
    return {**dict.fromkeys(_FIELDS), "surplus": [], **key}
