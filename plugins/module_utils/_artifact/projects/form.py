# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options of a project, and the form in which its parts are compared.

A part of a project, such as its roles, is a dictionary by name. `None` stands for an entry to remove.
"""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import numeric
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects.environments import BUILT_IN
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, sort_unique

DEFAULT_PROJECT = "default"
ADMIN_ROLE = "Project Admin"
PREDEFINED_ROLES = (
    ADMIN_ROLE,
    "Application Admin",
    "Contributor",
    "Developer",
    "Release Manager",
    "Security Manager",
    "Viewer",
)
PRIVILEGES = ("manage_members", "manage_resources", "manage_remote_repository", "index_resources")
SETTINGS = ("display_name", "description", "soft_limit", "storage_quota_email_notification")
SCALARS = (*SETTINGS, "storage_quota", "admin_privileges")
PARTS = ("environments", "roles", "members", "repositories", "shared_repositories")
UNLIMITED = "unlimited"
NEW_ROLE: Fields = {"description": "", "environments": [], "actions": []}
_UNLIMITED_BYTES = -1
_MIN_QUOTA, _MAX_QUOTA = 1024**3, 2**63 - 1
_UNITS = ("PB", "TB", "GB", "MB", "KB")
_MAX_ENVIRONMENT = 32


def parse_options(params: Fields) -> Fields:
    """Return the declared settings and parts.

    :raises BadOption: if an option is invalid
    """
    declared: Fields = {name: params[name] for name in SETTINGS if params[name] is not None}
    if params["storage_quota"] is not None:
        declared["storage_quota"] = format_quota(parse_quota(params["storage_quota"]))
    if params["admin_privileges"] is not None:
        declared["admin_privileges"] = {
            name: value for name, value in params["admin_privileges"].items() if value is not None
        }
    parsers = {
        "environments": lambda names: _parse_environments(params["key"], names),
        "roles": _parse_roles,
        "members": _parse_members,
        "repositories": lambda keys: dict.fromkeys(keys, True),
        "shared_repositories": _parse_shared,
    }
    for part, parse in parsers.items():
        if params[part] is not None:
            declared[part] = parse(params[part])
    both = sorted({*declared.get("repositories", ())} & {*declared.get("shared_repositories", ())})
    if both:
        raise BadOption("shared_repositories", f"'{both[0]}' is also in 'repositories'")
    return declared


def parse_quota(text: str) -> int:
    """Return the bytes of a storage quota, -1 for `unlimited`.

    :raises BadOption: if the server does not support the size
    """
    if text == UNLIMITED:
        return _UNLIMITED_BYTES
    size = numeric.parse_size(text) or 0
    if not _MIN_QUOTA <= size <= _MAX_QUOTA:
        raise BadOption("storage_quota", "must be at least 1 GB and less than 8192 PB")
    return size


def format_quota(size: int) -> str:
    """Return a storage quota in the largest unit that it is a multiple of."""
    if size < 0:
        return UNLIMITED
    for power, unit in zip(range(len(_UNITS), 0, -1), _UNITS):
        if size and size % 1024**power == 0:
            return f"{size // 1024**power} {unit}"
    return f"{size} B"


def to_result(key: str, project: Fields) -> Fields:
    """Return a project in the form of the options. Parts that were not read are null."""
    result: Fields = {"key": key, **{name: project.get(name) for name in SCALARS}}
    environments, repositories = project.get("environments"), project.get("repositories")
    roles, members, shared = (project.get(part) for part in ("roles", "members", "shared_repositories"))
    return {
        **result,
        "environments": None if environments is None else sorted(environments),
        "roles": None if roles is None else [{"name": name, **roles[name]} for name in sorted(roles)],
        "members": None if members is None else [to_member(name, members[name]) for name in sorted(members)],
        "repositories": None if repositories is None else sorted(repositories),
        "shared_repositories": None if shared is None else [{"key": name, **shared[name]} for name in sorted(shared)],
    }


def select_present(entries: Fields) -> Fields:
    """Return the entries of a part that are not to be removed."""
    return {name: value for name, value in entries.items() if value is not None}


def to_member(key: str, roles: list[str]) -> Fields:
    """Return a member in the form of the option. The key is `users/NAME` or `groups/NAME`."""
    kind, _slash, name = key.partition("/")
    return {kind.removesuffix("s"): name, "roles": roles}


def _parse_environments(key: str, names: list[str]) -> Fields:
    """Return environments by their full name, which begins with the key of the project."""
    environments: Fields = {}
    for name in names:
        if name in BUILT_IN:
            raise BadOption("environments", f"'{name}' is a global environment, which all projects have. Remove it")
        full_name = name if name.startswith(f"{key}-") else f"{key}-{name}"
        if len(full_name) > _MAX_ENVIRONMENT:
            raise BadOption("environments", f"'{full_name}' has more than {_MAX_ENVIRONMENT} characters")
        environments[full_name] = True
    return environments


def _parse_roles(items: list[Fields]) -> Fields:
    roles: Fields = {}
    for item in items:
        name = item["name"]
        if name is None:
            raise BadOption("roles", "needs 'name' in each entry")
        if name in PREDEFINED_ROLES:
            raise BadOption("roles", f"'{name}' is a predefined role, which cannot be changed. Choose another name")
        if name in roles:
            raise BadOption("roles", f"must contain '{name}' once")
        roles[name] = {} if item["description"] is None else {"description": item["description"]}
        roles[name].update({part: sort_unique(item[part]) for part in ("environments", "actions") if item[part]})
        roles[name].update({part: [] for part in ("environments", "actions") if item[part] == []})
    return roles


def _parse_members(items: list[Fields]) -> Fields:
    members: Fields = {}
    for item in items:
        if (item["user"] is None) == (item["group"] is None):
            raise BadOption("members", "needs either 'user' or 'group' in each entry")
        if item["roles"] is None:
            raise BadOption("members", "needs 'roles' in each entry")
        name = f"users/{item['user'].lower()}" if item["user"] is not None else f"groups/{item['group']}"
        if name.lower() in map(str.lower, members):
            raise BadOption("members", f"must contain '{name.partition('/')[2]}' once")
        members[name] = sort_unique(item["roles"])
    return members


def _parse_shared(items: list[Fields]) -> Fields:
    shared: Fields = {}
    for item in items:
        if item["key"] is None:
            raise BadOption("shared_repositories", "needs 'key' in each entry")
        if item["key"] in shared:
            raise BadOption("shared_repositories", f"must contain '{item['key']}' once")
        fields: Fields | None = {} if item["read_only"] is None else {"read_only": item["read_only"]}
        shared[item["key"]] = None if item["state"] == "absent" else fields
    return shared
