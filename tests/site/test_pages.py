# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Open pages of the documentation site in a browser; `make site` builds them first."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from support.browser import SCHEMES, Chromium

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
    "support/versions",
    "why-not",
    "collections/buildworks/toolchain/inference_admin_key_module",
    "collections/buildworks/toolchain/overview_role",
)
MOTION: dict[Any, str] = {"no-preference": "cast.svg", "reduce": "cast.svg#still"}
BACKGROUND = "() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"

# For each table, the labels of its columns without the first, once for each row
READ_HEADINGS = """tables => tables.map(table => [...table.tBodies[0].rows].map(
    () => [...table.tHead.rows[0].cells].slice(1).map(cell => cell.textContent)))"""
READ_LABELS = """tables => tables.map(table => [...table.tBodies[0].rows].map(row => [...row.cells].slice(1).map(
    cell => JSON.parse(getComputedStyle(cell.querySelector("[data-label]"), "::before").content))))"""
READ_RIGHT_EDGE = """pre => {
    const range = document.createRange();
    range.selectNodeContents(pre);
    return Math.max(...[...range.getClientRects()].map(line => line.right));
}"""


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


def test_keyboard_scrolls_a_wide_table_on_a_phone(browser: Chromium, site: Path) -> None:
    def scroll(page: Page) -> None:
        page.set_viewport_size({"width": 360, "height": 800})
        box = page.locator(".table-wrapper", has_text="toolchain_artifact_url")
        assert box.evaluate("box => box.scrollWidth > box.clientWidth")
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        box.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function("box => box.scrollLeft > 0", arg=box.element_handle())

    assert browser.visit((site / "reference/variables.html").as_uri(), scroll) == []


@pytest.mark.parametrize("name", ["support/versions", "why-not"])
def test_phone_shows_rows_of_stacked_tables_as_labelled_blocks(browser: Chromium, site: Path, name: str) -> None:
    def check_tables(page: Page) -> None:
        assert not page.locator("[data-label]:visible").count()
        headings = page.eval_on_selector_all("table.stacked", READ_HEADINGS)
        page.set_viewport_size({"width": 360, "height": 800})
        assert len(headings) == page.locator(".table-wrapper").count() > 0
        assert page.eval_on_selector_all("table.stacked", READ_LABELS) == headings
        assert page.eval_on_selector_all(
            ".table-wrapper", "all => all.every(box => box.scrollWidth <= box.clientWidth)"
        )

    assert browser.visit((site / f"{name}.html").as_uri(), check_tables) == []


def test_wide_table_has_shadows_at_its_edges(browser: Chromium, site: Path) -> None:
    def check_shadows(page: Page) -> None:
        style = page.locator(".table-wrapper").first.evaluate("box => getComputedStyle(box).backgroundAttachment")
        assert style == "local, local, scroll, scroll"

    assert browser.visit((site / "reference/variables.html").as_uri(), check_shadows) == []


def test_phone_shows_the_whole_install_command_beside_its_button(browser: Chromium, site: Path) -> None:
    def check_command(page: Page) -> None:
        page.set_viewport_size({"width": 360, "height": 800})
        install = page.locator(".install")
        assert install.locator("pre").evaluate("pre => pre.scrollWidth <= pre.clientWidth")
        button = install.get_by_role("button").bounding_box()
        assert button
        assert install.locator("pre").evaluate(READ_RIGHT_EDGE) <= button["x"]

    assert browser.visit((site / "index.html").as_uri(), check_command) == []


def test_first_screen_answers_what_was_tested_on_a_real_server(browser: Chromium, site: Path) -> None:
    def check_answers(page: Page) -> None:
        table = page.locator("table").first
        answers = table.locator("tbody td:nth-child(2) strong").all_inner_texts()
        assert len(answers) == table.locator("tbody tr").count() == 4
        assert all(answer.startswith(("Yes", "No", "Only")) for answer in answers)
        box = table.bounding_box()
        assert box
        assert box["y"] + box["height"] < 900
        assert page.locator("section > p").first.locator("a").get_attribute("href") == "#never-tried"

    assert browser.visit((site / "support/versions.html").as_uri(), check_answers) == []


def test_landing_page_has_install_line_recording_reasons_and_screenshots(browser: Chromium, site: Path) -> None:
    def check_parts(page: Page) -> None:
        install = page.locator(".highlight-console").first
        assert "ansible-galaxy collection install" in install.inner_text()
        assert install.get_by_role("button").count() == 1
        for motion, recording in MOTION.items():
            page.emulate_media(reduced_motion=motion)
            image = page.locator("img.cast:visible")
            assert (image.get_attribute("src") or "").endswith(recording)
            assert image.evaluate("image => image.complete && image.naturalWidth > 0")
        parts = page.locator(".card, img.cast:visible")
        assert parts.evaluate_all("all => all.map(part => part.tagName)") == ["DIV", "DIV", "DIV", "IMG"]
        for card in page.locator(".card").all():
            assert re.search(r"(Measured|Counted): .*make ", card.inner_text(), re.DOTALL)
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            screenshots = page.locator("img.screenshot:visible")
            assert screenshots.count() == 3
            assert all((image.get_attribute("alt") or "").count(" ") > 5 for image in screenshots.all())

    assert browser.visit((site / "index.html").as_uri(), check_parts) == []
