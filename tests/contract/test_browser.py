# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`check_page` finds the faults of a page."""

from __future__ import annotations

from pathlib import Path

import pytest

from support import browser as browser_tests
from support.browser import Chromium

PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>A page</title>
<style>:root {color-scheme: light dark; background: Canvas; color: CanvasText}</style></head>
<body><main><h1>A page</h1>%s</main></body></html>
"""
WIDE = '<table style="width: 500px"><tr><td>wide</td></tr></table>'


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(browser_tests, "SCREENSHOTS", tmp_path)
    return tmp_path / "page.html"


def test_check_passes_when_the_page_has_no_faults(browser: Chromium, page: Path) -> None:
    page.write_text(PAGE % f'<div style="overflow-x: auto" tabindex="0">{WIDE}</div>')
    browser.check_page(page, "good")
    screenshots = {path.name: path.read_bytes()[:4] for path in page.parent.glob("*.png")}
    names = ["good-360-light.png", "good-360-dark.png", "good-1600-light.png", "good-1600-dark.png"]
    assert screenshots == dict.fromkeys(names, b"\x89PNG")


FAULTS = {
    "pixels: broken": "<script>console.error('broken')</script>",
    "pixels: thrown": "<script>throw new Error('thrown')</script>",
    "pixels: Failed to load resource: net::ERR_FILE_NOT_FOUND": "<img alt='' src='missing.png'>",
    "pixels: asks for http://127.0.0.1:9/x.png": "<img alt='' src='http://127.0.0.1:9/x.png'>",
    "360 pixels: cut off: <table": WIDE,
    "1600 pixels: cut off: <html": f"<details><summary>More</summary><pre>{'wide' * 500}</pre></details>",
    "pixels: cut off: <text": "<svg role='img' aria-label='plot' width='50'><text y='15'>far too long</text></svg>",
    "light: Elements must meet minimum color contrast": "<p style='color: #888'>pale</p>",
    "dark: Elements must meet minimum color contrast": "<p style='color: #555'>dim</p>",
    "light: Images must have alternative text": "<img src='data:,'>",
}


def test_check_fails_when_the_page_has_a_fault(browser: Chromium, page: Path) -> None:
    page.write_text(PAGE % "".join(FAULTS.values()))
    with pytest.raises(AssertionError) as error:
        browser.check_page(page, "faulty")
    assert [complaint for complaint in FAULTS if complaint not in str(error.value)] == [], error.value
