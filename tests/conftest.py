# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sandbox for all tests: one process for the whole run, as new for each test."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import hypothesis
import pytest

from sandbox import client
from support.browser import Chromium, chromium
from support.servers.process import or_skip
from support.session import Session

# A run that fails does so again, and one that passes elsewhere passes here, however slow the machine
hypothesis.settings.register_profile(
    "the same each time", derandomize=True, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("the same each time")

# What tells programs to write as on a terminal, also where there is none
TERMINAL = ("COLUMNS", "LINES", "FORCE_COLOR", "CLICOLOR_FORCE", "PYTHON_COLORS", "PY_COLORS")


def pytest_configure() -> None:
    """Do not pass on that SIGINT is ignored, as it is in a shell's background: tests interrupt programs."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def no_terminal() -> Iterator[None]:
    """Programs that tests run break no lines and write no colours, whatever terminal the tests are run in."""
    with pytest.MonkeyPatch.context() as patch:
        for name in TERMINAL:
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(scope="session")
def running_sandbox() -> Iterator[client.Sandbox]:
    """The one sandbox of this run."""
    with client.start() as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(running_sandbox: client.Sandbox) -> client.Sandbox:
    """The sandbox, as right after its start."""
    running_sandbox.reset()
    return running_sandbox


@pytest.fixture
def sandbox_environment(monkeypatch: pytest.MonkeyPatch, sandbox: client.Sandbox) -> None:
    """Set the environment variables with which modules reach the sandbox."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def artifactory(sandbox: client.Sandbox) -> Session:
    """The sandbox's artifact repository, as its administrator."""
    return Session(f"{sandbox.url}/artifactory", sandbox.environment["JFROG_ACCESS_TOKEN"])


@pytest.fixture
def artifactory_reader(sandbox: client.Sandbox) -> Session:
    """The sandbox's artifact repository, as somebody who may only read."""
    return Session(f"{sandbox.url}/artifactory", ("reader", "sandbox-reader"))


@pytest.fixture
def artifactory_anonymous(sandbox: client.Sandbox) -> Session:
    """The sandbox's artifact repository, without credentials."""
    return Session(f"{sandbox.url}/artifactory")


@pytest.fixture
def access(sandbox: client.Sandbox) -> Session:
    """The sandbox's token service, as its administrator."""
    return Session(f"{sandbox.url}/access/api/v1", sandbox.environment["JFROG_ACCESS_TOKEN"])


@pytest.fixture(scope="session")
def browser() -> Iterator[Chromium]:
    """The one browser of this run; see `check_page`."""
    yield from or_skip(chromium())
