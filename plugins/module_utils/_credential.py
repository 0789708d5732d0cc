# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Credentials as HTTP headers, which are sent with the first request."""

from __future__ import annotations

import base64
import dataclasses
import netrc
import os
import stat
import typing as t
from urllib.parse import urlsplit

from ansible.module_utils.basic import env_fallback

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import check_readable
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Reason for `unchecked` of options with such a credential
CHECKED_IN_HEADER = "checked by `check_header_value`; an empty string means not set"

# ~/.netrc is read only if it is named
NETRC_FILE: dict[str, t.Any] = dict(
    type="path",
    no_log=False,
    fallback=(env_fallback, ["NETRC"]),
    unchecked="an empty string means not set; an unusable file is an error",
)


@dataclasses.dataclass
class Credential:
    """The headers that authenticate requests. Without headers, requests are anonymous.

    :arg option: option with the credential; `None` without credential, even if there are headers
    :arg account: user name and password, for programs that log in themselves
    """

    headers: dict[str, str] = dataclasses.field(default_factory=dict)
    option: str | None = None
    account: tuple[str, str] | None = None

    def __call__(self, request: t.Any) -> t.Any:
        request.headers.update(self.headers)
        return request


def check_header_value(option: str, value: str) -> str:
    """Return a credential for a header without surrounding whitespace.

    :raises BadOption: if it contains characters that a header cannot contain
    """
    value = value.strip()
    if not value.isascii() or not value.isprintable():
        raise BadOption(option, "contains characters that cannot be sent in an HTTP header")
    return value


def basic_auth(task: Task, username: str, password: str, option: str = "password") -> Credential:
    """Return a credential for HTTP basic authentication."""
    encoded = base64.b64encode(f"{username}:{password}".encode()).decode()
    return Credential({"Authorization": f"Basic {task.register_secret(encoded)}"}, option, (username, password))


def credential_from_account(task: Task, secrets: t.Sequence[str]) -> Credential | None:
    """Return the credential with user name and the first secret that is set, or `None`.

    :arg secrets: options that are used together with `username`
    :raises BadOption: if only one of both is set; a user name may also select an entry of the netrc file
    """
    username = task.params["username"]
    option = next((option for option in secrets if task.params[option]), None)
    if username and option:
        return basic_auth(task, username, task.params[option], option)
    if option or (username and not task.params["netrc_file"]):
        names = " or ".join(f"'{name}'" for name in secrets)
        raise BadOption("username", f"is required together with {names}, and vice versa")
    return None


def credential_from_netrc(task: Task, url: str) -> Credential | None:
    """Return the credential from the entry for a host in the netrc file, or `None` if `netrc_file` is not set.

    :raises BadOption: if the file is unreadable, accessible for other users or invalid, or has no entry for the host
    """
    path = task.params["netrc_file"]
    if not path:
        return None
    host, username = urlsplit(url).hostname or "", task.params["username"]
    entry = _read_netrc(path).authenticators(host)
    if not entry or not entry[2] or (username and entry[0] != username):
        login_name = f"'{username}' at {host}" if username else host
        raise BadOption("netrc_file", f"'{path}' has no entry with a password for {login_name}")
    login, _account, password = entry
    return basic_auth(task, login, task.register_secret(password), "netrc_file")


def _read_netrc(path: str) -> netrc.netrc:
    check_readable(path, "netrc_file")
    resolved_path = rehearsal.resolve_read(path)
    try:
        if stat.S_IMODE(os.stat(resolved_path).st_mode) & 0o077:
            raise BadOption("netrc_file", f"other users can access '{path}': run chmod 600 '{path}'")
        return netrc.netrc(resolved_path)
    except OSError as error:
        raise BadOption("netrc_file", f"cannot read '{path}': {error.strerror}") from None
    except netrc.NetrcParseError as error:  # its text may quote a password
        raise BadOption("netrc_file", f"'{path}' is not a netrc file: cannot parse line {error.lineno}") from None
    except UnicodeDecodeError:
        raise BadOption("netrc_file", f"'{path}' is not a netrc file: it is not text") from None
