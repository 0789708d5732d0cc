# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The root of the server and its public pages."""

from __future__ import annotations

import html
import pathlib

from starlette.responses import Response

from ...http.routing import ANY, Route
from ..access.permissions import JOB_CREATE, MANAGE
from ..call import Answer, Call
from ..http import pages
from ..http.refusals import NotFound
from ..jobs import job_api, stored_views
from ..nodes import computers, stored_nodes
from ..remote_api.api import API, serve
from ..remote_api.beans import Bean, Property

AGENT_PORT_OFF = -1
ROBOTS = '# we don\'t want robots to click "build" links\nUser-agent: *\nDisallow: /'
ICON = bytes.fromhex(
    "000001000100010100000100180030000000160000002800000001000000020000000100180000000000"
    "080000000000000000000000000000000000000035335200" + "00000000"
)
README = "Files in this directory will be served under your http://yourjenkins/userContent/\n"
FILE_TYPES = {
    ".html": "text/html;charset=utf-8",
    ".json": "application/json",
    ".txt": "text/plain;charset=utf-8",
    ".xml": "application/xml",
}
USER_CONTENT_POLICY = "sandbox allow-same-origin; default-src 'none'; img-src 'self'; style-src 'self';"


def _root(call: Call, form: str) -> Answer:
    root = Bean(
        "hudson.model.Hudson",
        *computers.node_members(call, stored_nodes.find_built_in(call.storage)),
        Property("description", None),
        Property("jobs", lambda: [job_api.job_bean(call, job) for job in job_api.list_visible(call)]),
        Property("overallLoad", Bean("hudson.model.OverallLoadStatistics", typed=False)),
        Property("primaryView", lambda: job_api.primary_view_bean(call)),
        Property("quietDownReason", call.lifecycle.reason),
        Property("quietingDown", call.lifecycle.quieting),
        Property("slaveAgentPort", AGENT_PORT_OFF),
        Property("unlabeledLoad", Bean("jenkins.model.UnlabeledLoadStatistics")),
        Property("url", call.configured_url),
        Property("useCrumbs", call.switch("csrf")),
        Property("useSecurity", call.switch("security")),
        Property("views", lambda: job_api.list_views(call)),
    )
    return serve(call, root, form)


def _management(call: Call, form: str) -> Answer:
    call.require(MANAGE)
    return _root(call, form)


def _dashboard(call: Call) -> Response:
    if not stored_views.find_primary(call.storage, ""):
        raise NotFound
    return call.page("Dashboard - Jenkins", "<h1>Welcome to Jenkins!</h1>")


def _redirect_to_slash(call: Call) -> Response:
    return pages.redirect(f"{call.context}/")


def _with_slash(call: Call) -> Response:
    return pages.redirect(call.with_slash)


def _new_item(call: Call) -> Response:
    call.require(JOB_CREATE)
    return call.page("New Item - Jenkins", "<h1>New Item</h1>")


def _user_content(call: Call) -> Response:
    links = "".join(f"<a href='{html.escape(name)}'>{html.escape(name)}</a>" for name in _user_files(call))
    return call.page("User content : / - Jenkins", links)


def _user_files(call: Call) -> dict[str, str]:
    """Return the files below /userContent/."""
    return {"readme.txt": README, **call.storage.setting("user_content", {})}


def _user_file(call: Call, path: str) -> Response:
    text = _user_files(call).get(path)
    if text is None:
        raise NotFound
    answer = pages.plain_text(text)
    answer.headers["Content-Type"] = FILE_TYPES.get(pathlib.PurePosixPath(path).suffix, "application/octet-stream")
    answer.headers["Content-Security-Policy"] = USER_CONTENT_POLICY
    return answer


def _robots(_call: Call) -> Response:
    return Response(ROBOTS.encode(), headers={"Content-Type": "text/plain"})


def _icon(_call: Call) -> Response:
    return Response(ICON, headers={"Content-Type": "image/vnd.microsoft.icon"})


def _no_agents(_call: Call) -> Response:
    """Return the error for the disabled agent port."""
    raise NotFound


ROUTES = (
    Route(ANY, "", _redirect_to_slash, "dashboard", scope="open", read_only=True),
    Route(ANY, "/", _dashboard, "dashboard", read_only=True),
    Route(ANY, API, _root, "root", read_only=True),
    Route(ANY, "/manage" + API, _management, "root", read_only=True),
    Route(ANY, "/{:manage|pluginManager|whoAmI|me|updateCenter}", _with_slash, "dashboard", read_only=True),
    Route(ANY, "/{:(?:view/[aA]ll/)?newJob}", _new_item, "dashboard", read_only=True),
    Route(ANY, "/userContent/", _user_content, "user_content", read_only=True),
    Route(ANY, "/userContent/{path:.+}", _user_file, "user_content", read_only=True),
    Route(ANY, "/robots.txt", _robots, "robots", scope="open", read_only=True),
    Route(ANY, "/favicon.ico", _icon, "icon", scope="open", read_only=True),
    Route(ANY, "/tcpSlaveAgentListener{:/?}", _no_agents, "agents", scope="open", read_only=True),
)
