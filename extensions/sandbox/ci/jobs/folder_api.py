# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves of items between folders."""

from __future__ import annotations

from starlette.responses import Response

from ...http.routing import ANY, Route
from ..access.permissions import JOB_MOVE
from ..call import JOB, Call
from ..http import pages
from ..http.refusals import NotFound
from ..storage import Job
from . import configuration
from .item_kinds import FOLDER


def _move(call: Call, job: str) -> Response:
    """Move an item. A refused move redirects to its form."""
    found = call.job(job)
    if not call.plugins.provide(FOLDER):
        raise NotFound
    call.require_post()
    call.require(JOB_MOVE)
    destination = call.parameter("destination") or ""
    name = f"{destination.removeprefix('/')}/{found.leaf}".removeprefix("/")
    if not destination.startswith("/") or not _may_move(call, found, destination.removeprefix("/"), name):
        return pages.redirect(f"{call.job_path(found.name)}move/")
    call.storage.rename_job(found, name)
    return pages.redirect(call.job_path(name))


def _may_move(call: Call, found: Job, folder: str, name: str) -> bool:
    if f"{folder}/".startswith(f"{found.name}/") or call.storage.job(name):
        return False
    target = call.storage.job(folder) if folder else None
    return not folder or bool(target and configuration.parse_configuration(target.config).kind is FOLDER)


ROUTES = (Route(ANY, JOB + "/move/move", _move, "move_job"),)
