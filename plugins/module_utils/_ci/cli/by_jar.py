# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A command by the server's own client program, run with Java."""

from __future__ import annotations

import os
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli import client, program
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli.command import Command, Course
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_TRANSPORTS = {"http": "-http", "websocket": "-webSocket"}
_VARIABLES = ("JENKINS_URL", "JENKINS_USER_ID", "JENKINS_API_TOKEN", "HUDSON_URL")
_NO_PART_OF_AN_ADDRESS = re.compile(r"[/@?#%\\\s]")


def course(task: Task, ci: CiService, command: Command) -> Course:
    """What the command writes, and its exit code.

    Credentials never stand on a command line, which everybody on the machine may read.
    """
    params = task.params
    offer = client.offered(ci)
    environment = {name: value for name, value in os.environ.items() if name not in _VARIABLES}
    environment.update(_of_hudson(ci) if offer.product == "hudson" else _of_jenkins(ci))
    java = [params["java"], *params["java_options"], "-jar", client.cached(task, ci, offer)]
    words = java + ([] if offer.product == "hudson" else _options(params)) + command.words
    yield from program.course(task, command, words, "java", environment)


def _options(params: dict[str, t.Any]) -> list[str]:
    unsafe = [] if params["validate_certs"] else ["-noCertificateCheck"]
    return [_TRANSPORTS[params["jar_transport"]], *unsafe]


def _of_jenkins(ci: CiService) -> dict[str, str]:
    """What the client is told by the environment: the server, and who asks."""
    login = dict(zip(("JENKINS_USER_ID", "JENKINS_API_TOKEN"), ci.account or ()))
    return {"JENKINS_URL": ci.http.base_url, **login}


def _of_hudson(ci: CiService) -> dict[str, str]:
    """Hudson's client takes the login as a part of the address, as it stands."""
    url = ci.http.base_url
    if ci.account:
        login = ":".join(ci.account)
        if _NO_PART_OF_AN_ADDRESS.search(login):
            raise BadOption("password", "Hudson's client cannot send such a password: it takes none with / @ ? # or %")
        scheme, _colon, rest = url.partition("://")
        url = f"{scheme}://{login}@{rest}"
    return {"HUDSON_URL": url}
