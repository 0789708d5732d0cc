# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stand-ins that run the jobs of a pipeline for GitHub Actions or GitLab.

Written from the public documentation, not measured at GitHub or GitLab: docs.github.com/en/actions/reference and
docs.gitlab.com/ci/yaml. They know only what the pipelines of examples/platform use, and fail otherwise.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import yaml

Variables = dict[str, str]
OPERATORS = {"&&": "and", "||": "or"}


def evaluate(condition: str, pattern: str, values: Variables) -> bool:
    """Return the value of a condition with `==`, `!=`, `&&` and `||`. A missing value is null.

    :arg pattern: regular expression of the names in the condition
    """
    expression = re.sub(pattern, lambda name: repr(values.get(name[1])), condition)
    for operator, word in OPERATORS.items():
        expression = expression.replace(operator, word)
    assert re.fullmatch(r"""(?:None|(['"])[^'"]*\1|==|!=|and|or|\s)+""", expression), expression
    return bool(eval(expression))


class GitHubWorkflow:
    """A workflow of GitHub Actions.

    :arg contexts: values of the contexts `github`, `secrets` and so on by their full names
    """

    def __init__(self, file: Path, contexts: Variables) -> None:
        self.workflow = yaml.safe_load(file.read_text())
        self.contexts = contexts
        self.actions: list[dict[str, Any]] = []

    def jobs(self) -> list[str]:
        """Return the names of the jobs whose condition is true."""
        names = r"\b(github(?:\.\w+)+)"
        return [name for name, job in self.workflow["jobs"].items() if evaluate(job["if"], names, self.contexts)]

    def run(self, job: str, folder: Path, environment: Variables) -> tuple[str, bool]:
        """Run the commands of a job. Return their output, and whether all succeeded."""
        output, is_good = "", True
        for step in self.workflow["jobs"][job]["steps"]:
            assert step.get("if", "!cancelled()") == "!cancelled()"
            if not is_good and "if" not in step:
                continue
            if "uses" in step:
                self.actions.append(step)
                continue
            variables = self._expand({**self.workflow["env"], **step.get("env", {})})
            done = run_shell(step["run"], folder, {**environment, **variables})
            output += done.stdout + done.stderr
            is_good = is_good and done.returncode == 0
        return output, is_good

    def _expand(self, variables: Variables) -> Variables:
        pattern = r"\$\{\{ ([\w.-]+) \}\}"
        return {name: re.sub(pattern, lambda key: self.contexts[key[1]], text) for name, text in variables.items()}


class GitLabPipeline:
    """A pipeline of GitLab.

    :arg predefined: predefined variables of the pipeline, and those of the project
    """

    def __init__(self, file: Path, predefined: Variables) -> None:
        self.pipeline = yaml.safe_load(file.read_text())
        self.predefined = predefined

    def jobs(self) -> list[str]:
        """Return the names of the jobs with a rule that is true."""
        jobs = {name: job for name, job in self.pipeline.items() if "script" in job}
        return [
            name
            for name, job in jobs.items()
            if any(evaluate(rule["if"], r"\$(\w+)", self.predefined) for rule in job["rules"])
        ]

    def run(self, job: str, folder: Path, environment: Variables) -> tuple[str, bool]:
        """Run the script of a job. Return its output, and whether it succeeded."""
        section = self.pipeline[job]
        variables = {**self.pipeline["variables"], **section.get("variables", {})}
        expanded = {
            name: re.sub(r"\$(\w+)", lambda key: self.predefined[key[1]], text) for name, text in variables.items()
        }
        done = run_shell("\n".join(section["script"]), folder, {**environment, **self.predefined, **expanded})
        return done.stdout + done.stderr, done.returncode == 0


def run_shell(script: str, folder: Path, environment: Variables) -> subprocess.CompletedProcess[str]:
    """Run a script in the way of both servers: the first command that fails ends it."""
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
