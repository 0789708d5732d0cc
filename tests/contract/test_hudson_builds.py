# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ci_build on a real Hudson 1.395, whose responses name neither the queue item nor the build."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from support.at_once import run_concurrently
from support.eventually import poll
from support.running import run
from support.servers.hudson import Hudson

JOB = """<?xml version='1.0' encoding='UTF-8'?>
<project>
  <quietPeriod>0</quietPeriod>
  <concurrentBuild>true</concurrentBuild>
  <properties>
    <hudson.model.ParametersDefinitionProperty>
      <parameterDefinitions>
        <hudson.model.StringParameterDefinition>
          <name>VERSION</name><defaultValue>1.0</defaultValue>
        </hudson.model.StringParameterDefinition>
        <hudson.model.BooleanParameterDefinition>
          <name>DRY</name><defaultValue>false</defaultValue>
        </hudson.model.BooleanParameterDefinition>
        <hudson.model.ChoiceParameterDefinition>
          <name>TARGET</name>
          <choices class="list"><string>staging</string><string>production</string></choices>
        </hudson.model.ChoiceParameterDefinition>
      </parameterDefinitions>
    </hudson.model.ParametersDefinitionProperty>
  </properties>
  <builders><hudson.tasks.Shell><command>
    echo "version $VERSION, dry $DRY, to $TARGET"
    sleep 1
    test "$VERSION" != broken
  </command></hudson.tasks.Shell></builders>
  <publishers/>
  <buildWrappers/>
</project>"""


@pytest.fixture(scope="module")
def hudson(hudson_server: Hudson) -> Hudson:
    with hudson_server.session(hudson_server.admin) as session:
        headers = {"Content-Type": "text/xml; charset=utf-8"}
        url = f"{hudson_server.url}/createItem"
        session.post(url, params={"name": "declared"}, data=JOB, headers=headers, timeout=30).raise_for_status()
    return hudson_server


def build(server: Hudson, **options: Any) -> dict[str, Any]:
    login = {"url": server.url, "username": server.admin.username, "password": server.admin.password}
    return run("ci_build", job="declared", wait_timeout=300, **login, **options)


@pytest.mark.parametrize("form", ["fields", "json"])
def test_build_is_matched_by_parameters_and_followed(hudson: Hudson, form: str) -> None:
    parameters = {"VERSION": f"{form} 'ü\" $x", "DRY": True, "TARGET": "production"}
    result = build(hudson, parameters=parameters, form=form)
    assert not result.get("failed"), result["msg"]
    assert (result["changed"], result["matched_by"], result["queue_item"]) == (True, "parameters", None)
    assert result["build"]["parameters"] == parameters
    assert result["build"]["result"] == "SUCCESS"
    assert any(f"version {parameters['VERSION']}, dry true" in line for line in result["console"])
    assert result["warnings"][0].startswith("The server did not name the build.")


def test_failure_message_contains_last_console_lines(hudson: Hudson) -> None:
    result = build(hudson, parameters={"VERSION": "broken"})
    assert "is FAILURE, not SUCCESS" in result["msg"]
    assert "Finished: FAILURE." in result["msg"]


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [({"TARGET": "moon"}, "must be one of 'staging', 'production'"), ({"VERSON": "1"}, "has no parameter 'VERSON'")],
)
def test_invalid_parameters_are_rejected(hudson: Hudson, parameters: dict[str, str], problem: str) -> None:
    assert problem in build(hudson, parameters=parameters)["msg"]


def build_two_at_once(server: Hudson) -> list[dict[str, Any]]:
    """Return the results of two builds that start at once, in an attempt in which Hudson's API worked.

    Its API fails with a NullPointerException while another request makes it use a class for the first time.
    """
    attempts = itertools.count()

    def attempt() -> list[dict[str, Any]] | None:
        number = next(attempts)
        versions = (f"one {number}", f"two {number}")
        results = run_concurrently(
            *[lambda v=version: build(server, parameters={"VERSION": v}) for version in versions]
        )  # type: ignore[misc]
        broken = any("java.lang.NullPointerException" in result.get("msg", "") for result in results)
        return None if broken else results

    return poll(attempt)


def test_parallel_tasks_identify_their_own_builds(hudson: Hudson) -> None:
    results = build_two_at_once(hudson)
    for result in results:
        assert not result.get("failed"), result["msg"]
        assert result["build"]["parameters"]["VERSION"] == result["plan"]["parameters"]["VERSION"]
    assert len({result["build"]["number"] for result in results}) == 2


def test_build_is_stopped_on_timeout(hudson: Hudson) -> None:
    hudson.create_sleeping_job("sleepy", seconds=600)
    login = {"url": hudson.url, "username": hudson.admin.username, "password": hudson.admin.password}
    result = run("ci_build", job="sleepy", delay=0, wait_timeout=10, on_timeout="stop", **login)
    assert result["msg"].endswith("'sleepy' #1 is running. It was stopped: ABORTED.")


def test_no_build_is_started_when_accepted_build_exists(hudson: Hudson) -> None:
    build(hudson, parameters={"VERSION": "once"})
    again = build(hudson, parameters={"VERSION": "once"}, skip_if_built={"max_age": 600})
    assert (again["changed"], again["build"]["parameters"]["VERSION"]) == (False, "once")
