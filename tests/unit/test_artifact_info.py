# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import call, conversation
from support.running import run

VERSION = "/artifactory/api/system/version"
REPORTED = {"version": "7.77.3", "revision": "77703900", "addons": ["docker", "build"], "license": "0" * 40}


def test_server_is_read_with_one_request() -> None:
    with conversation(call("GET", VERSION, json=REPORTED)) as server:
        result = run("artifact_info", url=server.url)
    assert result["server"] == {
        "version": "7.77.3",
        "revision": "77703900",
        "addons": ["build", "docker"],
        "open_source": False,
    }
    assert not result["changed"]


@pytest.mark.parametrize(
    ("reported", "open_source"),
    [({"license": "Artifactory OSS"}, True), ({"license": "abc"}, False), ({}, None)],
)
def test_edition_follows_from_the_license(reported: dict[str, Any], open_source: bool | None) -> None:
    with conversation(call("GET", VERSION, json={"version": "6.23.0", **reported})) as server:
        result = run("artifact_info", url=server.url)
    assert result["server"] == {"version": "6.23.0", "revision": None, "addons": [], "open_source": open_source}


def test_response_without_a_version_is_an_error() -> None:
    with conversation(call("GET", VERSION, json={"license": "abc"})) as server:
        assert "version" in run("artifact_info", url=server.url)["msg"]
