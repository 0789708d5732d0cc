# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation site says what each message means, and finds the links of its own that lead nowhere."""

from __future__ import annotations

from pathlib import Path

from site_links import dead_links, dead_links_of_readmes
from site_messages import kinds, told


def test_each_message_has_a_kind_and_each_pattern_a_message() -> None:
    known = kinds()
    patterns = {(kind.title, pattern) for kind in known for pattern in kind.patterns}
    without, needed = [], set()
    for message in told():
        kind = next((kind for kind in known if kind.matching(message)), None)
        if kind is None:
            without.append(message)
        else:
            needed.update((kind.title, pattern) for pattern in kind.matching(message))
    assert without == [], "docs/site/messages.yml says nothing of these messages"
    assert patterns - needed == set(), "no message is like these patterns of docs/site/messages.yml"


def test_messages_are_found_wherever_they_are_told() -> None:
    messages = told()
    assert len(messages) > 300
    for message in (
        "must be a plugin, but '…' is not an archive with a manifest",  # an option's
        "Cannot get the version: the server returned no record.",  # an error
        "The search returned … results, the maximum for this account. There may be more. Search in fewer "
        "repositories or use artifact_query_info.",  # a warning
        "The server is starting, restarting or overloaded. Try again later.",  # added to a status
        "Jenkins … is too old: ci_provision_minimum_version requires … or newer. Upgrade Jenkins.",  # a role's
    ):
        assert message in messages
    assert [message for message in messages if "……" in message] == []


def test_a_link_has_to_lead_to_a_file_and_to_a_place_in_it(tmp_path: Path) -> None:
    links = ("#here", "#nowhere", "other.html#there", "other.html#nowhere", "none.html", "/", "https://example.com/x")
    (tmp_path / "index.html").write_text('<p id="here">' + "".join(f'<a href="{link}">x</a>' for link in links))
    (tmp_path / "other.html").write_text('<a name="there"><img src="none.png">')
    assert dead_links(tmp_path) == [
        "index.html: #nowhere",
        "index.html: /",
        "index.html: none.html",
        "index.html: other.html#nowhere",
        "other.html: none.png",
    ]


def test_a_link_in_markdown_may_lead_to_a_folder_or_a_heading(tmp_path: Path) -> None:
    links = ("#a-heading-in-it", "#nowhere", "more.md#more", "more.md#nowhere", ".", "none", "https://example.com/x")
    text = "".join(f"[x]({link}) " for link in links)
    (tmp_path / "README.md").write_text(f"## A `heading` in it\n{text}\n```\n[x](shown)\n# nowhere\n```\n")
    (tmp_path / "more.md").write_text("# More\n")
    assert dead_links_of_readmes(tmp_path) == ["README.md: #nowhere", "README.md: more.md#nowhere", "README.md: none"]
