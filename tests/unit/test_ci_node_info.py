# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from support.ci_nodes import BUILT_IN, computer, missing, offline, read, state, states
from support.ci_server import APP, TOKEN, deny_permission
from support.conversation import Call, call, conversation
from support.running import run

HIDDEN = {"currentExecutable": None, "idle": False}
MATRIX = (
    "  <nodeProperties>\n    <org.example.Property>\n      <a>1</a>\n    </org.example.Property>\n  </nodeProperties>\n"
)


def built_in() -> Call:
    node = {"assignedLabels": [{"name": "built-in"}], "mode": "NORMAL", "numExecutors": 2}
    return call("GET", f"/api/json?tree={quote('assignedLabels[name],mode,numExecutors', safe='')}", json=node)


def status(name: str, **members: Any) -> dict[str, Any]:
    return {
        "name": name,
        "permanent": True,
        "offline": False,
        "temporarily_offline": False,
        "offline_reason": "",
        "drained": False,
        "idle": True,
        "executors": 1,
        "busy_executors": 0,
        "labels": [],
        "running_builds": [],
        "hidden_builds": 0,
        **members,
    }


def test_nodes_have_configuration_and_status() -> None:
    cloud = computer("cloud", _class="hudson.plugins.ec2.EC2Computer")
    busy = computer("n1", executors=[{"currentExecutable": APP, "idle": False}, HIDDEN])
    with conversation(states(computer("built-in"), cloud, busy), built_in(), read(executors=2)) as server:
        result = run("ci_node_info", url=server.url, workers=1, **TOKEN)
    assert not result["changed"]
    assert [node["name"] for node in result["nodes"]] == ["built-in", "n1"]
    assert result["nodes"][0] == {"name": "built-in", "executors": 2, "labels": [], "usage": "normal"}
    assert (result["nodes"][1]["remote_root"], result["nodes"][1]["config"]) == ("/srv", None)
    running = [{"name": "app #42", "job": "app", "number": 42, "url": "http://ci/job/app/42/"}]
    assert result["states"] == [
        status("built-in", permanent=False),
        status("cloud", permanent=False),
        status("n1", idle=False, executors=2, busy_executors=2, running_builds=running, hidden_builds=1),
    ]


def test_only_the_states_are_read_without_configuration() -> None:
    with conversation(states(computer("built-in"), computer("n1"))) as server:
        result = run("ci_node_info", url=server.url, read_config=False, **TOKEN)
    assert result["nodes"] is None
    assert [node["name"] for node in result["states"]] == ["built-in", "n1"]


def test_state_says_why_a_node_is_offline() -> None:
    nodes = (offline("n1", "closed"), offline("n2", "Drained by buildworks.toolchain: disks"), computer("n3"))
    with conversation(states(*nodes), read(), read("n2"), read("n3")) as server:
        result = run("ci_node_info", url=server.url, workers=1, **TOKEN)
    assert [(node["offline_reason"], node["drained"]) for node in result["states"]] == [
        ("closed", False),
        ("Drained by buildworks.toolchain: disks", True),
        ("", False),
    ]


def test_parts_without_option_are_returned_as_xml() -> None:
    with conversation(state(computer()), read(properties=MATRIX)) as server:
        node = run("ci_node_info", url=server.url, name="n1", **TOKEN)["nodes"][0]
    assert node["config"].endswith(f"<slave>\n{MATRIX}</slave>")
    with conversation(read(properties=MATRIX)) as server:
        assert run("ci_node", url=server.url, items=[node], **TOKEN)["counts"]["ok"] == 1


def test_whole_configuration_is_returned_on_request() -> None:
    with conversation(state(computer()), read(properties=MATRIX)) as server:
        node = run("ci_node_info", url=server.url, name="n1", complete_config=True, **TOKEN)["nodes"][0]
    for text in (MATRIX.strip(), "<numExecutors>1</numExecutors>", "<retentionStrategy "):
        assert text in node["config"]
    assert "<name>" not in node["config"]


def test_unknown_launcher_is_returned_as_xml() -> None:
    launcher = '  <launcher class="com.example.Launcher">\n    <a>1</a>\n  </launcher>\n'
    with conversation(state(computer()), read(launcher=launcher)) as server:
        node = run("ci_node_info", url=server.url, name="n1", **TOKEN)["nodes"][0]
    assert node["launcher"] is None
    assert node["config"].endswith(f"<slave>\n{launcher}</slave>")
    with conversation(read(launcher=launcher)) as server:
        assert run("ci_node", url=server.url, items=[node], **TOKEN)["counts"]["ok"] == 1


def test_configuration_is_null_when_account_may_not_read_it() -> None:
    refused = call("GET", "/computer/n1/config.xml", 403, text=deny_permission("x", "Agent/Configure"))
    with conversation(state(computer()), refused) as server:
        node = run("ci_node_info", url=server.url, name="n1", **TOKEN)["nodes"][0]
    assert (node["executors"], node["labels"], node["remote_root"], node["launcher"]) == (1, [], None, None)


def test_missing_node_is_an_empty_list() -> None:
    with conversation(state(None)) as server:
        result = run("ci_node_info", url=server.url, name="n1", **TOKEN)
    assert (result["nodes"], result["states"]) == ([], [])
    with conversation(state(computer()), missing()) as server:
        assert run("ci_node_info", url=server.url, name="n1", **TOKEN)["nodes"] == []


def test_built_in_node_is_returned_by_name() -> None:
    with conversation(state(computer("built-in"), BUILT_IN), built_in()) as server:
        result = run("ci_node_info", url=server.url, name="built-in", **TOKEN)
    assert [node["name"] for node in result["nodes"]] == ["built-in"]
