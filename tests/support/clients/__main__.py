# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Download the clients of the contract tests: `python -m support.clients` (in tests)."""

from __future__ import annotations

from support.browser import installed_chromium
from support.clients.jfrog import jfrog_client
from support.clients.maven import Maven
from support.clients.oci import crane
from support.clients.platform import platform_client
from support.servers.docker_registry import program as docker_registry
from support.servers.groovy import groovy_jar
from support.servers.hudson import fetch as fetch_hudson
from support.servers.process import UnavailableError

for get in (
    installed_chromium,
    Maven.fetch,
    groovy_jar,
    fetch_hudson,
    docker_registry,
    jfrog_client,
    crane,
    platform_client,
):
    try:
        get()
    except UnavailableError as reason:
        print(f"CANNOT RUN HERE: {reason}", flush=True)
