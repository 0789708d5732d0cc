# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The links of a folder of HTML or Markdown files that lead nowhere. What is on other servers is not asked for."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Html(HTMLParser):
    """What a page links to, and the places in it that can be linked to."""

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
    """The same of a page in Markdown, whose headings can be linked to where code is hosted."""

    def __init__(self, text: str) -> None:
        prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
        headings = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
        self.links = set(re.findall(r"\]\(([^()\s]+)\)", prose))
        self.anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


_Pages = dict[Path, _Html] | dict[Path, _Markdown]


def dead_links(site: Path) -> list[str]:
    """Each link inside of the site without a file, or without a place in it: the page and the link, sorted."""
    return _dead(site, {path: _Html(path.read_text()) for path in site.resolve().rglob("*.html")}, Path.is_file)


def dead_links_of_readmes(folder: Path) -> list[str]:
    """The same for the Markdown in a folder, which may link to folders as well."""
    return _dead(folder, {path: _Markdown(path.read_text()) for path in folder.resolve().rglob("*.md")}, Path.exists)


def _dead(folder: Path, pages: _Pages, is_there: Callable[[Path], bool]) -> list[str]:
    return sorted(
        f"{path.relative_to(folder.resolve())}: {link}"
        for path, page in pages.items()
        for link in page.links
        if not _leads_somewhere(link, path, pages, is_there)
    )


def _leads_somewhere(link: str, path: Path, pages: _Pages, is_there: Callable[[Path], bool]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target not in pages:
        return is_there(target)
    return not parts.fragment or unquote(parts.fragment) in pages[target].anchors
