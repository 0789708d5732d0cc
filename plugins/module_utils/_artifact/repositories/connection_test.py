# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Test of the connection between Artifactory and the server that a remote repository proxies.

The user interface sends these requests for the button that tests a connection. The REST API has no other call for this.
"""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import run_or_predict
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_ADDRESS = "/artifactory/api/admin/repositories"


def test_connection(task: Task, artifact: ArtifactService) -> None:
    """Test the connection of a remote repository if the task requires it. In check mode, only of an unchanged one."""
    params = task.params
    if not params["test_connection"] or params["state"] == "absent" or params["type"] != "remote":
        return

    def run() -> None:
        task.result["connection"] = connect(artifact, params["key"])

    run_or_predict(task, run, lambda: None if task.changed else run())


def connect(artifact: ArtifactService, key: str) -> str:
    """Let Artifactory connect to the server of a remote repository, and return Artifactory's message.

    :raises ToolchainError: if the connection fails, or the server cannot test it
    """
    form = artifact.http.read(
        "GET",
        f"{_ADDRESS}/remote{encode_path(key, option='key')}",
        accept=(200, 400, 404, 405),
        label="connection test",
    )
    if form.status != 200:
        raise _unsupported_error(key)
    response = artifact.http.read(
        "POST", f"{_ADDRESS}/testremote", json=form.record(), accept=(200, 400, 404, 405), label="connection test"
    )
    if response.status in (404, 405):
        raise _unsupported_error(key)
    if response.status == 400:
        raise ToolchainError(
            f"Artifactory cannot connect to the server of the remote repository '{key}': "
            f"{_message(response, 'error')}. Check 'remote_url', 'remote_username', 'remote_password' and 'proxy'."
        )
    return _message(response, "info")


def _message(response: Response, member: str) -> str:
    return (response.record().maybe_text(member) or "no reason given").rstrip(". ")


def _unsupported_error(key: str) -> ToolchainError:
    return ToolchainError(
        f"Cannot test the connection of the remote repository '{key}': this version of Artifactory does not support "
        "it. Remove 'test_connection'."
    )
