# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Upload and download of a large file: duration, memory, and deduplication."""

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
from bench.row import CannotRunError, Figure, Row, median_ms, ratio
from sandbox.client import Sandbox
from support.session import Session

ROWS = (
    Row("upload_vs_curl", "1 GiB: the three checksums and curl -T with them, over ours", ">=", 0.9),
    Row("upload_mb", "memory above idle during an upload of 1 GiB, MB", "<=", 20),
    Row("upload_known_bytes", "bytes of content sent if the server has it already", "<=", 0),
    Row("download_vs_curl", "1 GiB: curl -o and the checksum of the file, over ours"),
    Row("download_mb", "memory above idle during a download of 1 GiB, MB", "<=", 20),
)
ROUNDS = 3
MIB = 2**20
LOCATION = {"repo": "generic-local", "path": "bench/large.bin"}

# Prints seconds, bytes of content passed to the connection, and memory above that of a small upload
OURS = """
import json, resource, sys, time
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from support import running
sent, send = [0], session.Connection.send
def send_and_count(connection, request, timeout):
    sent[0] += getattr(request.body, "size", 0)
    return send(connection, request, timeout)
session.Connection.send = send_and_count
memory = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
small = running.run("artifact_file", repo="generic-local", path="bench/small.txt", content="x")
idle, start = memory(), time.perf_counter()
done = running.run(sys.argv[1], **json.loads(sys.argv[2]))
seconds = time.perf_counter() - start
assert done["changed"], done
print(json.dumps({"seconds": seconds, "mb": memory() - idle, "sent": sent[0]}))
"""


def measure(sandbox: Sandbox) -> dict[str, Figure]:
    """Run ours and curl in turn, each time on a repository without the content."""
    if not shutil.which("curl"):
        raise CannotRunError("curl is not installed")
    sandbox.switch("artifact", trashcan=False)
    file, copy = create_large_file(), BUILD / "copy.bin"
    try:
        with Session(f"{sandbox.url}/artifactory", sandbox.environment["JFROG_ACCESS_TOKEN"]) as session:
            curl_uploads, uploads, curl_downloads, downloads = [], [], [], []
            for _round in range(ROUNDS):
                curl_uploads.append(upload_with_curl(sandbox, file))
                session.delete("/generic-local/bench/large.bin").raise_for_status()
                uploads.append(run_module(sandbox, "artifact_file", **LOCATION, src=str(file)))
                curl_downloads.append(download_with_curl(sandbox, copy))
                downloads.append(run_module(sandbox, "artifact_download", **LOCATION, dest=str(copy)))
                copy.unlink()
                deduplicated = run_module(
                    sandbox, "artifact_file", repo="generic-local", path="bench/again.bin", src=str(file)
                )
                session.delete("/generic-local/bench").raise_for_status()
    finally:
        file.unlink()
        copy.unlink(missing_ok=True)
    seconds = [run["seconds"] for run in uploads]
    with_checksums, without_checksums = zip(*curl_uploads, strict=True)
    details = {
        "ms": median_ms(seconds),
        "curl_ms": median_ms(with_checksums),
        "without_checksums_ms": median_ms(without_checksums),
    }
    return {
        "upload_vs_curl": ratio(with_checksums, seconds, **details),
        "upload_mb": Figure(round(max(run["mb"] for run in uploads), 1)),
        "upload_known_bytes": Figure(deduplicated["sent"]),
        "download_vs_curl": ratio(
            curl_downloads, [run["seconds"] for run in downloads], curl_ms=median_ms(curl_downloads)
        ),
        "download_mb": Figure(round(max(run["mb"] for run in downloads), 1)),
    }


def create_large_file() -> Path:
    """Write 1 GiB of content that does not repeat."""
    BUILD.mkdir(parents=True, exist_ok=True)
    file, chunk = BUILD / "large.bin", os.urandom(MIB)
    with file.open("wb") as stream:
        for number in range(1024):
            stream.write(number.to_bytes(8, "big") + chunk[8:])
    return file


def run_module(sandbox: Sandbox, module: str, **options: Any) -> dict[str, float]:
    """Run a module in its own process and return seconds, memory and content bytes."""
    environment = {**os.environ, **sandbox.environment, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", OURS, module, json.dumps(options)]
    return json.loads(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


def upload_with_curl(sandbox: Sandbox, file: Path) -> tuple[float, float]:
    """Return the seconds of three checksums and the upload, and of the upload alone."""
    start = time.perf_counter()
    headers = login(sandbox)
    for name in ("sha256", "sha1", "md5"):
        output = subprocess.run([f"{name}sum", str(file)], check=True, capture_output=True, text=True).stdout
        headers += ["-H", f"X-Checksum-{name.capitalize()}: {output.split()[0]}"]
    upload_start = time.perf_counter()
    subprocess.run(["curl", "-sSf", "-o", os.devnull, "-T", str(file), *headers, large_file_url(sandbox)], check=True)
    return time.perf_counter() - start, time.perf_counter() - upload_start


def download_with_curl(sandbox: Sandbox, copy: Path) -> float:
    """Return the seconds of a download and its checksum, and delete the file."""
    start = time.perf_counter()
    subprocess.run(["curl", "-sSf", "-o", str(copy), *login(sandbox), large_file_url(sandbox)], check=True)
    subprocess.run(["sha256sum", str(copy)], check=True, capture_output=True)
    seconds = time.perf_counter() - start
    copy.unlink()
    return seconds


def login(sandbox: Sandbox) -> list[str]:
    """Return the curl options that log in."""
    return ["-H", f"Authorization: Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}"]


def large_file_url(sandbox: Sandbox) -> str:
    """Return the URL of the large file."""
    return f"{sandbox.url}/artifactory/{LOCATION['repo']}/{LOCATION['path']}"
