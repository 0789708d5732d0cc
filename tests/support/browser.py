# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages in a real browser: Debian's headless Chromium, controlled by Playwright."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from build_folder import BUILD
from support.servers.debian import install

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    Steps = Callable[[Page], None]

SCREENSHOTS = BUILD / "pages"
WIDTHS = (360, 1600)  # phone, desktop
SCHEMES = ("light", "dark")
LONGEST = 10_000  # maximum height of a screenshot in pixels
PATIENCE = 180_000  # milliseconds; high for busy machines
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Reports of compliant elements take longer than the search for violations.
AXE = {"preload": False, "resultTypes": ["violations"]}

# Elements outside the window or, in a plot, outside the plot; scrollable elements may be wider
CUT_OFF = """within => {
    const scrolls = element => element && (
        ["auto", "scroll"].includes(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
    const out = (inner, outer) => inner.width && (inner.left < outer.left - 1 || inner.right > outer.right + 1);
    const outOfPlot = text => {
        const [inner, outer] = [text, text.ownerSVGElement].map(element => element.getBoundingClientRect());
        return out(inner, outer) || inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1;
    };
    const page = {left: 0, right: document.documentElement.clientWidth};
    const all = [...document.querySelector(within).querySelectorAll("*")];
    const cut = all.filter(element => element.matches("svg text")
        ? outOfPlot(element)
        : !scrolls(element.parentElement) && out(element.getBoundingClientRect(), page));
    if (document.documentElement.scrollWidth > page.right) cut.push(document.documentElement);
    return cut.map(element => element.cloneNode(false).outerHTML + " " + element.textContent.trim().slice(0, 60));
}"""
UNFOLD = "() => document.querySelectorAll('details').forEach(details => details.open = true)"


@dataclass(frozen=True)
class PageCheck:
    """A page to check, with the name of its screenshots."""

    name: str
    steps: Steps
    within: str


class Chromium:
    """A running browser in a separate thread, because Playwright leaves an event loop in its thread."""

    def __init__(self, browser: Browser, run_in_thread: Callable[..., Any]) -> None:
        self._browser = browser
        self._in_its_thread = run_in_thread

    def check_page(
        self,
        page: str | Path,
        name: str,
        steps: Steps = lambda page: None,
        within: str = "body",
        schemes: Sequence[str] = SCHEMES,
    ) -> None:
        """Check a page on phone and desktop, in light and dark color scheme, and in print.

        The page must not log errors, load resources of other sites, cut off content or violate the rules of axe, also
        in collapsed sections. axe checks each width and each scheme, but not each combination, because it is slow.
        Screenshots are written to `build/pages/<name>-<width>-<scheme>.png`.

        :arg page: URL or file
        :arg steps: function that prepares the page
        :arg within: selector of the part to check if the design is not ours
        :arg schemes: color schemes of the design
        """
        url = page.resolve().as_uri() if isinstance(page, Path) else page
        check = PageCheck(name, steps, within)
        complaints = self._in_its_thread(
            lambda: [
                f"{name}, {width} pixels: {complaint}"
                for width in WIDTHS
                for complaint in _complaints(self._browser, url, check, width, schemes)
            ]
        )
        assert not complaints, "\n".join(complaints)

    def visit(self, url: str, steps: Steps) -> list[str]:
        """Open a page on the desktop, run steps, and return errors and requests to other sites."""
        complaints: list[str] = []

        def use() -> None:
            with _open_page(self._browser, url, WIDTHS[-1], SCHEMES[0], complaints) as page:
                steps(page)

        self._in_its_thread(use)
        return complaints

    @contextlib.contextmanager
    def tab(self, url: str) -> Iterator[Tab]:
        """Open a page on the desktop for several tests."""
        complaints: list[str] = []
        opened = _open_page(self._browser, url, WIDTHS[-1], SCHEMES[0], complaints)
        page = self._in_its_thread(opened.__enter__)
        try:
            yield Tab(page, self._in_its_thread, complaints)
        finally:
            self._in_its_thread(lambda: opened.__exit__(None, None, None))


class Tab:
    """An open page."""

    def __init__(self, page: Page, run_in_thread: Callable[..., Any], complaints: list[str]) -> None:
        self._page = page
        self._in_its_thread = run_in_thread
        self._complaints = complaints

    def use(self, steps: Steps) -> list[str]:
        """Run steps, and return errors and requests to other sites since the last use."""
        self._in_its_thread(lambda: steps(self._page))
        complaints = self._complaints.copy()
        self._complaints.clear()
        return complaints


@contextlib.contextmanager
def chromium() -> Iterator[Chromium]:
    """Run the browser. Install it if that is possible."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    program = installed_chromium()
    with ThreadPoolExecutor(max_workers=1) as thread:

        def run_in_thread(function: Callable[..., Any]) -> Any:
            return thread.submit(function).result()

        playwright = run_in_thread(lambda: sync_playwright().start())
        try:
            launch = playwright.chromium.launch
            browser = run_in_thread(lambda: launch(executable_path=program, args=ARGUMENTS, timeout=PATIENCE))
            yield Chromium(browser, run_in_thread)
            run_in_thread(browser.close)
        finally:
            run_in_thread(playwright.stop)


def _complaints(browser: Browser, url: str, check: PageCheck, width: int, schemes: Sequence[Any]) -> list[str]:
    complaints: list[str] = []
    with _open_page(browser, url, width, schemes[0], complaints) as page:
        check.steps(page)
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme)
            _take_screenshot(page, SCREENSHOTS / f"{check.name}-{width}-{scheme}.png")
        page.evaluate(UNFOLD)
        complaints.extend(f"cut off: {element}" for element in page.evaluate(CUT_OFF, check.within))
        scheme = schemes[WIDTHS.index(width) % len(schemes)]
        page.emulate_media(color_scheme=scheme)
        complaints.extend(f"{scheme}: {problem}" for problem in _find_violations(page, check.within))
        # A printed page has the width of the paper.
        if width == WIDTHS[0] and not page.pdf().startswith(b"%PDF-"):
            complaints.append("cannot be printed")
    return complaints


@contextlib.contextmanager
def _open_page(browser: Browser, url: str, width: int, scheme: Any, complaints: list[str]) -> Iterator[Page]:
    """Open a page and collect errors and requests to other sites."""
    with browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme) as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.extend(_check_origin(request.url, url)))
        page.goto(url)
        yield page


def _check_origin(requested_url: str, url: str) -> list[str]:
    """Return a complaint if a request is neither to the site of the page nor for embedded data."""
    return [] if urlsplit(requested_url)[:2] in (urlsplit(url)[:2], ("data", "")) else [f"asks for {requested_url}"]


def _take_screenshot(page: Page, path: Path) -> None:
    width, height = page.evaluate("() => [innerWidth, document.documentElement.scrollHeight]")
    page.screenshot(path=path, full_page=True, clip={"x": 0, "y": 0, "width": width, "height": min(height, LONGEST)})


def _find_violations(page: Page, within: str) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    return [
        f"{violation['help']} ({violation['id']}): {node['html']}; {node['failureSummary']}"
        for violation in Axe().run(page, within, AXE).response["violations"]
        for node in violation["nodes"]
    ]


def installed_chromium() -> str:
    """Return the path of the browser. If it is missing, install it from Debian's packages."""
    install("chromium", "chromium")
    program = shutil.which("chromium")
    assert program
    return program
