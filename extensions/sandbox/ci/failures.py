# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Responses of the fault presets."""

from __future__ import annotations

from starlette.responses import Response

from ..service import Failures
from .access.permissions import ADMINISTER
from .http import pages
from .http.error_pages import render_engine_page
from .http.refusals import EngineError

_CHALLENGE = {"WWW-Authenticate": 'Basic realm="Jenkins", charset="UTF-8"'}
_STARTING = "Please wait while Jenkins is getting ready to work"


def _deny_access() -> Response:
    message = f"The account is missing the {ADMINISTER.title} permission"
    page = pages.html_page("Jenkins", f"<h1>Access Denied</h1><p class='error'>{message}</p>", 403)
    page.headers["X-Required-Permission"] = ADMINISTER.id
    return page


FAILURES: Failures = {
    "unavailable": [({}, pages.outage_page("Starting Jenkins", _STARTING))],
    "expired_token": [({}, render_engine_page(EngineError(401, headers=_CHALLENGE), "/ci/"))],
    "read_only_account": [({"effect": "write"}, _deny_access())],
}
