# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Open pages of the documentation site in a browser; `make site` builds them first."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from build_folder import BUILD
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
# site.js has put all tables into boxes that the keyboard can scroll
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


# Common searches, with the pages that should be among the first results
SEARCHES = {
    "upload file artifactory": {"provision-artifact.html", "artifact_file_module.html"},
    "trigger jenkins job": {"builds.html", "ci_build_module.html"},
    "onboard klocwork": {"onboard-project.html", "review_onboarding_role.html"},
    "rotate token": {"rotate-tokens.html", "access_token_module.html"},
}
MAX_RANK = 8


@pytest.mark.parametrize("query", SEARCHES)
def test_search_finds_the_pages_for_common_tasks(browser: Chromium, site: Path, query: str) -> None:
    targets: list[str] = []

    def read_results(page: Page) -> None:
        page.wait_for_selector("#search-results li a")
        page.wait_for_function("() => !/Searching/.test(document.querySelector('#search-results h2').textContent)")
        links = page.locator("#search-results li > a").all()
        targets.extend((link.get_attribute("href") or "").partition("?")[0].rsplit("/", 1)[-1] for link in links)

    browser.visit(f"{(site / 'search.html').as_uri()}?q={quote(query)}", read_results)
    names = [name.partition("#")[0] for name in targets]
    assert SEARCHES[query] & set(list(dict.fromkeys(names))[:MAX_RANK]), names


@pytest.mark.parametrize("name", PAGES)
def test_page_is_accessible(browser: Chromium, site: Path, name: str) -> None:
    screenshot = f"site-{name.replace('/', '-')}"
    # The theme has one color scheme, and a menu outside the window of a phone
    browser.check_page(site / f"{name}.html", screenshot, wait_until_ready, within=".wy-nav-content", schemes=["light"])
