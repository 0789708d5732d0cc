# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""References from repositories and replications to the configuration, and the names that both must not share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .schema import SECTIONS, Keyed
from .values import ViolatesSchema

# Members of repositories with the names of objects, by section.
_MEMBERS = {
    "repoLayouts": ("repoLayoutRef", "remoteRepoLayoutRef"),
    "proxies": ("proxy",),
    "propertySets": ("propertySets",),
}


def list_ids(document: Mapping[str, Any]) -> set[str]:
    """Return the names in the sections whose names are unique in the whole configuration."""
    ids = {key for name, kind in SECTIONS.items() if _has_ids(kind) for key in document.get(name) or ()}
    return ids | set((document.get("security") or {}).get("ldapSettings") or ())


def check_repositories(
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    repositories: Mapping[str, Mapping[str, Any]],
    replications: Iterable[Mapping[str, Any]],
) -> None:
    """Fail if a change deletes something that is referred to, or adds an object with the name of a repository.

    :raises ViolatesSchema: because the names are identifiers of the XML document
    """
    for key in list_ids(after) - list_ids(before):
        if key in repositories:
            raise ViolatesSchema(key)
    for section, members in _MEMBERS.items():
        deleted = set(before.get(section) or ()) - set(after.get(section) or ())
        users = [fields.get(member) for fields in repositories.values() for member in members]
        if section == "proxies":
            users += [replication.get("proxy") for replication in replications]
        for value in users:
            if deleted.intersection(value if isinstance(value, list) else (value,)):
                raise ViolatesSchema(f"{section}.{value}")


def _has_ids(kind: Any) -> bool:
    return isinstance(kind, Keyed) and kind.is_id
