# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that would lock out their own account, on the sandbox of Artifactory."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from sandbox import client
from support.running import run

LOCKED_OUT = (
    "The change would lock out 'boss2', the account of this task: it would not be an administrator. Set "
    "'allow_lockout: true' to allow this."
)
LOSSES: dict[str, dict[str, Any]] = {
    "absent": {"state": "absent"},
    "purge": {"members": ["reader"], "purge": True},
    "demotion": {"admin_privileges": False},
}
VARIANTS: dict[str, dict[str, Any]] = {
    **{
        f"{first} and {second}": {"items": [{"name": "admins1", **loss}, {"name": "Admins2", **other}]}
        for first, loss in LOSSES.items()
        for second, other in LOSSES.items()
        if second != "absent"
    },
    "absent twice": {"items": [{"name": "admins1", "state": "absent"}, {"name": "admins2", "state": "absent"}]},
    "undeclared": {"items": [{"name": "deployers"}], "undeclared": "remove"},
    "undeclared and demotion": {"items": [{"name": "admins1", "admin_privileges": False}], "undeclared": "remove"},
    "defaults": {"items": [{"name": "admins1"}, {"name": "admins2"}], "state": "absent"},
}


def manage(sandbox: client.Sandbox, module: str, **options: Any) -> dict[str, Any]:
    """Run a module with the token of an administrator."""
    result = run(module, url=sandbox.url, token=sandbox.environment["JFROG_ACCESS_TOKEN"], **options)
    assert not result.get("failed"), result.get("msg")
    return result


@pytest.fixture
def boss(sandbox) -> dict[str, str]:
    """Return the credential of an account that is an administrator only through two groups."""
    for group in ("admins1", "admins2"):
        manage(sandbox, "artifact_group", name=group, admin_privileges=True)
    user = {"name": "boss2", "email": "boss2@example.com", "groups": ["admins1", "admins2"]}
    manage(sandbox, "artifact_user", user_password="Bosses-0wn", **user)
    return {"url": sandbox.url, "username": "Boss2", "password": "Bosses-0wn"}


def is_admin(boss: dict[str, str]) -> bool:
    """Return whether the account may read its user."""
    return not run("artifact_user_info", name="boss2", **boss).get("failed")


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("workers", [1, 8])
def test_account_keeps_its_administration_when_several_groups_change(boss, workers, variant):
    options = {**boss, "workers": workers, **VARIANTS[variant]}
    predicted = run("artifact_group", check_mode=True, **options)
    actual = run("artifact_group", **options)
    for result in (predicted, actual):
        assert result["failed"]
        assert {failure["reason"] for failure in result["failures"]} == {LOCKED_OUT}
        assert {failure["item"]["name"].lower() for failure in result["failures"]} <= {"admins1", "admins2"}
    assert is_admin(boss)


def test_account_loses_one_of_two_groups_when_the_other_remains(boss):
    items = [{"name": "admins1", "state": "absent"}, {"name": "deployers", "description": "x"}]
    assert run("artifact_group", check_mode=True, items=items, **boss)["changed"]
    result = run("artifact_group", items=items, **boss)
    assert (result["changed"], result.get("failed")) == (True, None)
    assert is_admin(boss)


def test_administrator_without_groups_deletes_all_groups(sandbox, boss):
    items = [{"name": "admins1", "state": "absent"}, {"name": "admins2", "state": "absent"}]
    assert manage(sandbox, "artifact_group", items=items)["changed"]


def test_lockout_is_allowed_for_single_items(boss):
    allowed = {"name": "admins1", "state": "absent", "allow_lockout": True}
    result = run("artifact_group", items=[allowed, {"name": "admins2", "state": "absent"}], workers=1, **boss)
    assert {outcome["index"]: outcome["status"] for outcome in result["outcomes"]} == {0: "changed", 1: "failed"}
    assert is_admin(boss)


@pytest.mark.parametrize("version", ["7.77.3", "6.5.0"])
def test_factory_password_is_replaced_and_the_second_run_changes_nothing(sandbox, version):
    sandbox.switch("artifact", version=version)
    session._CONNECTIONS.clear()  # which know the version
    sandbox.seed({"artifact": {"users": [{"name": "admin", "password": "password", "admin": True}]}})
    new = {"name": "admin", "user_password": "Admins-0wn"}
    factory = {"url": sandbox.url, "username": "admin", "password": "password"}
    changed = run("artifact_user", check_mode=True, update_secret="verify", **new, **factory)
    assert changed["changed"] and not changed.get("failed"), changed.get("msg")
    changed = run("artifact_user", update_secret="always", **new, **factory)
    assert changed["changed"] and not changed.get("failed"), changed.get("msg")
    refused = run("artifact_user", update_secret="always", **new, **factory)
    assert (refused["changed"], " 401 " in refused["msg"]) == (False, True)
    repeated = run("artifact_user", update_secret="verify", **new, **{**factory, "password": "Admins-0wn"})
    assert (repeated["changed"], repeated.get("failed")) == (False, None)
