# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client api4jenkins, which distinguishes queue items by their classes, works with the Jenkins sandbox."""

from __future__ import annotations

import io
from typing import Any

import pytest
from api4jenkins import Jenkins
from api4jenkins.exceptions import AuthenticationError
from httpx import HTTPStatusError

from support.eventually import poll

ADMIN_TOKEN = "11c0ffee00sandbox00admin00token0001"
FILE = {"name": "PACKAGE", "type": "file"}
JOBS = [
    {"name": "team/quick", "command": "echo hello", "quiet_period": 0},
    {"name": "long", "seconds": 3600, "quiet_period": 0},
    {"name": "waits", "quiet_period": 3600},
    {"name": "install", "command": "echo $PACKAGE", "quiet_period": 0, "parameters": [FILE]},
]


@pytest.fixture(params=["sandbox-admin", ADMIN_TOKEN], ids=["password", "token"])
def server(sandbox: Any, request: pytest.FixtureRequest) -> Jenkins:
    """Return the client, logged in."""
    sandbox.seed({"ci": {"jobs": JOBS}})
    return Jenkins(f"{sandbox.url}/ci", auth=("admin", request.param))


def test_server_is_described(server: Jenkins) -> None:
    assert server.version == "2.579"
    assert server.exists()
    assert {job.full_name for job in server.iter(1)} >= {"app", "deploy", "team/quick"}
    assert server.plugins.get("git").version == "5.2.1"


def test_build_runs_in_a_folder(server: Jenkins) -> None:
    item = server.get_job("team/quick").build()
    build = poll(item.get_build)
    assert build.url.endswith("/ci/job/team/job/quick/1/")
    assert [line for line in build.progressive_output() if line][-1] == "Finished: SUCCESS"
    assert (build.number, build.result, build.building, build.queue_id) == (1, "SUCCESS", False, item.id)
    assert "hello" in list(build.console_text())


def test_parameters_are_passed(server: Jenkins) -> None:
    job = server.get_job("deploy")
    assert [parameter["name"] for parameter in job.get_parameters()] == ["VERSION", "TARGET", "DRY_RUN", "SECRET"]
    build = poll(job.build(VERSION="7", TARGET="production", DRY_RUN=True, delay="0sec").get_build)
    parameters = {item.name: getattr(item, "value", None) for item in build.get_parameters()}
    # the client returns "" for null
    assert parameters == {"VERSION": "7", "TARGET": "production", "DRY_RUN": True, "SECRET": ""}
    with pytest.raises(HTTPStatusError, match="500"):
        job.build(TARGET="moon")


def test_file_parameter_is_uploaded(server: Jenkins) -> None:
    build = poll(server.get_job("install").build(PACKAGE=("app.zip", io.BytesIO(b"content"))).get_build)
    answer = build.handle_req("GET", "parameters/parameter/PACKAGE/PACKAGE")
    assert answer.content == b"content"
    assert poll(lambda: "app.zip" in list(build.console_text()))


def test_queue_is_returned(server: Jenkins) -> None:
    item = server.get_job("waits").build()
    assert item._class.endswith("$WaitingItem")
    assert item.get_job().full_name == "waits"
    assert item.id in [queued.id for queued in server.queue]
    assert server.get_job("waits").build().id == item.id  # an equal queue item
    item.cancel()
    assert server.queue.get(item.id) is None
    assert item.api_json(tree="cancelled")["cancelled"] is True


def test_build_is_stopped(server: Jenkins) -> None:
    build = poll(server.get_job("long").build().get_build)
    assert build.building
    build.stop()
    assert poll(lambda: build.result) == "ABORTED"


def test_blocked_item_is_returned(server: Jenkins) -> None:
    job = server.get_job("long")
    poll(job.build().get_build)
    blocked = job.build()
    assert blocked._class.endswith("$BlockedItem")
    assert blocked.get_build() is None


def test_login_fails_when_the_password_is_wrong(sandbox: Any) -> None:
    with pytest.raises(AuthenticationError):
        Jenkins(f"{sandbox.url}/ci", auth=("admin", "wrong")).api_json()


def test_user_and_api_tokens_are_changed(server: Jenkins, sandbox: Any) -> None:
    server.me.set_description("Maintains the server")
    assert server.me.description == "Maintains the server"
    token = server.me.generate_token("notebook")
    assert token.name == "notebook"
    client = Jenkins(f"{sandbox.url}/ci", auth=("admin", token.value))
    assert client.exists()
    server.me.revoke_token(token.uuid)
    with pytest.raises(AuthenticationError):
        client.exists()


def test_configuration_is_exported_and_reloaded(server: Jenkins, sandbox: Any) -> None:
    assert server.system.export_jcasc().startswith("configuration-as-code:\n")
    sandbox.seed({"ci": {"configuration": {"sources": {"/casc/jenkins.yaml": "jenkins:\n  systemMessage: hello\n"}}}})
    assert server.system.reload_jcasc().status_code == 302
    assert '  systemMessage: "hello"\n' in server.system.export_jcasc()
    with pytest.raises(ValueError, match="do not exist"):
        server.system.apply_jcasc("/casc/nosuch.yaml")


def test_nodes_are_managed(server: Jenkins, sandbox: Any) -> None:
    server.nodes.create("one", labelString="linux", numExecutors=2)
    node = server.nodes.get("one")
    assert (node.offline, node.temporarily_offline, node.num_executors) == (True, False, 2)
    assert [found.display_name for found in server.nodes.filter_node_by_label("linux")] == ["one"]
    node.configure(node.configure().replace("<numExecutors>2<", "<numExecutors>3<"))
    assert node.num_executors == 3
    node.delete()
    assert server.nodes.get("one") is None
    sandbox.seed({"ci": {"agents": [{"name": "two", "labels": ["linux"]}]}})
    connected = server.nodes.get("two")
    connected.disable("maintenance")
    assert (connected.offline, connected.offline_cause_reason) == (True, "maintenance")
    connected.enable()
    assert not connected.offline
    assert [found.display_name for found in server.nodes.filter_node_by_status(online=True)] == [
        "Built-In Node",
        "two",
    ]
