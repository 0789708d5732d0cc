# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Run a CLI command with the server's jenkins-cli.jar."""

from __future__ import annotations

import os
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli import jar, process
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli.command import Command, Events
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_TRANSPORTS = {"http": "-http", "websocket": "-webSocket"}
_VARIABLES = ("JENKINS_URL", "JENKINS_USER_ID", "JENKINS_API_TOKEN", "HUDSON_URL")
_INVALID_IN_URL = re.compile(r"[/@?#%\\\s]")


def execute(task: Task, ci: CiService, command: Command) -> Events:
    """Run the command; yield its output and exit code.

    Credentials are passed in environment variables, because all users can read command lines.
    """
    params = task.params
    remote = jar.fetch_remote_jar(ci)
    environment = {name: value for name, value in os.environ.items() if name not in _VARIABLES}
    environment.update(_hudson_environment(ci) if remote.product == "hudson" else _jenkins_environment(ci))
    java = [params["java"], *params["java_options"], "-jar", jar.cache_jar(task, ci, remote)]
    arguments = java + ([] if remote.product == "hudson" else _client_options(params)) + command.words
    yield from process.execute(task, command, arguments, "java", environment)


def _client_options(params: dict[str, t.Any]) -> list[str]:
    insecure = [] if params["validate_certs"] else ["-noCertificateCheck"]
    return [_TRANSPORTS[params["jar_transport"]], *insecure]


def _jenkins_environment(ci: CiService) -> dict[str, str]:
    """Return the environment variables with URL and credential."""
    login = dict(zip(("JENKINS_USER_ID", "JENKINS_API_TOKEN"), ci.account or ()))
    return {"JENKINS_URL": ci.http.base_url, **login}


def _hudson_environment(ci: CiService) -> dict[str, str]:
    """Return the environment variable with the URL. Hudson's client reads the credential from it, unencoded."""
    url = ci.http.base_url
    if ci.account:
        login = ":".join(ci.account)
        if _INVALID_IN_URL.search(login):
            raise BadOption("password", "must not contain / @ ? # % \\ or blanks, because Hudson's client rejects them")
        scheme, _colon, rest = url.partition("://")
        url = f"{scheme}://{login}@{rest}"
    return {"HUDSON_URL": url}
