# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = """
name: report
type: aggregate
short_description: Report changes to Jenkins, Artifactory and other services
version_added: "0.2.0"
description:
  - Writes one HTML file at the end of a run, which can include several playbooks. The report starts with a verdict,
    such as C(18 of 200 hosts failed; 2 distinct errors). Failures with the same message are one entry with its hosts.
    Messages that differ only in the name or address of their host are the same. Ignored and rescued failures are listed
    separately.
  - Changes, in check mode planned changes, are grouped by service, task and equal diff. The report also lists the
    outcomes of bulk tasks, warnings, and the duration and number of requests of each task.
  - The HTML page is self-contained. It adapts to phones, desktops and print, and follows the light or dark setting of
    the reader's system. A filter finds entries by host, text, service and status. It is the only part that needs a
    script. The content security policy of the page allows no other script and no requests.
  - The HTML page is smaller than 2 MB. Entries that exceed the limit of their section are counted, not shown. The JSON
    file contains the same data without these limits.
  - The report can also be written as Markdown, for a comment on a merge request, and as JUnit XML.
  - Diffs are included if the playbook runs with C(--diff).
  - With O(history), each run adds a line to a file, and the page shows the previous runs of the same playbook. If the
    file was not written by this plugin, it is not changed, and the plugin warns.
  - If a run is interrupted by Ctrl-C or aborted by Ansible, the page and the JSON file report what was done until then
    and which tasks were in progress.
notes:
  - For a task with C(no_log), the page contains only its name and state. The credentials for the services of this
    collection are masked everywhere if they come from a task of the collection, a variable of a host in the play or the
    environment. For other secrets, the page shows what Ansible itself shows, so use C(no_log) for tasks that handle
    them.
  - A loop item that is not plain text is shown by its number, unless C(loop_control.label) names it.
  - Requests are counted for the modules of this collection that run in the Ansible process. For other tasks, the page
    states that the number of requests is unknown.
  - ansible-core 2.18 does not pass the warnings of tasks to callback plugins. With this version, the page states that
    warnings are missing.
  - If a file cannot be written, the plugin warns. The run does not fail.
  - A run that is terminated by C(SIGTERM), C(SIGKILL) or a second Ctrl-C leaves no report.
  - With ansible-runner, the files except the history are stored with the artifacts of the run, unless their paths are
    absolute. They are therefore also transferred back from a remote worker.
requirements:
  - Enable the plugin in the configuration with C(callbacks_enabled) or the environment variable
    E(ANSIBLE_CALLBACKS_ENABLED)
options:
  html:
    description: Path to the HTML file to write. If empty, no HTML file is written.
    type: str
    default: toolchain-report.html
    ini: [{section: callback_toolchain_report, key: html}]
    env: [{name: TOOLCHAIN_REPORT_HTML}]
    vars: [{name: toolchain_report_html}]
  json:
    description: Path to the JSON file to write. If empty, no JSON file is written.
    type: str
    default: toolchain-report.json
    ini: [{section: callback_toolchain_report, key: json}]
    env: [{name: TOOLCHAIN_REPORT_JSON}]
    vars: [{name: toolchain_report_json}]
  markdown:
    description:
      - Path to the Markdown file to write, for a comment on a merge request. If empty, no file is written.
      - The file has at most 60,000 bytes. It contains failures first, then changes, and says what it omits.
    type: str
    default: ""
    ini: [{section: callback_toolchain_report, key: markdown}]
    env: [{name: TOOLCHAIN_REPORT_MARKDOWN}]
    vars: [{name: toolchain_report_markdown}]
    version_added: "0.3.0"
  junit:
    description:
      - Path to the JUnit XML file to write, for the test report of Jenkins or GitLab. If empty, no file is written.
      - Each host is a test suite and each of its tasks a test case. Failures are C(failure), unreachable hosts C(error)
        and skipped tasks C(skipped). Ignored and rescued failures are passed, with the message in C(system-out).
    type: str
    default: ""
    ini: [{section: callback_toolchain_report, key: junit}]
    env: [{name: TOOLCHAIN_REPORT_JUNIT}]
    vars: [{name: toolchain_report_junit}]
    version_added: "0.3.0"
  history:
    description: Path to the file to which each run adds a line of JSON. If empty, no history is kept.
    type: str
    default: ""
    ini: [{section: callback_toolchain_report, key: history}]
    env: [{name: TOOLCHAIN_REPORT_HISTORY}]
    vars: [{name: toolchain_report_history}]
  title:
    description: Title of the report, shown above the verdict. If empty, the name of the playbook is used.
    type: str
    default: ""
    ini: [{section: callback_toolchain_report, key: title}]
    env: [{name: TOOLCHAIN_REPORT_TITLE}]
    vars: [{name: toolchain_report_title}]
author: the buildworks.toolchain authors (@buildworks)
"""

EXAMPLES = """
Write a report on the changes that provisioning would make: |
  ANSIBLE_CALLBACKS_ENABLED=buildworks.toolchain.report \\
    ansible-playbook buildworks.toolchain.provision -i inventory --check --diff

Set the path of the page and the history on the command line: |
  ANSIBLE_CALLBACKS_ENABLED=buildworks.toolchain.report \\
    ansible-playbook site.yml --diff -e toolchain_report_html=today.html -e toolchain_report_history=runs.jsonl

Enable the plugin for all runs in ansible.cfg: |
  [defaults]
  callbacks_enabled = buildworks.toolchain.report

  [callback_toolchain_report]
  html = build/report.html
  json = build/report.json
  history = build/runs.jsonl
  title = Our toolchain
"""

import atexit
import dataclasses
import json
import os
import time
import typing as t

from ansible import context
from ansible.playbook.task_include import TaskInclude
from ansible.plugins.callback import CallbackBase
from ansible.release import __version__ as ansible_core

from ansible_collections.buildworks.toolchain.plugins.module_utils._task import mask_secrets
from ansible_collections.buildworks.toolchain.plugins.plugin_utils import (
    _failure,
    _known_secrets,
    _report_files,
    _tally,
)
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._report import (
    PREFIX,
    Report,
    Result,
    TaskOrigin,
    label,
    shorten_name,
)
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._report_summary import FAILED, number_errors

# Directory of ansible-runner for the files of a run, which it transfers back
_ARTIFACTS = os.environ.get("AWX_ISOLATED_DATA_DIR", "")
_HERE = os.path.join(os.getcwd(), "")
# Members of a result that the report uses
_REPORTED = (
    *("changed", "diff", "msg", "stderr", "module_stderr"),
    *("counts", "outcomes", "failures", "censored", "_ansible_item_label"),
)
Key = tuple[str, str]  # the uuid of a task, and a host


@dataclasses.dataclass
class Part:
    """The result of a task or of a loop item, as far as it is reported."""

    state: str
    reported: Result
    item: str | None = None


@dataclasses.dataclass
class RunningTask:
    """A task that a host has started.

    :ivar in_check_mode: whether the last result was in check mode
    """

    origin: TaskOrigin
    started: float
    items: list[Part] = dataclasses.field(default_factory=list)
    in_check_mode: bool = False


class CallbackModule(CallbackBase):
    """Collects results, and writes the report when the process ends."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "buildworks.toolchain.report"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self) -> None:
        super().__init__()
        self._controller = os.getpid()
        self._report = Report()
        self._keep_cases = False
        self._cases: list[dict[str, t.Any]] = []  # of the JUnit file, in the form of `_report_junit.render`
        self._playbooks: list[str] = []
        self._recap: dict[str, t.Any] | None = None  # only of a complete run
        self._play: t.Any = None
        self._hidden: set[str] = set()
        self._add_secrets(_known_secrets.find_in_environment())
        self._secret_sources: dict[Key, tuple[t.Any, t.Any]] = {}  # play and host
        self._addresses: dict[str, set[str]] = {}  # by host
        self._under_way: dict[Key, RunningTask] = {}
        _tally.start()

    # --- Events of Ansible ---

    def v2_playbook_on_start(self, playbook: t.Any) -> None:
        """Record the name of a playbook."""
        self._playbooks.append(get_playbook_name(playbook))
        self._recap = None

    def v2_playbook_on_play_start(self, play: t.Any) -> None:
        """Register the report at exit, and read the options."""
        if not self._play:  # an aborted run has no end event, and several playbooks have several
            atexit.register(self._write)
        self._play = play
        self.set_options(var_options=play.get_variable_manager().extra_vars)
        self._keep_cases = bool(self.get_option("junit"))

    def v2_runner_on_start(self, host: t.Any, task: t.Any) -> None:
        """Record the start of a task on a host."""
        self._start_task(task, host)

    def v2_runner_item_on_ok(self, result: t.Any) -> None:
        """Record a successful item of a loop."""
        self._keep_item("ok", result)

    def v2_runner_item_on_failed(self, result: t.Any) -> None:
        """Record a failed item of a loop."""
        self._keep_item("failed", result)

    def v2_runner_item_on_skipped(self, result: t.Any) -> None:
        """Record a skipped item of a loop."""
        self._keep_item("skipped", result)

    def v2_runner_on_ok(self, result: t.Any) -> None:
        """Record a successful task."""
        self._record("ok", result)

    def v2_runner_on_skipped(self, result: t.Any) -> None:
        """Record a skipped task."""
        self._record("skipped", result)

    def v2_runner_on_failed(self, result: t.Any, ignore_errors: bool = False) -> None:
        """Record a failed task."""
        self._record("failed", result, _failure.classify_failed(result, ignore_errors))

    def v2_runner_on_unreachable(self, result: t.Any) -> None:
        """Record a task on an unreachable host."""
        self._record("unreachable", result, _failure.classify_unreachable(result))

    def v2_playbook_on_stats(self, stats: t.Any) -> None:
        """Record the recap of a playbook."""
        self._collect_late_secrets()
        self._under_way.clear()
        self._recap = {host: stats.summarize(host) for host in sorted(stats.processed)}

    # --- Report ---

    def _write(self) -> None:
        if os.getpid() != self._controller:  # a worker
            return
        if self._recap is None:
            self._collect_late_secrets()
            for task in self._under_way.values():
                failures = self._report_parts(task, task.items, "failed")
                if failures:
                    self._keep_case(task, "failed", time.monotonic() - task.started, failures)
        playbooks = " ".join(self._playbooks)
        document = self._report.document(
            _tally.read_counts(),
            title=self.get_option("title") or playbooks,
            playbook=playbooks,
            complete=self._recap is not None,
            under_way=[task.origin.to_entry() for task in self._under_way.values()],
            check_mode=bool(context.CLIARGS.get("check")),
            diff_mode=bool(context.CLIARGS.get("diff")),
            ansible_core=ansible_core,
            warnings_known=not ansible_core.startswith("2.18."),
            hosts=self._report.recap() if self._recap is None else self._recap,
        )
        document, cases = _mask([document, self._cases], _add_json_escapes(self._hidden))
        number_errors(document["failures"], self._addresses)
        files = {name: str(self.get_option(name) or "") for name in (*_report_files.KINDS, "history")}
        files |= {name: os.path.join(_ARTIFACTS, files[name]) for name in _report_files.KINDS if files[name]}
        for problem in _report_files.write(document, cases, files):
            self._display.warning(f"buildworks.toolchain.report: {problem}")

    def _keep_item(self, state: str, result: t.Any) -> None:
        """Keep a loop item until its task ends, because stdout callbacks remove the items from the result."""
        task, entry = self._find_task(result), self._digest(state, result)
        task.items.append(Part(state, entry, label(entry, len(task.items) + 1) or None))

    def _record(self, state: str, result: t.Any, failure: str = "") -> None:
        task = self._find_task(result)
        del self._under_way[_get_key(result)]
        if isinstance(result._task, TaskInclude) and state == "ok":
            return
        own = self._digest(state, result)
        changed = bool(own.get("changed")) or any(item.reported.get("changed") for item in task.items)
        seconds = time.monotonic() - task.started
        self._report.record_task(task.origin, state, changed, seconds, _get_key(result), failure or state)
        parts = list(task.items)
        if not any(part.state in (state, "failed") for part in parts):
            parts.append(Part(state, own))
        self._keep_case(task, state, seconds, self._report_parts(task, parts, failure))

    def _keep_case(self, task: RunningTask, state: str, seconds: float, failures: list[int]) -> None:
        if self._keep_cases:
            self._cases.append(task.origin.to_entry(state=state, seconds=seconds, failures=failures))

    def _start_task(self, task: t.Any, host: t.Any) -> RunningTask:
        origin = TaskOrigin(host.get_name(), _build_name(task, task.name), task.action, _locate(task))
        running = self._under_way[task._uuid, host.get_name()] = RunningTask(origin, time.monotonic())
        return running

    def _find_task(self, result: t.Any) -> RunningTask:
        """Return the running task of a result, with its templated name."""
        task = self._under_way.get(_get_key(result)) or self._start_task(result._task, result._host)
        name = _build_name(result._task, result._task_fields.get("name") or result._task.name)
        if name != task.origin.task:
            task.origin = dataclasses.replace(task.origin, task=name)
        task.in_check_mode = bool(result._task_fields.get("check_mode"))
        return task

    def _report_parts(self, task: RunningTask, parts: list[Part], failure: str) -> list[int]:
        """Report the results of a task, and return the positions of its failures in the document."""
        recorded = self._report.failure_count
        for part in parts:
            if part.reported:
                self._report_part(task, part, failure)
        return list(range(recorded, self._report.failure_count))

    def _report_part(self, task: RunningTask, part: Part, failure: str) -> None:
        if part.reported.get("changed"):
            self._report.record_change(task.origin, part.reported, part.item, part.state in FAILED, task.in_check_mode)
        if part.state in FAILED:
            self._report.record_failure(task.origin, part.reported, part.item, failure)
        if "censored" not in part.reported:
            self._report.record_items(task.origin, part.reported)
            self._report.record_warnings(task.origin, part.reported["warnings"])

    def _digest(self, state: str, result: t.Any) -> Result:
        """Return the reported members of a result, with masked secrets; none if there is nothing to report."""
        self._collect_secrets(result)
        warnings = _list_warnings(result)
        if state not in FAILED and not warnings and not result.is_changed() and not _has_outcomes(result):
            return {}  # reading the result takes longer than all of the rest
        reported = {name: result._result[name] for name in _REPORTED if name in result._result}
        hidden: Result = _mask({**reported, "warnings": warnings}, self._hidden)
        return hidden

    def _add_secrets(self, secrets: set[str]) -> None:
        """Add secrets as they are and as they are encoded in HTTP headers."""
        new = secrets - self._hidden
        self._hidden |= new.union(*map(_known_secrets.encode_variants, new))

    def _collect_secrets(self, result: t.Any) -> None:
        """Collect the secrets of the task and, once per play, of its host."""
        if result._task.action.startswith(PREFIX):
            args = result._task_fields.get("args") or {}
            self._add_secrets(_known_secrets.find_in_task(result._task.action.removeprefix(PREFIX), args))
        key = (self._play._uuid, result._host.get_name())
        if key not in self._secret_sources:
            self._secret_sources[key] = (self._play, result._host)
            self._inspect_host(self._play, result._host)

    def _collect_late_secrets(self) -> None:
        """Collect secrets in variables that tasks have set."""
        for play, host in self._secret_sources.values():
            self._inspect_host(play, host)

    def _inspect_host(self, play: t.Any, host: t.Any) -> None:
        secrets, addresses = _known_secrets.find_in_host(play, host)
        self._add_secrets(secrets)
        self._addresses.setdefault(host.get_name(), set()).update(addresses)


def get_playbook_name(playbook: t.Any) -> str:
    """Return the file name of a playbook, or `ansible` for an ad hoc command."""
    name = os.path.basename(playbook._file_name or "")
    return name if name not in ("", "__adhoc_playbook__") else "ansible"


def _mask(value: t.Any, secrets: set[str]) -> t.Any:
    """Return a value with masked secrets. All secrets are searched in one text, because most values contain none."""
    text = "\n".join(set(_list_texts(value)))
    return mask_secrets(value, {secret for secret in secrets if secret in text})


def _list_texts(value: t.Any) -> t.Iterator[str]:
    """Yield the texts that `mask_secrets` masks."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _list_texts(inner)


def _add_json_escapes(secrets: set[str]) -> set[str]:
    """Return secrets as they are and as they are escaped in JSON."""
    return secrets | {json.dumps(secret, ensure_ascii=ascii)[1:-1] for secret in secrets for ascii in (True, False)}


def _get_key(result: t.Any) -> Key:
    return result._task._uuid, result._host.get_name()


def _locate(task: t.Any) -> str:
    """Return file and line of a task, relative to the working directory or the directory of the collections."""
    path = str(task.get_path() or "")
    return path.rpartition("/ansible_collections/")[2].removeprefix(_HERE)


def _build_name(task: t.Any, name: t.Any) -> str:
    """Return the name of a task, prefixed with its role."""
    own = str(name or task.action)
    return shorten_name(f"{task._role.get_name()} : {own}" if task._role else own)


def _has_outcomes(result: t.Any) -> bool:
    """Return whether a module of this collection returns an outcome for each of many items."""
    if not result._task.action.startswith(PREFIX):
        return False
    options = _known_secrets.load_spec(result._task.action.removeprefix(PREFIX)).options
    args = result._task_fields.get("args") or {}
    return "result_limit" in options and ("items" in args or "items" not in options)


def _list_warnings(result: t.Any) -> list[str]:
    """Return the warnings of a result. Since ansible-core 2.19, they are not in its dictionary."""
    recorded = getattr(result, "warnings", None)
    return list(result._result.get("warnings") or []) if recorded is None else [str(one.event.msg) for one in recorded]
