# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the journal in the console."""

from __future__ import annotations

import contextlib
import http.client
import os
import subprocess
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
import requests

from sandbox import client
from support.browser import Chromium, Tab

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

CONSOLE = "/_sandbox/console"
MARKUP = "<script>document.title = 'run'</script><img src=x onerror=\"document.title = 'run'\">"
WINDOWS = ((1600, 900), (360, 800))
WIDE = 1100  # pixels from which the journal is always visible
PANELS = {
    "State": [],
    "Faults": ["503 for a minute", "Inject a fault"],
    "Clock": ["Advance clock", "Set clock"],
    "Switches": [],
    "Seed": ["Save state as seed", "Load seed", "Load snapshot", "Reset sandbox"],
    "Environment": ["Copy as shell script"],
}


@pytest.fixture(scope="module")
def console(browser: Chromium, running_sandbox: client.Sandbox) -> Iterator[Tab]:
    """Return a tab with the console, signed in. It stays open for all tests of the module."""

    def sign_in(page: Page) -> None:
        page.get_by_label("Secret of the control API").fill(running_sandbox.secret)
        page.get_by_role("button", name="Sign in").click()
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    with browser.tab(running_sandbox.url + CONSOLE) as tab:
        tab.use(sign_in)
        yield tab


@pytest.fixture
def use(console: Tab, sandbox: client.Sandbox) -> Callable[..., None]:
    """Return a function that runs steps in the console of a reset sandbox."""

    from playwright.sync_api import expect

    console.use(lambda page: expect(page.locator("#counted")).to_have_text("Showing 0 of 0 requests"))

    def run(steps: Callable[[Page], None]) -> None:
        assert console.use(steps) == []

    return run


def find_journal(page: Page) -> Locator:
    return page.get_by_role("region", name="Journal")


def test_requests_are_listed_and_filtered(use, sandbox, ping):
    from playwright.sync_api import expect

    def steps(page: Page) -> None:
        journal = find_journal(page)
        paths = journal.locator("tbody .target")
        expect(journal.get_by_text("Showing 0 of 0 requests")).to_be_visible()
        requests.get(f"{ping}?token=s3cret&a=1")
        expect(paths).to_have_text(["/access/api/v1/system/ping?token=***&a=1"])
        requests.get(f"{sandbox.url}/ci/api/json", auth=("admin", "wrong"))
        requests.post(f"{sandbox.url}/inference/v1/chat/completions")
        requests.put(f"{sandbox.url}/artifactory/generic-local/x", b"x", auth=("admin", "sandbox-admin"))
        expect(paths).to_have_count(4)
        for label, choice, first in (
            ("Service", "ci", "/ci/api/json"),
            ("Method", "POST", "/inference/v1/chat/completions"),
        ):
            journal.get_by_role("combobox", name=label).select_option(choice)
            expect(paths).to_have_text([first])
            expect(journal.get_by_text("Showing 1 of 4 requests")).to_be_visible()
            journal.get_by_role("combobox", name=label).select_option("all")
        journal.get_by_role("combobox", name="Effect").select_option("write")
        expect(paths).to_have_text(["/artifactory/generic-local/x", "/inference/v1/chat/completions"])
        journal.get_by_role("combobox", name="Status").select_option("2xx")
        expect(paths).to_have_text(["/artifactory/generic-local/x"])
        journal.get_by_role("combobox", name="Effect").select_option("all")
        journal.get_by_role("combobox", name="Status").select_option("all")
        journal.get_by_label("Text").fill("PING?")
        expect(paths).to_have_count(1)
        requests.get(f"{sandbox.url}/ci/login")
        expect(journal.get_by_text("Showing 1 of 5 requests")).to_be_visible()
        journal.get_by_label("Text").fill("")
        expect(paths).to_have_count(5)
        journal.get_by_role("button", name="Pause").click()
        requests.get(ping)
        sandbox.clear_journal()
        requests.get(f"{ping}?again=1")
        expect(paths).to_have_count(5)
        journal.get_by_role("button", name="Pause").click()  # The list still shows the cleared journal.
        expect(paths).to_have_text(["/access/api/v1/system/ping?again=1"])
        journal.get_by_role("button", name="Clear journal").click()
        expect(paths).to_have_count(0)
        assert sandbox.journal() == []

    use(steps)


def test_journal_of_10000_requests_is_read_in_pages(use, sandbox, ping):
    from playwright.sync_api import expect

    server, path = urlsplit(ping).netloc, urlsplit(ping).path
    with contextlib.closing(http.client.HTTPConnection(server)) as connection:  # requests takes 10 times as long
        for _number in range(10_000):
            connection.request("GET", path)
            connection.getresponse().read()

    def steps(page: Page) -> None:
        journal = find_journal(page)
        numbers = journal.locator("tbody button.number")
        expect(journal.get_by_text("Showing 100 of 10,000 requests")).to_be_visible()
        expect(numbers.first).to_have_text("10000")
        expect(numbers.last).to_have_text("9901")
        journal.get_by_role("button", name="Older").click()
        expect(numbers.first).to_have_text("9900")
        requests.get(ping)  # does not move the page
        journal.get_by_role("button", name="Older").click()
        expect(numbers.first).to_have_text("9800")
        journal.get_by_role("button", name="Newer").click()
        expect(numbers.first).to_have_text("9900")
        journal.get_by_role("button", name="Newer").click()
        expect(numbers.first).to_have_text("10001")
        expect(journal.get_by_role("button", name="Newer")).to_be_disabled()
        expect(numbers).to_have_count(100)

    use(steps)


def test_request_shows_headers_and_bodies_without_secrets(use, sandbox, artifactory):
    from playwright.sync_api import expect

    user = {"email": MARKUP, "password": "Hidden-Passw0rd"}
    artifactory.put("/api/security/users/bob", json=user, headers={"X-Odd": MARKUP})

    def steps(page: Page) -> None:
        journal = find_journal(page)
        button = journal.get_by_role("button", name="Request 1")
        expect(button).to_have_attribute("aria-expanded", "false")
        button.focus()
        page.keyboard.press("Enter")
        expect(button).to_have_attribute("aria-expanded", "true")
        expect(journal.get_by_role("group", name="Request headers")).to_contain_text("authorization: Bearer ***")
        expect(journal.get_by_role("group", name="Request headers")).to_contain_text(f"x-odd: {MARKUP}")
        expect(journal.get_by_role("group", name="Request body")).to_contain_text('"password": "***"')
        expect(journal.get_by_role("group", name="Request body")).to_contain_text("document.title = 'run'")
        expect(journal.get_by_role("group", name="Response headers")).to_contain_text("X-Artifactory-Id: ")
        assert page.title() == "Sandbox console"
        assert journal.locator("script, img").count() == 0
        assert "Hidden-Passw0rd" not in page.content()
        assert sandbox.environment["JFROG_ACCESS_TOKEN"] not in journal.inner_html()
        page.keyboard.press("Enter")
        expect(journal.get_by_role("group", name="Request headers")).to_have_count(0)

    use(steps)


def test_binary_long_and_unread_bodies_are_described(use, artifactory, ping):
    from playwright.sync_api import expect

    artifactory.put("/generic-local/data.bin", data=b"\0\1")
    artifactory.put("/generic-local/long.txt", data="x" * 100_000)

    def steps(page: Page) -> None:
        journal = find_journal(page)
        journal.get_by_role("button", name="Request 1").click()
        expect(journal.get_by_text("Binary body, 2 bytes.")).to_be_visible()
        journal.get_by_role("button", name="Request 2").click()
        expect(journal.get_by_text("Beginning of a body of 100,000 bytes:")).to_be_visible()
        expect(journal.get_by_role("button", name="Replay").first).to_be_disabled()
        expect(journal.get_by_text("Only the first 65536 are kept.")).to_be_visible()

    use(steps)


def test_command_is_copied_and_works_in_a_shell(use, sandbox, artifactory):
    from playwright.sync_api import expect

    artifactory.post("/api/search/aql", data='items.find({"name": "it\'s"})', headers={"Content-Type": "text/plain"})

    def steps(page: Page) -> None:
        find_journal(page).get_by_role("button", name="Request 1").click()
        page.get_by_role("button", name="Copy as curl").click()
        expect(page.get_by_text("The command copied.")).to_be_visible()
        command = page.evaluate("navigator.clipboard.readText()")
        assert '"$JFROG_ACCESS_TOKEN"' in command
        environment = {**os.environ, **sandbox.environment}
        done = subprocess.run(["bash", "-c", command], env=environment, capture_output=True, text=True, check=True)
        assert done.stdout.startswith("HTTP/1.1 200 OK")

    use(steps)


def test_request_is_replayed(use, sandbox, artifactory):
    from playwright.sync_api import expect

    artifactory.put("/generic-local/new.txt", data=b"new")
    artifactory.delete("/generic-local/new.txt")

    def steps(page: Page) -> None:
        journal = find_journal(page)
        journal.get_by_role("button", name="Request 1").click()
        journal.get_by_role("button", name="Replay").click()
        expect(page.get_by_text("Request 1 replayed as request 3.")).to_be_visible()
        expect(journal.get_by_role("button", name="Request 3")).to_have_attribute("aria-expanded", "true")
        expect(journal.get_by_role("button", name="Request 3")).to_be_focused()
        assert sandbox.journal()[2]["status"] == 201

    use(steps)


def test_fault_is_injected_for_such_requests(use, sandbox, artifactory):
    from playwright.sync_api import expect

    checksum = "a" * 40
    artifactory.get(f"/api/storage/generic-local/a+(b)/42/{checksum}")

    def steps(page: Page) -> None:
        find_journal(page).get_by_role("button", name="Request 1").click()
        page.get_by_role("button", name="Inject a fault for such requests").click()
        form = page.get_by_role("form", name="New fault")
        prefix = r"^/artifactory/api/storage/generic-local/a\+\(b\)"
        expect(form.get_by_label("Path")).to_have_value(f"{prefix}/42/{checksum}$")
        expect(form.locator("[name=service]")).to_have_value("artifact")
        expect(form.locator("[name=method]")).to_have_value("GET")
        form.get_by_role("button", name="Generalize IDs in the path").click()
        expect(form.get_by_label("Path")).to_have_value(f"{prefix}/[^/]+/[^/]+$")
        form.get_by_role("button", name="Inject a fault").click()
        expect(page.get_by_text("Fault injected.")).to_be_visible()
        assert artifactory.get("/api/storage/generic-local/a+(b)/7/" + "b" * 40).status_code == 503
        assert artifactory.get("/api/storage/generic-local/a+(b)/7").status_code == 404

    use(steps)


@pytest.mark.parametrize(("width", "height"), WINDOWS)
def test_controls_are_visible_without_scrolling(use, sandbox, ping, width, height):
    for number in range(200):
        requests.get(f"{ping}?number={number}")

    def is_visible(page: Page, control: Locator) -> bool:
        box = control.bounding_box()
        return (
            box is not None
            and box["x"] >= 0
            and box["y"] >= 0
            and (box["x"] + box["width"] <= width and box["y"] + box["height"] <= height)
        )

    def steps(page: Page) -> None:
        page.set_viewport_size({"width": width, "height": height})
        try:
            if width < WIDE:  # the page has a tab for the journal
                page.get_by_role("tab", name="Journal").click()
            page.locator("#requests tbody").nth(99).wait_for()
            controls = [*page.locator("#filters :is(select, input)").all(), *page.locator("#pager button").all()]
            controls += [*page.get_by_role("tab").all(), page.get_by_role("button", name="Sign out")]
            assert len(controls) >= 16
            page.locator("#request-list").evaluate("list => list.scrollTop = 1000")
            assert [control for control in controls if not is_visible(page, control)] == []
            for name, buttons in PANELS.items():
                page.get_by_role("tab", name=name).click()
                panel = page.get_by_role("tabpanel", name=name)
                hidden = [
                    button
                    for button in buttons
                    if not is_visible(page, panel.get_by_role("button", name=button, exact=True))
                ]
                assert hidden == [], name
        finally:
            page.set_viewport_size({"width": 1600, "height": 900})

    use(steps)


def test_tabs_are_selected_with_the_keyboard(use):
    from playwright.sync_api import expect

    def steps(page: Page) -> None:
        page.get_by_role("tab", name="State").click()
        expected = {"ArrowRight": "Faults", "End": "Environment", "Home": "State", "ArrowLeft": "Environment"}
        for key, name in expected.items():
            page.keyboard.press(key)
            expect(page.get_by_role("tab", name=name)).to_be_focused()
            expect(page.get_by_role("tabpanel", name=name)).to_be_visible()

    use(steps)


def test_seed_is_saved_and_loaded(use, sandbox, artifactory, tmp_path):
    from playwright.sync_api import expect

    artifactory.put("/generic-local/new.txt", data=b"new")
    artifactory.put("/generic-local/data.bin", data=b"\0\xff")

    def steps(page: Page) -> None:
        page.get_by_role("tab", name="Seed").click()
        with page.expect_download() as download:
            page.get_by_role("button", name="Save state as seed").click()
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        assert path.name == "seed.yml"
        expect(
            page.get_by_text("artifact: contents of files that are binary or larger than 65536 bytes: 1")
        ).to_be_visible()
        sandbox.reset()
        assert artifactory.get("/generic-local/new.txt").status_code == 404
        form = page.locator("#load-seed")
        form.get_by_label("File in YAML or JSON").set_input_files(path)
        form.get_by_label("Delete all other data first").check()
        form.get_by_role("button", name="Load seed").click()
        expect(page.get_by_text("Seed loaded.")).to_be_visible()
        assert artifactory.get("/generic-local/new.txt").content == b"new"

    use(steps)


def test_snapshot_is_loaded(use, sandbox, tmp_path):
    from playwright.sync_api import expect

    folder = tmp_path / "snapshot"
    (folder / "review").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("")
    (folder / "review" / "manifest.json").write_text('{"format": 1, "name": "damaged"}')

    def steps(page: Page) -> None:
        page.get_by_role("tab", name="Seed").click()
        page.locator("#load-snapshot input").set_input_files(folder)
        page.get_by_role("button", name="Load snapshot").click()
        expect(page.get_by_text("Error: The snapshot of review is damaged")).to_be_visible()

    with pytest.raises(AssertionError, match="400"):  # The browser logs the refusal.
        use(steps)
