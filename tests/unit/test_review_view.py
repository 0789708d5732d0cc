# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, conversation
from support.review_server import ACCOUNT, act, records, refusal
from support.running import run

VIEW = {"project": "mobile-app", "name": "critical"}
TASK = {**VIEW, **ACCOUNT}
DEFAULT = {"id": 1, "name": "*default*", "query": "", "creator": "klocwork", "is_public": True}
STORED = {"id": 9, "name": "critical", "query": "severity:1", "creator": "admin", "is_public": True, "tags": ["gate"]}
SHOWN = {"id": 9, "name": "critical", "query": "severity:1", "creator": "admin", "public": True, "tags": ["gate"]}


def views(*entries: dict[str, Any]) -> Call:
    return act("views", project="mobile-app", text=records(DEFAULT, *entries))


def create(**fields: str) -> Call:
    return act("create_view", **{**VIEW, **fields})


def update(**fields: Any) -> Call:
    return act("update_view", **{**VIEW, **fields})


@pytest.mark.parametrize("state", ["present", "absent"])
def test_task_fails_when_response_is_empty(state: str) -> None:
    with conversation(act("views", project="mobile-app")) as server:
        result = run("review_view", url=server.url, query="severity:1", state=state, **TASK)
    assert "'views' returned an empty list, but always returns the view '*default*'" in result["msg"]


def test_second_run_sends_one_read() -> None:
    with conversation(views(STORED)) as server:
        result = run("review_view", url=server.url, query="severity:1", tags=["gate", "gate"], public=True, **TASK)
    assert result == {"changed": False, "view": SHOWN}


def test_new_view_is_public_by_default() -> None:
    stored = {**STORED, "query": "severity:1 state:+New"}
    del stored["tags"]
    created = create(query="severity:1 state:+New", is_public="true")
    with conversation(views(), created, views(stored)) as server:
        result = run("review_view", url=server.url, query="severity:1 state:+New", diff_mode=True, **TASK)
    assert result["changed"]
    assert result["view"]["public"] is True
    assert result["diff"] == {
        "before": {"state": "absent"},
        "after": {"state": "present", "name": "critical", "query": "severity:1 state:+New", "public": True},
    }


def test_new_view_can_be_private_and_tagged() -> None:
    created = create(query="severity:1", is_public="false", tags="a\\,b,c\\\\d,gate")
    stored = {**STORED, "is_public": False, "tags": ["gate", "c\\d", "a,b"]}
    with conversation(views(), created, views(stored)) as server:
        result = run(
            "review_view", url=server.url, query="severity:1", tags=["gate", "a,b", "c\\d"], public=False, **TASK
        )
    assert result["changed"]
    assert result["view"]["tags"] == ["a,b", "c\\d", "gate"]


@pytest.mark.parametrize(
    ("options", "sent", "stored"),
    [
        ({"query": "severity:2"}, {"query": "severity:2"}, {"query": "severity:2"}),
        ({"query": "severity:1", "public": False}, {"is_public": "false"}, {"is_public": False}),
        ({"query": "severity:1", "tags": ["x", "gate"]}, {"tags": "gate,x"}, {"tags": ["x", "gate"]}),
        ({"query": "severity:1", "tags": []}, {"tags": ""}, {"tags": []}),
        ({"query": ""}, {"query": ""}, {"query": ""}),
        ({"query": "severity:1"}, None, {}),
    ],
    ids=["query", "public", "tags", "no-tags", "no-query", "nothing"],
)
def test_only_differing_options_are_sent(
    options: dict[str, Any], sent: dict[str, str] | None, stored: dict[str, Any]
) -> None:
    calls = [update(**sent), views({**STORED, **stored})] if sent is not None else []
    with conversation(views(STORED), *calls) as server:
        result = run("review_view", url=server.url, **options, **TASK)
    assert result["changed"] is (sent is not None)


def test_private_view_stays_private_when_public_is_not_set() -> None:
    with conversation(views({**STORED, "is_public": False})) as server:
        assert not run("review_view", url=server.url, query="severity:1", **TASK)["changed"]


def test_check_mode_predicts_creation() -> None:
    with conversation(views()) as server:
        result = run("review_view", url=server.url, query="severity:1", tags=["gate"], check_mode=True, **TASK)
    options = {"name": "critical", "public": True, "query": "severity:1", "tags": ["gate"]}
    predicted = {"id": None, "creator": None, **options}
    assert result == {"changed": True, "view": predicted}


def test_check_mode_predicts_update() -> None:
    with conversation(views(STORED)) as server:
        result = run("review_view", url=server.url, query="severity:2", check_mode=True, **TASK)
    assert result == {"changed": True, "view": {**SHOWN, "query": "severity:2"}}


def test_view_is_deleted_once() -> None:
    with conversation(views(STORED), act("delete_view", **VIEW), views()) as server:
        assert run("review_view", url=server.url, state="absent", **TASK) == {"changed": True, "view": None}
    with conversation(views()) as server:
        assert run("review_view", url=server.url, state="absent", **TASK) == {"changed": False, "view": None}


def test_check_mode_predicts_deletion() -> None:
    with conversation(views(STORED)) as server:
        result = run("review_view", url=server.url, state="absent", check_mode=True, **TASK)
    assert result == {"changed": True, "view": None}


@pytest.mark.parametrize("state", ["present", "absent"])
def test_builtin_view_is_refused_before_first_request(state: str) -> None:
    with conversation() as server:
        result = run(
            "review_view", url=server.url, project="mobile-app", name="*default*", query="", state=state, **ACCOUNT
        )
    assert result["failed"]
    assert "Option 'name': the built-in view '*default*' cannot be changed" in result["msg"]


@pytest.mark.parametrize("query", ["build:42", "severity:1 build:+b_1", "-build:x", "+build:x", "Build:x state:New"])
def test_query_with_build_is_refused_before_first_request(query: str) -> None:
    with conversation() as server:
        result = run("review_view", url=server.url, query=query, **TASK)
    assert result["failed"]
    assert "Option 'query': must not contain 'build:', which views do not support" in result["msg"]


@pytest.mark.parametrize("query", ['message:"a build:x"', "'one build:x' state:New", "rebuild:x", 'title:"x" text'])
def test_quoted_text_is_not_a_term(query: str) -> None:
    with conversation(views({**STORED, "query": query})) as server:
        assert not run("review_view", url=server.url, query=query, **TASK)["changed"]


@pytest.mark.parametrize("check_mode", [True, False])
def test_new_view_requires_query(check_mode: bool) -> None:
    with conversation(views()) as server:
        result = run("review_view", url=server.url, tags=["x"], check_mode=check_mode, **TASK)
    assert result["msg"] == "Option 'query': is required to create a view."


def test_existing_view_does_not_require_query() -> None:
    with conversation(views(STORED), update(tags="x"), views({**STORED, "tags": ["x"]})) as server:
        assert run("review_view", url=server.url, tags=["x"], **TASK)["view"]["query"] == "severity:1"


@pytest.mark.parametrize("tags", [[""], [" "], ["x "], ["a\nb"]])
def test_blank_tags_are_refused_before_first_request(tags: list[str]) -> None:
    with conversation() as server:
        result = run("review_view", url=server.url, query="x", tags=tags, **TASK)
    assert result["msg"].startswith("Option 'tags[0]': ")


THEIRS = {**STORED, "id": 4, "creator": "alice"}


@pytest.mark.parametrize("check_mode", [True, False])
def test_foreign_view_is_not_changed_without_take_over(check_mode: bool) -> None:
    with conversation(views(THEIRS)) as server:
        result = run("review_view", url=server.url, query="severity:2", check_mode=check_mode, **TASK)
    assert result["msg"] == "Option 'take_over': must be true to change view 'critical', which 'alice' owns."
    with conversation(views(THEIRS)) as server:
        result = run("review_view", url=server.url, query="severity:1", **TASK)
    assert (result["changed"], result["view"]["creator"]) == (False, "alice")


def test_foreign_view_is_not_deleted_without_take_over() -> None:
    with conversation(views(THEIRS)) as server:
        assert run("review_view", url=server.url, state="absent", **TASK) == {"changed": False, "view": None}
    with conversation(views(THEIRS, STORED), act("delete_view", **VIEW), views(THEIRS)) as server:
        assert run("review_view", url=server.url, state="absent", **TASK) == {"changed": True, "view": None}


def test_foreign_view_is_changed_with_take_over() -> None:
    changed = {**THEIRS, "query": "severity:2"}
    with conversation(views(THEIRS), update(query="severity:2"), views(changed)) as server:
        result = run("review_view", url=server.url, query="severity:2", take_over=True, **TASK)
    assert (result["changed"], result["view"]["creator"]) == (True, "alice")
    with conversation(views(THEIRS), act("delete_view", **VIEW), views()) as server:
        assert run("review_view", url=server.url, state="absent", take_over=True, **TASK)["changed"]


@pytest.mark.parametrize("name", ["a+b", "a & b=c", "50% ; x", "Prüfung/1", "a\\b,c|d#e", '"quoted"'])
def test_special_characters_are_sent_unchanged(name: str) -> None:
    query = f"file:'{name}'"
    fields = {"project": "mobile-app", "name": name, "query": query, "is_public": "true"}
    stored = {**STORED, "name": name, "query": query}
    with conversation(views(), act("create_view", **fields), views(stored)) as server:
        result = run("review_view", url=server.url, project="mobile-app", name=name, query=query, **ACCOUNT)
    assert result["changed"]


def test_own_view_takes_precedence() -> None:
    other = {**STORED, "id": 4, "creator": "alice", "query": "state:New"}
    with conversation(views(other, STORED)) as server:
        assert run("review_view", url=server.url, query="severity:1", **TASK) == {"changed": False, "view": SHOWN}


def test_ambiguous_foreign_views_are_refused() -> None:
    others = ({**STORED, "id": id_, "creator": creator} for id_, creator in ((4, "alice"), (5, "bob")))
    with conversation(views(*others)) as server:
        result = run("review_view", url=server.url, query="severity:1", **TASK)
    assert result["failed"]
    assert (
        "Cannot select view 'critical' in project 'mobile-app': several accounts have a view with this name"
        in result["msg"]
    )


def test_task_succeeds_when_response_of_effective_write_is_lost() -> None:
    lost = act("create_view", drop=True, **VIEW, query="severity:1", is_public="true")
    with conversation(views(), lost, views(STORED)) as server:
        result = run("review_view", url=server.url, query="severity:1", **TASK)
    assert result["changed"]
    assert result["view"] == SHOWN
    assert result["warnings"][0].endswith("Reading back shows that the request had its effect.")


def test_task_fails_when_lost_write_had_no_effect() -> None:
    lost = act("create_view", drop=True, **VIEW, query="severity:1", is_public="true")
    with conversation(views(), lost, views()) as server:
        result = run("review_view", url=server.url, query="severity:1", **TASK)
    assert result["failed"]
    assert "Whether the request had its effect is not known." in result["msg"]


def test_task_fails_when_update_has_no_effect() -> None:
    with conversation(views(STORED), update(query="severity:2"), views(STORED)) as server:
        result = run("review_view", url=server.url, query="severity:2", **TASK)
    assert result["failed"]
    assert result["msg"] == (
        "The server accepted the change, but these fields of the view do not have the requested values: query."
    )


def test_task_fails_when_deletion_has_no_effect() -> None:
    with conversation(views(STORED), act("delete_view", **VIEW), views(STORED)) as server:
        result = run("review_view", url=server.url, state="absent", **TASK)
    assert result["failed"]
    assert "but the view still exists" in result["msg"]


@pytest.mark.parametrize("status", [400, 409, 500])
def test_view_is_kept_when_another_client_creates_it_at_the_same_time(status: int) -> None:
    message = f"{status} View already exists: critical"
    refused = act("create_view", status, **VIEW, query="severity:1", is_public="true", text=refusal(status, message))
    with conversation(views(), refused, views(STORED)) as server:
        result = run("review_view", url=server.url, query="severity:1", **TASK)
    assert not result.get("failed"), result["msg"]
    assert result["changed"] is (status == 500)
    assert result["view"] == SHOWN
    effect = "Reading back shows that the request had its effect." if status == 500 else "The view was compared again"
    assert f"already exists: critical. {effect}" in result["warnings"][0]


def test_view_is_updated_when_another_client_creates_another_one() -> None:
    refused = act("create_view", 409, **VIEW, query="state:New", is_public="true", text=refusal(409, "View exists"))
    stored = views({**STORED, "query": "state:New"})
    with conversation(views(), refused, views(STORED), update(query="state:New"), stored) as server:
        result = run("review_view", url=server.url, query="state:New", diff_mode=True, **TASK)
    assert result["changed"]
    assert result["diff"]["before"]["query"] == "severity:1"


def test_view_of_another_account_is_refused_when_it_is_created_at_the_same_time() -> None:
    refused = act("create_view", 409, **VIEW, query="state:New", is_public="true", text=refusal(409, "View exists"))
    with conversation(views(), refused, views({**STORED, "creator": "bob"})) as server:
        result = run("review_view", url=server.url, query="state:New", **TASK)
    assert result["failed"]
    assert not result["changed"]
    assert "take_over" in result["msg"]


@pytest.mark.parametrize(
    ("status", "message"), [(403, "User admin may not change settings"), (409, "View already exists: critical")]
)
def test_refusal_is_reported(status: int, message: str) -> None:
    refused = act("update_view", status, **VIEW, query="severity:2", text=refusal(status, message))
    read_again = [views(STORED)] if status == 409 else []
    with conversation(views(STORED), refused, *read_again) as server:
        result = run("review_view", url=server.url, query="severity:2", **TASK)
    assert result["failed"]
    assert not result["changed"]
    assert f"{status} {message}." in result["msg"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (refusal(404, "View not found: critical"), "The action 'update_view' failed: 404 View not found: critical"),
        ("<html><body>Sign in</body></html>", "a line is not a record"),
    ],
    ids=["error-object", "login-page"],
)
def test_task_fails_when_response_with_status_200_is_an_error(text: str, message: str) -> None:
    refused = act("update_view", 200, **VIEW, query="severity:2", text=text)
    with conversation(views(STORED), refused, views(STORED)) as server:
        result = run("review_view", url=server.url, query="severity:2", **TASK)
    assert result["failed"]
    assert not result["changed"]
    assert message in result["msg"]


def test_view_is_read_back_when_response_is_a_page() -> None:
    page = act("update_view", **VIEW, query="severity:2", text="<html><body>Sign in</body></html>")
    with conversation(views(STORED), page, views({**STORED, "query": "severity:2"})) as server:
        result = run("review_view", url=server.url, query="severity:2", **TASK)
    assert result["changed"]
    assert result["warnings"][0].endswith("replaces responses. Reading back shows that the request had its effect.")


RENAMED = {**STORED, "name": "gate"}


def test_view_is_renamed_once() -> None:
    with conversation(views(STORED), update(new_name="gate", query="x"), views({**RENAMED, "query": "x"})) as server:
        result = run("review_view", url=server.url, new_name="gate", query="x", **TASK)
    assert (result["changed"], result["view"]["name"]) == (True, "gate")
    with conversation(views(RENAMED)) as server:
        assert not run("review_view", url=server.url, new_name="gate", **TASK)["changed"]


def test_renamed_view_is_updated_by_new_name() -> None:
    changed = act("update_view", project="mobile-app", name="gate", query="x")
    with conversation(views(RENAMED), changed, views({**RENAMED, "query": "x"})) as server:
        assert run("review_view", url=server.url, new_name="gate", query="x", **TASK)["changed"]


def test_new_view_is_created_with_new_name() -> None:
    created = act("create_view", project="mobile-app", name="gate", query="x", is_public="true")
    with conversation(views(), created, views({**RENAMED, "query": "x"})) as server:
        assert run("review_view", url=server.url, new_name="gate", query="x", **TASK)["view"]["name"] == "gate"


def test_existing_new_names_are_refused() -> None:
    with conversation(views(STORED, {**RENAMED, "id": 10})) as server:
        result = run("review_view", url=server.url, new_name="gate", **TASK)
    assert result["msg"] == "Option 'new_name': another view 'gate' already exists."
    with conversation() as server:
        result = run("review_view", url=server.url, new_name="*default*", **TASK)
        absent = run("review_view", url=server.url, new_name="x", state="absent", **TASK)
    assert "Option 'new_name': the built-in view '*default*' cannot be changed" in result["msg"]
    assert absent["msg"] == "Option 'new_name': must not be set with 'state: absent'."


def test_foreign_views_do_not_block_names() -> None:
    foreign = {**RENAMED, "id": 4, "creator": "alice"}
    with conversation(views(STORED, foreign), update(new_name="gate"), views(RENAMED, foreign)) as server:
        assert run("review_view", url=server.url, new_name="gate", **TASK)["changed"]
    with conversation(views({**STORED, "creator": "alice"}, RENAMED)) as server:
        assert not run("review_view", url=server.url, new_name="gate", **TASK)["changed"]
