# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the screenshots of the documentation site to docs/site/_static, in both color schemes.

Run it again when the console, the report or the overview changed: `make test-environment`, then
`PYTHONPATH=tests:tools:extensions:build/collections python -m support.screenshots` with the Python of that environment.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from sandbox import client
from support.browser import SCHEMES, chromium
from support.playbook import ROOT, environment, run_command
from support.running import run
from support.toolchain_in_use import build_history, build_seed

if TYPE_CHECKING:
    from playwright.sync_api import Page

TARGET = ROOT / "docs" / "site" / "_static"
HEIGHT = 900  # pixels
WIDTH = 1200  # pixels
HOSTS = {"artifact": "artifactory", "ci": "jenkins", "review": "klocwork", "inference": "openai"}


def main() -> None:
    with tempfile.TemporaryDirectory() as place, client.start() as sandbox, chromium() as browser:
        folder = Path(place)
        shutil.copytree(ROOT / "docs" / "site" / "guides", folder / "guides")
        run_playbooks(sandbox, folder / "guides")

        def sign_in(page: Page) -> None:
            page.get_by_label("Secret").fill(sandbox.environment["SANDBOX_SECRET"])
            page.get_by_label("Secret").press("Enter")
            page.get_by_text("artifactory/api").first.click()
            page.get_by_role("button", name="Copy as curl").wait_for()
            page.get_by_text("repositories 7").click()
            write_screenshot(page, "console")

        browser.visit(f"{sandbox.url}/_sandbox/console", sign_in)
        report = folder / "guides" / "toolchain-report.html"
        browser.visit(report.as_uri(), lambda page: write_screenshot(page, "report"))
        browser.visit(write_overview(folder).as_uri(), lambda page: write_screenshot(page, "overview", 1150))


def write_overview(folder: Path) -> Path:
    """Write the overview of a toolchain in use, and return its path."""
    file, history = folder / "overview.html", folder / "history.json"
    files = {"overview_page_file": file, "overview_history_file": history, "overview_json_file": ""}
    variables = {**files, "overview_site": "https://docs.example.com/toolchain"}
    (folder / "variables.json").write_text(json.dumps(variables, default=str))
    (folder / "services.yml").write_text(
        yaml.safe_dump({group: {"hosts": {name: {}}} for group, name in HOSTS.items()})
    )
    with client.start() as sandbox:
        now = float(sandbox.clock()["now"])
        sandbox.seed(build_seed(now))
        url, token = (sandbox.environment[name] for name in ("JFROG_URL", "JFROG_ACCESS_TOKEN"))
        storage = run("artifact_storage_info", url=url, token=token, refresh=True)["storage"]
        used = {repository["key"]: repository["used"] for repository in storage["repositories"]}
        history.write_text(json.dumps(build_history(HOSTS["artifact"], now, used)))
        command = ["buildworks.toolchain.overview", "-i", folder / "services.yml", "-e", f"@{folder}/variables.json"]
        output, status = run_command(command, environment(sandbox))
        assert status == 0, output
    return file


def run_playbooks(sandbox: client.Sandbox, folder: Path) -> None:
    """Write a report to a directory; leave requests in the journal of the sandbox."""
    overview = "overview_page_file= overview_json_file= overview_history_file="
    variables = environment(sandbox, HOME=str(folder), ANSIBLE_CALLBACKS_ENABLED="buildworks.toolchain.report")
    for command in (
        ["buildworks.toolchain.overview", "-e", overview, "-e", "toolchain_report_html="],
        ["drift-report.yml", "--check", "--diff"],
    ):
        output, status = run_command(["-i", "inventory.yml", *command], variables, folder)
        assert status == 0, output


def write_screenshot(page: Page, name: str, height: int = HEIGHT) -> None:
    """Write screenshots of the first part of a page: `<name>.png` and `<name>-dark.png`."""
    page.set_viewport_size({"width": WIDTH, "height": height})
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        page.screenshot(path=TARGET / f"{name}{'-dark' if scheme == 'dark' else ''}.png")


if __name__ == "__main__":
    main()
