# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Property sets: properties with predefined values.

The field `properties` is a dictionary by name, with `type` and `values`. `values` has for each value whether it is a
default.
"""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration.forms import (
    Form,
    check_text,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, add_removals

# The property set with the licenses of artifacts
BUILT_IN = "artifactory"
# By type: whether only predefined values are allowed, and whether several
TYPES = {"any": (False, False), "single": (True, False), "multi": (True, True)}


class _PropertySetForm(Form):
    def parse(self, params: Fields) -> Fields:
        if params["state"] == "absent":
            if params["name"] == BUILT_IN:
                raise BadOption("name", f"'{BUILT_IN}' is built in and cannot be deleted")
            return {}
        if params["purge"] and params["properties"] is None:
            raise BadOption("purge", "requires 'properties'")
        fields = super().parse(params)
        if params["properties"] is not None:
            fields["properties"] = _parse_properties(params["properties"])
        return fields

    def read(self, members: Fields) -> Fields:
        properties = _to_dictionary(members.get("properties"))
        return {
            **super().read(members),
            "properties": {name: _read_property(_to_dictionary(entry)) for name, entry in properties.items()},
        }

    def desired(self, declared: Fields, before: Fields | None, purge: bool) -> Fields:
        fields = super().desired(declared, before, purge)
        if "properties" not in fields:
            return fields
        current = before["properties"] if before else {}
        properties = {
            name: _desired_property(entry, current.get(name), purge) for name, entry in fields["properties"].items()
        }
        return {**fields, "properties": add_removals(current, properties) if purge else properties}

    def write(self, fields: Fields) -> Fields:
        members = super().write({name: value for name, value in fields.items() if name != "properties"})
        properties = {name: _write_property(entry) for name, entry in fields.get("properties", {}).items()}
        return {**members, **({"properties": properties} if properties else {})}

    def to_result(self, name: str | None, fields: Fields) -> Fields:
        properties = [
            {
                "name": property_name,
                "type": entry["type"],
                "values": list(entry["values"]),
                "default_values": [value for value, is_default in entry["values"].items() if is_default],
            }
            for property_name, entry in fields.get("properties", {}).items()
        ]
        return {**super().to_result(name, fields), "properties": properties}


def _parse_properties(entries: list[Fields]) -> Fields:
    properties: Fields = {}
    for index, entry in enumerate(entries):
        option, name = f"properties[{index}]", entry["name"]
        if not name:
            raise BadOption(f"{option}.name", "is required")
        if name in properties:
            raise BadOption(f"{option}.name", f"'{name}' is listed twice")
        properties[name] = _parse_property(entry, option)
    return properties


def _parse_property(entry: Fields, option: str) -> Fields:
    values, defaults = entry["values"], entry["default_values"]
    for value in values or ():
        check_text(f"{option}.values", value)
    if defaults is not None and (unknown := [value for value in defaults if value not in (values or ())]):
        raise BadOption(f"{option}.default_values", f"must contain only entries of 'values', not '{unknown[0]}'")
    property_type = {} if entry["type"] is None else {"type": entry["type"]}
    if values is None:
        return property_type
    # null keeps the flag of an existing value
    return {**property_type, "values": {value: None if defaults is None else value in defaults for value in values}}


def _desired_property(declared: Fields, current: Fields | None, purge: bool) -> Fields:
    fields = dict(declared) if current else {"type": "any", "values": {}, **declared}
    if "values" in fields:
        existing = current["values"] if current else {}
        values = {
            value: existing.get(value, False) if is_default is None else is_default
            for value, is_default in fields["values"].items()
        }
        fields["values"] = add_removals(existing, values) if purge else values
    return fields


def _read_property(members: Fields) -> Fields:
    is_closed, is_multiple = (members.get(name) is True for name in ("closedPredefinedValues", "multipleChoice"))
    values = _to_dictionary(members.get("predefinedValues"))
    return {
        "type": next(name for name, flags in TYPES.items() if flags == (is_closed, is_closed and is_multiple)),
        "values": {value: _to_dictionary(entry).get("defaultValue") is True for value, entry in values.items()},
    }


def _write_property(fields: Fields | None) -> Fields | None:
    """Return the members of a property, or `None` to delete it."""
    if fields is None:
        return None
    members: Fields = {}
    if "type" in fields:
        members["closedPredefinedValues"], members["multipleChoice"] = TYPES[fields["type"]]
    if fields.get("values"):
        members["predefinedValues"] = {
            value: None if is_default is None else {"defaultValue": is_default}
            for value, is_default in fields["values"].items()
        }
    return members


def _to_dictionary(value: t.Any) -> Fields:
    return value if isinstance(value, dict) else {}


PROPERTY_SETS = _PropertySetForm(
    "propertySets",
    "property set",
    {"visible": ("visible", True)},
    identity="name",
    new={"visible": True},
    built_in=(BUILT_IN,),
)
