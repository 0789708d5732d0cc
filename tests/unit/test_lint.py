# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks of options before templating, as ansible-lint calls them."""

from __future__ import annotations

import importlib
import io
import json
from typing import Any

import pytest

import generate
from ansible_collections.buildworks.toolchain.plugins.action import artifact_properties
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import with_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import find_problem
from support.cases import MODULES, PREFIX, parameters

TEMPLATES = ("{{ value }}", "{{ value | default(omit) }}", "{% if value %}{{ value }}{% endif %}", "build-{{ number }}")


def check_range(params: dict[str, Any]) -> None:
    if params["most"] is not None and params["least"] is not None and params["most"] < params["least"]:
        raise BadOption("most", "must not be less than 'least'")


ENTRY = {"key": {"type": "str", "required": True}, "days": {"type": "int", "at_least": 1}, "text": {"type": "str"}}
SPEC = ArgumentSpec(
    {
        "name": {"type": "str", "required": True, "one_line": True},
        "kind": {"type": "str", "choices": ["file", "text"]},
        "file": {"type": "path"},
        "text": {"type": "str"},
        "least": {"type": "int", "at_least": 1},
        "most": {"type": "int"},
        "entries": {
            "type": "list",
            "elements": "dict",
            "options": ENTRY,
            "required_one_of": [("days", "text")],
            "mutually_exclusive": [("days", "text")],
        },
    },
    mutually_exclusive=[("file", "text")],
    required_if=[("kind", "file", ["file"])],
    required_together=[("least", "most")],
    checks=[check_range],
)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"name": None}, "Option 'name': is required."),
        ({"nmae": "n"}, "Unsupported parameters for (example) module: nmae."),
        ({"kind": "fiel"}, "value of kind must be one of: file, text, got: fiel"),
        ({"least": "{{ x }}", "most": "many"}, "Option 'most': must be an integer, not 'many'."),
        ({"name": " n "}, "Option 'name': must not start or end with whitespace, not ' n '."),
        ({"file": "/x", "text": "y"}, "parameters are mutually exclusive: file|text."),
        ({"file": "/x", "text": "y", "least": "{{ x }}"}, "parameters are mutually exclusive: file|text."),
        ({"kind": "file"}, "kind is file but all of the following are missing: file."),
        ({"least": 2, "most": 1}, "Option 'most': must not be less than 'least'."),
        ({"entries": [{"key": "{{ x }}"}]}, "one of the following is required: days, text found in entries."),
        ({"entries": [{"days": 1}]}, "missing required arguments: key found in entries"),
        (
            {"entries": [{"key": "k", "days": 0}, {"key": "{{ x }}"}]},
            "Option 'entries[0].days': must be 1 or more, not 0.",
        ),
        ({"entries": [{"key": "k", "dyas": "{{ x }}"}]}, "Unsupported parameters for (example) module: entries.dyas."),
    ],
)
def test_error_is_found_when_templates_cannot_change_it(options: dict[str, Any], problem: str) -> None:
    found = find_problem("example", SPEC, {"name": "n", **options})
    assert found is not None
    assert found.startswith(problem)


@pytest.mark.parametrize(
    "options",
    [
        {"name": "{{ x }}", "kind": "{{ x }}", "least": "{{ x }}", "most": "{{ x }}"},
        {"kind": "file", "file": "{{ x | default(omit) }}"},
        {"kind": "{{ x }}", "file": "/x"},
        {"file": "{{ x | default(omit) }}", "text": "{{ y | default(omit) }}"},
        {"file": "/x", "text": "{{ x | default(omit) }}"},
        {"least": 2, "most": "{{ x }}"},
        {"entries": "{{ x }}"},
        {"entries": ["{{ x }}", {"key": "k", "days": 1}]},
        {"entries": [{"key": "k", "days": "{{ x }}"}]},
        {"entries": [{"key": "k", "days": "{{ x | default(omit) }}", "text": "t"}]},
        {"entries": [{"key": "{% if x %}k{% endif %}", "text": "t"}, {"key": "k", "days": 1}]},
    ],
)
def test_templates_count_as_unknown(options: dict[str, Any]) -> None:
    assert find_problem("example", SPEC, {"name": "n", **options}) is None


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"items": [{"name": "a"}, {"file": "/x"}]}, "items[1]: missing required arguments: name."),
        (
            {"items": [{"name": "a", "kind": "file"}]},
            "items[0]: kind is file but all of the following are missing: file.",
        ),
        ({"items": [{"name": "a", "least": 2, "most": 1}]}, "Option 'items[0].most': must not be less than 'least'."),
        ({}, "missing required arguments: name."),
        ({"items": [{"file": "/x"}], "name": "{{ x }}"}, None),
        ({"items": [{"name": "a", "kind": "file"}], "file": "{{ x }}"}, None),
        ({"items": "{{ x }}"}, None),
        ({"items": ["{{ x }}"]}, None),
    ],
)
def test_items_are_checked_with_the_defaults_of_the_task(options: dict[str, Any], problem: str | None) -> None:
    assert find_problem("example", with_items(SPEC), options) == problem


def test_environment_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("ansible_collections.buildworks.toolchain.plugins.modules.artifact_info")
    monkeypatch.setenv("JFROG_URL", "not a URL")
    assert find_problem("artifact_info", module.SPEC, {}) is None


def test_files_are_not_read() -> None:
    """The task may run on another machine."""
    module = importlib.import_module("ansible_collections.buildworks.toolchain.plugins.modules.artifact_download")
    options = {"repo": "r", "path": "a", "dest": "/dev/null/directory/file"}
    assert find_problem("artifact_download", module.SPEC, options) is None


@pytest.mark.parametrize("module", MODULES)
def test_valid_tasks_have_no_errors(module: str) -> None:
    spec = importlib.import_module(f"ansible_collections.buildworks.toolchain.plugins.modules.{module}").SPEC
    examples = [task.get(PREFIX + module) for task in generate.read_documentation(module, "EXAMPLES")]
    templated = [dict.fromkeys(spec.options, template) for template in TEMPLATES]
    tasks = [parameters(module), *(options for options in examples if isinstance(options, dict)), *templated]
    problems = [find_problem(module, spec, options) for options in tasks]
    assert [problem for problem in problems if problem] == []


def check_options(monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps({"ANSIBLE_MODULE_ARGS": options})))
    artifact_properties.main()


def test_action_plugin_reports_an_error_as_ansible_lint_expects(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        check_options(monkeypatch, {"repo": "r", "path": "p", "properties": {}, "url": "http://bob:s3cret@host "})
    result = json.loads(capsys.readouterr().out)
    assert result["msg"].startswith("artifact_properties: Option 'url': must not")
    assert "s3cret" not in result["msg"]


def test_action_plugin_reports_nothing_when_options_are_valid(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    check_options(monkeypatch, {"repo": "r", "path": "p", "properties": {"a": "{{ b }}"}})
    assert capsys.readouterr().out == ""
