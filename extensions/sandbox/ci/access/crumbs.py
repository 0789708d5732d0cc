# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The crumb issuer."""

from __future__ import annotations

from collections.abc import Callable

from starlette.responses import Response

from ...http.routing import ANY, Route
from ..call import Answer, Call
from ..http import pages
from ..http.refusals import NotFound
from ..remote_api.api import API, serve
from ..remote_api.beans import Bean, Property
from . import login

# These expressions return plain text. Others that select no element are refused as everywhere.
# The one for the field name creates neither a crumb nor a session.
FIELD = login.CRUMB_FIELD
XPATH_TEXTS: dict[str, Callable[[Call], str]] = {
    'concat(//crumbRequestField,":",//crumb)': lambda call: f"{FIELD}:{call.crumb}",
    "concat(//crumbRequestField,'=',//crumb)": lambda call: f"{FIELD}={call.crumb}",
    "/*/crumb/text()": lambda call: call.crumb,
    "/*/crumbRequestField/text()": lambda _call: FIELD,
}


def _crumb_issuer(call: Call, form: str) -> Answer:
    if not call.switch("csrf"):
        raise NotFound
    text = XPATH_TEXTS.get(call.parameter("xpath") or "") if form.startswith("/xml") else None
    if text:
        answer = pages.plain_text(text(call))
        answer.headers["X-Frame-Options"] = "deny"
        call.sign(answer)
        return answer
    members = (Property("crumb", call.crumb), Property("crumbRequestField", FIELD))
    return serve(call, Bean("hudson.security.csrf.DefaultCrumbIssuer", *members), form)


def _redirect_to_slash(call: Call) -> Response:
    if not call.switch("csrf"):
        raise NotFound
    return pages.redirect(call.with_slash)


def _refuse_page(_call: Call) -> Response:
    raise NotFound


ROUTES = (
    Route(ANY, "/crumbIssuer/", _refuse_page, "crumb", read_only=True),
    Route(ANY, "/crumbIssuer", _redirect_to_slash, "crumb", read_only=True),
    Route(ANY, "/crumbIssuer" + API, _crumb_issuer, "crumb", read_only=True),
)
