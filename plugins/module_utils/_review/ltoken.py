# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Login tokens of the review service, and the file that its login tool keeps them in."""

from __future__ import annotations

import os
import socket
import typing as t
from urllib.parse import urlsplit

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_DEFAULT_FILE = "~/.klocwork/ltoken"
_DEFAULT_PORTS = {"http": 8080, "https": 443}
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def login(task: Task, url: str) -> dict[str, str]:
    """The form fields that log in: C(user), and C(ltoken) where there is one.

    :raises BadOption: when no account can be found, before any request
    """
    username, ltoken = task.params["username"], task.params["ltoken"]
    if ltoken:
        if not username:
            raise BadOption("username", "is needed with 'ltoken': a login token is good for one account alone")
        return {"user": username, "ltoken": task.secret(ltoken.strip())}
    found = _from_file(task, url, username)
    if found:
        return found
    if not username:
        raise BadOption("username", f"is needed, or a line for {url} in 'ltoken_file' ({_file(task)})")
    return {"user": username}


def _from_file(task: Task, url: str, username: str | None) -> dict[str, str] | None:
    path = _file(task)
    try:
        with open(path, encoding="utf-8", errors="replace") as lines:
            entries = [line.rstrip("\r\n").split(";") for line in lines]
    except OSError as error:
        if task.params["ltoken_file"]:
            raise BadOption("ltoken_file", f"cannot read '{path}': {error.strerror}") from None
        return None
    parts = urlsplit(url)
    port = str(parts.port or _DEFAULT_PORTS[parts.scheme])
    hosts: set[str] | None = None
    for entry in entries:
        if len(entry) != 4 or entry[1] != port or not entry[2] or not entry[3]:
            continue
        if username is not None and entry[2] != username:
            continue
        hosts = hosts if hosts is not None else _names_of(parts.hostname or "")
        if entry[0].lower() in hosts or hosts & _names_of(entry[0].lower()):
            return {"user": entry[2], "ltoken": task.secret(entry[3])}
    if task.params["ltoken_file"]:
        whom = f"'{username}' at {url}" if username else url
        raise BadOption("ltoken_file", f"'{path}' has no line for {whom}: log in with 'kwauth --url {url}'")
    return None


def _file(task: Task) -> str:
    return task.params["ltoken_file"] or os.path.expanduser(_DEFAULT_FILE)


def _names_of(host: str) -> set[str]:
    """The names and addresses that mean the same machine: the login tool writes down any of them."""
    names = {host, socket.getfqdn(host).lower(), *_addresses(host)}
    if names & set(_LOOPBACK):
        own = socket.gethostname()
        names |= {*_LOOPBACK, own.lower(), socket.getfqdn(own).lower(), *_addresses(own)}
    return names


def _addresses(host: str) -> t.Iterator[str]:
    try:
        for info in socket.getaddrinfo(host, None):
            yield str(info[4][0])
    except OSError:
        return
