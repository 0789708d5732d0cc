# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ci service: its options, authentication with crumbs, and error pages."""

from __future__ import annotations

import html
import re
import typing as t

from ansible.module_utils.basic import env_fallback

from ansible_collections.buildworks.toolchain.plugins.module_utils._address import check_url
from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._credential import Credential, basic
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import CONNECTION, Answer, Http
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

CI = CONNECTION + ArgumentSpec(
    dict(
        url=dict(type="str", fallback=(env_fallback, ["JENKINS_URL"])),
        username=dict(type="str", fallback=(env_fallback, ["JENKINS_USER_ID"])),
        password=dict(type="str", no_log=True),
        api_token=dict(type="str", no_log=True, fallback=(env_fallback, ["JENKINS_API_TOKEN"])),
    )
)

_ADVICE = {
    401: "The user name does not fit the password or API token.",
    403: "The account lacks a permission for this.",
    503: "The server is starting, restarting or overloaded.",
}
_CRUMB_PROBLEM = "No valid crumb"
_WORDS = (
    r"[^<>]*is missing the [^<>]* permission",
    r"Authentication required",
    r"(?<=<h1>)[^<]+",
    r"(?<=<title>)[^<]+",
)


class CiService:
    """Talks to a Jenkins server, or to its ancestor Hudson."""

    def __init__(self, task: Task) -> None:
        self._needs_no_crumb = bool(task.params["api_token"] and not task.params["password"])
        self.http = Http(task, check_url(task.params["url"]), credential=_credential(task), explain=_explain)

    def view(self, path: str, tree: str, **options: t.Any) -> Answer:
        """The JSON view of an object, with the members that I(tree) names."""
        return self.http.read("GET", f"{path}/api/json", query={"tree": tree}, **options)

    def post(self, path: str, **options: t.Any) -> Answer:
        """A request that acts, with a crumb if one is needed; a crumb that is no longer good is renewed once."""
        memory = self.http.memory
        if "crumb" not in memory:
            memory["crumb"] = {} if self._needs_no_crumb else self._fetch_crumb()
        try:
            return self.http.write("POST", path, headers=memory["crumb"], **options)
        except ServerRefusal as refusal:
            if refusal.status != 403 or _CRUMB_PROBLEM not in refusal.text:
                raise
        memory["crumb"] = self._fetch_crumb()
        return self.http.write("POST", path, headers=memory["crumb"], **options)

    def _fetch_crumb(self) -> dict[str, str]:
        """The header that carries the crumb; none where the server's CSRF protection is off."""
        answer = self.http.read("GET", "/crumbIssuer/api/json", accept=(200, 404))
        if answer.status == 404:
            return {}
        crumb = answer.json()
        return {crumb["crumbRequestField"]: crumb["crumb"]}


def _credential(task: Task) -> Credential:
    username = task.params["username"]
    secret = task.params["password"] or task.params["api_token"]
    if bool(username) != bool(secret):
        raise BadOption("username", "is needed together with 'password' or 'api_token', and these with it")
    return basic(task, username, secret) if username else Credential()


def _explain(answer: Answer) -> tuple[str | None, str | None]:
    if answer.status == 403 and _CRUMB_PROBLEM in answer.text:
        return _message(answer), "Does something in between drop the session cookie or the crumb's header?"
    message = _message(answer)
    if answer.status == 403 and message == "Authentication required":
        return message, "Give 'username' with 'password' or 'api_token'."
    return message, _ADVICE.get(answer.status)


def _message(answer: Answer) -> str | None:
    """The server's own words: from its JSON, its X-Error header, or out of its error page."""
    body = answer.json_or_none()
    if isinstance(body, dict) and body.get("message"):
        return body["message"]
    if "X-Error" in answer.headers:
        return answer.headers["X-Error"]
    for pattern in _WORDS:
        found = re.search(pattern, answer.text)
        if found and found.group().strip():
            return html.unescape(found.group().strip())
    return answer.short_text()
