# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of the independent servers. The first test that uses a server starts it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import support.servers.docker_registry
import support.servers.hudson
import support.servers.litellm_proxy
from support.servers.process import run_or_skip


@pytest.fixture(scope="session")
def running_hudson() -> Iterator[support.servers.hudson.Hudson]:
    """Start Hudson 1.395 with crumbs, an administrator and a reader."""
    yield from run_or_skip(support.servers.hudson.hudson())


@pytest.fixture(scope="module")
def hudson_server(running_hudson: support.servers.hudson.Hudson) -> Iterator[support.servers.hudson.Hudson]:
    """Return Hudson without jobs. A module may restart it, but must leave it idle."""
    yield running_hudson
    running_hudson.delete_jobs()


@pytest.fixture(scope="session")
def open_hudson() -> Iterator[support.servers.hudson.Hudson]:
    """Start Hudson 1.395 without users and crumbs."""
    yield from run_or_skip(support.servers.hudson.hudson(csrf=False, users=False))


@pytest.fixture(scope="session")
def docker_registry() -> Iterator[support.servers.docker_registry.DockerRegistry]:
    """Start Debian's docker-registry at Artifactory's paths, empty at first."""
    yield from run_or_skip(support.servers.docker_registry.docker_registry())


@pytest.fixture(scope="session")
def litellm_proxy() -> Iterator[support.servers.litellm_proxy.LitellmProxy]:
    """Start litellm's proxy with predefined replies."""
    yield from run_or_skip(support.servers.litellm_proxy.litellm_proxy())


@pytest.fixture(params=["waits", "asynchronous"])
def connect(request: pytest.FixtureRequest, sandbox: Any) -> Iterator[Callable[..., Any]]:
    """Return a function that creates a client of the openai SDK, whose import takes a second."""
    from support.openai_clients import connecting

    yield from run_or_skip(connecting(request.param, sandbox))
