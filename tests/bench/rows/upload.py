# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A large file on its way to the repository and back: time, memory, and what is not sent at all."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from bench.play import BUILD
from bench.row import CannotRunError, Figure, Row, milliseconds, ratio
from sandbox.client import Sandbox
from support.session import Session

ROWS = (
    Row("upload_vs_curl", "1 GiB: the three checksums and curl -T with them, over ours", ">=", 0.9),
    Row("upload_mb", "memory above idle while 1 GiB is sent, MB", "<=", 20),
    Row("upload_known_bytes", "bytes of content sent when the server has it", "<=", 0),
    Row("download_vs_curl", "1 GiB: curl -o and the checksum of what came, over ours"),
    Row("download_mb", "memory above idle while 1 GiB comes, MB", "<=", 20),
)
ROUNDS = 3
MIB = 2**20
WHERE = {"repo": "generic-local", "path": "bench/large.bin"}

# Told on standard output: seconds, bytes of content handed to the connection, and memory above that of a small upload
OURS = """
import json, resource, sys, time
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from support import running
sent, send = [0], session.Connection.send
def counting(connection, request, timeout):
    sent[0] += getattr(request.body, "size", 0)
    return send(connection, request, timeout)
session.Connection.send = counting
memory = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
small = running.run("artifact_file", repo="generic-local", path="bench/small.txt", content="x")
idle, began = memory(), time.perf_counter()
done = running.run(sys.argv[1], **json.loads(sys.argv[2]))
seconds = time.perf_counter() - began
assert done["changed"], done
print(json.dumps({"seconds": seconds, "mb": memory() - idle, "sent": sent[0]}))
"""


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """In turn ours and curl's, each time to a repository that does not have the content."""
    if not shutil.which("curl"):
        raise CannotRunError("there is no curl")
    sandbox.switch("artifact", trashcan=False)
    file, copy = large_file(), BUILD / "copy.bin"
    try:
        with Session(f"{sandbox.url}/artifactory", sandbox.environment["JFROG_ACCESS_TOKEN"]) as session:
            curls, runs, copies, fetched = [], [], [], []
            for _round in range(ROUNDS):
                curls.append(by_curl(sandbox, file))
                session.delete("/generic-local/bench/large.bin").raise_for_status()
                runs.append(by_us(sandbox, "artifact_file", **WHERE, src=str(file)))
                copies.append(copied_by_curl(sandbox, copy))
                fetched.append(by_us(sandbox, "artifact_download", **WHERE, dest=str(copy)))
                copy.unlink()
                known = by_us(sandbox, "artifact_file", repo="generic-local", path="bench/again.bin", src=str(file))
                session.delete("/generic-local/bench").raise_for_status()
    finally:
        file.unlink()
        copy.unlink(missing_ok=True)
    seconds = [run["seconds"] for run in runs]
    whole, alone = zip(*curls, strict=True)
    details = {"ms": milliseconds(seconds), "curl_ms": milliseconds(whole), "without_checksums_ms": milliseconds(alone)}
    return {
        "upload_vs_curl": ratio(whole, seconds, **details),
        "upload_mb": Figure(round(max(run["mb"] for run in runs), 1)),
        "upload_known_bytes": Figure(known["sent"]),
        "download_vs_curl": ratio(copies, [run["seconds"] for run in fetched], curl_ms=milliseconds(copies)),
        "download_mb": Figure(round(max(run["mb"] for run in fetched), 1)),
    }


def large_file() -> Path:
    """1 GiB that does not repeat itself."""
    BUILD.mkdir(parents=True, exist_ok=True)
    file, piece = BUILD / "large.bin", os.urandom(MIB)
    with file.open("wb") as stream:
        for number in range(1024):
            stream.write(number.to_bytes(8, "big") + piece[8:])
    return file


def by_us(sandbox: Sandbox, module: str, **options: Any) -> dict[str, float]:
    """Seconds, memory and bytes of a module of ours, in a process of its own."""
    environment = {**os.environ, **sandbox.environment, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", OURS, module, json.dumps(options)]
    return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def by_curl(sandbox: Sandbox, file: Path) -> tuple[float, float]:
    """Seconds of the checksums, one after the other, with the upload that has them; and of the upload alone."""
    began = time.perf_counter()
    headers = login(sandbox)
    for name in ("sha256", "sha1", "md5"):
        told = subprocess.run([f"{name}sum", str(file)], check=True, capture_output=True, text=True).stdout
        headers += ["-H", f"X-Checksum-{name.capitalize()}: {told.split()[0]}"]
    hashed = time.perf_counter()
    subprocess.run(["curl", "-sSf", "-o", os.devnull, "-T", str(file), *headers, address(sandbox)], check=True)
    return time.perf_counter() - began, time.perf_counter() - hashed


def copied_by_curl(sandbox: Sandbox, copy: Path) -> float:
    """Seconds of a download, which leaves nothing behind, and of the checksum that says whether it is right."""
    began = time.perf_counter()
    subprocess.run(["curl", "-sSf", "-o", str(copy), *login(sandbox), address(sandbox)], check=True)
    subprocess.run(["sha256sum", str(copy)], check=True, capture_output=True)
    seconds = time.perf_counter() - began
    copy.unlink()
    return seconds


def login(sandbox: Sandbox) -> list[str]:
    """The options with which curl logs in."""
    return ["-H", f"Authorization: Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}"]


def address(sandbox: Sandbox) -> str:
    """Where the large file is."""
    return f"{sandbox.url}/artifactory/{WHERE['repo']}/{WHERE['path']}"
