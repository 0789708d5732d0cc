# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages in a real browser: Debian's Chromium without a window, driven by playwright."""

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
WIDTHS = (360, 1600)  # a phone, a desk
SCHEMES = ("light", "dark")
LONGEST = 10_000  # pixels of a page that a screenshot shows
PATIENCE = 180_000  # milliseconds, for a machine that does much else
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
# Describing the elements that comply takes longer than finding the violations
AXE = {"preload": False, "resultTypes": ["violations"]}

# What stands out of the window or, in a plot, out of the plot; what scrolls by itself may be wider
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
class Look:
    """What to look at, and under which name it is kept."""

    name: str
    steps: Steps
    within: str


class Chromium:
    """A running browser. It lives in a thread of its own, since playwright leaves an event loop in the one it is in."""

    def __init__(self, browser: Browser, in_its_thread: Callable[..., Any]) -> None:
        self._browser = browser
        self._in_its_thread = in_its_thread

    def check_page(
        self,
        page: str | Path,
        name: str,
        steps: Steps = lambda page: None,
        within: str = "body",
        schemes: Sequence[str] = SCHEMES,
    ) -> None:
        """Assert that people can use a page, on a phone and at a desk, in light and in dark, and on paper.

        `page` is a URL or a file; `steps` bring it to what is to be looked at. Nothing may be wrong in its console,
        fetched from elsewhere, cut off, or found by axe, also in what is folded. Where others made the design, only the
        part `within` which is ours is held to that, in the `schemes` that the design has. axe, which takes longest,
        looks at each width and at each scheme, but not at each pair of them.
        `build/pages/<name>-<width>-<scheme>.png` shows it as people meet it.
        """
        url = page.resolve().as_uri() if isinstance(page, Path) else page
        look = Look(name, steps, within)
        complaints = self._in_its_thread(
            lambda: [
                f"{name}, {width} pixels: {complaint}"
                for width in WIDTHS
                for complaint in _complaints(self._browser, url, look, width, schemes)
            ]
        )
        assert not complaints, "\n".join(complaints)

    def visit(self, url: str, steps: Steps) -> list[str]:
        """Use a page at a desk; gives what was wrong in its console or fetched from elsewhere."""
        found: list[str] = []

        def use() -> None:
            with _opened(self._browser, url, WIDTHS[-1], SCHEMES[0], found) as page:
                steps(page)

        self._in_its_thread(use)
        return found

    @contextlib.contextmanager
    def tab(self, url: str) -> Iterator[Tab]:
        """Keep a page open at a desk, for tests to which loading it would cost more than using it."""
        found: list[str] = []
        opened = _opened(self._browser, url, WIDTHS[-1], SCHEMES[0], found)
        page = self._in_its_thread(opened.__enter__)
        try:
            yield Tab(page, self._in_its_thread, found)
        finally:
            self._in_its_thread(lambda: opened.__exit__(None, None, None))


class Tab:
    """An open page."""

    def __init__(self, page: Page, in_its_thread: Callable[..., Any], found: list[str]) -> None:
        self._page = page
        self._in_its_thread = in_its_thread
        self._found = found

    def use(self, steps: Steps) -> list[str]:
        """Use the page; return what was wrong in its console or fetched from elsewhere since the last use."""
        self._in_its_thread(lambda: steps(self._page))
        found = self._found.copy()
        self._found.clear()
        return found


@contextlib.contextmanager
def chromium() -> Iterator[Chromium]:
    """Run the browser, which is installed where that may be done."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    program = installed_chromium()
    with ThreadPoolExecutor(max_workers=1) as thread:

        def in_its_thread(function: Callable[..., Any]) -> Any:
            return thread.submit(function).result()

        playwright = in_its_thread(lambda: sync_playwright().start())
        try:
            launch = playwright.chromium.launch
            browser = in_its_thread(lambda: launch(executable_path=program, args=ARGUMENTS, timeout=PATIENCE))
            yield Chromium(browser, in_its_thread)
            in_its_thread(browser.close)
        finally:
            in_its_thread(playwright.stop)


def _complaints(browser: Browser, url: str, look: Look, width: int, schemes: Sequence[Any]) -> list[str]:
    found: list[str] = []
    with _opened(browser, url, width, schemes[0], found) as page:
        look.steps(page)
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme)
            _take_screenshot(page, SCREENSHOTS / f"{look.name}-{width}-{scheme}.png")
        page.evaluate(UNFOLD)
        found.extend(f"cut off: {element}" for element in page.evaluate(CUT_OFF, look.within))
        scheme = schemes[WIDTHS.index(width) % len(schemes)]
        page.emulate_media(color_scheme=scheme)
        found.extend(f"{scheme}: {problem}" for problem in _inaccessible(page, look.within))
        # A printed page has the width of the paper, not of the window
        if width == WIDTHS[0] and not page.pdf().startswith(b"%PDF-"):
            found.append("cannot be printed")
    return found


@contextlib.contextmanager
def _opened(browser: Browser, url: str, width: int, scheme: Any, found: list[str]) -> Iterator[Page]:
    """A page, and all along what is wrong in its console or fetched from elsewhere."""
    with browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme) as context:
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.on("console", lambda message: found.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: found.append(str(error)))
        page.on("request", lambda request: found.extend(_elsewhere(request.url, url)))
        page.goto(url)
        yield page


def _elsewhere(asked: str, url: str) -> list[str]:
    """A complaint if what the page asks for comes neither from where the page is nor from within it."""
    return [] if urlsplit(asked)[:2] in (urlsplit(url)[:2], ("data", "")) else [f"asks for {asked}"]


def _take_screenshot(page: Page, path: Path) -> None:
    width, height = page.evaluate("() => [innerWidth, document.documentElement.scrollHeight]")
    page.screenshot(path=path, full_page=True, clip={"x": 0, "y": 0, "width": width, "height": min(height, LONGEST)})


def _inaccessible(page: Page, within: str) -> list[str]:
    from axe_playwright_python.sync_playwright import Axe

    return [
        f"{violation['help']} ({violation['id']}): {node['html']}; {node['failureSummary']}"
        for violation in Axe().run(page, within, AXE).response["violations"]
        for node in violation["nodes"]
    ]


def installed_chromium() -> str:
    """Return the path of the browser, installed from Debian's packages where it is missing."""
    install("chromium", "chromium")
    program = shutil.which("chromium")
    assert program
    return program
