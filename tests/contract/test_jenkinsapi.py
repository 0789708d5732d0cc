# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client jenkinsapi, which reads `api/python`, works with the Jenkins sandbox."""

from __future__ import annotations

from typing import Any

import pytest
from jenkinsapi.credential import SecretTextCredential, SSHKeyCredential, UsernamePasswordCredential
from jenkinsapi.custom_exceptions import JenkinsAPIException
from jenkinsapi.jenkins import Jenkins
from jenkinsapi.plugins import Plugins
from requests import HTTPError

ADMIN_TOKEN = "11c0ffee00sandbox00admin00token0001"
COMMAND = "<hudson.tasks.Shell><command>echo hello\nsleep 0.3</command></hudson.tasks.Shell>"
CONFIG = f"<project><quietPeriod>0</quietPeriod><builders>{COMMAND}</builders></project>"
POLL_INTERVAL = {"delay": 0.1}  # polling interval in seconds


@pytest.fixture(params=["sandbox-admin", ADMIN_TOKEN], ids=["password", "token"])
def server(sandbox: Any, request: pytest.FixtureRequest) -> Jenkins:
    """Return the client, logged in."""
    return Jenkins(f"{sandbox.url}/ci", "admin", request.param)


def test_server_is_described(server: Jenkins) -> None:
    assert server.version == "2.579"
    assert server.keys() == ["app", "deploy", "nightly"]
    assert server.views.keys() == ["all"]
    assert server.get_node("Built-In Node").is_online()
    assert server.has_plugin("git")
    assert server.get_plugins()["git"].version == "5.2.1"


def test_plugins_are_installed(server: Jenkins, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Plugins, "update_center_dict", {})  # the client downloads it from the update site itself
    server.plugins.check_updates_server()
    server.install_plugin("ssh-slaves@latest")
    assert {"ssh-slaves", "trilead-api"} <= set(server.get_plugins().keys())
    assert not server.plugins.restart_required
    server.install_plugin("audit-trail@latest", restart=False)
    assert "audit-trail" not in server.get_plugins()
    assert server.plugins.restart_required
    jobs = server.plugins.update_center_install_status["data"]["jobs"]
    assert [job["name"] for job in jobs] == ["trilead-api", "ssh-slaves", "audit-trail"]


def test_plugins_are_changed(server: Jenkins) -> None:
    server.plugins.disable_plugin("git")
    assert not server.get_plugins()["git"].enabled
    server.plugins.enable_plugin("git")
    assert server.get_plugins()["git"].enabled
    server.delete_plugin("workflow-aggregator", restart=False, force_restart=False)
    assert server.get_plugins()["workflow-aggregator"].deleted
    with pytest.raises(JenkinsAPIException, match="already marked for uninstall"):
        server.delete_plugin("workflow-aggregator")
    with pytest.raises(KeyError):
        server.delete_plugin("nothing")


def test_jobs_are_managed(server: Jenkins) -> None:
    job = server.create_job("new", CONFIG)
    job.disable()
    assert not job.is_enabled()
    job.enable()
    assert job.is_enabled()
    job.update_config(CONFIG.replace("hello", "good day"))
    assert "good day" in job.get_config()
    server.copy_job("new", "copy")
    assert "good day" in server["copy"].get_config()
    assert server.rename_job("copy", "other").name == "other"
    assert server.rename_job("other", "copy").name == "copy"
    server.delete_job("new")
    assert server.keys() == ["app", "copy", "deploy", "nightly"]


def test_views_are_managed(server: Jenkins) -> None:
    server.views["mine"] = ["app", "deploy"]
    view = server.views["mine"]
    assert list(view.keys()) == ["app", "deploy"]
    assert view.remove_job("app")
    assert view.get_job_dict().keys() == {"deploy"}
    assert "<string>deploy</string>" in view.get_config()
    view.update_config("<hudson.model.ListView><includeRegex>.*p.*</includeRegex></hudson.model.ListView>")
    assert list(server.views["mine"].keys()) == ["app", "deploy"]
    del server.views["mine"]
    assert server.views.keys() == ["all"]


def test_build_is_followed_to_completion(server: Jenkins) -> None:
    item = server.create_job("quick", CONFIG).invoke(**POLL_INTERVAL)
    build = item.block_until_complete(**POLL_INTERVAL) or item.get_build()
    assert (build.get_number(), build.get_status(), build.is_running()) == (1, "SUCCESS", False)
    assert "hello\n" in build.get_console()
    assert build.get_causes()[0]["userId"] == "admin"


def test_build_with_parameters_is_stopped(server: Jenkins, sandbox: Any) -> None:
    sandbox.clock(frozen=True)
    item = server["deploy"].invoke(build_params={"VERSION": "9"}, **POLL_INTERVAL)
    build = item.block_until_building(**POLL_INTERVAL)
    assert build.get_params() == {"VERSION": "9", "TARGET": "staging", "DRY_RUN": False, "SECRET": None}
    assert build.stop()
    sandbox.clock(frozen=False)
    build.block_until_complete(**POLL_INTERVAL)
    stopped = server["deploy"].get_build(build.get_number())
    assert stopped.get_status() == "ABORTED"
    assert not stopped.stop()


def test_file_parameter_is_uploaded(server: Jenkins, sandbox: Any) -> None:
    job = {"name": "install", "quiet_period": 0, "parameters": [{"name": "PACKAGE", "type": "file"}]}
    sandbox.seed({"ci": {"jobs": [job]}})
    item = server["install"].invoke(files={"PACKAGE": ("app.zip", b"content")}, **POLL_INTERVAL)
    build = item.block_until_building(**POLL_INTERVAL)
    answer = server.requester.get_url(f"{build.baseurl}/parameters/parameter/PACKAGE/PACKAGE")
    assert answer.content == b"content"


def test_pipeline_runs_in_a_folder(server: Jenkins, sandbox: Any) -> None:
    script = "node { sh 'echo built > app.txt'; archiveArtifacts '*.txt' }"
    job = {"name": "team/pipe", "kind": "pipeline", "script": script, "quiet_period": 0, "builds": [{}] * 120}
    sandbox.seed({"ci": {"jobs": [job]}})
    pipe = server.get_job_by_url(f"{server.baseurl}/job/team/job/pipe/", "team/pipe")
    assert pipe.get_full_name() == "team/pipe"
    assert len(list(pipe.get_build_ids())) == 120
    item = pipe.invoke(**POLL_INTERVAL)
    build = item.block_until_complete(**POLL_INTERVAL) or item.get_build()
    assert (build.get_number(), build.get_status()) == (121, "SUCCESS")
    [artifact] = build.get_artifacts()
    assert (artifact.filename, artifact.get_data()) == ("app.txt", b"built\n")


def test_quiet_down_mode_is_changed(server: Jenkins) -> None:
    server.quiet_down()
    assert server.is_quieting_down
    server.cancel_quiet_down()
    assert not server.is_quieting_down


def test_requests_are_refused_when_permissions_are_missing(sandbox: Any) -> None:
    with pytest.raises(HTTPError, match="401"):
        Jenkins(f"{sandbox.url}/ci", "admin", "wrong")
    reader = Jenkins(f"{sandbox.url}/ci", "reader", "sandbox-reader")
    with pytest.raises((HTTPError, JenkinsAPIException), match="403"):
        reader["app"].invoke(**POLL_INTERVAL)


def test_users_are_created_and_deleted(server: Jenkins, sandbox: Any) -> None:
    server.create_user("carol", "carols-own", "Carol Jones", "")
    own = Jenkins(f"{sandbox.url}/ci", "carol", "carols-own", lazy=True)
    with pytest.raises(HTTPError, match="403"):  # a new user has no permissions
        own.get_data(f"{own.baseurl}/api/python")
    server.delete_user("carol")
    with pytest.raises(HTTPError, match="401"):
        own.get_data(f"{own.baseurl}/whoAmI/api/python")


def test_api_tokens_are_created_and_revoked(sandbox: Any) -> None:
    own = Jenkins(f"{sandbox.url}/ci", "reader", "sandbox-reader", lazy=True)
    token = own.generate_new_api_token("notebook")
    by_token = Jenkins(f"{sandbox.url}/ci", "reader", token)
    assert by_token.has_job("app")
    own.revoke_all_api_tokens()
    with pytest.raises(HTTPError, match="401"):
        by_token.get_data(f"{by_token.baseurl}/api/python")


def test_credentials_are_managed(server: Jenkins) -> None:
    credentials = server.credentials
    credentials["login"] = UsernamePasswordCredential({"description": "login", "userName": "bob", "password": "x"})
    credentials["token"] = SecretTextCredential({"description": "token", "secret": "x"})
    credentials["key"] = SSHKeyCredential(
        {"description": "key", "userName": "git", "passphrase": "", "private_key": "-----BEGIN PRIVATE KEY-----\nx"}
    )
    assert sorted(credentials.keys()) == ["key", "login", "token"]
    credentials["token"] = SecretTextCredential({"description": "token", "secret": "y"})
    del credentials["login"]
    assert sorted(server.credentials.keys()) == ["key", "token"]


def test_nodes_are_managed(server: Jenkins) -> None:
    attributes = {
        "num_executors": 2,
        "node_description": "of the team",
        "remote_fs": "/srv",
        "labels": "linux",
        "exclusive": True,
        "retention": "OnDemand",
        "ondemand_delay": 1,
        "ondemand_idle_delay": 5,
        "env": [{"key": "A", "value": "1"}],
        "tool_location": [{"key": "hudson.model.JDK$DescriptorImpl@jdk", "home": "/opt/jdk"}],
    }
    node = server.nodes.create_node("one", attributes)
    assert (node.is_online(), node.is_jnlpagent(), node.is_idle()) == (False, True, True)
    assert node.get_config_element("mode") == "EXCLUSIVE"
    assert "<idleDelay>5</idleDelay>" in node.get_config()
    assert "<string>A</string>" in node.get_config()
    assert "<home>/opt/jdk</home>" in node.get_config()
    node.add_labels("fast")
    assert node.get_labels() == "fast linux"
    node.toggle_temporarily_offline("maintenance")
    assert (node.is_temporarily_offline(), node.offline_reason()) == (True, "maintenance")
    node.update_offline_reason("longer")
    node.poll()
    assert node.offline_reason() == "longer"
    del server.nodes["one"]
    assert "one" not in server.nodes.poll(tree="computer[displayName]")["computer"]
