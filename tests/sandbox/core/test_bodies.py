# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of size limits for request bodies."""

from __future__ import annotations

import asyncio
import base64
import http.client
import socket
from collections.abc import AsyncIterator

import pytest

from sandbox import client
from sandbox.ci.http import multipart
from sandbox.http import bodies
from sandbox.http.bodies import BodyTooLarge
from support.wire.ci import TOKENS, Ci

LARGE = 400_000_000
FORM, XML, PARTS = "application/x-www-form-urlencoded", "text/xml", 'multipart/form-data; boundary="b"'
BASIC = {name: base64.b64encode(f"{name}:{token}".encode()).decode() for name, token in TOKENS.items()}


def send_partial_request(
    sandbox: client.Sandbox, method: str, path: str, sent: bytes = b"", size: int = LARGE, **headers: str
) -> tuple[int, bytes]:
    """Return status and body of the response to a request whose body is incomplete."""
    host, port = sandbox.url.removeprefix("http://").split(":")
    fields = {"Host": host, "Content-Length": str(size), **{n.replace("_", "-"): v for n, v in headers.items()}}
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(head.encode() + b"\r\n" + sent)
        answer = http.client.HTTPResponse(connection, method=method)
        answer.begin()
        return answer.status, answer.read()


@pytest.mark.parametrize("content_type", [XML, PARTS, "application/octet-stream"])
@pytest.mark.parametrize("path", ["/ci/createItem?name=x", "/ci/job/deploy/config.xml", "/ci/nothing", "/ci/login"])
@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_body_is_not_read_when_the_client_is_unauthenticated(
    sandbox: client.Sandbox, method: str, path: str, content_type: str
) -> None:
    status, _body = send_partial_request(sandbox, method, path, Content_Type=content_type)
    assert status == (200 if (method, path) == ("PUT", "/ci/login") else 403)


@pytest.mark.parametrize("path", ["/ci/createItem?name=x", "/ci/j_spring_security_check"])
def test_form_is_not_read_completely_when_the_client_is_unauthenticated(sandbox: client.Sandbox, path: str) -> None:
    status, _body = send_partial_request(sandbox, "POST", path, b"a=" + b"b" * 70_000, Content_Type=FORM)
    assert status == (302 if "security" in path else 403)


def test_body_is_not_read_when_the_password_is_wrong(sandbox: client.Sandbox) -> None:
    wrong = "Basic " + base64.b64encode(b"admin:wrong").decode()
    assert send_partial_request(sandbox, "POST", "/ci/createItem?name=x", Authorization=wrong)[0] == 401


@pytest.mark.parametrize(
    "path",
    [
        "/inference/v1/chat/completions",
        "/inference/v1/organization/projects",
        "/artifactory/api/search/aql",
        "/artifactory/api/build",
        "/_sandbox/seed",
    ],
)
def test_body_is_not_read_when_the_key_is_wrong(sandbox: client.Sandbox, path: str) -> None:
    assert send_partial_request(sandbox, "POST", path, Authorization="Bearer wrong")[0] == 401


@pytest.mark.parametrize("content_type", [XML, FORM])
def test_body_is_rejected_when_content_length_exceeds_the_limit(sandbox: client.Sandbox, content_type: str) -> None:
    headers = {"Authorization": f"Basic {BASIC['admin']}", "Content_Type": content_type}
    status, body = send_partial_request(sandbox, "POST", "/ci/createItem?name=x", **headers)
    assert (status, body) == (
        413,
        b'{"error":"The request body is too large: the sandbox accepts at most 67108864 bytes."}',
    )


@pytest.mark.parametrize(
    ("path", "variable"),
    [("/inference/v1/chat/completions", "OPENAI_API_KEY"), ("/artifactory/api/search/aql", "JFROG_ACCESS_TOKEN")],
)
def test_body_is_rejected_by_each_service_when_it_is_too_large(
    sandbox: client.Sandbox, path: str, variable: str
) -> None:
    key = sandbox.environment[variable]
    status, _body = send_partial_request(
        sandbox,
        "POST",
        path,
        Authorization=f"Bearer {key}",
        Content_Type="text/plain" if "aql" in path else "application/json",
    )
    assert status == 413


@pytest.mark.parametrize("path", ["/analysis/review/api", "/access/api/v1/tokens"])
def test_form_is_rejected_when_it_is_too_large(sandbox: client.Sandbox, path: str) -> None:
    assert send_partial_request(sandbox, "POST", path, Content_Type=FORM)[0] == 413


def test_chunked_body_is_rejected_when_it_exceeds_the_limit() -> None:
    class ChunkedRequest:
        headers: dict[str, str] = {}

        async def stream(self) -> AsyncIterator[bytes]:
            for _piece in range(3):
                yield b"12345"

    assert asyncio.run(bodies.read_body(ChunkedRequest(), 15)) == b"123451234512345"
    with pytest.raises(BodyTooLarge, match="at most 14 bytes"):
        asyncio.run(bodies.read_body(ChunkedRequest(), 14))


@pytest.mark.parametrize("separator", ["&", ";&"])
def test_form_is_rejected_when_it_has_too_many_fields(ci: Ci, separator: str) -> None:
    form = separator.join(["a=b"] * 10_001)
    answer = ci.post("/job/deploy/buildWithParameters", data=form, headers={"Content-Type": FORM})
    assert answer.status_code == 400
    answer = ci.post(
        "/job/deploy/buildWithParameters", data=form[len("a=b" + separator) :], headers={"Content-Type": FORM}
    )
    assert answer.status_code == 201


def parse_parts(body: bytes, size: int) -> list[multipart.Part]:
    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(body), size):
            yield body[start : start + size]

    return asyncio.run(multipart.parts(PARTS, pieces()))


BODY = (
    b'preamble\r\n--b\r\nContent-Disposition: form-data; name="field"\r\n\r\nva\r\nl\xc3\xa9\r\n'
    b'--b\r\nContent-Disposition: form-data; name="file"; filename="\xff.txt"\r\n\r\nline\r\n--\r\n--not\r\n\r\n'
    b'--b\r\nContent-Disposition: form-data; name="empty"\r\n\r\n\r\n'
    b"--b\r\n\r\nwithout a name\r\n--b--\r\nepilogue\r\n--b\r\n"
)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, len(BODY)])
def test_multipart_parser_returns_the_same_parts_for_any_chunking(size: int) -> None:
    actual = parse_parts(BODY, size)
    assert [(part.name, part.file_name, b"".join(part.chunks())) for part in actual] == [
        ("field", None, b"va\r\nl\xc3\xa9"),
        ("file", "\ufffd.txt", b"line\r\n--\r\n--not\r\n"),
        ("empty", None, b""),
    ]
    assert actual[0].text() == "va\r\nl\u00e9"


def test_multipart_body_is_rejected_when_it_has_too_many_parts_or_a_long_header() -> None:
    part = b'--b\r\nContent-Disposition: form-data; name="f"\r\n\r\n1\r\n'
    assert len(parse_parts(part * 1000 + b"--b--", 65536)) == 1000
    with pytest.raises(BodyTooLarge):
        parse_parts(part * 1001 + b"--b--", 65536)
    with pytest.raises(BodyTooLarge):
        parse_parts(b"--b\r\n" + b"x" * 65536, 1000)


def test_file_parameter_is_stored_when_it_is_large(ci: Ci) -> None:
    definition = "<hudson.model.FileParameterDefinition><name>F</name></hudson.model.FileParameterDefinition>"
    property_ = "hudson.model.ParametersDefinitionProperty"
    definitions = f"<{property_}><parameterDefinitions>{definition}</parameterDefinitions></{property_}>"
    ci.create("takes-a-file", f"<project><properties>{definitions}</properties></project>")
    content = bytes(range(256)) * 4096 * 8
    answer = ci.post("/job/takes-a-file/buildWithParameters?delay=0sec", files={"F": ("a.bin", content)})
    assert answer.status_code == 201
    ci.later(1)
    assert ci.get("/job/takes-a-file/1/parameters/parameter/F/F").content == content
