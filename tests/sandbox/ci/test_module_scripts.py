# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: the scripts of modules for script approvals and lockable resources."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.lockable_resources import resources
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.script_approvals import approvals
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts import groovy
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.unknown import FIND_UNKNOWN
from support.wire.ci import Ci

NOW = "staticMethod java.time.Instant now"
FILE = "new java.io.File java.lang.String"
SCRIPT = {"script": "println 'ü'", "language": "jexl", "user": "bob", "item": "team/app"}
HASH = approvals.hash_script(SCRIPT["script"], "jexl")[0]
SEED = {
    "signatures": ["method A b"],
    "acl_signatures": ["method A c"],
    "scripts": [{"script": "1"}],
    "pending_signatures": [{"signature": NOW}, {"signature": FILE, "user": "bob"}],
    "pending_scripts": [SCRIPT],
}


def run(ci: Ci, name: str, code: str, /, **args: Any) -> dict[str, Any]:
    """Return the report of a script."""
    form = groovy.controller_form(f"// buildworks.toolchain: {name}\n{code}", args)
    answer = ci.post("/scriptText", data=form)
    assert answer.status_code == 200
    parsed = groovy.parse_report(answer.text)
    assert parsed
    return parsed[1]


def read(ci: Ci, **args: Any) -> dict[str, Any]:
    lists: dict[str, Any] = run(
        ci, "read script approvals", approvals._READ, **{"signatures": [], "texts": False, **args}
    )["value"]
    return lists


def approve(ci: Ci, **args: Any) -> None:
    everything = {"signature": None, "hash": None, "restricted": False, **args}
    run(ci, "approve a signature or script", approvals._APPROVE, **everything)


def revoke(ci: Ci, **args: Any) -> None:
    everything = {"signature": None, "hashes": [], **args}
    run(ci, "revoke the approval of a signature or script", approvals._REVOKE, **everything)


@pytest.fixture
def approved(ci: Ci) -> Ci:
    """The service with approved and pending signatures and scripts."""
    users = [
        {
            "name": "admin",
            "password": "x",
            "tokens": ["11c0ffee00sandbox00admin00token0001"],
            "permissions": ["Overall/Administer"],
        }
    ]
    plugins = [{"name": "script-security", "version": "1"}, {"name": "lockable-resources", "version": "1"}]
    ci.sandbox.seed({"ci": {"users": users, "plugins": plugins, "script_approval": SEED}}, reset=True)
    return ci


def test_approvals_are_read(approved: Ci) -> None:
    lists = read(approved, signatures=["staticMethod java.lang.System exit int"], texts=True)
    assert lists == {
        "signatures": ["method A b"],
        "restricted": ["method A c"],
        "hashes": [approvals.hash_script("1", "groovy")[0]],
        "pending_signatures": [
            {"signature": NOW, "user": None, "item": None},
            {"signature": FILE, "user": "bob", "item": None},
        ],
        "pending_scripts": [{"hash": HASH, **SCRIPT}],
        "dangerous": ["staticMethod java.lang.System exit int", FILE],
    }
    assert "script" not in read(approved)["pending_scripts"][0]
    entry = approved.sandbox.journal("ci")[-1]
    assert (entry["label"], entry["effect"]) == ("list_script_approvals", "read")


def test_only_the_given_signature_is_approved(approved: Ci) -> None:
    approve(approved, signature=NOW)
    lists = read(approved)
    assert lists["signatures"] == ["method A b", NOW]
    assert [pending["signature"] for pending in lists["pending_signatures"]] == [FILE]
    assert len(lists["pending_scripts"]) == 1
    approve(approved, signature=NOW, restricted=True)
    assert (read(approved)["signatures"], read(approved)["restricted"]) == (["method A b"], ["method A c", NOW])
    revoke(approved, signature=NOW)
    revoke(approved, signature=FILE)
    lists = read(approved)
    assert (lists["restricted"], lists["pending_signatures"]) == (["method A c"], [])


def test_script_is_approved_and_revoked(approved: Ci) -> None:
    approve(approved, hash=HASH)
    assert HASH in read(approved)["hashes"]
    assert read(approved)["pending_scripts"] == []
    revoke(approved, hashes=[HASH, "0" * 40])
    assert HASH not in read(approved)["hashes"]


def test_lockable_resource_in_use_is_only_deleted_by_force(approved: Ci) -> None:
    approved.sandbox.seed({"ci": {"lockable_resources": [{"name": "a", "locked_by": "app #1"}]}})
    args = {"name": "a", "reserved_by": None, "force": False}
    assert run(approved, "delete a lockable resource", resources._DELETE, **args)["value"] is True
    args["force"] = True
    assert run(approved, "delete a lockable resource", resources._DELETE, **args)["value"] is False
    assert approved.json("/lockable-resources")["resources"] == []


@pytest.mark.parametrize(
    ("name", "code"),
    [("read script approvals", approvals._READ), ("save a lockable resource", resources._SAVE)],
)
def test_scripts_fail_when_the_plugin_is_missing(approved: Ci, name: str, code: str) -> None:
    for plugin in ("script-security", "lockable-resources"):
        approved.post(f"/pluginManager/plugin/{plugin}/doUninstall")
    approved.post("/restart")
    approved.later(3600)
    assert "unable to resolve class" in run(approved, name, code)["error"]["message"]


def test_unknown_classes_and_inapplicable_permissions_are_found(ci: Ci) -> None:
    names = {
        "class": ["hudson.plugins.git.GitSCM", "com.tikal.jenkins.plugins.multijob.MultiJobProject", "no.such.Builder"],
        "job": ["hudson.model.Item.Read", "Job/Create", "hudson.model.View.Read", "no.such.Permission"],
        "folder": ["Job/Create", "hudson.model.View.Read", "hudson.model.Computer.Build"],
        "node": ["Agent/Build", "Agent/Create", "hudson.model.Item.Read"],
    }
    assert run(ci, "find unknown classes and permissions", FIND_UNKNOWN, names=names)["value"] == {
        "class": ["com.tikal.jenkins.plugins.multijob.MultiJobProject", "no.such.Builder"],
        "job": ["Job/Create", "hudson.model.View.Read", "no.such.Permission"],
        "folder": ["hudson.model.Computer.Build"],
        "node": ["Agent/Create", "hudson.model.Item.Read"],
    }
