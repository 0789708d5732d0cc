# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Views as they are stored: those of Jenkins and of folders, and nested ones inside the configuration of their view."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lxml import etree

from ..java_patterns import PatternError, compile_pattern
from ..storage import Storage, View
from ..xml import document
from ..xml.writer import ConfigurationWriter

ALL = "hudson.model.AllView"
LIST = "hudson.model.ListView"
MY = "hudson.model.MyView"
NESTED = "hudson.plugins.nested__view.NestedView"
# Plugins of the classes of views, by the root element of the configuration
KINDS: dict[str, tuple[str, ...]] = {ALL: (), LIST: (), MY: (), NESTED: ("nested-view",)}
PROPERTIES = '<properties class="hudson.model.View$PropertyList"/>'
# Settings: the name of the primary view of Jenkins, and whether it has any
PRIMARY_VIEW, HAS_VIEWS = "primary_view", "has_views"
STATUS_FILTER = "hudson.views.StatusFilter"


@dataclass(frozen=True)
class FoundView:
    """A view.

    :arg folder: full name of the folder, empty for Jenkins itself
    :arg path: its name after the names of the nested views that contain it
    :arg element: its configuration
    :arg top: configuration of the outermost of these views
    """

    folder: str
    path: tuple[str, ...]
    element: etree._Element
    top: etree._Element

    @property
    def name(self) -> str:
        """The name."""
        return self.path[-1]


def list_views(storage: Storage, folder: str, parent: FoundView | None = None) -> list[FoundView]:
    """Return the views of Jenkins or a folder, or those in a nested view, in the order in which they were created."""
    if parent is not None:
        inner = parent.element.find("views")
        elements = [] if inner is None else list(inner)
        path = parent.path
        return [FoundView(folder, (*path, _name(element)), element, parent.top) for element in elements]
    roots = [(row.name, document.parse(row.config)) for row in _list_rows(storage, folder)]
    return [FoundView(folder, (name,), root, root) for name, root in roots]


def find_view(storage: Storage, folder: str, names: tuple[str, ...]) -> FoundView | None:
    """Return the view that Jenkins finds under the names of nested views and its own name.

    Jenkins and folders also find a view that is nested in one of their views, and the primary view under the name
    "All", which is the name of the view with all jobs in another language.
    """
    views = list_views(storage, folder)
    found = next((view for view in views if view.name == names[0]), None)
    found = found or next(filter(None, (_find_inside(storage, view, names[0]) for view in views)), None)
    if not found and names[0] == "All":
        primary = find_primary(storage, folder)
        found = primary if primary and (primary.element.tag, primary.name) == (ALL, "all") else None
    for name in names[1:]:
        inner = list_views(storage, folder, found) if found else []
        found = next((view for view in inner if view.name == name), None)
    return found


def find_primary(storage: Storage, folder: str) -> FoundView | None:
    """Return the view that is shown by default: the one with all jobs or, if it is deleted, the oldest one."""
    name = _default_name(folder) if folder else storage.setting(PRIMARY_VIEW, _default_name(folder))
    views = list_views(storage, folder)
    return next((view for view in views if view.name == name), views[0] if views else None)


def has_name(storage: Storage, folder: str, parent: FoundView | None, name: str) -> bool:
    """Return whether a new view cannot have a name."""
    if parent is None:
        return find_view(storage, folder, (name,)) is not None
    return any(view.name == name for view in list_views(storage, folder, parent))


def add_view(
    storage: Storage,
    writer: ConfigurationWriter,
    folder: str,
    parent: FoundView | None,
    element: etree._Element,
) -> None:
    """Add a view, whose configuration has its name."""
    load(element)
    if parent is None:
        _keep_default(storage, folder)
        storage.put_view(View(folder, _name(element), writer.write(element)))
        return
    inner = parent.element.find("views")
    if inner is None:
        inner = etree.SubElement(parent.element, "views")
    inner.append(element)
    save(storage, writer, parent)


def replace_views(storage: Storage, writer: ConfigurationWriter, elements: list[etree._Element]) -> None:
    """Replace all views of Jenkins, as a configuration as code does. It can have none afterwards."""
    for row in storage.views(""):
        storage.delete_view(row)
    storage.set(HAS_VIEWS, bool(elements))
    for element in elements:
        load(element)
        storage.put_view(View("", _name(element), writer.write(element)))


def save(storage: Storage, writer: ConfigurationWriter, view: FoundView) -> None:
    """Store the changed configuration of a view."""
    _keep_default(storage, view.folder)
    storage.put_view(View(view.folder, view.path[0], writer.write(view.top)))


def replace_element(view: FoundView, element: etree._Element) -> FoundView:
    """Return a view with another configuration, which keeps its name."""
    set_name(element, view.name)
    load(element)
    parent = view.element.getparent()
    if parent is None:
        return FoundView(view.folder, view.path, element, element)
    parent.replace(view.element, element)
    return FoundView(view.folder, view.path, element, view.top)


def delete_view(storage: Storage, writer: ConfigurationWriter, view: FoundView) -> bool:
    """Delete a view and return whether that is possible: Jenkins and folders keep their last one."""
    parent = view.element.getparent()
    if parent is not None:
        parent.remove(view.element)
        save(storage, writer, view)
        return True
    if len(list_views(storage, view.folder)) == 1:
        return False
    _keep_default(storage, view.folder)
    storage.delete_view(View(view.folder, view.name, ""))
    return True


def set_name(element: etree._Element, name: str) -> None:
    """Set the name of a view, whatever name its configuration has."""
    for other in element.findall("name"):
        element.remove(other)
    etree.SubElement(element, "name").text = name


def from_seed(view: dict[str, Any]) -> etree._Element:
    """Return the configuration of a view in a seed.

    :raises ValueError: if it is not the configuration of a view
    """
    element = document.parse(view.get("config", f"<{LIST}/>"))
    if element.tag not in KINDS:
        raise ValueError(f"View {view['name']}: the sandbox has no views of the class {element.tag}.")
    set_name(element, view["name"])
    for tag, member in (("description", "description"), ("includeRegex", "regex")):
        if member in view:
            etree.SubElement(element, tag).text = view[member]
    if "jobs" in view:
        names = etree.SubElement(element, "jobNames")
        for name in view["jobs"]:
            etree.SubElement(names, "string").text = name
    return element


def load(element: etree._Element) -> None:
    """Change a submitted configuration as the classes of views do when they are loaded."""
    for owner in element.findall("owner"):
        element.remove(owner)
    for view in element.iter(LIST):
        sort_names(view)
        pattern = view.find("includeRegex")
        if pattern is not None and not _is_pattern(pattern.text or ""):
            view.remove(pattern)
        status = view.find("statusFilter")
        if status is not None:
            view.remove(status)
            filters = view.find("jobFilters")
            filters = etree.SubElement(view, "jobFilters") if filters is None else filters
            etree.SubElement(etree.SubElement(filters, STATUS_FILTER), "statusFilter").text = status.text


def sort_names(view: etree._Element) -> None:
    """Sort the names of the jobs of a list view. With the usual comparator, case does not matter."""
    names = view.find("jobNames")
    if names is None:
        return
    ignores_case = names.find("comparator") is not None
    elements = {_fold(element.text or "", ignores_case): element for element in reversed(names.findall("string"))}
    for element in names.findall("string"):
        names.remove(element)
    names.extend(elements[key] for key in sorted(elements))


def remove_job(storage: Storage, name: str) -> None:
    """Remove a deleted job or folder from all views."""
    _rename_in_views(storage, name, None)


def rename_job(storage: Storage, name: str, new_name: str) -> None:
    """Rename a job or folder in all views of its folder and of outer folders."""
    _rename_in_views(storage, name, new_name)


def _rename_in_views(storage: Storage, name: str, new_name: str | None) -> None:
    for row in storage.all_views():
        prefix = f"{row.folder}/" if row.folder else ""
        if not name.startswith(prefix):
            continue
        root = document.parse(row.config)
        for names in root.iter("jobNames"):
            for element in names.findall("string"):
                inner = f"{prefix}{element.text}"
                if inner != name and not inner.startswith(f"{name}/"):
                    continue
                if new_name is None or not new_name.startswith(prefix):
                    names.remove(element)
                else:
                    element.text = (new_name + inner.removeprefix(name)).removeprefix(prefix)
        for view in root.iter(LIST):
            sort_names(view)
        storage.put_view(View(row.folder, row.name, document.write(root)))


def _list_rows(storage: Storage, folder: str) -> list[View]:
    """Return the views of Jenkins or a folder. Until one is created or changed, the one with all jobs is not stored."""
    rows = storage.views(folder)
    return rows if rows or not (folder or storage.setting(HAS_VIEWS, True)) else [_default_view(folder)]


def _keep_default(storage: Storage, folder: str) -> None:
    if not storage.views(folder):
        for row in _list_rows(storage, folder):
            storage.put_view(row)


def _default_view(folder: str) -> View:
    root = etree.Element(ALL)
    root.extend(_default_elements(_default_name(folder)))
    return View(folder, _default_name(folder), document.write(root))


def _default_elements(name: str) -> Iterator[etree._Element]:
    for tag, text in (("name", name), ("filterExecutors", "false"), ("filterQueue", "false")):
        element = etree.Element(tag)
        element.text = text
        yield element
    yield etree.fromstring(PROPERTIES)


def _default_name(folder: str) -> str:
    return "All" if folder else "all"


def _find_inside(storage: Storage, view: FoundView, name: str) -> FoundView | None:
    inner = list_views(storage, view.folder, view)
    found = next((other for other in inner if other.name == name), None)
    return found or next(filter(None, (_find_inside(storage, other, name) for other in inner)), None)


def _name(element: etree._Element) -> str:
    return element.findtext("name") or ""


def _fold(text: str, ignores_case: bool) -> str:
    return text.lower() if ignores_case else text


def _is_pattern(pattern: str) -> bool:
    try:
        compile_pattern(pattern)
    except PatternError:
        return False
    return True
