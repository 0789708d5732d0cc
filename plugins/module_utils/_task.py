# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One run of a module: validated parameters in, an outcome out, whichever way it runs."""

from __future__ import annotations

import collections
import contextlib
import itertools
import json
import os
import time
import traceback
import typing as t

from ansible.module_utils import basic
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    ServerRefusal,
    ToolchainError,
    WriteInCheckMode,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._interruption import Interrupted, handle_signals
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec, NonFiniteNumber

# After an interruption; somebody waits for the end
SECONDS_TO_CLEAN_UP = 10.0
# Seconds between two lines of progress that say the same; the first of them also between two that do not
_PATIENCE = (1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0)
_SECONDS_FOR_LAST_LOOK = 1.0
_MOST_DIGITS = 40
_REASONS_TOLD = 20
_OTHER_REASONS = "others"


class Reasons(collections.Counter[str]):
    """Texts and how often each came. However many there are, few are kept: later ones count as others."""

    def add(self, text: str, times: int = 1) -> None:
        """Count a text."""
        known = text in self or len(self) < _REASONS_TOLD
        self[text if known else _OTHER_REASONS] += times

    def merge(self, others: t.Mapping[str, int]) -> None:
        """Count texts that were counted elsewhere."""
        for text, times in others.items():
            self.add(text, times)

    def summary(self) -> list[str]:
        """The texts, each with its number when it came more than once."""
        return [text if times == 1 else f"{text} ({times} times)" for text, times in self.items()]


class Task:
    """One run of a module.

    :arg params: the validated parameters
    :arg check_mode: only predict
    :arg diff_mode: put the difference into the outcome
    :arg no_log: whether the user hides the outcome
    :arg tell: shows one line of progress to the user; without it progress is not shown
    :arg last_words: shows a line to the user when the process is about to end, and nothing else is shown any more
    :arg requests: gives a number to each request that is sent, whichever thread sends it
    """

    def __init__(
        self,
        params: dict[str, t.Any],
        *,
        check_mode: bool = False,
        diff_mode: bool = False,
        no_log: bool = False,
        display: t.Callable[[str], None] | None = None,
        display_interruption: t.Callable[[str], None] | None = None,
        requests: t.Iterator[int] | None = None,
    ) -> None:
        self.params = params
        self.check_mode = check_mode
        self.diff_mode = diff_mode
        self.no_log = no_log
        self.changed = False
        self.has_written = False
        self.last_response: str | None = None
        self.result: dict[str, t.Any] = {}
        self.warnings: list[str] = []
        self.retry_reasons = Reasons()
        self.secrets: set[str] = set()
        self.requests = requests or itertools.count()
        self._tell = display
        self._last_words = display_interruption
        self._told = float("-inf")
        self._told_state: str | None = None
        self._told_again = 0
        self._deadline = float("inf")

    @contextlib.contextmanager
    def guard_write(self, what: str) -> t.Iterator[None]:
        """Around each act that changes something, see `acting`. When it is done, the task `wrote`."""
        with self.guard_action(what):
            yield
        self.has_written = True

    @contextlib.contextmanager
    def guard_action(self, what: str, changes_state: bool = True) -> t.Iterator[None]:
        """Around each act that may have an effect: a request, a file, a command.

        :arg what: the act, for messages: `POST /x`, `Storing '/etc/token'`
        :arg changes_state: whether it changes something; a completion, say, only costs
        :raises WriteInCheckMode: in check mode, before anything happened
        """
        if self.check_mode:
            raise WriteInCheckMode(f"{what} would write in check mode. Please report this defect.")
        doubt = f"interrupted during this: {what}. Whether it had its effect is not known."
        with self.on_interrupt(lambda: [doubt] if changes_state else []):
            yield

    @contextlib.contextmanager
    def on_interrupt(self, left: t.Callable[[], t.Iterable[str]]) -> t.Iterator[None]:
        """When the process is interrupted in here, clean up for some seconds, and say how things are left.

        :arg left: cleans up, and gives what is told
        """
        try:
            yield
        except Interrupted:
            with self.enforce_deadline(time.monotonic() + SECONDS_TO_CLEAN_UP):
                try:
                    for text in left():
                        self._tell_last(text)
                except ToolchainError as error:
                    self._tell_last(str(error))
            raise

    def create_item_task(self, params: dict[str, t.Any], diff_mode: bool) -> Task:
        """A task for one of many items, which records for itself what it does.

        :arg params: those in which it differs
        """
        task = Task(
            {**self.params, **params},
            check_mode=self.check_mode,
            diff_mode=diff_mode,
            no_log=self.no_log,
            requests=self.requests,
        )
        task.secrets = self.secrets
        return task

    def select_provided(self, *names: str) -> dict[str, t.Any]:
        """Those of the named options that the user gave."""
        return {name: self.params[name] for name in names if self.params[name] is not None}

    def select(self, *names: str) -> dict[str, t.Any]:
        """The named options, given or not."""
        return {name: self.params[name] for name in names}

    def register_secret(self, value: str) -> str:
        """Remember a value that must not be shown, and hand it back."""
        if value:
            self.secrets.add(value)
        return value

    @contextlib.contextmanager
    def enforce_deadline(self, deadline: float) -> t.Iterator[None]:
        """Let no request in here wait for its answer beyond a moment of `time.monotonic()`."""
        before, self._deadline = self._deadline, min(self._deadline, deadline)
        try:
            yield
        finally:
            self._deadline = before

    def remaining_timeout(self, option: str) -> float:
        """Seconds to wait for an answer: those of the option, but not beyond the deadline; the last look gets one."""
        return min(self.params[option], max(self._deadline - time.monotonic(), _SECONDS_FOR_LAST_LOOK))

    @property
    def response_time_limit(self) -> float:
        """Seconds in which a response must be complete: until the deadline, if there is one, and `timeout` more."""
        return max(self._deadline - time.monotonic(), 0.0) + self.params["timeout"]

    @property
    def is_past_deadline(self) -> bool:
        """Whether the deadline has passed, so that nothing is worth another try."""
        return time.monotonic() >= self._deadline

    def report_progress(self, text: str, state: str | None = None) -> None:
        """Tell what the task is doing: what is new within a second, what lasts ever more rarely.

        :arg state: what the text says without the figures that always change; by default all of it
        """
        state = text if state is None else state
        again = min(self._told_again, len(_PATIENCE) - 1) if state == self._told_state else 0
        now = time.monotonic()
        if now - self._told >= _PATIENCE[again]:
            self._told_again = again + 1 if state == self._told_state else 0
            self._told, self._told_state = now, state
            self.display(text)

    def display(self, text: str) -> None:
        """Tell something that cannot wait."""
        if self._tell:
            self._tell(mask_secrets(text, self.secrets))

    def _tell_last(self, text: str) -> None:
        if self._last_words:
            self._last_words(mask_secrets(text, self.secrets))

    def warn(self, text: str) -> None:
        """Show a warning at the end of the task, once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def record_retry(self, why: str, attempt: int, attempts: int) -> None:
        """Note that a request has to be sent again, for the `attempt`th of at most so many times."""
        self.retry_reasons.add(why)
        self.report_progress(f"{why.rstrip('.')}, trying again ({attempt} of {attempts})")

    def record_change(self, before: dict[str, t.Any], after: dict[str, t.Any]) -> None:
        """Say what the managed part of a resource was and is (or would be, in check mode)."""
        self.changed = self.changed or before != after
        if self.diff_mode:
            self.result["diff"] = {"before": before, "after": after}

    def build_result(self, failure: str | None = None) -> dict[str, t.Any]:
        """The result of the task, as Ansible wants it."""
        if failure is None:
            return {"changed": self.changed, **self.result}
        return {**self.result, "changed": self.changed or self.has_written, "failed": True, "msg": failure}

    def collect_warnings(self) -> list[str]:
        """The warnings, and one for the requests that had to be repeated."""
        if not self.retry_reasons:
            return self.warnings
        reasons = "; ".join(self.retry_reasons.summary())
        return [*self.warnings, f"{sum(self.retry_reasons.values())} request(s) had to be repeated: {reasons}"]


Run = t.Callable[[Task], None]


def perform(task: Task, spec: ArgumentSpec, run: Run) -> dict[str, t.Any]:
    """Run a task and give its outcome; an error that the user has to know about becomes a failure."""
    try:
        with handle_signals():
            spec.check(task.params)
            run(task)
    except Exception as error:
        return task.build_result(failure=explain_failure(task, error))
    return task.build_result()


def explain_failure(task: Task, error: Exception) -> str:
    """Why a task failed; for what nobody thought of, in words that help to mend it."""
    if isinstance(error, ServerRefusal) and error.credential:  # the action says where it came from
        task.result["refused_credential"] = error.credential
    if isinstance(error, ToolchainError):
        return str(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{type(error).__name__} in {os.path.basename(frame.filename)}, line {frame.lineno}"
    came = f"Unexpected answer to {task.last_response}" if task.last_response else "Unexpected parameters"
    return f"{came}: the module cannot make sense of it ({place}). This is a defect of the module, please report it."


def run_as_module(spec: ArgumentSpec, run: Run) -> None:
    """Run as an ordinary Ansible module: parameters on standard input, result on standard output."""
    # looked up now: a linter that checks the options of tasks puts a class in its place that goes no further
    module = basic.AnsibleModule(supports_check_mode=True, **spec.to_keywords())
    task = Task(module.params, check_mode=module.check_mode, diff_mode=module._diff, no_log=module.no_log)
    task.secrets = spec.secrets(module.params)
    # AnsibleModule does not know what the task learned, and since 2.22 removes nothing itself
    outcome = _without_secrets(perform(task, spec, run), task.secrets)
    module.params = mask_secrets(module.params, task.secrets)  # the result shows them
    for warning in mask_secrets(task.collect_warnings(), task.secrets):
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
    no_log: bool = False,
    display: t.Callable[[str], None] | None = None,
    display_interruption: t.Callable[[str], None] | None = None,
    requests: t.Iterator[int] | None = None,
    include_invocation: bool = False,
) -> dict[str, t.Any]:
    """Run inside the calling process, with the result that `run_as_module` would give.

    :arg name: the module's name, for error messages
    :arg parameters: the parameters as the user gave them, templated and `plain`
    :arg no_log: whether the user hides the result
    :arg requests: gives a number to each request that is sent
    :arg with_invocation: put the validated parameters into the result
    """
    if problem := spec.find_type_error(parameters):
        return {"changed": False, "failed": True, "msg": problem}
    validation = ArgumentSpecValidator(**spec.to_keywords()).validate(parameters)
    params = validation.validated_parameters
    task = Task(
        params,
        check_mode=check_mode,
        diff_mode=diff_mode,
        no_log=no_log,
        display=display,
        display_interruption=display_interruption,
        requests=requests,
    )
    task.secrets = spec.secrets(params)
    if validation.error_messages:
        outcome = task.build_result(failure=_validation_failure(name, validation))
    else:
        outcome = perform(task, spec, run)
    if include_invocation:
        outcome["invocation"] = {"module_args": params}
    if warnings := task.collect_warnings():
        outcome["warnings"] = warnings
    return _without_secrets(outcome, task.secrets)


def to_json_types(parameters: dict[str, t.Any]) -> dict[str, t.Any]:
    """Parameters as an ordinary module gets them: JSON values, without marks of where they came from.

    Infinity, NaN and numbers that only Python has become texts: Ansible's validation breaks on them.

    :raises BadOption: when a dictionary has a key that is no text, from which JSON would make one that nobody meant
    """
    for name, value in parameters.items():
        _check_keys(name, value)
    return _FROM_JSON.decode(_TO_JSON.encode(parameters))


def validate_parameters(spec: ArgumentSpec, place: str, given: t.Any) -> dict[str, t.Any]:
    """Parameters that are no task's own: those in a line of a file, say, or in an entry of a dictionary.

    :arg place: where they are, for the message
    :raises BadOption: when they are not as the spec wants them
    """
    if not isinstance(given, dict):
        raise BadOption(place, "takes an object with members")
    parameters = to_json_types(given)
    if problem := spec.find_type_error(parameters):
        raise BadOption(place, problem)
    validation = ArgumentSpecValidator(**spec.to_keywords()).validate(parameters)
    if validation.error_messages:
        raise BadOption(place, validation.errors.msg)
    try:
        spec.check(validation.validated_parameters)
    except ToolchainError as error:
        raise BadOption(place, str(error)) from None
    return validation.validated_parameters


def _check_keys(path: str, value: t.Any) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                what = f"has the key {json.dumps(key, default=_text)}, which is no text"
                raise BadOption(path, f"{what}: put it in quotes (YAML takes on, off, yes and no for booleans)")
            _check_keys(f"{path}.{key}", item)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            _check_keys(f"{path}[{number}]", item)


def _text(value: t.Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MOST_DIGITS else digits


_TO_JSON = json.JSONEncoder(default=_text)
_FROM_JSON = json.JSONDecoder(parse_constant=NonFiniteNumber, parse_int=_integer)


def _validation_failure(name: str, validation: t.Any) -> str:
    message = validation.errors.msg
    if validation.unsupported_parameters and "Supported parameters include" in validation.error_messages[0]:
        return f"Unsupported parameters for ({name}) module: {message}"
    return message


def _without_secrets(outcome: dict[str, t.Any], secrets: set[str]) -> dict[str, t.Any]:
    try:
        return mask_secrets(outcome, secrets)
    except RecursionError:
        failure = "The server's answer is nested too deeply to be shown."
        return {"changed": outcome["changed"], "failed": True, "msg": failure}


def mask_secrets(value: t.Any, secrets: set[str]) -> t.Any:
    """The value without the secrets in its texts, in the way that Ansible hides the values of `no_log` options."""
    if isinstance(value, str):
        for secret in secrets:  # most texts of a long list have none, and the look must take little time
            if secret in value:
                return _masked_text(value, secrets)
        return value
    if isinstance(value, dict):
        return {key: mask_secrets(item, secrets) for key, item in value.items()}
    if isinstance(value, list):
        return [mask_secrets(item, secrets) for item in value]
    return value


def _masked_text(text: str, secrets: set[str]) -> str:
    if text in secrets:
        return "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
    found = [secret for secret in secrets if secret in text]
    for secret in sorted(found, key=len, reverse=True):
        text = text.replace(secret, "********")
    return text
