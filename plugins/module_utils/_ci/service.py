# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The Jenkins service: connection options, authentication with crumbs, and error pages."""

from __future__ import annotations

import functools
import html
import re
import typing as t

from ansible.module_utils.basic import env_fallback

from ansible_collections.buildworks.toolchain.plugins.module_utils._credential import (
    NETRC_FILE,
    Credential,
    basic_auth,
    credential_from_account,
    credential_from_netrc,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import HttpClient, RequestOptions
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
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

_PATH_ADVICE = "Check the path in 'url'."
_ADVICE = {
    401: "Check the user name and the password or API token.",
    403: "The account lacks the required permission.",
    404: _PATH_ADVICE,
    503: "The server is starting, restarting or overloaded. Try again later.",
}
_CRUMB_ERROR = "No valid crumb"
_CRUMB_XPATH = 'concat(//crumbRequestField,":",//crumb)'
# Statuses with which proxies block the JSON API, with a text that is not Jenkins' own
_BLOCKED = (403, 405, 406, 410, 501)
_PERMISSION_ERROR = re.compile("Authentication required|is missing the")
# Error pages state the error at the beginning; regular expressions are slow on very long pages
_MAX_PAGE_LENGTH = 50_000
_MARKUP = re.compile(r"(?s)<(script|style)\b.*?</\1>|<!--.*?-->|<[^<>]*>")
_ERROR_PAGE = re.compile(r"(?s)(Oops!.{0,500}?)?Logging ID=[\w-]+")
_ERROR_MESSAGES = (
    r"(?<![^<>])[^<>]*is missing the [^<>]* permission",
    r"Authentication required",
    r"Invalid token provided",
    r"(?<=<h1>)[^<]+",
    r"(?<=<title>)[^<]+",
)


class CiService:
    """A connection to a Jenkins server, or to a server of its predecessor Hudson.

    :arg api_token: user name and API token to log in with instead of the options
    :ivar predicted_plugins: in check mode, the plugins that earlier tasks install
    """

    def __init__(self, task: Task, api_token: tuple[str, str] | None = None) -> None:
        self._uses_api_token = bool(api_token or (task.params["api_token"] and not task.params["password"]))
        url = check_url(task.params["url"])
        credential = (
            (basic_auth(task, *api_token, "api_token") if api_token else None)
            or credential_from_account(task, ("password", "api_token"))
            or credential_from_netrc(task, url)
            or Credential()
        )
        self.account = credential.account
        self.predicted_plugins = frozenset((task.check_mode and task.params.get("predicted_plugins")) or ())
        self.http = HttpClient(
            task,
            url,
            credential=credential,
            explain=functools.partial(_explain, credential),
            returns_pages=True,
        )

    def view(self, path: str, tree: str, **options: t.Unpack[RequestOptions]) -> Response:
        """Request the members of an object that `tree` names from the JSON API."""
        options["query"] = {"tree": tree}
        return self.http.read("GET", f"{path}/api/json", **options)

    def find(self, path: str, tree: str, identity: str) -> Record | None:
        """Return an object, or `None` if it does not exist.

        :arg tree: members to request
        :arg identity: a text that each object of this kind has, such as `fullName`
        :raises UnexpectedResponse: if the response is something else, such as a login page or an empty object
        """
        response = self.view(path, tree, accept=(200, 404))
        if response.status == 404:
            return None
        record = response.record()
        record.text(identity)
        return record

    def post(
        self,
        path: str,
        *,
        policy: Policy = WRITE,
        changes_state: bool = True,
        read_only: bool = False,
        **options: t.Unpack[RequestOptions],
    ) -> Response:
        """Send a POST request, with a crumb if one is required; an expired crumb is renewed once.

        :arg read_only: the request changes nothing although it is a POST
        """

        def send(crumb: dict[str, str]) -> Response:
            options["headers"] = crumb
            if read_only:
                return self.http.read("POST", path, **options)
            response = self.http.write("POST", path, policy=policy, changes_state=changes_state, **options)
            is_document = options.get("data") is not None and response.status == 200
            if is_document and response.text.lstrip().startswith("<"):
                # Jenkins accepts a document without a body, so that this is a page such as that of a login
                raise response.wrong_format_error("empty")
            return response

        crumb = self.http.get_cached("crumb", self._initial_crumb)
        try:
            return send(crumb)
        except ServerRefusal as refusal:
            if refusal.status != 403 or _CRUMB_ERROR not in refusal.text:
                raise
        return send(self.http.get_cached("crumb", self._renew_crumb, invalid=crumb))

    def _initial_crumb(self) -> dict[str, str]:
        return {} if self._uses_api_token else self.fetch_crumb()

    def _renew_crumb(self) -> dict[str, str]:
        """Return a new crumb. The server has just required one, so an empty response of the JSON API is wrong."""
        return self.fetch_crumb() or self._fetch_crumb_from_xml()

    def fetch_crumb(self) -> dict[str, str]:
        """Return the header with the crumb of this session; empty if the CSRF protection is disabled."""
        try:
            response = self.http.read("GET", "/crumbIssuer/api/json", accept=(200, 404))
        except ServerRefusal as refusal:
            if refusal.status not in _BLOCKED or _PERMISSION_ERROR.search(refusal.text):
                raise
            if crumb := self._fetch_crumb_from_xml():
                return crumb
            raise
        if response.status == 404:
            return {}
        issued = response.record()
        return {issued.text("crumbRequestField"): issued.text("crumb")}

    def _fetch_crumb_from_xml(self) -> dict[str, str]:
        """Return the header with the crumb if a proxy only allows the XML API, or an empty dictionary."""
        query = {"xpath": _CRUMB_XPATH}
        response = self.http.read("GET", "/crumbIssuer/api/xml", query=query, accept=(200, 404, *_BLOCKED))
        name, colon, value = response.text.partition(":")
        return {name: value} if response.status == 200 and colon and value.isalnum() else {}


def _explain(credential: Credential, response: Response) -> tuple[str | None, str | None]:
    """Return the server's error message and an advice."""
    if response.status == 403 and _CRUMB_ERROR in response.text:
        return _message(response), "Check whether a proxy removes the session cookie or the header with the crumb."
    message = _message(response)
    if response.is_anonymous and response.status in (401, 403, 404):
        return message, f"This page is public, so the request is sent without credentials. {_PATH_ADVICE}"
    if (response.status == 403 and message == "Authentication required") or (
        response.status == 401 and not credential.option
    ):
        return message, "Set 'username' and 'password' or 'api_token'."
    return message, _ADVICE.get(response.status)


def _message(response: Response) -> str | None:
    """Return the error message of the server, from the JSON body, the X-Error header or the error page.

    The Configuration as Code plugin returns a list of objects with messages.
    """
    body = response.json_or_none()
    if isinstance(body, dict) and body.get("message"):
        return str(body["message"])
    if isinstance(body, list) and all(isinstance(problem, dict) and problem.get("message") for problem in body):
        return "; ".join(" ".join(str(problem["message"]).split()) for problem in body) or None
    if "X-Error" in response.headers:
        return response.headers["X-Error"]
    page = response.text[:_MAX_PAGE_LENGTH]
    if failure := _ERROR_PAGE.search(_MARKUP.sub(" ", page)):
        return html.unescape(" ".join(failure.group().split()))
    for pattern in _ERROR_MESSAGES:
        match = re.search(pattern, page)
        if match and match.group().strip():
            return html.unescape(match.group().strip())
    return response.short_text()
