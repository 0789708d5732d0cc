# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Inference sandbox: unknown and unserved paths."""

from __future__ import annotations

from typing import Any

import pytest

from support.wire.inference import ADMIN, SECRET, Api, error


def test_request_is_404_when_url_is_unknown(api: Api) -> None:
    for key in (SECRET, None):
        status, body = error(api.get("/v1/x?secret=1", key))
        assert (status, body["message"]) == (404, "Invalid URL (GET /v1/x)")
        assert (body["type"], body["param"], body["code"]) == ("invalid_request_error", None, None)
    for path in ("/v1/models/", "/v1/chat/completions/", "/v1//models", "/v1"):
        assert error(api.get(path))[1]["message"] == f"Invalid URL (GET {path})"


def test_request_is_405_when_method_is_not_allowed(api: Api) -> None:
    answer = api.get("/v1/embeddings")
    assert error(answer)[0] == 405
    assert error(answer)[1]["code"] == "method_not_supported"
    assert answer.headers["allow"] == "POST"
    assert api.call("POST", "/v1/models", json={}).headers["allow"] == "GET"
    assert api.call("PUT", "/v1/organization/projects/p", ADMIN).headers["allow"] == "GET, POST"


@pytest.mark.parametrize(
    ("calls", "key"),
    [
        ("POST /v1/embeddings", SECRET),
        ("POST /v1/moderations", SECRET),
        ("POST /v1/responses", SECRET),
        ("GET DELETE /v1/responses/resp_1", SECRET),
        ("GET POST /v1/files", SECRET),
        ("GET DELETE /v1/files/file-1", SECRET),
        ("GET /v1/files/file-1/content", SECRET),
        ("GET POST /v1/batches", SECRET),
        ("GET /v1/batches/batch_1", SECRET),
        ("POST /v1/batches/batch_1/cancel", SECRET),
        ("GET POST /v1/fine_tuning/jobs", SECRET),
        ("GET /v1/fine_tuning/jobs/ftjob-1", SECRET),
        ("POST /v1/fine_tuning/jobs/ftjob-1/cancel", SECRET),
        ("GET /v1/fine_tuning/jobs/ftjob-1/events", SECRET),
        ("GET POST DELETE /v1/vector_stores", SECRET),
        ("POST /v1/images/generations", SECRET),
        ("GET POST /v1/organization/projects/proj_sandbox/certificates", ADMIN),
        ("POST /v1/organization/certificates/activate", ADMIN),
    ],
)
def test_request_is_501_when_call_is_not_served(api: Api, calls: str, key: str) -> None:
    *methods, path = calls.split()
    for method in methods:
        status, body = error(api.call(method, path, key))
        assert (status, body["code"]) == (501, "not_implemented")
        assert body["message"] == f"The sandbox does not serve this call yet: {method} {path}"
        assert error(api.call(method, path, None))[0] == 401
        assert error(api.call(method, path, ADMIN if key == SECRET else SECRET))[0] in (401, 403)


def test_journal_lists_calls_that_are_not_served(api: Api, sandbox: Any) -> None:
    api.call("POST", "/v1/files", SECRET)
    api.call("GET", "/v1/files", SECRET)
    entries = [(entry["label"], entry["effect"], entry["status"]) for entry in sandbox.journal("inference")]
    assert entries == [("create_file", "write", 501), ("list_files", "read", 501)]


def test_error_names_missing_scope_when_key_is_restricted(api: Api) -> None:
    restricted = "sk-proj-restricted00000000000000000000000006"
    message = error(api.call("POST", "/v1/files", restricted))[1]["message"]
    assert "Missing scopes: api.files.write. " in message
