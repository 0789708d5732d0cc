# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: creating, changing and deleting nodes."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import requests

from support.wire.ci import CONFIG, XML, Ci, oops

FORM = {"nodeDescription": "of the team", "numExecutors": "2", "remoteFS": "/srv", "labelString": "linux fast"}
MINIMAL = "<slave><name>one</name><remoteFS>/x</remoteFS><numExecutors>1</numExecutors></slave>"
SSH = "hudson.plugins.sshslaves.SSHLauncher"


def create(ci: Ci, user: str = "admin", **changes: Any) -> requests.Response:
    fields = {"name": "one", "type": "hudson.slaves.DumbSlave$DescriptorImpl", "json": json.dumps(FORM), **changes}
    return ci.post("/computer/doCreateItem", user, data=fields)


def test_agent_is_created(ci: Ci) -> None:
    response = create(ci)
    assert (response.status_code, response.headers["Location"]) == (302, "/ci/computer/")
    node = ci.json("/computer/one")
    assert (node["_class"], node["displayName"], node["description"]) == (
        "hudson.slaves.SlaveComputer",
        "one",
        "of the team",
    )
    assert (node["numExecutors"], node["offline"], node["temporarilyOffline"]) == (2, True, False)
    assert [label["name"] for label in node["assignedLabels"]] == ["one", "fast", "linux"]
    assert [node["displayName"] for node in ci.json("/computer")["computer"]] == ["Built-In Node", "one"]


@pytest.mark.parametrize(
    ("changes", "status"),
    [({}, 400), ({"name": ""}, 400), ({"name": "a/b"}, 400), ({"name": "two", "json": None}, 400)],
)
def test_agent_is_refused_when_name_is_invalid(ci: Ci, changes: dict[str, Any], status: int) -> None:
    create(ci)
    assert create(ci, **changes).status_code == status


def test_agent_is_refused_when_definition_is_malformed(ci: Ci) -> None:
    assert oops(create(ci, type="no.such.Kind"))
    assert oops(create(ci, json="["))
    assert oops(create(ci, json='{"numExecutors": "many"}'))


def test_agent_configuration_can_be_replaced(ci: Ci) -> None:
    create(ci)
    config = ci.get("/computer/one/config.xml")
    assert config.headers["Content-Type"] == "application/xml"
    assert "<remoteFS>/srv</remoteFS>\n  <numExecutors>2</numExecutors>" in config.text
    changed = config.text.replace(">2<", ">3<").replace("of the team", "of all")
    assert ci.post("/computer/one/config.xml", data=changed, headers=XML).status_code == 200
    assert ci.members("/computer/one", "numExecutors,description") == {"description": "of all", "numExecutors": 3}
    assert oops(ci.post("/computer/one/config.xml", data="<slave>", headers=XML))
    assert ci.get("/computer/(built-in)/config.xml").status_code == 400


def test_agent_goes_offline_and_online(ci: Ci) -> None:
    ci.sandbox.seed({"ci": {"agents": [{"name": "one"}]}})
    toggled = ci.post("/computer/one/toggleOffline?offlineMessage=why")
    assert (toggled.status_code, toggled.headers["Location"]) == (302, "/ci/computer/one/")
    tree = "offline,temporarilyOffline,offlineCauseReason,offlineCause"
    assert ci.members("/computer/one", tree) == {
        "offline": True,
        "offlineCause": {"_class": "hudson.slaves.OfflineCause$UserCause"},
        "offlineCauseReason": "why",
        "temporarilyOffline": True,
    }
    ci.post("/computer/one/changeOfflineCause", data={"offlineMessage": "other"})
    assert ci.members("/computer/one", "offlineCauseReason") == {"offlineCauseReason": "other"}
    ci.post("/computer/one/toggleOffline")
    assert ci.members("/computer/one", "offline,offlineCause") == {"offline": False, "offlineCause": None}
    ci.post("/computer/one/doDisconnect")
    ci.post("/computer/one/launchSlaveAgent")
    assert ci.members("/computer/one", "offline") == {"offline": True}


def test_agent_is_deleted(ci: Ci) -> None:
    create(ci)
    deleted = ci.post("/computer/one/doDelete")
    assert (deleted.status_code, deleted.headers["Location"]) == (302, "/ci/computer/")
    assert ci.post("/computer/one/doDelete").status_code == 404
    assert ci.post("/computer/(built-in)/doDelete").status_code == 400


def test_agent_pages_are_served(ci: Ci) -> None:
    create(ci)
    assert ci.get("/computer/one/").status_code == ci.get("/computer/(built-in)/").status_code == 200
    assert ci.get("/computer/one").headers["Location"] == "/ci/computer/one/"
    assert ci.get("/computer/nosuch/").status_code == 404
    assert (ci.get("/computer/new").status_code, ci.get("/computer/new", "reader").status_code) == (200, 403)


def test_permissions_are_enforced(ci: Ci) -> None:
    create(ci)
    for path, permission in (("config.xml", "Configure"), ("toggleOffline", "Disconnect"), ("doDelete", "Delete")):
        refused = ci.post(f"/computer/one/{path}", "reader")
        assert refused.headers["X-Required-Permission"] == f"hudson.model.Computer.{permission}"
    assert create(ci, "reader", name="two").headers["X-Required-Permission"] == "hudson.model.Computer.Create"
    assert ci.get("/computer/one/doDelete").status_code == 405


def create_from_xml(ci: Ci, config: str, name: str = "one") -> requests.Response:
    return ci.post(f"/computer/createItem?name={name}", data=config.encode(), headers=XML)


def read_config(ci: Ci, name: str = "one") -> str:
    response = ci.get(f"/computer/{name}/config.xml")
    assert response.status_code == 200
    return response.text


def test_configuration_of_created_agent_has_defaults(ci: Ci) -> None:
    create(ci)
    assert read_config(ci) == (
        '<?xml version="1.1" encoding="UTF-8"?>\n'
        "<slave>\n"
        "  <name>one</name>\n"
        "  <description>of the team</description>\n"
        "  <remoteFS>/srv</remoteFS>\n"
        "  <numExecutors>2</numExecutors>\n"
        "  <mode>NORMAL</mode>\n"
        '  <retentionStrategy class="hudson.slaves.RetentionStrategy$Always"/>\n'
        '  <launcher class="hudson.slaves.JNLPLauncher">\n'
        "    <workDirSettings>\n"
        "      <disabled>false</disabled>\n"
        "      <internalDir>remoting</internalDir>\n"
        "      <failIfWorkDirIsMissing>false</failIfWorkDirIsMissing>\n"
        "    </workDirSettings>\n"
        "    <webSocket>false</webSocket>\n"
        "  </launcher>\n"
        "  <label>linux fast</label>\n"
        "  <nodeProperties/>\n"
        "</slave>"
    )


def test_configuration_is_kept_when_it_is_posted_back(ci: Ci) -> None:
    create(ci)
    before = read_config(ci)
    assert ci.post("/computer/one/config.xml", data=before.encode(), headers=XML).status_code == 200
    assert read_config(ci) == before


def test_agent_is_created_from_xml(ci: Ci) -> None:
    launcher = '<launcher class="hudson.slaves.JNLPLauncher"/>'
    response = create_from_xml(ci, MINIMAL.replace("</slave>", f"{launcher}<unknown/></slave>"))
    assert (response.status_code, response.content) == (200, b"")
    config = read_config(ci)
    assert "<workDirSettings>\n      <disabled>true</disabled>" in config
    assert "<webSocket>false</webSocket>" in config
    assert "unknown" not in config
    assert "mode" not in config
    assert "<label></label>\n  <nodeProperties/>" in config
    refused = create_from_xml(ci, MINIMAL)
    assert (refused.status_code, "already exists" in refused.text) == (400, True)
    assert oops(create_from_xml(ci, "<slave>", name="two"))
    assert oops(create_from_xml(ci, "<project/>", name="two"))


def test_launcher_of_missing_plugin_is_dropped(ci: Ci) -> None:
    config = MINIMAL.replace("</slave>", f'<launcher class="{SSH}"><host>a</host></launcher></slave>')
    create_from_xml(ci, config)
    assert "launcher" not in read_config(ci)
    ci.sandbox.seed({"ci": {"plugins": [{"name": "ssh-slaves", "version": "3.1"}]}})
    ci.post("/computer/one/config.xml", data=config, headers=XML)
    assert f'<launcher class="{SSH}" plugin="ssh-slaves@3.1">\n    <host>a</host>' in read_config(ci)
    assert ci.members("/computer/one", "jnlpAgent,launchSupported") == {"jnlpAgent": False, "launchSupported": True}


def test_agent_is_hidden_when_it_has_no_executors(ci: Ci) -> None:
    create(ci)
    hidden = "<slave><name>one</name><remoteFS>/x</remoteFS><label>linux</label></slave>"
    assert ci.post("/computer/one/config.xml", data=hidden, headers=XML).status_code == 200
    assert ci.get("/computer/one/config.xml").status_code == ci.get("/computer/one/api/json").status_code == 404
    assert ci.post("/computer/one/doDelete").status_code == 404
    assert "already exists" in create(ci).text
    assert [node["nodeName"] for node in ci.json("/label/linux")["nodes"]] == ["one"]
    assert [node["displayName"] for node in ci.json("/computer")["computer"]] == ["Built-In Node"]


def test_agent_is_renamed_by_its_configuration(ci: Ci) -> None:
    create(ci)
    assert ci.post("/computer/one/config.xml", data=MINIMAL.replace("one", "nine"), headers=XML).status_code == 200
    assert ci.get("/computer/one/config.xml").status_code == 404
    assert "<name>nine</name>" in read_config(ci, "nine")


def test_agent_is_copied(ci: Ci) -> None:
    create(ci)
    copied = ci.post("/computer/createItem", data={"name": "two", "mode": "copy", "from": "one"})
    assert (copied.status_code, copied.headers["Location"]) == (302, "/ci/computer/two/configure")
    assert ci.members("/computer/two", "description,numExecutors") == {"description": "of the team", "numExecutors": 2}
    again = ci.post("/computer/createItem", data={"name": "two", "mode": "copy", "from": "one"})
    assert (again.status_code, again.headers["X-Error"]) == (400, "Agent called  two  already exists")
    missing = ci.post("/computer/createItem", data={"name": "three", "mode": "copy", "from": "no"})
    assert (missing.status_code, missing.headers["X-Error"]) == (400, "No such agent: no")
    assert ci.post("/computer/createItem", data={"name": "three"}).headers["X-Error"] == "No mode given"


def test_reason_is_in_the_configuration_while_agent_is_offline(ci: Ci) -> None:
    create(ci)
    ci.post("/computer/one/toggleOffline?offlineMessage=down for \u00fc")
    offline = read_config(ci)
    assert '<temporaryOfflineCause class="hudson.slaves.OfflineCause$UserCause">\n    <timestamp>' in offline
    assert "<string>admin</string>\n        <string> : down for \u00fc</string>" in offline
    assert "<userId>admin</userId>\n    <message>down for \u00fc</message>\n  </temporaryOfflineCause>" in offline
    cause = ci.json("/computer/one", tree="offlineCause[*]")["offlineCause"]
    assert cause["description"] == "Disconnected by admin : down for \u00fc"
    ci.post("/computer/one/config.xml", data=offline.encode(), headers=XML)
    assert ci.members("/computer/one", "temporarilyOffline") == {"temporarilyOffline": True}
    ci.post("/computer/one/config.xml", data=MINIMAL, headers=XML)
    assert ci.members("/computer/one", "temporarilyOffline") == {"temporarilyOffline": False}


def test_reason_takes_an_online_node_offline(ci: Ci) -> None:
    ci.sandbox.seed({"ci": {"agents": [{"name": "one"}]}})
    for path in ("/computer/one", "/computer/(built-in)", "/computer/(master)"):
        changed = ci.post(f"{path}/changeOfflineCause", data={"offlineMessage": "why"})
        assert (changed.status_code, changed.headers["Location"]) == (302, f"/ci{path}/")
        tree = "offline,temporarilyOffline,offlineCauseReason"
        state = {"offline": True, "offlineCauseReason": "why", "temporarilyOffline": True}
        assert ci.members(path, tree) == state


def test_going_online_requires_another_permission(ci: Ci) -> None:
    user = {"name": "manager", "password": "x", "tokens": ["11c0ffee00sandbox00manager0token002"]}
    ci.sandbox.seed(
        {"ci": {"agents": [{"name": "one"}], "users": [{**user, "permissions": ["Overall/Read", "Agent/Disconnect"]}]}}
    )
    assert ci.post("/computer/one/toggleOffline", "manager").status_code == 302
    refused = ci.post("/computer/one/toggleOffline", "manager")
    assert refused.headers["X-Required-Permission"] == "hudson.model.Computer.Connect"


def test_secret_belongs_to_the_name(ci: Ci) -> None:
    create(ci)
    response = ci.get("/computer/one/jenkins-agent.jnlp")
    assert response.headers["Content-Type"] == "application/x-java-jnlp-file"
    arguments = re.findall("<argument>([^<]*)</argument>", response.text)
    assert re.fullmatch("[0-9a-f]{64}", arguments[0])
    assert arguments[1:] == ["one", "-workDir", "/srv", "-internalDir", "remoting", "-url", f"{ci.url}/"]
    assert ci.get("/computer/one/jenkins-agent.jnlp").text == response.text
    create(ci, name="two")
    assert arguments[0] not in ci.get("/computer/two/jenkins-agent.jnlp").text
    refused = ci.get("/computer/one/jenkins-agent.jnlp", "reader")
    assert refused.headers["X-Required-Permission"] == "hudson.model.Computer.Connect"


def test_built_in_node_is_configured_by_form(ci: Ci) -> None:
    form = {"numExecutors": "3", "labelString": "main", "mode": "EXCLUSIVE"}
    submitted = ci.post("/computer/(built-in)/configSubmit", data={"json": json.dumps(form)})
    assert (submitted.status_code, submitted.headers["Location"]) == (302, "/ci/computer/(built-in)/")
    node = ci.json("/computer/(built-in)", tree="numExecutors,assignedLabels[name]")
    assert node["numExecutors"] == 3
    assert [label["name"] for label in node["assignedLabels"]] == ["built-in", "main"]
    assert ci.json("", tree="mode")["mode"] == "EXCLUSIVE"
    assert oops(ci.post("/computer/(built-in)/configSubmit", data={"json": "{}"}))


def test_label_has_its_nodes(ci: Ci) -> None:
    create(ci)
    label = ci.json("/label/fast", tree="name,offline,totalExecutors,nodes[nodeName]")
    assert label["nodes"] == [{"_class": "hudson.slaves.DumbSlave", "nodeName": "one"}]
    assert (label["offline"], label["totalExecutors"]) == (True, 0)
    assert ci.get("/label/none/api/json").status_code == 404


def test_build_runs_on_agent_with_label(ci: Ci) -> None:
    config = CONFIG.replace("<project>", "<project><assignedNode>linux</assignedNode><quietPeriod>0</quietPeriod>")
    ci.create("tied", config)
    ci.start("tied")
    queue = "items[why,task[name]]"
    waiting = [item for item in ci.json("/queue", tree=queue)["items"] if item["task"]["name"] == "tied"]
    assert waiting[0]["why"] == "There are no nodes with the label \u2018linux\u2019"
    ci.sandbox.seed({"ci": {"agents": [{"name": "one", "labels": ["linux"], "offline_reason": "closed"}]}})
    waiting = [item for item in ci.json("/queue", tree=queue)["items"] if item["task"]["name"] == "tied"]
    assert waiting[0]["why"] == "All nodes of label \u2018linux\u2019 are offline"
    ci.post("/computer/one/toggleOffline")
    assert ci.json("/job/tied/1", tree="builtOn,building") == {
        "_class": "hudson.model.FreeStyleBuild",
        "builtOn": "one",
        "building": True,
    }
    computer = ci.json("/computer/one", tree="idle,executors[idle,currentExecutable[fullDisplayName]]")
    assert (computer["idle"], computer["executors"][0]["currentExecutable"]["fullDisplayName"]) == (False, "tied #1")
    assert ci.json("/computer", tree="busyExecutors")["busyExecutors"] == 1
    ci.post("/computer/one/doDelete")
    assert ci.json("/job/tied/1", tree="result")["result"] == "ABORTED"


def test_no_build_starts_while_built_in_node_is_offline(ci: Ci) -> None:
    ci.post("/computer/(built-in)/toggleOffline")
    ci.start("app")
    assert ci.json("/job/app", tree="inQueue")["inQueue"]
    ci.post("/computer/(built-in)/toggleOffline")
    assert not ci.json("/job/app", tree="inQueue")["inQueue"]
