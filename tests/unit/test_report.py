# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of the callback `report` for large and unusual runs."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from ansible_collections.buildworks.toolchain.plugins.callback import report as callback
from ansible_collections.buildworks.toolchain.plugins.plugin_utils import _report_page, _tally
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._report import (
    MAX_LABEL_LENGTH,
    Report,
    TaskOrigin,
    label,
    shorten_name,
)
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._report_summary import number_errors, summarize
from support.reports import RUN

ORIGIN = TaskOrigin("repo-eu", "mark", "buildworks.toolchain.artifact_properties")


def page(report: Report, runs: list[dict[str, Any]] | None = None) -> str:
    document = report.document({}, **RUN)
    number_errors(document["failures"], {})
    return _report_page.render(summarize(document), runs or [])


def test_unhandled_failures_are_listed_before_handled_ones() -> None:
    report = Report()
    for state in ("rescued", "failed", "ignored", "unreachable"):
        report.record_failure(ORIGIN, {"msg": "no"}, None, state)
    document = page(report)
    assert re.findall(r'class="tag \w+">(\w+)<', document) == ["failed", "unreachable", "rescued", "ignored"]


def test_requests_are_unknown_when_they_were_not_counted() -> None:
    report = Report()
    report.record_task(ORIGIN, "ok", False, 1.0, ("uuid", "repo-eu"), "ok")
    assert "The tasks sent an unknown number of requests." in page(report)


def test_failed_items_of_a_task_in_progress_are_a_junit_case(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A task in progress without a failed item has no result."""
    monkeypatch.setattr(_tally, "_notes", None)
    plugin = callback.CallbackModule()
    files = {"junit": str(tmp_path / "junit.xml"), "json": str(tmp_path / "report.json")}
    monkeypatch.setattr(plugin, "get_option", lambda name: files.get(name, ""))
    plugin._keep_cases = True
    done, broken = ({"warnings": [], "msg": text} for text in ("done", "disk full"))
    for host, parts in {
        "repo-eu": [callback.Part("ok", done, "a"), callback.Part("failed", broken, "b")],
        "repo-us": [callback.Part("ok", done, "a")],
    }.items():
        origin = TaskOrigin(host, "mark", "buildworks.toolchain.artifact_properties")
        plugin._under_way["uuid", host] = callback.RunningTask(origin, time.monotonic() - 5, parts)
    plugin._write()
    (failure,) = json.loads((tmp_path / "report.json").read_text())["failures"]
    assert (failure["host"], failure["item"], failure["message"]) == ("repo-eu", "b", "disk full")
    interruption, *suites = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert "repo-us: mark" in (interruption[0][0].text or "")
    (case,) = (case for suite in suites for case in suite)
    assert (case.get("name"), case.get("classname"), case[0].tag) == ("mark", ".repo-eu", "failure")
    assert case[0].text == "b: disk full"
    assert float(case.get("time", 0)) >= 5


@pytest.mark.parametrize(
    ("file", "title"), [("/srv/site.yml", "site.yml"), ("__adhoc_playbook__", "ansible"), (None, "ansible")]
)
def test_title_is_shown_when_there_is_no_playbook(file: str | None, title: str) -> None:
    assert callback.get_playbook_name(SimpleNamespace(_file_name=file)) == title


def test_long_names_are_shortened() -> None:
    assert shorten_name("x" * 10_000) == "x" * (MAX_LABEL_LENGTH - 1) + "…"
    assert label({"_ansible_item_label": "x" * MAX_LABEL_LENGTH}, 1) == "x" * MAX_LABEL_LENGTH


def test_control_characters_and_colors_are_removed() -> None:
    report = Report()
    report.record_failure(ORIGIN, {"msg": "a\0b\tc\n\x1b[1;31mred\x1b[0m\x07"}, None, "failed")
    document = page(report)
    assert "a\N{REPLACEMENT CHARACTER}b\tc\nred\N{REPLACEMENT CHARACTER}" in document
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f]", document)


def test_columns_of_the_history_match_their_headings() -> None:
    run = dict.fromkeys(("hosts", "changes", "failures", "seconds"), 1)
    document = page(Report(), [{**run, "started": "2026-01-01T00:00:00Z", "check_mode": True}])
    table = document[document.index("<caption>The last 1 runs") :]
    head, row = re.findall(r"<tr>(.*?)</tr>", table)
    assert re.findall(r'<t[hd][^>]*?( class="number")?>', head) == re.findall(r'<t[hd][^>]*?( class="number")?>', row)
