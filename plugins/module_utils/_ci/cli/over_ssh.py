# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A command over SSH, by the `ssh` of this machine."""

from __future__ import annotations

import os
import re

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli import program
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli.command import Command, Course
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import check_readable
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_ENDPOINT = re.compile(r"\[?([0-9A-Za-z][\w.:-]*)\]?:(\d+)")
_PLAIN = re.compile(r"[\w./:=,@%+-]+", re.ASCII)
# It never asks, and believes no host key that it does not know
_CAREFUL = ("-T", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes")


def course(task: Task, ci: CiService, command: Command) -> Course:
    """What the command writes, and its exit code.

    :raises BadOption: when nobody says whose account it is
    :raises ToolchainError: when the server's SSH server is off
    """
    params = task.params
    user = params["ssh_user"] or params["username"]
    if not user:
        raise BadOption("ssh_user", "is required with 'via: ssh', or 'username'")
    for option in ("identity_file", "known_hosts"):
        if params[option]:
            check_readable(params[option], option)
    host, port = _endpoint(ci)
    identity = (
        ["-i", rehearsal.resolve_read(params["identity_file"]), "-o", "IdentitiesOnly=yes"]
        if params["identity_file"]
        else []
    )
    known = _known(params["known_hosts"]) if params["known_hosts"] else []
    words = ["ssh", *_CAREFUL, *identity, *known, "-p", port, "-l", user, "--", host, line(command.words)]
    return program.course(task, command, words, "via", os.environ)


def _endpoint(ci: CiService) -> tuple[str, str]:
    """Host and port, from the header of a page that everybody may see."""
    told = ci.http.read("GET", "/login", anonymous=True).headers.get("X-SSH-Endpoint")
    if not told:
        raise ToolchainError(
            f"{ci.http.base_url} names no SSH server: none is switched on, or something in between drops the header "
            "X-SSH-Endpoint."
        )
    found = _ENDPOINT.fullmatch(told)
    if not found:
        raise ToolchainError(f"The server's X-SSH-Endpoint is no address of a host and its port: {told!r}.")
    return found[1], found[2]


def _known(path: str) -> list[str]:
    return ["-o", f'UserKnownHostsFile="{rehearsal.resolve_read(path)}"', "-o", "GlobalKnownHostsFile=/dev/null"]


def line(words: list[str]) -> str:
    """The command as a line that the server takes apart into the same words."""
    return " ".join(word if _PLAIN.fullmatch(word) else _quoted(word) for word in words)


def _quoted(word: str) -> str:
    escaped = word.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
