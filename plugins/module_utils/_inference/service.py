# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inference service: its options, its three classes of keys, and its error shapes."""

from __future__ import annotations

from ansible.module_utils.basic import env_fallback

from ansible_collections.buildworks.toolchain.plugins.module_utils._address import check_url
from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._credential import Credential, header_value
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import CONNECTION, Answer, Http
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

INFERENCE = CONNECTION + ArgumentSpec(
    dict(
        url=dict(type="str", default="https://api.openai.com/v1", fallback=(env_fallback, ["OPENAI_BASE_URL"])),
        api_key=dict(type="str", no_log=True, fallback=(env_fallback, ["OPENAI_API_KEY"])),
        admin_key=dict(type="str", no_log=True, fallback=(env_fallback, ["OPENAI_ADMIN_KEY"])),
        session_token=dict(type="str", no_log=True),
        organization=dict(type="str", fallback=(env_fallback, ["OPENAI_ORG_ID"])),
        project=dict(type="str", fallback=(env_fallback, ["OPENAI_PROJECT_ID"])),
    )
)

_OTHER_CLASSES = {"sk-admin-": "admin_key", "sess-": "session_token"}
_SELECTORS = {"organization": "OpenAI-Organization", "project": "OpenAI-Project"}
_ADVICE = {
    401: "The key was not accepted: check 'api_key'.",
    404: "The model may not be visible to this key, or the address lacks its version (such as /v1).",
    429: "The account's rate limit or quota is used up.",
}


class InferenceService:
    """Talks to an OpenAI-compatible API, with the key for models and completions."""

    def __init__(self, task: Task) -> None:
        self.http = Http(task, check_url(task.params["url"]), credential=_credential(task), explain=_explain)


def _credential(task: Task) -> Credential:
    headers = {}
    if task.params["api_key"]:
        key = task.secret(header_value("api_key", task.params["api_key"]))
        headers["Authorization"] = f"Bearer {_of_its_class(key)}"
    for option, header in _SELECTORS.items():
        if task.params[option]:
            headers[header] = header_value(option, task.params[option])
    return Credential(headers)


def _of_its_class(key: str) -> str:
    for prefix, option in _OTHER_CLASSES.items():
        if key.startswith(prefix):
            raise BadOption("api_key", f"a key that begins with {prefix} belongs into '{option}'")
    return key


def _explain(answer: Answer) -> tuple[str | None, str | None]:
    message = _message(answer)
    if answer.status == 401 and message and "Missing scopes" in message:
        return message, "The key is right, but was made without the permission for this."
    if "mismatched_organization" in answer.text:
        return message, "The key belongs to another organization: check 'organization'."
    return message, _ADVICE.get(answer.status)


def _message(answer: Answer) -> str | None:
    """The server's message: in an object, as a bare text, or without an envelope."""
    body = answer.json_or_none()
    if not isinstance(body, dict):
        return answer.short_text()
    error = body.get("error", body)
    return error.get("message") if isinstance(error, dict) else str(error)
