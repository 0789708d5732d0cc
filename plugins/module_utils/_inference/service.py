# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The inference service: its options, its three classes of keys, and its error shapes."""

from __future__ import annotations

import dataclasses
import functools
import typing as t

from ansible.module_utils.basic import env_fallback

from ansible_collections.buildworks.toolchain.plugins.module_utils._credential import (
    CHECKED_IN_HEADER,
    Credential,
    check_header_value,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import HttpClient
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.session import service_options
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import check_url

# Its keys are not one for another: each kind of endpoint takes its own
INFERENCE = service_options(
    "inference",
    dict(
        url=dict(
            type="str",
            address=True,
            one_line=True,
            default="https://api.openai.com/v1",
            fallback=(env_fallback, ["OPENAI_BASE_URL"]),
        ),
        api_key=dict(type="str", no_log=True, unchecked=CHECKED_IN_HEADER, fallback=(env_fallback, ["OPENAI_API_KEY"])),
        admin_key=dict(
            type="str", no_log=True, unchecked=CHECKED_IN_HEADER, fallback=(env_fallback, ["OPENAI_ADMIN_KEY"])
        ),
        session_token=dict(type="str", no_log=True, unchecked=CHECKED_IN_HEADER),
        organization=dict(type="str", unchecked=CHECKED_IN_HEADER, fallback=(env_fallback, ["OPENAI_ORG_ID"])),
        project=dict(type="str", unchecked=CHECKED_IN_HEADER, fallback=(env_fallback, ["OPENAI_PROJECT_ID"])),
        user_id=dict(type="str", unchecked=CHECKED_IN_HEADER),
        group_id=dict(type="str", unchecked=CHECKED_IN_HEADER),
    ),
    credentials={},
    behavior=dict(
        admin_requests_per_minute=dict(
            type="float",
            default=6.0,
            at_least=0,
            at_most=10_000,
            fallback=(env_fallback, ["TOOLCHAIN_INFERENCE_ADMIN_REQUESTS_PER_MINUTE"]),
        ),
    ),
)


@dataclasses.dataclass(frozen=True)
class KeyClass:
    """A class of keys. What a key of one class opens, no key of another does.

    :ivar option: the option that takes it
    :ivar prefix: how the vendor's keys of this class begin; other servers' keys begin as they like
    :ivar opens: what it is for
    :ivar hides: what else a 404 may mean
    """

    option: str
    prefix: str
    opens: str
    hides: str


API_KEY = KeyClass(
    "api_key",
    "sk-",
    "models and completions",
    "The model may not be visible to this key",
)
ADMIN_KEY = KeyClass(
    "admin_key",
    "sk-admin-",
    "the administration of an organization",
    "The key may belong to another organization",
)
SESSION_TOKEN = KeyClass(
    "session_token",
    "sess-",
    "the private endpoints of the dashboard",
    "The server may have no such page",
)
KEY_CLASSES = (API_KEY, ADMIN_KEY, SESSION_TOKEN)

_SELECTORS = {"organization": "OpenAI-Organization", "project": "OpenAI-Project"}
# These were seen to be sent by others; the vendor's own clients do not know them
_UNOFFICIAL = {"user_id": "OpenAI-User", "group_id": "OpenAI-Group"}
# What the browser sends along with the private requests
_BROWSER = {
    "Origin": "https://platform.openai.com",
    "Referer": "https://platform.openai.com/",
    "User-Agent": "Mozilla/5.0 (buildworks.toolchain)",
    "Content-Type": "application/json",
}


class InferenceService:
    """Talks to an OpenAI-compatible API."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._url = check_url(task.params["url"])

    def is_rejected(self, key: str, key_class: KeyClass, path: str) -> bool:
        """Whether a key is good for nothing, unlike one that only may not do what is asked for here."""
        credential = Credential({"Authorization": f"Bearer {key}"})
        explain = functools.partial(_explain, refused=_not_accepted(key_class), hidden=key_class.hides)
        http = HttpClient(self._task, self._url, credential=credential, explain=explain)
        response = http.read("GET", path, accept=(200, 401, 403))
        return response.status == 401 and not any(words in response.text for words in ("Missing scopes", "mismatched_"))

    def fetch_dashboard(self, path: str, versioned: bool = False) -> Response:
        """The answer to a private request, as the browser sends it.

        :arg versioned: whether it is below the version of the API, where most are beside it
        """
        http = self.create_client(SESSION_TOKEN, self._url if versioned else self._url.removesuffix("/v1"))
        return http.read("GET", f"/dashboard{path}", headers=_BROWSER)

    def create_client(self, key_class: KeyClass, base_url: str | None = None) -> HttpClient:
        """Requests with the key of a class, and no other.

        :raises BadOption: when the option of this class has a key of another
        """
        headers = _selectors(self._task)
        key = self._task.params[key_class.option]
        if key:
            key = self._task.register_secret(check_header_value(key_class.option, key))
            _check_class(key, key_class)
            headers["Authorization"] = f"Bearer {key}"
        refused = _not_accepted(key_class) if key else _no_key(self._task, key_class)
        explain = functools.partial(_explain, refused=refused, hidden=key_class.hides)
        credential = Credential(headers, key_class.option if key else None)
        return HttpClient(self._task, base_url or self._url, credential=credential, explain=explain)


def _selectors(task: Task) -> dict[str, str]:
    headers = {**_SELECTORS, **_UNOFFICIAL}
    return {
        headers[option]: check_header_value(option, value)
        for option, value in task.select_provided(*headers).items()
        if value
    }


def classify_key(key: str) -> KeyClass | None:
    """The class that a key belongs to by its prefix, if it has one of the vendor's."""
    fitting = [key_class for key_class in KEY_CLASSES if key.startswith(key_class.prefix)]
    return max(fitting, key=lambda key_class: len(key_class.prefix)) if fitting else None


def _check_class(key: str, wanted: KeyClass) -> None:
    if (real := classify_key(key)) not in (wanted, None):
        raise BadOption(
            wanted.option,
            f"takes a key for {wanted.opens}; one that begins with {real.prefix} is for {real.opens} and belongs into "
            f"'{real.option}'",
        )


def _not_accepted(key_class: KeyClass) -> str:
    return f"The key was not accepted: check '{key_class.option}'."


def _no_key(task: Task, wanted: KeyClass) -> str:
    others = [f"'{other.option}' is for {other.opens}" for other in KEY_CLASSES if task.params[other.option]]
    return f"No key was sent: give one as '{wanted.option}'{''.join(f'; {other}' for other in others)}."


def _explain(response: Response, *, refused: str, hidden: str) -> tuple[str | None, str | None]:
    """The server's own message; and what to do, with the id of the request, which the server's support asks for."""
    message = _message(response)
    request_id = response.headers.get("x-request-id")
    advice = [_advice(response, message or "", refused, hidden), f"Request id: {request_id}." if request_id else None]
    return message, " ".join(filter(None, advice)) or None


def _advice(response: Response, message: str, refused: str, hidden: str) -> str | None:
    if response.status == 404:
        return f"{hidden}, or the address lacks its version (such as /v1)."
    if response.status == 429:
        return "The account's rate limit or quota is used up."
    if response.status != 401:
        return None
    if "Missing scopes" in message:
        return "The key is right, but was made without the permission for this."
    for option, header in _SELECTORS.items():
        if f"mismatched_{option}" in response.text or header in message:
            return f"The key belongs to another {option}: check '{option}'."
    return refused


def _message(response: Response) -> str | None:
    """The server's message: in an object, as a bare text, or without an envelope."""
    body = response.json_or_none()
    if not isinstance(body, dict):
        return response.short_text()
    error = body.get("error", body)
    message: t.Any = error.get("message") if isinstance(error, dict) else error
    return None if message is None else str(message)
