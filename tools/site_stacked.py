# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A Sphinx extension for tables of the class `stacked`. On a phone, site.css shows each row as labelled cells."""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform


class LabelCells(SphinxTransform):
    """Add the label of its column to each cell of a stacked table, except to the first, which names the row."""

    # After substitutions in headings have their text
    default_priority = 310

    def apply(self, **_arguments: Any) -> None:
        """Change a page."""
        for table in self.document.findall(nodes.table):
            if "stacked" in table["classes"]:
                label_cells(table)


def label_cells(table: nodes.table) -> None:
    """Add labels to the cells of a table. Attributes are not searched, unlike text."""
    labels = [cell.astext() for cell in next(table.findall(nodes.thead)).findall(nodes.entry)]
    for row in next(table.findall(nodes.tbody)).findall(nodes.row):
        for label, cell in list(zip(labels, row.findall(nodes.entry), strict=True))[1:]:
            for paragraph in list(cell.findall(nodes.paragraph))[:1]:
                paragraph.insert(0, nodes.raw("", f'<span data-label="{escape(label)}"></span>', format="html"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.add_transform(LabelCells)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
