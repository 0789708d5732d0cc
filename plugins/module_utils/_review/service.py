# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Connection to a Klocwork server: options, login, and the actions of its Web API."""

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
        ltoken=dict(type="str", no_log=True, unchecked="surrounding spaces are removed"),
        ltoken_file=dict(
            type="path",
            no_log=False,
            fallback=(env_fallback, ["KLOCWORK_LTOKEN"]),
            unchecked="empty means not set; a file that cannot be read is refused",
        ),
    ),
    credentials={"ltoken": ("username",), "ltoken_file": ("username",)},
)

# The login was refused or a permission is missing, so that the response says nothing about the resource
NOT_PERMITTED = (401, 403)
_PATH = "/review/api"
_VERIFY_URL = "Verify 'url', and that no login page or proxy replaces responses."
_PERMISSIONS_NEEDED = (
    "Assign a role with the permission for this action. The Web API itself requires 'Access the Web API'."
)


class ReviewService:
    """A client of the Klocwork Web API.

    Each action is a POST request with a form. A response has one JSON object per line.
    """

    def __init__(self, task: Task) -> None:
        url = check_url(task.params["url"])
        if url.endswith(_PATH):
            raise BadOption("url", f"must be the URL of the server, without '{_PATH}'")
        self._login = find_login(task, url)
        self.http = HttpClient(task, url, credential=Credential(option=self._login.option), explain=self._explain_error)

    def records(self, action: str, no_retry: bool = False, /, **fields: t.Any) -> t.Iterator[Record]:
        """Call a read-only action and yield the records of the response.

        :arg no_retry: never repeat the request
        :raises ToolchainError: if a line is not a record, for example if the response is a login page or incomplete
        """
        response = self._open(action, fields, no_retry)
        for line in response.lines():
            if line.strip():
                yield _parse_record(response, action, line)

    def _open(self, action: str, fields: dict[str, t.Any], no_retry: bool) -> Response:
        form = self._form(action, fields)
        return self.http.read("POST", _PATH, form=form, label=action, stream=True, no_retry=no_retry)

    def list_nonempty(self, action: str, /, *, always: str, **fields: t.Any) -> list[Record]:
        """Return the records of an action that never returns an empty list.

        An empty list is an empty body, and a response whose body was lost looks the same.

        :arg always: a record that each response contains, for the error message
        :raises ToolchainError: if there are no records
        """
        if records := list(self.records(action, **fields)):
            return records
        raise ToolchainError(
            f"The action '{action}' returned an empty list, but always returns {always}: the body of the response was "
            "lost. Run the task again. If this repeats, look for a proxy that modifies responses."
        )

    def download(self, action: str, no_retry: bool = False, /, **fields: t.Any) -> t.Iterator[bytes]:
        """Call a read-only action that returns a file, and yield the file in chunks.

        :arg no_retry: never repeat the request
        :raises ToolchainError: if the response is an HTML page or contains records
        """
        response = self._open(action, fields, no_retry)
        kind = response.headers.get("Content-Type", "").lower()
        if "html" in kind or "json" in kind:
            content, remedy = ("an HTML page", f". {_VERIFY_URL}") if "html" in kind else ("records", "")
            raise ToolchainError(f"Cannot download a file: the action '{action}' returned {content}{remedy}")
        yield from response.chunks()

    def write(self, action: str, /, *, repeatable: bool = False, **fields: t.Any) -> list[Record]:
        """Call an action that changes the server, and return its records. The response is usually empty.

        :arg repeatable: whether the action is idempotent and can be retried
        :raises ToolchainError: if the response contains an error or is not a list of records
        """
        policy = IDEMPOTENT if repeatable else WRITE
        response = self.http.write("POST", _PATH, form=self._form(action, fields), label=action, policy=policy)
        return [_parse_record(response, action, line) for line in response.lines() if line.strip()]

    @property
    def user(self) -> str:
        """The name of the account."""
        return self._login.user

    @property
    def has_login(self) -> bool:
        """Whether requests contain a login token. Servers without access control do not require one."""
        return self._login.ltoken is not None

    def _form(self, action: str, fields: dict[str, t.Any]) -> dict[str, str]:
        parameters = {name: _to_text(value) for name, value in fields.items() if value is not None}
        return {"action": action, **self._login.form, **parameters}

    def _explain_error(self, response: Response) -> tuple[str | None, str | None]:
        body = response.json_or_none()
        if isinstance(body, dict) and body.get("message") is not None:
            advice = {401: self._login.advice, 403: _PERMISSIONS_NEEDED}.get(response.status)
            return str(body["message"]), advice
        wrong_path = f"The Web API is at {_PATH} below 'url'. Verify the path in 'url'."
        return response.short_text(), wrong_path if response.status in (404, 405) else None


def join_list(values: t.Iterable[str]) -> str:
    """Join values to one parameter, with commas and backslashes escaped."""
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
            f"Cannot parse the response to the action '{action}': a line is not a record. The response is incomplete, "
            f"or comes from a login page or proxy. {_VERIFY_URL}"
        )
    if isinstance(record.get("status"), int) and "message" in record:
        raise UnexpectedResponse(f"The action '{action}' failed: {record['status']} {record['message']}")
    return Record(record, response.unexpected_value)
