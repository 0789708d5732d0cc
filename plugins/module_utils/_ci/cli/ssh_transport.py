# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run a CLI command over SSH, with the local `ssh` program."""

from __future__ import annotations

import os
import re

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli import process
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli.command import Command, Events
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import check_readable
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_ENDPOINT = re.compile(r"\[?([0-9A-Za-z][\w.:-]*)\]?:(\d+)")
_SAFE_WORD = re.compile(r"[\w./:=,@%+-]+", re.ASCII)
# Never prompt, and reject unknown host keys
_SAFE_OPTIONS = ("-T", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes")


def execute(task: Task, ci: CiService, command: Command) -> Events:
    """Run the command; yield its output and exit code.

    :raises BadOption: if there is no user name
    :raises ToolchainError: if the SSH server of Jenkins is disabled
    """
    params = task.params
    user = params["ssh_user"] or params["username"]
    if not user:
        raise BadOption("ssh_user", "is required with 'via: ssh', unless 'username' is set")
    for option in ("identity_file", "known_hosts"):
        if params[option]:
            check_readable(params[option], option)
    host, port = _fetch_endpoint(ci)
    arguments = ["ssh", *_SAFE_OPTIONS]
    if params["identity_file"]:
        arguments += ["-i", rehearsal.resolve_read(params["identity_file"]), "-o", "IdentitiesOnly=yes"]
    if params["known_hosts"]:
        known_hosts = rehearsal.resolve_read(params["known_hosts"])
        arguments += ["-o", f'UserKnownHostsFile="{known_hosts}"', "-o", "GlobalKnownHostsFile=/dev/null"]
    arguments += ["-p", port, "-l", user, "--", host, quote_words(command.words)]
    return process.execute(task, command, arguments, "via", os.environ)


def _fetch_endpoint(ci: CiService) -> tuple[str, str]:
    """Return host and port from the header of the login page, which needs no permission."""
    endpoint = ci.http.read("GET", "/login", anonymous=True).headers.get("X-SSH-Endpoint")
    if not endpoint:
        raise ToolchainError(
            f"{ci.http.base_url} announces no SSH server. Enable the SSH server of Jenkins, or check whether a proxy "
            "removes the X-SSH-Endpoint header."
        )
    match = _ENDPOINT.fullmatch(endpoint)
    if not match:
        raise ToolchainError(f"The X-SSH-Endpoint header is not a host and a port: {endpoint!r}.")
    return match[1], match[2]


def quote_words(words: list[str]) -> str:
    """Return a command line that the server splits into these words."""
    return " ".join(word if _SAFE_WORD.fullmatch(word) else _quote(word) for word in words)


def _quote(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
