# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Concurrent runs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


def run_concurrently(*runs: Callable[[], dict[str, Any]]) -> list[dict[str, Any]]:
    """Start runs at the same time and return their results."""
    results: list[dict[str, Any]] = []
    begin = threading.Barrier(len(runs))

    def go(run: Callable[[], dict[str, Any]]) -> None:
        begin.wait()
        results.append(run())

    threads = [threading.Thread(target=go, args=[run]) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
