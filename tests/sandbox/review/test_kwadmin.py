# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the kwadmin replacement."""

from __future__ import annotations

import os
import pathlib
import subprocess
from typing import Any

import pytest

from support.wire.review import Api


class Tool:
    """Runs the program against the server and returns its output."""

    def __init__(self, sandbox: Any) -> None:
        self.url = sandbox.environment["KLOCWORK_URL"]
        self.environment = {**os.environ, **sandbox.environment}

    def call(self, *arguments: str, url: bool = True, **environment: str) -> tuple[int, list[str], str]:
        command = [self.environment["SANDBOX_KWADMIN"], *(["--url", self.url] if url else []), *arguments]
        environment = {**self.environment, **environment}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
        return done.returncode, done.stdout.splitlines(), done.stderr.strip()

    def lines(self, *arguments: str) -> list[str]:
        status, lines, error = self.call(*arguments)
        assert (status, error) == (0, "")
        return lines

    def expect_error(self, *arguments: str) -> str:
        status, lines, error = self.call(*arguments)
        assert (status, lines) == (1, [])
        return error


@pytest.fixture
def tool(sandbox: Any) -> Tool:
    return Tool(sandbox)


def test_builds_are_listed_oldest_first(tool: Tool) -> None:
    assert tool.lines("list-builds", "mobile-app") == ["build_1", "build_2", "build_3"]
    assert tool.expect_error("list-builds", "none") == "Project not found: none"


def test_builds_are_loaded_renamed_and_deleted(tool: Tool, api: Api, tmp_path: pathlib.Path) -> None:
    assert tool.lines("load", "--name", "nightly + 1", "mobile-app", str(tmp_path)) == []
    assert api.records("builds", project="mobile-app")[0]["name"] == "nightly + 1"
    assert (
        tool.expect_error("load", "--name", "build_1", "mobile-app", str(tmp_path)) == "Build already exists: build_1"
    )
    assert tool.expect_error("load", "mobile-app", str(tmp_path / "none")).startswith("Directory does not exist")
    tool.lines("rename-build", "mobile-app", "nightly + 1", "nightly")
    tool.lines("delete-build", "mobile-app", "build_1")
    assert tool.lines("list-builds", "mobile-app") == ["build_2", "build_3", "nightly"]


def test_load_deletes_old_builds_that_are_not_kept(tool: Tool, tmp_path: pathlib.Path) -> None:
    tool.lines("set-project-property", "mobile-app", "auto_delete_threshold", "1")
    tool.lines("load", "--name", "new", "mobile-app", str(tmp_path))
    assert tool.lines("list-builds", "mobile-app") == ["build_2", "new"]


def test_projects_are_created_duplicated_renamed_and_deleted(tool: Tool, api: Api) -> None:
    tool.lines("create-project", "tool-made", "--language", "c")
    tool.lines("rename-project", "tool-made", "renamed")
    tool.lines("duplicate-project", "renamed", "copy")
    assert tool.lines("list-projects") == ["platform", "mobile-app", "renamed", "copy"]
    assert "language=c" in tool.lines("get-project-properties", "copy")
    tool.lines("delete-project", "renamed")
    assert [record["name"] for record in api.records("projects")] == ["platform", "mobile-app", "copy"]


def test_properties_are_listed_and_set(tool: Tool) -> None:
    tool.lines("set-project-property", "platform", "auto_delete_threshold", "5")
    tool.lines("set-project-property", "platform", "description", "a = b; c")
    assert tool.lines("get-project-properties", "platform") == [
        "auto_delete_threshold=5",
        "creator=admin",
        "description=a = b; c",
    ]
    tool.lines("set-project-property", "platform", "auto_delete_threshold", "null")
    assert tool.lines("get-project-properties", "platform")[0] == "auto_delete_threshold=null"
    assert "read-only" in tool.expect_error("set-project-property", "platform", "creator", "me")


def test_configuration_files_are_imported_listed_and_deleted(tool: Tool, tmp_path: pathlib.Path) -> None:
    assert tool.lines("list-config-files", "platform") == []
    for name in ("analysis_profile.pconf", "metrics_default.mconf", "a (b).kb", "none.txt"):
        (tmp_path / name).write_bytes(b"\0 \xff")
    for name in ("analysis_profile.pconf", "metrics_default.mconf", "a (b).kb", "analysis_profile.pconf"):
        tool.lines("import-config", "platform", str(tmp_path / name))
    assert sorted(tool.lines("list-config-files", "platform")) == [
        "a (b).kb (Function Behavior KB)",
        "analysis_profile.pconf (Problems Configuration)",
        "metrics_default.mconf (Metrics Thresholds)",
    ]
    assert tool.expect_error("import-config", "platform", str(tmp_path / "none.txt")).startswith(
        "Not a configuration file"
    )
    assert tool.expect_error("import-config", "platform", str(tmp_path / "none")).startswith("Cannot read")
    tool.lines("delete-config", "platform", "a (b).kb")
    assert tool.expect_error("delete-config", "platform", "a (b).kb") == "Configuration file not found: a (b).kb"
    assert "Metrics Thresholds .mconf" in tool.lines("list-config-types")


def test_global_options_precede_the_command(tool: Tool, tmp_path: pathlib.Path) -> None:
    assert tool.call("list-builds", "mobile-app", "--url", tool.url, url=False)[0] == 2
    arguments = tmp_path / "arguments"
    arguments.write_text(f"--url\n{tool.url}\nlist-projects\n")
    assert tool.call(f"@{arguments}", url=False)[:2] == (0, ["platform", "mobile-app"])


def test_user_is_read_from_the_ltoken_file(tool: Tool, sandbox: Any, tmp_path: pathlib.Path) -> None:
    assert tool.call("list-projects", KLOCWORK_LTOKEN=str(tmp_path / "none"))[0] == 1
    lines = pathlib.Path(sandbox.environment["KLOCWORK_LTOKEN"]).read_text().splitlines(keepends=True)
    (tmp_path / "ltoken").write_text(next(line for line in lines if ";alice;" in line))
    assert tool.call("list-projects", KLOCWORK_LTOKEN=str(tmp_path / "ltoken"))[1] == ["platform"]
    sandbox.switch("review", access_control=False)
    assert tool.call("list-projects", KLOCWORK_LTOKEN=str(tmp_path / "none"))[1] == ["platform", "mobile-app"]


def test_exit_status_is_0_when_there_are_warnings(tool: Tool, sandbox: Any) -> None:
    sandbox.switch("review", kwadmin_warnings=["the login expires soon"])
    assert tool.call("list-projects") == (0, ["platform", "mobile-app"], "Warning: the login expires soon")


def test_message_is_printed_when_the_server_is_unreachable(tool: Tool) -> None:
    status, _lines, error = tool.call("--url", "http://127.0.0.1:1", "list-projects", url=False)
    assert status == 1 and "Connection refused" in error


def test_journal_contains_commands(tool: Tool, sandbox: Any) -> None:
    tool.lines("list-projects")
    tool.lines("rename-build", "mobile-app", "build_1", "one")
    commands = [(entry["label"], entry["effect"]) for entry in sandbox.journal("review")]
    assert commands == [("kwadmin list-projects", "read"), ("kwadmin rename-build", "write")]


def test_message_names_the_command_when_it_is_not_supported(tool: Tool) -> None:
    refusal = tool.expect_error("export-config", "mobile-app", "analysis_profile.pconf")
    assert refusal == "The sandbox does not support this command: export-config"
