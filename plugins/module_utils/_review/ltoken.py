# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Klocwork login tokens (ltokens) and the file in which `kwauth` stores them."""

from __future__ import annotations

import codecs
import functools
import io
import os
import socket
import typing as t
from urllib.parse import urlsplit

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import check_readable
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# On Unix and macOS, and on Windows, where `APPDATA` is set
_DEFAULT_FILES = ("~/.klocwork/ltoken", "${APPDATA}/.klocwork/ltoken")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_KLOCWORK_PORT = "8080"
_FIELDS = 4
# PowerShell writes files in UTF-16 with a byte order mark
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_LOOPBACK = ("localhost", "127.0.0.1", "::1")

NO_TOKEN = "No login token was sent: "


class Login(t.NamedTuple):
    """The account, its login token and the option that provided it, and the advice for a refused login."""

    user: str
    ltoken: str | None
    option: str | None
    advice: str

    @property
    def form(self) -> dict[str, str]:
        """The form fields for the login."""
        return {"user": self.user, **({"ltoken": self.ltoken} if self.ltoken else {})}


class _LtokenLine(t.NamedTuple):
    """A well-formed line of the file."""

    host: str
    port: str
    user: str
    ltoken: str


class _LtokenFile(t.NamedTuple):
    """The well-formed lines of the file, and the fields of malformed lines by line number."""

    lines: list[_LtokenLine]
    malformed: dict[int, list[str]]

    def select(self, username: str | None) -> list[_LtokenLine]:
        """Return the lines for an account; all lines for `None`."""
        return [line for line in self.lines if username in (None, line.user)]


def find_login(task: Task, url: str) -> Login:
    """Return the login for a server. Sends no request.

    :raises BadOption: if no account is known
    """
    username, ltoken = task.params["username"], (task.params["ltoken"] or "").strip()
    if ltoken:
        if not username:
            raise BadOption("username", "is required with 'ltoken', because a login token belongs to one account")
        return Login(username, task.register_secret(ltoken), "ltoken", _advise_new_token(url))
    ltoken_file = _read_file(task)
    lines = ltoken_file.select(username)
    line = _match_line(url, lines)
    if line:
        return Login(line.user, task.register_secret(line.ltoken), "ltoken_file", _advise_new_token(url))
    file = f"'ltoken_file' ({_find_path(task)})"
    hint = _suggest_port(url, lines) + _describe_malformed_line(url, ltoken_file)
    if not username:
        raise BadOption("username", f"is required, because {file} has no line for {url}{hint}")
    # A server without access control requires only the account
    nothing_sent = f"{NO_TOKEN}{file} has no line for '{username}' at {url}{hint}. {_describe_login(url)}"
    return Login(username, None, None, nothing_sent)


def format_ltoken_file(login: Login, url: str) -> str | None:
    """Return the content of a file with this login for all names of the server; `None` without a token.

    :raises BadOption: if the file format cannot represent the account or token
    """
    if not login.ltoken:
        return None
    for option, value in (("username", login.user), ("ltoken", login.ltoken)):
        if ";" in value:
            raise BadOption(option, "must not contain ';', which separates the fields of an ltoken file")
    host, port = _split_address(url)
    names = [host, *sorted(_find_aliases(host) - {host})]
    return "".join(f"{name};{port};{login.user};{login.ltoken}\n" for name in names)


def _advise_new_token(url: str) -> str:
    return f"The login token does not belong to the account or has expired. {_describe_login(url)}"


def _describe_login(url: str) -> str:
    return (
        f"Log in with 'kwauth --url {url}'. Since Klocwork 2024.2, kwauth does not write the token to the file: set "
        "'ltoken' to the token that 'kwauth --print-auth-info' prints. Application tokens cannot be used."
    )


def _suggest_port(url: str, lines: list[_LtokenLine]) -> str:
    """Return a hint if the URL has no port and the file has a line for Klocwork's default port."""
    parts = urlsplit(url)
    has_other_port = parts.port is None and any(
        line.port == _KLOCWORK_PORT and line.host == parts.hostname for line in lines
    )
    return f"; it has one for port {_KLOCWORK_PORT}, which the URL must contain" if has_other_port else ""


def _describe_malformed_line(url: str, ltoken_file: _LtokenFile) -> str:
    """Return a hint at the first malformed line that contains a name of the server. Its fields may be secret."""
    names = functools.cache(lambda: _find_aliases(_split_address(url)[0]))
    for number, fields in ltoken_file.malformed.items():
        if any(_normalize_host(field) in names() for field in fields):
            problem = f"has {len(fields)} fields" if len(fields) != _FIELDS else "has an empty field"
            return f"; line {number} contains this server, but {problem} (expected: host;port;user;token)"
    return ""


def _read_file(task: Task) -> _LtokenFile:
    """Read and parse the ltoken file. A missing default file counts as empty.

    :raises BadOption: if the file cannot be read or is not text
    """
    path = _find_path(task)
    readable_path = rehearsal.resolve_read(path)
    if os.path.exists(readable_path) and not os.path.isfile(readable_path):
        check_readable(path, "ltoken_file")
    try:
        with open(readable_path, "rb") as file:
            data = file.read()
    except OSError as error:
        if task.params["ltoken_file"]:
            raise BadOption("ltoken_file", f"cannot read '{path}': {error.strerror}") from None
        return _LtokenFile([], {})
    is_utf16 = data.startswith(_UTF16_MARKS)
    if b"\0" in data and not is_utf16:
        raise BadOption("ltoken_file", f"'{path}' is not a text file in UTF-8. Convert it")
    text_lines = io.StringIO(data.decode("utf-16" if is_utf16 else "utf-8-sig", errors="replace"), newline=None)
    entries = {
        number: [field.strip() for field in line.split(";")]
        for number, line in enumerate(text_lines, 1)
        if line.strip()
    }
    malformed = {number: entry for number, entry in entries.items() if len(entry) != _FIELDS or not all(entry)}
    lines = [
        _LtokenLine(_normalize_host(entry[0]), *entry[1:])
        for number, entry in entries.items()
        if number not in malformed
    ]
    return _LtokenFile(lines, malformed)


def _normalize_host(field: str) -> str:
    """Return a host in lower case, IPv6 addresses without brackets."""
    return field.lower().removeprefix("[").removesuffix("]")


def _match_line(url: str, lines: list[_LtokenLine]) -> _LtokenLine | None:
    """Return the line with this host or, if there is none, the first line with another name of the same machine.

    `kwauth` may store any name of the machine. Names are looked up only if no line has the host.
    """
    host, port = _split_address(url)
    candidates = [line for line in lines if line.port == port]
    names = functools.cache(lambda: _find_aliases(host))
    addresses = functools.cache(lambda other: set(_look_up_addresses(other)))
    matchers: tuple[t.Callable[[_LtokenLine], t.Any], ...] = (
        lambda line: line.host == host,
        lambda line: line.host in names(),
        lambda line: addresses(line.host) & names(),
    )
    return next((line for matches in matchers for line in candidates if matches(line)), None)


def _split_address(url: str) -> tuple[str, str]:
    """Return host and port of the server."""
    parts = urlsplit(url)
    return parts.hostname or "", str(parts.port or _DEFAULT_PORTS[parts.scheme])


def _find_path(task: Task) -> str:
    """Return the path of the option, or the first default path that exists."""
    paths = [os.path.expandvars(os.path.expanduser(path)) for path in _DEFAULT_FILES]
    return task.params["ltoken_file"] or next(
        (path for path in paths if os.path.exists(rehearsal.resolve_read(path))), paths[0]
    )


def _find_aliases(host: str) -> set[str]:
    """Return the names and addresses of the same machine."""
    names, own_name = _look_up_names(host), socket.gethostname()
    local_names = {*_LOOPBACK, *_look_up_names(own_name)}
    return names | local_names if names & local_names else names


def _look_up_names(host: str) -> set[str]:
    return {host.lower(), socket.getfqdn(host).lower(), *_look_up_addresses(host)}


def _look_up_addresses(host: str) -> t.Iterator[str]:
    try:
        for info in socket.getaddrinfo(host, None):
            yield str(info[4][0])
    except (OSError, UnicodeError):
        return
