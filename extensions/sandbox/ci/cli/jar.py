# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client program: an uploaded one, or a placeholder that says that it is not the real one."""

from __future__ import annotations

import email.utils
import io
import zipfile
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route

from ..call import Call
from ..state import State

BUILT = 1_700_000_000
NO_CLIENT = (
    "This is a placeholder of the sandbox. It prints a version and does nothing. Upload another client of the\n"
    "command-line interface with PUT /_sandbox/ci/cli-jar.\n"
)


def serve(call: Call, name: str) -> Response:
    """Serve the client program, which is public."""
    own = call.storage.setting("cli_jar")
    content = None if own else placeholder_jar(call.switch("version"))
    modified = email.utils.formatdate(own["since"] if own else BUILT + _build_time(call.switch("version")), usegmt=True)
    if call.headers.get("If-Modified-Since") == modified:
        return Response(status_code=304)
    headers = {
        "Content-Disposition": f"attachment; filename={name}",
        "Last-Modified": modified,
        "Expires": modified,
        "Accept-Ranges": "bytes",
    }
    if content is not None:
        return Response(content, headers=headers, media_type="application/java-archive")
    path = call.controller.runtime.files.path(own["sha256"])
    answer = FileResponse(path, headers=headers, media_type="application/java-archive")
    answer.headers["Last-Modified"] = modified
    return answer


def _build_time(version: str) -> int:
    """Return the build time of the client, which differs by release."""
    return sum(60 * 1000 ** (1 - place) * int(n) for place, n in enumerate(version.split("-")[0].split(".")[:2]) if n)


def placeholder_jar(version: str) -> bytes:
    """Return a JAR without a program."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as jar:
        for name, text in (
            ("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\r\nJenkins-CLI-Version: {version}\r\n\r\n"),
            ("README.txt", NO_CLIENT),
        ):
            jar.writestr(zipfile.ZipInfo(name), text)
    return file.getvalue()


def control_route(state: State) -> BaseRoute:
    """Return the control route that replaces the client program."""

    async def put(request: Request) -> Response:
        stored = await state.runtime.files.put_stream(request.stream())
        own: dict[str, Any] = {"sha256": stored.sha256, "since": int(state.runtime.clock.now())}
        state.storage.set("cli_jar", own)
        return JSONResponse({"size": stored.size})

    return Route("/cli-jar", put, methods=["PUT"])
