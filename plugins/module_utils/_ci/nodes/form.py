# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Agents in the form of the module options, and as XML."""

from __future__ import annotations

import copy
import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.nodes import elements, kinds, properties
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import document
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, add_removals, sort_unique

USAGES = {"normal": "NORMAL", "exclusive": "EXCLUSIVE"}
# Root elements of permanent agents
ROOTS = ("slave", "hudson.slaves.DumbSlave")
_NEW_AGENT = """\
<slave>
  <name/>
  <description/>
  <remoteFS/>
  <numExecutors>1</numExecutors>
  <mode>NORMAL</mode>
  <retentionStrategy class="hudson.slaves.RetentionStrategy$Always"/>
  <launcher class="hudson.slaves.JNLPLauncher">
    <workDirSettings>
      <disabled>false</disabled>
      <internalDir>remoting</internalDir>
      <failIfWorkDirIsMissing>false</failIfWorkDirIsMissing>
    </workDirSettings>
    <webSocket>false</webSocket>
  </launcher>
  <label/>
  <nodeProperties/>
</slave>
"""
# Elements by option
_ELEMENTS = {
    "description": "description",
    "remote_root": "remoteFS",
    "executors": "numExecutors",
    "usage": "mode",
    "labels": "label",
    "launcher": "launcher",
    "retention": "retentionStrategy",
    "environment_variables": f"nodeProperties/{properties.ENVIRONMENT}",
    "tools": f"nodeProperties/{properties.TOOLS}",
}
OPTIONS = tuple(_ELEMENTS)
# Elements that are not part of the declared configuration
_STATE = ("name", "temporaryOfflineCause", "userId")


def parse_options(params: Fields) -> Fields:
    """Return the fields that the options declare, without `config`.

    :raises BadOption: if an option is invalid
    """
    declared = {name: params[name] for name in ("description", "remote_root", "executors", "usage")}
    fields: Fields = {name: value for name, value in declared.items() if value is not None}
    if params["labels"] is not None:
        fields["labels"] = sort_unique(params["labels"])
    if params["launcher"] is not None:
        fields["launcher"] = kinds.parse_options("launcher", kinds.LAUNCHERS, params["launcher"])
    if params["retention"] is not None:
        fields["retention"] = kinds.parse_options("retention", kinds.RETENTIONS, params["retention"])
    if params["environment_variables"] is not None:
        fields["environment_variables"] = properties.parse_environment(params["environment_variables"])
    if params["tools"] is not None:
        fields["tools"] = properties.parse_tools(params["tools"])
    return fields


def parse_config(params: Fields) -> ET.Element | None:
    """Return the root element of the option `config`, without the name.

    :raises BadOption: if it is not the configuration of an agent, or declares what another option declares
    """
    if params["config"] is None:
        return None
    try:
        root = document.parse(params["config"])
    except document.XmlError as error:
        raise BadOption("config", f"must be XML: {error}") from None
    if root.tag not in ROOTS:
        raise BadOption("config", f"must have the root element 'slave', not '{root.tag}'")
    if root.findtext("name") not in (None, params["name"]):
        raise BadOption("config", "must not contain another name than 'name'. Use 'previous_name' to rename a node")
    if root.find("temporaryOfflineCause") is not None:
        raise BadOption("config", "must not contain 'temporaryOfflineCause'. Use ci_node_drain to take a node offline")
    for option, path in _ELEMENTS.items():
        if params[option] is not None and root.find(path) is not None:
            raise BadOption("config", f"must not contain '{path}' together with the option '{option}'")
    executors = root.findtext("numExecutors")
    if executors is not None and not (executors.isdigit() and int(executors) > 0):
        raise BadOption("config", "'numExecutors' must be 1 or more: Jenkins hides nodes without executors")
    for tag in _STATE:
        elements.remove(root, tag)
    return root


def selects_others(declared: Fields) -> t.Callable[[str], bool]:
    """Return a function that says whether neither options, renaming nor draining change the element with a path.

    :arg declared: the fields that the options declare
    """
    changed = [f"{path}/" for path in (*_STATE, *(_ELEMENTS[option] for option in declared))]

    def is_unchanged(path: str) -> bool:
        return not any(f"{path}/".startswith(other) or other.startswith(f"{path}/") for other in changed)

    return is_unchanged


def read_fields(root: ET.Element) -> Fields:
    """Return the configuration of an agent as fields, without elements that have no option."""
    mode = elements.read_text(root, "mode", "NORMAL")
    return {
        "description": elements.read_text(root, "description"),
        "remote_root": elements.read_text(root, "remoteFS"),
        "executors": elements.read_value(root, "numExecutors", 1),
        "usage": next((usage for usage, stored in USAGES.items() if stored == mode), mode),
        "labels": sort_unique(elements.read_text(root, "label").split()),
        "launcher": kinds.read(root.find("launcher"), kinds.LAUNCHERS, "inbound"),
        "retention": kinds.read(root.find("retentionStrategy"), kinds.RETENTIONS, "always"),
        "environment_variables": properties.read_environment(root),
        "tools": properties.read_tools(root),
    }


def complete(declared: Fields, before: Fields | None) -> Fields:
    """Return the declared fields in the form to compare, with `None` for everything to remove.

    :arg before: fields of the existing agent
    """
    current: t.Mapping[str, t.Any] = before or {}
    fields = dict(declared)
    if "launcher" in fields:
        fields["launcher"] = kinds.complete(kinds.LAUNCHERS, fields["launcher"], current.get("launcher"))
    if "retention" in fields:
        fields["retention"] = kinds.complete(kinds.RETENTIONS, fields["retention"], current.get("retention"))
    if "environment_variables" in fields:
        variables = add_removals(current.get("environment_variables"), fields["environment_variables"])
        fields["environment_variables"] = variables
    return fields


def new_configuration() -> ET.Element:
    """Return the configuration of a new agent, with the defaults of Jenkins."""
    return document.parse(_NEW_AGENT)


def write_fields(root: ET.Element, name: str, fields: Fields) -> ET.Element:
    """Return a copy of a configuration with fields.

    :arg fields: result of `complete`
    """
    root = copy.deepcopy(root)
    elements.obtain(root, "name").text = name
    for option in ("description", "remote_root", "executors"):
        if option in fields:
            elements.obtain(root, _ELEMENTS[option]).text = str(fields[option])
    if "usage" in fields:
        elements.obtain(root, "mode").text = USAGES[fields["usage"]]
    if "labels" in fields:
        elements.obtain(root, "label").text = " ".join(fields["labels"])
    if "launcher" in fields:
        kinds.write(root, "launcher", kinds.LAUNCHERS, _drop_removals(fields["launcher"]))
    if "retention" in fields:
        kinds.write(root, "retentionStrategy", kinds.RETENTIONS, _drop_removals(fields["retention"]))
    if "environment_variables" in fields:
        properties.write_environment(root, _drop_removals(fields["environment_variables"]))
    if "tools" in fields:
        properties.write_tools(root, fields["tools"])
    return root


def unknown_kinds(fields: Fields) -> list[str]:
    """Return which of launcher and retention strategy the options cannot express."""
    known = {"launcher": kinds.LAUNCHERS, "retention": kinds.RETENTIONS}
    return [option for option, types in known.items() if fields[option]["type"] not in types]


def complete_config(root: ET.Element) -> str:
    """Return the whole configuration as XML for the option `config`."""
    rest = copy.deepcopy(root)
    for tag in _STATE:
        elements.remove(rest, tag)
    return document.serialize(rest)


def remaining_config(root: ET.Element) -> str | None:
    """Return the elements that have no option as XML for the option `config`, or `None` if there are none."""
    rest = copy.deepcopy(root)
    unknown = unknown_kinds(read_fields(root))
    for option, path in _ELEMENTS.items():
        if option not in unknown:
            elements.remove(rest, path)
    for tag in _STATE:
        elements.remove(rest, tag)
    remaining_properties = rest.find("nodeProperties")
    if remaining_properties is not None and not len(remaining_properties):
        rest.remove(remaining_properties)
    return document.serialize(rest) if len(rest) else None


def _drop_removals(values: Fields) -> Fields:
    return {name: value for name, value in values.items() if value is not None}
