# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The configuration of a view as XML, and as the fields of the module."""

from __future__ import annotations

import copy
import re
import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import jobs
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import document
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

CLASSES = {
    "list": "hudson.model.ListView",
    "nested": "hudson.plugins.nested_view.NestedView",
    "all": "hudson.model.AllView",
    "my": "hudson.model.MyView",
}
COLUMNS = {
    "status": "hudson.views.StatusColumn",
    "weather": "hudson.views.WeatherColumn",
    "job": "hudson.views.JobColumn",
    "last_success": "hudson.views.LastSuccessColumn",
    "last_failure": "hudson.views.LastFailureColumn",
    "last_stable": "hudson.views.LastStableColumn",
    "last_duration": "hudson.views.LastDurationColumn",
    "build_button": "hudson.views.BuildButtonColumn",
}
DEFAULT_COLUMNS = ["status", "weather", "job", "last_success", "last_failure", "last_duration", "build_button"]
COMMON_OPTIONS = ("description", "filter_queue", "filter_executors")
LIST_OPTIONS = ("jobs", "regex", "recurse", "columns", "status_filter")

_FLAGS = {"filter_queue": "filterQueue", "filter_executors": "filterExecutors", "recurse": "recurse"}
_TEXTS = {"description": "description", "regex": "includeRegex"}
_STATUS_FILTERS = {"enabled": "true", "disabled": "false"}
_STATUS_FILTER = "hudson.views.StatusFilter"
_COMPARATOR = "java.lang.String$CaseInsensitiveComparator"
# Jenkins takes the name from the request, and the owner from the path
_IGNORED = ("name", "owner")
_UNESCAPED = {"__": "_", "_-": "$"}
_ESCAPED = {text: escape for escape, text in _UNESCAPED.items()}


def parse_options(params: Fields) -> Fields:
    """Return the declared fields of a view, without `config`.

    :raises BadOption: if options contradict each other
    """
    given = [name for name in ("type", *COMMON_OPTIONS, *LIST_OPTIONS) if params[name] is not None]
    if params["config"] is not None and given:
        raise BadOption(given[0], "must not be set with 'config'")
    if params["type"] not in (None, "list"):
        for name in LIST_OPTIONS:
            if name in given:
                raise BadOption(name, "applies only to list views")
    fields = {name: params[name] for name in given}
    if "jobs" in fields:
        for name in fields["jobs"]:
            jobs.job_path(name, "jobs")
        fields["jobs"] = to_jobs(fields["jobs"], params["purge"])
    if "columns" in fields:
        short_names = {class_name: name for name, class_name in COLUMNS.items()}
        fields["columns"] = [short_names.get(name, name) for name in fields["columns"]]
    return fields


def parse_config(config: str | None) -> ET.Element | None:
    """Return the declared configuration without the elements that Jenkins ignores.

    :raises BadOption: if it is not the configuration of a view
    """
    if config is None:
        return None
    try:
        root = document.parse(config)
    except document.XmlError as error:
        raise BadOption("config", f"must be an XML document: {error}") from None
    if unescape(root.tag) == CLASSES["nested"]:
        raise BadOption("config", "must not be a nested view. Use 'type: nested'")
    for tag in _IGNORED:
        for element in root.findall(tag):
            root.remove(element)
    return root


def to_jobs(names: t.Iterable[str], purge: bool) -> list[str] | dict[str, bool]:
    """Return job names in the form in which they are compared: exactly, or as names that must be contained."""
    return sorted(set(names)) if purge else dict.fromkeys(sorted(set(names)), True)


def get_type(root: ET.Element) -> str:
    """Return the type of a view, or the Java class of another one."""
    return get_type_of_class(unescape(root.tag))


def get_type_of_class(class_name: str) -> str:
    """Return the type of the views of a Java class, or the class of others."""
    return next((name for name, known in CLASSES.items() if known == class_name), class_name)


def read_fields(root: ET.Element, purge: bool = True) -> Fields:
    """Return the fields of a view. A list view has more than others.

    :arg purge: whether the jobs are compared exactly
    """
    kind = get_type(root)
    names = [*COMMON_OPTIONS, *(LIST_OPTIONS if kind == "list" else ())]
    fields: Fields = {"type": kind}
    fields |= {name: root.findtext(tag) or "" for name, tag in _TEXTS.items() if name in names}
    fields |= {name: root.findtext(tag) == "true" for name, tag in _FLAGS.items() if name in names}
    if kind == "list":
        fields["jobs"] = to_jobs(_list_job_names(root), purge)
        fields["columns"] = [get_column(element) for element in _list_children(root, "columns")]
        fields["status_filter"] = _read_status_filter(root)
    return fields


def complete_fields(fields: Fields) -> Fields:
    """Return the fields of a predicted view, with the values that Jenkins sets in a new one."""
    if "elements" in fields:
        return fields
    defaults: Fields = {"description": "", "filter_queue": False, "filter_executors": False}
    if fields["type"] == "list":
        defaults |= {"jobs": [], "regex": "", "recurse": False, "columns": DEFAULT_COLUMNS, "status_filter": "all"}
    complete = {**defaults, **fields}
    if "jobs" in complete:
        complete["jobs"] = sorted(complete["jobs"])
    return complete


def new_configuration(kind: str, name: str) -> ET.Element:
    """Return the configuration of a new view without settings."""
    root = ET.Element(escape(CLASSES[kind]))
    ET.SubElement(root, "name").text = name
    return root


def change(stored: ET.Element, fields: Fields, purge: bool = True) -> ET.Element:
    """Return a copy of a configuration with other values of fields.

    :arg purge: whether existing jobs are removed
    """
    root = copy.deepcopy(stored)
    for name, tag in _TEXTS.items():
        if name in fields:
            _set_text(root, tag, fields[name])
    for name, tag in _FLAGS.items():
        if name in fields:
            _set_text(root, tag, "true" if fields[name] else "false")
    if "jobs" in fields:
        _set_job_names(root, fields["jobs"], purge)
    if "columns" in fields:
        _set_columns(root, fields["columns"])
    if "status_filter" in fields:
        _set_status_filter(root, fields["status_filter"])
    return root


def escape(class_name: str) -> str:
    """Return a Java class as the name of an XML element."""
    return re.sub(r"[_$]", lambda match: _ESCAPED[match[0]], class_name)


def unescape(tag: str) -> str:
    """Return the Java class that the name of an XML element stands for."""
    return re.sub("__|_-", lambda match: _UNESCAPED[match[0]], tag)


def get_column(element: ET.Element) -> str:
    """Return the short name of a column, or the Java class of another one."""
    class_name = unescape(element.tag)
    return next((name for name, known in COLUMNS.items() if known == class_name), class_name)


def _list_children(root: ET.Element, tag: str) -> list[ET.Element]:
    parent = root.find(tag)
    return [] if parent is None else list(parent)


def _list_job_names(root: ET.Element) -> list[str]:
    return [element.text or "" for element in root.iterfind("jobNames/string")]


def _set_text(root: ET.Element, tag: str, text: str) -> None:
    """Set the text of an element. An empty text removes the element."""
    element = root.find(tag)
    if not text:
        if element is not None:
            root.remove(element)
        return
    (ET.SubElement(root, tag) if element is None else element).text = text


def _set_job_names(root: ET.Element, names: t.Iterable[str], purge: bool) -> None:
    parent = root.find("jobNames")
    if parent is None:
        parent = ET.SubElement(root, "jobNames")
        ET.SubElement(parent, "comparator", {"class": _COMPARATOR})
    existing = parent.findall("string")
    kept = () if purge else [element.text or "" for element in existing]
    for element in existing:
        parent.remove(element)
    for name in sorted({*kept, *names}, key=str.lower):
        ET.SubElement(parent, "string").text = name


def _set_columns(root: ET.Element, names: t.Iterable[str]) -> None:
    """Set the columns. Existing ones keep their settings."""
    parent = root.find("columns")
    existing = _list_children(root, "columns")
    if parent is not None:
        root.remove(parent)
    parent = ET.SubElement(root, "columns")
    for name in names:
        column = next((element for element in existing if get_column(element) == name), None)
        if column is None:
            column = ET.Element(escape(COLUMNS.get(name, name)))
        else:
            existing.remove(column)
        parent.append(column)


def _read_status_filter(root: ET.Element) -> str:
    """Return which jobs a view shows by their status. Old versions of Jenkins have an element for this setting."""
    text = root.findtext(f"jobFilters/{_STATUS_FILTER}/statusFilter") or root.findtext("statusFilter")
    return next((name for name, value in _STATUS_FILTERS.items() if value == text), "all")


def _set_status_filter(root: ET.Element, name: str) -> None:
    """Set the filter of the status, and keep other filters.

    Newer versions of Jenkins convert the element of old versions to a filter, and add the filter again with each later
    change of the view. Therefore, the element is only sent to old versions.
    """
    value = _STATUS_FILTERS.get(name, "")
    if root.find("statusFilter") is not None:
        _set_text(root, "statusFilter", value)
        return
    filters = root.find("jobFilters")
    if filters is None:
        filters = ET.SubElement(root, "jobFilters")
    for element in filters.findall(_STATUS_FILTER):
        filters.remove(element)
    if value:
        ET.SubElement(ET.SubElement(filters, _STATUS_FILTER), "statusFilter").text = value
