# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ansible-lint with the documented configuration fails on wrong options of each module, without sending requests."""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

import generate
from export import export
from support.cases import CASES, MODULES, PREFIX, module_of, parameters

Options = dict[str, Any]
GUIDE = generate.ROOT / "docs/site/start"
# URL variables of the services, set to a server that only listens
ADDRESSES = ("JFROG_URL", "JENKINS_URL", "KLOCWORK_URL", "OPENAI_BASE_URL")


@dataclasses.dataclass(frozen=True)
class Mistake:
    """A task with an error.

    :ivar message: pattern of the expected message
    """

    module: str
    kind: str
    options: Options
    message: str


def code(module: str) -> Any:
    return importlib.import_module(f"ansible_collections.buildworks.toolchain.plugins.modules.{module}")


def sample(module: str, name: str, option: Options) -> Any:
    """Return a valid value of an option: from a case, from an example, or made from its type."""
    tasks = [case.options for key, case in CASES.items() if module_of(key) == module] + list_examples(module)
    values = [task[name] for task in tasks if task.get(name) is not None and "{{" not in str(task[name])]
    made = {
        "int": option.get("at_least", 1),
        "bool": True,
        "list": [1] if option.get("elements") == "int" else ["x"],
        "dict": {"a": "b"},
        "path": "/srv/x",
    }
    return (values or option.get("choices") or [made.get(option["type"], "x")])[0]


def list_examples(module: str) -> list[Options]:
    """Return the options in the examples of a module."""
    tasks = generate.read_documentation(module, "EXAMPLES")
    return [task[PREFIX + module] for task in tasks if isinstance(task.get(PREFIX + module), dict)]


def list_mistakes(module: str) -> Iterator[Mistake]:
    """Yield a task for each kind of error that a module can have."""
    valid, spec = parameters(module), code(module).SPEC
    item = getattr(code(module), "ITEM", spec)
    yield Mistake(module, "unknown option", {**valid, "time_out": 10}, "Unsupported parameters .* time_out")
    yield Mistake(module, "limit", {**valid, "retries": 1000}, "'retries': must be 0 to 100, not 1000")
    required = [name for name, option in item.options.items() if option.get("required")]
    for name in required[:1]:
        incomplete = {option: value for option, value in valid.items() if option != name}
        yield Mistake(module, "missing option", incomplete, f"missing required arguments: .*{name}")
    choices = [name for name, option in spec.options.items() if option.get("choices")]
    for name in choices[:1]:
        wrong: Any = ["bogus"] if spec.options[name]["type"] == "list" else "bogus"
        yield Mistake(module, "choice", {**valid, name: wrong}, f"value of {name} must be one")
    base = {name: value for name, value in valid.items() if name in required}
    for rule, terms in item.rules.items():
        for term in list(terms.items() if isinstance(terms, dict) else terms)[:1]:
            yield Mistake(module, rule, *break_rule(module, item, base, rule, term))


def break_rule(module: str, spec: Any, base: Options, rule: str, term: Any) -> tuple[Options, str]:
    """Return options that break a rule, and the pattern of the message.

    :arg base: valid values of the required options
    """
    if rule == "required_one_of":
        return base, "one of the following is required"
    if rule == "required_if":
        return {**base, term[0]: term[1]}, f"{term[0]} is {term[1]} but|one of the following is required"
    names = list(term[:2] if rule == "mutually_exclusive" else term[:1])
    if rule == "required_by":  # not to miss another rule
        names += [others[0] for others in spec.rules["required_one_of"] if names[0] not in others]
    samples = {name: sample(module, name, spec.options[name]) for name in names}
    message = "parameters are (mutually exclusive|required together)|missing parameter\\(s\\) required by"
    return {**base, **samples}, message


class Playbook:
    """A playbook of which the line of each task is known."""

    def __init__(self) -> None:
        self._lines = ["---", "- name: Play", "  hosts: all", "  gather_facts: false", "  tasks:"]

    def add(self, module: str, options: Options) -> int:
        """Add a task, and return its line."""
        line = len(self._lines) + 1
        task = yaml.safe_dump([{"name": f"Run {module}", PREFIX + module: options}], sort_keys=False, width=1000)
        self._lines += ["    " + text for text in task.splitlines()]
        return line

    def write(self, path: Path) -> None:
        path.write_text("\n".join(self._lines) + "\n")


class Findings(NamedTuple):
    """The result of a run of ansible-lint.

    :ivar mistakes: the mistakes by their line in mistakes.yml
    """

    status: int
    mistakes: dict[int, Mistake]
    findings: list[dict[str, Any]]

    def list_of(self, playbook: str) -> list[dict[str, Any]]:
        return [finding for finding in self.findings if finding["location"]["path"] == playbook]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    """Return the findings in a project with an installed collection and the documented configuration."""
    project = tmp_path_factory.mktemp("project")
    export(project / "collections/ansible_collections/buildworks/toolchain")
    shutil.copy(GUIDE / "ansible-lint.yml", project / ".ansible-lint")
    shutil.copy(GUIDE / "mistakes.yml", project / "playbook.yml")
    wrong, valid, mistakes = Playbook(), Playbook(), {}
    for module in MODULES:
        mistakes |= {wrong.add(module, mistake.options): mistake for mistake in list_mistakes(module)}
        valid.add(module, parameters(module))
        valid.add(module, dict.fromkeys(code(module).SPEC.options, "{{ value }}"))
    wrong.write(project / "mistakes.yml")
    valid.write(project / "valid.yml")
    status, findings = run_ansible_lint(project, "mistakes.yml", "valid.yml", "playbook.yml")
    return Findings(status, mistakes, findings)


def run_ansible_lint(project: Path, *playbooks: str) -> tuple[int, list[dict[str, Any]]]:
    """Return the exit status of ansible-lint and its findings.

    The other rules are skipped, because each of them takes a minute for so many tasks.
    """
    if shutil.which("ansible-lint") is None:
        pytest.skip("ansible-lint is not installed. Run make lint-ansible")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0)
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        variables = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
        done = subprocess.run(
            ["ansible-lint", "--offline", "--format", "json", "--tags", "args[module]", *playbooks],
            cwd=project,
            env={**variables, **dict.fromkeys(ADDRESSES, address), "ANSIBLE_HOME": str(project / ".ansible")},
            capture_output=True,
            text=True,
            check=False,
        )
        with pytest.raises(BlockingIOError):  # no module sent a request
            listener.accept()
    assert "Ignored exception" not in done.stderr, done.stderr
    return done.returncode, json.loads(done.stdout)


def test_each_kind_of_mistake_fails_for_each_module(report: Findings) -> None:
    messages = {
        finding["location"]["lines"]["begin"]: finding["description"] for finding in report.list_of("mistakes.yml")
    }
    undetected = {
        f"{mistake.module}: {mistake.kind}": messages.get(line)
        for line, mistake in report.mistakes.items()
        if not re.search(mistake.message, messages.get(line, ""))
    }
    assert undetected == {}
    assert {mistake.module for mistake in report.mistakes.values()} == set(MODULES)
    assert {finding["severity"] for finding in report.findings} == {"major"}  # not warnings
    assert report.status == 2


def test_valid_tasks_have_no_findings(report: Findings) -> None:
    assert report.list_of("valid.yml") == []


def test_guide_shows_the_findings_of_its_playbook(report: Findings) -> None:
    shown = re.findall(r"^(.+)\nplaybook.yml:(\d+) ", (GUIDE / "mistakes.txt").read_text(), re.MULTILINE)
    findings = [
        (f"{finding['check_name']}: {finding['description']}", str(finding["location"]["lines"]["begin"]))
        for finding in report.list_of("playbook.yml")
    ]
    assert shown == findings
