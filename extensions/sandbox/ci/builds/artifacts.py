# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Artifacts of builds: listing, download and ZIP; and the files of file parameters."""

from __future__ import annotations

import html
import io
import mimetypes
import zipfile

from starlette.responses import Response

from ...http.routing import ANY, Route
from ..call import Call
from ..http import pages
from ..http.refusals import PartNotFound
from ..storage import Build
from ..system.root import USER_CONTENT_POLICY
from . import build_api

BELOW = build_api.PATH + "/artifact"


def _find_archived_build(call: Call, job: str, build: str) -> Build:
    """Return the build, with its artifacts if they are already archived."""
    found = build_api.find_by_path(call, job, build)
    if found.running(call.now) or not found.artifacts:
        raise PartNotFound
    return found


def _listing(call: Call, job: str, build: str) -> Response:
    found = _find_archived_build(call, job, build)
    links = "".join(f"<a href='{call.encode_name(path)}'>{html.escape(path)}</a>" for path in found.artifacts)
    return call.page(f"Artifacts of {found.job} #{found.number} : / - Jenkins", links)


def _file(call: Call, job: str, build: str, path: str) -> Response:
    artifacts = _find_archived_build(call, job, build).artifacts
    if path == "*zip*/archive.zip":
        return _serve_file(_serve_zip(artifacts), "application/zip")
    if path not in artifacts:
        raise PartNotFound
    return _serve_file(artifacts[path].encode(), mimetypes.guess_type(path)[0] or "application/octet-stream")


def _serve_file(content: bytes, media_type: str) -> Response:
    headers = {"Content-Type": media_type, "Content-Security-Policy": USER_CONTENT_POLICY}
    return Response(content, headers=headers)


def _serve_zip(artifacts: dict[str, str]) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in artifacts.items():
            archive.writestr(f"archive/{path}", text)
    return content.getvalue()


def _serve_parameter_file(call: Call, job: str, build: str, name: str, path: str) -> Response:
    for parameter in build_api.find_by_path(call, job, build).parameters or []:
        if parameter["name"] == name == path and "file" in parameter:
            content = call.controller.runtime.files.path(parameter["file"]).read_bytes()
            return _serve_file(content, mimetypes.guess_type(path)[0] or "application/octet-stream")
    raise PartNotFound


def _redirect_to_slash(call: Call, job: str, build: str) -> Response:
    _find_archived_build(call, job, build)
    return pages.redirect(call.with_slash)


ROUTES = (
    Route(
        ANY, build_api.PATH + "/parameters/parameter/{name}/{path}", _serve_parameter_file, "given_file", read_only=True
    ),
    Route(ANY, BELOW, _redirect_to_slash, "artifact", read_only=True),
    Route(ANY, BELOW + "/", _listing, "artifact", read_only=True),
    Route(ANY, BELOW + "/{path:.+}", _file, "artifact", read_only=True),
)
