# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ci service: its options, authentication with crumbs, and error pages."""

from __future__ import annotations

import functools
import html
import re
import typing as t

from ansible.module_utils.basic import env_fallback

from ansible_collections.buildworks.toolchain.plugins.module_utils._credential import (
    NETRC_FILE,
    Credential,
    credential_from_account,
    credential_from_netrc,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import HttpClient, RequestOptions
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import WRITE, Policy
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.session import service_options
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import check_url

CI = service_options(
    "ci",
    dict(
        url=dict(type="str", address=True, one_line=True, fallback=(env_fallback, ["JENKINS_URL"])),
        username=dict(type="str", one_line=True, fallback=(env_fallback, ["JENKINS_USER_ID"])),
        password=dict(type="str", no_log=True, unchecked="a password may be any text"),
        api_token=dict(type="str", no_log=True, one_line=True, fallback=(env_fallback, ["JENKINS_API_TOKEN"])),
        netrc_file=NETRC_FILE,
    ),
    credentials={"password": ("username",), "api_token": ("username",), "netrc_file": ("username",)},
)

_PATH_ADVICE = "Is the path in 'url' right?"
_ADVICE = {
    401: "The user name does not fit the password or API token.",
    403: "The account lacks a permission for this.",
    404: _PATH_ADVICE,
    503: "The server is starting, restarting or overloaded.",
}
_CRUMB_PROBLEM = "No valid crumb"
_CRUMB_HEADER = 'concat(//crumbRequestField,":",//crumb)'
# What keeps the JSON view from us answers one of these, in words that are not the server's own
_CLOSED = (403, 405, 406, 410, 501)
_NO_RIGHT = re.compile("Authentication required|is missing the")
# A page says what it has to say in its beginning; expressions take long for one without end
_LONGEST_PAGE = 50_000
_MARKUP = re.compile(r"(?s)<(script|style)\b.*?</\1>|<!--.*?-->|<[^<>]*>")
_ERROR_PAGE = re.compile(r"(?s)(Oops!.{0,500}?)?Logging ID=[\w-]+")
_WORDS = (
    r"(?<![^<>])[^<>]*is missing the [^<>]* permission",
    r"Authentication required",
    r"Invalid token provided",
    r"(?<=<h1>)[^<]+",
    r"(?<=<title>)[^<]+",
)


class CiService:
    """Talks to a Jenkins server, or to its ancestor Hudson."""

    def __init__(self, task: Task) -> None:
        self._needs_no_crumb = bool(task.params["api_token"] and not task.params["password"])
        url = check_url(task.params["url"])
        credential = (
            credential_from_account(task, ("password", "api_token")) or credential_from_netrc(task, url) or Credential()
        )
        self.account = credential.account
        self.http = HttpClient(
            task, check_url(task.params["url"]), credential=credential, explain=functools.partial(_explain, credential)
        )

    def view(self, path: str, tree: str, **options: t.Unpack[RequestOptions]) -> Response:
        """The JSON view of an object, with the members that `tree` names."""
        options["query"] = {"tree": tree}
        return self.http.read("GET", f"{path}/api/json", **options)

    def post(
        self,
        path: str,
        *,
        policy: Policy = WRITE,
        changes_state: bool = True,
        reads: bool = False,
        **options: t.Unpack[RequestOptions],
    ) -> Response:
        """A request that acts, with a crumb if one is needed; a crumb that is no longer good is renewed once.

        :arg reads: it changes nothing, although it is a POST
        """

        def send(crumb: dict[str, str]) -> Response:
            options["headers"] = crumb
            if reads:
                return self.http.read("POST", path, **options)
            return self.http.write("POST", path, policy=policy, changes_state=changes_state, **options)

        crumb = self.http.cached("crumb", self._first_crumb)
        try:
            return send(crumb)
        except ServerRefusal as refusal:
            if refusal.status != 403 or _CRUMB_PROBLEM not in refusal.text:
                raise
        return send(self.http.cached("crumb", self._needed_crumb, instead_of=crumb))

    def _first_crumb(self) -> dict[str, str]:
        return {} if self._needs_no_crumb else self.fetch_crumb()

    def _needed_crumb(self) -> dict[str, str]:
        """The crumb for a server that has just asked for one, so that it surely gives them."""
        return self.fetch_crumb() or self._crumb_of_xml()

    def fetch_crumb(self) -> dict[str, str]:
        """The header that carries the crumb of this session; none where the server's CSRF protection is off."""
        try:
            response = self.http.read("GET", "/crumbIssuer/api/json", accept=(200, 404))
        except ServerRefusal as refusal:
            if refusal.status not in _CLOSED or _NO_RIGHT.search(refusal.text):
                raise
            if crumb := self._crumb_of_xml():
                return crumb
            raise
        if response.status == 404:
            return {}
        issued = response.record()
        return {issued.text("crumbRequestField"): issued.text("crumb")}

    def _crumb_of_xml(self) -> dict[str, str]:
        """The crumb where something between us and the server lets only its XML view pass."""
        query = {"xpath": _CRUMB_HEADER}
        response = self.http.read("GET", "/crumbIssuer/api/xml", query=query, accept=(200, 404, *_CLOSED))
        name, colon, value = response.text.partition(":")
        return {name: value} if response.status == 200 and colon and value.isalnum() else {}


def _explain(credential: Credential, response: Response) -> tuple[str | None, str | None]:
    if response.status == 403 and _CRUMB_PROBLEM in response.text:
        return _message(response), "Does something in between drop the session cookie or the crumb's header?"
    message = _message(response)
    if response.is_anonymous and response.status in (401, 403, 404):
        return message, f"This request goes without credentials, for everybody may see this page. {_PATH_ADVICE}"
    if (response.status == 403 and message == "Authentication required") or (
        response.status == 401 and not credential.option
    ):
        return message, "Give 'username' with 'password' or 'api_token'."
    return message, _ADVICE.get(response.status)


def _message(response: Response) -> str | None:
    """The server's own words: from its JSON, its X-Error header, or out of its error page."""
    body = response.json_or_none()
    if isinstance(body, dict) and body.get("message"):
        return str(body["message"])
    if "X-Error" in response.headers:
        return response.headers["X-Error"]
    page = response.text[:_LONGEST_PAGE]
    if failure := _ERROR_PAGE.search(_MARKUP.sub(" ", page)):
        return html.unescape(" ".join(failure.group().split()))
    for pattern in _WORDS:
        found = re.search(pattern, page)
        if found and found.group().strip():
            return html.unescape(found.group().strip())
    return response.short_text()
