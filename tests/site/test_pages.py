# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Open pages of the documentation site in a browser; `make site` builds them first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.browser import Chromium

if TYPE_CHECKING:
    from playwright.sync_api import Page

# One page of each kind, with the widest tables and the longest names
PAGES = (
    "index",
    "start/servers",
    "guides/clean-up",
    "reference/playbooks",
    "reference/variables",
    "troubleshooting/index",
    "support/index",
    "collections/buildworks/toolchain/inference_admin_key_module",
    "collections/buildworks/toolchain/overview_role",
)
BACKGROUND = "() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"


@pytest.mark.parametrize("name", PAGES)
def test_page_is_accessible_in_both_color_schemes(browser: Chromium, site: Path, name: str) -> None:
    # The theme keeps the navigation outside the window of a phone
    browser.check_page(site / f"{name}.html", f"site-{name.replace('/', '-')}", within="article")


def test_colors_follow_the_system_and_the_toggle(browser: Chromium, site: Path) -> None:
    def check_backgrounds(page: Page) -> None:
        page.emulate_media(color_scheme="light")
        light = page.evaluate(BACKGROUND)
        page.emulate_media(color_scheme="dark")
        dark = page.evaluate(BACKGROUND)
        assert sum(light) > 3 * 200 > 3 * 50 > sum(dark)
        page.locator(".theme-toggle:visible").click()
        page.wait_for_function(f"dark => ({BACKGROUND})().join() !== dark.join()", arg=dark)

    assert browser.visit((site / "index.html").as_uri(), check_backgrounds) == []
