# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later


"""The files of a report: HTML page, JSON document, Markdown, JUnit XML, and history of runs."""

from __future__ import annotations

import contextlib
import json
import os
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import store_chunks
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.plugin_utils import _report_junit, _report_markdown, _report_page
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._report_summary import summarize

# Files that are written for each run
KINDS = ("json", "html", "markdown", "junit")
_MAX_LISTED_RUNS = 30
# Members of the document that are copied into the history
_HISTORY_MEMBERS = ("started", "playbook", "complete", "check_mode", "seconds", "requests", "requests_known")
_BEGINNING = '{"started": '


def write(document: dict[str, t.Any], cases: list[dict[str, t.Any]], files: dict[str, str]) -> t.Iterator[str]:
    """Write the files, and yield the problems.

    :arg cases: test cases for the JUnit file
    :arg files: paths of the `KINDS` and of `history`; an empty path for no file
    """
    runs: list[dict[str, t.Any]] = []
    if history := files["history"]:
        with _collect_problems(history) as problems:
            runs = [
                run
                for run in _append_run(history, _to_history_entry(document))
                if run["playbook"] == document["playbook"]
            ]
        yield from problems
    summary = summarize(document)
    forms: dict[str, t.Callable[[], str]] = {
        "json": lambda: _to_json(document),
        "html": lambda: _report_page.render(summary, runs[-_MAX_LISTED_RUNS:]),
        "markdown": lambda: _report_markdown.render(summary),
        "junit": lambda: _report_junit.render(document, cases),
    }
    for kind in KINDS:
        if path := files[kind]:
            text = forms[kind]()
            with _collect_problems(path) as problems:
                store_chunks(Task({}), path, [text.encode(errors="backslashreplace")])
            yield from problems


def _to_history_entry(document: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return the entry of a run in the history."""
    failures = sum(failure["state"] in ("failed", "unreachable") for failure in document["failures"])
    counts = {"hosts": len(document["hosts"]), "changes": len(document["changes"]), "failures": failures}
    return {**{name: document[name] for name in _HISTORY_MEMBERS}, **counts}


def _append_run(path: str, line: dict[str, t.Any]) -> list[dict[str, t.Any]]:
    """Append a run to the history, and return all runs, oldest first."""
    os.makedirs(rehearsal.resolve_write(os.path.dirname(os.path.realpath(path))), exist_ok=True)
    with open(rehearsal.resolve_write(path, copy_content=True), "a+b", buffering=0) as file:
        file.seek(0)
        before = file.read().decode(errors="replace")
        runs = _parse_runs(before)
        if before.strip() and not runs and not before.startswith(_BEGINNING):
            raise ToolchainError(
                f"'{path}' is not a history of runs, and was left unchanged. Move it, or set another file."
            )
        # a killed run may have left an incomplete line
        end = "" if not before or before.endswith("\n") else "\n"
        file.write(f"{end}{json.dumps(line)}\n".encode())  # one write, so that concurrent runs do not mix their lines
    return [*runs, line]


def _parse_runs(history: str) -> list[dict[str, t.Any]]:
    """Return the runs in a history, without invalid lines."""
    runs = []
    for line in history.split("\n"):
        with contextlib.suppress(ValueError):
            run = json.loads(line)
            if isinstance(run, dict) and _is_complete(run):
                runs.append(run)
    return runs


def _is_complete(run: dict[str, t.Any]) -> bool:
    texts = (run.get(name) for name in ("started", "playbook"))
    numbers = (run.get(name) for name in ("seconds", "requests", "hosts", "changes", "failures"))
    return all(isinstance(text, str) for text in texts) and all(isinstance(number, (int, float)) for number in numbers)


def _to_json(document: dict[str, t.Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


@contextlib.contextmanager
def _collect_problems(path: str) -> t.Iterator[list[str]]:
    """Collect the problem of writing a file in a list."""
    problems: list[str] = []
    try:
        yield problems
    except ToolchainError as error:
        problems.append(str(error))
    except OSError as error:
        problems.append(f"Cannot write '{path}': {error.strerror}.")
