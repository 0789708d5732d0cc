# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration import ownership
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.lockable_resources import resources
from support.ci_scripts import script
from support.ci_server import deny_permission
from support.conversation import Call, call, conversation
from support.running import run

pytestmark = pytest.mark.usefixtures("no_configuration_sources")

TOKEN = {"username": "admin", "api_token": "11aa22bb33cc44dd55ee66ff7700881199"}
LIST = f"/lockable-resources/api/json?tree={quote(resources._TREE, safe='')}"
ME = "The Admin"
BUILD = "app #7"


def run_module(*calls: Call, module: str = "ci_lockable_resource", **parameters: Any) -> dict[str, Any]:
    """Run a task in exactly this conversation."""
    with conversation(*calls) as server:
        return run(module, url=server.url, **{**TOKEN, **parameters})


def listing(*listed: dict[str, Any], status: int = 200) -> Call:
    """Return the request for all resources."""
    return call("GET", LIST, status, json={"_class": "LockableResourcesRootAction", "resources": list(listed)})


def printer(**members: Any) -> dict[str, Any]:
    """Return a resource in the list."""
    reserved_by, build = members.pop("reservedBy", None), members.pop("buildName", None)
    return {
        "buildName": build,
        "description": "",
        "ephemeral": False,
        "labels": "",
        "locked": build is not None,
        "name": "printer",
        "note": "",
        "properties": [],
        "reservedBy": reserved_by,
        "stolen": False,
        **members,
    }


def save(**fields: Any) -> Call:
    """Return the request that creates or changes the resource."""
    args = {"name": "printer", **dict.fromkeys(("description", "labels", "note", "properties")), **fields}
    return script("save a lockable resource", resources._SAVE, args)


def delete(*, reserved_by: str | None = None, force: bool = False, is_used: bool = False) -> Call:
    """Return the request that deletes the resource."""
    args = {"name": "printer", "reserved_by": reserved_by, "force": force}
    return script("delete a lockable resource", resources._DELETE, args, value=is_used)


def act(action: str, status: int = 302) -> Call:
    """Return the request that changes who uses the resource."""
    return call("POST", f"/lockable-resources/{action}", status, sent_form={"resource": "printer"})


def administers(status: int = 200, **answer: Any) -> Call:
    """Return the request for a page that only administrators can read."""
    return call("GET", "/scriptText", status, **answer)


def account() -> Call:
    return call("GET", "/me/api/json?tree=fullName", json={"_class": "hudson.model.User", "fullName": ME})


def assert_success(result: dict[str, Any]) -> dict[str, Any]:
    assert not result.get("failed"), result["msg"]
    return result


DECLARED = {"name": "printer", "labels": ["hall", "color"], "properties": {"ADDRESS": "192.0.2.17"}}
STORED = {"labels": "color hall", "properties": [{"name": "ADDRESS", "value": "192.0.2.17"}]}


def test_unchanged_resource_needs_one_read() -> None:
    result = run_module(listing(printer(**STORED, description="kept")), **DECLARED)
    assert not assert_success(result)["changed"]
    assert result["resource"] == {
        "name": "printer",
        "description": "kept",
        "labels": ["color", "hall"],
        "note": "",
        "properties": {"ADDRESS": "192.0.2.17"},
        "ephemeral": False,
        "reserved_by": None,
        "locked_by": None,
        "stolen": False,
    }


def test_resource_is_created() -> None:
    written = save(labels="hall color", properties={"ADDRESS": "192.0.2.17"})
    result = run_module(listing(), written, listing(printer(**STORED)), **DECLARED, diff_mode=True)
    assert assert_success(result)["changed"]
    assert result["diff"]["after"]["labels"] == ["color", "hall"]


def test_check_mode_only_reads() -> None:
    result = run_module(listing(), account(), administers(), **DECLARED, reserved=True, check_mode=True)
    assert assert_success(result)["resource"]["reserved_by"] == ME


def test_check_mode_predicts_the_refusal_of_a_script() -> None:
    denied = administers(403, text=deny_permission("reader", "Overall/Administer"))
    for before, parameters in ((listing(), DECLARED), (listing(printer()), {"name": "printer", "state": "absent"})):
        result = run_module(before, denied, **parameters, check_mode=True)
        assert "403 reader is missing the Overall/Administer permission" in result["msg"]
    reserved = run_module(listing(printer()), account(), name="printer", reserved=True, check_mode=True)
    assert assert_success(reserved)["changed"]


def test_changes_keep_other_fields() -> None:
    before = printer(**STORED, note="a note", description="old")
    result = run_module(
        *(listing(before), save(description=""), listing({**before, "description": ""})), name="printer", description=""
    )
    assert assert_success(result)["resource"]["note"] == "a note"


def test_properties_and_labels_are_complete() -> None:
    before = printer(labels="a b", properties=[{"name": "OLD", "value": "1"}, {"name": "KEPT", "value": None}])
    after = printer(labels="b", properties=[{"name": "KEPT", "value": ""}])
    result = run_module(
        *(listing(before), save(labels="b", properties={"KEPT": ""}), listing(after)),
        name="printer",
        labels=["b"],
        properties={"KEPT": ""},
    )
    assert assert_success(result)["changed"]
    assert not run_module(listing(after), name="printer", labels=["b"], properties={"KEPT": ""})["changed"]


def test_temporary_resource_becomes_permanent() -> None:
    before = printer(ephemeral=True, buildName=BUILD)
    result = run_module(listing(before), save(), listing({**before, "ephemeral": False}), name="printer")
    assert assert_success(result)["changed"]


def test_resource_is_reserved() -> None:
    result = run_module(
        *(listing(printer()), account(), act("reserve"), listing(printer(reservedBy=ME))), name="printer", reserved=True
    )
    assert assert_success(result)["changed"]
    again = run_module(listing(printer(reservedBy=ME, buildName=BUILD)), account(), name="printer", reserved=True)
    assert not assert_success(again)["changed"]


@pytest.mark.parametrize("mode", [False, True])
@pytest.mark.parametrize("use", [{"reservedBy": "Alice"}, {"buildName": BUILD}])
def test_resource_in_use_is_not_reserved(use: dict[str, str], mode: bool) -> None:
    before = (listing(printer(**use)), account())
    result = run_module(*before, name="printer", reserved=True, check_mode=mode)
    reason = (
        "Alice has reserved it. Ask for its release, or set 'allow_in_use'."
        if "reservedBy" in use
        else "the build app #7 has locked it. Wait for the build, or set 'allow_in_use'."
    )
    assert result["msg"] == f"The resource 'printer' was not changed: {reason}"
    after = listing(printer(reservedBy=ME, stolen=True))
    taken = run_module(*before, act("steal"), after, name="printer", reserved=True, allow_in_use=True)
    assert assert_success(taken)["resource"]["stolen"]


def test_reservation_that_another_client_prevents_is_explained() -> None:
    before = (listing(printer()), account(), act("reserve", 423))
    taken = run_module(*before, listing(printer(buildName=BUILD)), name="printer", reserved=True)
    assert taken["msg"] == (
        "The resource 'printer' was not reserved: app #7 has it since the task started. Run the task again later."
    )
    assert not taken["changed"]
    queued = run_module(*before, listing(printer()), name="printer", reserved=True)
    assert "a queued build has it since the task started" in queued["msg"]


def test_reservation_is_released() -> None:
    result = run_module(
        *(listing(printer(reservedBy=ME)), account(), act("unreserve"), listing(printer())),
        name="printer",
        reserved=False,
    )
    assert assert_success(result)["resource"]["reserved_by"] is None
    unused = run_module(listing(printer(buildName=BUILD)), name="printer", reserved=False)
    assert not assert_success(unused)["changed"]


def test_reservation_of_another_account_is_kept_unless_allowed() -> None:
    before = listing(printer(reservedBy="Alice"))
    kept = run_module(before, account(), name="printer", reserved=False)
    assert "Alice has reserved it" in kept["msg"]
    released = run_module(
        before, act("unreserve"), listing(printer()), name="printer", reserved=False, allow_in_use=True
    )
    assert assert_success(released)["changed"]


def test_lock_is_kept_unless_its_release_is_allowed() -> None:
    before = listing(printer(buildName=BUILD, reservedBy="Alice"))
    kept = run_module(before, name="printer", locked=False)
    assert "the build app #7 has locked it" in kept["msg"]
    after = listing(printer(reservedBy="Alice"))
    released = run_module(before, act("unlock"), after, name="printer", locked=False, allow_in_use=True)
    assert assert_success(released)["resource"]["reserved_by"] == "Alice"
    assert not run_module(after, name="printer", locked=False)["changed"]


def test_new_resource_is_reserved_after_its_creation() -> None:
    result = run_module(
        *(listing(), account(), save(), act("reserve"), listing(printer(reservedBy=ME))), name="printer", reserved=True
    )
    assert assert_success(result)["changed"]
    free = run_module(listing(), save(), listing(printer()), name="printer", reserved=False, locked=False)
    assert assert_success(free)["changed"]


def test_resource_is_deleted() -> None:
    result = run_module(listing(printer()), delete(), listing(), name="printer", state="absent", diff_mode=True)
    assert assert_success(result)["resource"] is None
    assert result["diff"]["after"] == {"state": "absent"}
    own = run_module(
        listing(printer(reservedBy=ME)), account(), delete(reserved_by=ME), listing(), name="printer", state="absent"
    )
    assert assert_success(own)["changed"]
    assert not run_module(listing(), name="printer", state="absent")["changed"]


@pytest.mark.parametrize("use", [{"reservedBy": "Alice"}, {"buildName": BUILD}])
def test_resource_in_use_is_not_deleted(use: dict[str, str]) -> None:
    before = listing(printer(**use))
    asks = [account()] if "reservedBy" in use else []
    kept = run_module(before, *asks, name="printer", state="absent", check_mode=True)
    assert kept["msg"].startswith("The resource 'printer' was not deleted: ")
    deletion = delete(reserved_by=use.get("reservedBy"), force=True)
    gone = run_module(before, deletion, listing(), name="printer", state="absent", allow_in_use=True)
    assert assert_success(gone)["changed"]


def test_resource_that_a_build_takes_before_its_deletion_is_kept() -> None:
    result = run_module(listing(printer()), delete(is_used=True), name="printer", state="absent")
    assert result["msg"] == (
        "The resource 'printer' was not deleted: it is in use since the task started. Run the task again."
    )


def test_undeclared_resources_are_removed_unless_temporary() -> None:
    before = listing(printer(), printer(name="other"), printer(name="temporary", ephemeral=True))
    reported = run_module(before, items=[{"name": "other"}], undeclared="report")
    assert reported["undeclared"] == ["printer"]
    after = listing(printer(name="other"))
    result = run_module(before, delete(), after, items=[{"name": "other"}], undeclared="remove", workers=1)
    assert assert_success(result)["counts"]["changed"] == 1


@pytest.mark.parametrize("module", ["ci_lockable_resource", "ci_lockable_resource_info"])
@pytest.mark.parametrize("installed", [True, False])
def test_missing_plugin_is_named(module: str, installed: bool) -> None:
    plugins = call(
        "GET",
        f"/pluginManager/api/json?tree={quote('plugins[active,shortName]', safe='')}",
        json={"plugins": [{"active": True, "shortName": "lockable-resources"}] if installed else []},
    )
    parameters = {"name": "printer"} if module == "ci_lockable_resource" else {}
    result = run_module(call("GET", LIST, 404), plugins, module=module, check_mode=True, **parameters)
    assert result["msg"].startswith(
        "The server does not list its lockable resources."
        if installed
        else "Managing lockable resources requires the Jenkins plugin 'lockable-resources', which is not installed or "
    )


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({"locked": True}, "Option 'locked': must be false, because only builds lock resources"),
        ({"state": "absent", "reserved": False}, "Option 'reserved': must not be set with 'state: absent'"),
        ({"labels": ["a b"]}, "Option 'labels[0]': must be a label without blanks"),
        ({"name": " printer"}, "Option 'name': must not"),
        ({"properties": {"A": 1.10}}, "properties.A"),
        ({"items": [{"name": "a"}, {"name": "a"}]}, "items[1]: duplicate of items[0]"),
    ],
)
def test_invalid_options_are_refused(parameters: dict[str, Any], problem: str) -> None:
    assert problem in run_module(**{"name": "printer", **parameters})["msg"]


def test_info_returns_the_form_of_items_and_the_states() -> None:
    result = run_module(
        listing(printer(**STORED, reservedBy="Alice"), printer(name="other", buildName=BUILD)),
        module="ci_lockable_resource_info",
        label="hall",
        names=["printer", "other"],
    )
    assert assert_success(result)["resources"] == [
        {
            "name": "printer",
            "description": "",
            "labels": ["color", "hall"],
            "note": "",
            "properties": {"ADDRESS": "192.0.2.17"},
        }
    ]
    assert result["states"] == {
        "printer": {"reserved_by": "Alice", "locked_by": None, "stolen": False, "ephemeral": False}
    }


def test_only_the_reservation_is_changed_when_a_configuration_source_declares_resources(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    declared = ("unclassified", "lockableResourcesManager", "declaredResources")
    source = ownership.Source("/casc/base.yaml", frozenset([declared]))
    monkeypatch.setattr(ownership, "fetch_sources", lambda _ci: [source])
    for options in ({"note": "new"}, {"state": "absent"}):
        refused = run_module(listing(printer()), name="printer", **options)
        assert refused["msg"].startswith(
            "Cannot change lockable resource 'printer': the configuration source '/casc/base.yaml' of Jenkins sets "
            "'unclassified.lockableResourcesManager.declaredResources'"
        )
    reserved = run_module(
        *(listing(printer(reservedBy=ME)), account(), act("unreserve"), listing(printer())),
        name="printer",
        reserved=False,
    )
    assert reserved["changed"]
