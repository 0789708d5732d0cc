# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find dead links in a directory of HTML or Markdown files. Links to other servers are not checked."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Html(HTMLParser):
    """The links and anchors of an HTML page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.add(value)
            elif value and (name == "id" or (tag == "a" and name == "name")):
                self.anchors.add(value)


class _Markdown:
    """The links of a Markdown page and the anchors that code hosting services give its headings."""

    def __init__(self, text: str) -> None:
        prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
        headings = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
        self.links = set(re.findall(r"\]\(([^()\s]+)\)", prose))
        self.anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


_Pages = dict[Path, _Html] | dict[Path, _Markdown]


def find_dead_links(site: Path) -> list[str]:
    """Return the links of a site to missing files or anchors, sorted, each with its page."""
    return _find_dead(site, {path: _Html(path.read_text()) for path in site.resolve().rglob("*.html")}, Path.is_file)


def find_dead_markdown_links(folder: Path) -> list[str]:
    """Return the dead links of the Markdown files in a directory; links to directories are valid."""
    return _find_dead(
        folder, {path: _Markdown(path.read_text()) for path in folder.resolve().rglob("*.md")}, Path.exists
    )


def _find_dead(folder: Path, pages: _Pages, exists: Callable[[Path], bool]) -> list[str]:
    return sorted(
        f"{path.relative_to(folder.resolve())}: {link}"
        for path, page in pages.items()
        for link in page.links
        if not _is_valid(link, path, pages, exists)
    )


def _is_valid(link: str, path: Path, pages: _Pages, exists: Callable[[Path], bool]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target not in pages:
        return exists(target)
    return not parts.fragment or unquote(parts.fragment) in pages[target].anchors
