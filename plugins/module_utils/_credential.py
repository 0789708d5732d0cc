# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Credentials, as headers that are sent without waiting to be asked for them."""

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

# Why the option of such a credential has no limits of its own
CHECKED_IN_HEADER = "checked when it is put into its header; empty counts as not given"

# Without it no such file is read, not even ~/.netrc
NETRC_FILE: dict[str, t.Any] = dict(
    type="path",
    no_log=False,
    fallback=(env_fallback, ["NETRC"]),
    unchecked="empty counts as not given; a file that cannot be used is refused",
)


@dataclasses.dataclass
class Credential:
    """How requests authenticate: the headers to send, or nothing at all.

    :arg option: the option that it comes from; none when there is no credential, even if there are headers
    :arg account: user name and password, for a program that logs in for itself
    """

    headers: dict[str, str] = dataclasses.field(default_factory=dict)
    option: str | None = None
    account: tuple[str, str] | None = None

    def __call__(self, request: t.Any) -> t.Any:
        request.headers.update(self.headers)
        return request


def check_header_value(option: str, value: str) -> str:
    """A credential for a header, without the blanks and line ends around it.

    :raises BadOption: when it has characters that no header can carry
    """
    value = value.strip()
    if not value.isascii() or not value.isprintable():
        raise BadOption(option, "has characters that cannot be sent in a header")
    return value


def basic_auth(task: Task, username: str, password: str, option: str = "password") -> Credential:
    """HTTP basic authentication, sent without waiting to be asked."""
    encoded = base64.b64encode(f"{username}:{password}".encode()).decode()
    return Credential({"Authorization": f"Basic {task.register_secret(encoded)}"}, option, (username, password))


def credential_from_account(task: Task, secrets: t.Sequence[str]) -> Credential | None:
    """By user name and the first of the secrets that is given, if any is.

    :arg secrets: the options that go with `username`
    :raises BadOption: when one is given without the other; a user name may also choose a line of the netrc file
    """
    username = task.params["username"]
    option = next((option for option in secrets if task.params[option]), None)
    if username and option:
        return basic_auth(task, username, task.params[option], option)
    if option or (username and not task.params["netrc_file"]):
        names = " or ".join(f"'{name}'" for name in secrets)
        they = "these" if secrets[1:] else "this"
        raise BadOption("username", f"is needed together with {names}, and {they} with it")
    return None


def credential_from_netrc(task: Task, url: str) -> Credential | None:
    """By the line for the host of an address in the file that `netrc_file` names, if it names one.

    :raises BadOption: when the file cannot be read, may be read by others, is broken, or has no line for the host
    """
    path = task.params["netrc_file"]
    if not path:
        return None
    host, username = urlsplit(url).hostname or "", task.params["username"]
    line = _read_netrc(path).authenticators(host)
    if not line or not line[2] or (username and line[0] != username):
        whom = f"'{username}' at {host}" if username else host
        raise BadOption("netrc_file", f"'{path}' has no line with a password for {whom}")
    login, _account, password = line
    return basic_auth(task, login, task.register_secret(password), "netrc_file")


def _read_netrc(path: str) -> netrc.netrc:
    check_readable(path, "netrc_file")
    found = rehearsal.resolve_read(path)
    try:
        if stat.S_IMODE(os.stat(found).st_mode) & 0o077:
            raise BadOption("netrc_file", f"others than its owner may use '{path}': chmod 600 '{path}'")
        return netrc.netrc(found)
    except OSError as error:
        raise BadOption("netrc_file", f"cannot read '{path}': {error.strerror}") from None
    except netrc.NetrcParseError as error:  # its text may quote what it did not understand
        raise BadOption("netrc_file", f"'{path}' is no netrc file: line {error.lineno} cannot be understood") from None
    except UnicodeDecodeError:
        raise BadOption("netrc_file", f"'{path}' is no netrc file: it is not text") from None
