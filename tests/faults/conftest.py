# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of all fault tests."""

from __future__ import annotations

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry, session
from sandbox.client import Sandbox
from support import running
from support.cases import CASES, RESOURCES, forget, get_switches, module_of, prepare


@pytest.fixture(autouse=True)
def configure_environment(monkeypatch: pytest.MonkeyPatch, running_sandbox: Sandbox) -> None:
    """Configure the modules with environment variables, and disable retry delays."""
    for name, value in running_sandbox.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(retry, "backoff", lambda _attempt: 0.0)


@pytest.fixture(autouse=True)
def remove_files() -> None:
    """Remove local files of earlier cases."""
    forget()


@pytest.fixture(autouse=True)
def prepare_case(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, configure_environment: None) -> None:
    """Set the switches of the case of the test, and use other connections, which cache what depends on them.

    Later runs of a resource find version and license of the server in the cache, as in tests without switches.
    """
    parameters = request.node.callspec.params.values() if hasattr(request.node, "callspec") else ()
    for case in (value for value in parameters if isinstance(value, str) and value in CASES and get_switches(value)):
        monkeypatch.setattr(session, "_CONNECTIONS", {})
        prepare(request.getfixturevalue("sandbox"), case)
        if case in RESOURCES:
            running.run(module_of(case), **RESOURCES[case].absent)
