# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, records, refusal
from support.running import run

MODULE = {"project": "app", "name": "ui"}
DEFAULT = {"name": "*default*", "allowAll": True, "paths": ["**/*"]}
STORED = {"name": "ui", "allowAll": True, "paths": ["**/ui/*", "**/a,b/*"], "tags": ["qt"]}
UNTOLD = dict.fromkeys(("allow_users", "allow_groups", "deny_users", "deny_groups"))
SHOWN = {"name": "ui", "paths": ["**/a,b/*", "**/ui/*"], "tags": ["qt"], "allow_all": True, **UNTOLD}
TOLD = {"allowUsers": ["bob", "alice"], "allowGroups": [], "denyUsers": [], "denyGroups": ["interns"]}


def list_call(*entries: dict[str, Any]) -> Call:
    return act("modules", project="app", text=records(DEFAULT, *entries))


def update(**fields: Any) -> Call:
    return act("update_module", **{**MODULE, **fields})


def module(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("review_module", url=server.url, **{**MODULE, **options}, **ACCOUNT)


@pytest.mark.parametrize("state", ["present", "absent"])
def test_task_fails_when_response_is_empty(state: str) -> None:
    result = module(act("modules", project="app"), state=state)
    assert "'modules' returned an empty list, but always returns the module '*default*'" in result["msg"]


def test_second_run_sends_one_read() -> None:
    result = module(list_call(STORED), paths=["**/ui/*", "**/a,b/*"], tags=["qt", "qt"], allow_all=True)
    assert result == {"changed": False, "module": SHOWN}


@pytest.mark.parametrize(
    ("options", "sent"),
    [
        ({}, {"allow_all": "true"}),
        ({"allow_all": False}, {"allow_all": "false"}),
        ({"allow_groups": ["devs"]}, {"allow_all": "false", "allow_groups": "devs"}),
        ({"deny_users": ["x, y", "b"], "tags": []}, {"allow_all": "true", "deny_users": "b,x\\, y", "tags": ""}),
    ],
    ids=["open", "closed", "for-some", "not-for-some"],
)
def test_module_is_created(options: dict[str, Any], sent: dict[str, str]) -> None:
    created = act("create_module", **MODULE, paths="**/a\\,b/*,**/ui/*", **sent)
    stored = {**STORED, "allowAll": sent["allow_all"] == "true", "tags": []}
    result = module(list_call(), created, list_call(stored), paths=["**/ui/*", "**/a,b/*"], **options)
    assert result["changed"]
    assert result["module"]["allow_all"] is stored["allowAll"]
    assert result["module"]["allow_groups"] == options.get("allow_groups")


@pytest.mark.parametrize(
    ("options", "sent", "stored"),
    [
        ({"paths": ["x"]}, {"paths": "x"}, {"paths": ["x"]}),
        ({"tags": []}, {"tags": ""}, {"tags": []}),
        ({"allow_all": False}, {"allow_all": "false"}, {"allowAll": False}),
    ],
    ids=["paths", "tags", "allow_all"],
)
def test_only_differences_are_sent(options: dict[str, Any], sent: dict[str, str], stored: dict[str, Any]) -> None:
    assert module(list_call(STORED), update(**sent), list_call({**STORED, **stored}), **options)["changed"]


def test_module_is_renamed_once() -> None:
    renamed = {**STORED, "name": "gui"}
    result = module(list_call(STORED), update(new_name="gui"), list_call(renamed), new_name="gui")
    assert (result["changed"], result["module"]["name"]) == (True, "gui")
    assert not module(list_call(renamed), new_name="gui")["changed"]
    changed = module(
        list_call(renamed), update(name="gui", tags=""), list_call({**renamed, "tags": []}), new_name="gui", tags=[]
    )
    assert changed["changed"]
    both = module(list_call(STORED, renamed), new_name="gui")
    assert both["msg"] == "Option 'new_name': another module 'gui' already exists."
    assert module(new_name="gui", state="absent")["msg"] == "Option 'new_name': must not be set with 'state: absent'."


def test_access_lists_are_compared_when_server_returns_them() -> None:
    stored = {**STORED, **TOLD}
    same = module(list_call(stored), allow_users=["alice", "bob"], deny_groups=["interns"])
    assert not same["changed"]
    assert "warnings" not in same
    assert same["module"]["allow_users"] == ["alice", "bob"]
    fewer = module(list_call(stored), update(deny_groups=""), list_call({**stored, "denyGroups": []}), deny_groups=[])
    assert fewer["changed"]


def test_unreadable_lists_are_sent_with_other_changes() -> None:
    waiting = module(list_call(STORED), allow_users=["alice"])
    assert not waiting["changed"]
    assert "Did not send allow_users" in waiting["warnings"][0]
    sent = update(tags="", allow_users="alice")
    along = module(list_call(STORED), sent, list_call({**STORED, "tags": []}), allow_users=["alice"], tags=[])
    assert (along["changed"], along["module"]["allow_users"]) == (True, ["alice"])
    assert "warnings" not in along


def test_unreadable_lists_are_sent_with_always() -> None:
    options = {"allow_users": ["alice"], "update_unreadable": "always"}
    result = module(list_call(STORED), update(allow_users="alice"), list_call(STORED), **options)
    assert (result["changed"], result["module"]["allow_users"]) == (True, ["alice"])
    lost = module(
        list_call(STORED), act("update_module", drop=True, **MODULE, allow_users="alice"), list_call(STORED), **options
    )
    assert "Whether the request had its effect is not known." in lost["msg"]


def test_readable_fields_prove_unreadable_ones() -> None:
    lost = act("update_module", drop=True, **MODULE, tags="", allow_users="alice")
    result = module(list_call(STORED), lost, list_call({**STORED, "tags": []}), allow_users=["alice"], tags=[])
    assert result["changed"]


def test_check_mode_predicts_change() -> None:
    result = module(list_call(), paths=["**/ui/*", "**/a,b/*"], tags=["qt"], check_mode=True)
    assert result == {"changed": True, "module": SHOWN}
    assert module(list_call(STORED), new_name="gui", check_mode=True)["module"] == {**SHOWN, "name": "gui"}


def test_module_is_deleted_once() -> None:
    removed = module(list_call(STORED), act("delete_module", **MODULE), list_call(), state="absent")
    assert removed == {"changed": True, "module": None}
    assert not module(list_call(), state="absent")["changed"]


@pytest.mark.parametrize(
    "options", [{"name": "*default*"}, {"new_name": "*default*"}, {"name": "*default*", "state": "absent"}]
)
def test_builtin_module_is_refused_before_first_request(options: dict[str, str]) -> None:
    message = f"Option '{next(iter(options))}': the built-in module '*default*' cannot be changed"
    assert message in module(**options)["msg"]


def test_new_module_requires_paths() -> None:
    assert module(list_call())["msg"] == "Option 'paths': is required to create a module."
    assert module(paths=[])["msg"] == "Option 'paths': must not be empty."


def test_task_fails_when_update_has_no_effect() -> None:
    result = module(list_call(STORED), update(tags=""), list_call(STORED), tags=[])
    assert "these fields of the module do not have the requested values: tags" in result["msg"]


def test_refusal_is_reported() -> None:
    refused = act("update_module", 403, **MODULE, tags="", text=refusal(403, "No manage_modules"))
    assert "403 No manage_modules." in module(list_call(STORED), refused, tags=[])["msg"]


def test_lists_of_refused_creation_are_not_reported_as_sent() -> None:
    """Let another client create the module at the same time."""
    paths = ["**/ui/*", "**/a,b/*"]
    fields = {"paths": "**/a\\,b/*,**/ui/*", "allow_all": "false", "allow_users": "alice"}
    refused = act("create_module", 409, **MODULE, **fields, text=refusal(409, "Module already exists: ui"))
    result = module(list_call(), refused, list_call(STORED), paths=paths, allow_users=["alice"])
    assert not result["changed"]
    assert result["module"] == SHOWN
    assert "Did not send allow_users" in result["warnings"][1]
