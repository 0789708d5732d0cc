# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import dataclasses
import json
import os
import stat
import time
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils import _issued_secret
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import store_text
from support.conversation import Call, at, call, conversation
from support.running import run, send_ctrl_c

TOKENS = "/access/api/v1/tokens"
VERSION = call("GET", "/artifactory/api/system/version", json={"version": "7.98.4", "license": "Pro"})
LIST = f"{TOKENS}?description=build%20agents"
NOW = int(time.time())
HOUR = 3600
DAY = 24 * HOUR
TASK: dict[str, Any] = {"description": "build agents", "subject": "ci", "token": "t0ken-of-mine"}
# The only place that stores the token
ONLY: dict[str, Any] = {**TASK, "surplus": "revoke"}
ORDER = {"description": "build agents", "username": "ci", "scope": "applied-permissions/user"}
ISSUER = "jfac@01hx3c"


def secret_of(token_id: str, issuer: str = ISSUER, subject: str = "") -> str:
    """Return the secret of a token, with its ID, issuer and subject."""
    parts = ({"typ": "JWT"}, {"jti": token_id, "iss": f"{issuer}/users/admin", "sub": subject})
    texts = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*texts, "c2lnbmF0dXJl"])


SECRET, OLD_SECRET = secret_of("new"), secret_of("old")
REFERENCE = base64.b64encode(b"reftkn:01:1900000000:0123456789").decode()


def entry(token_id: str, **changes: Any) -> dict[str, Any]:
    """Return a token as listed by the server."""
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
        "access_token": secret_of(token_id),
        "expires_in": 31536000,
        "scope": order["scope"],
        "token_type": "Bearer",
        **more,
    }
    return call("POST", TOKENS, json=answer, sent_json=order, sent_headers={"Content-Type": "application/json"})


def revokes(token_id: str, status: int = 200) -> Call:
    return call("DELETE", f"{TOKENS}/{token_id}", status)


NO_SECRETS = {"access_token": None, "reference_token": None, "refresh_token": None}
UNKNOWN = dict.fromkeys(("token_id", "subject", "scope", "issued_at", "expiry", "refreshable", "last_used"))


def identify(secret: str, status: int = 200, **document: Any) -> Call:
    """Return the request for the owner of a secret."""
    return call("GET", f"{TOKENS}/me", status, json=document, sent_headers={"Authorization": f"Bearer {secret}"})


def secret_file(path: Path) -> tuple[str, int]:
    """Return the content of the file and its mode."""
    return path.read_text(), stat.S_IMODE(path.stat().st_mode)


def test_second_run_sends_one_read_when_nothing_changed() -> None:
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
            "surplus": [],
        },
        **NO_SECRETS,
        "revoked": [],
    }


def test_new_secret_is_returned_once_when_no_file_is_set() -> None:
    with conversation(lists(), makes("new"), lists(entry("new"))) as server:
        result = run("access_token", url=server.url, **TASK)
    assert result["changed"]
    assert result["access_token"] == SECRET
    assert result["token"]["token_id"] == "new"
    assert SECRET not in str(result["token"])
    assert "Without 'token_file' the secret of a new token is in the result" in result["warnings"][0]


def test_request_contains_all_options_when_they_are_set() -> None:
    order = {
        **ORDER,
        "scope": "artifact:libs:r,w applied-permissions/user",
        "expires_in": 20000,
        "refreshable": True,
        "project_key": "p1",
        "include_reference_token": True,
    }
    creation = makes("new", order, reference_token=REFERENCE, refresh_token="again")
    listed = lists(entry("new", scope=order["scope"], refreshable=True))
    with conversation(lists(), VERSION, creation, listed) as server:
        options = {name: value for name, value in order.items() if name != "username"}
        result = run("access_token", url=server.url, **{**TASK, **options})
    assert (result["access_token"], result["reference_token"], result["refresh_token"]) == (
        SECRET,
        REFERENCE,
        "again",
    )


def test_new_secret_is_not_in_the_result_when_a_file_is_set(tmp_path: Path) -> None:
    file = tmp_path / "ci.token"
    with conversation(lists(), makes("new"), lists(entry("new")), lists(entry("new"))) as server:
        result = run("access_token", url=server.url, token_file=str(file), **TASK)
    assert secret_file(file) == (f"{SECRET}\n", 0o600)
    assert SECRET not in str(result)


def test_task_fails_when_another_task_creates_a_token_meanwhile(tmp_path: Path) -> None:
    file = tmp_path / "ci.token"
    with conversation(lists(), makes("new"), lists(entry("new")), lists(entry("other"), entry("new"))) as server:
        result = run("access_token", url=server.url, token_file=str(file), **ONLY)
    assert "scope exist: other. Perhaps another task creates them" in result["msg"]


def test_task_fails_when_another_task_changes_the_file_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "ci.token"

    def overtaken(*arguments: Any, **options: Any) -> None:
        store_text(*arguments, **options)
        file.write_text(OLD_SECRET)

    monkeypatch.setattr(_issued_secret, "store_text", overtaken)
    listing = lists(entry("new"))
    with conversation(lists(), makes("new"), listing, listing, revokes("new")) as server:
        result = run("access_token", url=server.url, token_file=str(file), **TASK)
    assert f"'{file}' no longer contains the secret of the new token" in result["msg"]
    assert "The new token was revoked, because its secret is lost." in result["msg"]
    assert file.read_text() == OLD_SECRET


def test_new_token_is_revoked_when_another_task_writes_the_file_first(tmp_path: Path) -> None:
    file = tmp_path / "ci.token"
    overtaken = dataclasses.replace(makes("new"), meanwhile=lambda: file.write_text(OLD_SECRET) and None)
    with conversation(lists(), overtaken, lists(entry("old"), entry("new")), revokes("new")) as server:
        result = run("access_token", url=server.url, token_file=str(file), **TASK)
    assert f"'{file}' changed while the token was created" in result["msg"]
    assert file.read_text() == OLD_SECRET


def test_file_contains_the_reference_token_when_requested(tmp_path: Path) -> None:
    file = tmp_path / "ci.token"
    creation = makes("new", {**ORDER, "include_reference_token": True}, reference_token=REFERENCE)
    verification = lists(entry("new")), lists(entry("new")), identify(REFERENCE, token_id="new")
    with conversation(lists(), VERSION, creation, *verification) as server:
        result = run("access_token", url=server.url, token_file=str(file), include_reference_token=True, **TASK)
    assert file.read_text() == f"{REFERENCE}\n"
    assert REFERENCE not in str(result)


def test_both_secrets_are_stored_when_the_token_is_refreshable(tmp_path: Path) -> None:
    files = {"token_file": str(tmp_path / "access"), "refresh_token_file": str(tmp_path / "refresh")}
    creation = makes("new", {**ORDER, "refreshable": True}, refresh_token="again-and-again")
    listing = lists(entry("new", refreshable=True))
    with conversation(lists(), creation, listing, listing) as server:
        result = run("access_token", url=server.url, refreshable=True, **files, **TASK)
    assert secret_file(tmp_path / "access") == (f"{SECRET}\n", 0o600)
    assert secret_file(tmp_path / "refresh") == ("again-and-again\n", 0o600)
    assert "again-and-again" not in str(result)


def test_token_is_revoked_when_the_refresh_token_is_missing(tmp_path: Path) -> None:
    files = {"token_file": str(tmp_path / "access"), "refresh_token_file": str(tmp_path / "refresh")}
    creation = makes("new", {**ORDER, "refreshable": True})
    with conversation(lists(), creation, lists(entry("new")), revokes("new")) as server:
        result = run("access_token", url=server.url, refreshable=True, **files, **TASK)
    assert "The server returned no refresh token. The new token was revoked" in result["msg"]
    assert not list(tmp_path.iterdir())


def test_token_is_rotated_when_it_expires_soon(tmp_path: Path) -> None:
    file = tmp_path / "ci.token"
    file.write_text(f"{OLD_SECRET}\n")
    file.chmod(0o604)
    old = entry("old", expiry=NOW + DAY)
    with conversation(
        lists(old), makes("new"), lists(entry("new"), old), revokes("old"), lists(entry("new"))
    ) as server:
        result = run(
            "access_token", url=server.url, token_file=str(file), rotate_before=2 * DAY, diff_mode=True, **TASK
        )
    assert result["changed"]
    assert result["token"]["token_id"] == "new"
    assert secret_file(file) == (f"{SECRET}\n", 0o604)
    assert result["diff"]["before"]["replaced"] == "it expires soon"
    assert "replaced" not in result["diff"]["after"]


def test_token_is_unchanged_when_it_expires_late() -> None:
    with conversation(lists(entry("a", expiry=NOW + 3 * DAY))) as server:
        assert not run("access_token", url=server.url, rotate_before=2 * DAY, **TASK)["changed"]


def test_token_is_unchanged_when_it_never_expires() -> None:
    token = entry("a")
    del token["expiry"]
    with conversation(lists(token)) as server:
        result = run("access_token", url=server.url, rotate_before=2 * DAY, **TASK)
    assert not result["changed"]
    assert result["token"]["expiry"] is None


def test_old_token_is_revoked_when_the_new_one_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_killed(*_args: object, **_options: object) -> None:
        raise SystemExit

    monkeypatch.setattr(_issued_secret, "store_text", raise_killed)
    with (
        conversation(lists(entry("old", expiry=NOW + 12 * HOUR)), makes("new"), lists(entry("new"))) as server,
        pytest.raises(SystemExit),
    ):
        run("access_token", url=server.url, token_file=str(tmp_path / "t"), rotate_before=DAY, **TASK)


def test_both_tokens_remain_when_the_run_crashes_before_the_revocation(tmp_path: Path) -> None:
    file = tmp_path / "ci.token"
    file.write_text(f"{OLD_SECRET}\n")
    file.chmod(0o600)
    refusal = {"errors": [{"code": "FORBIDDEN", "message": f"No permission to revoke, {SECRET}"}]}
    refused = call("DELETE", f"{TOKENS}/old", 403, json=refusal)
    task = {**ONLY, "token_file": str(file), "rotate_before": DAY}
    old = entry("old", expiry=NOW + 12 * HOUR)
    both = lists(old, entry("new"))
    with conversation(lists(old), makes("new"), both, refused, both) as server:
        result = run("access_token", url=server.url, **task)
    assert result["failed"]
    assert result["changed"]
    assert "403 No permission to revoke, ********." in result["msg"]
    assert result["warnings"] == ["The new token is stored, but these were not revoked: old."]
    assert file.read_text() == f"{SECRET}\n"
    both = lists(old, entry("new", issued_at=NOW))
    with conversation(both, revokes("old"), lists(entry("new"))) as server:
        result = run("access_token", url=server.url, **task)
    assert (result["token"]["token_id"], result["revoked"]) == ("new", ["old"])


def test_new_token_is_revoked_when_interrupted_before_storing(tmp_path: Path) -> None:
    file, lines = tmp_path / "t", []
    interrupted = dataclasses.replace(lists(), held=True, meanwhile=send_ctrl_c)
    with conversation(lists(), makes("new"), interrupted, revokes("new")) as server, pytest.raises(KeyboardInterrupt):
        run("access_token", url=server.url, token_file=str(file), display_interruption=lines.append, **TASK)
    assert lines == ["interrupted before the secret was stored. The new token was revoked."]
    assert not file.exists()


def test_old_token_remains_when_the_new_one_is_not_listed(tmp_path: Path) -> None:
    old = entry("old", expiry=NOW + 12 * HOUR)
    file = tmp_path / "t"
    file.write_text(f"{OLD_SECRET}\n")
    with conversation(lists(old), makes("new"), lists(old), revokes("new", 204)) as server:
        result = run("access_token", url=server.url, token_file=str(file), rotate_before=DAY, **TASK)
    assert result["changed"]
    assert "the server does not list it" in result["msg"]
    assert "Existing tokens were not changed." in result["msg"]
    assert file.read_text() == f"{OLD_SECRET}\n"


def test_new_token_is_revoked_when_its_secret_cannot_be_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "ci.token"
    file.write_text(f"{OLD_SECRET}\n")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    old = entry("old", expiry=NOW + 12 * HOUR)
    with conversation(lists(old), makes("new"), lists(old, entry("new")), revokes("new")) as server:
        result = run("access_token", url=server.url, token_file=str(file), rotate_before=DAY, **TASK)
    assert "No space left on device. The new token was revoked" in result["msg"]
    assert SECRET not in str(result)
    assert file.read_text() == f"{OLD_SECRET}\n"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("content", [None, "", "garbage", "one.two.three", secret_of("another"), "\n\n"])
def test_token_is_replaced_when_its_secret_is_lost(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "ci.token"
    if content is not None:
        file.write_text(content)
    with conversation(
        lists(entry("old")), makes("new"), lists(entry("new"), entry("old")), revokes("old"), lists(entry("new"))
    ) as server:
        result = run("access_token", url=server.url, token_file=str(file), diff_mode=True, **ONLY)
    assert file.read_text() == f"{SECRET}\n"
    assert result["diff"]["before"]["replaced"] == "its secret is not in 'token_file'"


def test_check_mode_predicts_a_new_token(tmp_path: Path) -> None:
    file = tmp_path / "ci.token"
    with conversation(lists()) as server:
        result = run("access_token", url=server.url, check_mode=True, diff_mode=True, token_file=str(file), **TASK)
    assert result == {
        "changed": True,
        "token": {**UNKNOWN, "description": "build agents", "username": "ci", "surplus": []},
        **NO_SECRETS,
        "revoked": [],
        "diff": {
            "before": {"state": "absent"},
            "after": {"state": "present", "description": "build agents", "username": "ci"},
        },
    }
    assert not file.exists()


def test_check_mode_predicts_a_rotation(tmp_path: Path) -> None:
    file = tmp_path / "ci.token"
    file.write_text(f"{OLD_SECRET}\n")
    with conversation(lists(entry("old", expiry=NOW + DAY))) as server:
        result = run(
            "access_token", url=server.url, check_mode=True, token_file=str(file), rotate_before=2 * DAY, **TASK
        )
    assert result["changed"]
    assert result["token"]["token_id"] is None
    assert result["revoked"] == ["old"]
    assert file.read_text() == f"{OLD_SECRET}\n"


def test_absent_revokes_all_matching_tokens() -> None:
    both = lists(entry("a"), entry("b", issued_at=NOW))
    with conversation(both, revokes("b"), revokes("a", 204), lists()) as server:
        result = run("access_token", url=server.url, state="absent", diff_mode=True, **TASK)
    assert result["changed"]
    assert result["token"] is None
    assert result["diff"]["after"] == {"state": "absent"}


def test_absent_only_reads_when_in_check_mode() -> None:
    with conversation(lists(entry("a"))) as server:
        result = run("access_token", url=server.url, state="absent", check_mode=True, **TASK)
    assert result == {"changed": True, "token": None, **NO_SECRETS, "revoked": ["a"]}


def test_absent_sends_one_read_when_there_are_no_tokens() -> None:
    with conversation(lists()) as server:
        result = run("access_token", url=server.url, state="absent", **TASK)
    assert result == {"changed": False, "token": None, **NO_SECRETS, "revoked": []}


def test_absent_does_not_change_the_file(tmp_path: Path) -> None:
    file = tmp_path / "ci.token"
    file.write_text(f"{OLD_SECRET}\n")
    with conversation(lists(entry("a")), revokes("a"), lists()) as server:
        run("access_token", url=server.url, state="absent", token_file=str(file), **TASK)
    assert file.read_text() == f"{OLD_SECRET}\n"


def test_task_fails_when_a_revocation_has_no_effect() -> None:
    with conversation(lists(entry("a")), revokes("a"), lists(entry("a"))) as server:
        result = run("access_token", url=server.url, state="absent", **TASK)
    assert result["failed"]
    assert "These tokens were to be revoked, but still exist: a." in result["msg"]


def test_revocation_is_retried_when_the_response_is_lost() -> None:
    lost = call("DELETE", f"{TOKENS}/a", drop=True)
    with conversation(lists(entry("a")), lost, revokes("a", 204), lists()) as server:
        assert run("access_token", url=server.url, state="absent", **TASK)["changed"]


LOST = [
    call("POST", TOKENS, drop=True),
    call("POST", TOKENS, text='{"token_id": "n', headers={"Content-Length": "300"}),
    call("POST", TOKENS, text="<html>Sign in</html>"),
    call("POST", TOKENS, json=[]),
    call("POST", TOKENS, json={}),
]


@pytest.mark.parametrize("lost", LOST, ids=["no reply", "half a reply", "a page", "a list", "nothing in it"])
def test_orphaned_token_is_revoked_when_the_response_is_lost(lost: Call) -> None:
    with conversation(
        lists(), lost, lists(entry("lost")), revokes("lost"), makes("new"), lists(entry("new"))
    ) as server:
        result = run("access_token", url=server.url, **TASK)
    assert (result["token"]["token_id"], result["access_token"]) == ("new", SECRET)
    assert result["revoked"] == ["lost"]


@pytest.mark.parametrize("lost", LOST, ids=["no reply", "half a reply", "a page", "a list", "nothing in it"])
def test_task_fails_without_orphans_when_the_response_is_lost_twice(lost: Call) -> None:
    again = (lost, lists(entry("lost")), revokes("lost"))
    with conversation(lists(), *again, *again) as server:
        result = run("access_token", url=server.url, **TASK)
    assert result["failed"]
    assert result["msg"].endswith("No token is left of it.")
    assert "not known" not in result["msg"]


def test_error_names_the_remedy_when_an_orphan_cannot_be_found() -> None:
    refused = call("GET", LIST, 403, json={"errors": [{"message": "locked"}]})
    with conversation(lists(), call("POST", TOKENS, drop=True), refused) as server:
        result = run("access_token", url=server.url, **TASK)
    assert "A new token may exist whose secret is unknown, and it could not be revoked" in result["msg"]
    assert "403 locked." in result["msg"]


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_creation_is_not_retried_when_the_server_fails(status: int) -> None:
    busy = call("POST", TOKENS, status, text="<html>busy</html>")
    undone = lists(entry("made all the same")), revokes("made%20all%20the%20same")
    with conversation(lists(), busy, *undone) as server:
        result = run("access_token", url=server.url, **TASK)
    assert f"POST {server.url}{TOKENS}: {status} " in result["msg"]
    assert result["msg"].endswith("No token is left of it.")
    assert "not known" not in result["msg"]


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
def test_tokens_are_ignored_when_their_identity_differs(others: list[dict[str, Any]]) -> None:
    with conversation(lists(*others), makes("new"), lists(*others, entry("new"))) as server:
        result = run("access_token", url=server.url, **TASK)
    assert result["token"]["token_id"] == "new"


def test_scopes_are_compared_as_sets() -> None:
    with conversation(lists(entry("a", scope="artifact:libs:r  applied-permissions/user"))) as server:
        scope = "applied-permissions/user artifact:libs:r"
        assert not run("access_token", url=server.url, scope=scope, **TASK)["changed"]


def test_scope_matches_when_an_old_server_omits_it() -> None:
    token = entry("a")
    del token["scope"]
    with conversation(lists(token)) as server:
        assert not run("access_token", url=server.url, **TASK)["changed"]


def test_task_fails_when_the_server_does_not_list_the_token() -> None:
    with conversation(lists(), makes("new"), lists(), revokes("new", 204)) as server:
        result = run("access_token", url=server.url, **TASK)
    assert result["failed"]
    assert result["changed"]
    assert "the server does not list it" in result["msg"]
    assert result["access_token"] is None


def test_unlisted_token_is_accepted_when_allowed() -> None:
    order = {**ORDER, "expires_in": 300}
    with conversation(lists(), makes("new", order, expires_in=300), lists()) as server:
        result = run("access_token", url=server.url, expires_in=300, allow_unlisted=True, **TASK)
    assert time.time() + 200 < result["token"]["expiry"] <= time.time() + 300
    assert result["changed"]
    assert result["access_token"] == SECRET
    assert result["token"]["token_id"] == "new"
    assert result["token"]["username"] == "ci"


def test_token_never_expires_when_its_lifetime_is_zero() -> None:
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
        ({"token_file": "/dev/null"}, "Option 'token_file': '/dev/null' cannot be written: it is not a regular file"),
        (
            {"token_file": "{tmp}/t", "refreshable": True, "refresh_token_file": "{tmp}/./t"},
            "Option 'refresh_token_file': must be another file than 'token_file'",
        ),
        ({"token_file": "{tmp}/t", "owner": "nobody-of-that-name"}, "Option 'owner': 'nobody-of-that-name'"),
        ({"token_file": "{tmp}/t", "group": "nobody-of-that-name"}, "Option 'group': 'nobody-of-that-name'"),
        ({"token_file": "{tmp}/t", "mode": "u=rw"}, "Option 'mode': must be three octal digits"),
        ({"subject": "a/b"}, "Option 'subject': must be a user name without a slash"),
        ({"token": "line\nbreak"}, "Option 'token': contains characters that cannot be sent in an HTTP header"),
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


def test_task_fails_before_any_request_when_the_directory_is_not_writable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # the administrator may write everywhere, so permissions alone would prove nothing
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with conversation() as server:
        result = run("access_token", url=server.url, token_file=str(tmp_path / "t"), **TASK)
    assert "Option 'token_file'" in result["msg"]


def test_special_characters_are_encoded() -> None:
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
        (500, {}, "500 Internal Server Error. No token is left of it."),
    ],
)
def test_error_contains_the_servers_message(status: int, body: Any, message: str) -> None:
    looked_for = [lists()] * {400: 1, 500: 1}.get(status, 0)
    with conversation(lists(), call("POST", TOKENS, status, json=body), *looked_for) as server:
        result = run("access_token", url=server.url, **TASK)
    assert result["failed"]
    assert not result["changed"]
    assert result["msg"].startswith(f"POST {server.url}{TOKENS}: {message}")
    assert "t0ken-of-mine" not in str(result)


def file_with(tmp_path: Path, secret: str) -> str:
    file = tmp_path / "ci.token"
    file.write_text(f"{secret}\n")
    file.chmod(0o600)
    return str(file)


@pytest.mark.parametrize(("ahead", "is_due"), [(29 * DAY + HOUR, True), (-HOUR, False)])
def test_servers_clock_decides_when_a_token_is_rotated(ahead: int, is_due: bool) -> None:
    with conversation(at(NOW + ahead, lists(entry("old")))) as server:
        result = run("access_token", url=server.url, check_mode=True, rotate_before=DAY, **TASK)
    assert result["changed"] == is_due


def test_token_is_expired_when_the_servers_clock_is_later() -> None:
    with conversation(at(NOW + 31 * DAY, lists(entry("old")))) as server:
        result = run("access_token", url=server.url, check_mode=True, **TASK)
    assert (result["changed"], result["token"]["token_id"]) == (True, None)


@pytest.mark.parametrize(
    "date", ["", "yesterday", "Thu, 99 Foo 2026 25:61:61 GMT", f"Thu, 01 Jan {10**20} 00:00:00 GMT"]
)
def test_local_clock_is_used_when_the_server_sends_no_date(date: str) -> None:
    untold = dataclasses.replace(lists(entry("old", expiry=NOW + 12 * HOUR)), headers={"Date": date})
    with conversation(untold) as server:
        assert run("access_token", url=server.url, check_mode=True, rotate_before=DAY, **TASK)["changed"]


def test_surplus_tokens_are_revoked_except_the_one_in_the_file(tmp_path: Path) -> None:
    newer = entry("newer", issued_at=NOW)
    task = {**ONLY, "token_file": file_with(tmp_path, OLD_SECRET)}
    with conversation(lists(entry("old"), newer), revokes("newer"), lists(entry("old"))) as server:
        result = run("access_token", url=server.url, diff_mode=True, **task)
    assert (result["token"]["token_id"], result["revoked"]) == ("old", ["newer"])
    assert (result["diff"]["before"]["surplus"], result["diff"]["after"]["surplus"]) == (["newer"], [])
    with conversation(lists(entry("old"), newer)) as server:
        predicted = run("access_token", url=server.url, check_mode=True, diff_mode=True, **task)
    assert predicted == result


def test_newest_token_remains_when_no_file_is_set() -> None:
    both = lists(entry("old"), entry("newer", issued_at=NOW))
    with conversation(both, revokes("old"), lists(entry("newer"))) as server:
        result = run("access_token", url=server.url, **ONLY)
    assert (result["token"]["token_id"], result["revoked"]) == ("newer", ["old"])


def test_surplus_tokens_remain_when_they_are_kept(tmp_path: Path) -> None:
    task = {**TASK, "token_file": file_with(tmp_path, OLD_SECRET), "surplus": "keep"}
    with conversation(lists(entry("old"), entry("other"))) as server:
        result = run("access_token", url=server.url, **task)
    assert (result["changed"], result["token"]["surplus"], result["revoked"]) == (False, ["other"], [])
    old, other = entry("old", expiry=NOW + 12 * HOUR), entry("other")
    with conversation(
        lists(old, other), makes("new"), lists(other, old, entry("new")), revokes("old"), lists(other, entry("new"))
    ) as server:
        result = run("access_token", url=server.url, rotate_before=DAY, **task)
    assert (result["token"]["token_id"], result["token"]["surplus"], result["revoked"]) == ("new", ["other"], ["old"])


def test_token_of_another_host_remains_when_the_description_is_shared(tmp_path: Path) -> None:
    task = {**TASK, "token_file": str(tmp_path / "second.token")}
    both = lists(entry("first"), entry("new"))
    with conversation(lists(entry("first")), makes("new"), both, both) as server:
        result = run("access_token", url=server.url, **task)
    assert (result["token"]["token_id"], result["token"]["surplus"], result["revoked"]) == ("new", ["first"], [])
    with conversation(both) as server:
        assert not run("access_token", url=server.url, **task)["changed"]


def test_task_fails_when_an_orphan_is_ambiguous() -> None:
    calls = lists(), call("POST", TOKENS, drop=True), lists(entry("lost"), entry("theirs"))
    with conversation(*calls) as server:
        result = run("access_token", url=server.url, **TASK)
    assert "These tokens are new, and this task created at most one of them: theirs, lost." in result["msg"]
    assert "Remove the token that no other task uses, then run the task again." in result["msg"]
    with conversation(*calls, revokes("theirs"), revokes("lost"), makes("new"), lists(entry("new"))) as server:
        assert run("access_token", url=server.url, **ONLY)["revoked"] == ["theirs", "lost"]


def test_a_token_that_appears_late_is_reported_when_the_response_was_lost() -> None:
    lost = call("POST", TOKENS, drop=True)
    with conversation(lists(), lost, lists(), makes("new"), lists(entry("new"), entry("late"))) as server:
        result = run("access_token", url=server.url, **TASK)
    assert "Other tokens with this description, subject and scope exist: late." in result["msg"]


def test_a_rotation_fails_when_the_old_token_is_still_listed(tmp_path: Path) -> None:
    both = lists(entry("old", expiry=NOW + 12 * HOUR), entry("new"))
    calls = lists(entry("old", expiry=NOW + 12 * HOUR)), makes("new"), both, revokes("old"), both
    with conversation(*calls) as server:
        task = {**TASK, "token_file": file_with(tmp_path, OLD_SECRET), "rotate_before": DAY}
        result = run("access_token", url=server.url, **task)
    assert "These tokens were to be revoked, but still exist: old." in result["msg"]


def test_a_token_that_cannot_be_revoked_is_named_because_later_runs_keep_it(tmp_path: Path) -> None:
    old = entry("old", expiry=NOW + 12 * HOUR)
    both = lists(old, entry("new"))
    task = {**TASK, "token_file": file_with(tmp_path, OLD_SECRET), "rotate_before": DAY}
    with conversation(lists(old), makes("new"), both, revokes("old", 403), both) as server:
        result = run("access_token", url=server.url, **task)
    assert result["failed"]
    warning = "The new token is stored, but these were not revoked: old. Later runs keep them: remove them by hand."
    assert result["warnings"] == [warning]


def test_rotation_revokes_nothing_when_the_token_in_the_file_is_unknown(tmp_path: Path) -> None:
    task = {**TASK, "token_file": file_with(tmp_path, REFERENCE), "rotate_before": DAY}
    old, other = entry("old", expiry=NOW + 12 * HOUR), entry("other", expiry=NOW + 11 * HOUR)
    calls = lists(old, other), identify(REFERENCE, 404), makes("new"), *[lists(old, other, entry("new"))] * 2
    with conversation(*calls) as server:
        assert run("access_token", url=server.url, **task)["revoked"] == []


def test_error_names_the_token_when_its_revocation_was_lost(tmp_path: Path) -> None:
    old = entry("old", expiry=NOW + 12 * HOUR)
    lost = call("DELETE", f"{TOKENS}/old", drop=True)
    both = lists(old, entry("new"))
    task = {**ONLY, "token_file": file_with(tmp_path, OLD_SECRET), "rotate_before": DAY, "retries": 0}
    with conversation(lists(old), makes("new"), both, lost, both) as server:
        result = run("access_token", url=server.url, **task)
    assert result["failed"]
    assert result["changed"]
    assert "These tokens were to be revoked, but still exist: old." in result["msg"]
    with conversation(both, revokes("old"), lists(entry("new"))) as server:
        result = run("access_token", url=server.url, **task)
    assert result["revoked"] == ["old"]


def test_error_names_other_tokens_when_another_task_creates_one() -> None:
    with conversation(lists(), makes("new"), lists(entry("new"), entry("theirs"))) as server:
        result = run("access_token", url=server.url, **ONLY)
    assert "Other tokens with this description, subject and scope exist: theirs." in result["msg"]


def test_reference_token_in_the_file_is_identified_by_a_request(tmp_path: Path) -> None:
    task = {**ONLY, "token_file": file_with(tmp_path, REFERENCE)}
    both = lists(entry("old"), entry("newer", issued_at=NOW))
    with conversation(
        both,
        identify(REFERENCE, token_id="old"),
        revokes("newer"),
        lists(entry("old")),
        identify(REFERENCE, token_id="old"),
    ) as server:
        assert run("access_token", url=server.url, **task)["revoked"] == ["newer"]
    with conversation(lists(entry("old")), identify(REFERENCE, 404)) as server:
        assert not run("access_token", url=server.url, **task)["changed"]
    with conversation(
        lists(entry("old")),
        identify(REFERENCE, 401),
        makes("new"),
        lists(entry("new"), entry("old")),
        revokes("old"),
        lists(entry("new")),
    ) as server:
        assert run("access_token", url=server.url, **task)["changed"]


def test_own_token_is_revoked_last_when_it_is_rotated() -> None:
    task = {**ONLY, "token": OLD_SECRET, "rotate_before": DAY}
    own, other = entry("old", expiry=NOW + 12 * HOUR, issued_at=NOW), entry("other", expiry=NOW + 12 * HOUR)
    old_headers, new_headers = ({"Authorization": f"Bearer {secret}"} for secret in (OLD_SECRET, SECRET))

    def list_as(headers: dict[str, str], *tokens: dict[str, Any], status: int = 200) -> Call:
        return call("GET", LIST, status, json={"tokens": list(tokens)}, sent_headers=headers)

    with conversation(
        list_as(old_headers, own, other),
        makes("new"),
        list_as(old_headers, own, other, entry("new")),
        revokes("other"),
        revokes("old"),
        list_as(old_headers, status=401),
        list_as(new_headers, entry("new")),
    ) as server:
        result = run("access_token", url=server.url, **task)
    assert not result.get("failed"), result["msg"]
    assert result["revoked"] == ["other", "old"]


OWN_TOKEN = secret_of("own", subject=f"{ISSUER}/users/ci")
OWN_REFERENCE = base64.urlsafe_b64encode(b"reftkn:01:1726000000:own").decode()


def own_list(*tokens: dict[str, Any]) -> Call:
    return call("GET", LIST, json={"tokens": tokens})


UNKNOWN_OWN = "Cannot verify that the task does not revoke its own token"


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    "credential", [{"token": OWN_TOKEN}, {"username": "ci", "password": OWN_TOKEN}, {"api_key": OWN_TOKEN}]
)
def test_own_token_is_not_revoked(credential: dict[str, Any], check_mode: bool) -> None:
    with conversation(own_list(entry("own"), entry("old"))) as server:
        options = {**TASK, "token": None, **credential, "state": "absent", "check_mode": check_mode}
        result = run("access_token", url=server.url, **options)
    assert (result["changed"], result["revoked"], result["msg"]) == (
        False,
        [],
        "The change would lock out 'ci', the account of this task: its token would be revoked. Set 'allow_lockout: "
        "true' to allow this.",
    )


def test_own_reference_token_is_not_revoked() -> None:
    options = {**TASK, "token": OWN_REFERENCE, "state": "absent"}
    me = call("GET", f"{TOKENS}/me", json={"token_id": "own", "subject": "jfac@01hx3c/users/ci"})
    with conversation(own_list(entry("own")), me, me) as server:
        assert "its token would be revoked" in run("access_token", url=server.url, **options)["msg"]
    with conversation(own_list(entry("own")), call("GET", f"{TOKENS}/me", 404)) as server:
        assert UNKNOWN_OWN in run("access_token", url=server.url, **options)["msg"]


def test_own_token_is_not_revoked_as_surplus_without_a_file() -> None:
    options = {**TASK, "token": OWN_TOKEN, "surplus": "revoke"}
    with conversation(own_list(entry("new", issued_at=NOW), entry("own", issued_at=NOW - 9))) as server:
        assert "its token would be revoked" in run("access_token", url=server.url, **options)["msg"]


def test_refusal_proves_the_revocation_when_it_was_the_own_token() -> None:
    with conversation(
        call("GET", LIST, json={"tokens": [entry("old")]}), revokes("old"), call("GET", LIST, 401)
    ) as server:
        options = {**TASK, "token": OLD_SECRET, "allow_lockout": True}
        result = run("access_token", url=server.url, state="absent", **options)
    assert (result["changed"], result["token"], result["revoked"]) == (True, None, ["old"])


def test_refusal_proves_nothing_when_no_token_was_revoked() -> None:
    with conversation(lists(entry("a")), revokes("a", 409), call("GET", LIST, 401)) as server:
        result = run("access_token", url=server.url, state="absent", **TASK)
    assert (result["failed"], result["changed"], result["revoked"]) == (True, False, [])


@pytest.mark.parametrize("live", [[], [entry("theirs")]])
def test_file_is_refused_when_it_contains_a_token_of_another_server(tmp_path: Path, live: list[dict[str, Any]]) -> None:
    foreign = secret_of("x", issuer="jfac@elsewhere")
    file = file_with(tmp_path, foreign)
    requests = [] if live else [makes("new"), revokes("new")]
    with conversation(lists(*live), *requests) as server:
        result = run("access_token", url=server.url, **{**TASK, "token_file": file})
    assert "contains a token of another server (jfac@elsewhere, not jfac@01hx3c)" in result["msg"]
    assert Path(file).read_text() == f"{foreign}\n"


def test_file_is_refused_when_it_contains_no_token(tmp_path: Path) -> None:
    file = file_with(tmp_path, "[settings]\ncolour = green")
    with conversation() as server:
        result = run("access_token", url=server.url, **{**TASK, "token_file": file})
    assert "does not contain a token, and is left unchanged" in result["msg"]


def test_missing_directory_is_accepted_when_in_check_mode(tmp_path: Path) -> None:
    with conversation(lists()) as server:
        result = run("access_token", url=server.url, check_mode=True, token_file=str(tmp_path / "n" / "t"), **TASK)
    assert result["changed"]


def test_file_has_the_requested_mode(tmp_path: Path) -> None:
    file = tmp_path / "ci.token"
    with conversation(lists(), makes("new"), lists(entry("new")), lists(entry("new"))) as server:
        run("access_token", url=server.url, token_file=str(file), mode="0640", **TASK)
    assert secret_file(file) == (f"{SECRET}\n", 0o640)
