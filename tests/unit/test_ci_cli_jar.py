# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from support.ci_server import page
from support.conversation import Call, call, conversation
from support.running import run

MODIFIED = "Sat, 21 Nov 2026 04:57:51 GMT"
MOMENT = "2026-11-21T04:57:51Z"
PATH = "/jnlpJars/jenkins-cli.jar"


def jar(version: str | None = "2.579") -> bytes:
    """Return a client with the manifest of a real one."""
    file = io.BytesIO()
    version_line = f"Jenkins-CLI-Version: {version}\r\n" if version else ""
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(
            "META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\r\n{version_line}Main-Class: hudson.cli.CLI\r\n\r\n"
        )
    return file.getvalue()


def login(version: str | None = "2.579") -> Call:
    return call("GET", "/login", text="", headers={"X-Jenkins": version} if version else {})


def head(content: bytes, path: str = PATH, **headers: str) -> Call:
    all_headers = {"Content-Length": str(len(content)), "Last-Modified": MODIFIED, **headers}
    return Call("HEAD", path, 200, content, {name: value for name, value in all_headers.items() if value})


def jar_download(content: bytes, path: str = PATH) -> Call:
    return Call("GET", path, 200, content)


def download_jar(dest: Path, *calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("ci_cli_jar", url=server.url, dest=str(dest), **parameters)


def test_jar_is_downloaded_once(tmp_path: Path) -> None:
    dest, content = tmp_path / "folder" / "cli.jar", jar()
    checked = download_jar(dest, login(), head(content), check_mode=True, diff_mode=True)
    assert not dest.exists()
    result = download_jar(dest, login(), head(content), jar_download(content), diff_mode=True)
    assert result["jar"] == {"path": str(dest), "size": len(content), "modified": MOMENT, "version": "2.579"}
    assert checked == result
    assert dest.read_bytes() == content
    again = download_jar(dest, login(), head(content))
    assert not again["changed"]
    assert again["jar"] == result["jar"]


def test_jar_of_another_version_is_replaced(tmp_path: Path) -> None:
    dest, content = tmp_path / "cli.jar", jar()
    download_jar(dest, login(), head(content), jar_download(content))
    newer = jar("2.580")
    later = {"Last-Modified": "Sun, 22 Nov 2026 04:57:51 GMT"}
    checked = download_jar(dest, login("2.580"), head(newer, **later), check_mode=True)
    result = download_jar(dest, login("2.580"), head(newer, **later), jar_download(newer))
    assert result["changed"]
    assert result == checked
    assert result["jar"]["version"] == "2.580"
    assert result["jar"]["modified"] == "2026-11-22T04:57:51Z"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (jar("2.541"), "it is version 2.541, but the server is version 2.579"),
        (b"<html>Please log in</html>", "it is not a jar, but the server is version 2.579"),
    ],
)
def test_invalid_download_does_not_replace_the_file(tmp_path: Path, content: bytes, words: str) -> None:
    dest = tmp_path / "cli.jar"
    dest.write_bytes(b"the old one")
    result = download_jar(dest, login(), head(content), jar_download(content))
    assert words in result["msg"]
    assert not result["changed"]
    assert dest.read_bytes() == b"the old one"
    assert list(tmp_path.iterdir()) == [dest]


def test_version_is_null_on_hudson(tmp_path: Path) -> None:
    dest, content, path = tmp_path / "cli.jar", jar(None), "/jnlpJars/hudson-cli.jar"
    root = call("GET", "/", text="", headers={"X-Hudson": "1.395"})
    result = download_jar(dest, login(None), root, head(content, path), jar_download(content, path))
    assert result["jar"]["version"] is None
    assert not download_jar(dest, login(None), root, head(content, path))["changed"]


def test_size_is_compared_when_server_sends_no_time(tmp_path: Path) -> None:
    dest, content = tmp_path / "cli.jar", jar()
    without = head(content, **{"Last-Modified": ""})
    assert download_jar(dest, login(), without, jar_download(content))["changed"]
    assert not download_jar(dest, login(), head(content, **{"Last-Modified": ""}))["changed"]


def test_directory_is_rejected(tmp_path: Path) -> None:
    assert (
        f"Option 'dest': must be the path of a file, but '{tmp_path}' is a directory" in download_jar(tmp_path)["msg"]
    )


def test_missing_jar_is_reported(tmp_path: Path) -> None:
    not_found = call("HEAD", PATH, 404, text=page("Not Found", "Oops! Not Found"))
    assert "404" in download_jar(tmp_path / "cli.jar", login(), not_found)["msg"]
