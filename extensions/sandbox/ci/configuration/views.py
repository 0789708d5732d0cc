# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Views of the root in the configuration."""

from __future__ import annotations

from typing import Any

import yaml
from lxml import etree

from ..controller import Controller
from ..jobs import stored_views
from ..jobs.stored_views import LIST, FoundView
from .configurators import Attribute, Context, Structure, data, flag, mapping, sequence, symbol, text, values

VIEW_CLASS = "hudson.model.View"
TEXTS = ("description", "includeRegex")
FLAGS = ("filterExecutors", "filterQueue", "recurse")
# Class names of columns whose symbols differ
COLUMN_CLASSES = {"jobName": "Job"}
COLUMN_SYMBOLS = {name: column for column, name in COLUMN_CLASSES.items()}
SYMBOLS = {stored_views.ALL: "all", LIST: "list", stored_views.MY: "myView", stored_views.NESTED: "nested"}
FILTER_CLASS, FILTER = "hudson.views.ViewJobFilter", "statusFilter"
STATUS = Structure(FILTER, stored_views.STATUS_FILTER, {FILTER: flag})


def _convert_filters(context: Context, node: yaml.Node, _label: str) -> list[dict[str, Any]]:
    """Return the filters of a list view. Other classes than that of Jenkins itself belong to plugins."""
    found = [symbol(context, entry, "jobFilters", FILTER_CLASS, (FILTER,)) for entry in sequence(context, node)]
    return [STATUS.convert(context, members) for _name, members in found]


STRUCTURES = {
    "all": Structure(
        "all",
        stored_views.ALL,
        {"description": text, "filterExecutors": flag, "filterQueue": flag, "name": text, "properties": data},
    ),
    "list": Structure(
        "list",
        LIST,
        {
            **dict.fromkeys((*TEXTS, "name"), text),
            **dict.fromkeys(FLAGS, flag),
            **dict.fromkeys(("properties", "statusFilter"), data),
            **dict.fromkeys(("columns", "jobNames"), values),
            "jobFilters": _convert_filters,
        },
    ),
}


def _convert_view(context: Context, node: yaml.Node, attribute: str) -> dict[str, Any]:
    mapping(context, node)
    name, members = symbol(context, node, attribute, VIEW_CLASS, STRUCTURES)
    return {name: STRUCTURES[name].convert(context, members)}


def _convert_views(context: Context, node: yaml.Node, _label: str) -> list[dict[str, Any]]:
    return [_convert_view(context, entry, "views") for entry in sequence(context, node)]


def _name(view: dict[str, Any]) -> str:
    return str(next(iter(view.values())).get("name", "all"))


def _write_views(server: Controller, views: list[dict[str, Any]]) -> None:
    """Replace all views. The name of the primary view stays, even if no view has it any more."""
    stored_views.replace_views(server.storage, server.create_writer(), [_to_element(view) for view in views])


def _to_element(view: dict[str, Any]) -> etree._Element:
    kind, members = next(iter(view.items()))
    root = etree.Element(STRUCTURES[kind].java_class)
    stored_views.set_name(root, _name(view))
    for member in TEXTS:
        if members.get(member):
            etree.SubElement(root, member).text = members[member]
    for member in FLAGS:
        etree.SubElement(root, member).text = str(members.get(member, False)).lower()
    if members.get("jobNames"):
        names = etree.SubElement(root, "jobNames")
        etree.SubElement(names, "comparator", {"class": "java.lang.String$CaseInsensitiveComparator"})
        for job in members["jobNames"]:
            etree.SubElement(names, "string").text = str(job)
    for members_of_filter in members.get("jobFilters") or ():
        filters = root.find("jobFilters")
        filters = etree.SubElement(root, "jobFilters") if filters is None else filters
        status = etree.SubElement(filters, stored_views.STATUS_FILTER)
        etree.SubElement(status, FILTER).text = str(members_of_filter.get(FILTER, False)).lower()
    if "columns" in members:
        columns = etree.SubElement(root, "columns")
        for column in members["columns"]:
            name = COLUMN_CLASSES.get(column, f"{column[:1].upper()}{column[1:]}")
            etree.SubElement(columns, f"hudson.views.{name}Column")
    return root


def _read_views(server: Controller) -> list[dict[str, Any]]:
    return [_describe(view) for view in stored_views.list_views(server.storage, "")]


def _describe(view: FoundView) -> dict[str, Any]:
    root = view.element
    members: dict[str, Any] = {"name": view.name}
    members.update((name, root.findtext(name)) for name in TEXTS if root.findtext(name))
    members.update((name, True) for name in FLAGS if root.findtext(name) == "true")
    if root.tag != LIST:
        return {SYMBOLS[root.tag]: members}
    names = [element.text for element in root.iterfind("jobNames/string")]
    columns = [
        element.tag.removeprefix("hudson.views.").removesuffix("Column") for element in root.iterfind("columns/*")
    ]
    members["columns"] = [COLUMN_SYMBOLS.get(column, f"{column[:1].lower()}{column[1:]}") for column in columns]
    filters = [
        {FILTER: {FILTER: True}} if element.findtext(FILTER) == "true" else FILTER
        for element in root.iterfind(f"jobFilters/{stored_views.STATUS_FILTER}")
    ]
    return {"list": {**members, "jobFilters": filters, "jobNames": names}}


def _read_primary_view(server: Controller) -> dict[str, Any] | None:
    primary = stored_views.find_primary(server.storage, "")
    return _describe(primary) if primary else None


VIEWS = Attribute("views", _read_views, _write_views, _convert_views, {"type": "array"})
PRIMARY_VIEW = Attribute(
    "primaryView",
    _read_primary_view,
    lambda server, view: server.storage.set(stored_views.PRIMARY_VIEW, _name(view)),
    lambda context, node, _label: _convert_view(context, node, "primaryView"),
    {},
)
