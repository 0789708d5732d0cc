# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the journal."""

from __future__ import annotations

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NoReturn
from urllib.parse import quote

import pytest
import requests

from sandbox import client
from sandbox.control.recording import Recording
from support.servers.process import wait_for


def test_entry_describes_request_and_response(sandbox, artifactory):
    sandbox.clear_journal()
    artifactory.get("/api/storage/generic-local/a%20b?properties=x")
    artifactory.put("/generic-local/new.txt", data=b"new")
    first, second = sandbox.journal()
    assert {name: first[name] for name in ("n", "service", "method", "path", "query", "effect", "status")} == {
        "n": 1,
        "service": "artifact",
        "method": "GET",
        "path": "/artifactory/api/storage/generic-local/a%20b",
        "query": "properties=x",
        "effect": "read",
        "status": 404,
    }
    assert (second["label"], second["effect"], second["status"]) == ("deploy_file", "write", 201)
    assert first["milliseconds"] > 0 and abs(first["time"] - time.time()) < 60


def test_entries_are_filtered_by_service(sandbox, ping):
    requests.get(ping)
    requests.get(f"{sandbox.url}/inference/v1/models")
    assert [entry["service"] for entry in sandbox.journal()] == ["artifact", "inference"]
    assert [entry["service"] for entry in sandbox.journal("inference")] == ["inference"]


def test_entries_are_read_from_a_number(sandbox, ping):
    for number in range(4):
        requests.get(f"{ping}?number={number}")

    def read(query):
        page = sandbox.call("GET", f"journal?{query}")
        return page["began"], [entry["query"][-1] for entry in page["requests"]]

    began, numbers = read("after=1")
    assert numbers == ["1", "2", "3"]
    assert read("after=4") == (began, [])
    assert read("last=2") == read("after=1&last=2") == (began, ["2", "3"])
    assert read("service=ci&after=1") == (began, [])
    sandbox.clear_journal()
    assert read("after=4")[0] > began
    with pytest.raises(client.SandboxError, match=r"400.*after must be a number, not '-1'"):
        read("after=-1")


def test_status_is_null_when_the_connection_was_reset(sandbox, ping):
    sandbox.fault(kind="reset_before")
    with pytest.raises(requests.ConnectionError):
        requests.get(ping)
    assert [entry["status"] for entry in sandbox.journal()] == [None]


def test_entries_contain_no_secrets(sandbox, ping):
    query = "token=s3cret&api_key=s3cret&refresh_token=s3cret&Jenkins-Crumb=s3cret&token_id=7"
    requests.get(f"{ping}?{query}", headers={"Authorization": "Bearer s3cret"})
    assert "s3cret" not in str(sandbox.journal())
    assert sandbox.journal()[0]["query"].endswith("&token_id=7")


def test_entries_contain_no_secrets_in_other_forms(sandbox):
    variables = sandbox.environment
    ltoken = Path(variables["KLOCWORK_LTOKEN"]).read_text().splitlines()[0].split(";")[3]
    known = ["s3cret", ltoken, sandbox.secret, variables["JENKINS_API_TOKEN"], variables["JFROG_ACCESS_TOKEN"]]
    document = quote(json.dumps({"password": "s3cret"}))
    requests.get(f"{sandbox.url}/ci/api/json?AWS_ACCESS_KEY=s3cret&PASSWORD2=s3cret&depth=1")
    requests.get(f"{sandbox.url}/artifactory/r/f.txt;api_key=s3cret;color=red?q={'&q='.join(known[1:])}")
    requests.get(f"{sandbox.url}/artifactory/r/{ltoken}/f.txt?json={document}")
    entries = sandbox.journal()
    served = json.dumps([*entries, *(sandbox.journal_entry(entry["n"]) for entry in entries)])
    assert [secret for secret in known if secret in served] == []
    assert entries[0]["query"].endswith("&depth=1") and ";color=red" in entries[1]["path"]


def test_request_is_not_recorded_when_the_journal_was_cleared_meanwhile(sandbox, ping):
    sandbox.fault(kind="latency", seconds=0.5, service="artifact")
    with ThreadPoolExecutor() as pool:
        slow = pool.submit(requests.get, ping)
        wait_for(lambda: sandbox.faults()[0]["matched"] == 1, "the request")
        sandbox.clear_journal()
        assert slow.result().status_code == 200
    assert sandbox.journal() == []
    requests.get(ping)
    assert [entry["n"] for entry in sandbox.journal()] == [1]


def test_long_path_and_query_are_cut(sandbox, ping):
    requests.get(f"{ping}/{'a/' * 3000}?{'x=1&' * 2000}")
    requests.get(f"{ping}?q={'secret' * 1000}")
    first, second = sandbox.journal()
    assert first["path"].endswith("/a/[...]") and len(first["path"]) <= 4101
    assert first["query"] == "x=1&" * 1024 + "[...]"
    assert second["query"] == "q=[...]"
    assert len(sandbox.journal_entry(1)["curl"]) > 14000


def test_targets_count_as_memory_of_recordings():
    async def fail(*_message: object) -> NoReturn:
        raise AssertionError

    scope = {"raw_path": b"/" * 1000, "query_string": b"x" * 1000, "headers": [], "server": ("localhost", 1)}
    scope["sandbox.transport"] = asyncio.Transport({"peername": ("localhost", 2)})
    assert Recording(scope, fail, fail).finish() == 2001
