# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the details in the journal: filters, headers and bodies, commands of curl, replay."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests

from sandbox import client
from sandbox.control import journal
from sandbox.control.masking import Masker
from sandbox.control.recording import MAX_BODY_SIZE
from sandbox.http.app import App
from sandbox.sandbox import Sandbox
from support.servers.process import wait_for
from support.work import run_within

ODD_TEXT = '@it\'s "quoted" $HOME `id` \\n\n<script>alert(1)</script> prüfung 🔧'
PASSWORD = "Hidden-Passw0rd"
FORM = "application/x-www-form-urlencoded"


def read_last(sandbox: client.Sandbox) -> dict[str, Any]:
    """Return the details of the latest request."""
    return sandbox.journal_entry(sandbox.journal()[-1]["n"])


def run_curl(sandbox: client.Sandbox, command: str, folder: Path, **variables: str) -> int:
    """Run a command in bash, and return the status of the response."""
    environment = {**os.environ, **sandbox.environment, **variables}
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, check=True)
    return int(done.stdout.split()[1])


def test_details_contain_headers_and_bodies(sandbox, artifactory):
    query = 'items.find({"repo": "generic-local"})'
    response = artifactory.post("/api/search/aql", data=query, headers={"Content-Type": "text/plain", "X-Odd": "a: b"})
    details = read_last(sandbox)
    assert ["x-odd", "a: b"] in details["request"]["headers"]
    assert details["request"]["body"] == {"size": len(query), "text": query, "is_truncated": False}
    assert ["Content-Type", "application/json"] in details["response"]["headers"]
    assert details["response"]["body"]["text"] == response.text
    assert details["label"] and details["status"] == 200


def test_unknown_entry_is_not_found(sandbox):
    with pytest.raises(client.SandboxError, match=r"404.*does not contain request 7"):
        sandbox.journal_entry(7)


def test_long_and_binary_bodies_are_limited(sandbox, artifactory):
    artifactory.put("/generic-local/long.txt", data="é" * MAX_BODY_SIZE)
    body = read_last(sandbox)["request"]["body"]
    assert (body["size"], body["is_truncated"], body["text"]) == (2 * MAX_BODY_SIZE, True, "é" * (MAX_BODY_SIZE // 2))
    artifactory.put("/generic-local/data.bin", data=b"\0\xff" * MAX_BODY_SIZE)
    assert read_last(sandbox)["request"]["body"] == {"size": 2 * MAX_BODY_SIZE, "text": None, "is_truncated": True}
    artifactory.get("/generic-local/data.bin")
    wait_for(lambda: len(sandbox.journal()) == 3, "the end of the download")
    assert read_last(sandbox)["response"]["body"] == {"size": 2 * MAX_BODY_SIZE, "text": None, "is_truncated": True}


def test_streamed_response_is_recorded(sandbox):
    variables = sandbox.environment
    message = {"model": "gpt-4o", "stream": True, "messages": [{"role": "user", "content": "hello"}]}
    bearer = {"Authorization": f"Bearer {variables['OPENAI_API_KEY']}"}
    response = requests.post(f"{variables['OPENAI_BASE_URL']}/chat/completions", json=message, headers=bearer)
    body = read_last(sandbox)["response"]["body"]
    assert body["text"] == response.text
    assert body["text"].endswith("data: [DONE]\n\n")


def test_body_is_recorded_when_a_fault_replaces_the_response(sandbox, artifactory):
    sandbox.fault(kind="status", status=503)
    artifactory.post("/api/search/aql", data="items.find()", headers={"Content-Type": "text/plain"})
    assert read_last(sandbox)["request"]["body"]["text"] == "items.find()"


def test_late_bodies_are_recorded(sandbox):
    """Send two bodies over one connection, each after the response."""
    connection = http.client.HTTPConnection(sandbox.url.removeprefix("http://"))
    for _repetition in range(2):
        connection.putrequest("PUT", "/artifactory/generic-local/late.txt")
        connection.putheader("Content-Length", "4")
        connection.endheaders()
        response = connection.getresponse()
        assert response.status == 401 and response.read()
        connection.send(b"late")
    connection.close()
    wait_for(lambda: read_last(sandbox)["request"]["body"]["text"] == "late", "the body")
    assert len(sandbox.journal()) == 2


def test_server_waits_for_a_late_body_only_after_it_sent_the_whole_response(tmp_path):
    sandbox = Sandbox(tmp_path)
    sent, sent_before_waiting = bytearray(), []

    async def receive():
        sent_before_waiting.append(bytes(sent))
        return {"type": "http.request", "body": b"late"}

    async def send(message):
        sent.extend(message.get("body", b""))

    path = "/artifactory/generic-local/late.txt"
    scope = {
        "type": "http",
        "method": "PUT",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1"), (b"content-length", b"4")],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "sandbox.transport": asyncio.BaseTransport(),
    }
    asyncio.run(App(sandbox, "secret", {})(scope, receive, send))
    entry = sandbox.journal.find(1)
    sandbox.runtime.close()
    assert (entry.status, entry.recording.request_body.start) == (401, b"late")
    assert b"errors" in sent and sent_before_waiting == [sent]


def test_response_is_null_when_the_connection_was_reset(sandbox, ping):
    sandbox.fault(kind="reset_before")
    with pytest.raises(requests.ConnectionError):
        requests.get(ping)
    assert read_last(sandbox)["response"] is None


def test_oldest_recordings_are_discarded_when_they_need_too_much_memory(monkeypatch):
    monkeypatch.setattr(journal, "MAX_MEMORY", 5)
    log = journal.RequestLog()
    fields = dict.fromkeys(("time", "service", "method", "label", "effect", "status", "milliseconds"))
    recordings = [FakeRecording() for _ in range(4)]
    for recording in recordings:
        log.finish(log.append(path="/", query="", recording=recording, **fields))
    assert [entry.recording for entry in log.entries] == [None, None, *recordings[2:]]


class FakeRecording:
    def finish(self) -> int:
        return 2


def test_entries_are_filtered_and_paged(sandbox, ping, artifactory):
    for number in range(10):
        requests.get(f"{ping}?number={number}")
    artifactory.put("/generic-local/Written.txt", data=b"x")
    artifactory.get("/missing/x")

    def read(query: str) -> list[int]:
        return [entry["n"] for entry in sandbox.call("GET", f"journal?{query}")["requests"]]

    assert read("before=5&last=2") == [3, 4]
    assert read("before=3&after=1") == [2]
    assert read("effect=write") == read("method=PUT") == read("text=written") == read("status=201") == [11]
    assert read("status=4") == [12]
    assert read("status=none") == []
    assert read("text=NUMBER%3D7") == [8]
    assert read("service=artifact&status=2&last=1") == [11]
    assert sandbox.call("GET", "journal?last=1")["total"] == 12


@pytest.mark.parametrize(
    ("text", "content_type"),
    [
        (json.dumps({"password": PASSWORD, "a": [{"apiKey": PASSWORD, "access_token": PASSWORD}]}), "application/json"),
        (json.dumps({"config": json.dumps({"password": PASSWORD})}), "application/json"),
        (json.dumps({"name": "DB_PASSWORD", "value": PASSWORD}), "application/json"),
        (f'{{"password": "{PASSWORD}', "application/json"),  # truncated
        ('{"password": 1234567890123}', "application/json"),
        (json.dumps({"secretKey": PASSWORD, "secret_key": PASSWORD, "licenseKey": PASSWORD}), "application/json"),
        (f"DB_PWD={PASSWORD}&license-key={PASSWORD}&AWS_SECRET_KEY={PASSWORD}", FORM),
        (f"<a><password>{PASSWORD}</password><b privateKey='{PASSWORD}'/></a>", "application/xml"),
        (f"<p><name>A_TOKEN</name><defaultValue>{PASSWORD}</defaultValue></p>", "application/xml"),
        (f"name=bob&password={PASSWORD}&json=%7B%22password1%22%3A+%22{PASSWORD}%22%7D", FORM),
        (f"user:\n  password: {PASSWORD}\n  secret: |\n    {PASSWORD}\n    {PASSWORD}\n", "application/yaml"),
        (f"- - password: {PASSWORD}\n- secret: |\n    {PASSWORD}\n", "application/yaml"),
        (f'--x\r\nContent-Disposition: form-data; name="password"\r\n\r\n{PASSWORD}\r\n--x--', "multipart/form-data"),
        (f"-----BEGIN RSA PRIVATE KEY-----\n{PASSWORD}\n-----END RSA PRIVATE KEY-----", "text/plain"),
        (f"https://a.example/?token={PASSWORD}#x", "text/plain"),
        (f"Authorization: Bearer {PASSWORD}", "text/plain"),
        ("eyJhbGciOi.eyJ1234567890123.abc cmVmdDoxMjM0NTY3ODkwMTIz", "text/plain"),
        ("AKCp1234567890123 sk-proj-1234567890123", "text/plain"),
        ("110123456789abcdef0123456789abcdef", "text/plain"),
    ],
)
def test_secrets_are_masked_by_their_form(text, content_type):
    masked = Masker([]).mask_body(text, content_type)
    assert PASSWORD not in masked
    assert "1234567890123" not in masked
    assert "***" in masked


@pytest.mark.parametrize(
    "text", ['{"total_tokens": 12, "token_type": "Bearer", "token_id": "abc"}', "<id>token</id>", "sort=name&key=libs"]
)
def test_other_values_are_not_masked(text):
    assert Masker([]).mask_body(text, FORM) == text


@pytest.mark.parametrize("known", ["plain-known", "odd/known?&=", 'quoted "known"', "pr%C3%BC known"])
def test_known_secrets_are_masked_in_each_encoding(known):
    forms = [known, requests.utils.quote(known, safe=""), json.dumps({"x": known}), f"<x>{known}</x>"]
    masked = [Masker([known]).mask_text(form) for form in forms]
    assert "known" not in str(masked)


def test_known_secret_is_masked_when_the_body_is_truncated_within_it():
    assert Masker(["plain-known"]).mask_body("x: plain-kno", is_truncated=True) == "x: "


def test_masking_takes_little_time_when_a_body_is_repetitive():
    masker = Masker(["plain-known"])
    pieces = (
        '"a',
        "<a",
        "a",
        "&a",
        " ",
        "name=",
        "\\",
        "-----BEGIN PRIVATE KEY",
        "password:",
        "a.b\n",
        "- " * 195 + "\n",
    )

    def mask_all():
        for piece in pieces:
            masker.mask_body(piece * (MAX_BODY_SIZE // len(piece)), FORM)

    run_within(10, mask_all)


def test_masking_takes_little_time_when_a_body_has_lines_of_dashes():
    run_within(1, lambda: Masker([]).mask_body(("-" * 390 + "\n") * 160))


def test_details_contain_no_secret_of_the_environment(sandbox, artifactory, access):
    variables = sandbox.environment
    tokens = [line.split(";")[3] for line in Path(variables["KLOCWORK_LTOKEN"]).read_text().splitlines()]
    names = ("JFROG_ACCESS_TOKEN", "JENKINS_API_TOKEN", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "SANDBOX_SESSION_TOKEN")
    known = [*(variables[name] for name in names), sandbox.secret, *tokens, "sandbox-admin", PASSWORD]
    everything = {f"x{index}": secret for index, secret in enumerate(known)}
    jenkins = (variables["JENKINS_USER_ID"], variables["JENKINS_API_TOKEN"])
    artifactory.put("/generic-local/known.json", json=everything)
    artifactory.get("/generic-local/known.json", params=everything, headers={**everything, "Cookie": f"a={PASSWORD}"})
    artifactory.put("/api/security/users/bob", json={"email": "b@example.com", "password": PASSWORD})
    requests.get(f"{sandbox.url}/ci/api/json", auth=jenkins)
    requests.get(f"{sandbox.url}/ci/crumbIssuer/api/json", auth=("admin", "sandbox-admin"))
    created = access.post("/tokens", json={"expires_in": 0}).json()
    known.append(created["access_token"])
    requests.post(f"{sandbox.url}/analysis/review/api", {"user": "admin", "ltoken": tokens[0], "action": "projects"})
    bearer = {"Authorization": f"Bearer {variables['OPENAI_API_KEY']}"}
    requests.get(f"{sandbox.url}/inference/v1/models", headers=bearer)
    entries = sandbox.journal()
    assert len(entries) >= 8
    served = json.dumps([sandbox.journal_entry(entry["n"]) for entry in entries])
    assert [secret for secret in known if secret.strip() in served] == []


Send = Callable[[client.Sandbox], requests.Response]


def send_odd_text(sandbox: client.Sandbox) -> requests.Response:
    bearer = {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}", "X-Odd": "it's", "X-Empty": ""}
    url = f"{sandbox.url}/artifactory/generic-local/it's%20[1]/%3Cscript%3E.txt"
    return requests.put(url, ODD_TEXT.encode(), headers=bearer)


def send_login(sandbox: client.Sandbox) -> requests.Response:
    login = (sandbox.environment["JENKINS_USER_ID"], sandbox.environment["JENKINS_API_TOKEN"])
    return requests.get(f"{sandbox.url}/ci/api/json?tree=jobs[name]", auth=login)


def send_ltoken(sandbox: client.Sandbox) -> requests.Response:
    lines = [line.split(";") for line in Path(sandbox.environment["KLOCWORK_LTOKEN"]).read_text().splitlines()]
    user, token = lines[1][2:]
    return requests.post(f"{sandbox.url}/analysis/review/api", {"user": user, "ltoken": token, "action": "projects"})


def send_head(sandbox: client.Sandbox) -> requests.Response:
    return requests.head(f"{sandbox.url}/artifactory/generic-local/app/README.txt", auth=("reader", "sandbox-reader"))


def send_empty_post(sandbox: client.Sandbox) -> requests.Response:
    return requests.post(f"{sandbox.url}/inference/v1/chat/completions", headers={"User-Agent": None, "Accept": None})


def send_other_method(sandbox: client.Sandbox) -> requests.Response:
    return requests.request("PROPFIND", f"{sandbox.url}/artifactory/generic-local", auth=("reader", "sandbox-reader"))


@pytest.mark.parametrize(
    "send", [send_odd_text, send_login, send_ltoken, send_head, send_empty_post, send_other_method]
)
def test_copied_command_has_the_same_status(sandbox, tmp_path, send: Send):
    response = send(sandbox)
    first = read_last(sandbox)
    assert run_curl(sandbox, first["curl"], tmp_path, SECRET="sandbox-reader") == response.status_code
    second = read_last(sandbox)
    assert second["n"] == first["n"] + 1
    for name in ("method", "path", "query", "label"):
        assert second[name] == first[name]
    assert second["request"]["body"] == first["request"]["body"]


def test_copied_command_names_the_file_of_a_binary_body(sandbox, tmp_path, artifactory):
    response = artifactory.put("/generic-local/x.bin", data=b"\0\1\2")
    command = read_last(sandbox)["curl"]
    assert command.startswith("# Save the binary body of 3 bytes to body.bin.\n")
    (tmp_path / "body.bin").write_bytes(b"\0\1\2")
    assert run_curl(sandbox, command, tmp_path) == response.status_code
    assert artifactory.get("/generic-local/x.bin").content == b"\0\1\2"


def send_headers(sandbox: client.Sandbox, method: str, path: str, header: tuple[str, str]) -> int:
    """Send a request without its body, and return the status of the response."""
    connection = http.client.HTTPConnection(sandbox.url.removeprefix("http://"))
    connection.putrequest(method, path)
    connection.putheader(*header)
    connection.endheaders()
    status = connection.getresponse().status
    connection.close()
    return status


def test_copied_command_names_the_file_of_an_unread_body(sandbox, tmp_path):
    assert send_headers(sandbox, "POST", "/artifactory/api/search/aql", ("Content-Length", "70000")) == 401
    command = read_last(sandbox)["curl"]
    assert command.startswith("# Save the unread body of 70000 bytes to body.bin.\n")
    assert "-X " not in command
    (tmp_path / "body.bin").write_bytes(b"x" * 70000)
    assert run_curl(sandbox, command, tmp_path) == 401


def test_copied_command_names_the_file_of_an_unread_body_of_unknown_length(sandbox):
    assert send_headers(sandbox, "PUT", "/artifactory/generic-local/x.txt", ("Transfer-Encoding", "chunked")) == 401
    assert read_last(sandbox)["curl"].startswith("# Save the unread body to body.bin.\n")


def test_copied_command_has_no_file_when_the_body_is_empty(sandbox, ping):
    sandbox.fault(kind="reset_before")
    with pytest.raises(requests.ConnectionError):
        requests.post(ping)
    details = read_last(sandbox)
    assert "body.bin" not in details["curl"] and "-X POST" in details["curl"]
    assert details["replay_obstacle"] is None


def test_copied_command_has_variables_for_other_secrets(sandbox, tmp_path, artifactory):
    artifactory.put("/api/security/users/bob", json={"email": "b@example.com", "password": PASSWORD})
    command = read_last(sandbox)["curl"]
    assert command.startswith("# Set SECRET: the sandbox does not export this secret.\n")
    assert run_curl(sandbox, command, tmp_path, SECRET="Another-Passw0rd") == 201
    entry = f"{sandbox.url}/artifactory/api/system/ping"
    assert requests.get(entry, auth=("bob", "Another-Passw0rd")).status_code == 200


@pytest.mark.parametrize("send", [send_odd_text, send_login, send_ltoken, send_head, send_empty_post])
def test_replay_sends_the_request_again(sandbox, send: Send):
    send(sandbox)
    first = read_last(sandbox)
    number = sandbox.replay(first["n"])
    second = sandbox.journal_entry(number)
    assert (number, second["status"]) == (first["n"] + 1, first["status"])
    assert second["request"]["body"] == first["request"]["body"]


def test_replay_finds_its_entry_when_a_proxy_names_the_client(sandbox, ping):
    requests.get(ping, headers={"X-Forwarded-For": "192.0.2.1"})
    assert sandbox.replay(1) == 2


def test_replay_fails_when_the_journal_is_cleared_meanwhile(sandbox, ping):
    requests.get(ping)
    sandbox.fault(kind="latency", seconds=0.5, service="artifact")
    with ThreadPoolExecutor() as pool:
        replay = pool.submit(sandbox.replay, 1)
        wait_for(lambda: sandbox.faults()[0]["matched"] == 1, "the request")
        sandbox.clear_journal()
        with pytest.raises(client.SandboxError, match="Request 1 was replayed, but the journal has no entry"):
            replay.result()


def test_replay_is_recorded_when_a_fault_resets_the_connection(sandbox, ping):
    requests.get(ping)
    sandbox.fault(kind="reset_after")
    assert sandbox.journal_entry(sandbox.replay(1))["status"] is None


def test_replay_is_refused_when_the_body_is_truncated(sandbox, artifactory):
    artifactory.put("/generic-local/long.txt", data="x" * (MAX_BODY_SIZE + 1))
    details = read_last(sandbox)
    assert details["replay_obstacle"] == "The body of this request has 65537 bytes. Only the first 65536 are kept."
    with pytest.raises(client.SandboxError, match=r"400.*cannot be replayed. The body of this request has 65537 bytes"):
        sandbox.replay(details["n"])
    assert len(sandbox.journal()) == 1
