# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""jenkinsapi, an independent client that reads `api/python`, drives the sandbox's ci service."""

from __future__ import annotations

from typing import Any

import pytest
from jenkinsapi.custom_exceptions import JenkinsAPIException
from jenkinsapi.jenkins import Jenkins
from requests import HTTPError

ADMIN_TOKEN = "11c0ffee00sandbox00admin00token0001"
COMMAND = "<hudson.tasks.Shell><command>echo hello\nsleep 0.3</command></hudson.tasks.Shell>"
CONFIG = f"<project><quietPeriod>0</quietPeriod><builders>{COMMAND}</builders></project>"
PATIENCE = {"delay": 0.1}  # seconds between two looks


@pytest.fixture(params=["sandbox-admin", ADMIN_TOKEN], ids=["password", "token"])
def server(sandbox: Any, request: pytest.FixtureRequest) -> Jenkins:
    """The client, logged in."""
    return Jenkins(f"{sandbox.url}/ci", "admin", request.param)


def test_server(server: Jenkins) -> None:
    assert server.version == "2.579"
    assert server.keys() == ["app", "deploy"]
    assert server.views.keys() == ["all"]
    assert server.get_node("Built-In Node").is_online()
    assert server.has_plugin("git")
    assert server.get_plugins()["git"].version == "5.2.1"


def test_job(server: Jenkins) -> None:
    job = server.create_job("new", CONFIG)
    job.disable()
    assert not job.is_enabled()
    job.enable()
    assert job.is_enabled()
    job.update_config(CONFIG.replace("hello", "good day"))
    assert "good day" in job.get_config()
    server.copy_job("new", "copy")
    assert "good day" in server["copy"].get_config()
    server.delete_job("new")
    assert server.keys() == ["app", "copy", "deploy"]


def test_build_until_complete(server: Jenkins) -> None:
    item = server.create_job("quick", CONFIG).invoke(**PATIENCE)
    build = item.block_until_complete(**PATIENCE) or item.get_build()
    assert (build.get_number(), build.get_status(), build.is_running()) == (1, "SUCCESS", False)
    assert "hello\n" in build.get_console()
    assert build.get_causes()[0]["userId"] == "admin"


def test_parameters_and_stop(server: Jenkins) -> None:
    item = server["deploy"].invoke(build_params={"VERSION": "9"}, **PATIENCE)
    build = item.block_until_building(**PATIENCE)
    assert build.get_params() == {"VERSION": "9", "TARGET": "staging", "DRY_RUN": False, "SECRET": None}
    assert build.stop()
    build.block_until_complete(**PATIENCE)
    stopped = server["deploy"].get_build(build.get_number())
    assert stopped.get_status() == "ABORTED"
    assert not stopped.stop()


def test_quiet_down(server: Jenkins) -> None:
    server.quiet_down()
    assert server.is_quieting_down
    server.cancel_quiet_down()
    assert not server.is_quieting_down


def test_refusals(sandbox: Any) -> None:
    with pytest.raises(HTTPError, match="401"):
        Jenkins(f"{sandbox.url}/ci", "admin", "wrong")
    reader = Jenkins(f"{sandbox.url}/ci", "reader", "sandbox-reader")
    with pytest.raises((HTTPError, JenkinsAPIException), match="403"):
        reader["app"].invoke(**PATIENCE)
