# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Markdown of the callback `report`, read with a CommonMark parser."""

from __future__ import annotations

from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from ansible_collections.buildworks.toolchain.plugins.plugin_utils import _report_markdown
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._report_summary import summarize
from support.reports import change, document, fail

HOSTILE = [
    "<script>alert(1)</script>",
    "```\n/close\n```\n\n/label ~bug",
    "`a` ``b`` ```` c",
    "| a | b |\n| - | - |\n| 1 | 2 |",
    "@everyone see #123 and !456",
    "</code></summary></details>\n\n# heading",
    "[x](javascript:alert(1)) ![y](https://example.com/y.png)",
    "a\0b\x1b[1m\r\nc\u2028d\udc00",
]


def render(**members: Any) -> str:
    return _report_markdown.render(summarize(document(**members)))


def parse(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(text)


def test_verdict_is_the_heading_and_figures_are_in_a_table() -> None:
    failures = [fail(f"repo-{number}", "no", service="ci") for number in range(18)]
    text = render(failures=failures, changes=[change("repo-1"), change("repo-2")], hosts=200)
    assert text.splitlines()[0] == "## 18 of 200 hosts failed; 1 distinct error"
    assert "| Artifactory | 0 | 2 | 2 |" in text.splitlines()
    assert "| Jenkins | 18 | 0 | 0 |" in text.splitlines()
    assert text.index("### Failures") < text.index("### Changes")


@pytest.mark.parametrize("text", HOSTILE)
def test_texts_from_outside_stay_in_code(text: str) -> None:
    """Each place of a text has an equal form if the text is plain, so its tokens must be equal."""

    def build(value: str) -> str:
        changes = [change(value, task=value, item=value, diff=value), change("a", task="hidden", hidden=True)]
        return render(failures=[fail(value, value, task=value, item=value)], changes=changes, title=value)

    expected, actual = (
        [
            (token.type, [child.type for child in token.children or [] if child.type != "softbreak"])
            for token in parse(build(value))
        ]
        for value in ("plain", text)
    )
    assert actual == expected
    html = "".join(token.content for token in parse(build(text)) if token.type == "html_block")
    assert "<script" not in html and html.count("</code>") == html.count("<code>")
    assert not any(line.startswith("/") for line in build(text).splitlines())


def test_hidden_texts_are_not_shown() -> None:
    text = render(failures=[fail("a", None)], changes=[change("a", hidden=True, diff=None)])
    assert text.count("Hidden by no_log.") == 2


@pytest.mark.parametrize(("shape", "character"), [("equal", "x"), ("distinct", "\0"), ("distinct", "`")])
def test_size_is_limited(shape: str, character: str) -> None:
    def text(number: int) -> str:
        return character * 3_000 + (str(number) if shape == "distinct" else "")

    numbers = range(5_000)
    failures = [fail(f"host-{number}", text(number)) for number in numbers]
    failures += [fail(f"host-{number}", text(number), state="ignored") for number in numbers]
    changes = [change(f"host-{number}", diff=f"+{text(number)}") for number in numbers]
    changes += [change("host-1", task=f"task {number}", diff=text(number)) for number in numbers]
    rendered = render(failures=failures, changes=changes, hosts=5_000)
    assert len(rendered.encode()) <= _report_markdown.MAX_BYTES
    assert rendered.startswith("## 5,000 of 5,000 hosts failed; ")
    assert rendered.index("### Failures") < rendered.index("### Ignored") < rendered.index("### Changes")
    assert "omitted. The JSON report contains all." in rendered


def test_long_host_lists_are_collapsed() -> None:
    text = render(failures=[fail(f"repo-{number}", "no") for number in range(31)], hosts=31)
    assert "<summary>31 hosts</summary>" in text
    assert "`repo-0, repo-1, repo-2, repo-3," in text


def test_planned_changes_are_named_in_check_mode() -> None:
    text = render(changes=[change("a", check_mode=True)], check_mode=True, hosts=3)
    assert text.splitlines()[0] == "## 1 change planned on 1 of 3 hosts"
    assert "### Planned changes" in text
