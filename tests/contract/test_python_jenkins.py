# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client python-jenkins works with the Jenkins sandbox."""

from __future__ import annotations

import json
import time
from typing import Any

import jenkins
import pytest
import requests

from support.eventually import poll

ADMIN_TOKEN = "11c0ffee00sandbox00admin00token0001"
SLEEP = "<builders><hudson.tasks.Shell><command>sleep 3600</command></hudson.tasks.Shell></builders>"
LONG = jenkins.EMPTY_CONFIG_XML.replace("<builders/>", f"<quietPeriod>0</quietPeriod>{SLEEP}")


@pytest.fixture(params=["sandbox-admin", ADMIN_TOKEN], ids=["password", "token"])
def server(sandbox: Any, request: pytest.FixtureRequest) -> jenkins.Jenkins:
    """Return the client, logged in."""
    return jenkins.Jenkins(f"{sandbox.url}/ci", "admin", request.param, timeout=60)


def test_server_is_described(server: jenkins.Jenkins) -> None:
    assert server.get_whoami()["id"] == "admin"
    assert server.get_version() == "2.579"  # the client sends its credentials only after another call
    assert server.get_info()["mode"] == "NORMAL"
    assert server.wait_for_normal_op(120)
    assert server.get_nodes() == [{"name": "Built-In Node", "offline": False}]


def test_plugins_are_returned(server: jenkins.Jenkins) -> None:
    plugins = server.get_plugins()
    assert plugins["git"]["version"] == "5.2.1"
    assert plugins["Git plugin"]["dependencies"][0]["shortName"] == "credentials"
    assert server.get_plugin_info("pam-auth")["enabled"] is False


def test_plugin_is_installed(server: jenkins.Jenkins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda _seconds: None)
    with pytest.raises(IndexError):  # the client's own print replaces the result that it expects
        server.install_plugin("ssh-slaves")
    jobs = server.jenkins_open(requests.Request("GET", f"{server.server}updateCenter/api/json?tree=jobs[plugin[name]]"))
    assert [job["plugin"]["name"] for job in json.loads(jobs)["jobs"]] == ["trilead-api", "ssh-slaves"]
    with pytest.raises(jenkins.JenkinsException, match="NullPointerException"):
        server.install_plugin("nothing")


def test_jobs_are_managed(server: jenkins.Jenkins) -> None:
    server.create_job("new", jenkins.EMPTY_CONFIG_XML)
    assert server.job_exists("new")
    with pytest.raises(jenkins.JenkinsException, match="already exists"):
        server.create_job("new", jenkins.EMPTY_CONFIG_XML)
    server.reconfig_job("new", jenkins.RECONFIG_XML)
    assert "export FOO=bar" in server.get_job_config("new")
    server.copy_job("new", "copy of new")
    assert "export FOO=bar" in server.get_job_config("copy of new")
    assert server.get_job_info("copy of new")["buildable"] is False
    server.reconfig_job("copy of new", server.get_job_config("copy of new"))
    assert server.get_job_info("copy of new")["buildable"] is False
    server.disable_job("copy of new")
    server.enable_job("copy of new")
    assert server.get_job_info("copy of new")["buildable"] is True
    server.rename_job("copy of new", "renamed")
    server.rename_job("renamed", "copy of new")
    assert {job["name"] for job in server.get_all_jobs()} == {"app", "deploy", "nightly", "new", "copy of new"}
    server.disable_job("new")
    assert server.get_job_info("new")["disabled"] is True
    server.enable_job("new")
    assert server.get_job_info("new")["buildable"] is True
    server.delete_job("new")
    assert not server.job_exists("new")
    with pytest.raises(jenkins.JenkinsException, match="does not exist"):
        server.get_job_info("new")


def test_build_is_run(server: jenkins.Jenkins, sandbox: Any) -> None:
    sandbox.clock(frozen=True)
    number = server.get_job_info("deploy")["nextBuildNumber"]
    item = server.build_job("deploy", {"VERSION": "7", "TARGET": "production"})
    executable = poll(lambda: server.get_queue_item(item).get("executable"))
    assert executable["number"] == number
    assert server.get_running_builds()[0]["name"] == "deploy"
    sandbox.clock(advance=5)
    info = server.get_build_info("deploy", number)
    assert (info["building"], info["result"], info["queueId"]) == (False, "SUCCESS", item)
    parameters = {p["name"]: p.get("value") for p in info["actions"][0]["parameters"]}
    assert parameters == {"VERSION": "7", "TARGET": "production", "DRY_RUN": False, "SECRET": None}
    assert "Deploying 7 to production\n" in server.get_build_console_output("deploy", number)
    assert [build["number"] for build in server.get_job_info("app", fetch_all_builds=True)["builds"]] == [2, 1]
    server.delete_build("app", 1)
    with pytest.raises(jenkins.JenkinsException):
        server.get_build_info("app", 1)


def test_build_is_stopped(server: jenkins.Jenkins) -> None:
    server.create_job("long", LONG)
    server.build_job("long")
    poll(lambda: server.get_job_info("long")["lastBuild"])
    server.stop_build("long", 1)
    assert poll(lambda: server.get_build_info("long", 1)["result"]) == "ABORTED"


def test_folders_are_managed(server: jenkins.Jenkins) -> None:
    server.create_folder("team")
    assert server.is_folder("team")
    server.create_job("team/app", LONG)
    assert server.get_job_info("team/app")["fullName"] == "team/app"
    assert [job["fullname"] for job in server.get_all_jobs() if "team" in job["fullname"]] == ["team", "team/app"]
    assert server.get_job_name("team/app") == "app"
    server.build_job("team/app")
    poll(lambda: server.get_job_info("team/app")["lastBuild"])
    server.stop_build("team/app", 1)
    assert poll(lambda: server.get_build_info("team/app", 1)["result"]) == "ABORTED"
    assert "Aborted by" in server.get_build_console_output("team/app", 1)
    server.rename_job("team/app", "team/site")
    assert server.get_job_info("team/site")["name"] == "site"
    server.delete_job("team")
    assert not server.job_exists("team/site")


def test_pipeline_is_run(server: jenkins.Jenkins, sandbox: Any) -> None:
    script = "node { sh 'echo built > out/app.txt'; archiveArtifacts 'out/*'; sleep 600 }"
    sandbox.seed({"ci": {"jobs": [{"name": "pipe", "kind": "pipeline", "script": script, "quiet_period": 0}]}})
    server.build_job("pipe")
    poll(lambda: server.get_job_info("pipe")["lastBuild"])
    sandbox.clock(advance=601)
    build = server.get_build_info("pipe", 1)
    assert (build["_class"], build["result"]) == ("org.jenkinsci.plugins.workflow.job.WorkflowRun", "SUCCESS")
    assert [artifact["relativePath"] for artifact in build["artifacts"]] == ["out/app.txt"]
    assert server.get_build_artifact_as_bytes("pipe", 1, "out/app.txt") == b"built\n"


def test_queue_is_returned(server: jenkins.Jenkins) -> None:
    server.create_job("long", LONG)
    server.build_job("long")
    waiting = server.build_job("long")
    before = 3  # from the seed
    assert [item["id"] for item in server.get_queue_info()] == [before, waiting]
    server.cancel_queue(waiting)
    assert [item["id"] for item in server.get_queue_info()] == [before]
    assert server.get_queue_item(waiting)["cancelled"] is True


def test_quiet_down_mode_is_changed(server: jenkins.Jenkins) -> None:
    server.quiet_down()
    assert server.get_info()["quietingDown"] is True


def test_crumb_is_requested_only_with_a_password(server: jenkins.Jenkins, sandbox: Any) -> None:
    server.maybe_add_crumb(request := jenkins.requests.Request("POST", server.server))
    assert len(request.headers["Jenkins-Crumb"]) == 64
    sandbox.switch("ci", csrf=False)
    without = jenkins.Jenkins(f"{sandbox.url}/ci", "admin", "sandbox-admin", timeout=60)
    without.quiet_down()
    assert without.crumb is False


def test_requests_are_refused_when_permissions_are_missing(sandbox: Any) -> None:
    with pytest.raises(jenkins.JenkinsException, match="401"):
        jenkins.Jenkins(f"{sandbox.url}/ci", "admin", "wrong", timeout=60).get_whoami()
    reader = jenkins.Jenkins(f"{sandbox.url}/ci", "reader", "sandbox-reader", timeout=60)
    with pytest.raises(jenkins.JenkinsException, match="403"):
        reader.build_job("app")
    with pytest.raises(jenkins.JenkinsException):
        reader.get_plugins()


def test_views_are_managed(server: jenkins.Jenkins) -> None:
    server.create_view("mine", jenkins.EMPTY_VIEW_CONFIG_XML)
    assert [view["name"] for view in server.get_views()] == ["all", "mine"]
    config = server.get_view_config("mine").replace("<jobNames>", "<jobNames><string>app</string>")
    server.reconfig_view("mine", config)
    assert "<string>app</string>" in server.get_view_config("mine")
    assert [job["name"] for job in server.get_jobs(view_name="mine")] == ["app"]
    with pytest.raises(jenkins.JenkinsException, match="already exists"):
        server.create_view("mine", jenkins.EMPTY_VIEW_CONFIG_XML)
    server.delete_view("mine")
    assert not server.view_exists("mine")
    server.create_job("team", jenkins.EMPTY_FOLDER_XML)
    server.create_view("team/mine", jenkins.EMPTY_VIEW_CONFIG_XML)
    assert server.view_exists("team/mine")
    server.delete_view("team/mine")
    assert not server.view_exists("team/mine")


def test_nodes_are_managed(server: jenkins.Jenkins) -> None:
    server.create_node("one", numExecutors=2, labels="linux")
    assert server.get_nodes() == [{"name": "Built-In Node", "offline": False}, {"name": "one", "offline": True}]
    config = server.get_node_config("one").replace("<numExecutors>2<", "<numExecutors>3<")
    server.reconfig_node("one", config)
    assert server.get_node_info("one")["numExecutors"] == 3
    assert server.get_node_info("one")["temporarilyOffline"] is False
    with pytest.raises(jenkins.JenkinsException, match="already exists"):
        server.create_node("one")
    server.delete_node("one")
    assert not server.node_exists("one")
    with pytest.raises(jenkins.NotFoundException):
        server.get_node_config("one")


def test_credentials_of_folders_are_managed(server: jenkins.Jenkins) -> None:
    tag = "org.jenkinsci.plugins.plaincredentials.impl.StringCredentialsImpl"
    config = f"<{tag}><scope>GLOBAL</scope><id>token</id><description>a</description><secret>x</secret></{tag}>"
    server.create_job("team", "<com.cloudbees.hudson.plugins.folder.Folder/>")
    server.create_credential("team", config)
    with pytest.raises(jenkins.JenkinsException, match="already exists"):
        server.create_credential("team", config)
    assert server.list_credentials("team") == [{"id": "token"}]
    server.reconfig_credential("team", config.replace(">a<", ">b<"))
    assert server.get_credential_info("token", "team")["description"] == "b"
    assert "<secret-redacted/>" in server.get_credential_config("token", "team")
    server.delete_credential("token", "team")
    assert not server.credential_exists("token", "team")


def test_nodes_go_offline_and_online(server: jenkins.Jenkins, sandbox: Any) -> None:
    sandbox.seed({"ci": {"agents": [{"name": "one"}]}})
    for name in ("one", "(built-in)"):
        server.disable_node(name, msg="maintenance")
        info = server.get_node_info(name)
        assert (info["offline"], info["offlineCauseReason"]) == (True, "maintenance")
        server.enable_node(name)
        assert not server.get_node_info(name)["offline"]
