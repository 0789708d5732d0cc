# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import pathlib
from typing import Any

import pytest

from support.conversation import Call, at, call, conversation
from support.inference_server import ADMIN, error, page
from support.running import run

SINCE = 1735689600
NOW = SINCE + 1000
VALUE = "sk-admin-abcdefghijklmnopqrstAAAA"
OLD_VALUE = "sk-admin-zyxwvutsrqponmlkjihgBBBB"
PATH = "/v1/organization/admin_api_keys"


@pytest.fixture(autouse=True)
def _now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: float(NOW))


@pytest.fixture
def key_file(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "audit.key"


def key(id_: str, value: str, name: str = "audit", **more: Any) -> dict[str, Any]:
    redacted = f"{value[:12]}...{value[-4:]}"
    return {"id": id_, "name": name, "redacted_value": redacted, "created_at": SINCE, "expires_at": None, **more}


MAIN = key("key_main", ADMIN, "Main")
OLD = key("key_1", OLD_VALUE)
NEW = key("key_2", VALUE, created_at=NOW)


def list_keys(*keys: dict[str, Any]) -> Call:
    return page("/admin_api_keys", MAIN, *keys)


def create(**sent: Any) -> Call:
    return call("POST", PATH, json={**NEW, "value": VALUE}, sent_json={"name": "audit", **sent})


def revoke(id_: str) -> Call:
    return call("DELETE", f"{PATH}/{id_}", json={"deleted": True})


def manage(*calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        defaults = {
            "url": f"{server.url}/v1",
            "admin_key": ADMIN,
            "name": "audit",
            "admin_requests_per_minute": 0,
            "retries": 0,
        }
        return run("inference_admin_key", **{**defaults, **parameters})


def test_second_run_reads_once(key_file: pathlib.Path) -> None:
    key_file.write_text(OLD_VALUE)
    result = manage(list_keys(OLD), key_file=str(key_file))
    assert (result["changed"], result["admin_key"]["id"], result["secret"]) == (False, "key_1", None)


def test_new_key_has_an_expiration(key_file: pathlib.Path) -> None:
    calls = list_keys(), create(expires_in_seconds=5000), list_keys(NEW), list_keys(NEW)
    result = manage(*calls, expires_in=5000, key_file=str(key_file))
    assert (result["changed"], result["admin_key"]["id"]) == (True, "key_2")
    assert key_file.read_text() == f"{VALUE}\n"
    assert key_file.stat().st_mode & 0o777 == 0o600
    assert VALUE not in json.dumps(result)


def test_value_is_in_the_result_when_no_file_is_set() -> None:
    assert manage(list_keys(), create(), list_keys(NEW))["secret"] == VALUE
    assert manage(list_keys(NEW))["secret"] is None


ANYBODY_READS_IT = (
    "Without 'key_file' the secret of a new admin key is in the result, and so in logs: name a file, or set "
    "'no_log: true' on the task."
)


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("old", [(), (key("key_1", OLD_VALUE, expires_at=NOW),)], ids=["new", "replaced"])
def test_task_warns_when_the_value_is_in_the_result(old: tuple[dict[str, Any]], check_mode: bool) -> None:
    calls = [list_keys(*old), create(), list_keys(NEW, *old)]
    result = manage(*calls[: 1 if check_mode else 3], check_mode=check_mode)
    assert result["changed"]
    assert result["warnings"] == [ANYBODY_READS_IT]


def test_task_does_not_warn_when_the_value_is_hidden_or_not_created(key_file: pathlib.Path) -> None:
    assert "warnings" not in manage(list_keys(), create(), list_keys(NEW), no_log=True)
    assert "warnings" not in manage(list_keys(), key_file=str(key_file), check_mode=True)
    assert "warnings" not in manage(list_keys(OLD, NEW), surplus="remove", check_mode=True)
    assert "warnings" not in manage(list_keys(OLD), state="absent", check_mode=True)


@pytest.mark.parametrize(
    ("expires", "early", "reason"),
    [(NOW + 499, 500, "it expires soon"), (NOW, None, "it has expired"), (NOW - 1, 500, "it has expired")],
)
def test_key_is_rotated_before_it_expires(key_file: pathlib.Path, expires: int, early: int | None, reason: str) -> None:
    key_file.write_text(OLD_VALUE)
    old = {**OLD, "expires_at": expires}
    calls = list_keys(old), create(), list_keys(old, NEW), revoke("key_1"), list_keys(NEW)
    result = manage(*calls, key_file=str(key_file), rotate_before=early, diff_mode=True)
    assert (result["admin_key"]["id"], result["removed"]) == ("key_2", ["key_1"])
    assert result["diff"]["before"]["replaced"] == reason
    assert key_file.read_text() == f"{VALUE}\n"


@pytest.mark.parametrize(("ahead", "is_due"), [(9501, True), (9499, False)])
def test_clock_of_the_server_decides_when_a_key_expires(ahead: int, is_due: bool) -> None:
    old = {**OLD, "expires_at": NOW + 10_000}
    result = manage(at(NOW + ahead, list_keys(old)), rotate_before=500, check_mode=True)
    assert result["changed"] == is_due


def test_key_is_not_rotated_when_it_expires_later() -> None:
    assert not manage(list_keys({**OLD, "expires_at": NOW + 500}), rotate_before=500)["changed"]


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("options", [{"state": "absent"}, {"expires_in": 9, "rotate_before": 8, "surplus": "remove"}])
def test_key_in_use_is_never_revoked(options: dict[str, Any], check_mode: bool) -> None:
    own = page("/admin_api_keys", {**MAIN, "expires_at": NOW + 7})
    message = manage(own, name="Main", check_mode=check_mode, **options)["msg"]
    assert message == (
        "Cannot revoke the admin key 'Main' (key_main), because this task uses it. Set 'admin_key' to another key, or "
        "set 'allow_lockout: true'."
    )
    assert manage(own, name="Main", check_mode=True, allow_lockout=True, **options)["changed"]


@pytest.mark.parametrize("redacted", [None, "sk-admin-***"])
def test_key_that_can_be_in_use_is_never_revoked(redacted: str | None) -> None:
    message = manage(list_keys({**OLD, "redacted_value": redacted}), state="absent")["msg"]
    assert message == (
        "Cannot verify that the task does not revoke its own admin key: the API does not return a part of the key "
        "'audit' (key_1). Set 'allow_lockout: true' to revoke it."
    )


def test_key_in_use_is_never_revoked_when_another_looks_the_same() -> None:
    similar = page("/admin_api_keys", {**MAIN, "id": "key_first", "name": "other"}, MAIN)
    assert "Cannot revoke the admin key 'Main' (key_main)" in manage(similar, name="Main", state="absent")["msg"]


def test_key_in_use_is_not_revoked_as_surplus() -> None:
    newer = key("key_9", VALUE, "Main", created_at=NOW)
    assert "because this task uses it" in manage(list_keys(newer), name="Main", surplus="remove")["msg"]
    assert not manage(list_keys(newer), name="Main")["changed"]


def probe(status: int) -> Call:
    sent = {"Authorization": f"Bearer {OLD_VALUE}"}
    return call("GET", PATH, status, json=error("Incorrect API key"), sent_headers=sent)


@pytest.mark.parametrize(
    ("content", "calls", "message"),
    [
        (ADMIN, [], "contains the admin key 'Main', and is left unchanged"),
        (OLD_VALUE, [probe(200)], "contains a valid key with another owner"),
        ("sk-proj-0123456789", [], "contains a key for models and completions, and is left unchanged"),
        ("-----BEGIN", [], "does not contain a key, and is left unchanged"),
    ],
)
def test_file_is_not_changed_when_it_contains_anything_else(
    key_file: pathlib.Path, content: str, calls: list[Call], message: str
) -> None:
    key_file.write_text(content)
    result = manage(list_keys(NEW), *calls, key_file=str(key_file))
    assert message in result["msg"]
    assert key_file.read_text() == content


def test_revoked_key_in_the_file_is_replaced(key_file: pathlib.Path) -> None:
    key_file.write_text(OLD_VALUE)
    calls = list_keys(), probe(401), create(), list_keys(NEW), list_keys(NEW)
    assert manage(*calls, key_file=str(key_file))["admin_key"]["id"] == "key_2"


def test_orphaned_key_is_revoked_when_the_response_is_lost() -> None:
    lost = call("POST", PATH, drop=True)
    calls = list_keys(), lost, list_keys(key("key_0", OLD_VALUE)), revoke("key_0"), create(), list_keys(NEW)
    result = manage(*calls)
    assert (result["secret"], result["removed"]) == (VALUE, ["key_0"])


def test_no_key_remains_when_the_response_is_lost_twice() -> None:
    lost = call("POST", PATH, drop=True)
    result = manage(list_keys(), lost, list_keys(OLD), revoke("key_1"), lost, list_keys(NEW), revoke("key_2"))
    assert "No admin key is left of it." in result["msg"]


def test_key_is_revoked_when_state_is_absent() -> None:
    result = manage(list_keys(OLD, NEW), revoke("key_2"), revoke("key_1"), list_keys(), state="absent")
    assert (result["changed"], result["admin_key"], result["removed"]) == (True, None, ["key_2", "key_1"])
    checked = manage(list_keys(OLD), state="absent", check_mode=True)
    assert (checked["changed"], checked["removed"]) == (True, ["key_1"])


def test_task_fails_when_rotate_before_exceeds_the_lifetime() -> None:
    assert "must be less than 'expires_in' (100 s)" in manage(expires_in=100, rotate_before=100)["msg"]
