# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation site explains each message and has no dead links."""

from __future__ import annotations

from pathlib import Path

from site_links import find_dead_links, find_dead_markdown_links
from site_messages import find_messages, read_groups


def test_each_message_has_a_group_and_each_pattern_a_message() -> None:
    groups = read_groups()
    patterns = {(group.title, pattern) for group in groups for pattern in group.patterns}
    without, needed = [], set()
    for message in find_messages():
        group = next((group for group in groups if group.find_patterns(message)), None)
        if group is None:
            without.append(message)
        else:
            needed.update((group.title, pattern) for pattern in group.find_patterns(message))
    assert without == [], "docs/site/messages.yml says nothing of these messages"
    assert patterns - needed == set(), "no message is like these patterns of docs/site/messages.yml"


def test_messages_are_found_in_plugins_and_roles() -> None:
    messages = find_messages()
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


def test_dead_links_are_found(tmp_path: Path) -> None:
    links = ("#here", "#nowhere", "other.html#there", "other.html#nowhere", "none.html", "/", "https://example.com/x")
    (tmp_path / "index.html").write_text('<p id="here">' + "".join(f'<a href="{link}">x</a>' for link in links))
    (tmp_path / "other.html").write_text('<a name="there"><img src="none.png">')
    assert find_dead_links(tmp_path) == [
        "index.html: #nowhere",
        "index.html: /",
        "index.html: none.html",
        "index.html: other.html#nowhere",
        "other.html: none.png",
    ]


def test_markdown_links_to_directories_and_headings_are_valid(tmp_path: Path) -> None:
    links = ("#a-heading-in-it", "#nowhere", "more.md#more", "more.md#nowhere", ".", "none", "https://example.com/x")
    text = "".join(f"[x]({link}) " for link in links)
    (tmp_path / "README.md").write_text(f"## A `heading` in it\n{text}\n```\n[x](shown)\n# nowhere\n```\n")
    (tmp_path / "more.md").write_text("# More\n")
    assert find_dead_markdown_links(tmp_path) == [
        "README.md: #nowhere",
        "README.md: more.md#nowhere",
        "README.md: none",
    ]
