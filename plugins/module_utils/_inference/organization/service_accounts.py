# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Service accounts of an OpenAI project, identified by their names. Each has a key."""

from __future__ import annotations

import functools

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
from ansible_collections.buildworks.toolchain.plugins.module_utils._issued_secret import SecretKind, SecretService
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

ROLES = ("owner", "member")

_FIELDS = ("id", "name", "role", "created", "created_at")
_LIST_PATH = "/organization/projects/{}/service_accounts"
_PATH = f"{_LIST_PATH}/{{}}"


class ServiceAccountService(SecretService):
    """The requests for the service account that a task manages, `{id, name, role, created, created_at}`."""

    kind = SecretKind("service account")
    updatable = ("role",)

    def __init__(self, task: Task) -> None:
        self._task = task
        self._admin = AdminClient(task)

    @functools.cached_property
    def _found_project(self) -> str | None:
        """The ID of the project, `None` if its creation is predicted. It is requested after the options are checked."""
        return projects.resolve_or_predict(self._task, self._admin)

    @property
    def _project(self) -> str:
        return self._found_project or ""

    def list_matching(self) -> list[Fields]:
        """Return the accounts with the name, newest first."""
        if self._found_project is None:
            return []
        return listings.filter_by_name(
            listings.list_service_accounts(self._admin, self._project), self._task.params["name"]
        )

    def create(self) -> tuple[Fields, Fields]:
        """Create an account with a key."""
        reply = self._admin.post(_LIST_PATH, self._project, json={"name": self._task.params["name"]})
        return listings.parse_service_account(reply), {"secret": reply.record("api_key").text("value")}

    def update(self, item_id: str, changes: Fields) -> None:
        """Set the role of an account."""
        self._admin.post(_PATH, self._project, item_id, json=changes, is_idempotent=True)

    def delete(self, item_id: str) -> None:
        """Delete an account and its keys."""
        self._admin.delete(_PATH, self._project, item_id)

    def expiry_reason(self, item: Fields) -> str | None:
        """Return a reason if the account is older than `rotate_after` seconds."""
        limit = self._task.params["rotate_after"]
        if limit is None or item["created"] is None or self._admin.now() - item["created"] < limit:
            return None
        return f"it is older than {limit} s"

    def find_owner(self, secret: str, items: list[Fields]) -> str | None:
        """Return the ID of the account with this name that the key in the file belongs to."""
        keys = listings.list_project_keys(self._admin, self._project) if self._found_project else []
        key = redacted_keys.find_key(secret, keys)
        path = self._task.params["key_file"]
        if key is None:
            redacted_keys.check_replaceable(self._task, API_KEY, secret, "/models")
            return None
        if key["owner"]["id"] not in [account["id"] for account in items]:
            owner = key["owner"]["name"] or key["owner"]["id"]
            raise BadOption("key_file", f"'{path}' contains a key of '{owner}', and is left unchanged")
        return key["owner"]["id"]


def inherit_role(desired: Fields, replaced: Fields | None) -> Fields:
    """Return the desired fields. A new account gets the role of the account that it replaces."""
    return {"role": replaced["role"], **desired} if replaced and replaced["role"] in ROLES else desired


def to_result(account: Fields) -> Fields:
    """Return the fields of the result, also for a predicted account."""
    return {**dict.fromkeys(_FIELDS), "role": "member", "surplus": [], **account}
