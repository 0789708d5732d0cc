# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages of the documentation site in a browser; `make site` builds them first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from build_folder import BUILD
from support.browser import Chromium

if TYPE_CHECKING:
    from playwright.sync_api import Page

# One of each kind, those with the widest tables and the longest names
PAGES = (
    "index",
    "start/servers",
    "guides/clean-up",
    "reference/playbooks",
    "reference/variables",
    "fails/index",
    "tested/index",
    "collections/buildworks/toolchain/inference_admin_key_module",
    "collections/buildworks/toolchain/overview_role",
)
# What the page does to its tables when it is there
READY = """() => [...document.querySelectorAll("table.docutils")].every(
    table => table.closest(".wy-table-responsive[tabindex]"))"""


@pytest.fixture(scope="module")
def site() -> Path:
    folder = BUILD / "site"
    if not (folder / "index.html").exists():
        pytest.fail(f"There is no site in {folder}. Run: make site", pytrace=False)
    return folder


def wait_until_ready(page: Page) -> None:
    page.wait_for_function(READY)


@pytest.mark.parametrize("name", PAGES)
def test_people_can_use_the_pages(browser: Chromium, site: Path, name: str) -> None:
    shown = f"site-{name.replace('/', '-')}"
    # The theme has one scheme, and a menu that waits beside the window of a phone
    browser.check_page(site / f"{name}.html", shown, wait_until_ready, within=".wy-nav-content", schemes=["light"])
