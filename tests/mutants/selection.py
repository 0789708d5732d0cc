# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pytest plugin: run only listed tests, in the order of the list, and write how long each test took."""

from __future__ import annotations

import collections
import json
from pathlib import Path

import pytest

_seconds: dict[str, float] = collections.defaultdict(float)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--listed", help="JSON file with the node ids of the tests to run, in their order")
    parser.addoption("--seconds", help="JSON file to write: node id to seconds")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if listed := config.getoption("--listed"):
        place = {name: number for number, name in enumerate(json.loads(Path(listed).read_text()))}
        items[:] = sorted((item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid])


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _seconds[report.nodeid] += report.duration


def pytest_sessionfinish(session: pytest.Session) -> None:
    path = session.config.getoption("--seconds")
    if path and not hasattr(session.config, "workerinput"):
        Path(path).write_text(json.dumps(_seconds))
