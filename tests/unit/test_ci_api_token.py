# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import email.utils
import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.users import api_token
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.users.token_list import hash_token
from support.ci_scripts import script
from support.ci_server import AUTHENTICATION_REQUIRED, basic, deny_permission
from support.conversation import Call, call, conversation
from support.running import run

OWN, STORED, NEW = ("11" + digit * 32 for digit in "abc")
LOGIN = {"username": "ci", "api_token": OWN, "retries": 0, "name": "backup"}
NOW = 1795400600  # 2026-11-23
DATE = {"Date": email.utils.formatdate(NOW, usegmt=True)}
TOKENS = "/user/ci/descriptorByName/jenkins.security.ApiTokenProperty"


def token(uuid: str, secret: str = "", name: str = "backup", **changes: Any) -> dict[str, Any]:
    """Return a listed token."""
    digest = hash_token(secret)
    return {"uuid": uuid, "name": name, "created": NOW * 1000, "expires": None, "hash": digest, **changes}


def listing(*tokens: dict[str, Any], user: str = "ci", may_create: bool = True, login: str = OWN) -> Call:
    value = {"tokens": list(tokens), "may_create": may_create}
    headers = {"Content-Type": "text/plain;charset=utf-8", **DATE}
    sent = {"Authorization": basic("ci", login)}
    return script("list API tokens", api_token.LIST_TOKENS, {"user": user}, value, headers=headers, sent_headers=sent)


def denied() -> Call:
    page = deny_permission("ci", "Overall/Administer")
    return script("list API tokens", api_token.LIST_TOKENS, {"user": "ci"}, status=403, text=page)


def created(uuid: str = "u1", secret: str = NEW, **form: str) -> Call:
    data = {"tokenName": "backup", "tokenUuid": uuid, "tokenValue": secret, "expirationDate": "never"}
    sent = {"newTokenName": "backup", **form}
    return call("POST", f"{TOKENS}/generateNewToken", json={"status": "ok", "data": data}, sent_form=sent, headers=DATE)


def revoked(uuid: str, login: str = OWN, user: str = "ci") -> Call:
    path = TOKENS.replace("/ci/", f"/{user}/")
    sent = {"Authorization": basic("ci", login)}
    return call("POST", f"{path}/revoke", text="", sent_form={"tokenUuid": uuid}, sent_headers=sent)


def login(secret: str, status: int = 200, name: str = "ci") -> Call:
    """Return the trial login with a token."""
    body: dict[str, Any] = {"json": {"anonymous": False, "name": name}} if status == 200 else {"text": ""}
    sent = {"Authorization": basic("ci", secret)}
    return call("GET", "/whoAmI/api/json?tree=anonymous%2Cname", status, sent_headers=sent, **body)


def task(url: str, **options: Any) -> dict[str, Any]:
    return run("ci_api_token", url=url, **{**LOGIN, **options})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return a file with a token."""
    path = tmp_path / "ci.token"
    path.write_text(f"{STORED}\n")
    path.chmod(0o600)
    return path


def test_stored_token_costs_one_request(file: Path) -> None:
    with conversation(listing(token("u0", STORED), token("u9", "other", name="x"))) as server:
        result = task(server.url, token_file=str(file))
    assert not result["changed"]
    assert result["token"] == {
        "uuid": "u0",
        "name": "backup",
        "user": "ci",
        "created": NOW,
        "created_at": "2026-11-23T02:23:20Z",
        "expires": None,
        "surplus": [],
    }


def test_token_is_created_verified_and_stored(tmp_path: Path) -> None:
    file = tmp_path / "new.token"
    calls = listing(), created(), login(NEW), *[listing(token("u1", NEW))] * 2
    with conversation(*calls) as server:
        result = task(server.url, token_file=str(file), diff_mode=True)
    assert (result["changed"], result["api_token"], result["token"]["uuid"]) == (True, None, "u1")
    assert file.read_text() == f"{NEW}\n"
    assert file.stat().st_mode & 0o777 == 0o600
    assert NEW not in json.dumps(result)


def test_token_is_returned_without_file() -> None:
    with conversation(listing(), created(), login(NEW), listing(token("u1", NEW))) as server:
        result = task(server.url, no_log=True)
    assert (result["changed"], result["api_token"]) == (True, NEW)


def test_lifetime_is_sent_as_a_date() -> None:
    form = {"expirationDuration": "custom", "tokenExpiration": "2026-12-03"}
    expiring = token("u1", NEW, expires="2026-12-03")
    with conversation(listing(), created(**form), login(NEW), listing(expiring)) as server:
        result = task(server.url, no_log=True, expires_in=10 * 86400)
    assert result["token"]["expires"] == "2026-12-03"


def test_check_mode_only_lists(tmp_path: Path) -> None:
    with conversation(listing()) as server:
        result = task(server.url, check_mode=True, token_file=str(tmp_path / "x"))
    assert (result["changed"], result["token"]["uuid"]) == (True, None)


@pytest.mark.parametrize(
    ("stored", "options"),
    [
        (token("u0", STORED, created=(NOW - 90 * 86400) * 1000), {"rotate_after": 90 * 86400}),
        (token("u0", STORED, expires="2026-11-30"), {"rotate_before": 8 * 86400}),
        (token("u0", STORED, expires="2026-11-22"), {}),
    ],
)
def test_token_is_rotated_when_it_is_old(file: Path, stored: dict[str, Any], options: dict[str, int]) -> None:
    new = token("u1", NEW)
    calls = listing(stored), created(), login(NEW), listing(stored, new), revoked("u0"), listing(new)
    with conversation(*calls) as server:
        result = task(server.url, token_file=str(file), **options)
    assert (result["token"]["uuid"], result["revoked"], file.read_text()) == ("u1", ["u0"], f"{NEW}\n")


@pytest.mark.parametrize(
    ("stored", "options"),
    [
        (token("u0", STORED, created=(NOW - 89 * 86400) * 1000), {"rotate_after": 90 * 86400}),
        (token("u0", STORED, created=None), {"rotate_after": 90 * 86400}),
        (token("u0", STORED, expires="2026-11-30"), {"rotate_before": 7 * 86400}),
        (token("u0", STORED, expires="2026-11-23"), {}),
    ],
)
def test_token_is_kept_when_it_is_not_old(file: Path, stored: dict[str, Any], options: dict[str, int]) -> None:
    with conversation(listing(stored)) as server:
        assert not task(server.url, token_file=str(file), **options)["changed"]


def test_token_is_replaced_when_the_stored_one_was_revoked(file: Path) -> None:
    others, new = token("u8", "host2"), token("u1", NEW)
    calls = listing(others), created(), login(NEW), *[listing(others, new)] * 2
    with conversation(*calls) as server:
        result = task(server.url, token_file=str(file))
    assert (result["token"]["surplus"], result["revoked"]) == (["u8"], [])


def test_surplus_is_revoked_on_request(file: Path) -> None:
    with conversation(listing(token("u0", STORED), token("u8")), revoked("u8"), listing(token("u0", STORED))) as server:
        assert task(server.url, token_file=str(file), surplus="revoke")["revoked"] == ["u8"]


def test_task_continues_with_the_new_token_when_it_rotates_its_own_login(file: Path) -> None:
    file.write_text(OWN)
    old, new = token("u0", OWN, expires="2026-11-22"), token("u1", NEW)
    calls = (
        *(listing(old), created(), login(NEW), listing(old, new, login=NEW), revoked("u0", login=NEW)),
        listing(new, login=NEW),
    )
    with conversation(*calls) as server:
        result = task(server.url, token_file=str(file))
    assert (result["revoked"], file.read_text()) == (["u0"], f"{NEW}\n")


@pytest.mark.parametrize("options", [{"state": "absent"}, {"surplus": "revoke"}])
def test_login_of_the_task_is_not_revoked(options: dict[str, str]) -> None:
    with conversation(listing(token("u1", NEW, created=(NOW + 1) * 1000), token("u0", OWN))) as server:
        result = task(server.url, **options)
    assert "Cannot revoke the API token 'backup' (u0), because this task uses it." in result["msg"]


def test_tokens_of_another_user_are_revoked() -> None:
    calls = listing(token("u0"), token("u1"), user="eve"), revoked("u1", user="eve"), revoked("u0", user="eve")
    with conversation(*calls, listing(user="eve")) as server:
        result = task(server.url, user="eve", state="absent")
    assert (result["changed"], result["token"], sorted(result["revoked"])) == (True, None, ["u0", "u1"])


def test_task_fails_when_a_revoked_token_is_still_listed() -> None:
    with conversation(listing(token("u0")), revoked("u0"), listing(token("u0"))) as server:
        assert "These API tokens were to be revoked, but still exist: u0." in task(server.url, state="absent")["msg"]


@pytest.mark.parametrize("check_mode", [False, True])
def test_token_of_another_user_is_refused_when_the_server_does_not_allow_it(check_mode: bool) -> None:
    with conversation(listing(user="eve", may_create=False)) as server:
        result = task(server.url, user="eve", check_mode=check_mode)
    assert result["msg"].startswith(
        "Cannot create an API token of 'eve': Jenkins allows users to create only their own"
    )


def test_missing_user_is_reported() -> None:
    missing = script("list API tokens", api_token.LIST_TOKENS, {"user": "eve"}, None)
    with conversation(missing) as server:
        assert "The user 'eve' does not exist." in task(server.url, user="eve")["msg"]
    with conversation(missing) as server:
        assert not task(server.url, user="eve", state="absent")["changed"]


def test_reason_is_reported_when_jenkins_refuses_the_token() -> None:
    reply = {"status": "error", "message": "Expiration date is in the past."}
    refused = call("POST", f"{TOKENS}/generateNewToken", json=reply)
    with conversation(listing(), refused) as server:
        result = task(server.url)
    assert (result["msg"], result["changed"]) == (
        "Jenkins refuses to create the API token: Expiration date is in the past.",
        False,
    )


def test_orphaned_token_is_revoked_when_the_response_is_lost(tmp_path: Path) -> None:
    lost, orphan, new = call("POST", f"{TOKENS}/generateNewToken", drop=True), token("u5"), token("u1", NEW)
    calls = listing(), lost, listing(orphan), revoked("u5"), created(), login(NEW), *[listing(new)] * 2
    with conversation(*calls) as server:
        result = task(server.url, token_file=str(tmp_path / "t"))
    assert (result["changed"], result["revoked"]) == (True, ["u5"])


def test_new_token_is_revoked_when_it_does_not_work(file: Path) -> None:
    with conversation(listing(), created(), login(NEW, 401), revoked("u1")) as server:
        result = task(server.url, token_file=str(file))
    assert "The user 'ci' cannot log in with the new API token. The new API token was revoked" in result["msg"]
    assert file.read_text() == f"{STORED}\n"


@pytest.mark.parametrize("content", ["a password", "secret!", "x" * 20])
def test_file_is_not_overwritten_when_it_contains_something_else(file: Path, content: str) -> None:
    file.write_text(content)
    with conversation() as server:
        result = task(server.url, token_file=str(file))
    assert "and is left unchanged" in result["msg"]
    assert file.read_text() == content


def test_file_is_not_overwritten_when_it_contains_a_token_with_another_name(file: Path) -> None:
    with conversation(listing(token("u0", STORED, name="laptop"))) as server:
        result = task(server.url, token_file=str(file))
    assert f"'{file}' contains the API token 'laptop', and is left unchanged" in result["msg"]


def test_stored_token_is_tried_when_the_account_may_not_list(file: Path) -> None:
    with conversation(denied(), login(STORED)) as server:
        result = task(server.url, token_file=str(file))
    assert (result["changed"], result["revoked"]) == (False, [])
    assert (result["token"]["uuid"], result["token"]["name"], result["token"]["surplus"]) == (None, "backup", [])


@pytest.mark.parametrize("has_file", [False, True])
def test_token_is_created_when_the_stored_one_does_not_work_and_the_account_may_not_list(
    file: Path, has_file: bool
) -> None:
    if not has_file:
        file.unlink()
    old = [login(STORED, 401)] if has_file else []
    calls = denied(), *old, created(), login(NEW), denied(), login(NEW)
    with conversation(*calls) as server:
        result = task(server.url, token_file=str(file))
    assert (result["changed"], result["token"]["uuid"], result["revoked"]) == (True, "u1", [])
    assert file.read_text() == f"{NEW}\n"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"state": "absent"}, "'state: absent'"),
        ({"surplus": "revoke"}, "'surplus: revoke'"),
        ({"rotate_after": 9}, "'rotate_after'"),
        ({"rotate_before": 9}, "'rotate_before'"),
        ({"token_file": None}, "A task without 'token_file'"),
    ],
)
def test_task_is_refused_when_it_requires_the_list_and_the_account_may_not_list(
    file: Path, options: dict[str, Any], reason: str
) -> None:
    with conversation(denied()) as server:
        result = task(server.url, **{"token_file": str(file), **options})
    assert result["msg"] == (
        f"{reason} requires the list of API tokens, but the account lacks the Overall/Administer permission, which "
        "listing API tokens requires."
    )


def test_orphaned_token_is_named_when_the_account_may_not_list(tmp_path: Path) -> None:
    lost = call("POST", f"{TOKENS}/generateNewToken", drop=True)
    with conversation(denied(), lost, denied()) as server:
        result = task(server.url, token_file=str(tmp_path / "t"))
    assert "A new API token may exist whose secret is unknown, and it could not be revoked" in result["msg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"expires_in": 90000, "rotate_before": 90000}, "Option 'rotate_before': must be less than"),
        ({"expires_in": 90000, "rotate_after": 90001}, "Option 'rotate_after': must be less than"),
        ({"user": "a/b"}, "Option 'user'"),
        ({"name": ""}, "Option 'name'"),
    ],
)
def test_task_is_refused_before_the_first_request(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        assert message in task(server.url, **options)["msg"]


def test_login_is_required() -> None:
    listed = script(
        "list API tokens", api_token.LIST_TOKENS, {"user": "anonymous"}, status=403, text=AUTHENTICATION_REQUIRED
    )
    with conversation(call("GET", "/crumbIssuer/api/json", 404), listed) as server:
        result = task(server.url, username=None, api_token=None)
    assert "Authentication required. Set 'username' and 'password' or 'api_token'." in result["msg"]
