# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One run of a module, in process or as an ordinary Ansible module: parameters, guard of writes, result."""

from __future__ import annotations

import collections
import contextlib
import itertools
import json
import os
import re
import time
import traceback
import typing as t

from ansible.module_utils import basic
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    MissingObject,
    ServerRefusal,
    ToolchainError,
    WriteInCheckMode,
    neutralize,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._interruption import (
    Interrupted,
    handle_signals,
    mark_handled,
    raise_unhandled,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec, NonFiniteNumber
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.templates import mark_templates

# Time limit for the clean-up after an interruption
SECONDS_TO_CLEAN_UP = 10.0
# Seconds between progress lines with the same state. The first is also the minimum between lines with different states
_PROGRESS_INTERVALS = (1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0)
_LAST_REQUEST_TIMEOUT = 1.0
_MAX_DIGITS = 40
_MAX_REASONS = 20
_OTHER_REASONS = "others"
# Shorter secrets are masked only as words, because inside of words they would make messages unreadable
_MIN_LENGTH_INSIDE_WORDS = 8
# Members of a result that control how it is processed
_CONTROL_MEMBERS = ("refused_credential",)
# Added in check mode to the message about an object that does not exist
_PREDICT_ADVICE = "If earlier tasks create missing objects, set 'predict_missing: true'."


class Reasons(collections.Counter[str]):
    """A counter of texts with limited memory: after the first 20 different texts, others are counted together."""

    def add(self, text: str, times: int = 1) -> None:
        """Count one text."""
        is_listed = text in self or len(self) < _MAX_REASONS
        self[text if is_listed else _OTHER_REASONS] += times

    def merge(self, others: t.Mapping[str, int]) -> None:
        """Add the counts of another counter."""
        for text, times in others.items():
            self.add(text, times)

    def summary(self) -> list[str]:
        """Return the texts, with their counts if above 1."""
        return [text if times == 1 else f"{text} ({times} times)" for text, times in self.items()]


class Task:
    """One run of a module.

    :arg params: validated parameters
    :arg check_mode: whether changes are only predicted
    :arg diff_mode: whether the result contains a diff
    :arg no_log: whether the user hides the result
    :arg display: shows a line of progress; if `None`, progress is not shown
    :arg display_interruption: shows a line while the process is being terminated, when `display` has no effect
    :arg requests: counter of sent requests, shared by all threads
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
        self.effect = "change"  # or `deletion` or `opening`, if the task changes something
        self.has_written = False
        self.last_response: str | None = None
        self.result: dict[str, t.Any] = {}
        self.warnings: list[str] = []
        self.retry_reasons = Reasons()
        self.secrets: set[str] = set()
        self.option_names: frozenset[str] = frozenset()
        self.requests = requests or itertools.count()
        self._display = display
        self._display_interruption = display_interruption
        self._progress_time = float("-inf")
        self._progress_state: str | None = None
        self._progress_repeats = 0
        self._deadline = float("inf")

    @contextlib.contextmanager
    def guard_write(self, action: str) -> t.Iterator[None]:
        """Guard an action that changes something, see `guard_action`. Afterwards the task `has_written`."""
        with self.guard_action(action):
            yield
        self.has_written = True

    @contextlib.contextmanager
    def guard_action(self, action: str, changes_state: bool = True) -> t.Iterator[None]:
        """Guard an action that may have an effect, such as a request, a file or a command.

        :arg action: the action for messages, such as `POST /x` or `Storing '/etc/token'`
        :arg changes_state: whether the action changes something; a completion, for example, only has a cost
        :raises WriteInCheckMode: in check mode, before the action
        """
        if self.check_mode:
            raise WriteInCheckMode(f"{action} would write in check mode. Please report this defect.")
        doubt = f"interrupted during this: {action}. Whether it had its effect is not known."
        with self.on_interrupt(lambda: [doubt] if changes_state else []):
            yield

    @contextlib.contextmanager
    def on_interrupt(self, clean_up: t.Callable[[], t.Iterable[str]]) -> t.Iterator[None]:
        """If the process is interrupted inside the context, clean up for some seconds and display the remaining state.

        :arg clean_up: cleans up, and returns lines to display
        """
        try:
            yield
        except Interrupted:
            mark_handled()
            with self.enforce_deadline(time.monotonic() + SECONDS_TO_CLEAN_UP):
                try:
                    for text in clean_up():
                        self._display_interruption_line(text)
                except ToolchainError as error:
                    self._display_interruption_line(str(error))
            raise

    def create_item_task(self, params: dict[str, t.Any], diff_mode: bool) -> Task:
        """Return a task for one item, with a separate result, warnings and retries.

        :arg params: parameters that replace those of this task
        """
        task = Task(
            {**self.params, **params},
            check_mode=self.check_mode,
            diff_mode=diff_mode,
            no_log=self.no_log,
            requests=self.requests,
        )
        task.secrets, task.option_names = self.secrets, self.option_names
        return task

    @property
    def predicts_missing(self) -> bool:
        """Whether to treat missing resources as created by an earlier task."""
        return bool(self.check_mode and self.params.get("predict_missing"))

    def select_provided(self, *names: str) -> dict[str, t.Any]:
        """Return the named options that are not null."""
        return {name: self.params[name] for name in names if self.params[name] is not None}

    def select(self, *names: str) -> dict[str, t.Any]:
        """Return the named options, including those that are null."""
        return {name: self.params[name] for name in names}

    def register_secret(self, value: str) -> str:
        """Mask a value in all output, and return it."""
        if value:
            self.secrets.add(value)
        return value

    def mask(self, value: t.Any) -> t.Any:
        """Return a value with masked secrets, while other threads may register secrets."""
        return mask_secrets(value, set(self.secrets), self.option_names)

    @contextlib.contextmanager
    def enforce_deadline(self, deadline: float) -> t.Iterator[None]:
        """Limit requests inside the context to a deadline, a value of `time.monotonic()`."""
        before, self._deadline = self._deadline, min(self._deadline, deadline)
        try:
            yield
        finally:
            self._deadline = before

    def remaining_timeout(self, option: str) -> float:
        """Return the timeout of an option in seconds, limited to the deadline. The last request gets one second."""
        return min(self.params[option], max(self._deadline - time.monotonic(), _LAST_REQUEST_TIMEOUT))

    @property
    def response_time_limit(self) -> float:
        """The time limit for a whole response in seconds: `timeout` beyond the deadline, if there is one."""
        return max(self._deadline - time.monotonic(), 0.0) + self.params["timeout"]

    @property
    def is_past_deadline(self) -> bool:
        """Return whether the deadline has passed, so that nothing is retried."""
        return time.monotonic() >= self._deadline

    def report_progress(self, text: str, state: str | None = None) -> None:
        """Display progress. A new state is shown within a second, an unchanged state at growing intervals.

        Everything that waits reports its progress, so that a wait also ends after an interruption that Python lost.

        :arg state: the text without figures that always change; by default the whole text
        """
        raise_unhandled()
        state = text if state is None else state
        again = min(self._progress_repeats, len(_PROGRESS_INTERVALS) - 1) if state == self._progress_state else 0
        now = time.monotonic()
        if now - self._progress_time >= _PROGRESS_INTERVALS[again]:
            self._progress_repeats = again + 1 if state == self._progress_state else 0
            self._progress_time, self._progress_state = now, state
            self.display(text)

    def display(self, text: str) -> None:
        """Display a line immediately."""
        if self._display:
            self._display(neutralize(self.mask(text)))

    def _display_interruption_line(self, text: str) -> None:
        if self._display_interruption:
            self._display_interruption(neutralize(self.mask(text)))

    def warn(self, text: str) -> None:
        """Add a warning to the result, unless the result already contains it."""
        if text not in self.warnings:
            self.warnings.append(text)

    def record_retry(self, reason: str, attempt: int, max_attempts: int) -> None:
        """Record and display that a request is repeated."""
        self.retry_reasons.add(reason)
        self.report_progress(f"{reason.rstrip('.')}, retry {attempt} of {max_attempts}")

    def record_change(self, before: dict[str, t.Any], after: dict[str, t.Any], opens_access: bool = False) -> None:
        """Record the managed fields of a resource before and after the task, in check mode the predicted ones.

        :arg opens_access: whether somebody gains access by the change
        """
        self.changed = self.changed or before != after
        self.effect = "deletion" if after.get("state") == "absent" else "opening" if opens_access else "change"
        if self.diff_mode:
            self.result["diff"] = {"before": before, "after": after}

    def build_result(self, failure: str | None = None) -> dict[str, t.Any]:
        """Return the result of the task in Ansible's format."""
        if failure is None:
            return {"changed": self.changed, **self.result}
        return {**self.result, "changed": self.changed or self.has_written, "failed": True, "msg": failure}

    def collect_warnings(self) -> list[str]:
        """Return the warnings, including one about repeated requests."""
        if not self.retry_reasons:
            return self.warnings
        reasons = "; ".join(self.retry_reasons.summary())
        return [*self.warnings, f"{sum(self.retry_reasons.values())} request(s) were retried: {reasons}"]


Run = t.Callable[[Task], None]


def perform(task: Task, spec: ArgumentSpec, run: Run) -> dict[str, t.Any]:
    """Run a task and return its result. An exception becomes a failure."""
    try:
        with handle_signals():
            spec.check(task.params)
            run(task)
    except Exception as error:
        return task.build_result(failure=explain_failure(task, error))
    return task.build_result()


def explain_failure(task: Task, error: Exception) -> str:
    """Return the message for an exception. That of an unexpected exception helps to report the defect."""
    if isinstance(error, ServerRefusal) and error.credential:  # the action plugin adds the source of the credential
        task.result["refused_credential"] = error.credential
    if isinstance(error, MissingObject) and task.check_mode and task.params.get("predict_missing") is False:
        return f"{error} {_PREDICT_ADVICE}"
    if isinstance(error, ToolchainError):
        return str(error)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{type(error).__name__} in {os.path.basename(frame.filename)}, line {frame.lineno}"
    cause = f"Unexpected response to {task.last_response}" if task.last_response else "Unexpected parameters"
    return f"{cause}: the module cannot process it ({place}). This is a defect of the module, please report it."


def run_as_module(spec: ArgumentSpec, run: Run) -> None:
    """Run as an ordinary Ansible module, with parameters on standard input and the result on standard output."""
    # looked up here, because ansible-lint replaces the class to validate options only
    module = basic.AnsibleModule(supports_check_mode=True, **spec.to_keywords())
    task = Task(module.params, check_mode=module.check_mode, diff_mode=module._diff, no_log=module.no_log)  # noqa: SLF001
    task.secrets, task.option_names = spec.secrets(module.params), spec.option_names
    # AnsibleModule does not know secrets that the task read, and masks nothing since ansible-core 2.22. Older versions
    # would also mask short secrets inside of words
    outcome = _mask_result(task, perform(task, spec, run))
    module.no_log_values = set()
    module.params = task.mask(module.params)  # they are part of the result
    for warning in task.mask(task.collect_warnings()):
        module.warn(neutralize(warning))
    if outcome.pop("failed", False):
        module.fail_json(**outcome)
    module.exit_json(**outcome)


def run_in_process(
    name: str,
    spec: ArgumentSpec,
    run: Run,
    parameters: dict[str, t.Any],
    *,
    include_invocation: bool = False,
    **modes: t.Any,
) -> dict[str, t.Any]:
    """Run inside the calling process. The result is the same as that of `run_as_module`.

    :arg name: the module's name, for error messages
    :arg parameters: templated parameters, converted by `to_json_types`
    :arg include_invocation: whether the result contains the validated parameters
    :arg modes: further arguments of `Task`
    """
    if problem := spec.find_type_error(parameters):
        return {"changed": False, "failed": True, "msg": problem}
    validation = ArgumentSpecValidator(**spec.to_keywords()).validate(parameters)
    params = validation.validated_parameters
    task = Task(params, **modes)
    task.secrets, task.option_names = spec.secrets(params), spec.option_names
    if validation.error_messages:
        outcome = task.build_result(failure=_validation_failure(name, validation))
    else:
        outcome = perform(task, spec, run)
    if include_invocation:
        outcome["invocation"] = {"module_args": params}
    if warnings := task.collect_warnings():
        outcome["warnings"] = warnings
    return _mask_result(task, outcome)


def to_json_types(parameters: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return parameters as an ordinary module receives them: plain JSON values without Ansible's data tags.

    Infinity, NaN and huge integers become strings, because Ansible's validation fails on them.

    :raises BadOption: if a dictionary has a key that is not a string, because JSON would convert it
    """
    for name, value in parameters.items():
        _check_keys(name, value)
    return _FROM_JSON.decode(_TO_JSON.encode(parameters))


def validate_parameters(spec: ArgumentSpec, place: str, values: t.Any) -> dict[str, t.Any]:
    """Return validated parameters that come from elsewhere than the task, such as a line of a file.

    :arg place: where the parameters are, for messages
    :raises BadOption: if they violate the spec
    """
    if not isinstance(values, dict):
        raise BadOption(place, "must be a dictionary")
    parameters = to_json_types(values)
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


def find_problem(name: str, spec: ArgumentSpec, parameters: dict[str, t.Any]) -> str | None:
    """Return the first error in the options of a task that can be found without its variables, or `None`.

    Options that contain templates are not checked. Connection options are not read from the environment.

    :arg name: the module's name
    :arg parameters: parameters before templating
    """
    parameters = mark_templates(spec.options, to_json_types(parameters))
    accepting = spec.accept_templates(parameters)
    if problem := accepting.find_type_error(parameters):
        return problem
    validation = ArgumentSpecValidator(**accepting.to_keywords()).validate(parameters)
    if validation.error_messages:
        return _validation_failure(name, validation)
    try:
        accepting.check(validation.validated_parameters)
        spec.check_rules(validation.validated_parameters)
    except ToolchainError as error:
        return str(error)
    return None


def _check_keys(path: str, value: t.Any) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                problem = f"has the key {json.dumps(key, default=_to_text)}, which is not a string"
                raise BadOption(path, f"{problem}: put it in quotes (YAML reads on, off, yes and no as booleans)")
            _check_keys(f"{path}.{key}", item)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            _check_keys(f"{path}[{number}]", item)


def _to_text(value: t.Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _parse_integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MAX_DIGITS else digits


_TO_JSON = json.JSONEncoder(default=_to_text)
_FROM_JSON = json.JSONDecoder(parse_constant=NonFiniteNumber, parse_int=_parse_integer)


def _validation_failure(name: str, validation: t.Any) -> str:
    message = validation.errors.msg
    if validation.unsupported_parameters and "Supported parameters include" in validation.error_messages[0]:
        return f"Unsupported parameters for ({name}) module: {message}"
    return message


def _mask_result(task: Task, outcome: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return a result without secrets, and its messages without control characters."""
    control = {name: outcome.pop(name) for name in _CONTROL_MEMBERS if name in outcome}
    try:
        masked: dict[str, t.Any] = task.mask(outcome)
    except RecursionError:
        failure = "The server's response is nested too deeply to be shown."
        return {"changed": outcome["changed"], "failed": True, "msg": failure}
    if isinstance(masked.get("msg"), str):
        masked["msg"] = neutralize(masked["msg"])
    if "warnings" in masked:
        masked["warnings"] = list(map(neutralize, masked["warnings"]))
    return {**masked, **control}


def mask_secrets(value: t.Any, secrets: set[str], words: t.Container[str] = ()) -> t.Any:
    """Return a value with masked secrets, in the format in which Ansible masks the values of `no_log` options.

    :arg words: words that messages contain for other reasons, such as names of options; a secret that equals one of
        them is masked only if it is a whole text
    """
    if isinstance(value, str):
        for secret in secrets:  # most texts of a long list contain none, so this check comes first
            if secret in value:
                return _masked_text(value, secrets, words)
        return value
    if isinstance(value, dict):
        return {key: mask_secrets(item, secrets, words) for key, item in value.items()}
    if isinstance(value, list):
        return [mask_secrets(item, secrets, words) for item in value]
    return value


def _masked_text(text: str, secrets: set[str], words: t.Container[str]) -> str:
    if text in secrets:
        return "VALUE_SPECIFIED_IN_NO_LOG_PARAMETER"
    matches = [secret for secret in secrets if secret in text and secret not in words]
    for secret in sorted(matches, key=len, reverse=True):
        text = _mask_secret(text, secret)
    return text


def _mask_secret(text: str, secret: str) -> str:
    if len(secret) >= _MIN_LENGTH_INSIDE_WORDS:
        return text.replace(secret, "********")
    # a letter after a backslash can be an escape sequence of JSON
    begin = r"(?:(?<![^\W_])|(?<=\\[nrt]))" if secret[0].isalnum() else ""
    end = r"(?![^\W_])" if secret[-1].isalnum() else ""
    return re.sub(f"{begin}{re.escape(secret)}{end}", "********", text)
