# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of fault injection."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests

from sandbox import client
from support.servers.process import wait_for


def test_latency_delays_the_request(sandbox, ping):
    sandbox.fault(kind="latency", seconds=0.5)
    assert requests.get(ping).elapsed.total_seconds() >= 0.5


def test_delayed_request_has_no_effect_when_the_sandbox_was_reset(sandbox, artifactory):
    sandbox.fault(kind="latency", seconds=0.5)
    with ThreadPoolExecutor() as pool:
        late = pool.submit(artifactory.delete, "/generic-local/app")
        wait_for(lambda: sandbox.faults()[0]["matched"] == 1, "the request")
        sandbox.reset()
        with pytest.raises(requests.ConnectionError, match="reset by peer"):
            late.result()
    assert artifactory.get("/api/storage/generic-local/app").status_code == 200


def test_status_is_returned_without_calling_the_service(sandbox, artifactory):
    sandbox.fault(kind="status", method="delete", status=503, headers={"Retry-After": 7}, body="come back later")
    answer = artifactory.delete("/generic-local/app")
    assert (answer.status_code, answer.headers["Retry-After"], answer.text) == (503, "7", "come back later")
    assert artifactory.get("/api/storage/generic-local/app").status_code == 200


def test_reset_before_does_not_call_the_service(sandbox, artifactory):
    sandbox.fault(kind="reset_before", method="DELETE")
    with pytest.raises(requests.ConnectionError, match="reset by peer"):
        artifactory.delete("/generic-local/app")
    assert artifactory.get("/api/storage/generic-local/app").status_code == 200


def test_reset_after_calls_the_service(sandbox, artifactory):
    sandbox.fault(kind="reset_after", method="DELETE")
    with pytest.raises(requests.ConnectionError, match="reset by peer"):
        artifactory.delete("/generic-local/app")
    assert artifactory.get("/api/storage/generic-local/app").status_code == 404


def test_truncate_sends_less_than_content_length(sandbox, artifactory):
    whole = artifactory.get("/api/repositories").content
    sandbox.fault(kind="truncate")
    with pytest.raises(requests.exceptions.ChunkedEncodingError, match=f"{len(whole) // 2} bytes read"):
        artifactory.get("/api/repositories")


def test_body_replaces_body_and_headers_only(sandbox, artifactory):
    sandbox.fault(kind="body", body="<html>", headers={"Content-Type": "text/html"})
    answer = artifactory.get("/api/repositories")
    assert (answer.status_code, answer.text, answer.headers["Content-Type"]) == (200, "<html>", "text/html")
    assert answer.headers["Cache-Control"] == "no-store"


def test_nth_and_times_select_requests(sandbox, ping):
    sandbox.fault(kind="status", status=500, nth=2, times=2)
    assert [requests.get(ping).status_code for _unused in range(5)] == [200, 500, 500, 200, 200]


def test_fault_applies_to_all_requests_when_times_is_0(sandbox, ping):
    sandbox.fault(kind="status", status=500, nth=2, times=0)
    assert [requests.get(ping).status_code for _unused in range(4)] == [200, 500, 500, 500]
    sandbox.clear_faults()
    assert requests.get(ping).status_code == 200


def test_single_fault_is_removed(sandbox, ping):
    first, second = (sandbox.fault(kind="status", status=status, times=0) for status in (501, 502))
    sandbox.clear_fault(first["id"])
    assert requests.get(ping).status_code == 502
    for id in (first["id"], 99):
        with pytest.raises(client.SandboxError, match=f"404.*Fault {id} does not exist"):
            sandbox.clear_fault(id)
    sandbox.clear_faults()
    assert sandbox.fault(kind="truncate")["id"] > second["id"]  # IDs are not reused.


def test_only_matching_requests_count(sandbox, ping, artifactory):
    sandbox.fault(kind="status", status=500, service="artifact", method="GET", path="/api/repositories$")
    assert requests.get(ping).status_code == 200
    assert artifactory.get("/api/repositories/generic-local").status_code == 200
    assert artifactory.get("/api/repositories").status_code == 500
    assert sandbox.faults()[0]["matched"] == 1


@pytest.mark.parametrize("kind", ["status", "reset_before", "latency", "reset_after"])
def test_fault_applies_to_a_label(sandbox, artifactory, kind):
    sandbox.fault(kind=kind, label="delete_item", status=500, seconds=0.2)
    assert artifactory.get("/api/storage/generic-local/app").status_code == 200
    began = time.perf_counter()
    try:
        artifactory.delete("/generic-local/app")
    except requests.ConnectionError:
        assert kind in ("reset_before", "reset_after")
    assert kind != "latency" or time.perf_counter() - began > 0.2
    acted = artifactory.get("/api/storage/generic-local/app").status_code == 404
    assert acted == (kind in ("latency", "reset_after"))
    assert sandbox.faults()[0]["matched"] == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "fire"},
        {"kind": "status"},
        {"kind": "status", "status": 999},
        {"kind": "status", "status": "500"},
        {"kind": "status", "status": 500, "path": "("},
        {"kind": "status", "status": 500, "body": {"not": "text"}},
        {"kind": "status", "status": 500, "service": "artefact"},
        {"kind": "truncate", "times": True},
        {"kind": "latency"},
        {"kind": "latency", "seconds": "1"},
        {"kind": "truncate", "effect": "append"},
        {"kind": "truncate", "for_seconds": 0},
        {"kind": "truncate", "for_seconds": float("nan")},
        {},
    ],
)
def test_invalid_fault_is_rejected(sandbox, fields):
    with pytest.raises(client.SandboxError, match="400"):
        sandbox.fault(**fields)


def test_fault_applies_to_an_effect(sandbox, artifactory):
    sandbox.fault(kind="status", status=500, effect="write", times=0)
    aql = {"data": "items.find()", "headers": {"Content-Type": "text/plain"}}
    assert artifactory.post("/api/search/aql", **aql).status_code == 200
    assert artifactory.put("/generic-local/new.txt", data=b"new").status_code == 500
    assert artifactory.get("/api/storage/generic-local/new.txt").status_code == 404


def test_fault_ends_by_the_clock(sandbox, ping):
    fault = sandbox.fault(kind="status", status=500, for_seconds=60)
    assert fault["times"] == 0
    assert fault["expires"] == pytest.approx(sandbox.clock()["now"] + 60, abs=5)
    assert [requests.get(ping).status_code for _unused in range(3)] == [500] * 3
    sandbox.clock(advance=60)
    assert requests.get(ping).status_code == 200
    assert sandbox.faults() == []


def upload(sandbox: client.Sandbox) -> requests.Response:
    bearer = {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}"}
    return requests.put(f"{sandbox.url}/artifactory/generic-local/new.txt", b"new", headers=bearer)


def create_token(sandbox: client.Sandbox) -> requests.Response:
    bearer = {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}"}
    return requests.post(f"{sandbox.url}/access/api/v1/tokens", headers=bearer)


def create_job(sandbox: client.Sandbox) -> requests.Response:
    login = (sandbox.environment["JENKINS_USER_ID"], sandbox.environment["JENKINS_API_TOKEN"])
    headers = {"Content-Type": "application/xml"}
    return requests.post(f"{sandbox.url}/ci/createItem?name=new", b"<project/>", auth=login, headers=headers)


def create_group(sandbox: client.Sandbox) -> requests.Response:
    _host, _port, user, token = Path(sandbox.environment["KLOCWORK_LTOKEN"]).read_text().splitlines()[0].split(";")
    form = {"user": user, "ltoken": token, "action": "create_group", "name": "new"}
    return requests.post(f"{sandbox.url}/analysis/review/api", form)


def create_project(sandbox: client.Sandbox) -> requests.Response:
    bearer = {"Authorization": f"Bearer {sandbox.environment['OPENAI_ADMIN_KEY']}"}
    return requests.post(f"{sandbox.url}/inference/v1/organization/projects", json={"name": "new"}, headers=bearer)


WRITES = (upload, create_token, create_job, create_group, create_project)
READ_ONLY = {
    upload: (403, '"message" : "Forbidden"'),
    create_token: (403, '"code" : "FORBIDDEN"'),
    create_job: (403, "The account is missing the Overall/Administer permission"),
    create_group: (403, '"status":403'),
    create_project: (401, "Missing scopes: api.management.write"),
}
EXPIRED = {
    upload: "Token failed verification: expired",
    create_token: '"code" : "UNAUTHORIZED"',
    create_job: "HTTP ERROR 401 Unauthorized",
    create_group: '"status":401',
    create_project: "invalid_api_key",
}


@pytest.mark.parametrize("write", WRITES)
def test_preset_has_the_responses_of_the_service(sandbox, write):
    sandbox.fault_preset("read_only_account")
    refused = write(sandbox)
    status, text = READ_ONLY[write]
    assert refused.status_code == status
    assert text in refused.text
    sandbox.clear_faults()
    sandbox.fault_preset("expired_token")
    refused = write(sandbox)
    assert refused.status_code == 401
    assert EXPIRED[write] in refused.text
    sandbox.clear_faults()
    sandbox.fault_preset("unavailable")
    assert write(sandbox).status_code == 503
    sandbox.clock(advance=60)
    assert write(sandbox).ok


def test_reads_work_when_the_account_is_read_only(sandbox, artifactory):
    sandbox.fault_preset("read_only_account")
    assert artifactory.get("/api/repositories").status_code == 200
    login = (sandbox.environment["JENKINS_USER_ID"], sandbox.environment["JENKINS_API_TOKEN"])
    assert requests.get(f"{sandbox.url}/ci/api/json", auth=login).status_code == 200


def test_uploads_fail_when_the_disk_is_full(sandbox, artifactory):
    sandbox.fault_preset("disk_full")
    refused = upload(sandbox)
    assert refused.status_code == 413
    assert refused.json()["errors"][0]["message"].startswith("Datastore disk usage is too high.")
    assert artifactory.get("/generic-local/app/README.txt").status_code == 200
    assert artifactory.post("/api/search/aql", data="items.find()").status_code == 200


@pytest.mark.parametrize("base", ["/v2/docker-local", "/artifactory/api/docker/docker-local/v2"])
def test_presets_have_the_errors_of_the_docker_registry(sandbox, base):
    def send(method: str, path: str) -> tuple[int, dict[str, Any]]:
        bearer = {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}"}
        response = requests.request(method, f"{sandbox.url}{base}{path}", headers=bearer)
        return response.status_code, response.json()["errors"][0] if response.content else {}

    def describe(code: str, message: str) -> dict[str, Any]:
        return {"code": code, "message": message}

    sandbox.fault_preset("expired_token")
    expired = 401, describe("UNAUTHORIZED", "Token failed verification: expired")
    assert send("GET", "/app/tags/list") == send("POST", "/app/blobs/uploads/") == expired
    sandbox.clear_faults()
    sandbox.fault_preset("read_only_account")
    denied = 403, describe("DENIED", "requested access to the resource is denied")
    assert send("POST", "/app/blobs/uploads/") == send("PUT", "/app/manifests/1") == denied
    assert send("GET", "/app/tags/list")[1]["code"] == "NAME_UNKNOWN"
    sandbox.clear_faults()
    sandbox.fault_preset("disk_full")
    uploads = (("POST", "/app/blobs/uploads/"), ("PATCH", "/app/blobs/uploads/1"), ("PUT", "/app/manifests/1"))
    for method, path in uploads:
        assert send(method, path)[0] == 413
    assert send("DELETE", "/app/manifests/1")[0] == 404


def test_preset_is_limited_to_a_service(sandbox, ping):
    faults = sandbox.fault_preset("slow_network", service="artifact", seconds=0.2)
    assert [(fault["service"], fault["seconds"], fault["times"]) for fault in faults] == [("artifact", 0.2, 0)]
    began = time.perf_counter()
    requests.get(ping)
    assert time.perf_counter() - began > 0.2


def test_unknown_preset_is_rejected(sandbox):
    presets = sandbox.call("GET", "faults/presets")["presets"]
    assert presets["disk_full"] == {"title": "Disk full", "services": ["artifact"]}
    assert presets["slow_network"]["services"] == ["artifact", "ci", "review", "inference"]
    with pytest.raises(client.SandboxError, match=r"404.*Unknown preset 'fire'. Use one of: unavailable"):
        sandbox.fault_preset("fire")
    with pytest.raises(client.SandboxError, match=r"400.*'disk_full' does not exist for the service 'ci'"):
        sandbox.fault_preset("disk_full", service="ci")
    assert sandbox.faults() == []
