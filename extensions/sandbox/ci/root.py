# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The server itself: root, who am I, crumb issuer, login; and what is known but not served."""

from __future__ import annotations

import html
from typing import Any

from starlette.responses import Response

from . import computers, jobs, pages, security
from .call import Answer, Call, Route
from .exposition import ALWAYS, Bean, Property
from .permissions import ADMINISTER
from .remote_api import API, serve

XPATH_TEXTS = {
    'concat(//crumbRequestField,":",//crumb)': "{field}:{crumb}",
    "concat(//crumbRequestField,'=',//crumb)": "{field}={crumb}",
    "/*/crumb/text()": "{crumb}",
    "/*/crumbRequestField/text()": "{field}",
}
AGENT_PORT_OFF = -1


def _root(call: Call, form: str) -> Response:
    lifecycle = call.service.lifecycle
    view = Bean(
        "hudson.model.AllView",
        Property("name", "all", visibility=ALWAYS),
        Property("url", call.configured_root, visibility=ALWAYS),
    )
    root = Bean(
        "hudson.model.Hudson",
        Property("assignedLabels", computers.labels()),
        Property("mode", "NORMAL"),
        Property("nodeDescription", computers.DESCRIPTION),
        Property("nodeName", ""),
        Property("numExecutors", call.service.scheduler.executors),
        Property("description", None),
        Property("jobs", lambda: [jobs.bean(call, job) for job in jobs.visible(call)]),
        Property("overallLoad", Bean("hudson.model.OverallLoadStatistics", typed=False)),
        Property("primaryView", view),
        Property("quietDownReason", lifecycle.reason),
        Property("quietingDown", lifecycle.quieting),
        Property("slaveAgentPort", AGENT_PORT_OFF),
        Property("unlabeledLoad", Bean("jenkins.model.UnlabeledLoadStatistics")),
        Property("url", call.configured_root),
        Property("useCrumbs", call.switch("csrf")),
        Property("useSecurity", call.switch("security")),
        Property("views", [view]),
    )
    return serve(call, root, form)


def _dashboard(call: Call) -> Response:
    return pages.page("Dashboard - Jenkins", "<h1>Welcome to Jenkins!</h1>")


def _without_slash(call: Call) -> Response:
    return pages.redirect(f"{call.context}/")


def _who_am_i(call: Call, form: str) -> Response:
    principal = call.principal
    who = Bean(
        "hudson.security.WhoAmI",
        Property("anonymous", principal.anonymous),
        Property("authenticated", True),
        Property("authorities", list(principal.authorities)),
        Property("name", principal.name),
    )
    return serve(call, who, form)


def _me(call: Call, form: str) -> Response:
    return _user(call, call.principal.name, form)


def _user(call: Call, name: str, form: str) -> Response:
    user = call.store.user(name)
    if not user:
        raise pages.NotFound
    account = Bean(
        "hudson.model.User",
        Property("absoluteUrl", f"{call.configured_root}user/{call.quoted(user.name)}", visibility=ALWAYS),
        Property("description", None),
        Property("fullName", user.full_name, visibility=ALWAYS),
        Property("id", user.name),
        Property("property", [Bean("jenkins.security.ApiTokenProperty")]),
    )
    return serve(call, account, form)


def _crumb_issuer(call: Call, form: str) -> Response:
    if not call.switch("csrf"):
        raise pages.NotFound
    crumb = security.crumb(call, call.need_session())
    pattern = XPATH_TEXTS.get(call.parameter("xpath") or "") if form == "xml" else None
    if pattern:
        answer = pages.text(pattern.format(field=security.CRUMB_FIELD, crumb=crumb))
        answer.headers["X-Frame-Options"] = "deny"
        call.sign(answer)
        return answer
    members = (Property("crumb", crumb), Property("crumbRequestField", security.CRUMB_FIELD))
    return serve(call, Bean("hudson.security.csrf.DefaultCrumbIssuer", *members), form)


def _who_am_i_page(call: Call) -> Response:
    return pages.page("Who Am I? - Jenkins", f"<h1>Who Am I?</h1><p>{html.escape(call.principal.name)}</p>")


def _script_text(call: Call) -> Answer:
    call.require(ADMINISTER)
    if call.parameter("script") is None:
        return pages.text("")
    if call.method != "POST":
        raise pages.Oops(405)
    raise pages.NotServed("scriptText")


def _change_plugins(call: Call) -> Answer:
    call.require_post()
    call.require(ADMINISTER)
    raise pages.NotServed("changes of plugins")


def _unknown_jar(call: Call) -> Response:
    raise pages.Oops


def _not_served(what: str, administrators_only: bool = True) -> Any:
    def refuse(call: Call) -> Answer:
        if administrators_only:
            call.require(ADMINISTER)
        raise pages.NotServed(what)

    return refuse


ROUTES = (
    Route("", _without_slash, "dashboard", open=True, reads=True),
    Route("/", _dashboard, "dashboard", reads=True),
    Route(API, _root, "root", reads=True),
    Route("/login", security.login_page, "login_page", open=True, reads=True),
    Route("/loginError", security.login_error, "login_page", open=True, reads=True),
    Route(security.LOGIN_PATH, security.login, "login", open=True),
    Route("/whoAmI" + API, _who_am_i, "who_am_i", open=True, reads=True),
    Route("/whoAmI/", _who_am_i_page, "who_am_i", open=True, reads=True),
    Route("/me" + API, _me, "me", reads=True),
    Route("/user/{name}" + API, _user, "user", reads=True),
    Route("/crumbIssuer" + API, _crumb_issuer, "crumb", reads=True),
)

# Behind all others, because some of these stand for whole folders.
NOT_SERVED = (
    Route("/jnlpJars/jenkins-cli.jar", _not_served("the command-line client", False), "cli_jar", open=True, reads=True),
    Route("/jnlpJars/.*", _unknown_jar, "cli_jar", open=True, reads=True),
    Route("/cli(/ws)?", _not_served("the command-line interface", False), "cli", open=True),
    Route(f"({computers.BUILT_IN})?/scriptText", _script_text, "script"),
    Route("/script", _not_served("the script console"), "script", reads=True),
    Route("/pluginManager/.+", _change_plugins, "change_plugins"),
    Route("/job/[^/]+/(confirmRename|doRename)", _not_served("renaming jobs", False), "rename_job"),
    Route("/exit|/safeExit", _not_served("shutting down for good"), "exit"),
    Route("/reload", _not_served("reloading the configuration from disk"), "reload"),
)
