# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The administration API of an OpenAI organization, with paging and rate limiting."""

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
# Responses with status 429 do not report a delay. Six retries at this interval cover a minute, which suffices
_RATE_LIMIT_DELAY = 10.0
_READ = dataclasses.replace(retry.IDEMPOTENT, rate_limit_delay=_RATE_LIMIT_DELAY)
_WRITE = dataclasses.replace(retry.WRITE, rate_limit_delay=_RATE_LIMIT_DELAY)


class AdminClient:
    """A client of the administration API.

    Paths contain `{}` for each ID, so that requests of the same kind share a rate limit.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._http = InferenceService(task).create_client(ADMIN_KEY)
        self._limiter = AdminRateLimiter(task, [self._http.base_url, task.params[ADMIN_KEY.option] or ""])

    def now(self) -> float:
        """Return the time of the server as a Unix timestamp."""
        return self._http.now()

    def iter_entries(self, path: str, *ids: str, query: t.Mapping[str, str] | None = None) -> t.Iterator[Record]:
        """Yield the entries of a list, without duplicates if another client moves an entry to a later page.

        :raises ToolchainError: if the cursor repeats, since the list may be incomplete
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
                    f"GET {self._http.base_url}{_format_path(path, ids)}: the list may be incomplete, because its "
                    f"pages repeat after '{cursor}'. Run the task again."
                )
            seen.update(new)
            after = {"after": cursor}

    def iter_buckets(self, path: str, *ids: str, query: t.Mapping[str, str | list[str]]) -> t.Iterator[Record]:
        """Yield the time buckets of usage or costs, oldest first.

        :raises ToolchainError: if a page repeats, since the buckets may be incomplete
        """
        pages: set[str] = set()
        selection: dict[str, str] = {}
        while True:
            page = self._read(path, *ids, query={**query, **selection}).record()
            yield from page.records("data")
            if not page.maybe_flag("has_more"):
                return
            cursor = page.text("next_page")
            if cursor in pages:
                raise ToolchainError(
                    f"GET {self._http.base_url}{_format_path(path, ids)}: the buckets may be incomplete, because the "
                    f"page '{cursor}' repeats. Run the task again."
                )
            pages.add(cursor)
            selection = {"page": cursor}

    def list_nonempty(self, path: str, query: t.Mapping[str, str] | None = None) -> list[Record]:
        """Return the entries of a list that is never empty in an organization.

        :raises ToolchainError: if it is empty, since the response cannot be trusted then
        """
        entries = list(self.iter_entries(path, query=query))
        if not entries:
            raise ToolchainError(
                f"GET {self._http.base_url}{path}: the list is empty, but each organization has at least one entry. "
                "Check 'url' and the permissions of the key."
            )
        return entries

    def find(self, path: str, *ids: str) -> Record | None:
        """Return an object, `None` if it does not exist."""
        try:
            return self._read(path, *ids).record()
        except ServerRefusal as refusal:
            # a 404 for a wrong base URL does not prove that the object is missing
            if refusal.status == 404 and refusal.text.startswith("{") and "Invalid URL" not in refusal.text:
                return None
            raise

    def post(self, path: str, *ids: str, json: t.Any = None, is_idempotent: bool = False) -> Record:
        """Create or update an object.

        :arg is_idempotent: whether the request may be retried after any error
        """
        self._limiter.wait(f"POST {path}")
        policy = _READ if is_idempotent else _WRITE
        return self._http.write("POST", _format_path(path, ids), json=json, policy=policy).record()

    def delete(self, path: str, *ids: str) -> None:
        """Delete an object if it exists.

        :raises UnexpectedResponse: if the response is not an object, such as a login page
        """
        self._limiter.wait(f"DELETE {path}")
        response = self._http.write("DELETE", _format_path(path, ids), policy=_READ, accept=(200, 404))
        if response.status == 200:
            response.record()

    def _read(self, path: str, *ids: str, **options: t.Any) -> Response:
        self._limiter.wait(f"GET {path}")
        return self._http.read("GET", _format_path(path, ids), policy=_READ, **options)


def _format_path(path: str, ids: t.Iterable[str]) -> str:
    return path.format(*(quote(id_, safe="") for id_ in ids))
