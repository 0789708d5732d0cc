# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The form of permissions that all versions of Artifactory share.

A permission is a dictionary of resources by option, such as `repositories`. A resource is
`{targets: {name: patterns}, users: {name: [action]}, groups: {name: [action]}}`, where patterns are
`{include_patterns: [], exclude_patterns: []}`. All lists are sorted.
"""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, sort_unique

# Resource types of the Access API by option
TYPES = {
    "repositories": "artifact",
    "builds": "build",
    "release_bundles": "release_bundle",
    "destinations": "destination",
    "pipeline_sources": "pipeline_source",
}
ACTIONS = ("read", "annotate", "write", "delete", "manage", "scan", "execute", "distribute")
# Names of actions in older APIs and in their templates
_OLD_ACTIONS = {
    "managedxraymeta": "scan",
    "deploy": "write",
    "overwrite": "delete",
    "r": "read",
    "n": "annotate",
    "w": "write",
    "d": "delete",
    "m": "manage",
    "mxm": "scan",
}
PRINCIPALS = ("users", "groups")
ALL_PATHS: Fields = {"include_patterns": ["**"], "exclude_patterns": []}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# Names that stand for all repositories of some classes, and further classes that they may stand for
WILDCARDS = {
    "ANY LOCAL": (("LOCAL",), ("FEDERATED",)),
    "ANY REMOTE": (("REMOTE",), ()),
    "ANY DISTRIBUTION": (("DISTRIBUTION",), ("RELEASEBUNDLE", "RELEASEBUNDLES")),
    "ANY": (("LOCAL", "REMOTE"), ("FEDERATED", "DISTRIBUTION", "RELEASEBUNDLE", "RELEASEBUNDLES")),
}


def parse_options(params: Fields) -> Fields:
    """Return the declared resources by option. Members of a resource that are not declared are missing.

    A user or group without actions has an empty list.

    :raises BadOption: if a name, pattern or action is invalid
    """
    return {option: _parse_resource(option, params[option]) for option in TYPES if params[option] is not None}


def apply(current: Fields, changes: Fields) -> Fields:
    """Return the resources after changes, where `None` removes a member."""
    resources = dict(current)
    for option, change in changes.items():
        if change is None:
            resources.pop(option, None)
            continue
        before = current.get(option) or {}
        resources[option] = {
            member: _merge(before.get(member) or {}, change.get(member) or {}) for member in ("targets", *PRINCIPALS)
        }
    return resources


def to_resource(targets: Fields, users: Fields, groups: Fields) -> Fields:
    """Return a resource in the form of this module. Users and groups without actions are left out."""
    return {
        "targets": {
            name: {member: sort_unique(filter(None, patterns[member])) for member in ALL_PATHS}
            for name, patterns in targets.items()
        },
        "users": {name.lower(): sort_unique(actions) for name, actions in users.items() if actions},
        "groups": {name: sort_unique(actions) for name, actions in groups.items() if actions},
    }


def to_result(name: str, resources: Fields) -> Fields:
    """Return a permission as the module returns it, with the resources that it has."""
    return {"name": name, **{option: _complete(resources[option]) for option in TYPES if resources.get(option)}}


def _complete(resource: Fields) -> Fields:
    return {
        member: {key: value for key, value in sorted((resource.get(member) or {}).items()) if value is not None}
        for member in ("targets", *PRINCIPALS)
    }


def _merge(before: Fields, changes: Fields) -> Fields:
    """Return users, groups or targets after changes. A change of a target can lack patterns that do not change."""
    merged = dict(before)
    for name, value in changes.items():
        merged[name] = {**before.get(name, {}), **value} if isinstance(value, dict) else value
    return {name: value for name, value in merged.items() if value}


def _parse_resource(option: str, resource: Fields) -> Fields:
    parsed: Fields = {}
    targets = resource["targets"]
    if targets is not None:
        if not targets:
            raise BadOption(f"{option}.targets", "must not be empty. To remove the type, omit it and set 'purge: true'")
        parsed["targets"] = {
            _check_name(f"{option}.targets", name): _parse_patterns(f"{option}.targets.{name}", value)
            for name, value in targets.items()
        }
        if option == "builds" and len(targets) > 1:
            raise BadOption("builds.targets", "must contain only one repository of builds")
    for kind in PRINCIPALS:
        if resource[kind] is not None:
            parsed[kind] = _parse_principals(f"{option}.{kind}", kind, resource[kind])
    return parsed


def _parse_principals(option: str, kind: str, principals: Fields) -> Fields:
    parsed: Fields = {}
    for name, actions in principals.items():
        key = _check_name(option, name).lower() if kind == "users" else _check_name(option, name)
        if key in parsed:
            raise BadOption(option, f"must not contain user '{name}' twice. Upper and lower case do not differ")
        values = [action.lower() for action in _to_list(f"{option}.{name}", actions)]
        for action in values:
            if action not in ACTIONS:
                raise BadOption(f"{option}.{name}", f"'{action}' is not an action. {_suggest_action(action)}")
        parsed[key] = sort_unique(values)
    return parsed


def find_wildcard(key: str) -> str | None:
    """Return the name for all repositories of a class that a key resembles, such as `ANY REMOTE` for `ANY_REMOTE`."""
    wildcard = re.sub(r"[\s_-]+", " ", key.upper()).replace("ALL", "ANY")
    return wildcard if wildcard in WILDCARDS else None


def _suggest_action(action: str) -> str:
    """Return the action with another name in older APIs of Artifactory, or else all actions."""
    return f"Use {_OLD_ACTIONS[action]}" if action in _OLD_ACTIONS else f"Use {', '.join(ACTIONS)}"


def _parse_patterns(option: str, value: t.Any) -> Fields:
    if not isinstance(value, dict) or value.keys() - ALL_PATHS.keys():
        raise BadOption(option, "must be a dictionary with include_patterns and exclude_patterns, or {} for all paths")
    patterns = dict(ALL_PATHS)
    for member, texts in value.items():
        if texts is None:
            raise BadOption(f"{option}.{member}", "must not be null. Omit it for the default")
        patterns[member] = sort_unique(_to_list(f"{option}.{member}", texts))
        for pattern in patterns[member]:
            if not pattern.strip() or "," in pattern or _CONTROL.search(pattern):
                raise BadOption(
                    f"{option}.{member}", f"'{pattern}' is not a pattern. List several patterns as elements"
                )
    if not patterns["include_patterns"]:
        raise BadOption(f"{option}.include_patterns", "must not be empty. Omit it to include all paths")
    return patterns


def _to_list(option: str, value: t.Any) -> list[str]:
    """Return a list of texts.

    :raises BadOption: if the value is not a list of texts
    """
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise BadOption(option, "must be a list of strings")
    return value


def _check_name(option: str, name: t.Any) -> str:
    if not isinstance(name, str) or not name or name != name.strip() or _CONTROL.search(name):
        raise BadOption(option, f"'{name}' is not a name. Put names in quotes that YAML does not read as strings")
    return name
