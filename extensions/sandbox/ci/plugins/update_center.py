# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The update center on the wire: updates, installation jobs and the restart after them."""

from __future__ import annotations

import html
import json
from typing import Any

from starlette.responses import Response

from ...http.routing import ANY, Route
from ..access.permissions import ADMINISTER
from ..call import Answer, Call
from ..http import pages
from ..http.refusals import NotFound
from ..remote_api.api import API, serve
from . import plugin_beans
from .update_site import NO_SIGNATURE


def ok_response(data: dict[str, Any]) -> Response:
    """Return the success response of the setup wizard."""
    return Response(json.dumps({"status": "ok", "data": data}), headers={"Content-Type": "application/json"})


def _show(call: Call, form: str) -> Answer:
    call.require_reading()
    return serve(call, plugin_beans.update_center_bean(call), form)


def _show_site(call: Call, form: str) -> Answer:
    call.require_reading()
    return serve(call, plugin_beans.site_bean(call), form)


def _show_offer(call: Call, name: str, form: str) -> Answer:
    call.require_reading()
    offers = call.update_site.offers()
    if name not in offers:
        raise NotFound
    return serve(call, plugin_beans.offered_bean(call, offers[name]), form)


def _connection_status(call: Call) -> Response:
    call.require_reading()
    return ok_response({"updatesite": "OK", "internet": "OK"})


def _install_status(call: Call) -> Response:
    call.require_reading()
    correlation = call.parameter("correlationId")
    jobs = []
    for job in call.installations.jobs():
        if job.plugin is None or (correlation is not None and job.correlation != correlation):
            continue
        kind = job.status(call.now)
        status = {"name": job.plugin, "version": job.version, "title": job.title, "installStatus": kind}
        status["requiresRestart"] = "true" if kind == "SuccessButRequiresRestart" else "false"
        jobs.append({**status, **({"correlationId": job.correlation} if job.correlation else {})})
    return ok_response({"state": "RUNNING", "jobs": jobs})


def _invalidate(call: Call) -> Response:
    call.require_post()
    call.require(ADMINISTER)
    call.update_site.invalidate()
    return Response()


def _verify_signature(call: Call) -> Response:
    call.require_post()
    call.require(ADMINISTER)
    return check_response(NO_SIGNATURE if call.update_site.problem(call.update_site.url) == NO_SIGNATURE else None)


def check_response(error: str | None) -> Response:
    """Return the response of a form field check."""
    text = f'<div class="error">{html.escape(error)}</div>' if error else "<div/>"
    return Response(text, headers={"Content-Type": "text/html;charset=utf-8"})


def _install(call: Call, name: str, when: str) -> Response:
    if name not in call.update_site.offers():
        raise NotFound
    call.require_post()
    call.require(ADMINISTER)
    call.installations.install([name], dynamic=when == "installNow", now=call.now, batch=False)
    return pages.redirect(f"{call.context}/updateCenter/")


def _downgrade(call: Call, name: str) -> Response:
    if name not in call.update_site.offers():
        raise NotFound
    call.require_post()
    call.require(ADMINISTER)
    call.installations.downgrade(name, call.now)
    return pages.redirect(f"{call.context}/updateCenter/")


def _restart(call: Call) -> Response:
    call.require_post()
    call.require(ADMINISTER)
    call.installations.restart(call.now)
    return pages.redirect(f"{call.context}/updateCenter/")


def _cancel_restart(call: Call) -> Response:
    call.require_post()
    call.require(ADMINISTER)
    call.installations.cancel_restart()
    return pages.redirect(f"{call.context}/updateCenter/")


PLUGIN = "/updateCenter/{:(?:site/default/)?}plugin/{name}"

ROUTES = (
    Route(ANY, "/updateCenter" + API, _show, "update_center", read_only=True),
    Route(ANY, "/updateCenter/site/default" + API, _show_site, "update_site", read_only=True),
    Route(ANY, PLUGIN + API, _show_offer, "offered_plugin", read_only=True),
    Route(ANY, PLUGIN + "/{when:install|installNow}", _install, "install_plugins"),
    Route(ANY, PLUGIN + "/downgrade", _downgrade, "downgrade_plugin"),
    Route(ANY, "/updateCenter/connectionStatus", _connection_status, "update_center", read_only=True),
    Route(ANY, "/updateCenter/installStatus", _install_status, "update_center", read_only=True),
    Route(ANY, "/updateCenter/invalidateData", _invalidate, "refresh_metadata"),
    Route(ANY, "/updateCenter/site/default/verifySignature", _verify_signature, "update_site", read_only=True),
    Route(ANY, "/updateCenter/safeRestart", _restart, "restart_after_installing"),
    Route(ANY, "/updateCenter/cancelRestart", _cancel_restart, "cancel_restart_after_installing"),
)
