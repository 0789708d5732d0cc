# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The artifact repository on the wire: who asks, and what they may."""

from __future__ import annotations

import pytest

from support.session import Session
from support.wire.artifact import APP, CHALLENGE, CONTENT, error_of


@pytest.mark.parametrize(
    "credentials",
    [("admin", "sandbox-admin"), ("admin", "sandbox-admin-api-key"), ("admin", "sandbox-admin-access-token")],
    ids=["password", "API key", "token"],
)
def test_basic(sandbox, credentials):
    assert Session(f"{sandbox.url}/artifactory", credentials).get("/api/repositories").status_code == 200


@pytest.mark.parametrize(
    "credentials",
    [("admin", "wrong"), ("nobody", "sandbox-admin"), ("reader", "sandbox-admin-access-token"), ("anonymous", "")],
)
def test_wrong_basic_is_401_with_a_challenge_even_when_anonymous_may(sandbox, credentials):
    sandbox.switch("artifact", anonymous=True)
    answer = Session(f"{sandbox.url}/artifactory", credentials).get("/api/repositories")
    assert error_of(answer) == (401, "Bad credentials")
    assert answer.headers["WWW-Authenticate"] == CHALLENGE


def test_basic_that_is_not_base64(artifactory_anonymous):
    answer = artifactory_anonymous.get("/api/repositories", headers={"Authorization": "Basic ?"})
    assert error_of(answer) == (401, "Bad credentials")


def test_api_key_header(artifactory_anonymous):
    right = {"X-JFrog-Art-Api": "sandbox-admin-api-key"}
    assert artifactory_anonymous.get("/api/repositories", headers=right).status_code == 200


def test_a_wrong_api_key_is_403_and_comes_back_in_the_message(artifactory_anonymous):
    answer = artifactory_anonymous.get("/api/repositories", headers={"X-JFrog-Art-Api": "huhu"})
    assert error_of(answer) == (403, "Bad props auth token: apiKey=huhu")
    assert "WWW-Authenticate" not in answer.headers


def test_a_wrong_bearer_is_401(artifactory_anonymous):
    answer = artifactory_anonymous.get("/api/repositories", headers={"Authorization": "Bearer nonsense"})
    assert error_of(answer) == (401, "Token failed verification: parse")


def test_a_locked_user_is_403(sandbox):
    sandbox.seed({"artifact": {"users": [{"name": "out", "password": "out", "locked": True}]}})
    assert error_of(Session(f"{sandbox.url}/artifactory", ("out", "out")).get("/api/repositories"))[0] == 403


def _login(sandbox, password="wrong", name="reader"):
    return Session(f"{sandbox.url}/artifactory", (name, password)).get("/api/system/ping")


@pytest.mark.parametrize("name", ["reader", "nobody"])
def test_login_is_blocked_for_a_growing_time_when_it_failed_three_times(sandbox, name):
    sandbox.clock(frozen=True)
    for _attempt in range(3):
        assert error_of(_login(sandbox, name=name)) == (401, "Bad credentials")
    seconds = []
    for _attempt in range(12):
        answer = _login(sandbox, name=name)
        status, message = error_of(answer)
        assert (status, answer.headers["WWW-Authenticate"]) == (403, CHALLENGE)
        beginning, end = f"'{name}' is blocked due to recurrent login failures, please try again in ", " seconds"
        seconds.append(int(message.removeprefix(beginning).removesuffix(end)))
    assert seconds == [1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5]


@pytest.mark.parametrize("seconds", [2, -3600])
def test_a_block_of_logins_ends_when_the_clock_moves(sandbox, seconds):
    sandbox.clock(frozen=True)
    for _attempt in range(3):
        _login(sandbox)
    assert _login(sandbox, "sandbox-reader").status_code == 403
    sandbox.clock(advance=seconds)
    assert _login(sandbox, "sandbox-reader").status_code == 200


def test_login_may_fail_three_times_again_when_one_succeeded(sandbox):
    for _attempt in range(2):
        _login(sandbox)
    assert _login(sandbox, "sandbox-reader").status_code == 200
    assert [_login(sandbox).status_code for _attempt in range(3)] == [401] * 3


def test_login_passes_a_block_when_the_same_credentials_were_right_minutes_ago(sandbox):
    sandbox.clock(frozen=True)
    assert _login(sandbox, "sandbox-reader").status_code == 200
    assert [_login(sandbox).status_code for _attempt in range(4)] == [401] * 3 + [403]
    assert _login(sandbox, "sandbox-reader").status_code == 200
    assert _login(sandbox).status_code == 403
    sandbox.clock(advance=600)
    assert [_login(sandbox).status_code for _attempt in range(2)] == [401, 403]
    assert _login(sandbox, "sandbox-reader").status_code == 403


def test_login_is_never_blocked_when_blocks_are_switched_off(sandbox):
    sandbox.clock(frozen=True)
    sandbox.switch("artifact", login_blocks=False)
    assert [_login(sandbox).status_code for _attempt in range(6)] == [401] * 6
    assert _login(sandbox, "sandbox-reader").status_code == 200


def test_a_block_of_logins_spares_others_and_ends_when_the_sandbox_is_reset(sandbox):
    for _attempt in range(4):
        assert _login(sandbox).status_code in (401, 403)
    assert _login(sandbox, "sandbox-admin", "admin").status_code == 200
    sandbox.reset()
    assert _login(sandbox).status_code == 401


def test_anonymous_access_off(artifactory_anonymous):
    answer = artifactory_anonymous.get(f"/generic-local/{APP}")
    assert error_of(answer)[0] == 401
    assert answer.headers["WWW-Authenticate"] == CHALLENGE


def test_anonymous_access_on(artifactory_anonymous, sandbox):
    sandbox.switch("artifact", anonymous=True)
    assert artifactory_anonymous.get(f"/generic-local/{APP}").content == CONTENT
    answer = artifactory_anonymous.put("/generic-local/new", b"")
    assert error_of(answer) == (401, "Unauthorized")
    assert answer.headers["WWW-Authenticate"] == CHALLENGE


def test_permissions_are_by_repository_and_path(sandbox):
    user = {"name": "ci", "password": "ci", "permissions": {"generic-local/app": "r", "libs-remote": "r"}}
    sandbox.seed({"artifact": {"users": [user]}})
    ci = Session(f"{sandbox.url}/artifactory", ("ci", "ci"))
    assert [entry["key"] for entry in ci.get("/api/repositories").json()] == [
        "generic-local",
        "libs-remote",
        "libs-release",
    ]
    assert ci.get(f"/generic-local/{APP}").status_code == 200
    refused = ci.get("/api/storage/generic-local/other")
    assert (refused.status_code, refused.text) == (
        403,
        "Request for 'generic-local:other' is forbidden for user: 'ci'.",
    )
    sandbox.switch("artifact", hide_unauthorized=True)
    assert error_of(ci.get("/api/storage/generic-local/other"))[0] == 404
    assert error_of(ci.get("/api/storage/generic-local/other")) == (404, "Resource not found")
    assert error_of(ci.put("/docker-local/x", b""))[0] == 404
    assert error_of(ci.delete(f"/generic-local/{APP}"))[0] == 403


def test_credentials_count_as_none_when_the_user_name_is_blank(artifactory_anonymous, sandbox):
    for name in ("", " "):
        answer = artifactory_anonymous.get("/api/repositories", auth=(name, "x"))
        assert error_of(answer) == (401, "Authentication is required")
    sandbox.switch("artifact", anonymous=True)
    assert artifactory_anonymous.get("/api/system/ping", auth=("", "")).text == "OK"
