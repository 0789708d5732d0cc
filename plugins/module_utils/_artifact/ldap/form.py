# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The form in which LDAP settings are compared, and its conversion from options, from responses and to requests.

The fields of a setting have the names of the options. `groups` is a dictionary by name. Its values have the names of
the suboptions, and `ldap`, the key of the LDAP setting to which the group setting belongs.
"""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

PASSWORD = "manager_password"
STRATEGIES = ("static", "dynamic", "hierarchical")
HIERARCHICAL = "hierarchical"
# Options that a new group setting requires
REQUIRED_OF_GROUP = ("name_attribute", "member_attribute", "filter", "description_attribute")
# Options and members of the API with the same name, with the defaults of the server
_SCALARS: Fields = {
    "ldap_url": "",
    "enabled": True,
    "user_dn_pattern": "",
    "auto_create_user": True,
    "email_attribute": "mail",
    "ldap_poisoning_protection": True,
    "allow_user_to_access_profile": False,
    "paging_support_enabled": True,
}
_SEARCH: Fields = {"search_filter": "", "search_base": "", "search_sub_tree": True, "manager_dn": ""}
NEW_SETTING: Fields = {**_SCALARS, **_SEARCH}
# Options that only matter with a search filter, except for `search_sub_tree`
SEARCH_TEXTS = ("search_base", "manager_dn")
# Members of a group setting and their defaults, by option
_GROUP_MEMBERS: dict[str, tuple[str, t.Any]] = {
    "ldap": ("enabled_ldap", ""),
    "base_dn": ("group_base_dn", ""),
    "name_attribute": ("group_name_attribute", ""),
    "member_attribute": ("group_member_attribute", ""),
    "sub_tree": ("sub_tree", True),
    "force_attribute_search": ("force_attribute_search", False),
    "filter": ("filter", ""),
    "description_attribute": ("description_attribute", ""),
    "strategy": ("strategy", "static"),
}
NEW_GROUP: Fields = {option: default for option, (_member, default) in _GROUP_MEMBERS.items()}


def parse_options(params: Fields) -> Fields:
    """Return the fields that the options declare.

    :raises BadOption: if an option is invalid, or contradicts another one
    """
    fields: Fields = {name: params[name] for name in (*NEW_SETTING, PASSWORD) if params[name] is not None}
    if fields.get("search_filter") == "":
        for option in (*SEARCH_TEXTS, PASSWORD):
            if fields.get(option):
                raise BadOption(option, "requires 'search_filter'")
        if fields.get("user_dn_pattern") == "":
            raise BadOption("user_dn_pattern", "must not be empty without 'search_filter'")
    if fields.get("manager_dn") == "" and fields.get(PASSWORD):
        raise BadOption(PASSWORD, "requires 'manager_dn'")
    if params["groups"] is not None:
        fields["groups"] = _parse_groups(params["key"], params["groups"])
    return fields


def read_setting(task: Task, record: Record) -> Fields:
    """Return the fields of an LDAP setting in a response, without groups and without the password."""
    record.text("ldap_url")  # a response of another server has none
    fields = {**NEW_SETTING, **_read_members(record, _SCALARS)}
    if search := record.maybe_record("search"):
        task.register_secret(search.maybe_text(PASSWORD) or "")
        fields.update(_read_members(search, _SEARCH))
    return fields


def read_group(record: Record) -> Fields:
    """Return the fields of a group setting in a response."""
    members = _read_members(record, dict(_GROUP_MEMBERS.values()))
    fields = {option: members[member] for option, (member, _default) in _GROUP_MEMBERS.items()}
    return {**fields, "strategy": fields["strategy"].lower()}


def to_result(key: str, fields: Fields) -> Fields:
    """Return a setting in the form of the options, without the password."""
    result: Fields = {"key": key, **{name: fields[name] for name in NEW_SETTING}}
    if "groups" in fields:
        result["groups"] = _list_groups(key, fields["groups"])
    return result


def describe(task: Task, key: str, record: Record, groups: Fields) -> Fields:
    """Return a setting in a response in the form of the options, with its group settings and without the password.

    :arg groups: all group settings of the server
    """
    return to_result(key, {**read_setting(task, record), "groups": groups})


def to_body(key: str, fields: Fields, password: str | None, stored: Record | None) -> Fields:
    """Return the body of a request for a setting. Members of the API that have no option keep their value.

    :arg fields: all fields of the setting after the change
    """
    search: Fields = dict((stored and stored.get("search")) or {})
    # an empty search block has null values
    search.update({name: fields[name] if isinstance(fields[name], bool) else fields[name] or None for name in _SEARCH})
    search[PASSWORD] = password
    return {**(stored or {}), "key": key, **{name: fields[name] for name in _SCALARS}, "search": search}


def to_group_body(name: str, fields: Fields, stored: Record | None) -> Fields:
    """Return the body of a request for a group setting. Members of the API that have no option keep their value.

    :arg fields: all fields of the group setting after the change
    """
    members = {member: fields[option] for option, (member, _default) in _GROUP_MEMBERS.items()}
    return {**(stored or {}), "name": name, **members, "strategy": fields["strategy"].upper()}


def _list_groups(key: str, groups: Fields) -> list[Fields]:
    """Return the group settings of an LDAP setting in the form of the option, sorted by name."""
    options = [option for option in _GROUP_MEMBERS if option != "ldap"]
    return [
        {"name": name, **{option: group[option] for option in options}}
        for name, group in sorted(groups.items())
        if group["ldap"] == key
    ]


def _parse_groups(key: str, groups: list[Fields]) -> Fields:
    parsed: Fields = {}
    for index, group in enumerate(groups):
        name = group["name"]
        if not name:
            raise BadOption(f"groups[{index}].name", "is required")
        if name in parsed:
            raise BadOption(f"groups[{index}].name", f"'{name}' is listed twice")
        declared = {option: value for option, value in group.items() if option != "name" and value is not None}
        if declared.get("strategy") == HIERARCHICAL:
            if declared.get("sub_tree"):
                raise BadOption(f"groups[{index}].sub_tree", f"must be false with the strategy '{HIERARCHICAL}'")
            declared["sub_tree"] = False
        parsed[name] = {**declared, "ldap": key}
    return parsed


def _read_members(record: Record, defaults: Fields) -> Fields:
    return {name: _read_member(record, name, default) for name, default in defaults.items()}


def _read_member(record: Record, name: str, default: bool | str) -> bool | str:
    """Return a member with the type of its default. A text that is null is empty."""
    if record.get(name) is None:
        return "" if isinstance(default, str) and name in record else default
    value: bool | str = record.scalar(name, default)
    return value
