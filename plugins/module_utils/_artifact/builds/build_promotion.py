# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Promote a build: its files to another repository, and its status in the promotion history."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.builds import build_files, build_info
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.items import paths
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.items.properties import normalize
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, read_back, verify_write
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Names of the options in the REST API
_WIRE = {
    "comment": "comment",
    "ci_user": "ciUser",
    "repo": "sourceRepo",
    "target_repo": "targetRepo",
    "copy": "copy",
    "artifacts": "artifacts",
    "dependencies": "dependencies",
    "scopes": "scopes",
    "fail_fast": "failFast",
}


def check(params: Fields) -> None:
    """Validate the options of one promotion.

    :raises BadOption: if a name or a property is invalid
    """
    build_info.address(params["build"], params["number"])
    for option in ("repo", "target_repo"):
        paths.check_path(params[option] or "", "", repo_option=option)
    normalize(params["properties"] or {}, "properties")


def run_key(params: Fields) -> tuple[str, str, str | None]:
    """Return the identity of the run, which must be unique among the items."""
    return params["build"], params["number"], params["project_key"]


class Promotion:
    """The promotion of one run."""

    def __init__(self, task: Task, artifact: ArtifactService) -> None:
        check(task.params)
        self._task = task
        self._artifact = artifact
        self._run: Fields = {}
        self._request = self._build_request()
        self._messages: list[Fields] = []

    def plan(self) -> Fields | None:
        """Return the planned promotion, or `None` if the last promotion was the same.

        :raises ToolchainError: if the run does not exist or does not have the status `from_status`
        """
        params = self._task.params
        self._run = self._find_run()
        self._task.result["promotion"] = self._last_status
        if self._last_status and self._is_same(self._last_status) and (params["fail_fast"] or not self._find_missing()):
            return None
        before = self._last_status["status"] if self._last_status else None
        if params["from_status"] not in (None, before):
            raise ToolchainError(
                f"{self._title} has {f'the status {before!r}' if before else 'no status'}, but 'from_status' "
                f"requires '{params['from_status']}'."
            )
        action = ("copy" if params["copy"] else "move") if params["target_repo"] else "set status"
        return {"action": action, **self._task.select("status", "target_repo"), "files": len(self._list_checksums())}

    def check(self) -> None:
        """Verify that the server can promote builds.

        :raises ToolchainError: if it cannot
        """
        editions.check(self._artifact, features.BUILD_PROMOTION)
        build_info.check_project(self._artifact, self._task.params["project_key"])

    def predict(self) -> Fields:
        """Request a dry run, and verify that it changed neither the promotion history nor the files.

        The request has no status, because some Artifactory versions promote despite the dry run if there is one.

        :raises ToolchainError: if the promotion would fail, or if the dry run promoted the build
        """
        params = self._task.params
        if params["target_repo"]:
            request = {**self._request, "dryRun": True}
            del request["status"]
            missing_files = self._find_missing()
            self._read_messages(self._artifact.http.read("POST", self._address, query=self._query, json=request))
            if len(self._find_run()["statuses"]) > len(self._run["statuses"]) or self._find_missing() != missing_files:
                raise ToolchainError(
                    f"{self._title} was promoted, although only a dry run was requested. Check its files and "
                    "its history."
                )
            self._task.result["messages"] = self._messages
            self._task.changed = not params["fail_fast"]  # then the server does what it can, also with errors
            self._check_messages()
        promotion = {**self._task.select("status", "comment", "ci_user"), "repository": params["target_repo"]}
        return {"messages": self._messages, "promotion": {**promotion, "user": None, "timestamp": None}}

    def promote(self) -> Fields:
        """Promote the build, and verify its promotion history and its files.

        :raises ToolchainError: if the server refused the promotion or completed only a part of it
        """
        verify_write(self._task, self._send_request, self._check_history)
        self._task.result.update(promotion=self._last_status, messages=self._messages)
        self._check_messages()
        if missing_files := self._find_missing():
            raise ToolchainError(
                f"{self._title} was promoted, but {len(missing_files):,} of its {len(self._list_checksums()):,} files "
                f"are not in '{self._task.params['target_repo']}', the first of them with the SHA-1 {missing_files[0]}."
            )
        return {}

    @property
    def _title(self) -> str:
        return f"The run '{self._task.params['number']}' of '{self._task.params['build']}'"

    @property
    def _address(self) -> str:
        return build_info.address(self._task.params["build"], self._task.params["number"], action="promote")

    @property
    def _query(self) -> dict[str, str | None]:
        return build_info.project_query(self._task.params["project_key"])

    @property
    def _last_status(self) -> Fields | None:
        return self._run["statuses"][-1] if self._run["statuses"] else None

    def _find_run(self) -> Fields:
        run = build_info.find_run(self._artifact, **self._task.select("build", "number", "project_key"))
        if run is None:
            raise ToolchainError(f"{self._title} does not exist, or the account has no Read permission on it.")
        return run

    def _is_same(self, status: Fields) -> bool:
        target = self._task.params["target_repo"]
        return status["status"] == self._task.params["status"] and target in (None, status["repository"])

    def _send_request(self) -> None:
        self._read_messages(self._artifact.http.write("POST", self._address, query=self._query, json=self._request))

    def _read_messages(self, response: Response) -> None:
        entries = response.record().maybe_records("messages")
        self._messages = [{"level": entry.text("level"), "message": entry.text("message")} for entry in entries]

    def _check_history(self) -> None:
        earlier = len(self._run["statuses"])
        self._run = read_back(self._find_run, None)
        if not any(map(self._is_same, self._run["statuses"][earlier:])):
            details = f" Messages of the server: {_join_messages(self._messages)}" if self._messages else ""
            raise ToolchainError(
                f"The server accepted the promotion, but the promotion history does not contain it.{details}"
            )

    def _check_messages(self) -> None:
        for message in self._messages:
            if message["level"] == "WARNING":
                self._task.warn(message["message"])
        if errors := [message for message in self._messages if message["level"] == "ERROR"]:
            raise ToolchainError(f"{self._title} could not be promoted completely: {_join_messages(errors)}")

    def _list_checksums(self) -> list[str]:
        """Return the SHA-1 checksums of the files to promote, as far as the build info contains them, without
        duplicates.
        """
        params = self._task.params
        if not params["target_repo"]:
            return []
        scopes = set(params["scopes"] or ())
        files: list[Fields] = []
        for module in self._run["record"].get("modules") or ():
            if params["artifacts"]:
                files += module.get("artifacts") or ()
            if params["dependencies"]:
                needed = module.get("dependencies") or ()
                files += [file for file in needed if not scopes or scopes & set(file.get("scopes") or ())]
        return sorted({file["sha1"] for file in files if isinstance(file.get("sha1"), str)})

    def _find_missing(self) -> list[str]:
        """Return the checksums for which the target repository has no file."""
        checksums = self._list_checksums()
        existing = build_files.find_checksums(self._artifact, self._task.params["target_repo"], checksums)
        return [checksum for checksum in checksums if checksum not in existing]

    def _build_request(self) -> Fields:
        options = self._task.select_provided(*_WIRE)
        request: Fields = {
            "status": self._task.params["status"],
            **{_WIRE[name]: value for name, value in options.items()},
        }
        if self._task.params["properties"]:
            properties = normalize(self._task.params["properties"], "properties")
            request["properties"] = {key: values for key, values in properties.items() if values}
        return request


def _join_messages(messages: t.Sequence[Fields]) -> str:
    return "; ".join(message["message"] for message in messages)
