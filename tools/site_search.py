# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A Sphinx extension that lets the search find pages by other words for the same task.

docs/site/search.yml lists these words. Sphinx finds only pages that contain all words of a search.
"""

from __future__ import annotations

import re
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from export import CHECKOUT

SYNONYMS: dict[str, str] = yaml.safe_load((CHECKOUT / "docs/site/search.yml").read_text())


class AddKeywords(SphinxTransform):
    """Add the synonyms of the words in the title of a page, and the parts of its name, as keywords."""

    # After titles have their final text
    default_priority = 310

    def apply(self, **_arguments: Any) -> None:
        """Change a page."""
        title = next(self.document.findall(nodes.title), None)
        if title is not None:
            keywords = find_keywords(title.astext())
            self.document.insert(0, nodes.meta(name="keywords", content=" ".join(keywords)))


def find_keywords(title: str) -> list[str]:
    """Return the parts of the words in a title, and the synonyms of both."""
    words = re.findall(r"[^\W_]+", title.lower())
    return [*words, *(synonym for word in words for synonym in SYNONYMS.get(word, "").split())]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.add_transform(AddKeywords)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
