# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Views of the root in the configuration."""

from __future__ import annotations

from typing import Any

import yaml
from lxml import etree

from ..controller import Controller
from ..jobs import job_api
from ..jobs.views import LIST, normalize_view
from ..storage import View
from ..xml import document
from .configurators import Attribute, Context, Structure, data, flag, mapping, sequence, symbol, text

VIEW_CLASS = "hudson.model.View"
TEXTS = ("description", "includeRegex")
FLAGS = ("filterExecutors", "filterQueue", "recurse")
# Class names of columns whose symbols differ
COLUMN_CLASSES = {"jobName": "Job"}
COLUMN_SYMBOLS = {name: column for column, name in COLUMN_CLASSES.items()}
ALL = {"all": {"name": "all"}}
STRUCTURES = {
    "all": Structure(
        "all",
        job_api.ALL,
        {"description": text, "filterExecutors": flag, "filterQueue": flag, "name": text, "properties": data},
    ),
    "list": Structure(
        "list",
        LIST,
        {
            **dict.fromkeys((*TEXTS, "name"), text),
            **dict.fromkeys(FLAGS, flag),
            **dict.fromkeys(("columns", "jobFilters", "jobNames", "properties"), data),
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
    """Replace all views. The primary view stays if it is one of them."""
    names = [_name(view) for view in views]
    storage = server.storage
    for existing in storage.views(""):
        storage.delete_view(existing)
    for view in views:
        if "list" in view:
            storage.put_view(View("", _name(view), _to_xml(server, view["list"], _name(view))))
    storage.set("view_names", names)
    if storage.setting("primary_view", "all") not in names:
        storage.set("primary_view", names[0] if names else None)


def _to_xml(server: Controller, members: dict[str, Any], name: str) -> str:
    root = etree.Element(LIST)
    for member in TEXTS:
        if members.get(member):
            etree.SubElement(root, member).text = members[member]
    for member in FLAGS:
        etree.SubElement(root, member).text = str(members.get(member, False)).lower()
    if members.get("jobNames"):
        names = etree.SubElement(root, "jobNames")
        for job in members["jobNames"]:
            etree.SubElement(names, "string").text = str(job)
    if "columns" in members:
        columns = etree.SubElement(root, "columns")
        for column in members["columns"]:
            name = COLUMN_CLASSES.get(column, f"{column[:1].upper()}{column[1:]}")
            etree.SubElement(columns, f"hudson.views.{name}Column")
    return normalize_view(server.create_writer(), root, name)


def _read_views(server: Controller) -> list[dict[str, Any]]:
    """Return the views in the order of the configuration, then those that other clients created."""
    storage = server.storage
    views = {"all": ALL, **{view.name: _from_xml(view) for view in storage.views("")}}
    names = storage.setting("view_names", ["all"])
    return [views[name] for name in [*names, *sorted(views.keys() - {*names, "all"})] if name in views]


def _from_xml(view: View) -> dict[str, Any]:
    root = document.parse(view.config)
    members: dict[str, Any] = {"name": view.name}
    members.update((name, root.findtext(name)) for name in TEXTS if root.findtext(name))
    members.update((name, True) for name in FLAGS if root.findtext(name) == "true")
    if root.tag == job_api.ALL:
        return {"all": members}
    names = [element.text for element in root.iterfind("jobNames/string")]
    columns = [
        element.tag.removeprefix("hudson.views.").removesuffix("Column") for element in root.iterfind("columns/*")
    ]
    members["columns"] = [COLUMN_SYMBOLS.get(column, f"{column[:1].lower()}{column[1:]}") for column in columns]
    return {"list": {**members, "jobNames": names} if names else members}


def _read_primary_view(server: Controller) -> dict[str, Any] | None:
    name = server.storage.setting("primary_view", "all")
    return next((view for view in _read_views(server) if _name(view) == name), None)


VIEWS = Attribute("views", _read_views, _write_views, _convert_views, {"type": "array"})
PRIMARY_VIEW = Attribute(
    "primaryView",
    _read_primary_view,
    lambda server, view: server.storage.set("primary_view", _name(view)),
    lambda context, node, _label: _convert_view(context, node, "primaryView"),
    {},
)
