# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measurement of the CPU time of the sandbox, independent of other load."""

from __future__ import annotations

import http.client
import pathlib
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from sandbox import client


def work_before_answers(sandbox: client.Sandbox, going_on: Callable[[], bool]) -> list[float]:
    """Return the CPU time in milliseconds between a health check and its response.

    On an idle machine, this is the duration of the request.
    """
    worked = []
    connection = http.client.HTTPConnection(urlsplit(sandbox.url).netloc)
    while going_on():
        before = processor_time(sandbox)
        connection.request("GET", "/_sandbox/health")
        connection.getresponse().read()
        worked.append(processor_time(sandbox) - before)
        time.sleep(0.005)
    connection.close()
    return worked


def processor_time(sandbox: client.Sandbox) -> float:
    """Return the CPU time of the sandbox in milliseconds."""
    threads = pathlib.Path(f"/proc/{sandbox.pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1_000_000
