# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The artifact service: its options, addresses, authentication and error shapes."""

from __future__ import annotations

from ansible.module_utils.basic import env_fallback

from ansible_collections.buildworks.toolchain.plugins.module_utils._address import check_url, segments
from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._credential import Credential, basic, header_value
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import CONNECTION, Answer, Http
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

ARTIFACT = CONNECTION + ArgumentSpec(
    dict(
        url=dict(type="str", fallback=(env_fallback, ["JFROG_URL"])),
        username=dict(type="str"),
        password=dict(type="str", no_log=True),
        token=dict(type="str", no_log=True, fallback=(env_fallback, ["JFROG_ACCESS_TOKEN"])),
        api_key=dict(type="str", no_log=True),
    ),
    required_together=[("username", "password")],
)

_ADVICE = {
    401: "The credential was not accepted: check 'token', or 'username' and 'password'.",
    403: "The account lacks a permission for this, or its credential is wrong or locked.",
    404: "It may also be hidden from this account.",
}


class ArtifactService:
    """Talks to an Artifactory platform.

    Paths are relative to the root of the platform: C(/artifactory/api/...) and C(/access/api/...).
    """

    def __init__(self, task: Task) -> None:
        root = check_url(task.params["url"])
        if root.endswith("/artifactory"):
            root = root[: -len("/artifactory")]
        self.http = Http(task, root, credential=_credential(task), explain=_explain)

    def item(self, repo: str, path: str) -> str:
        """The address of an item's information.

        :raises BadOption: when the path has an empty part, C(.) or C(..)
        """
        names = path.strip("/").split("/") if path.strip("/") else []
        return f"/artifactory/api/storage{segments(repo, option='repo')}{segments(*names, option='path')}"

    def properties(self, repo: str, path: str) -> dict[str, list[str]]:
        """The properties of an item, each a sorted list.

        The server answers 404 for an item without properties as for a missing one; then the item itself is looked for.

        :raises ToolchainError: when there is no such item
        """
        address = self.item(repo, path)
        answer = self.http.read("GET", address, query={"properties": None}, accept=(200, 404))
        if answer.status == 200:
            return {key: sorted(values) for key, values in answer.member("properties").items()}
        if self.http.read("GET", address, accept=(200, 404)).status == 404:
            raise ToolchainError(
                f"There is no item '{path}' in the repository '{repo}', or this account may not see it."
            )
        return {}


def _credential(task: Task) -> Credential:
    """By user name and password, else by API key, else by token, else none."""
    if task.params["username"]:
        return basic(task, task.params["username"], task.params["password"])
    if task.params["api_key"]:
        return Credential({"X-JFrog-Art-Api": task.secret(header_value("api_key", task.params["api_key"]))})
    if task.params["token"]:
        return Credential({"Authorization": f"Bearer {task.secret(header_value('token', task.params['token']))}"})
    return Credential()


def _explain(answer: Answer) -> tuple[str | None, str | None]:
    return _message(answer), _ADVICE.get(answer.status)


def _message(answer: Answer) -> str | None:
    """The server's own message: each family of calls has an envelope of its own, and some answers are plain text."""
    body = answer.json_or_none()
    if not isinstance(body, dict):
        return answer.short_text()
    if "error_description" in body:
        return body["error_description"]
    entries = body.get("errors") or body.get("messages") or []
    found = [entry["message"] for entry in entries if isinstance(entry, dict) and entry.get("message")]
    return "; ".join(map(str, found)) or None
