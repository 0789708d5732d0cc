# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the console in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
import requests

from sandbox import client
from support.browser import Chromium, Tab
from support.wire.core import EXTENSIONS

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

CONSOLE = "/_sandbox/console"
FILES = sorted(path.name for path in (EXTENSIONS / "sandbox/console").iterdir() if path.suffix in (".css", ".js"))
MARKUP = "<script>document.title = 'run'</script><img src=x onerror=\"document.title = 'run'\">"
REFUSED = "Failed to load resource: the server responded with a status of %s"
OPEN = "summary => { summary.closest('details').open = true; }"
DATA = "#state *, #requests td, #variables *, #switches *, #fault-list *, #preset-list *"
LONG = "a-name-that-does-not-end-" * 12
UNICODE = "prüfung 検査 🔧 \u202eright-to-left"


def sign_in(page: Page, secret: str) -> None:
    page.get_by_label("Secret of the control API").fill(secret)
    page.get_by_role("button", name="Sign in").click()


def open_panel(page: Page, name: str) -> Locator:
    """Select a tab, and return its panel. The journal has no tab on a wide screen."""
    tab = page.get_by_role("tab", name=name, exact=True)
    if name != "Journal" or tab.is_visible():
        tab.click()
    return page.get_by_role("tabpanel", name=name, exact=True)


@pytest.fixture(scope="module")
def console(browser: Chromium, running_sandbox: client.Sandbox) -> Iterator[Tab]:
    """Return a tab with the console, signed in. It stays open for all tests of the module."""
    with browser.tab(running_sandbox.url + CONSOLE) as tab:
        tab.use(lambda page: sign_in(page, running_sandbox.secret))
        yield tab


@pytest.fixture
def use(console: Tab, sandbox: client.Sandbox) -> Callable[..., None]:
    """Return a function that runs steps in the console of a reset sandbox.

    Its further arguments are the messages that the browser may log.
    """

    def run(steps: Callable[[Page], None], *refused: str) -> None:
        assert set(console.use(steps)) <= set(refused)

    return run


@pytest.mark.parametrize("path", [CONSOLE, *(f"{CONSOLE}/{name}" for name in FILES)])
def test_files_need_no_secret_and_have_a_strict_content_security_policy(sandbox, path):
    answer = requests.get(sandbox.url + path)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/")
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert not [name for name in answer.headers if name.lower().startswith("access-control-")]
    assert sandbox.secret not in answer.text


def test_other_files_are_not_served(sandbox):
    for path in (f"{CONSOLE}/__init__.py", f"{CONSOLE}/../service.py", f"{CONSOLE}/%2e%2e/service.py", f"{CONSOLE}/"):
        with requests.Session() as session:
            request = session.prepare_request(requests.Request("GET", sandbox.url + path))
            request.url = sandbox.url + path  # without normalization
            assert session.send(request).status_code == 401


def test_control_api_rejects_requests_when_the_origin_is_foreign(sandbox):
    sandbox.switch("artifact", anonymous=True)
    headers = {"Origin": "http://elsewhere.example", "Access-Control-Request-Method": "POST"}
    headers["Access-Control-Request-Headers"] = "authorization"
    answer = requests.options(f"{sandbox.url}/_sandbox/reset", headers=headers)
    assert not [name for name in answer.headers if name.lower().startswith("access-control-")]
    assert requests.post(f"{sandbox.url}/_sandbox/reset", headers=headers).status_code == 403
    assert sandbox.switches()["artifact"]["anonymous"] is True


def test_no_data_is_shown_when_the_secret_is_wrong(browser, sandbox):
    from playwright.sync_api import expect

    def steps(page: Page) -> None:
        for wrong in ("wrong", "no header holds 検査"):
            sign_in(page, wrong)
            expect(page.get_by_role("alert")).to_contain_text("Wrong secret")
        assert page.locator(DATA).count() == 0
        expect(page.get_by_role("heading", name="Journal")).to_be_hidden()
        sign_in(page, f" {sandbox.secret} ")
        expect(page.get_by_role("heading", name="Journal")).to_be_visible()
        page.reload()  # The tab stores the secret.
        expect(page.get_by_text("Connected")).to_be_visible()
        assert sandbox.secret not in page.url + page.content()
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("button", name="Sign in")).to_be_visible()
        assert page.evaluate("Object.keys(sessionStorage)") == []
        assert page.locator(DATA).count() == 0

    assert set(browser.visit(sandbox.url + CONSOLE, steps)) <= {REFUSED % "401 (Unauthorized)"}


def test_console_reconnects_or_prompts_for_the_secret_when_requests_fail(browser, sandbox):
    from playwright.sync_api import expect

    def steps(page: Page) -> None:
        sign_in(page, sandbox.secret)
        expect(page.get_by_text("Connected")).to_be_visible()
        page.route("**/_sandbox/journal*", lambda route: route.abort())
        expect(page.get_by_text("The sandbox is unreachable. Retrying.")).to_be_visible()
        page.unroute_all(behavior="wait")
        expect(page.get_by_text("Connected")).to_be_visible()
        page.route("**/_sandbox/journal*", lambda route: route.fulfill(status=401, json={}))
        expect(page.get_by_role("alert")).to_contain_text("Wrong secret")
        expect(page.get_by_role("heading", name="Journal")).to_be_hidden()

    complaints = browser.visit(sandbox.url + CONSOLE, steps)
    assert [text for text in complaints if not text.startswith("Failed to load resource")] == []


def test_state_is_updated(use, sandbox, artifactory):
    from playwright.sync_api import expect

    def steps(page: Page) -> None:
        state = open_panel(page, "State")
        for counted in ("repositories 7", "builds 2", "jobs 3", "queue 1", "roles 2", "models 37", "keys 6"):
            expect(state.get_by_text(counted)).to_be_visible()
        state.get_by_text("repositories 7").evaluate(OPEN)
        row = state.get_by_text("generic-local class: local")
        expect(row).to_have_text("generic-local class: local package type: generic files: 3")
        row.evaluate(OPEN)
        state.get_by_text("app/ modified").evaluate(OPEN)
        expect(state.get_by_text("README.txt size: 15")).to_be_visible()
        artifactory.put("/generic-local/new.txt", data=b"new")
        expect(row).to_have_text("generic-local class: local package type: generic files: 4")
        expect(state.get_by_text("README.txt size: 15")).to_be_visible()  # The row is still open.
        sandbox.clock(advance=36_000)
        expect(state.get_by_text("queue 0")).to_be_visible()

    use(steps)


def test_state_is_a_tree_of_users_tokens_files_and_properties(use):
    from playwright.sync_api import expect

    def steps(page: Page) -> None:
        state = open_panel(page, "State")
        artifactory, jenkins, klocwork, inference = (
            page.locator(f"#state-{service}") for service in ("artifact", "ci", "review", "inference")
        )
        artifactory.get_by_text("users 3").evaluate(OPEN)
        expect(artifactory.get_by_text("reader admin: no locked: no groups: readers")).to_be_visible()
        artifactory.get_by_text("tokens 1").evaluate(OPEN)
        expect(artifactory.get_by_text("description: the sandbox's own subject: admin")).to_be_visible()
        artifactory.get_by_text("repositories 7").evaluate(OPEN)
        for name in ("generic-local class", "app/ modified", "1.0/ modified", "app-1.0.tar.gz size: 17"):
            artifactory.get_by_text(name).evaluate(OPEN)
        expect(artifactory.get_by_text("build.number value: 1")).to_be_visible()
        jenkins.get_by_text("jobs 3").evaluate(OPEN)
        jenkins.get_by_text("app last build: 2").evaluate(OPEN)
        expect(jenkins.get_by_text("2 result: SUCCESS started")).to_be_visible()
        klocwork.get_by_text("projects 2").evaluate(OPEN)
        klocwork.get_by_text("mobile-app builds: 3").evaluate(OPEN)
        klocwork.get_by_text("issues by status 2").evaluate(OPEN)
        klocwork.get_by_text("Fix issues: 1").evaluate(OPEN)
        expect(klocwork.get_by_text("owner: alice")).to_be_visible()
        inference.get_by_text("projects 3").evaluate(OPEN)
        inference.get_by_text("name: Sandbox").evaluate(OPEN)
        inference.get_by_text("service accounts 1").evaluate(OPEN)
        expect(inference.get_by_text("name: pipeline")).to_be_visible()
        assert "sandbox-admin" not in state.inner_text()

    use(steps)


def test_large_folder_is_shown_in_pages(use, sandbox):
    from playwright.sync_api import expect

    files = [{"path": "many/{n}.bin", "count": 2500, "size": 1}]
    repository = {"key": "many-local", "rclass": "local", "packageType": "generic", "generate": files}
    sandbox.seed({"artifact": {"repositories": [repository]}})

    def steps(page: Page) -> None:
        state = open_panel(page, "State")
        for name in ("repositories 8", "many-local class", "many/ modified"):
            state.get_by_text(name).evaluate(OPEN)
        folder = state.locator("details", has=page.get_by_text("many/ modified")).last
        expect(folder.get_by_role("listitem")).to_have_count(100)
        folder.get_by_role("button", name="Show more").click()
        expect(folder.get_by_role("listitem")).to_have_count(200)

    use(steps)


def test_environment_can_be_copied(use, sandbox):
    from playwright.sync_api import expect

    def steps(page: Page) -> None:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        environment = open_panel(page, "Environment")
        environment.get_by_role("button", name="Copy JENKINS_URL").click()
        expect(page.get_by_text("JENKINS_URL copied.")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == f"{sandbox.url}/ci"
        environment.get_by_role("button", name="Copy as shell script").click()
        expect(page.get_by_text("The script copied.")).to_be_visible()
        script = page.evaluate("navigator.clipboard.readText()")
        assert f"export JENKINS_URL='{sandbox.url}/ci'\n" in script
        assert f"export SANDBOX_URL='{sandbox.url}'\n" in script
        assert sandbox.secret not in script

    use(steps)


def test_fault_is_injected_and_cleared(use, sandbox, ping):
    from playwright.sync_api import expect

    def steps(page: Page) -> None:
        faults = open_panel(page, "Faults")
        form = faults.get_by_role("form", name="New fault")
        form.get_by_label("Kind").select_option("status")
        form.get_by_role("spinbutton", name="Status").fill("503")
        form.get_by_label("Path").fill("system/ping$")
        form.get_by_label("Number of requests").fill("2")
        form.get_by_label("Headers").fill("Retry-After: 5\n\nX-Odd: a: b")
        form.get_by_role("textbox", name="Body").fill("later")
        form.get_by_role("button", name="Inject a fault").click()
        entry = faults.get_by_role("listitem")
        expect(entry).to_contain_text("1: status 503; system/ping$, no. 1 to 2; matched 0")
        response = requests.get(ping)
        assert (response.status_code, response.headers["X-Odd"], response.text) == (503, "a: b", "later")
        expect(entry).to_contain_text("matched 1")
        entry.get_by_text("Response").click()
        expect(entry.get_by_role("group", name="Response of fault")).to_have_text(
            "Retry-After: 5\nX-Odd: a: b\n\nlater"
        )
        faults.get_by_role("button", name="Clear all faults").click()
        expect(faults.get_by_text("No active faults.")).to_be_visible()
        assert requests.get(ping).status_code == 200

    use(steps)


def test_preset_is_injected_for_a_service(use, sandbox, ping):
    from playwright.sync_api import expect

    def steps(page: Page) -> None:
        faults = open_panel(page, "Faults")
        presets = page.locator("#presets")
        for title in ("503 for a minute", "Slow network", "Expired token", "Read-only account", "Disk full"):
            expect(presets.get_by_role("button", name=title)).to_be_enabled()
        presets.get_by_label("Service").select_option("review")
        expect(presets.get_by_role("button", name="Disk full")).to_be_disabled()
        presets.get_by_label("Service").select_option("artifact")
        presets.get_by_role("button", name="503 for a minute").click()
        expect(faults.get_by_role("listitem")).to_contain_text("status 503; artifact, from no. 1, until ")
        assert requests.get(ping).status_code == 503
        sandbox.clock(advance=60)
        assert requests.get(ping).status_code == 200
        expect(faults.get_by_text("No active faults.")).to_be_visible()
        presets.get_by_label("Service").select_option("all")

    use(steps)


def test_single_fault_is_cleared(use, sandbox, ping):
    from playwright.sync_api import expect

    def steps(page: Page) -> None:
        faults = open_panel(page, "Faults")
        for status in (501, 502, 503):
            sandbox.fault(kind="status", status=status, times=0)
        expect(faults.get_by_role("listitem")).to_have_count(3)
        first = faults.get_by_role("button", name="Clear fault 1")
        first.focus()
        requests.get(ping)
        expect(faults.get_by_role("listitem").first).to_contain_text("matched 1")
        expect(first).to_be_focused()  # although a request matched
        faults.get_by_role("button", name="Clear fault 2").click()
        expect(page.get_by_text("Fault 2 cleared.")).to_be_visible()
        expect(faults.get_by_role("listitem")).to_have_count(2)
        remaining = sandbox.faults()
        assert [fault["status"] for fault in remaining] == [501, 503]
        page.route(
            "**/_sandbox/faults", lambda route: route.fulfill(json={"faults": remaining})
        )  # the faults before the removal
        sandbox.clear_fault(3)
        faults.get_by_role("button", name="Clear fault 3").click()
        expect(page.get_by_text("Error: Fault 3 does not exist.")).to_be_visible()
        page.unroute_all(behavior="wait")

    use(steps, REFUSED % "404 (Not Found)")


def test_error_is_shown_when_a_fault_is_invalid(use, sandbox):
    from playwright.sync_api import expect

    def steps(page: Page) -> None:
        open_panel(page, "Faults")
        form = page.get_by_role("form", name="New fault")
        form.get_by_label("Kind").select_option("status")
        form.get_by_label("Headers").fill("no colon")
        form.get_by_role("button", name="Inject a fault").click()
        expect(page.get_by_text("Invalid header: no colon")).to_be_visible()
        form.get_by_label("Kind").select_option("latency")
        expect(form.get_by_label("Headers")).to_be_hidden()
        form.get_by_label("Path").fill("(")
        form.get_by_role("button", name="Inject a fault").click()
        expect(page.get_by_text("Error: The 'path' of a fault is not a valid regular expression.")).to_be_visible()
        assert sandbox.faults() == []

    use(steps, REFUSED % "400 (Bad Request)")


def test_switches_are_applied(use, sandbox):
    from playwright.sync_api import expect

    def steps(page: Page) -> None:
        switches = open_panel(page, "Switches")
        for service in ("artifact", "ci"):
            switches.get_by_text(service, exact=True).click()
        artifact, ci = (
            switches.locator("form", has=page.get_by_role("group", name=name, exact=True))
            for name in ("artifact", "ci")
        )
        artifact.get_by_label("anonymous").check()
        artifact.get_by_label("search_limit").fill("5")
        artifact.get_by_label("edition", exact=True).fill("oss")
        sandbox.switch("artifact", version="7.1")  # by another client
        expect(artifact.get_by_label("version", exact=True)).to_have_value("7.1")
        expect(artifact.get_by_label("edition", exact=True)).to_have_value("oss")  # not applied yet
        assert sandbox.switches()["artifact"]["edition"] == "pro"
        artifact.get_by_role("button", name="Apply").click()
        expect(page.get_by_text('artifact: edition is "oss", anonymous is true, search_limit is 5.')).to_be_visible()
        ci.get_by_label("restart_stages").fill('[{"stage": "hanging", "seconds": 3}]')
        ci.get_by_role("button", name="Apply").click()
        expect(page.get_by_text("ci: restart_stages is")).to_be_visible()
        switches_after = sandbox.switches()
        names = ("anonymous", "search_limit", "edition")
        assert [switches_after["artifact"][name] for name in names] == [True, 5, "oss"]
        assert switches_after["ci"]["restart_stages"] == [{"stage": "hanging", "seconds": 3}]

        ci.get_by_label("restart_stages").fill("[")
        ci.get_by_role("button", name="Apply").click()
        expect(page.get_by_text("ci: restart_stages requires JSON.")).to_be_visible()
        ci.get_by_label("restart_stages").fill("[]")
        ci.get_by_label("quiet_period").fill("")
        ci.get_by_role("button", name="Apply").click()
        expect(
            page.get_by_text("Error: Invalid value for switch 'quiet_period' of 'ci': expected whole number, not null.")
        ).to_be_visible()
        expect(ci.get_by_label("quiet_period")).to_have_value("5")

    use(steps, REFUSED % "400 (Bad Request)")


def test_clock_is_advanced_frozen_and_set(use, sandbox):
    from playwright.sync_api import expect

    def steps(page: Page) -> None:
        clock = open_panel(page, "Clock")
        clock.get_by_label("Advance by").fill("2")
        clock.get_by_role("button", name="Advance clock").click()
        expect(clock.get_by_text("2 h ahead of the real time")).to_be_visible()
        assert sandbox.clock()["offset"] == pytest.approx(7200, abs=60)
        clock.get_by_label("Freeze clock").check()
        expect(page.get_by_text("Clock frozen.")).to_be_visible()
        clock.get_by_label("Set to").fill("2031-05-06T07:08:09")
        clock.get_by_role("button", name="Set clock").click()
        expect(clock.get_by_text("2031-05-06 07:08:09 UTC")).to_be_visible()
        stopped = sandbox.clock()
        assert (stopped["now"], stopped["frozen"]) == (datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC).timestamp(), True)

    use(steps)


def test_reset_requires_confirmation(use, sandbox, ping):
    from playwright.sync_api import expect

    def steps(page: Page) -> None:
        sandbox.switch("artifact", edition="oss")
        sandbox.seed({"artifact": {"repositories": [{"key": "more-local", "rclass": "local", "packageType": "npm"}]}})
        requests.get(ping)
        expect(open_panel(page, "State").get_by_text("repositories 8")).to_be_visible()
        open_panel(page, "Seed")
        page.get_by_role("button", name="Reset sandbox").click()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
        assert sandbox.switches()["artifact"]["edition"] == "oss"
        page.get_by_role("button", name="Reset sandbox").click()
        page.get_by_role("dialog").get_by_role("button", name="Reset").click()
        expect(open_panel(page, "State").get_by_text("repositories 7")).to_be_visible()
        expect(page.get_by_text("Showing 0 of 0 requests")).to_be_visible()
        assert sandbox.switches()["artifact"]["edition"] == "pro"

    use(steps)


@pytest.mark.parametrize(
    ("panel", "loaded"),
    [("Journal", "Copy as curl"), ("State", "repositories 9"), ("Faults", "2: reset_before"), ("Switches", "artifact")],
)
def test_console_is_accessible_when_names_are_long_or_contain_markup(browser, sandbox, panel, loaded):
    from playwright.sync_api import expect

    names = [MARKUP, LONG, UNICODE]
    ids = [f"{name}{n}" for n, name in enumerate(["x" * 200, "prüfung-検査"])]
    sandbox.seed(
        {
            "artifact": {
                "repositories": [{"key": f"{n}-{LONG}", "rclass": "local", "packageType": "npm"} for n in range(9)]
            },
            "ci": {"jobs": [{"name": name.replace("/", "_")} for name in names]},
            "review": {"projects": [{"name": name, "creator": "admin"} for name in names]},
            "inference": {"models": [{"id": id, "created": 0, "owned_by": MARKUP} for id in ids]},
        },
        reset=True,
    )
    sandbox.fault(kind="status", status=503, path="(" + LONG + ")?", headers={"X-Markup": MARKUP}, body=LONG, times=0)
    sandbox.fault(kind="reset_before", label=MARKUP, nth=1000)
    sandbox.switch("artifact", remote_connection_failure=MARKUP)
    for name in (MARKUP, LONG, UNICODE, "plain"):
        requests.get(f"{sandbox.url}/artifactory/{name}", params={"q": name})

    def steps(page: Page) -> None:
        sign_in(page, sandbox.secret)
        expect(page.locator("#counted")).to_have_text("Showing 4 of 4 requests")
        for request in page.locator("#requests button.number").all():
            request.click()
        expect(page.get_by_role("button", name="Copy as curl")).to_have_count(4)
        open_panel(page, panel)
        expect(page.locator(f"#{panel.lower()}")).to_contain_text(loaded)
        assert page.title() == "Sandbox console"
        assert page.locator("main script, main img").count() == 0

    browser.check_page(sandbox.url + CONSOLE, f"console-{panel.lower()}", steps)


def test_sign_in_form_is_accessible(browser, sandbox):
    browser.check_page(sandbox.url + CONSOLE, "console-entry")
