# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of authentication, login throttling and permissions in Artifactory."""

from __future__ import annotations

import pytest

from support.session import Session
from support.wire.artifact import APP, CHALLENGE, CONTENT, error_of


@pytest.mark.parametrize(
    "credentials",
    [("admin", "sandbox-admin"), ("admin", "sandbox-admin-api-key"), ("admin", "sandbox-admin-access-token")],
    ids=["password", "API key", "token"],
)
def test_basic_credentials_are_accepted(sandbox, credentials):
    assert Session(f"{sandbox.url}/artifactory", credentials).get("/api/repositories").status_code == 200


@pytest.mark.parametrize(
    "credentials",
    [("admin", "wrong"), ("nobody", "sandbox-admin"), ("reader", "sandbox-admin-access-token"), ("anonymous", "")],
)
def test_wrong_basic_credentials_are_401_when_anonymous_access_is_on(sandbox, credentials):
    sandbox.switch("artifact", anonymous=True)
    response = Session(f"{sandbox.url}/artifactory", credentials).get("/api/repositories")
    assert error_of(response) == (401, "Bad credentials")
    assert response.headers["WWW-Authenticate"] == CHALLENGE


def test_basic_credentials_are_401_when_they_are_not_base64(artifactory_anonymous):
    response = artifactory_anonymous.get("/api/repositories", headers={"Authorization": "Basic ?"})
    assert error_of(response) == (401, "Bad credentials")


def test_api_key_header_is_accepted(artifactory_anonymous):
    headers = {"X-JFrog-Art-Api": "sandbox-admin-api-key"}
    assert artifactory_anonymous.get("/api/repositories", headers=headers).status_code == 200


def test_message_quotes_the_api_key_when_it_is_wrong(artifactory_anonymous):
    response = artifactory_anonymous.get("/api/repositories", headers={"X-JFrog-Art-Api": "huhu"})
    assert error_of(response) == (403, "Bad props auth token: apiKey=huhu")
    assert "WWW-Authenticate" not in response.headers


def test_bearer_token_is_401_when_it_is_invalid(artifactory_anonymous):
    response = artifactory_anonymous.get("/api/repositories", headers={"Authorization": "Bearer nonsense"})
    assert error_of(response) == (401, "Token failed verification: parse")


def test_login_is_403_when_the_user_is_locked(sandbox):
    sandbox.seed({"artifact": {"users": [{"name": "out", "password": "out", "locked": True}]}})
    assert error_of(Session(f"{sandbox.url}/artifactory", ("out", "out")).get("/api/repositories"))[0] == 403


def _login(sandbox, password="wrong", name="reader"):
    return Session(f"{sandbox.url}/artifactory", (name, password)).get("/api/system/ping")


@pytest.mark.parametrize("name", ["reader", "nobody"])
def test_login_is_blocked_for_growing_times_when_it_failed_three_times(sandbox, name):
    sandbox.clock(frozen=True)
    for _attempt in range(3):
        assert error_of(_login(sandbox, name=name)) == (401, "Bad credentials")
    seconds = []
    for _attempt in range(12):
        response = _login(sandbox, name=name)
        status, message = error_of(response)
        assert (status, response.headers["WWW-Authenticate"]) == (403, CHALLENGE)
        prefix, suffix = f"'{name}' is blocked due to recurrent login failures, please try again in ", " seconds"
        seconds.append(int(message.removeprefix(prefix).removesuffix(suffix)))
    assert seconds == [1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 5]


@pytest.mark.parametrize("seconds", [2, -3600])
def test_login_block_ends_when_the_clock_moves(sandbox, seconds):
    sandbox.clock(frozen=True)
    for _attempt in range(3):
        _login(sandbox)
    assert _login(sandbox, "sandbox-reader").status_code == 403
    sandbox.clock(advance=seconds)
    assert _login(sandbox, "sandbox-reader").status_code == 200


def test_failed_logins_are_forgotten_when_a_login_succeeds(sandbox):
    for _attempt in range(2):
        _login(sandbox)
    assert _login(sandbox, "sandbox-reader").status_code == 200
    assert [_login(sandbox).status_code for _attempt in range(3)] == [401] * 3


def test_login_bypasses_a_block_when_the_credentials_were_accepted_recently(sandbox):
    sandbox.clock(frozen=True)
    assert _login(sandbox, "sandbox-reader").status_code == 200
    assert [_login(sandbox).status_code for _attempt in range(4)] == [401] * 3 + [403]
    assert _login(sandbox, "sandbox-reader").status_code == 200
    assert _login(sandbox).status_code == 403
    sandbox.clock(advance=600)
    assert [_login(sandbox).status_code for _attempt in range(2)] == [401, 403]
    assert _login(sandbox, "sandbox-reader").status_code == 403


def test_login_is_never_blocked_when_login_blocks_are_disabled(sandbox):
    sandbox.clock(frozen=True)
    sandbox.switch("artifact", login_blocks=False)
    assert [_login(sandbox).status_code for _attempt in range(6)] == [401] * 6
    assert _login(sandbox, "sandbox-reader").status_code == 200


def test_login_block_affects_one_user_and_ends_when_the_sandbox_is_reset(sandbox):
    for _attempt in range(4):
        assert _login(sandbox).status_code in (401, 403)
    assert _login(sandbox, "sandbox-admin", "admin").status_code == 200
    sandbox.reset()
    assert _login(sandbox).status_code == 401


def test_download_is_401_when_anonymous_access_is_off(artifactory_anonymous):
    response = artifactory_anonymous.get(f"/generic-local/{APP}")
    assert error_of(response)[0] == 401
    assert response.headers["WWW-Authenticate"] == CHALLENGE


def test_anonymous_user_may_only_read_when_anonymous_access_is_on(artifactory_anonymous, sandbox):
    sandbox.switch("artifact", anonymous=True)
    assert artifactory_anonymous.get(f"/generic-local/{APP}").content == CONTENT
    response = artifactory_anonymous.put("/generic-local/new", b"")
    assert error_of(response) == (401, "Unauthorized")
    assert response.headers["WWW-Authenticate"] == CHALLENGE


def test_permissions_apply_to_repositories_and_paths(sandbox):
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


def test_credentials_are_ignored_when_the_user_name_is_blank(artifactory_anonymous, sandbox):
    for name in ("", " "):
        response = artifactory_anonymous.get("/api/repositories", auth=(name, "x"))
        assert error_of(response) == (401, "Authentication is required")
    sandbox.switch("artifact", anonymous=True)
    assert artifactory_anonymous.get("/api/system/ping", auth=("", "")).text == "OK"
