# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The review service: its options, login tokens, and the actions of its single address."""

from __future__ import annotations

import json
import typing as t

from ansible.module_utils.basic import env_fallback

from ansible_collections.buildworks.toolchain.plugins.module_utils._address import check_url
from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._credential import Credential
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import CONNECTION, Answer, Http
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.ltoken import login
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

REVIEW = CONNECTION + ArgumentSpec(
    dict(
        url=dict(type="str", fallback=(env_fallback, ["KLOCWORK_URL"])),
        username=dict(type="str"),
        ltoken=dict(type="str", no_log=True),
        ltoken_file=dict(type="path", no_log=False, fallback=(env_fallback, ["KLOCWORK_LTOKEN"])),
    )
)

_ADVICE = {
    401: "The login token does not fit the account, or has expired: get a new one with 'kwauth'.",
    403: "The account lacks a permission for this; the Web API needs one of its own.",
}

Record = dict[str, t.Any]


class ReviewService:
    """Talks to a Klocwork server. Each action is a POST with a form, and answers with a JSON object a line."""

    def __init__(self, task: Task) -> None:
        url = check_url(task.params["url"])
        self._login = login(task, url)
        self.http = Http(task, url, credential=Credential(), explain=_explain)

    def records(self, action: str, **fields: t.Any) -> t.Iterator[Record]:
        """What an action that only reads answers, a record at a time.

        :raises ToolchainError: when a line is no record, as in a login page or a broken answer
        """
        answer = self.http.read("POST", "/review/api", form=self._form(action, fields), label=action)
        for line in answer.lines():
            if line.strip():
                yield _record(action, line)

    def write(self, action: str, **fields: t.Any) -> None:
        """Carry out an action. The server's answer to a success is empty.

        :raises ToolchainError: when it is an error after all, or a page
        """
        answer = self.http.write("POST", "/review/api", form=self._form(action, fields), label=action)
        for line in answer.lines():
            if line.strip():
                _record(action, line)

    @property
    def user(self) -> str:
        """The account that is logged in."""
        return self._login["user"]

    def project_ids(self) -> dict[str, str]:
        """Name to id of the projects that the account may see."""
        return {project["name"]: project["id"] for project in self.records("projects")}

    def _form(self, action: str, fields: Record) -> dict[str, str]:
        given = {name: _text(value) for name, value in fields.items() if value is not None}
        return {"action": action, **self._login, **given}


def comma_list(values: t.Iterable[str]) -> str:
    """Values as one parameter; a comma or backslash in a value is escaped."""
    return ",".join(value.replace("\\", "\\\\").replace(",", "\\,") for value in values)


def _text(value: t.Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return comma_list(value) if isinstance(value, list) else str(value)


def _record(action: str, line: str) -> Record:
    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if not isinstance(record, dict):
        raise ToolchainError(
            f"The answer to the action '{action}' has a line that is no record: it was cut off, "
            "or comes from a login page or proxy. Is the address right?"
        )
    if isinstance(record.get("status"), int) and "message" in record:
        raise ToolchainError(f"The action '{action}' failed: {record['status']} {record['message']}")
    return record


def _explain(answer: Answer) -> tuple[str | None, str | None]:
    return _message(answer), _ADVICE.get(answer.status)


def _message(answer: Answer) -> str | None:
    body = answer.json_or_none()
    return body.get("message") if isinstance(body, dict) else answer.short_text()
