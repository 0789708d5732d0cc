# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sandbox's core: control API, faults, journal, state, start and end."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests
import yaml

from sandbox import client

EXTENSIONS = Path(client.__file__).parent.parent


@pytest.fixture
def ping(sandbox: client.Sandbox) -> str:
    """A plain read that any sandbox answers."""
    return f"{sandbox.url}/access/api/v1/system/ping"


def test_health_needs_no_secret_and_everything_else_does(sandbox):
    health = requests.get(f"{sandbox.url}/_sandbox/health")
    assert health.json() == {"status": "ok", "services": ["artifact", "ci", "review", "inference"]}
    for secret in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": sandbox.secret}):
        assert requests.get(f"{sandbox.url}/_sandbox/journal", headers=secret).status_code == 401


def test_paths_outside_the_services_are_404_in_json(sandbox):
    answer = requests.get(f"{sandbox.url}/artifactoryish")
    assert (answer.status_code, answer.json()) == (404, {"error": "Nothing is served at /artifactoryish"})


def test_a_wrong_proxy_in_the_environment_does_not_come_between(sandbox, monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    client.Sandbox(sandbox.url, sandbox.secret).clear_journal()


def test_environment_names_every_service(sandbox):
    assert sandbox.environment["JFROG_URL"] == sandbox.url
    assert sandbox.environment["JFROG_ACCESS_TOKEN"]


def test_reset_forgets_switches_clock_faults_and_journal_quickly(sandbox, ping):
    sandbox.switch("artifact", anonymous=True)
    sandbox.clock(advance=3600)
    sandbox.fault(kind="status", status=500)
    requests.get(ping)
    began = time.perf_counter()
    sandbox.reset()
    took = time.perf_counter() - began
    assert sandbox.switches()["artifact"]["anonymous"] is False
    assert abs(sandbox.clock()["now"] - time.time()) < 5
    assert sandbox.faults() == sandbox.journal() == []
    assert took < 0.25  # 50 ms on a quiet machine


def test_seed_adds_and_can_forget_first(sandbox, artifactory):
    repository = {"artifact": {"repositories": [{"key": "extra-local", "rclass": "local", "packageType": "generic"}]}}
    sandbox.seed(repository)
    keys = [entry["key"] for entry in artifactory.get("/api/repositories").json()]
    assert "extra-local" in keys and "generic-local" in keys
    users = {"users": [{"name": "admin", "password": "sandbox-admin", "admin": True}]}
    sandbox.seed({"artifact": {**users, **repository["artifact"]}}, reset=True)
    answer = requests.get(f"{sandbox.url}/artifactory/api/repositories", auth=("admin", "sandbox-admin"))
    assert [entry["key"] for entry in answer.json()] == ["extra-local"]


def test_a_seed_may_be_yaml(sandbox, artifactory):
    seed = "artifact:\n  repositories:\n    - {key: yaml-local, rclass: local, packageType: generic}\n"
    answer = requests.post(f"{sandbox.url}/_sandbox/seed", seed, headers={"Authorization": f"Bearer {sandbox.secret}"})
    assert answer.status_code == 200
    assert artifactory.get("/api/repositories/yaml-local").status_code == 200


def test_a_seed_with_an_unknown_section_is_refused(sandbox):
    with pytest.raises(client.SandboxError, match=r"400.*seed\.artefact is unknown"):
        sandbox.seed({"artefact": {}})


@pytest.mark.parametrize(
    ("seed", "complaint"),
    [
        ([1], "seed must be an object"),
        ({"artifact": {"users": 5}}, r"seed\.artifact\.users must be a list"),
        ({"artifact": {"users": [{"name": "a"}, {"nam": "b"}]}}, r"seed\.artifact\.users\[1\]\.nam is unknown.*name"),
        ({"artifact": {"users": [{"password": "x"}]}}, r"seed\.artifact\.users\[0\]\.name is missing"),
        (
            {"artifact": {"repositories": [{"key": "a", "rclass": "b"}]}},
            r"seed\.artifact cannot be used: No valid",
        ),
        ({"ci": {"jobs": [{"name": "a", "builds": [{"second": 1}]}]}}, r"seed\.ci\.jobs\[0\]\.builds\[0\]\.second"),
        ({"review": {"views": [{"name": "a"}]}}, r"seed\.review\.views is unknown"),
        ({"inference": {"models": [{"id": "a"}]}}, r"seed\.inference\.models\[0\]\.created is missing"),
    ],
)
def test_what_is_wrong_with_a_seed_is_said_by_its_path(sandbox, artifactory, seed, complaint):
    with pytest.raises(client.SandboxError, match=f"400.*{complaint}"):
        sandbox.seed(seed)
    assert artifactory.get("/api/repositories/generic-local").status_code == 200


def test_a_reset_forgets_contents(tmp_path):
    with client.start(state=tmp_path) as sandbox:
        bearer = {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}"}
        before = set((tmp_path / "files").rglob("*"))
        for content in (b"one", b"two"):
            requests.put(f"{sandbox.url}/artifactory/generic-local/x", content, headers=bearer).raise_for_status()
        assert set((tmp_path / "files").rglob("*")) > before
        sandbox.reset()
        assert set((tmp_path / "files").rglob("*")) == before
        read = requests.get(f"{sandbox.url}/artifactory/generic-local/app/README.txt", headers=bearer)
        assert read.text == "Releases of app"


def test_the_clock_can_be_moved_and_stopped(sandbox):
    assert sandbox.clock(set=1_000_000)["now"] == pytest.approx(1_000_000, abs=5)
    assert sandbox.clock(advance=500)["now"] == pytest.approx(1_000_500, abs=5)
    stopped = sandbox.clock(frozen=True)["now"]
    time.sleep(0.02)
    assert sandbox.clock() == pytest.approx({"now": stopped, "offset": stopped - time.time(), "frozen": True}, abs=1)
    assert sandbox.clock(advance=1)["now"] == pytest.approx(stopped + 1)
    with pytest.raises(client.SandboxError, match="400"):
        sandbox.clock(forward=1)


@pytest.mark.parametrize(
    ("service", "values", "complaint"),
    [
        ("artifact", {"colour": "red"}, "no switch 'colour'"),
        ("artifact", {"anonymous": "yes"}, "takes a bool"),
        ("nothing", {}, "no service 'nothing'"),
    ],
)
def test_wrong_switches_are_refused(sandbox, service, values, complaint):
    with pytest.raises(client.SandboxError, match=f"400.*{complaint}"):
        sandbox.switch(service, **values)


class TestFaults:
    def test_latency(self, sandbox, ping):
        sandbox.fault(kind="latency", seconds=0.3)
        began = time.perf_counter()
        assert requests.get(ping).status_code == 200
        assert 0.3 <= time.perf_counter() - began < 2
        assert requests.get(ping).elapsed.total_seconds() < 0.3

    def test_status_is_answered_without_the_service(self, sandbox, artifactory):
        sandbox.fault(kind="status", method="delete", status=503, headers={"Retry-After": 7}, body="come back later")
        answer = artifactory.delete("/generic-local/app")
        assert (answer.status_code, answer.headers["Retry-After"], answer.text) == (503, "7", "come back later")
        assert artifactory.get("/api/storage/generic-local/app").status_code == 200

    def test_reset_before_the_service_saw_the_request(self, sandbox, artifactory):
        sandbox.fault(kind="reset_before", method="DELETE")
        with pytest.raises(requests.ConnectionError, match="reset by peer"):
            artifactory.delete("/generic-local/app")
        assert artifactory.get("/api/storage/generic-local/app").status_code == 200

    def test_reset_after_the_service_acted(self, sandbox, artifactory):
        sandbox.fault(kind="reset_after", method="DELETE")
        with pytest.raises(requests.ConnectionError, match="reset by peer"):
            artifactory.delete("/generic-local/app")
        assert artifactory.get("/api/storage/generic-local/app").status_code == 404

    def test_truncate_announces_more_than_it_sends(self, sandbox, artifactory):
        whole = artifactory.get("/api/repositories").content
        sandbox.fault(kind="truncate")
        with pytest.raises(requests.exceptions.ChunkedEncodingError, match=f"{len(whole) // 2} bytes read"):
            artifactory.get("/api/repositories")

    def test_body_replaces_body_and_headers_only(self, sandbox, artifactory):
        sandbox.fault(kind="body", body="<html>", headers={"Content-Type": "text/html"})
        answer = artifactory.get("/api/repositories")
        assert (answer.status_code, answer.text, answer.headers["Content-Type"]) == (200, "<html>", "text/html")
        assert answer.headers["Cache-Control"] == "no-store"

    def test_nth_and_times(self, sandbox, ping):
        sandbox.fault(kind="status", status=500, nth=2, times=2)
        assert [requests.get(ping).status_code for _unused in range(5)] == [200, 500, 500, 200, 200]

    def test_times_0_means_always(self, sandbox, ping):
        sandbox.fault(kind="status", status=500, nth=2, times=0)
        assert [requests.get(ping).status_code for _unused in range(4)] == [200, 500, 500, 500]
        sandbox.clear_faults()
        assert requests.get(ping).status_code == 200

    def test_only_matching_requests_count(self, sandbox, ping, artifactory):
        sandbox.fault(kind="status", status=500, service="artifact", method="GET", path="/api/repositories$")
        assert requests.get(ping).status_code == 200
        assert artifactory.get("/api/repositories/generic-local").status_code == 200
        assert artifactory.get("/api/repositories").status_code == 500
        assert sandbox.faults()[0]["matched"] == 1

    @pytest.mark.parametrize("kind", ["status", "reset_before", "latency", "reset_after"])
    def test_a_fault_can_be_bound_to_the_name_of_a_call(self, sandbox, artifactory, kind):
        sandbox.fault(kind=kind, label="delete_item", status=500, seconds=0.2)
        assert artifactory.get("/api/storage/generic-local/app").status_code == 200
        began = time.perf_counter()
        try:
            artifactory.delete("/generic-local/app")
        except requests.ConnectionError:
            assert kind in ("reset_before", "reset_after")
        assert (time.perf_counter() - began > 0.2) == (kind == "latency")
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
            {},
        ],
    )
    def test_nonsense_is_refused(self, sandbox, fields):
        with pytest.raises(client.SandboxError, match="400"):
            sandbox.fault(**fields)


class TestJournal:
    def test_it_says_what_was_asked_and_answered(self, sandbox, artifactory):
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

    def test_it_can_be_read_for_one_service(self, sandbox, ping):
        requests.get(ping)
        requests.get(f"{sandbox.url}/inference/v1/models")
        assert [entry["service"] for entry in sandbox.journal()] == ["artifact", "inference"]
        assert [entry["service"] for entry in sandbox.journal("inference")] == ["inference"]

    def test_a_dropped_connection_has_no_status(self, sandbox, ping):
        sandbox.fault(kind="reset_before")
        with pytest.raises(requests.ConnectionError):
            requests.get(ping)
        assert [entry["status"] for entry in sandbox.journal()] == [None]

    def test_it_holds_no_secrets(self, sandbox, ping):
        query = "token=s3cret&api_key=s3cret&refresh_token=s3cret&Jenkins-Crumb=s3cret&token_id=7"
        requests.get(f"{ping}?{query}", headers={"Authorization": "Bearer s3cret"})
        assert "s3cret" not in str(sandbox.journal())
        assert sandbox.journal()[0]["query"].endswith("&token_id=7")


def test_request_targets_arrive_as_they_were_sent(sandbox):
    def paths_of(target: bytes) -> tuple[str, str]:
        host, port = sandbox.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(b"GET " + target + b" HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")
            while connection.recv(65536):
                pass
        entry = sandbox.journal()[-1]
        return entry["path"], entry["query"]

    assert paths_of(b"/artifactory/a%2Fb//c;d=[e]{f}|g/../h") == ("/artifactory/a%2Fb//c;d=[e]{f}|g/../h", "")
    assert paths_of(b"/artifactory/x?q=[a]{b}|c%7C?d") == ("/artifactory/x", "q=[a]{b}|c%7C?d")
    assert paths_of(b"/artifactory/x?q=" + b"y" * 65536) == ("/artifactory/x", "q=" + "y" * 65536)


def test_requests_may_be_sent_before_the_answers_are_read(sandbox):
    host, port = sandbox.url.removeprefix("http://").split(":")
    request = b"GET /access/api/v1/system/ping HTTP/1.1\r\nHost: h\r\n"
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall((request + b"\r\n") * 2 + request + b"Connection: close\r\n\r\n")
        answers = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answers.count(b"HTTP/1.1 200 OK") == 3


def test_a_slow_client_does_not_hold_up_the_others(sandbox, artifactory, ping):
    host, port = sandbox.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as slow:
        slow.sendall(
            b"PUT /artifactory/generic-local/slow.txt HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n"
            b"Authorization: " + artifactory.headers["Authorization"].encode() + b"\r\n\r\nsl"
        )
        assert requests.get(ping, timeout=2).status_code == 200
        slow.sendall(b"ow")
        assert slow.recv(65536).startswith(b"HTTP/1.1 201 ")
    assert artifactory.get("/generic-local/slow.txt").content == b"slow"


def test_connections_are_kept_alive(sandbox, ping):
    connection = http.client.HTTPConnection(sandbox.url.removeprefix("http://"))
    connection.connect()
    socket_at_first = connection.sock
    for _unused in range(3):
        connection.request("GET", ping.removeprefix(sandbox.url))
        connection.getresponse().read()
        assert connection.sock is socket_at_first
    connection.close()


def test_a_state_folder_is_found_again(tmp_path):
    with client.start(state=tmp_path) as sandbox:
        token = sandbox.environment["JFROG_ACCESS_TOKEN"]
        bearer = {"Authorization": f"Bearer {token}"}
        requests.put(f"{sandbox.url}/artifactory/generic-local/kept.txt", b"kept", headers=bearer).raise_for_status()
        requests.delete(f"{sandbox.url}/artifactory/generic-local/app", headers=bearer).raise_for_status()
        sandbox.switch("artifact", anonymous=True)
        sandbox.clock(advance=1000)
    with client.start(state=tmp_path) as sandbox:
        assert sandbox.environment["JFROG_ACCESS_TOKEN"] == token
        assert requests.get(f"{sandbox.url}/artifactory/generic-local/kept.txt").content == b"kept"
        gone = requests.get(f"{sandbox.url}/artifactory/api/storage/generic-local/app", headers=bearer)
        assert gone.status_code == 404
        assert sandbox.clock()["offset"] == pytest.approx(1000, abs=1)


def test_the_command_line(tmp_path, record_property):
    seed = tmp_path / "seed.yml"
    seed.write_text("artifact: {repositories: [{key: mine-local, rclass: local, packageType: generic}]}\n")
    began = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-m", "sandbox", "--port", "0", "--seed", str(seed)],
        cwd=EXTENSIONS,
        env={**os.environ, "SANDBOX_SECRET": "a 'quoted' secret"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        lines = []
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith("# sandbox ready at "):
                break
        took = time.perf_counter() - began
        record_property("startup_seconds", round(took, 3))
        print(f"start-up of the sandbox: {took:.3f} s")
        url = lines[-1].removeprefix("# sandbox ready at ")
        assert f"export SANDBOX_URL={url}" in lines
        assert "export SANDBOX_SECRET='a '\"'\"'quoted'\"'\"' secret'" in lines
        assert requests.get(f"{url}/_sandbox/health").status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(5) == 0
        assert process.stderr.read() == ""
    assert took < 2


def test_the_readme_is_true(sandbox):
    readme = (EXTENSIONS / "sandbox" / "README.md").read_text()
    (table,) = re.findall(r"### Switches\n(.*?)###", readme, re.DOTALL)
    for values in sandbox.switches().values():
        for name, value in values.items():
            default = json.dumps(value).strip('"') or "empty"
            assert any(f"`{name}`" in row and default in row for row in table.splitlines()), (name, default)
    for name in sandbox.environment:
        assert f"`{name}`" in readme
    (seed,) = re.findall(r"```yaml\n(.*?)```", readme, re.DOTALL)
    sandbox.seed(yaml.safe_load(seed), reset=True)


def test_what_keeps_it_from_starting_is_said_in_one_line(sandbox, tmp_path):
    seed, state = tmp_path / "seed.yml", tmp_path / "state"
    seed.write_text("artifact: {users: [{nam: admin}]}")
    state.mkdir()
    (state / "sandbox.sqlite3").write_text("not a database")
    for arguments, complaint in (
        (["--seed", str(tmp_path / "nothing.yml")], "nothing.yml"),
        (["--seed", str(seed)], "seed.artifact.users[0].nam is unknown"),
        (["--state", str(state)], "file is not a database"),
        (["--port", sandbox.url.rpartition(":")[2]], "Address already in use"),
    ):
        command = [sys.executable, "-m", "sandbox", *arguments]
        ended = subprocess.run(command, cwd=EXTENSIONS, capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1)
        assert ended.stderr.startswith("The sandbox cannot start: ")
        assert complaint in ended.stderr


@pytest.mark.parametrize(("host", "url"), [("0.0.0.0", "http://127.0.0.1:"), ("::1", "http://[::1]:")])
def test_it_listens_where_it_is_told_to(host, url):
    command = [sys.executable, "-m", "sandbox", "--host", host]
    with subprocess.Popen(command, cwd=EXTENSIONS, stdout=subprocess.PIPE, text=True) as process:
        ready = next(line for line in process.stdout if line.startswith(client.READY))
        assert ready.removeprefix(client.READY).startswith(url)
        assert requests.get(ready.removeprefix(client.READY).strip() + "/_sandbox/health").status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(5) == 0


def test_sigterm_ends_it_although_a_request_is_being_served(tmp_path):
    with client.start() as sandbox:
        sandbox.fault(kind="latency", seconds=30)
        with pytest.raises(requests.Timeout):
            requests.get(f"{sandbox.url}/artifactory/api/system/ping", timeout=0.2)
        began = time.perf_counter()
    assert time.perf_counter() - began < 5


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/ci/login", {"X-Jenkins", "X-Jenkins-Session", "X-Hudson", "Content-Type", "Set-Cookie"}),
        ("/artifactory/generic-local/app/README.txt", {"WWW-Authenticate", "X-JFrog-Version", "Content-Length"}),
        ("/inference/v1/models", {"x-request-id", "content-type"}),
    ],
)
def test_headers_are_spelt_as_the_real_servers_spell_them(sandbox: client.Sandbox, path: str, names: set[str]) -> None:
    connection = http.client.HTTPConnection(sandbox.url.removeprefix("http://"))
    connection.request("GET", path)
    with contextlib.closing(connection):
        assert names <= set(dict(connection.getresponse().getheaders()))
