# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The documentation site explains each message, has no dead links, and quotes true numbers and versions."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from pathlib import Path
from xml.etree import ElementTree

import yaml

from export import CHECKOUT
from generate import list_modules
from site_links import find_dead_links, find_dead_markdown_links
from site_messages import find_messages, read_groups
from site_numbers import find_numbers, format_number, read_bench
from site_versions import find_versions, list_ansible_lines, list_clients

SITE = CHECKOUT / "docs/site"
TERRAFORM_RESOURCES = CHECKOUT / "tests/meta/terraform_resources.yml"


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


def test_numbers_are_those_of_the_benchmark() -> None:
    numbers = dict(find_numbers())
    for name, row in read_bench().items():
        assert numbers[name] == format_number(row["value"])
        assert {"date", "load", "cores", "ansible-core", "python"} <= row.keys(), name
    assert numbers["modules"] == numbers["modules with check mode"] == str(len(list_modules()))
    assert int(numbers["modules that write"]) < len(list_modules())


def test_pages_quote_measured_numbers_only_from_the_benchmark() -> None:
    landing_page = (SITE / "index.rst").read_text()
    reasons = landing_page[landing_page.index("Three reasons") : landing_page.index("Quick start")]
    assert re.search(r"``become``[^.]+\|module_vs_uri\|.+why-not-speed", reasons, re.DOTALL)
    comparison = (SITE / "why-not.rst").read_text()
    for text in (reasons, comparison[comparison.index("\nSpeed\n") :]):
        assert re.findall(r"\d[\d.,]* (?:ms|s|times|requests?)\b", re.sub(r"\|[^|\n]+\|", "", text)) == []


def test_readme_quotes_the_speed_of_the_benchmark() -> None:
    (times,) = re.findall(r"about (\S+) times faster", (CHECKOUT / "README.md").read_text())
    assert times == dict(find_numbers())["task_vs_uri"]


def test_large_and_small_numbers_are_rounded() -> None:
    assert [format_number(value) for value in (1, 249.97, 1294.81, 0.784, 1.96, "2.19")] == [
        *("1", "250", "1,295", "0.78", "2", "2.19"),
    ]


def test_versions_page_lists_all_clients_and_release_lines() -> None:
    page = (SITE / "support/versions.rst").read_text()
    versions = dict(find_versions())
    for client in list_clients():
        assert f"|version {client}|" in page
    for line in list_ansible_lines():
        assert f"   * - {line}\n     - |version ansible-core {line}|\n     - |version python {line}|\n" in page
        assert versions[f"ansible-core {line}"].startswith(f"{line}.")
    assert versions["hudson"] == "1.395"


def test_recording_is_short_and_ends_with_an_unchanged_run() -> None:
    svg = ElementTree.parse(SITE / "_static/cast.svg").getroot()
    style = "".join(svg.itertext())
    lines = [element for element in svg.iter() if element.tag.endswith("}text")]
    delays = [float(re.findall(r"animation-delay: (-?[\d.]+)s", line.attrib["style"])[0]) for line in lines]
    durations = [float(seconds) for seconds in re.findall(r"animation: cast-\w+ ([\d.]+)s", style)]
    seconds = max(*durations, *delays)
    assert 20 < seconds <= 35
    assert f"second run, {seconds:.0f} seconds</summary>" in (SITE / "index.rst").read_text()
    assert delays == sorted(delays)
    transcript = (SITE / "_static/cast.txt").read_text()
    assert ["".join(line.itertext()) for line in lines] == list(filter(None, transcript.splitlines()))
    assert not re.search(r"/(?:home|root|work|Users)/|/platform", transcript)
    commands = re.findall(r"^\$ (.*)", transcript, re.MULTILINE)
    assert commands[:2] == re.findall(r"^  \$ (ansible-playbook .*)", (SITE / "index.rst").read_text(), re.MULTILINE)
    assert re.findall(r"changed=(\d)", transcript) == ["2", "2", "0"]


def test_recording_starts_with_the_complete_preview() -> None:
    svg = ElementTree.parse(SITE / "_static/cast.svg").getroot()
    lines = [element for element in svg.iter() if element.tag.endswith("}text")]
    visible = ["".join(line.itertext()) for line in lines if "delay: -" in line.attrib["style"]]
    preview = (SITE / "_static/cast.txt").read_text().split("$ ansible-playbook")[1]
    assert visible == list(filter(None, f"$ ansible-playbook{preview}".splitlines()))


def test_recording_is_still_when_motion_is_reduced() -> None:
    style = (SITE / "_static/cast.svg").read_text().partition("<style>")[2].partition("</style>")[0]
    before, condition, _rules = style.partition("@media screen and (prefers-reduced-motion: no-preference) {")
    assert condition
    assert "animation:" not in before
    assert "#still:target * { animation: none; }" in style


def test_each_terraform_resource_has_one_row_on_the_migration_page() -> None:
    page = (SITE / "migration/terraform.rst").read_text()
    table = page.partition("\nResources\n---------\n")[2].partition("\nBoth tools ")[0]
    rows = [re.findall(r"``([^`]+)``", row.partition("\n     - ")[0]) for row in table.split("\n   * - ")[2:]]
    names = [name for group in yaml.safe_load(TERRAFORM_RESOURCES.read_text()).values() for name in group]
    assert len(names) > 270
    counts = {name: sum(any(fnmatchcase(name, entry) for entry in row) for row in rows) for name in names}
    assert {name: count for name, count in counts.items() if count != 1} == {}
    entries = [entry for row in rows for entry in row]
    assert [entry for entry in entries if not any(fnmatchcase(name, entry) for name in names)] == []
