# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A netrc file provides user name and password if no other credential is set, and is read only on request."""

from __future__ import annotations

import base64
import os
import pathlib
from typing import Any

import pytest

from support.ci_server import COMPUTERS
from support.conversation import Call, call, conversation
from support.running import run

TOKENS = "/access/api/v1/tokens"
LINES = "machine elsewhere login nobody password n0ne\nmachine 127.0.0.1 login robot password of-the-file\n"


def basic(account: str) -> dict[str, str]:
    return {"Authorization": f"Basic {base64.b64encode(account.encode()).decode()}"}


def lists(**sent: Any) -> Call:
    return call("GET", TOKENS, json={"tokens": []}, **sent)


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    """Create a valid file."""
    path = tmp_path / "netrc"
    path.write_text(LINES)
    path.chmod(0o600)
    return path


@pytest.mark.parametrize("options", [{}, {"username": "robot"}, {"token": ""}])
def test_file_provides_user_name_and_password(options: dict[str, str], path: pathlib.Path) -> None:
    with conversation(lists(sent_headers=basic("robot:of-the-file"))) as server:
        assert not run("access_token_info", url=server.url, netrc_file=str(path), **options).get("failed")


def test_jenkins_uses_the_file(path: pathlib.Path) -> None:
    with conversation(call("GET", COMPUTERS, 401, sent_headers=basic("robot:of-the-file"))) as server:
        result = run("ci_safe_restart", url=server.url, netrc_file=str(path))
    assert result["refused_credential"] == "netrc_file"
    assert "of-the-file" not in str(result)


def test_environment_can_name_the_file(path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NETRC", str(path))
    with conversation(lists(sent_headers=basic("robot:of-the-file"))) as server:
        assert not run("access_token_info", url=server.url).get("failed")


def test_other_credentials_have_precedence(path: pathlib.Path) -> None:
    with conversation(lists(sent_headers={"Authorization": "Bearer t0ken"})) as server:
        assert not run("access_token_info", url=server.url, token="t0ken", netrc_file=str(path)).get("failed")


def test_file_is_not_read_when_it_is_not_requested(path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.rename(path.with_name(".netrc"))
    monkeypatch.setenv("HOME", str(path.parent))
    with conversation(lists(sent_without=["Authorization"])) as server:
        assert not run("access_token_info", url=server.url).get("failed")


@pytest.mark.parametrize(
    ("content", "mode", "options", "expected"),
    [
        (None, 0o600, {}, "'{path}' cannot be read: it does not exist."),
        (LINES, 0o640, {}, "other users can access '{path}': run chmod 600 '{path}'."),
        ("machine 127.0.0.1 pasword s3cret", 0o600, {}, "'{path}' is not a netrc file: cannot parse line 1."),
        (b"\xff\xfe\x00", 0o600, {}, "'{path}' is not a netrc file: "),
        ("machine elsewhere login a password b", 0o600, {}, "'{path}' has no entry with a password for 127.0.0.1."),
        ("machine 127.0.0.1 login a", 0o600, {}, "'{path}' has no entry with a password for 127.0.0.1."),
        (LINES, 0o600, {"username": "me"}, "'{path}' has no entry with a password for 'me' at 127.0.0.1."),
    ],
)
def test_invalid_file_is_refused_before_any_request(
    content: str | bytes | None, mode: int, options: dict[str, str], expected: str, path: pathlib.Path
) -> None:
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(mode)
    with conversation() as server:
        message = run("access_token_info", url=server.url, netrc_file=str(path), **options)["msg"]
    assert message.startswith("Option 'netrc_file': " + expected.format(path=path))
    assert "s3cret" not in message


def test_pipe_is_refused_when_a_file_is_expected(tmp_path: pathlib.Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe, 0o600)
    with conversation() as server:
        message = run("access_token_info", url=server.url, netrc_file=str(pipe))["msg"]
    assert message == f"Option 'netrc_file': '{pipe}' cannot be read: it is not a regular file."
