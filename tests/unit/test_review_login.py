# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.ltoken import find_login
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from support.conversation import Call, call, conversation
from support.review_server import LTOKEN, refusal
from support.running import run

HOSTS = {
    "review": ("review.example.com", "192.0.2.7"),
    "review.example.com": ("review.example.com", "192.0.2.7"),
    "192.0.2.7": ("review.example.com", "192.0.2.7"),
    "box": ("box.example.com", "192.0.2.99"),
    "box.example.com": ("box.example.com", "192.0.2.99"),
    "192.0.2.99": ("box.example.com", "192.0.2.99"),
    "localhost": ("localhost", "127.0.0.1"),
    "127.0.0.1": ("localhost", "127.0.0.1"),
}


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Provide a name service with two machines. The local machine is `box`."""

    def addresses(host: str, port: None) -> list[Any]:
        if host not in HOSTS:
            raise socket.gaierror(-2, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (HOSTS[host][1], 0))]

    monkeypatch.setattr(socket, "gethostname", lambda: "box")
    monkeypatch.setattr(socket, "getfqdn", lambda host: HOSTS.get(host, (host,))[0])
    monkeypatch.setattr(socket, "getaddrinfo", addresses)


def choose(tmp_path: Path, url: str, *lines: str, username: str | None = None) -> dict[str, str]:
    """Return the login form for a URL from a file with these lines."""
    file = tmp_path / "ltoken-of-mine"
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return find_login(Task({"username": username, "ltoken": None, "ltoken_file": str(file)}), url).form


@pytest.mark.parametrize(
    ("url", "line"),
    [
        ("https://review.example.com:8443", "review.example.com;8443;alice;aa11"),
        ("https://Review.Example.Com:8443/path", "review.example.com;8443;alice;aa11"),
        ("https://review.example.com:8443", "REVIEW.example.com;8443;alice;aa11"),
        ("https://review:8443", "review.example.com;8443;alice;aa11"),
        ("https://review:8443", "192.0.2.7;8443;alice;aa11"),
        ("https://192.0.2.7:8443", "review.example.com;8443;alice;aa11"),
        ("https://review.example.com:8443", "review;8443;alice;aa11"),
        ("https://unknown.example.com:8443", "unknown.example.com;8443;alice;aa11"),
        ("http://review.example.com", "review.example.com;80;alice;aa11"),
        ("https://review.example.com", "review.example.com;443;alice;aa11"),
        ("http://localhost:8080", "localhost;8080;alice;aa11"),
        ("http://localhost:8080", "127.0.0.1;8080;alice;aa11"),
        ("http://127.0.0.1:8080", "localhost;8080;alice;aa11"),
        ("http://[::1]:8080", "localhost;8080;alice;aa11"),
        ("http://localhost:8080", "box;8080;alice;aa11"),
        ("http://localhost:8080", "box.example.com;8080;alice;aa11"),
        ("http://localhost:8080", "192.0.2.99;8080;alice;aa11"),
        ("http://box:8080", "localhost;8080;alice;aa11"),
    ],
)
def test_line_with_other_name_of_server_matches(names: None, tmp_path: Path, url: str, line: str) -> None:
    assert choose(tmp_path, url, line) == {"user": "alice", "ltoken": "aa11"}


@pytest.mark.parametrize(
    "line",
    [
        "review.example.com;8080;alice;aa11",
        "other.example.com;8443;alice;aa11",
        "localhost;8443;alice;aa11",
        "review.example.com;8443;alice",
        "review.example.com;8443;alice;aa11;more",
        "review.example.com;8443;alice;",
        "review.example.com;8443;;aa11",
        "review.example.com 8443 alice aa11",
        "",
    ],
)
def test_line_of_other_server_does_not_match(names: None, tmp_path: Path, line: str) -> None:
    with pytest.raises(BadOption, match="has no line for https://review"):
        choose(tmp_path, "https://review.example.com:8443", line)


def test_first_matching_line_is_used(names: None, tmp_path: Path) -> None:
    lines = ("review;8080;alice;a1", "review;8443;;a2", "review;8443;bob;b3", "review.example.com;8443;alice;a4")
    assert choose(tmp_path, "https://review:8443", *lines) == {"user": "bob", "ltoken": "b3"}


def test_line_of_account_is_used(names: None, tmp_path: Path) -> None:
    lines = ("review;8443;bob;b1", "review;8443;Last First (uid0001);a2", "review;8443;alice;a3")
    chose = choose(tmp_path, "https://review:8443", *lines, username="Last First (uid0001)")
    assert chose == {"user": "Last First (uid0001)", "ltoken": "a2"}


def test_account_is_compared_exactly(names: None, tmp_path: Path) -> None:
    assert choose(tmp_path, "https://review:8443", "review;8443;alice;aa11", username="Alice") == {"user": "Alice"}


def test_exact_host_takes_precedence(names: None, tmp_path: Path) -> None:
    lines = ("192.0.2.7;8443;alice;a1", "review.example.com;8443;alice;a2", "review;8443;alice;a3")
    assert choose(tmp_path, "https://review:8443", *lines) == {"user": "alice", "ltoken": "a3"}


@pytest.mark.parametrize(("last", "looked_up"), [("review", 0), ("none", 203)])
def test_names_are_looked_up_once_and_only_if_needed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, last: str, looked_up: int
) -> None:
    hosts: list[str] = []

    def addresses(host: str, port: None) -> list[Any]:
        hosts.append(host)
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "gethostname", lambda: "box")
    monkeypatch.setattr(socket, "getfqdn", lambda host: host)
    monkeypatch.setattr(socket, "getaddrinfo", addresses)
    lines = [f"host-{number};8443;alice;a1" for number in range(200)]
    other = f"elsewhere;9;alice;a1\n{last};8443;alice;a2"
    choose(tmp_path, "https://review:8443", *lines, *lines, other, username="alice")
    assert len(hosts) == len(set(hosts))
    assert len(hosts) == looked_up


def test_spaces_around_token_are_removed(names: None, tmp_path: Path) -> None:
    assert choose(tmp_path, "https://review:8443", " review ; 8443;alice; aa11\t") == {
        "user": "alice",
        "ltoken": "aa11",
    }


def test_default_port_applies_when_url_has_none(names: None, tmp_path: Path) -> None:
    with pytest.raises(BadOption, match="it has one for port 8080, which the URL must contain"):
        choose(tmp_path, "http://review.example.com", "review.example.com;8080;alice;aa11")


def test_windows_line_ends_are_removed(names: None, tmp_path: Path) -> None:
    assert choose(tmp_path, "https://review:8443", "review;8443;alice;aa11\r") == {"user": "alice", "ltoken": "aa11"}


def test_undecodable_line_does_not_hide_others(names: None, tmp_path: Path) -> None:
    file = tmp_path / "ltoken-of-mine"
    file.write_bytes("review;8443;Jérôme;a1\nreview;8443;alice;a2\n".encode("latin-1"))
    task = Task({"username": "alice", "ltoken": None, "ltoken_file": str(file)})
    assert find_login(task, "https://review:8443").form == {"user": "alice", "ltoken": "a2"}


def login_form(**login: str) -> Call:
    """Return the request that lists projects with this login."""
    return call("POST", "/review/api", text="", sent_form={"action": "projects", **login})


def list_projects(url: str, **parameters: Any) -> dict[str, Any]:
    return run("review_project_info", url=url, **parameters)


def line(url: str, user: str = "alice", token: str = LTOKEN) -> str:
    return f"127.0.0.1;{url.rpartition(':')[2]};{user};{token}\n"


def test_ltoken_is_sent() -> None:
    with conversation(login_form(user="alice", ltoken=LTOKEN)) as server:
        assert list_projects(server.url, username="alice", ltoken=f"{LTOKEN}\n")["projects"] == []


def test_ltoken_takes_precedence_over_file(tmp_path: Path) -> None:
    with conversation(login_form(user="alice", ltoken=LTOKEN)) as server:
        (tmp_path / "file").write_text(line(server.url, token="other"))
        assert not list_projects(server.url, username="alice", ltoken=LTOKEN, ltoken_file=str(tmp_path / "file"))[
            "changed"
        ]


def test_ltoken_requires_username() -> None:
    with conversation() as server:
        result = list_projects(server.url, ltoken=LTOKEN)
    assert result["failed"]
    assert result["msg"].startswith("Option 'username': is required with 'ltoken'")


def test_account_and_token_are_read_from_file(tmp_path: Path) -> None:
    with conversation(login_form(user="Last First (uid0001)", ltoken=LTOKEN)) as server:
        (tmp_path / "file").write_text(line(server.url, "Last First (uid0001)"))
        assert not list_projects(server.url, ltoken_file=str(tmp_path / "file")).get("failed")


def test_url_and_file_are_read_from_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with conversation(login_form(user="alice", ltoken=LTOKEN)) as server:
        (tmp_path / "file").write_text(line(server.url))
        monkeypatch.setenv("KLOCWORK_URL", server.url)
        monkeypatch.setenv("KLOCWORK_LTOKEN", str(tmp_path / "file"))
        assert not run("review_project_info").get("failed")


def test_default_file_is_used(tmp_path: Path) -> None:
    with conversation(login_form(user="alice", ltoken=LTOKEN)) as server:
        (tmp_path / ".klocwork").mkdir()
        (tmp_path / ".klocwork" / "ltoken").write_text(line(server.url))
        assert not list_projects(server.url).get("failed")


def test_ltoken_file_takes_precedence_over_default_file(tmp_path: Path) -> None:
    with conversation(login_form(user="bob", ltoken=LTOKEN)) as server:
        (tmp_path / ".klocwork").mkdir()
        (tmp_path / ".klocwork" / "ltoken").write_text(line(server.url))
        (tmp_path / "file").write_text(line(server.url, "bob"))
        assert not list_projects(server.url, ltoken_file=str(tmp_path / "file")).get("failed")


def test_username_suffices_without_access_control(tmp_path: Path) -> None:
    with conversation(login_form(user="anybody")) as server:
        (tmp_path / ".klocwork").mkdir()
        (tmp_path / ".klocwork" / "ltoken").write_text(line(server.url))
        assert not list_projects(server.url, username="anybody").get("failed")


def test_missing_file_fails_before_first_request(tmp_path: Path) -> None:
    with conversation() as server:
        result = list_projects(server.url, username="alice", ltoken_file=str(tmp_path / "none"))
    assert result["msg"] == f"Option 'ltoken_file': cannot read '{tmp_path}/none': No such file or directory."


@pytest.mark.parametrize("place", ["option", "home"])
@pytest.mark.parametrize("kind", ["fifo", "device", "folder"])
def test_special_file_is_refused(tmp_path: Path, kind: str, place: str) -> None:
    path = tmp_path / ".klocwork" / "ltoken"
    path.parent.mkdir()
    make = {"fifo": os.mkfifo, "device": lambda path: path.symlink_to("/dev/zero"), "folder": Path.mkdir}
    make[kind](path)
    options = {"ltoken_file": str(path)} if place == "option" else {}
    with conversation() as server:
        result = list_projects(server.url, username="alice", **options)
    assert result["msg"] == f"Option 'ltoken_file': '{path}' cannot be read: it is not a regular file."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_file_is_read_in_each_encoding(tmp_path: Path, encoding: str) -> None:
    with conversation(login_form(user="Zoë", ltoken=LTOKEN)) as server:
        (tmp_path / "file").write_text(f"\r\n{line(server.url, 'Zoë')}", encoding=encoding)
        assert not list_projects(server.url, ltoken_file=str(tmp_path / "file")).get("failed")


def test_binary_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text(line("http://localhost:1"), encoding="utf-16-le")
    result = list_projects("http://localhost:1", ltoken_file=str(tmp_path / "file"))
    assert result["msg"] == f"Option 'ltoken_file': '{tmp_path}/file' is not a text file in UTF-8. Convert it."


@pytest.mark.parametrize("host", ["[::1]", "::1", "[0:0:0:0:0:0:0:1]"])
def test_host_can_be_ipv6_address(tmp_path: Path, host: str) -> None:
    (tmp_path / "file").write_text(f"{host};1;alice;{LTOKEN}\n")
    result = list_projects("http://[::1]:1", ltoken_file=str(tmp_path / "file"), retries=0)
    assert "username" not in result["msg"]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("x;1;a;b\n{host};{port};Last; First;aa11\n", "; line 2 contains this server, but has 5 fields"),
        (
            "{host}:{port};alice;aa11\n{host};{port};alice;\n",
            "; line 2 contains this server, but has an empty",
        ),
        (
            "HTTPS;[{host}];{port};alice;aa11",
            "; line 1 contains this server, but has 5 fields (expected: host;port;",
        ),
        ("elsewhere.invalid;1;2;3;4\n\n", ""),
    ],
)
def test_malformed_line_is_reported(tmp_path: Path, text: str, hint: str) -> None:
    (tmp_path / "file").write_text(text.format(host="127.0.0.1", port=1))
    result = list_projects("http://127.0.0.1:1", ltoken_file=str(tmp_path / "file"))
    problem = f"is required, because 'ltoken_file' ({tmp_path}/file) has no line for http://127.0.0.1:1{hint}"
    assert result["msg"].startswith(f"Option 'username': {problem}")
    assert "aa11" not in result["msg"]


def test_no_line_is_needed_without_access_control(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("elsewhere.invalid;1;alice;aa11\n")
    with conversation(login_form(user="alice")) as server:
        assert not list_projects(server.url, username="alice", ltoken_file=str(tmp_path / "file")).get("failed")


def test_missing_token_is_reported_when_login_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("elsewhere.invalid;1;alice;aa11\n")
    refused = call("POST", "/review/api", 401, text=refusal(401, "Authentication failed for user alice"))
    with conversation(refused) as server:
        result = list_projects(server.url, username="alice", ltoken_file=str(tmp_path / "file"))
    assert f"'ltoken_file' ({tmp_path}/file) has no line for 'alice' at {server.url}. " in result["msg"]
    assert f"'kwauth --url {server.url}'" in result["msg"]
    assert "'kwauth --print-auth-info'" in result["msg"]
    assert "does not belong" not in result["msg"]


def test_missing_account_fails_before_first_request(tmp_path: Path) -> None:
    with conversation() as server:
        result = list_projects(server.url)
    assert result["failed"]
    assert result["msg"] == (
        f"Option 'username': is required, because 'ltoken_file' ({tmp_path}/.klocwork/ltoken) has no line for "
        f"{server.url}."
    )


@pytest.mark.parametrize(
    ("status", "message", "advice"),
    [
        (401, "Authentication failed for user alice", "The login token does not belong to the account or has expired"),
        (
            403,
            "User alice does not have the Web API access permission",
            "Assign a role with the permission for this action. The Web API itself",
        ),
    ],
)
def test_refused_login_is_reported(status: int, message: str, advice: str) -> None:
    with conversation(call("POST", "/review/api", status, text=refusal(status, message))) as server:
        result = list_projects(server.url, username="alice", ltoken=LTOKEN)
    assert result["msg"].startswith(f"POST {server.url}/review/api (projects): {status} {message}. {advice}")


def test_token_from_file_is_masked_in_messages(tmp_path: Path) -> None:
    with conversation(call("POST", "/review/api", 401, text=refusal(401, f"Bad token {LTOKEN}"))) as server:
        (tmp_path / "file").write_text(line(server.url))
        result = list_projects(server.url, ltoken_file=str(tmp_path / "file"))
    assert "401 Bad token ********." in result["msg"]


def test_ltoken_is_masked_in_messages_without_line_end() -> None:
    with conversation(call("POST", "/review/api", 401, text=refusal(401, f"Bad token {LTOKEN}"))) as server:
        result = list_projects(server.url, username="alice", ltoken=f"{LTOKEN}\n")
    assert "401 Bad token ********." in result["msg"]


@pytest.mark.parametrize("end", ["/review/api", "/review/api/"])
def test_url_of_api_is_refused(end: str) -> None:
    with conversation() as server:
        result = list_projects(f"{server.url}{end}", username="alice", ltoken=LTOKEN)
    assert result["msg"] == "Option 'url': must be the URL of the server, without '/review/api'."


def test_wrong_path_is_reported() -> None:
    with conversation(call("POST", "/wrong/review/api", 404, text="<html><body>Not Found</body></html>")) as server:
        result = list_projects(f"{server.url}/wrong", username="alice", ltoken=LTOKEN)
    assert "The Web API is at /review/api below 'url'. Verify the path in 'url'." in result["msg"]
