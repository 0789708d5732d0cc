# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from support.admin_program import Program
from support.running import run

URL = "https://review.example.com:8443"
TOKEN = "3f9a61c08d5e4b7792d14a6efb0c8d25"
PCONF = "analysis_profile.pconf (Problems Configuration)\n"
LISTING = ["--url", URL, "list-config-files", "app"]


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    monkeypatch.setenv("HOME", str(tmp_path))
    tool = Program(tmp_path)
    tool.answers("list-config-files", out=PCONF + "a (b).kb (Function Behavior KB)\n")
    return tool


@pytest.fixture
def src(tmp_path: Path) -> Path:
    path = tmp_path / "analysis_profile.pconf"
    path.write_text("<config/>")
    return path


def run_task(program: Program, module: str = "review_config_file_info", **options: Any) -> dict[str, Any]:
    login = {"username": "admin", "ltoken": TOKEN}
    return run(module, **{"url": URL, "project": "app", "admin_tool": program.words, **login, **options})


def manage(program: Program, **options: Any) -> dict[str, Any]:
    return run_task(program, "review_config_file", **options)


def import_words(src: Path) -> list[str]:
    return ["--url", URL, "import-config", "app", str(src)]


def test_files_of_project_are_listed(program: Program) -> None:
    assert run_task(program) == {
        "changed": False,
        "config_files": [
            {"name": "a (b).kb", "type": "Function Behavior KB"},
            {"name": "analysis_profile.pconf", "type": "Problems Configuration"},
        ],
    }
    assert program.words_of_calls() == [LISTING]
    assert [file["name"] for file in run_task(program, name="a (b).kb")["config_files"]] == ["a (b).kb"]


def test_types_are_listed_when_requested(program: Program) -> None:
    program.answers("list-config-types", out="Size of Types .szt\nOverride File .h\n")
    assert run_task(program, types=True)["types"] == [
        {"type": "Size of Types", "extension": ".szt"},
        {"type": "Override File", "extension": ".h"},
    ]


def test_token_is_passed_in_temporary_private_file(program: Program) -> None:
    run_task(program)
    (call,) = program.calls()
    assert f"review.example.com;8443;admin;{TOKEN}" in call["ltoken"].splitlines()
    assert call["mode"] == "600"
    assert not Path(call["path"]).exists()
    assert TOKEN not in " ".join(call["words"])


def test_kwadmin_uses_its_own_login_without_token(program: Program) -> None:
    run_task(program, ltoken=None)
    assert program.calls()[0]["ltoken"] is None
    program.answers("list-config-files", error="Authentication failed", status=1)
    failure = run_task(program, ltoken=None)["msg"]
    assert "failed with exit code 1: Authentication failed. No login token was sent" in failure


def test_login_with_semicolon_is_refused(program: Program) -> None:
    assert run_task(program, username="a;b")["msg"].startswith("Option 'username': must not contain ';'")


def test_warnings_of_kwadmin_are_reported_without_token(program: Program) -> None:
    program.answers("list-config-files", out=PCONF, error=f"Warning: {TOKEN} expires soon\nPicked up options\n")
    result = run_task(program)
    assert not result.get("failed")
    assert result["warnings"] == ["Warning: ******** expires soon"]


def test_warning_in_output_is_not_listed(program: Program) -> None:
    program.answers("list-config-files", out=f"Warning: {TOKEN} expires soon\nWarnings.tpl (Template)\n")
    result = run_task(program)
    assert result["config_files"] == [{"name": "Warnings.tpl", "type": "Template"}]
    assert result["warnings"] == ["Warning: ******** expires soon"]


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (
            {"error": "Warning: old\nProject not found: app\n", "status": 3},
            "'kwadmin list-config-files' failed with exit code 3: Project not found: app.",
        ),
        (
            {"error": "Warning: old\n", "out": "Project not found: app\n", "status": 3},
            "'kwadmin list-config-files' failed with exit code 3: Project not found: app.",
        ),
        ({"status": 1}, "'kwadmin list-config-files' failed with exit code 1: it printed no error message."),
        ({"out": "<html>\n"}, "Cannot parse the output of 'kwadmin list-config-files': <html>."),
        ({"signal": 9}, "'kwadmin list-config-files' was killed by signal 9."),
        (
            {"seconds": 600},
            "'kwadmin list-config-files' did not finish within 'admin_tool_timeout' (1 s) and was killed.",
        ),
    ],
)
def test_failures_of_kwadmin_are_reported(program: Program, answer: dict[str, Any], message: str) -> None:
    program.answers("list-config-files", **answer)
    patience = {"admin_tool_timeout": 1} if "seconds" in answer else {}
    assert run_task(program, **patience)["msg"] == message


def test_missing_kwadmin_is_reported(program: Program) -> None:
    message = "Option 'admin_tool': cannot run '/no/kwadmin' on the host on which the task runs: No such file"
    assert run_task(program, admin_tool="/no/kwadmin")["msg"].startswith(message)


@pytest.mark.parametrize("project", ["-force", "@file"])
def test_ambiguous_arguments_are_refused(program: Program, project: str) -> None:
    assert run_task(program, project=project)["msg"].startswith(f"'{project}' cannot be passed to kwadmin")
    assert program.calls() == []


def test_file_is_imported_once(program: Program, src: Path) -> None:
    program.answers("import-config")
    sha256 = hashlib.sha256(b"<config/>").hexdigest()
    checked = manage(program, src=str(src), check_mode=True, diff_mode=True)
    assert program.words_of_calls() == [LISTING]
    result = manage(program, src=str(src), diff_mode=True)
    assert program.words_of_calls() == [LISTING, import_words(src), LISTING]
    assert result == checked
    assert result["config_file"] == {
        "name": "analysis_profile.pconf",
        "type": "Problems Configuration",
        "sha256": sha256,
    }
    record = src.with_name("analysis_profile.pconf.sent")
    assert json.loads(record.read_text()) == {URL: {"app": {src.name: sha256}}}
    assert oct(record.stat().st_mode)[-3:] == "600"
    assert not manage(program, src=str(src))["changed"]
    assert program.words_of_calls() == [LISTING]


def test_file_is_imported_again_when_changed_or_forced(program: Program, src: Path) -> None:
    program.answers("import-config")
    manage(program, src=str(src))
    assert manage(program, src=str(src), force=True)["changed"]
    assert manage(program, src=str(src), force=True, check_mode=True)["changed"]
    src.write_text("<other/>")
    program.calls()
    assert manage(program, src=str(src))["changed"]
    assert program.words_of_calls() == [LISTING, import_words(src), LISTING]
    assert not manage(program, src=str(src))["changed"]


def test_file_is_imported_when_server_does_not_list_it(program: Program, src: Path) -> None:
    program.answers("import-config")
    manage(program, src=str(src))
    program.answers("list-config-files")
    result = manage(program, src=str(src))
    assert result["changed"]
    assert result["msg"] == "The server accepted the change, but the config_file does not exist."


def test_checksum_is_not_stored_when_import_fails(program: Program, src: Path) -> None:
    program.answers("import-config", error="Not a configuration file", status=1)
    result = manage(program, src=str(src))
    assert result["msg"] == "'kwadmin import-config' failed with exit code 1: Not a configuration file."
    assert not result["changed"]
    program.answers("import-config")
    assert manage(program, src=str(src))["changed"]


def test_outcome_is_unknown_when_kwadmin_is_killed(program: Program, src: Path) -> None:
    program.answers("import-config", signal=9)
    message = manage(program, src=str(src))["msg"]
    assert message.endswith("was killed by signal 9. Whether the request had its effect is not known.")


def test_foreign_checksum_file_is_not_changed(program: Program, src: Path) -> None:
    other = src.with_name("notes")
    for text in ("my notes", "[1]", '{"a": "b"}'):
        other.write_text(text)
        result = manage(program, src=str(src), checksum_file=str(other))
        assert (
            result["msg"]
            == f"Option 'checksum_file': '{other}' is not a checksum file of this module. Use another path."
        )
        assert other.read_text() == text


@pytest.mark.parametrize("check_mode", [True, False])
def test_file_is_not_imported_when_checksum_cannot_be_stored(program: Program, src: Path, check_mode: bool) -> None:
    program.answers("list-config-files")
    program.answers("import-config")
    garbage = src.with_suffix(".old")
    garbage.write_text("no JSON")
    for record, message in ((src.parent, "it is not a regular file"), (garbage, "is not a checksum file")):
        result = manage(program, src=str(src), checksum_file=str(record), check_mode=check_mode)
        assert message in result["msg"]
        assert program.words_of_calls() == [LISTING]


def test_checksum_file_can_be_shared_by_projects(program: Program, src: Path) -> None:
    program.answers("import-config")
    manage(program, src=str(src))
    manage(program, src=str(src), project="other")
    assert not manage(program, src=str(src))["changed"]
    assert not manage(program, src=str(src), project="other")["changed"]


def test_file_is_deleted_once(program: Program) -> None:
    program.answers("delete-config")
    options = {"name": "analysis_profile.pconf", "state": "absent"}
    assert manage(program, check_mode=True, **options) == {"changed": True, "config_file": None}
    assert program.words_of_calls() == [LISTING]
    result = manage(program, **options)
    assert result["msg"] == "The server accepted the change, but the config_file still exists."
    deletion = ["--url", URL, "delete-config", "app", "analysis_profile.pconf"]
    assert program.words_of_calls() == [LISTING, deletion, LISTING]
    program.answers("list-config-files")
    assert manage(program, **options) == {"changed": False, "config_file": None}


def test_nothing_is_deleted_when_project_is_missing(program: Program) -> None:
    options = {"name": "analysis_profile.pconf", "state": "absent"}
    program.answers("list-config-files", status=1, error="Project not found: app")
    program.answers("list-projects", out="other\n")
    assert manage(program, **options) == {"changed": False, "config_file": None}
    for existing in ("app\nother\n", ""):
        program.answers("list-projects", out=existing)
        assert "failed with exit code 1: Project not found: app" in manage(program, **options)["msg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "x.pconf"}, "state is present but all of the following are missing: src"),
        ({"state": "absent"}, "one of the following is required: src, name"),
        ({"src": "/no/file"}, "Option 'src': '/no/file' cannot be read: it does not exist."),
    ],
)
def test_invalid_options_are_refused_before_kwadmin_runs(
    program: Program, options: dict[str, Any], message: str
) -> None:
    assert run_task(program, "review_config_file", **options)["msg"] == message
    assert program.calls() == []
