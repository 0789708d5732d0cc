# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One run of a module: validated parameters in, an outcome out, whichever way it runs."""

from __future__ import annotations

import collections
import time
import typing as t

from ansible.module_utils.basic import AnsibleModule
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError

_SECONDS_BETWEEN_PROGRESS = 1.0


class Task:
    """One run of a module.

    :arg params: the validated parameters
    :arg check_mode: only predict
    :arg diff_mode: put the difference into the outcome
    :arg tell: shows one line of progress to the user; without it progress is not shown
    """

    def __init__(
        self,
        params: dict[str, t.Any],
        *,
        check_mode: bool = False,
        diff_mode: bool = False,
        tell: t.Callable[[str], None] | None = None,
    ) -> None:
        self.params = params
        self.check_mode = check_mode
        self.diff_mode = diff_mode
        self.changed = False
        self.wrote = False
        self.result: dict[str, t.Any] = {}
        self.warnings: list[str] = []
        self.repeats: list[str] = []
        self.secrets: set[str] = set()
        self._tell = tell
        self._told = float("-inf")

    def given(self, *names: str) -> dict[str, t.Any]:
        """Those of the named options that the user gave."""
        return {name: self.params[name] for name in names if self.params[name] is not None}

    def pick(self, *names: str) -> dict[str, t.Any]:
        """The named options, given or not."""
        return {name: self.params[name] for name in names}

    def secret(self, value: str) -> str:
        """Remember a value that must not be shown, and hand it back."""
        if value:
            self.secrets.add(value)
        return value

    def progress(self, text: str) -> None:
        """Tell what the task is doing, at most once a second."""
        now = time.monotonic()
        if self._tell and now - self._told >= _SECONDS_BETWEEN_PROGRESS:
            self._told = now
            self._tell(masked(text, self.secrets))

    def warn(self, text: str) -> None:
        """Show a warning at the end of the task."""
        self.warnings.append(text)

    def repeated(self, why: str) -> None:
        """Note that a request had to be sent again."""
        self.repeats.append(why)
        self.progress(why)

    def record(self, before: dict[str, t.Any], after: dict[str, t.Any]) -> None:
        """Say what the managed part of a resource was and is (or would be, in check mode)."""
        self.changed = self.changed or before != after
        if self.diff_mode:
            self.result["diff"] = {"before": before, "after": after}

    def outcome(self, failure: str | None = None) -> dict[str, t.Any]:
        """The result of the task, as Ansible wants it."""
        if failure is None:
            return {"changed": self.changed, **self.result}
        return {**self.result, "changed": self.changed or self.wrote, "failed": True, "msg": failure}

    def all_warnings(self) -> list[str]:
        """The warnings, and one for the requests that had to be repeated."""
        if not self.repeats:
            return self.warnings
        times = collections.Counter(self.repeats)
        reasons = "; ".join(why if count == 1 else f"{why} ({count} times)" for why, count in times.items())
        return [*self.warnings, f"{len(self.repeats)} request(s) had to be repeated: {reasons}"]


Run = t.Callable[[Task], None]


def perform(task: Task, run: Run) -> dict[str, t.Any]:
    """Run a task and give its outcome; an error that the user has to know about becomes a failure."""
    try:
        run(task)
    except ToolchainError as error:
        return task.outcome(failure=str(error))
    return task.outcome()


def run_as_module(spec: ArgumentSpec, run: Run) -> None:
    """Run as an ordinary Ansible module: parameters on standard input, result on standard output."""
    module = AnsibleModule(supports_check_mode=True, **spec.keywords())
    task = Task(module.params, check_mode=module.check_mode, diff_mode=module._diff)
    task.secrets = spec.secrets(module.params)
    # AnsibleModule does not know what the task learned, and since 2.22 removes nothing itself
    outcome = masked(perform(task, run), task.secrets)
    for warning in masked(task.all_warnings(), task.secrets):
        module.warn(warning)
    if outcome.pop("failed", False):
        module.fail_json(**outcome)
    module.exit_json(**outcome)


def run_in_process(
    name: str,
    spec: ArgumentSpec,
    run: Run,
    parameters: dict[str, t.Any],
    *,
    check_mode: bool = False,
    diff_mode: bool = False,
    tell: t.Callable[[str], None] | None = None,
    with_invocation: bool = False,
) -> dict[str, t.Any]:
    """Run inside the calling process, with the result that :func:`run_as_module` would give.

    :arg name: the module's name, for error messages
    :arg parameters: the parameters as the user gave them, templated
    :arg with_invocation: put the validated parameters into the result
    """
    validation = ArgumentSpecValidator(**spec.keywords()).validate(parameters)
    params = validation.validated_parameters
    task = Task(params, check_mode=check_mode, diff_mode=diff_mode, tell=tell)
    task.secrets = spec.secrets(params)
    if validation.error_messages:
        outcome = task.outcome(failure=_validation_failure(name, validation))
    else:
        outcome = perform(task, run)
    if with_invocation:
        outcome["invocation"] = {"module_args": params}
    if warnings := task.all_warnings():
        outcome["warnings"] = warnings
    return masked(outcome, task.secrets)


def _validation_failure(name: str, validation: t.Any) -> str:
    message = validation.errors.msg
    if validation.unsupported_parameters and "Supported parameters include" in validation.error_messages[0]:
        return f"Unsupported parameters for ({name}) module: {message}"
    return message


def masked(value: t.Any, secrets: set[str]) -> t.Any:
    """The value without the secrets in its texts, in the way that Ansible hides the values of C(no_log) options."""
    if isinstance(value, str):
        return _masked_text(value, secrets)
    if isinstance(value, dict):
        return {key: masked(item, secrets) for key, item in value.items()}
    if isinstance(value, list):
        return [masked(item, secrets) for item in value]
    return value


def _masked_text(text: str, secrets: set[str]) -> str:
    if text in secrets:
        return "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "********")
    return text
