# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: creating, changing and deleting nodes."""

from __future__ import annotations

import json
from typing import Any

import pytest
import requests

from support.wire.ci import XML, Ci, oops

FORM = {"nodeDescription": "of the team", "numExecutors": "2", "remoteFS": "/srv", "labelString": "linux fast"}


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
    assert [label["name"] for label in node["assignedLabels"]] == ["linux", "fast", "one"]
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
