# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client program for download, with the headers of Jenkins 2.579."""

from __future__ import annotations

import io
import urllib.request
import zipfile

import pytest

from support.wire.ci import Ci

JAR = "/jnlpJars/jenkins-cli.jar"


def test_client_has_the_headers_of_a_file(ci: Ci) -> None:
    answer, head = ci.get(JAR, None), ci.request("HEAD", JAR, None)
    assert answer.headers["Content-Type"] == "application/java-archive"
    assert answer.headers["Content-Disposition"] == "attachment; filename=jenkins-cli.jar"
    for name in ("Last-Modified", "Content-Length", "Expires", "Accept-Ranges"):
        assert head.headers[name] == answer.headers[name]
    assert "ETag" not in answer.headers
    assert "X-Jenkins" not in answer.headers
    assert head.content == b""


def test_placeholder_has_the_version_and_no_program(ci: Ci) -> None:
    for version in ("2.579", "2.541.3"):
        ci.sandbox.switch("ci", version=version)
        with zipfile.ZipFile(io.BytesIO(ci.get(JAR).content)) as jar:
            manifest = jar.read("META-INF/MANIFEST.MF").decode()
        assert f"Jenkins-CLI-Version: {version}\r\n" in manifest
        assert "Main-Class" not in manifest


def test_modification_time_differs_between_releases(ci: Ci) -> None:
    before = ci.get(JAR).headers["Last-Modified"]
    ci.sandbox.switch("ci", version="2.580")
    assert ci.get(JAR).headers["Last-Modified"] != before


@pytest.mark.parametrize("name", ["jenkins-cli.jar", "hudson-cli.jar"])
def test_client_can_be_replaced(ci: Ci, name: str) -> None:
    content = b"PK of a test" * 20_000
    request = urllib.request.Request(f"{ci.origin}/_sandbox/ci/cli-jar", content, method="PUT")
    request.add_header("Authorization", f"Bearer {ci.sandbox.secret}")
    with urllib.request.urlopen(request, timeout=60):
        pass
    answer = ci.get(f"/jnlpJars/{name}", None)
    assert answer.content == content
    since = {"If-Modified-Since": answer.headers["Last-Modified"]}
    assert ci.get(f"/jnlpJars/{name}", None, headers=since).status_code == 304
    ci.sandbox.reset()
    assert ci.get(f"/jnlpJars/{name}", None).content != content
