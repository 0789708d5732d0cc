# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages of modules list own options first, then those that all modules of the service have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from support.playbook import ROOT

GROUPS = yaml.safe_load((ROOT / "meta/runtime.yml").read_text())["action_groups"]
HEADING = 'id="connection-options"'


def read_page(site: Path, module: str) -> str:
    return (site / f"collections/buildworks/toolchain/{module}_module.html").read_text()


def list_options(html: str) -> list[str]:
    """Return the options that a page describes, in their order, without suboptions."""
    return re.findall(r'class="ansibleOptionAnchor" id="parameter-([^/"]+)"', html)


@pytest.mark.parametrize("service", ["artifact", "ci", "inference", "review"])
def test_connection_options_follow_own_options_in_a_section(site: Path, service: str) -> None:
    pages = {module: read_page(site, module) for module in GROUPS[service]}
    common = set.intersection(*({*list_options(html)} for html in pages.values()))
    assert {"url", "timeout", "validate_certs"} <= common
    for module, html in pages.items():
        own, heading, connection = html.partition(HEADING)
        assert heading, module
        assert set(list_options(connection)) == common, module
        assert not common & set(list_options(own)), module
        for options in (list_options(own), list_options(connection)):
            assert options == sorted(set(options)), module


def test_titles_and_navigation_have_short_names(site: Path) -> None:
    html = read_page(site, "review_view")
    assert "<title>review_view module – Manage Klocwork views" in html
    (current,) = re.findall(
        r'<li class="[^"]*current-page"><a class="current reference internal" href="#">(.*?)</a>', html
    )
    assert current == "review_view"
