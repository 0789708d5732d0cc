# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures for all tests: one sandbox for the whole run, which is reset for each test."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import hypothesis
import pytest

from sandbox import client
from support.browser import Chromium, chromium
from support.servers.process import run_or_skip
from support.session import Session

# Generated examples are the same in each run, and have no deadline, so that results do not depend on the machine.
hypothesis.settings.register_profile(
    "deterministic", derandomize=True, deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("deterministic")

# Variables that let programs write as on a terminal
TERMINAL = ("COLUMNS", "LINES", "FORCE_COLOR", "CLICOLOR_FORCE", "PYTHON_COLORS", "PY_COLORS")


def pytest_configure() -> None:
    """Restore the handler of SIGINT, which background jobs of a shell ignore. Tests interrupt programs."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def no_terminal() -> Iterator[None]:
    """Disable colors and line breaks in the output of programs, independently of the terminal."""
    with pytest.MonkeyPatch.context() as patch:
        for name in TERMINAL:
            patch.delenv(name, raising=False)
        yield


@pytest.fixture(scope="session")
def running_sandbox() -> Iterator[client.Sandbox]:
    """Start the sandbox for all tests."""
    with client.start() as sandbox:
        yield sandbox


@pytest.fixture
def sandbox(running_sandbox: client.Sandbox) -> client.Sandbox:
    """Return the sandbox after a reset."""
    running_sandbox.reset()
    return running_sandbox


@pytest.fixture
def sandbox_environment(monkeypatch: pytest.MonkeyPatch, sandbox: client.Sandbox) -> None:
    """Set the environment variables of the sandbox."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def artifactory(sandbox: client.Sandbox) -> Session:
    """Return a session of an Artifactory administrator."""
    return Session(f"{sandbox.url}/artifactory", sandbox.environment["JFROG_ACCESS_TOKEN"])


@pytest.fixture
def artifactory_reader(sandbox: client.Sandbox) -> Session:
    """Return a session of an Artifactory user with read permissions."""
    return Session(f"{sandbox.url}/artifactory", ("reader", "sandbox-reader"))


@pytest.fixture
def artifactory_anonymous(sandbox: client.Sandbox) -> Session:
    """Return a session without credentials for Artifactory."""
    return Session(f"{sandbox.url}/artifactory")


@pytest.fixture
def access(sandbox: client.Sandbox) -> Session:
    """Return an administrator's session for the token API."""
    return Session(f"{sandbox.url}/access/api/v1", sandbox.environment["JFROG_ACCESS_TOKEN"])


@pytest.fixture(scope="session")
def browser() -> Iterator[Chromium]:
    """Start the browser for all tests; see `Chromium.check_page`."""
    yield from run_or_skip(chromium())
