# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client api4jenkins reads folders, Pipelines and artifacts of builds in the Jenkins sandbox."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from api4jenkins import Jenkins

from support.eventually import poll

SCRIPT = """
node {
  sh 'echo built > out/app.txt'
  sh '''
    trap "" TERM
    sleep 600
  '''
  archiveArtifacts 'out/*'
}
"""
DOMAIN = "com.cloudbees.plugins.credentials.domains.Domain"
CONFIG = """<?xml version='1.1' encoding='UTF-8'?>
<project>
  <description>\u0141 &amp; &lt;b&gt;</description>
  <builders><hudson.tasks.Shell><command>make</command></hudson.tasks.Shell></builders>
</project>"""
BUILDS = [{"result": "FAILURE" if number % 10 == 0 else "SUCCESS"} for number in range(120)]
JOBS = [
    {"name": "team/web/site", "kind": "pipeline", "script": SCRIPT, "quiet_period": 0},
    {"name": "team/old", "builds": BUILDS, "parameters": [{"name": "A", "default": "x"}]},
    {
        "name": "team/made",
        "kind": "pipeline",
        "builds": [{"artifacts": {"a.txt": "1", "b/c.txt": "2"}, "log": "line one"}],
    },
]


@pytest.fixture
def server(sandbox: Any) -> Jenkins:
    """Return the client, logged in."""
    sandbox.seed({"ci": {"jobs": JOBS}})
    return Jenkins(f"{sandbox.url}/ci", auth=("admin", "sandbox-admin"))


def test_folders_are_returned(server: Jenkins) -> None:
    names = {job.full_name for job in server.iter(3)}
    assert {"team", "team/web", "team/web/site", "team/old", "app"} <= names
    folder = server.get_job("team/web")
    assert type(folder).__name__ == "Folder"
    assert [job.name for job in folder] == ["site"]
    server.create_job("team/web/copy", server.get_job("team/old").configure())
    assert server.get_job("team/web/copy").full_display_name == "team \u00bb web \u00bb copy"
    server.rename_job("team/web/copy", "renamed")
    assert server.get_job("team/web/renamed").exists()
    server.delete_job("team/web")
    assert server.get_job("team/web/site") is None


def test_views_are_managed(server: Jenkins, sandbox: Any) -> None:
    sandbox.seed({"ci": {"plugins": [{"name": "nested-view", "version": "1.36"}]}})
    folder = server.get_job("team")
    for owner, jobs in ((server, ["app"]), (folder, ["old"])):
        owner.views.create("mine", "<hudson.model.ListView/>")
        view = owner.views.get("mine")
        assert type(view).__name__ == "ListView"
        view.include(jobs[0])
        assert [job.name for job in view] == jobs
        view.set_description("Mine")
        assert "<description>Mine</description>" in view.configure()
        view.exclude(jobs[0])
        assert list(view) == []
        view.delete()
        assert [view.api_json()["name"] for view in owner.views] == ["All" if owner is folder else "all"]
    server.views.create("outer", "<hudson.plugins.nested__view.NestedView/>")
    outer = server.views.get("outer")
    outer.views.create("inner", "<hudson.model.MyView/>")
    assert [type(view).__name__ for view in outer.views] == ["MyView"]


def test_jobs_are_managed(server: Jenkins) -> None:
    server.create_job("team/new", CONFIG)
    job = server.get_job("team/new")
    assert (job.name, job.description, job.buildable) == ("new", "\u0141 & <b>", True)
    job.configure(job.configure().replace("make", "make check"))
    assert "make check" in job.configure()
    job.disable()
    assert not job.buildable
    job.enable()
    server.copy_job("team/new", "copy")
    copy = server.get_job("team/copy")
    assert not copy.buildable
    copy.configure(copy.configure())
    assert not copy.buildable
    copy.set_description("copied")
    assert copy.buildable
    copy.rename("renamed")
    server.get_job("team/renamed").move("team/web")
    assert server.get_job("team/web/renamed").exists()
    for name in ("team/new", "team/web/renamed"):
        server.delete_job(name)
        assert server.get_job(name) is None


def test_builds_are_returned(server: Jenkins) -> None:
    job = server.get_job("team/old")
    assert len(list(job.iter())) == 100
    assert len(list(job.iter_all_builds())) == 120
    assert [parameter["name"] for parameter in job.get_parameters()] == ["A"]
    assert job.get_last_failed_build().number == 111
    assert {parameter.name: parameter.value for parameter in job.get_last_build().get_parameters()} == {"A": "x"}


def test_pipeline_is_terminated_when_it_ignores_a_stop(server: Jenkins) -> None:
    job = server.get_job("team/web/site")
    assert type(job).__name__ == "WorkflowJob"
    build = poll(job.build().get_build)
    assert type(build).__name__ == "WorkflowRun"
    build.stop()
    time.sleep(0.3)
    assert build.building
    build.term()
    assert poll(lambda: build.result) == "ABORTED"
    lines = [line for line in build.progressive_output() if line]
    assert "Sending interrupt signal to process" in lines
    assert lines[-1] == "Finished: ABORTED"


def test_artifacts_are_downloaded(server: Jenkins, tmp_path: Path) -> None:
    build = server.get_job("team/made").get_last_build()
    artifacts = build.api_json(tree="artifacts[relativePath]")["artifacts"]
    assert [entry["relativePath"] for entry in artifacts] == ["a.txt", "b/c.txt"]
    archive = tmp_path / "archive.zip"
    build.save_artifacts(str(archive))
    assert archive.read_bytes().startswith(b"PK")
    assert "line one" in list(build.console_text())


def test_credentials_and_domains_are_managed(server: Jenkins) -> None:
    tag = "com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl"
    config = f"<{tag}><scope>GLOBAL</scope><id>login</id><username>a</username><password>x</password></{tag}>"
    for credentials in (server.credentials, server.get_job("team").credentials):
        credentials.create(f"<{DOMAIN}><name>git</name></{DOMAIN}>")
        assert [domain.name for domain in credentials] == ["_", "git"]
        for domain in (credentials.global_domain, credentials.get("git")):
            domain.create(config)
            login = domain.get("login")
            login.configure(config.replace(">a<", ">b<"))
            assert "<username>b</username>" in login.configure()
            login.delete()
            assert domain.get("login") is None
        credentials.get("git").delete()
        assert credentials.get("git") is None
