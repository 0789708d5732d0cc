# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ci_build_info, ci_job_info and ci_build_stop on a real Hudson 1.395."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from support.running import run
from support.servers.hudson import Hudson

NAME = "told é (more)"
JOB = """<?xml version='1.0' encoding='UTF-8'?>
<project>
  <description>Tells &lt;all&gt;</description>
  <quietPeriod>0</quietPeriod>
  <properties>
    <hudson.model.ParametersDefinitionProperty>
      <parameterDefinitions>
        <hudson.model.StringParameterDefinition>
          <name>VERSION</name><description>What</description><defaultValue>1.0</defaultValue>
        </hudson.model.StringParameterDefinition>
        <hudson.model.ChoiceParameterDefinition>
          <name>TARGET</name><choices class="list"><string>staging</string><string>production</string></choices>
        </hudson.model.ChoiceParameterDefinition>
      </parameterDefinitions>
    </hudson.model.ParametersDefinitionProperty>
  </properties>
  <builders><hudson.tasks.Shell><command>
    echo "version $VERSION"; mkdir -p out; echo built > "out/a b.txt"
  </command></hudson.tasks.Shell></builders>
  <publishers>
    <hudson.tasks.ArtifactArchiver><artifacts>out/*</artifacts><latestOnly>false</latestOnly></hudson.tasks.ArtifactArchiver>
  </publishers>
  <buildWrappers/>
</project>"""


@pytest.fixture(scope="module")
def hudson(hudson_server: Hudson) -> Hudson:
    """Return the server with a job that has two completed builds."""
    with hudson_server.session(hudson_server.admin) as session:
        headers = {"Content-Type": "text/xml; charset=utf-8"}
        url, job = f"{hudson_server.url}/createItem", f"{hudson_server.url}/job/{quote(NAME)}"
        session.post(url, params={"name": NAME}, data=JOB.encode(), headers=headers, timeout=30).raise_for_status()
        for number, version in ((1, "one"), (2, "two")):
            session.post(f"{job}/buildWithParameters", data={"VERSION": version, "delay": "0sec"}, timeout=30)
            deadline = time.monotonic() + 60
            while session.get(f"{job}/lastSuccessfulBuild/buildNumber", timeout=30).text != str(number):
                assert time.monotonic() < deadline, "the build did not end"
                time.sleep(0.2)
    return hudson_server


def run_module(module: str, server: Hudson, **options: Any) -> dict[str, Any]:
    login = {"url": server.url, "username": server.admin.username, "password": server.admin.password}
    result = run(module, **login, **options)
    assert "failed" not in result, result["msg"]
    return result


def test_build_is_returned(hudson: Hudson) -> None:
    build = run_module("ci_build_info", hudson, job=NAME, build="last_successful")["build"]
    assert (build["number"], build["result"], build["building"]) == (2, "SUCCESS", False)
    assert build["parameters"] == {"VERSION": "two", "TARGET": "staging"}
    assert build["timestamp"].endswith("Z")
    assert (build["built_on"], build["queue_id"], build["display_name"]) == ("", None, None)
    [artifact] = build["artifacts"]
    assert (artifact["name"], artifact["path"]) == ("a b.txt", "out/a b.txt")
    with hudson.session(hudson.admin) as session:
        assert session.get(artifact["url"], timeout=30).text == "built\n"


def test_console_is_returned(hudson: Hudson, tmp_path: Path) -> None:
    file = tmp_path / "log"
    result = run_module("ci_build_info", hudson, job=NAME, build=1, console_lines=2, console_file=str(file))
    assert result["console"] == ["Archiving artifacts", "Finished: SUCCESS"]
    assert "version one\n" in file.read_text()
    assert result["console_file"]["size"] == len(file.read_bytes())


def test_xpath_selects_parameter(hudson: Hudson) -> None:
    xpath = "action/parameter[name='VERSION']/value"
    match = run_module("ci_build_info", hudson, job=NAME, build=1, xpath=xpath)["xpath"]
    assert match == {"matched": True, "text": "one", "xml": "<value>one</value>"}
    missing = run_module("ci_build_info", hudson, job=NAME, build=1, xpath="action/parameter[name='NONE']/value")[
        "xpath"
    ]
    assert not missing["matched"]


def test_builds_are_listed_without_ranges(hudson: Hudson) -> None:
    def numbers(**options: Any) -> list[int]:
        builds = run_module("ci_build_info", hudson, job=NAME, fields=["result"], **options)["builds"]
        return [build["number"] for build in builds]

    assert numbers() == [2, 1]
    assert numbers(all_builds=True, offset=1, limit=1) == [1]
    assert numbers(parameters={"VERSION": "one"}, results=["SUCCESS"], newer_than=3600) == [1]


def test_jobs_are_listed(hudson: Hudson) -> None:
    job = run_module("ci_job_info", hudson, job=NAME)["job"]
    assert (job["name"], job["folder"], job["description"], job["buildable"]) == (NAME, False, "Tells <all>", True)
    assert (job["next_build"], job["last"]["number"], job["last_failed"]) == (3, 2, None)
    version, target = job["parameters"]
    assert list(version.values()) == ["VERSION", "string", "1.0", [], "What"]
    assert (target["type"], target["choices"]) == ("choice", ["staging", "production"])
    listed = run_module("ci_job_info", hudson, depth=5, fields=["last"])["jobs"]
    assert NAME in [one["name"] for one in listed]


def test_build_is_stopped(hudson: Hudson) -> None:
    hudson.create_sleeping_job("endless", seconds=600)
    number = hudson.start_build("endless")
    result = run_module("ci_build_stop", hudson, job="endless", build="last", escalate_to="kill")
    assert (result["changed"], result["stopped_by"], result["build"]["number"]) == (True, "stop", number)
    again = run_module("ci_build_stop", hudson, job="endless", build=str(number))
    assert (again["changed"], again["build"]["result"]) == (False, "ABORTED")
