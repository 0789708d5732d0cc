# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A build and its result: duration compared with community.general, requests and memory."""

from __future__ import annotations

import contextlib
import http.server
import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from bench.play import name_task, play
from bench.row import Figure, Row, median_ms, ratio
from sandbox.client import Sandbox
from support.servers.environments import environment

ROWS = (
    Row("build_vs_peer", "a build of 0 s, started and waited for: seconds of community.general, over ours", ">=", 3),
    Row("build_requests", "requests for a build without waiting, with an API token", "<=", 2),
    Row("console_mb", "memory above idle while following a log of 100 MB, MB", "<=", 10),
)
ROUNDS = 3
JOB = {"name": "quick", "seconds": 0, "quiet_period": 0}
MIB = 2**20
CHUNKS = 10
CHUNK = b"".join(b"%09d %s\r\n" % (line, b"x" * 90) for line in range(10 * MIB // 102))
# Prints the megabytes that following a long log needs above those for a short one
PROGRAM = """
import json, resource, sys
sys.path[:0] = json.loads(sys.argv[1])
from support.running import run
def peak(url):
    login = {"url": url, "username": "bench", "api_token": "worthless"}
    done = run("ci_build", job="app", wait_delay=0.1, display=lambda line: None, **login)
    assert done["build"]["result"] == "SUCCESS", done
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
idle = peak(sys.argv[2])
print(peak(sys.argv[3]) - idle)
"""


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Run both in turn, then count the requests of ours, then follow the log of a server that only prints."""
    sandbox.seed({"ci": {"jobs": [JOB]}})
    programs = environment("community-general")
    seconds: dict[str, list[float]] = {"ours": [], "theirs": []}
    for _round in range(ROUNDS):
        for name, task in (("ours", our_task()), ("theirs", their_task(sandbox))):
            seconds[name] += play(sandbox, [{"tasks": [task]}], rounds=1, programs=programs).task[task["name"]]
    sandbox.clear_journal()
    play(sandbox, [{"tasks": [our_task(wait=False)]}], rounds=1, warm_up=False)
    return {
        "build_vs_peer": ratio(seconds["theirs"], seconds["ours"], ms=median_ms(seconds["ours"])),
        "build_requests": Figure(len(sandbox.journal("ci"))),
        "console_mb": Figure(round(measure_log_memory(), 1)),
    }


def our_task(**options: Any) -> dict[str, Any]:
    return name_task("ours", {"buildworks.toolchain.ci_build": {"job": JOB["name"], **options}})


def their_task(sandbox: Sandbox) -> dict[str, Any]:
    variables = sandbox.environment
    options = {
        "name": JOB["name"],
        "url": variables["JENKINS_URL"],
        "user": variables["JENKINS_USER_ID"],
        "token": variables["JENKINS_API_TOKEN"],
    }
    return name_task("theirs", {"community.general.jenkins_build": options})


def measure_log_memory() -> float:
    """Return the memory of a run that follows a long log above that of one that follows a short log."""
    paths = json.dumps([path for path in sys.path if path])
    with start_server(1, b"x\r\n") as short, start_server(CHUNKS, CHUNK) as long:
        command = [sys.executable, "-c", PROGRAM, paths, short, long]
        return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@contextlib.contextmanager
def start_server(chunks: int, chunk: bytes) -> Iterator[str]:
    """Start a server with one build that prints a chunk per poll, and yield its URL.

    :arg chunks: how often the chunk is printed
    """
    size = len(chunk) - chunk.count(b"\r")
    responses = {
        "/job/app/api/json": {"buildable": True, "nextBuildNumber": 1},
        "/queue/item/1/api/json": {"executable": {"number": 1}},
        "/job/app/1/api/json": {"number": 1, "building": False, "result": "SUCCESS"},
    }

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path, _mark, query = self.path.partition("?")
            if path in responses:
                self.respond(200, json.dumps(responses[path]).encode())
                return
            end = int(query.removeprefix("start=")) + size
            headers = {"X-More-Data": "true"} if end < chunks * size else {}
            self.respond(200, chunk, {"X-Text-Size": str(end), **headers})

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.respond(201, b"", {"Location": "/queue/item/1/"})

        def respond(self, status: int, body: bytes, headers: Mapping[str, str] = MappingProxyType({})) -> None:
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
