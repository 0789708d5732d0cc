# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of the callback `report` in a browser, for 200 hosts and 20 tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ansible_collections.buildworks.toolchain.plugins.plugin_utils import _report_page
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._report_summary import summarize
from support.browser import Chromium
from support.reports import change, document, fail, task

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCREENS = [(360, 800), (1600, 900)]
OFFLINE = "Jenkins at node-{} did not restart: POST /safeRestart: 503 Service Unavailable. See its log."
MISSING = "Item 'app/1.0/app.tgz' does not exist in repository 'generic-local', or the account has no Read permission."
RUNS = [
    {
        "started": f"2026-01-{day:02}T00:00:00Z",
        "check_mode": day % 3 == 0,
        "complete": True,
        "hosts": 200,
        "changes": 40 * day,
        "failures": day % 2,
        "seconds": 60.0 * day,
    }
    for day in range(1, 13)
]


def write_page(folder: Path) -> Path:
    """Write the page of a run with 18 failed hosts and two errors."""
    restart = {"service": "ci", "task": "ci_restarts : Restart the controllers", "path": "roles/ci/tasks/main.yml:12"}
    failures = [fail(f"node-{number}", OFFLINE.format(number), **restart) for number in range(1, 12)]
    failures += [fail(f"repo-{number}", MISSING) for number in range(1, 8)]
    failures += [fail(f"node-{number}", "no license", state="ignored", **restart) for number in range(40, 90)]
    changes = [change(f"node-{number}", service="ci", task="message") for number in range(1, 150)]
    changes += [change(f"repo-{number}", diff=f"-old\n+new {number}") for number in range(8, 12)]
    tasks = [task(f"task {number}", ok=200, service="ci" if number % 2 else "artifact") for number in range(20)]
    run = document(failures, changes, hosts=200, tasks=tasks, seconds=312.0)
    path = folder / "report.html"
    path.write_text(_report_page.render(summarize(run), RUNS))
    return path


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_page(tmp_path_factory.mktemp("page"))


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_first_screen_shows_what_failed_and_where(browser: Chromium, page_file: Path, width: int, height: int) -> None:
    def check(page: Page) -> None:
        page.set_viewport_size({"width": width, "height": height})
        for selector in (
            "text='18 of 200 hosts failed; 2 distinct errors'",
            "text=5 min 12 s",
            "#failures article:nth-of-type(1) h3:has-text('11 hosts'):has-text('Jenkins')",
            f"#failures pre:has-text({OFFLINE.format(1)!r})",
            "#failures .hosts:has-text('node-1, node-2, node-3')",
            "#failures article:nth-of-type(2) h3:has-text('7 hosts'):has-text('Artifactory')",
            f'#failures pre:has-text("{MISSING}")',
            "#failures .hosts:has-text('repo-1, repo-2, repo-3')",
        ):
            box = page.locator(selector).last.bounding_box()
            assert box and box["y"] + box["height"] <= height, selector

    assert browser.visit(page_file.as_uri(), check) == []


def test_entries_are_filtered_by_text_service_and_status(browser: Chromium, page_file: Path) -> None:
    def check(page: Page) -> None:
        rows, status = page.locator("#hosts tbody tr:visible"), page.get_by_role("status")
        page.get_by_label("Host, task or message").fill("REPO-7")
        assert rows.all_inner_texts()[0].split()[0] == "repo-7"
        assert rows.count() == 1
        assert page.locator("#failures article:visible h3").all_inner_texts()[0].startswith("failed #2 7 hosts")
        assert page.locator("#handled").is_hidden()
        assert "entries match" in status.inner_text()
        page.get_by_label("Host, task or message").fill("")
        page.get_by_label("Service").select_option("Jenkins")
        page.get_by_label("Status").select_option("changed")
        assert page.locator("#changes summary:visible").count() == 1
        assert rows.count() == 149  # most of them were folded
        assert page.locator("#failures").is_hidden()
        assert page.url.endswith("#service=ci&status=changed")
        page.reload()
        assert page.get_by_label("Service").input_value() == "ci"
        assert page.locator("#failures").is_hidden()
        page.get_by_label("Service").select_option("")
        page.get_by_label("Status").select_option("")
        assert page.locator("[hidden]").count() == 0
        assert status.inner_text() == ""

    assert browser.visit(page_file.as_uri(), check) == []


def test_links_lead_to_sections_without_script(browser: Chromium, page_file: Path, tmp_path: Path) -> None:
    changed = tmp_path / "report.html"
    changed.write_text(page_file.read_text().replace('"use strict";', '"use strict"; document.title = "changed";'))

    def check(page: Page) -> None:
        assert page.title().startswith("18 of 200")
        assert page.get_by_role("search").is_hidden()
        page.get_by_role("link", name="Jenkins 149").click()
        assert page.locator("#changes-ci").bounding_box()["y"] < 100  # type: ignore[index]
        page.locator("#changes-ci summary").first.click()
        assert page.locator("#changes-ci ins").first.is_visible()

    (complaint,) = browser.visit(changed.as_uri(), check)
    assert "Content Security Policy" in complaint


def test_large_page_is_accessible(browser: Chromium, page_file: Path) -> None:
    browser.check_page(page_file, "report-large")
