# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

from support.advice import PREDICT_MISSING
from support.conversation import Call, at, call, conversation
from support.inference_server import ADMIN, error, page
from support.running import run

SINCE = 1735689600
NOW = SINCE + 1000
SECRET = "sk-svcacct-0123456789abcdefghijAAAA"
OLD_SECRET = "sk-svcacct-9876543210abcdefghijBBBB"
PATH = "/v1/organization/projects/proj_1/service_accounts"


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: float(NOW))


@pytest.fixture
def key_file(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "robot.key"


def account(id_: str = "svc_1", **more: Any) -> dict[str, Any]:
    return {"id": id_, "name": "robot", "role": "member", "created_at": SINCE, **more}


def key(of: str, redacted: str, name: str = "robot") -> dict[str, Any]:
    owner = {"type": "service_account", "service_account": {"id": of, "name": name}}
    return {"id": f"key_{of}", "name": "Secret Key", "redacted_value": redacted, "created_at": SINCE, "owner": owner}


def accounts(*entries: dict[str, Any]) -> Call:
    return page("/projects/proj_1/service_accounts", *entries)


def keys(*entries: dict[str, Any]) -> Call:
    return page("/projects/proj_1/api_keys", *entries)


def create(id_: str = "svc_2", **answer: Any) -> Call:
    created = {**account(id_, created_at=NOW), "api_key": {"id": f"key_{id_}", "value": SECRET}}
    return call("POST", PATH, **{"json": created, "sent_json": {"name": "robot"}, **answer})


def change(id_: str, role: str) -> Call:
    return call("POST", f"{PATH}/{id_}", json=account(id_, role=role), sent_json={"role": role})


def delete(id_: str, status: int = 200) -> Call:
    return call("DELETE", f"{PATH}/{id_}", status, json={"deleted": True} if status == 200 else error("gone"))


def probe(status: int, message: str = "Incorrect API key provided") -> Call:
    sent = {"Authorization": f"Bearer {OLD_SECRET}"}
    return call("GET", "/v1/models", status, json=error(message) if status != 200 else {}, sent_headers=sent)


MINE, NEW = account(), account("svc_2", created_at=NOW)


def manage(*calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        options = {"url": f"{server.url}/v1", "admin_key": ADMIN, "project_id": "proj_1", "name": "robot"}
        if "project_name" in parameters:
            del options["project_id"]
        return run(
            "inference_service_account", **{**options, "admin_requests_per_minute": 0, "retries": 0, **parameters}
        )


def test_account_in_a_project_that_an_earlier_task_creates_is_predicted(key_file: pathlib.Path) -> None:
    task = {"project_name": "New", "check_mode": True}
    projects = page("/projects", {"id": "proj_2", "name": "Old", "status": "active", "created_at": SINCE})
    key_file.write_text(OLD_SECRET)
    for calls, options in ((), {}), ((probe(401),), {"key_file": str(key_file)}):
        result = manage(projects, *calls, predict_missing=True, **task, **options)
        assert (result["changed"], result["service_account"]["name"]) == (True, "robot")
    result = manage(projects, **task)
    assert result["msg"] == f"Option 'project_name': no active project has the name 'New'.{PREDICT_MISSING}"


def test_second_run_reads_once() -> None:
    result = manage(accounts(account("x", name="other"), MINE))
    assert (result["changed"], result["service_account"]["id"], result["secret"]) == (False, "svc_1", None)


def test_key_is_in_the_result_when_no_file_is_set() -> None:
    result = manage(accounts(), create(), accounts(NEW), diff_mode=True)
    assert (result["secret"], result["removed"], result["service_account"]["surplus"]) == (SECRET, [], [])
    assert result["diff"]["after"] == {"state": "present", "name": "robot"}
    assert "Without 'key_file' the secret of a new service account is in the result" in result["warnings"][0]


def test_key_is_written_to_a_private_file(key_file: pathlib.Path) -> None:
    result = manage(accounts(), create(), accounts(NEW), accounts(NEW), key_file=str(key_file))
    assert result["changed"]
    assert key_file.read_text() == f"{SECRET}\n"
    assert key_file.stat().st_mode & 0o777 == 0o600
    assert SECRET not in json.dumps(result)
    again = manage(accounts(NEW), keys(key("svc_2", "sk-svcacct-012...AAAA")), key_file=str(key_file))
    assert not again["changed"]


def test_check_mode_predicts_the_account(key_file: pathlib.Path) -> None:
    result = manage(accounts(), key_file=str(key_file), role="owner", check_mode=True)
    assert (result["changed"], result["service_account"]["role"], result["secret"]) == (True, "owner", None)
    assert not key_file.exists()


def test_role_is_set() -> None:
    calls = accounts(), create(), accounts(NEW), change("svc_2", "owner"), accounts({**NEW, "role": "owner"})
    assert manage(*calls, role="owner")["service_account"]["role"] == "owner"
    calls = accounts(MINE), change("svc_1", "owner"), accounts({**MINE, "role": "owner"})
    assert manage(*calls, role="owner")["service_account"]["role"] == "owner"


def test_old_account_is_deleted_after_the_new_key_is_stored(key_file: pathlib.Path) -> None:
    key_file.write_text(OLD_SECRET)
    calls = (
        accounts(MINE),
        keys(key("svc_1", "sk-svcacct-987...BBBB")),
        create(),
        accounts(MINE, NEW),
        delete("svc_1"),
        accounts(NEW),
    )
    result = manage(*calls, rotate_after=1000, key_file=str(key_file), diff_mode=True)
    assert (result["service_account"]["id"], result["removed"]) == ("svc_2", ["svc_1"])
    assert result["diff"]["before"]["replaced"] == "it is older than 1000 s"
    assert key_file.read_text() == f"{SECRET}\n"
    assert not manage(accounts(MINE), rotate_after=1001)["changed"]


@pytest.mark.parametrize(("ahead", "is_due"), [(1000, True), (999, False)])
def test_clock_of_the_server_decides_the_age_of_an_account(ahead: int, is_due: bool) -> None:
    assert manage(at(NOW + ahead, accounts(MINE)), rotate_after=2000, check_mode=True)["changed"] == is_due


def test_new_account_gets_the_role_of_the_replaced_one() -> None:
    owner, late = account(role="owner"), account("svc_2", role="owner", created_at=NOW)
    calls = accounts(owner), create(), accounts(owner, NEW), change("svc_2", "owner"), delete("svc_1"), accounts(late)
    assert manage(*calls, rotate_after=1000, surplus="remove")["service_account"]["role"] == "owner"
    assert manage(accounts(owner), rotate_after=1000, check_mode=True)["service_account"]["role"] == "owner"
    calls = accounts(owner), create(), accounts(owner, NEW), delete("svc_1"), accounts(NEW)
    assert manage(*calls, rotate_after=1000, role="member", surplus="remove")["service_account"]["role"] == "member"


def test_check_mode_predicts_removed_accounts() -> None:
    result = manage(accounts(MINE), rotate_after=1000, check_mode=True, surplus="remove")
    assert (result["changed"], result["removed"], result["service_account"]["id"]) == (True, ["svc_1"], None)


def test_account_is_replaced_when_its_key_is_invalid(key_file: pathlib.Path) -> None:
    key_file.write_text(OLD_SECRET)
    calls = accounts(MINE), keys(), probe(401), create(), accounts(MINE, NEW), delete("svc_1"), accounts(NEW)
    result = manage(*calls, key_file=str(key_file), surplus="remove")
    assert result["removed"] == ["svc_1"]
    assert key_file.read_text() == f"{SECRET}\n"


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize(
    ("content", "calls", "message"),
    [
        (
            OLD_SECRET,
            [accounts(MINE), keys(key("svc_9", "sk-svcacct-987...BBBB", "other"))],
            "contains a key of 'other'",
        ),
        (OLD_SECRET, [accounts(MINE), keys(), probe(200)], "contains a valid key with another owner"),
        (
            OLD_SECRET,
            [accounts(MINE), keys(), probe(401, "Missing scopes: api.model.read")],
            "contains a valid key with another owner",
        ),
        (OLD_SECRET, [accounts(MINE), keys(), probe(403)], "contains a valid key with another owner"),
        ("sk-admin-0123456789", [accounts(MINE), keys()], "contains a key for the administration of an organization"),
        ("password", [accounts(MINE), keys()], "does not contain a key"),
        ("two words", [], "does not contain a key"),
        ("x" * 20000, [], "does not contain a key"),
    ],
)
def test_file_is_not_changed_when_it_contains_anything_else(
    key_file: pathlib.Path, content: str, calls: list[Call], message: str, check_mode: bool
) -> None:
    key_file.write_text(content)
    result = manage(*calls, key_file=str(key_file), check_mode=check_mode)
    assert f"Option 'key_file': '{key_file}' {message}" in result["msg"]
    assert key_file.read_text() == content
    assert content not in json.dumps(result)


def test_surplus_accounts_are_deleted() -> None:
    result = manage(accounts(MINE, NEW), delete("svc_1"), accounts(NEW), surplus="remove")
    assert (result["service_account"]["id"], result["removed"]) == ("svc_2", ["svc_1"])
    repeated = manage(accounts(MINE, NEW))
    assert (repeated["changed"], repeated["service_account"]["surplus"]) == (False, ["svc_1"])


def test_orphaned_account_is_deleted_when_the_response_is_lost(key_file: pathlib.Path) -> None:
    lost = call("POST", PATH, drop=True)
    calls = accounts(), lost, accounts(account("svc_0")), delete("svc_0"), create(), accounts(NEW), accounts(NEW)
    result = manage(*calls, key_file=str(key_file))
    assert (result["changed"], result["removed"]) == (True, ["svc_0"])
    assert key_file.read_text() == f"{SECRET}\n"


def test_response_without_a_key_counts_as_lost() -> None:
    keyless = create("svc_0", json={**account("svc_0"), "api_key": None})
    calls = accounts(), keyless, accounts(account("svc_0")), delete("svc_0"), create(), accounts(NEW)
    assert manage(*calls)["secret"] == SECRET


def test_no_account_remains_when_the_server_fails() -> None:
    calls = accounts(), create(status=500), accounts(account("svc_0")), delete("svc_0")
    result = manage(*calls)
    assert "500" in result["msg"]
    assert result["msg"].endswith("No service account is left of it.")
    assert result["removed"] == ["svc_0"]


def test_no_account_remains_when_the_key_cannot_be_stored(
    key_file: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    result = manage(accounts(), create(), accounts(NEW), delete("svc_2"), key_file=str(key_file))
    assert "No space left on device. The new service account was removed" in result["msg"]
    assert SECRET not in json.dumps(result)


def test_task_fails_when_another_task_creates_an_account() -> None:
    result = manage(accounts(), create(), accounts(NEW, account("svc_3", created_at=NOW)), surplus="remove")
    assert (
        "Other service accounts of this name exist: svc_3. Perhaps another task creates them at the same time."
        in result["msg"]
    )


def test_account_is_deleted_when_state_is_absent() -> None:
    result = manage(accounts(MINE, NEW), delete("svc_2"), delete("svc_1", 404), accounts(), state="absent")
    assert (result["changed"], result["service_account"], result["removed"]) == (True, None, ["svc_2", "svc_1"])
    assert not manage(accounts(), state="absent")["changed"]
    assert "still exist: svc_1" in manage(accounts(MINE), delete("svc_1"), accounts(MINE), state="absent")["msg"]


def test_task_fails_before_any_request_when_the_file_is_not_writable(tmp_path: pathlib.Path) -> None:
    assert "it is not a regular file" in manage(key_file=str(tmp_path))["msg"]
    with conversation() as server:
        task = {"url": f"{server.url}/v1", "admin_key": ADMIN, "project_name": "Sandbox", "name": "robot"}
        result = run("inference_service_account", **task, key_file=str(tmp_path))
    assert "it is not a regular file" in result["msg"]
