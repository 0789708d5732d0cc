# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The HTML page of the callback `report`: content, security policy and size."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any

import pytest
from lxml import html

from ansible_collections.buildworks.toolchain.plugins.plugin_utils import _report_page
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._report_summary import summarize
from support.reports import change, document, fail, task
from support.work import run_within

MAX_BYTES = 2_000_000
HOSTILE = "<script>alert(1)</script>\"'&</pre></details>"


def render(**members: Any) -> str:
    return _report_page.render(summarize(document(**members)), [])


def test_verdict_links_to_failures_and_to_changes_by_service() -> None:
    failures = [fail(f"h{number}", "no") for number in range(18)]
    page = html.fromstring(render(failures=failures, changes=[change("h1", service="ci"), change("h2")], hosts=200))
    links = {link.get("href"): link.text_content() for link in page.iterfind(".//header//a")}
    assert links["#failures"] == "18 of 200 hosts failed; 1 distinct error"
    assert (links["#changes-ci"], links["#changes-artifact"]) == ("Jenkins 1", "Artifactory 1")
    ids = {element.get("id") for element in page.iter()}
    assert {href.removeprefix("#") for href in links} <= ids


def test_messages_are_visible_and_diffs_are_folded() -> None:
    page = html.fromstring(render(failures=[fail("a", "out of memory")], changes=[change("b", diff="+secret plan")]))
    (message,) = page.xpath("//pre[.='out of memory']")
    assert not message.xpath("ancestor::details")
    (diff,) = page.xpath("//ins[.='+secret plan']")
    assert diff.xpath("ancestor::details[not(@open)]")


def test_unchanged_hosts_are_listed_without_rows() -> None:
    page = html.fromstring(render(failures=[fail("a", "no")], changes=[change("b")], hosts=200))
    assert page.xpath("//section[@id='hosts']//tbody/tr/th/text()") == ["a", "b"]
    assert "198 hosts without failures and changes" in page.xpath("//section[@id='hosts']//summary/text()")


def test_policy_allows_only_the_style_and_the_script_of_the_page() -> None:
    text = render()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', text)
    assert policy.startswith("default-src 'none';")
    for element in ("style", "script"):
        (content,) = re.findall(f"<{element}>(.*?)</{element}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{element}-src 'sha256-{digest}'" in policy
    assert " style=" not in text


def test_texts_from_outside_are_escaped() -> None:
    failure = fail(HOSTILE, HOSTILE, task=HOSTILE, item=HOSTILE, path=HOSTILE)
    origin = {name: failure[name] for name in ("host", "service", "task", "module", "path", "item")}
    page = render(
        title=HOSTILE,
        failures=[failure],
        changes=[change(HOSTILE, diff=f"+{HOSTILE}", task=HOSTILE, item=HOSTILE)],
        warnings=[{**origin, "message": HOSTILE}],
        bulk=[
            {
                **origin,
                "counts": {"failed": 1, "unknown": 0},
                "outcomes": [dict.fromkeys(("item", "status", "reason"), HOSTILE)],
            }
        ],
        tasks=[task(HOSTILE)],
        under_way=[origin],
        complete=False,
    )
    assert page.count("<script") == 1
    assert "alert(1)</script>" not in page


def test_compact_error_says_that_its_message_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_report_page.LIMITS, "failed", 1_500)
    page = html.fromstring(render(failures=[fail("a", "x" * 2_000), fail("b", "short " * 20)]))
    article = page.xpath("//article")[0]
    assert article.xpath("pre/text()") == ["x" * 400 + "…"]
    assert "The JSON file contains all." in article.text_content()
    assert "The JSON file contains all." not in page.xpath("//article")[1].text_content()


def test_compact_changes_keep_their_tags_and_say_that_diffs_are_omitted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_report_page.LIMITS, "changes", 600)
    changes = [change(host, diff=f"+{'x' * 2_000}", failed=host == "a", check_mode=host == "a") for host in "ab"]
    (entry,) = html.fromstring(render(changes=changes)).xpath("//p[@data-status='changed']")
    assert entry.xpath("span[contains(@class, 'tag')]/text()") == ["and failed (1 of 2)", "check mode (1 of 2)"]
    assert "Diffs omitted. The JSON file contains all." in entry.text_content()


def test_compact_changes_without_diffs_omit_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(_report_page.LIMITS, "changes", 1_500)
    changes = [change(f"host-{number}", diff=None, failed=True) for number in range(300)]
    (entry,) = html.fromstring(render(changes=changes)).xpath("//p[@data-status='changed']")
    assert entry.xpath("span[contains(@class, 'tag')]/text()") == ["and failed"]
    assert "Diffs omitted" not in entry.text_content()


@pytest.mark.parametrize(("shape", "text"), [("equal", "<" * 4_000), ("distinct", "<" * 4_000), ("distinct", "short")])
def test_page_is_smaller_than_2_mb_with_5000_hosts(shape: str, text: str) -> None:
    """Each host fails, is ignored once, and changes in 20 tasks."""
    numbers = range(5_000)
    texts = [f"{number if shape == 'distinct' else ''}{text}" for number in numbers]
    names = [f"host-{number}.build.example.com" for number in numbers]
    pairs = list(zip(names, texts, strict=True))
    failures = [fail(name, text, state=state) for state in ("ignored", "failed") for name, text in pairs]
    changes = [change(name, diff=f"+{text}", task=f"task {index}") for index in range(20) for name, text in pairs]
    warnings = [{**fail(name, text)} for name, text in pairs]
    page = run_within(20, lambda: render(failures=failures, changes=changes, warnings=warnings, hosts=5_000))
    assert len(page.encode()) < MAX_BYTES
    tree = html.fromstring(page)
    assert tree.xpath("//article[1]//pre")[0].text_content().startswith(texts[0][:5])
    assert len(tree.xpath("//section[@id='hosts']//tbody/tr")) > 1_000
    if shape == "distinct" and text != "short":
        assert "more errors omitted. The JSON file contains all." in page
