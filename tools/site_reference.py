# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A Sphinx extension for the pages that antsibull-docs generates.

It shortens their titles and lists the connection options of a module after its own options, in a second table.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref, toctree
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from generate import SERVICES, list_fragments, read_fragment

_FOLDER = "collections/buildworks/toolchain/"
_OPTION = re.compile(r'id="parameter-([^/"]+)')
_INTRODUCTION = "All modules of a service have these options. Set them once, for example as variables of a host: see "


class ShortenTitles(SphinxTransform):
    """Leave the name of the collection out of titles, and the description out of the navigation."""

    default_priority = 300

    def apply(self, **_arguments: Any) -> None:
        """Change the page of a plugin, or the list of plugins."""
        if not self.env.docname.startswith(_FOLDER):
            return
        title = next(self.document.findall(nodes.title))
        text = title.astext().removeprefix("buildworks.toolchain.").replace(" -- ", " – ")
        title[:] = [nodes.Text(text)]
        for tree in self.document.findall(toctree):
            tree["entries"] = [(label or _name_plugin(page), page) for label, page in tree["entries"]]


def _name_plugin(page: str) -> str | None:
    """Return the name of a plugin from its page, or `None` if the page is a guide."""
    name, _underscore, kind = page.removeprefix(_FOLDER).rpartition("_")
    return None if "/" in name else name if kind == "module" else f"{name} {kind}"


class SplitConnectionOptions(SphinxTransform):
    """Split the table in which antsibull-docs lists all options of a module by name."""

    # After PropagateTargets: each row contains the targets of its option
    default_priority = 300

    def apply(self, **_arguments: Any) -> None:
        """Change the page of a module."""
        page = self.env.docname
        if not (page.startswith(_FOLDER) and page.endswith("_module")):
            return
        connection_options = list_connection_options(page.removeprefix(_FOLDER).removesuffix("_module"))
        table = next(table for table in self.document.findall(nodes.table) if find_options(table))
        connection_table = table.deepcopy()
        connection_table["ids"] = []
        body, connection_body = (next(each.findall(nodes.tbody)) for each in (table, connection_table))
        rows = list(body.findall(nodes.row))
        connection_rows = [row for row in rows if connection_options & {*find_options(row)}]
        connection_body[:] = connection_rows
        body[:] = [row for row in rows if row not in connection_rows]
        place = table.parent.index(table) + 1
        table.parent[place:place] = [*self._introduce(), connection_table]
        if not body.children:
            table.parent.remove(table)

    def _introduce(self) -> list[nodes.Node]:
        """Return the heading and the first paragraph of the connection options."""
        heading = nodes.rubric("", "Connection options", ids=["connection-options"], **{"heading-level": 3})
        reference = {"refdomain": "std", "reftype": "doc", "reftarget": "/start/servers", "refexplicit": False}
        link = pending_xref("", nodes.inline("", ""), refdoc=self.env.docname, refwarn=True, **reference)
        return [heading, nodes.paragraph("", _INTRODUCTION, link, nodes.Text("."))]


def find_options(node: nodes.Element) -> list[str]:
    """Return the names of the options that a table or row describes; a suboption counts as its option."""
    return [name for raw in node.findall(nodes.raw) for name in _OPTION.findall(raw.astext())]


def list_connection_options(module: str) -> set[str]:
    """Return the names of the options that a module shares with all modules of its service."""
    names = {"connection", *SERVICES}.intersection(list_fragments(module))
    return {option for name in names for option in read_fragment(name)["options"]}


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the extension."""
    app.add_transform(ShortenTitles)
    app.add_transform(SplitConnectionOptions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
