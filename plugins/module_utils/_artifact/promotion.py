# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A build promoted: its files to the next repository, and an entry in its history."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import build_files, builds, paths
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.properties import normalised
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, verify_write
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Options and what the server calls them
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
    """
    :raises BadOption: when the run cannot have these names, or its files these properties
    """
    builds.address(params["build"], params["number"])
    for option in ("repo", "target_repo"):
        paths.check(params[option] or "", "", repo_option=option)
    normalised(params["properties"] or {}, "properties")


def run_of(params: Fields) -> tuple[str, str, str | None]:
    """What no two of many promotions may have in common."""
    return params["build"], params["number"], params["project_key"]


class Promotion:
    """The promotion of one run, as the options of a task say."""

    def __init__(self, task: Task, artifact: ArtifactService) -> None:
        check(task.params)
        self._task = task
        self._artifact = artifact
        self._run: Fields = {}
        self._order = self._wishes()
        self._messages: list[Fields] = []

    def plan(self) -> Fields | None:
        """What the promotion does; `None` when the last one was the same.

        :raises ToolchainError: when there is no such run, or it has not the status that it must have
        """
        params = self._task.params
        self._run = self._find()
        self._task.result["promotion"] = self._last
        if self._last and self._is_this(self._last) and (params["fail_fast"] or not self._missing()):
            return None
        before = self._last["status"] if self._last else None
        if params["from_status"] not in (None, before):
            raise ToolchainError(
                f"{self._named} has {f'the status {before!r}' if before else 'no status'}; it must have "
                f"'{params['from_status']}' to become '{params['status']}'."
            )
        action = ("copy" if params["copy"] else "move") if params["target_repo"] else "set status"
        return {"action": action, **self._task.select("status", "target_repo"), "files": len(self._checksums())}

    def rehearse(self) -> Fields:
        """Let the server try it.

        The status is left out: with it some servers promote in earnest. So whether it did is looked for, in the
        history and among the files.

        :raises ToolchainError: when it could not be done, or was done
        """
        params = self._task.params
        if not params["target_repo"]:
            self._artifact.check_pro("The promotion of builds")
        else:
            order = {**self._order, "dryRun": True}
            del order["status"]
            missing = self._missing()
            self._take(self._artifact.http.read("POST", self._address, query=self._query, json=order))
            if len(self._find()["statuses"]) > len(self._run["statuses"]) or self._missing() != missing:
                raise ToolchainError(f"{self._named} was promoted, though the server was asked for a dry run only.")
            self._task.result["messages"] = self._messages
            self._task.changed = not params["fail_fast"]  # then the server does what it can, also with errors
            self._check_messages()
        promotion = {**self._task.select("status", "comment", "ci_user"), "repository": params["target_repo"]}
        return {"messages": self._messages, "promotion": {**promotion, "user": None, "timestamp": None}}

    def carry_out(self) -> Fields:
        """Promote, and see that the history has it and the files are there.

        :raises ToolchainError: when the server refused, or did a part of it only
        """
        verify_write(self._task, self._send, self._check_history)
        self._task.result.update(promotion=self._last, messages=self._messages)
        self._check_messages()
        if missing := self._missing():
            raise ToolchainError(
                f"{self._named} was promoted, but {len(missing):,} of its {len(self._checksums()):,} files are not in "
                f"'{self._task.params['target_repo']}', the first of them with the SHA-1 {missing[0]}."
            )
        return {}

    @property
    def _named(self) -> str:
        return f"The run '{self._task.params['number']}' of '{self._task.params['build']}'"

    @property
    def _address(self) -> str:
        return builds.address(self._task.params["build"], self._task.params["number"], act="promote")

    @property
    def _query(self) -> dict[str, str | None]:
        return builds.in_project(self._task.params["project_key"])

    @property
    def _last(self) -> Fields | None:
        return self._run["statuses"][-1] if self._run["statuses"] else None

    def _find(self) -> Fields:
        run = builds.find(self._artifact, **self._task.select("build", "number", "project_key"))
        if run is None:
            raise ToolchainError(f"{self._named} is not there, or this account may not see it.")
        return run

    def _is_this(self, status: Fields) -> bool:
        target = self._task.params["target_repo"]
        return status["status"] == self._task.params["status"] and target in (None, status["repository"])

    def _send(self) -> None:
        self._take(self._artifact.http.write("POST", self._address, query=self._query, json=self._order))

    def _take(self, response: Response) -> None:
        found = response.record().maybe_records("messages")
        self._messages = [{"level": entry.text("level"), "message": entry.text("message")} for entry in found]

    def _check_history(self) -> None:
        earlier = len(self._run["statuses"])
        self._run = self._find()
        if not any(map(self._is_this, self._run["statuses"][earlier:])):
            said = f" It says: {_joined(self._messages)}" if self._messages else ""
            raise ToolchainError(f"The server accepted the promotion, but it is not in the history of the build.{said}")

    def _check_messages(self) -> None:
        for message in self._messages:
            if message["level"] == "WARNING":
                self._task.warn(message["message"])
        if errors := [message for message in self._messages if message["level"] == "ERROR"]:
            raise ToolchainError(f"{self._named} could not be promoted as a whole: {_joined(errors)}")

    def _checksums(self) -> list[str]:
        """The SHA-1 of the files that go with the promotion, as far as the record has them, each once."""
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

    def _missing(self) -> list[str]:
        """Those of them that the target repository has no file with."""
        checksums = self._checksums()
        there = build_files.with_content(self._artifact, self._task.params["target_repo"], checksums)
        return [checksum for checksum in checksums if checksum not in there]

    def _wishes(self) -> Fields:
        given = self._task.select_provided(*_WIRE)
        wishes: Fields = {
            "status": self._task.params["status"],
            **{_WIRE[name]: value for name, value in given.items()},
        }
        if self._task.params["properties"]:
            properties = normalised(self._task.params["properties"], "properties")
            wishes["properties"] = {key: values for key, values in properties.items() if values}
        return wishes


def _joined(messages: t.Sequence[Fields]) -> str:
    return "; ".join(message["message"] for message in messages)
