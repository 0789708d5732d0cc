# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils import _wait
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration import ownership
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import client, session
from support.artifact_edition import newest_version
from support.conversation import Conversation


@pytest.fixture(autouse=True)
def delays(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Replace `sleep` by a list of the requested seconds."""
    slept: list[float] = []
    for module in (client, _wait):
        monkeypatch.setattr(module.time, "sleep", slept.append)
    return slept


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Remove credentials, URLs and proxies from the environment and the home directory."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in list(os.environ):
        if variable.startswith(("JFROG_", "JENKINS_", "KLOCWORK_", "OPENAI_")) or variable.lower().endswith("_proxy"):
            monkeypatch.delenv(variable)
    monkeypatch.setenv("TOOLCHAIN_INFERENCE_ADMIN_REQUESTS_PER_MINUTE", "0")


@pytest.fixture(autouse=True)
def new_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drop sessions and crumbs of earlier tests, whose servers may have had the same port."""
    monkeypatch.setattr(session, "_CONNECTIONS", {})


@pytest.fixture
def no_configuration_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """Omit the request for the configuration sources of Jenkins, which test_ci_ownership covers for each module."""
    monkeypatch.setattr(ownership, "fetch_sources", lambda _ci: [])


@pytest.fixture
def reported_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer the request for the version before a write, which test_artifact_features covers for each module."""
    monkeypatch.setattr(Conversation, "unscripted", {"GET /artifactory/api/system/version": newest_version()})
