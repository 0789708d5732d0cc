# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import stat
import time
from pathlib import Path
from typing import Any

import pytest

from unit.conversation import Call, call, conversation
from unit.running import run

TOKENS = "/access/api/v1/tokens"
LIST = f"{TOKENS}?description=build%20agents"
NOW = int(time.time())
DAY = 86400
TASK: dict[str, Any] = {"description": "build agents", "subject": "ci", "token": "t0ken-of-mine"}
ORDER = {"description": "build agents", "username": "ci", "scope": "applied-permissions/user"}
SECRET = "eyJ2ZXIiOiIyIiwi.new-secret"


def entry(token_id: str, **changes: Any) -> dict[str, Any]:
    """A token as the server lists it."""
    return {
        "token_id": token_id,
        "subject": "jfac@01hx3c/users/ci",
        "expiry": NOW + 30 * DAY,
        "issued_at": NOW - DAY,
        "issuer": "jfac@01hx3c",
        "description": "build agents",
        "refreshable": False,
        "scope": "applied-permissions/user",
        "last_used": NOW - 60,
        **changes,
    }


def lists(*tokens: dict[str, Any]) -> Call:
    return call("GET", LIST, json={"tokens": tokens}, sent_headers={"Authorization": "Bearer t0ken-of-mine"})


def makes(token_id: str, order: dict[str, Any] | None = None, **more: Any) -> Call:
    order = order or ORDER
    answer = {
        "token_id": token_id,
        "access_token": SECRET,
        "expires_in": 31536000,
        "scope": order["scope"],
        "token_type": "Bearer",
        **more,
    }
    return call("POST", TOKENS, json=answer, sent_json=order, sent_headers={"Content-Type": "application/json"})


def revokes(token_id: str, status: int = 200) -> Call:
    return call("DELETE", f"{TOKENS}/{token_id}", status)


def secret_file(path: Path) -> tuple[str, int]:
    """What is in the file, and its mode."""
    return path.read_text(), stat.S_IMODE(path.stat().st_mode)


def test_a_second_run_reads_once() -> None:
    with conversation(lists(entry("a"))) as server:
        result = run("access_token", url=server.url, **TASK)
    assert result == {
        "changed": False,
        "token": {
            "token_id": "a",
            "description": "build agents",
            "subject": "jfac@01hx3c/users/ci",
            "username": "ci",
            "scope": "applied-permissions/user",
            "issued_at": NOW - DAY,
            "expiry": NOW + 30 * DAY,
            "refreshable": False,
            "last_used": NOW - 60,
            "replace": None,
        },
    }


def test_a_new_token_is_returned_once_when_no_file_is_named() -> None:
    with conversation(lists(), makes("new"), lists(entry("new"))) as server:
        result = run("access_token", url=server.url, **TASK)
    assert result["changed"]
    assert result["access_token"] == SECRET
    assert result["token"]["token_id"] == "new"
    assert SECRET not in str(result["token"])


def test_all_that_is_asked_for_is_ordered() -> None:
    order = {
        **ORDER,
        "scope": "artifact:libs:r,w applied-permissions/user",
        "expires_in": 20000,
        "refreshable": True,
        "project_key": "p1",
        "include_reference_token": True,
    }
    made = makes("new", order, reference_token="cmVmdGtuOjAx", refresh_token="again")
    listed = lists(entry("new", scope=order["scope"], refreshable=True))
    with conversation(lists(), made, listed) as server:
        asked = {name: value for name, value in order.items() if name != "username"}
        result = run("access_token", url=server.url, **{**TASK, **asked})
    assert (result["access_token"], result["reference_token"], result["refresh_token"]) == (
        SECRET,
        "cmVmdGtuOjAx",
        "again",
    )


def test_a_new_token_goes_into_its_file_and_not_into_the_result(tmp_path: Path) -> None:
    file = tmp_path / "ci.token"
    with conversation(lists(), makes("new"), lists(entry("new"))) as server:
        result = run("access_token", url=server.url, token_file=str(file), **TASK)
    assert secret_file(file) == (f"{SECRET}\n", 0o600)
    assert SECRET not in str(result)


def test_the_reference_token_goes_into_the_file_when_there_is_one(tmp_path: Path) -> None:
    file = tmp_path / "ci.token"
    made = makes("new", {**ORDER, "include_reference_token": True}, reference_token="cmVmdGtuOjAx")
    with conversation(lists(), made, lists(entry("new"))) as server:
        result = run("access_token", url=server.url, token_file=str(file), include_reference_token=True, **TASK)
    assert file.read_text() == "cmVmdGtuOjAx\n"
    assert "cmVmdGtuOjAx" not in str(result)


def test_both_secrets_of_a_refreshable_token_are_kept(tmp_path: Path) -> None:
    files = {"token_file": str(tmp_path / "access"), "refresh_token_file": str(tmp_path / "refresh")}
    made = makes("new", {**ORDER, "refreshable": True}, refresh_token="again-and-again")
    with conversation(lists(), made, lists(entry("new", refreshable=True))) as server:
        result = run("access_token", url=server.url, refreshable=True, **files, **TASK)
    assert secret_file(tmp_path / "access") == (f"{SECRET}\n", 0o600)
    assert secret_file(tmp_path / "refresh") == ("again-and-again\n", 0o600)
    assert "again-and-again" not in str(result)


def test_a_token_that_expires_soon_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "ci.token"
    file.write_text("old-secret\n")
    old = entry("old", expiry=NOW + DAY)
    with conversation(
        lists(old), makes("new"), lists(entry("new"), old), revokes("old"), lists(entry("new"))
    ) as server:
        result = run(
            "access_token", url=server.url, token_file=str(file), rotate_before=2 * DAY, diff_mode=True, **TASK
        )
    assert result["changed"]
    assert result["token"]["token_id"] == "new"
    assert secret_file(file) == (f"{SECRET}\n", 0o600)
    assert result["diff"]["before"]["replace"] == "it expires soon"
    assert "replace" not in result["diff"]["after"]


def test_a_token_that_lives_long_enough_stays() -> None:
    with conversation(lists(entry("a", expiry=NOW + 3 * DAY))) as server:
        assert not run("access_token", url=server.url, rotate_before=2 * DAY, **TASK)["changed"]


def test_a_token_without_expiry_lives_for_ever() -> None:
    token = entry("a")
    del token["expiry"]
    with conversation(lists(token)) as server:
        result = run("access_token", url=server.url, rotate_before=2 * DAY, **TASK)
    assert not result["changed"]
    assert result["token"]["expiry"] is None


def test_the_old_token_is_revoked_only_when_the_new_one_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(path: str, text: str) -> None:
        raise SystemExit

    monkeypatch.setattr("ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.tokens.store", killed)
    with (
        conversation(lists(entry("old", expiry=NOW + 60)), makes("new")) as server,
        pytest.raises(SystemExit),
    ):
        run("access_token", url=server.url, token_file=str(tmp_path / "t"), rotate_before=DAY, **TASK)


def test_a_crash_before_the_old_one_is_revoked_leaves_both_and_the_new_one_stored(tmp_path: Path) -> None:
    file = tmp_path / "ci.token"
    file.write_text("old-secret\n")
    refusal = {"errors": [{"code": "FORBIDDEN", "message": f"No permission to revoke, {SECRET}"}]}
    refused = call("DELETE", f"{TOKENS}/old", 403, json=refusal)
    task = {**TASK, "token_file": str(file), "rotate_before": DAY}
    old = entry("old", expiry=NOW + 60)
    with conversation(lists(old), makes("new"), lists(old, entry("new")), refused) as server:
        result = run("access_token", url=server.url, **task)
    assert result["failed"]
    assert result["changed"]
    assert "403 No permission to revoke, ********." in result["msg"]
    assert file.read_text() == f"{SECRET}\n"
    with conversation(lists(old, entry("new", issued_at=NOW))) as server:
        result = run("access_token", url=server.url, **task)
    assert not result["changed"]
    assert result["token"]["token_id"] == "new"


def test_the_old_one_stays_when_the_server_does_not_store_the_new_one(tmp_path: Path) -> None:
    old = entry("old", expiry=NOW + 60)
    with conversation(lists(old), makes("new"), lists(old)) as server:
        result = run("access_token", url=server.url, token_file=str(tmp_path / "t"), rotate_before=DAY, **TASK)
    assert result["changed"]
    assert "the server does not store it" in result["msg"]
    assert "The old one was left alone." in result["msg"]


def test_a_secret_that_cannot_be_stored_is_revoked_and_the_old_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "ci.token"
    file.write_text("old-secret\n")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with conversation(lists(entry("old", expiry=NOW + 60)), makes("new"), revokes("new")) as server:
        result = run("access_token", url=server.url, token_file=str(file), rotate_before=DAY, **TASK)
    assert "No space left on device. The new token was revoked" in result["msg"]
    assert SECRET not in str(result)
    assert file.read_text() == "old-secret\n"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("content", [None, ""])
def test_a_lost_secret_is_replaced(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "ci.token"
    if content is not None:
        file.write_text(content)
    with conversation(
        lists(entry("old")), makes("new"), lists(entry("new"), entry("old")), revokes("old"), lists(entry("new"))
    ) as server:
        result = run("access_token", url=server.url, token_file=str(file), diff_mode=True, **TASK)
    assert file.read_text() == f"{SECRET}\n"
    assert result["diff"]["before"]["replace"] == "its secret is not in 'token_file'"


def test_check_mode_tells_of_a_new_token_and_makes_none(tmp_path: Path) -> None:
    file = tmp_path / "ci.token"
    with conversation(lists()) as server:
        result = run("access_token", url=server.url, check_mode=True, diff_mode=True, token_file=str(file), **TASK)
    assert result == {
        "changed": True,
        "token": {"description": "build agents", "username": "ci"},
        "diff": {
            "before": {"state": "absent"},
            "after": {"state": "present", "description": "build agents", "username": "ci"},
        },
    }
    assert not file.exists()


def test_check_mode_tells_of_a_replacement_and_makes_none(tmp_path: Path) -> None:
    file = tmp_path / "ci.token"
    file.write_text("old-secret\n")
    with conversation(lists(entry("old", expiry=NOW + DAY))) as server:
        result = run(
            "access_token", url=server.url, check_mode=True, token_file=str(file), rotate_before=2 * DAY, **TASK
        )
    assert result["changed"]
    assert result["token"]["token_id"] == "old"
    assert file.read_text() == "old-secret\n"


def test_absent_revokes_all_of_them() -> None:
    with conversation(lists(entry("a"), entry("b", issued_at=NOW)), revokes("b"), revokes("a", 204), lists()) as server:
        result = run("access_token", url=server.url, state="absent", diff_mode=True, **TASK)
    assert result["changed"]
    assert result["token"] is None
    assert result["diff"]["after"] == {"state": "absent"}


def test_absent_in_check_mode_only_reads() -> None:
    with conversation(lists(entry("a"))) as server:
        result = run("access_token", url=server.url, state="absent", check_mode=True, **TASK)
    assert result == {"changed": True, "token": None}


def test_absent_again_reads_once() -> None:
    with conversation(lists()) as server:
        result = run("access_token", url=server.url, state="absent", **TASK)
    assert result == {"changed": False, "token": None}


def test_absent_leaves_the_file_alone(tmp_path: Path) -> None:
    file = tmp_path / "ci.token"
    file.write_text("old-secret\n")
    with conversation(lists(entry("a")), revokes("a"), lists()) as server:
        run("access_token", url=server.url, state="absent", token_file=str(file), **TASK)
    assert file.read_text() == "old-secret\n"


def test_a_revocation_without_effect_is_a_failure() -> None:
    with conversation(lists(entry("a")), revokes("a"), lists(entry("a"))) as server:
        result = run("access_token", url=server.url, state="absent", **TASK)
    assert result["failed"]
    assert "the token is still there" in result["msg"]


def test_a_lost_reply_to_a_revocation_is_sent_again() -> None:
    lost = call("DELETE", f"{TOKENS}/a", drop=True)
    with conversation(lists(entry("a")), lost, revokes("a", 204), lists()) as server:
        assert run("access_token", url=server.url, state="absent", **TASK)["changed"]


@pytest.mark.parametrize(
    "lost",
    [
        call("POST", TOKENS, drop=True),
        call("POST", TOKENS, text='{"token_id": "n', headers={"Content-Length": "300"}),
    ],
    ids=["no reply", "half a reply"],
)
def test_a_lost_reply_to_a_creation_is_not_sent_again(lost: Call) -> None:
    with conversation(lists(), lost) as server:
        result = run("access_token", url=server.url, **TASK)
    assert result["failed"]
    assert "Whether the request had its effect is not known." in result["msg"]
    assert "whose secret nobody has: run the task with 'state: absent'" in result["msg"]


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_creation_is_not_sent_again_after_a_server_error(status: int) -> None:
    with conversation(lists(), call("POST", TOKENS, status, text="<html>busy</html>")) as server:
        result = run("access_token", url=server.url, **TASK)
    assert f"POST {server.url}{TOKENS}: {status} " in result["msg"]


@pytest.mark.parametrize(
    "others",
    [
        [entry("x", subject="jfac@01hx3c/users/other")],
        [entry("x", subject="jfac@01hx3c/users/not-ci")],
        [entry("x", description="build agents of somebody else")],
        [entry("x", scope="applied-permissions/admin")],
        [entry("x", expiry=NOW - 1)],
    ],
    ids=["subject", "end of subject", "description", "scope", "expired"],
)
def test_other_tokens_do_not_count(others: list[dict[str, Any]]) -> None:
    with conversation(lists(*others), makes("new"), lists(*others, entry("new"))) as server:
        result = run("access_token", url=server.url, **TASK)
    assert result["token"]["token_id"] == "new"


def test_scopes_are_compared_as_sets() -> None:
    with conversation(lists(entry("a", scope="artifact:libs:r  applied-permissions/user"))) as server:
        wanted = "applied-permissions/user artifact:libs:r"
        assert not run("access_token", url=server.url, scope=wanted, **TASK)["changed"]


def test_an_older_server_does_not_tell_the_scope() -> None:
    token = entry("a")
    del token["scope"]
    with conversation(lists(token)) as server:
        assert not run("access_token", url=server.url, **TASK)["changed"]


def test_a_token_that_the_server_does_not_list_is_a_failure() -> None:
    with conversation(lists(), makes("new"), lists()) as server:
        result = run("access_token", url=server.url, **TASK)
    assert result["failed"]
    assert result["changed"]
    assert "the token is not there" in result["msg"]


def test_a_token_that_the_server_does_not_list_can_be_accepted() -> None:
    order = {**ORDER, "expires_in": 300}
    with conversation(lists(), makes("new", order), lists()) as server:
        result = run("access_token", url=server.url, expires_in=300, allow_unlisted=True, **TASK)
    assert result["changed"]
    assert result["access_token"] == SECRET
    assert result["token"]["token_id"] == "new"
    assert result["token"]["username"] == "ci"


def test_a_life_of_zero_is_for_ever() -> None:
    with conversation(lists(), makes("new", {**ORDER, "expires_in": 0}), lists(entry("new"))) as server:
        assert run("access_token", url=server.url, expires_in=0, rotate_before=DAY, **TASK)["changed"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"expires_in": 10799}, "Option 'expires_in': by default the server does not store tokens that live shorter"),
        ({"expires_in": 20000, "rotate_before": 20000}, "Option 'rotate_before': must be less than 'expires_in'"),
        ({"token_file": "{tmp}/none/t"}, "Option 'token_file': '{tmp}/none/t' cannot be written"),
        ({"token_file": "{tmp}"}, "Option 'token_file': '{tmp}' cannot be written"),
        ({"token_file": "{tmp}/t", "refreshable": True}, "Option 'refresh_token_file': is needed"),
        (
            {"token_file": "{tmp}/t", "refreshable": True, "refresh_token_file": "{tmp}/none/t"},
            "Option 'refresh_token_file': '{tmp}/none/t' cannot be written",
        ),
        ({"token_file": "{tmp}/t", "refresh_token_file": "{tmp}/r"}, "Option 'refresh_token_file': is only for"),
        ({"refreshable": True, "refresh_token_file": "{tmp}/r"}, "Option 'refresh_token_file': is only for"),
        ({"token": "line\nbreak"}, "Option 'token': has characters that cannot be sent in a header"),
    ],
)
def test_bad_input_fails_before_any_request(tmp_path: Path, options: dict[str, Any], complaint: str) -> None:
    filled = {
        name: value.replace("{tmp}", str(tmp_path)) if isinstance(value, str) else value
        for name, value in options.items()
    }
    with conversation() as server:
        result = run("access_token", url=server.url, **{**TASK, **filled})
    assert result["failed"]
    assert complaint.replace("{tmp}", str(tmp_path)) in result["msg"]


def test_a_folder_without_permission_to_write_fails_before_any_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the administrator may write everywhere, so permissions alone would prove nothing
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with conversation() as server:
        result = run("access_token", url=server.url, token_file=str(tmp_path / "t"), **TASK)
    assert "Option 'token_file'" in result["msg"]


def test_odd_names_arrive_unharmed() -> None:
    description, subject = "a&b=c #%+;é*/ü", "ci user+é@example.com"
    listing = f"{TOKENS}?description=a%26b%3Dc%20%23%25%2B%3B%C3%A9%2A%2F%C3%BC"
    token = entry("id/with ?#", description=description, subject=f"jfac@01hx3c/users/{subject}")
    with conversation(
        call("GET", listing, json={"tokens": []}),
        makes("id/with ?#", {**ORDER, "description": description, "username": subject}),
        call("GET", listing, json={"tokens": [token]}),
    ) as server:
        assert run("access_token", url=server.url, description=description, subject=subject)["changed"]
    with conversation(
        call("GET", listing, json={"tokens": [token]}),
        call("DELETE", f"{TOKENS}/id%2Fwith%20%3F%23"),
        call("GET", listing, json={"tokens": []}),
    ) as server:
        result = run("access_token", url=server.url, description=description, subject=subject, state="absent")
    assert result["changed"]


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (
            403,
            {"errors": [{"code": "FORBIDDEN", "message": "Only an admin may name another subject", "detail": "x"}]},
            "403 Only an admin may name another subject. The account lacks a permission",
        ),
        (401, {"errors": [{"code": "UNAUTHORIZED", "message": "Token failed verification: expired"}]}, "401 Token fai"),
        (400, {"errors": [{"status": 400, "message": "Error parsing json body"}]}, "400 Error parsing json body"),
        (400, {"error": "invalid_request", "error_description": "Bad expiry"}, "400 Bad expiry."),
        (400, {"errors": ["of another kind"]}, "400 Bad Request."),
        (500, {}, "500 Internal Server Error."),
    ],
)
def test_the_servers_own_message_is_told(status: int, body: Any, message: str) -> None:
    with conversation(lists(), call("POST", TOKENS, status, json=body)) as server:
        result = run("access_token", url=server.url, **TASK)
    assert result["failed"]
    assert not result["changed"]
    assert result["msg"].startswith(f"POST {server.url}{TOKENS}: {message}")
    assert "t0ken-of-mine" not in str(result)
