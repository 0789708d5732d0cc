# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The review service: its options, login tokens, and the actions of its single address."""

from __future__ import annotations

import json
import typing as t

from ansible.module_utils.basic import env_fallback

from ansible_collections.buildworks.toolchain.plugins.module_utils._credential import Credential
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    ToolchainError,
    UnexpectedResponse,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import HttpClient
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT, WRITE
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.session import service_options
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.ltoken import find_login
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import check_url

REVIEW = service_options(
    "review",
    dict(
        url=dict(type="str", address=True, one_line=True, fallback=(env_fallback, ["KLOCWORK_URL"])),
        username=dict(type="str", one_line=True),
        ltoken=dict(type="str", no_log=True, unchecked="blanks around it are taken off"),
        ltoken_file=dict(
            type="path",
            no_log=False,
            fallback=(env_fallback, ["KLOCWORK_LTOKEN"]),
            unchecked="empty counts as not given; a file that cannot be read is refused",
        ),
    ),
    credentials={"ltoken": ("username",), "ltoken_file": ("username",)},
)

# The account is unknown, or lacks a permission: nothing is known about what the request was about
NOT_PERMITTED = (401, 403)
_PATH = "/review/api"
_PERMISSIONS_NEEDED = "Most actions need a permission, and the Web API itself needs 'Access the Web API'."


class ReviewService:
    """Talks to a Klocwork server. Each action is a POST with a form, and answers with a JSON object a line."""

    def __init__(self, task: Task) -> None:
        url = check_url(task.params["url"])
        if url.endswith(_PATH):
            raise BadOption("url", f"takes the address of the server, without '{_PATH}'")
        self._login = find_login(task, url)
        self.http = HttpClient(task, url, credential=Credential(option=self._login.option), explain=self._explain_error)

    def records(self, action: str, /, **fields: t.Any) -> t.Iterator[Record]:
        """What an action that only reads answers, a record at a time.

        :raises ToolchainError: when a line is no record, as in a login page or a broken answer
        """
        response = self.http.read("POST", _PATH, form=self._form(action, fields), label=action, stream=True)
        for line in response.lines():
            if line.strip():
                yield _parse_record(response, action, line)

    def list_nonempty(self, action: str, /, *, always: str, **fields: t.Any) -> list[Record]:
        """Return the records of an action that never responds with an empty list.

        An empty list is an empty body. A response whose body was lost on the way looks the same.

        :arg always: a record that each response contains, for the message
        :raises ToolchainError: if there are no records
        """
        if found := list(self.records(action, **fields)):
            return found
        raise ToolchainError(
            f"The response to the action '{action}' is empty, but it always contains {always}: its body was lost. "
            "Run the task again. If this repeats, look for a proxy that changes responses."
        )

    def download(self, action: str, /, **fields: t.Any) -> t.Iterator[bytes]:
        """The file that an action which only reads answers with, a piece at a time.

        :raises ToolchainError: when it is a page, or records
        """
        response = self.http.read("POST", _PATH, form=self._form(action, fields), label=action, stream=True)
        kind = response.headers.get("Content-Type", "").lower()
        if "html" in kind or "json" in kind:
            raise ToolchainError(
                f"The action '{action}' answers with no file, but with {'a page' if 'html' in kind else 'records'}"
                f"{'. Is the address right, and is no login page or proxy in between?' if 'html' in kind else ''}"
            )
        yield from response.chunks()

    def write(self, action: str, /, *, repeatable: bool = False, **fields: t.Any) -> list[Record]:
        """Carry out an action. To those known the server's answer to a success is empty.

        :arg repeatable: whether doing it twice is as good as doing it once
        :raises ToolchainError: when it is an error after all, or a page
        """
        policy = IDEMPOTENT if repeatable else WRITE
        response = self.http.write("POST", _PATH, form=self._form(action, fields), label=action, policy=policy)
        return [_parse_record(response, action, line) for line in response.lines() if line.strip()]

    @property
    def user(self) -> str:
        """The account that is logged in."""
        return self._login.user

    @property
    def has_login(self) -> bool:
        """Whether a login token is sent. A server without access control needs none."""
        return self._login.ltoken is not None

    def _form(self, action: str, fields: dict[str, t.Any]) -> dict[str, str]:
        given = {name: _to_text(value) for name, value in fields.items() if value is not None}
        return {"action": action, **self._login.form, **given}

    def _explain_error(self, response: Response) -> tuple[str | None, str | None]:
        body = response.json_or_none()
        if isinstance(body, dict) and body.get("message") is not None:
            advice = {401: self._login.advice, 403: _PERMISSIONS_NEEDED}.get(response.status)
            return str(body["message"]), advice
        wrong_path = f"The Web API lies at {_PATH} below the address in 'url': is its path right?"
        return response.short_text(), wrong_path if response.status in (404, 405) else None


def join_list(values: t.Iterable[str]) -> str:
    """Values as one parameter; a comma or backslash in a value is escaped."""
    return ",".join(value.replace("\\", "\\\\").replace(",", "\\,") for value in values)


def _to_text(value: t.Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return join_list(map(str, value)) if isinstance(value, list) else str(value)


def _parse_record(response: Response, action: str, line: str) -> Record:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise UnexpectedResponse(
            f"The answer to the action '{action}' has a line that is no record: it was cut off, "
            "or comes from a login page or proxy. Is the address right?"
        )
    if isinstance(record.get("status"), int) and "message" in record:
        raise UnexpectedResponse(f"The action '{action}' failed: {record['status']} {record['message']}")
    return Record(record, response.unexpected_value)
