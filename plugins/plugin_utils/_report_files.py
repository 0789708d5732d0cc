# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later


"""The files of a report: the page, the same as JSON, and the history of runs."""

from __future__ import annotations

import contextlib
import json
import os
import re
import typing as t

import jinja2

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import store_chunks
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_RUNS_SHOWN = 30
# What a line of the history has, beyond the number of hosts, changes and failures
_OF_RUN = ("started", "playbook", "complete", "check_mode", "seconds", "requests", "requests_known")
_BEGINNING = '{"started": '
_NOT_SHOWN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")  # no page may have them


def write(document: dict[str, t.Any], files: dict[str, str]) -> t.Iterator[str]:
    """Write the files, and yield what kept one from being written.

    :arg files: path of `html`, `json` and `history`; empty for none
    """
    runs: list[dict[str, t.Any]] = []
    if history := files["history"]:
        with _trouble(history) as troubles:
            runs = [run for run in _kept_with(history, _line(document)) if run["playbook"] == document["playbook"]]
        yield from troubles
    for kind in ("json", "html"):
        if path := files[kind]:
            text = _as_json(document) if kind == "json" else page(document, runs[-_RUNS_SHOWN:])
            with _trouble(path) as troubles:
                store_chunks(Task({}), path, [text.encode(errors="backslashreplace")])
            yield from troubles


def page(document: dict[str, t.Any], runs: list[dict[str, t.Any]]) -> str:
    """The report as HTML.

    :arg runs: lines of the history, the oldest first
    """
    loader = jinja2.FileSystemLoader(os.path.dirname(__file__))
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    text = environment.get_template("_report.html.j2").render(report=document, runs=runs)
    return _NOT_SHOWN.sub("\N{REPLACEMENT CHARACTER}", text)


def _line(document: dict[str, t.Any]) -> dict[str, t.Any]:
    """A run as the history keeps it."""
    failures = sum(failure["state"] in ("failed", "unreachable") for failure in document["failures"])
    counts = {"hosts": len(document["hosts"]), "changes": len(document["changes"]), "failures": failures}
    return {**{name: document[name] for name in _OF_RUN}, **counts}


def _kept_with(path: str, line: dict[str, t.Any]) -> list[dict[str, t.Any]]:
    """Add a run to a history; gives all that are in it, the oldest first."""
    os.makedirs(rehearsal.resolve_write(os.path.dirname(os.path.realpath(path))), exist_ok=True)
    with open(rehearsal.resolve_write(path, copy_content=True), "a+b", buffering=0) as file:
        file.seek(0)
        before = file.read().decode(errors="replace")
        runs = _runs(before)
        if before.strip() and not runs and not before.startswith(_BEGINNING):
            raise ToolchainError(
                f"'{path}' has no history of runs, and was left as it is: move it away, or name another file."
            )
        # A run that was killed may have left half of a line
        end = "" if not before or before.endswith("\n") else "\n"
        file.write(f"{end}{json.dumps(line)}\n".encode())  # one write: runs side by side do not mix up their lines
    return [*runs, line]


def _runs(history: str) -> list[dict[str, t.Any]]:
    """The runs in a history; lines that somebody has spoilt are passed over."""
    runs = []
    for line in history.split("\n"):
        with contextlib.suppress(ValueError):
            run = json.loads(line)
            if isinstance(run, dict) and _is_whole(run):
                runs.append(run)
    return runs


def _is_whole(run: dict[str, t.Any]) -> bool:
    texts = (run.get(name) for name in ("started", "playbook"))
    numbers = (run.get(name) for name in ("seconds", "requests", "hosts", "changes", "failures"))
    return all(isinstance(text, str) for text in texts) and all(isinstance(number, (int, float)) for number in numbers)


def _as_json(document: dict[str, t.Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


@contextlib.contextmanager
def _trouble(path: str) -> t.Iterator[list[str]]:
    """Gives a list, in which is afterwards why a file could not be written."""
    found: list[str] = []
    try:
        yield found
    except ToolchainError as error:
        found.append(str(error))
    except OSError as error:
        found.append(f"Cannot write '{path}': {error.strerror}.")
