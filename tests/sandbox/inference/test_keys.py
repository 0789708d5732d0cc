# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inference sandbox: API keys."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from support.wire.inference import ADMIN, SECRET, SESSION, Api, error

SERVICE_ACCOUNT = "sk-svcacct-sandbox000000000000000000000002"
USER = "sk-sandbox00000000000000000000000000000003"
RESTRICTED = "sk-proj-restricted00000000000000000000000006"


def test_request_is_401_when_key_is_missing(api: Api) -> None:
    for headers in ({}, {"Authorization": "Bearer "}, {"Authorization": "Token x"}):
        status, body = error(api.get("/v1/models", None, **headers))
        assert (status, body["type"], body["code"]) == (401, "invalid_request_error", None)
        assert body["message"].startswith("You didn't provide an API key.")
    assert api.get("/v1/models", None).headers["www-authenticate"] == 'Basic realm="OpenAI API"'


def test_key_is_masked_in_error_when_it_is_wrong(api: Api) -> None:
    status, body = error(api.get("/v1/models", "sk-proj-verysecretverysecretMxYA"))
    assert (status, body["code"]) == (401, "invalid_api_key")
    assert body["message"].startswith("Incorrect API key provided: sk-proj-****MxYA. ")
    assert "verysecret" not in body["message"]
    masked_keys = {
        "sk-abcdeVERYSECRETwlmi": "sk-abcde****wlmi",
        "sk-admin-VERYSECRETwlmi": "sk-admin****wlmi",
        "sk-x": "sk-****",
    }
    for key, echo in masked_keys.items():
        assert f"provided: {echo}. " in error(api.get("/v1/models", key))[1]["message"]


def test_key_is_accepted_as_basic_auth_password(api: Api) -> None:
    assert requests.get(f"{api.url}/v1/models", auth=("", SECRET), timeout=60).status_code == 200
    assert requests.get(f"{api.url}/v1/models", auth=("x", SECRET), timeout=60).status_code == 401


@pytest.mark.parametrize("key", [SECRET, SERVICE_ACCOUNT, USER])
def test_secret_keys_can_list_models_and_chat(api: Api, key: str) -> None:
    assert api.get("/v1/models", key).status_code == 200
    assert api.chat(key).status_code == 200


def test_key_is_accepted_when_it_is_not_listed(api: Api) -> None:
    unlisted = {"organization": "org-sandbox", "listed": False}
    keys = [{"key": key, "name": "unlisted", **unlisted} for key in ("sk-admin-unlisted", "sk-unlisted")]
    api.sandbox.seed({"inference": {"keys": keys}})
    assert api.get("/v1/models", "sk-unlisted").status_code == 200
    for path, key in (("/v1/organization/admin_api_keys", "sk-admin-unlisted"), ("/dashboard/user/api_keys", SESSION)):
        names = [entry["name"] for entry in api.get(path, key).json()["data"]]
        assert names
        assert "unlisted" not in names


@pytest.mark.parametrize("key", [ADMIN, SESSION])
def test_key_classes_do_not_overlap(api: Api, key: str) -> None:
    for answer, scope in ((api.get("/v1/models", key), "api.model.read"), (api.chat(key), "model.request")):
        status, body = error(answer)
        assert (status, body["type"], body["code"]) == (401, "invalid_request_error", None)
        assert f"Missing scopes: {scope}. " in body["message"]


def test_scope_error_is_a_string_when_switch_is_on(api: Api, sandbox: Any) -> None:
    sandbox.switch("inference", bare_scope_errors=True)
    answer = api.get("/v1/models", ADMIN)
    assert answer.status_code == 401
    assert answer.json()["error"].startswith("You have insufficient permissions for this operation. Missing scopes: ")


def test_restricted_key_has_only_its_scopes(api: Api) -> None:
    assert api.get("/v1/models", RESTRICTED).status_code == 200
    assert "Missing scopes: model.request." in error(api.chat(RESTRICTED))[1]["message"]


def test_request_is_refused_when_headers_do_not_match_the_key(api: Api) -> None:
    chosen = {"OpenAI-Organization": "org-sandbox", "OpenAI-Project": "proj_sandbox"}
    assert api.get("/v1/models", SECRET, **chosen).status_code == 200
    assert api.get("/v1/models", USER, **chosen).status_code == 200
    status, body = error(api.get("/v1/models", SECRET, **{"OpenAI-Organization": "org-other"}))
    assert (status, body["code"]) == (401, "mismatched_organization")
    for key in (SECRET, USER):
        status, body = error(api.get("/v1/models", key, **{"OpenAI-Project": "proj_other"}))
        assert (status, body["code"]) == (401, "mismatched_project")


def test_unknown_headers_are_ignored(api: Api) -> None:
    for name in ("OpenAI-User", "OpenAI-Group"):
        assert api.get("/v1/models", SECRET, **{name: "of-another"}).status_code == 200


def test_dashboards_require_a_session(api: Api) -> None:
    status, body = error(api.get("/dashboard/rate_limits"))
    assert (status, body["type"], body["code"]) == (403, "server_error", None)
    assert body["message"] == (
        "Your request to GET /dashboard/rate_limits must be made with a session key (that is, it can only be made "
        "from the browser). You made it with the following key type: secret."
    )
