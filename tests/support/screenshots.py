# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the screenshots of the documentation site to docs/site/_static.

Run it again when the console, the report or the overview changed: `make test-environment`, then
`PYTHONPATH=tests:tools:extensions python -m support.screenshots` with the Python of that environment.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from sandbox import client
from support.browser import chromium
from support.playbook import ROOT, environment, run_command

if TYPE_CHECKING:
    from playwright.sync_api import Page

TARGET = ROOT / "docs" / "site" / "_static"
HEIGHT = 900  # pixels
WIDTH = 1200  # pixels


def main() -> None:
    with tempfile.TemporaryDirectory() as place, client.start() as sandbox, chromium() as browser:
        folder = Path(place)
        shutil.copytree(ROOT / "docs" / "site" / "guides", folder / "guides")
        run_playbooks(sandbox, folder / "guides")

        def sign_in(page: Page) -> None:
            page.get_by_label("Secret").fill(sandbox.environment["SANDBOX_SECRET"])
            page.get_by_label("Secret").press("Enter")
            page.get_by_text("artifactory/api").first.wait_for()
            write_screenshot(page, "console")

        browser.visit(f"{sandbox.url}/_sandbox/console", sign_in)
        for name, file in (("report", "toolchain-report.html"), ("overview", "overview.html")):
            browser.visit((folder / "guides" / file).as_uri(), lambda page, name=name: write_screenshot(page, name))


def run_playbooks(sandbox: client.Sandbox, folder: Path) -> None:
    """Write a report and an overview to a directory; leave requests in the journal of the sandbox."""
    overview = f"overview_page_file={folder}/overview.html overview_json_file= overview_history_file="
    variables = environment(sandbox, HOME=str(folder), ANSIBLE_CALLBACKS_ENABLED="buildworks.toolchain.report")
    for command in (
        ["buildworks.toolchain.overview", "-e", overview, "-e", "toolchain_report_html="],
        ["drift-report.yml", "--check", "--diff"],
    ):
        output, status = run_command(["-i", "inventory.yml", *command], variables, folder)
        assert status == 0, output


def write_screenshot(page: Page, name: str) -> None:
    """Write a screenshot of the first part of a page."""
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    page.screenshot(path=TARGET / f"{name}.png")


if __name__ == "__main__":
    main()
