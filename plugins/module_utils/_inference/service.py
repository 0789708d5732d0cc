# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options, authentication and error messages of OpenAI-compatible APIs."""

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

# Each kind of endpoint accepts only its own class of keys
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
    """A class of keys. Each endpoint accepts keys of one class.

    :ivar option: the option that contains the key
    :ivar prefix: the prefix of OpenAI's keys of this class; other servers may use any prefix
    :ivar purpose: the endpoints that accept the key, for messages
    :ivar not_found_cause: a possible cause of status 404, for messages
    """

    option: str
    prefix: str
    purpose: str
    not_found_cause: str


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
    "The server may not have this endpoint",
)
KEY_CLASSES = (API_KEY, ADMIN_KEY, SESSION_TOKEN)

_SELECTORS = {"organization": "OpenAI-Organization", "project": "OpenAI-Project"}
# Some third-party clients send these headers. The official clients do not
_UNOFFICIAL = {"user_id": "OpenAI-User", "group_id": "OpenAI-Group"}
# Headers that browsers send to the private endpoints of the dashboard
_BROWSER = {
    "Origin": "https://platform.openai.com",
    "Referer": "https://platform.openai.com/",
    "User-Agent": "Mozilla/5.0 (buildworks.toolchain)",
    "Content-Type": "application/json",
}


class InferenceService:
    """An OpenAI-compatible API."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._url = check_url(task.params["url"])

    def is_rejected(self, key: str, key_class: KeyClass, path: str) -> bool:
        """Return whether the server rejects a key, rather than denying it access to this path only."""
        credential = Credential({"Authorization": f"Bearer {key}"})
        explain = functools.partial(
            _explain, rejection=_describe_rejected_key(key_class), not_found_cause=key_class.not_found_cause
        )
        http = HttpClient(self._task, self._url, credential=credential, explain=explain)
        response = http.read("GET", path, accept=(200, 401, 403))
        is_denied = any(phrase in response.text for phrase in ("Missing scopes", "mismatched_"))
        return response.status == 401 and not is_denied

    def fetch_dashboard(self, path: str, versioned: bool = False) -> Response:
        """Return the response of a private endpoint of the dashboard.

        :arg versioned: whether the path is below `/v1`; most are not
        """
        http = self.create_client(SESSION_TOKEN, self._url if versioned else self._url.removesuffix("/v1"))
        return http.read("GET", f"/dashboard{path}", headers=_BROWSER)

    def create_client(self, key_class: KeyClass, base_url: str | None = None) -> HttpClient:
        """Return a client that authenticates with the key of a class.

        :raises BadOption: if the option contains a key of another class
        """
        headers = _selector_headers(self._task)
        key = self._task.params[key_class.option]
        if key:
            key = self._task.register_secret(check_header_value(key_class.option, key))
            _check_class(key, key_class)
            headers["Authorization"] = f"Bearer {key}"
        rejection = _describe_rejected_key(key_class) if key else _describe_missing_key(self._task, key_class)
        explain = functools.partial(_explain, rejection=rejection, not_found_cause=key_class.not_found_cause)
        credential = Credential(headers, key_class.option if key else None)
        return HttpClient(self._task, base_url or self._url, credential=credential, explain=explain)


def _selector_headers(task: Task) -> dict[str, str]:
    headers = {**_SELECTORS, **_UNOFFICIAL}
    return {
        headers[option]: check_header_value(option, value)
        for option, value in task.select_provided(*headers).items()
        if value
    }


def classify_key(key: str) -> KeyClass | None:
    """Return the class of a key with the longest matching prefix, `None` if the prefix is not one of OpenAI's."""
    matches = [key_class for key_class in KEY_CLASSES if key.startswith(key_class.prefix)]
    return max(matches, key=lambda key_class: len(key_class.prefix), default=None)


def _check_class(key: str, expected: KeyClass) -> None:
    if (actual := classify_key(key)) not in (expected, None):
        raise BadOption(
            expected.option,
            f"must be a key for {expected.purpose}. Keys that start with {actual.prefix} are for {actual.purpose}; set "
            f"them as '{actual.option}'",
        )


def _describe_rejected_key(key_class: KeyClass) -> str:
    return f"The key was rejected. Check '{key_class.option}'."


def _describe_missing_key(task: Task, expected: KeyClass) -> str:
    others = [f" '{other.option}' is only for {other.purpose}." for other in KEY_CLASSES if task.params[other.option]]
    return f"No key was sent. Set '{expected.option}'.{''.join(others)}"


def _explain(response: Response, *, rejection: str, not_found_cause: str) -> tuple[str | None, str | None]:
    """Return the server's message, and the remedy with the request ID that the support of the server needs."""
    message = _extract_message(response)
    request_id = response.headers.get("x-request-id")
    remedy = _suggest_remedy(response, message or "", rejection, not_found_cause)
    return message, " ".join(filter(None, [remedy, f"Request ID: {request_id}." if request_id else None])) or None


def _suggest_remedy(response: Response, message: str, rejection: str, not_found_cause: str) -> str | None:
    if response.status == 404:
        return f"{not_found_cause}, or the version is missing in 'url' (such as /v1)."
    if response.status == 429:
        return "The rate limit or quota of the account is used up."
    if response.status != 401:
        return None
    if "Missing scopes" in message:
        return "The key is valid, but lacks the permission for this request."
    for option, header in _SELECTORS.items():
        if f"mismatched_{option}" in response.text or header in message:
            return f"The key belongs to another {option}. Check '{option}'."
    return rejection


def _extract_message(response: Response) -> str | None:
    """Return the server's message from an error object, a string, or a body without the `error` envelope."""
    body = response.json_or_none()
    if not isinstance(body, dict):
        return response.short_text()
    error = body.get("error", body)
    message: t.Any = error.get("message") if isinstance(error, dict) else error
    return None if message is None else str(message)
