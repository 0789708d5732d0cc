# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The administrative calls: lists in pages, at the pace that the service takes."""

from __future__ import annotations

import dataclasses
import typing as t
from urllib.parse import quote

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_rate_limiter import (
    AdminRateLimiter,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import ADMIN_KEY, InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_PAGE_SIZE = "100"
# The service does not say how long to wait, but a minute is enough
_RATE_LIMIT_DELAY = 10.0
_READ = dataclasses.replace(retry.IDEMPOTENT, rate_limit_delay=_RATE_LIMIT_DELAY)
_WRITE = dataclasses.replace(retry.WRITE, rate_limit_delay=_RATE_LIMIT_DELAY)


class AdminClient:
    """The administration of an organization.

    A path has `{}` in place of each id, so that calls of one kind are known as such.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._http = InferenceService(task).create_client(ADMIN_KEY)
        self._pace = AdminRateLimiter(task, [self._http.base_url, task.params[ADMIN_KEY.option] or ""])

    def now(self) -> float:
        """Return the seconds since 1970 by the service's clock."""
        return self._http.now()

    def iter_entries(self, path: str, *ids: str, query: t.Mapping[str, str] | None = None) -> t.Iterator[Record]:
        """Return all entries of a list, each once, although another client's changes can move them to a later page.

        :raises ToolchainError: when the pages begin anew, so that nobody knows whether they are all
        """
        seen: set[str] = set()
        after: dict[str, str] = {}
        while True:
            page = self._read(path, *ids, query={**(query or {}), "limit": _PAGE_SIZE, **after}).record()
            entries = page.records("data")
            new = {entry.text("id"): entry for entry in entries if entry.text("id") not in seen}
            yield from new.values()
            if not entries or not page.maybe_flag("has_more"):
                return
            cursor = entries[-1].text("id")
            if cursor in seen:
                raise ToolchainError(
                    f"The pages of {self._http.base_url}{_format_path(path, ids)} begin anew after '{cursor}': the "
                    "list is not whole."
                )
            seen.update(new)
            after = {"after": cursor}

    def list_nonempty(self, path: str, query: t.Mapping[str, str] | None = None) -> list[Record]:
        """Return the entries of a list that is never empty in an organization.

        :raises ToolchainError: when it is empty, because then the response says nothing about what exists
        """
        entries = list(self.iter_entries(path, query=query))
        if not entries:
            raise ToolchainError(
                f"GET {self._http.base_url}{path}: the list is empty, but each organization has at least one entry. "
                "Is the address right, and may the key read the list?"
            )
        return entries

    def find(self, path: str, *ids: str) -> Record | None:
        """One object, or `None` when it is not there."""
        try:
            return self._read(path, *ids).record()
        except ServerRefusal as refusal:
            # an address that is wrong says nothing of the object
            if refusal.status == 404 and refusal.text.startswith("{") and "Invalid URL" not in refusal.text:
                return None
            raise

    def post(self, path: str, *ids: str, json: t.Any = None, repeatable: bool = False) -> Record:
        """Make or change something.

        :arg repeatable: whether done twice it is as done once
        """
        self._pace.wait(f"POST {path}")
        policy = _READ if repeatable else _WRITE
        return self._http.write("POST", _format_path(path, ids), json=json, policy=policy).record()

    def delete(self, path: str, *ids: str) -> None:
        """Delete an object, unless it is gone.

        :raises UnexpectedResponse: if the response is no object, such as a login page
        """
        self._pace.wait(f"DELETE {path}")
        response = self._http.write("DELETE", _format_path(path, ids), policy=_READ, accept=(200, 404))
        if response.status == 200:
            response.record()

    def _read(self, path: str, *ids: str, **options: t.Any) -> Response:
        self._pace.wait(f"GET {path}")
        return self._http.read("GET", _format_path(path, ids), policy=_READ, **options)


def _format_path(path: str, ids: t.Iterable[str]) -> str:
    return path.format(*(quote(id_, safe="") for id_ in ids))
