# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The domains of the query language, their fields and the ways from one to another, over the tables of `storage`."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cached_property

OWN_ID = "{t}.id"


class Kind(enum.Enum):
    """What a field holds."""

    TEXT = enum.auto()
    LONG = enum.auto()
    INTEGER = enum.auto()
    DATE = enum.auto()
    TYPE = enum.auto()
    VIRTUAL_REPOS = enum.auto()


@dataclass(frozen=True)
class Field:
    """A field of a domain.

    `column` is SQL, with `{t}` for the alias of the domain's table. `own` fields are those that the domain has in a
    result without `include`; `hidden` ones can be asked for, but no row shows them. A row of another domain in which
    nothing is shown is left out, unless it has a hidden field that `counts`.
    """

    name: str
    column: str
    kind: Kind = Kind.TEXT
    nullable: bool = True
    own: bool = False
    hidden: bool = False
    counts: bool = False


@dataclass(frozen=True)
class Link:
    """A way to another domain: its name, and how the tables join, with `{t}` here and `{o}` there."""

    domain: str
    condition: str


@dataclass(frozen=True, eq=False)
class Domain:
    """A domain: `prefix` stands before its fields in rows.

    Rows over several domains are sorted by the `identity` of the first, or by its fields where it has none; those next
    to each other that have the same one and look alike are one. `owner` is, of properties, the column that says whose
    they are; `member` what rows of other domains have it under, if not its name. No two rows
    of one owner have the same `unique` fields.
    """

    name: str
    table: str
    prefix: str
    fields: tuple[Field, ...]
    links: dict[str, Link]
    owner: str | None = None
    member: str = ""
    identity: str | None = OWN_ID
    unique: tuple[str, ...] = ()

    @cached_property
    def by_name(self) -> dict[str, Field]:
        """The fields by their names."""
        return {field.name: field for field in self.fields}


def _own(name: str, column: str = "", kind: Kind = Kind.TEXT, nullable: bool = True) -> Field:
    return Field(name, column or f"{{t}}.{name}", kind, nullable, own=True)


def _more(name: str, column: str = "", kind: Kind = Kind.TEXT, nullable: bool = True) -> Field:
    return Field(name, column or f"{{t}}.{name}", kind, nullable)


def _id(name: str = "id", column: str = "{t}.id") -> Field:
    return Field(name, column, Kind.LONG, False, hidden=True)


def _properties(
    name: str, table: str, prefix: str, owner: str, back: str, value: str = "{t}.value", unique: tuple[str, ...] = ()
) -> Domain:
    fields = (
        _own("key", "{t}.name"),
        _own("value", value),
        _id(),
        _id(f"{owner}_id", f"{{t}}.{owner}"),
    )
    return Domain(name, table, prefix, fields, {owner: Link(back, f"{{o}}.id = {{t}}.{owner}")}, owner, unique=unique)


DATE, LONG, INTEGER = Kind.DATE, Kind.LONG, Kind.INTEGER

ITEMS = Domain(
    "items",
    "artifact_items",
    "",
    (
        _own("repo", nullable=False),
        _own("path", "{t}.aql_path", nullable=False),
        _own("name", "{t}.aql_name", nullable=False),
        _own("type", "{t}.folder", Kind.TYPE, nullable=False),
        _own("size", "CASE {t}.folder WHEN 1 THEN 0 ELSE {t}.size END", LONG),
        _own("created", "{t}.created", DATE, nullable=False),
        _own("created_by"),
        _own("modified", "{t}.modified", DATE, nullable=False),
        _own("modified_by"),
        _own("updated", "{t}.updated", DATE),
        _more("depth", "{t}.depth", INTEGER, nullable=False),
        _more("original_md5", "{t}.client_md5"),
        _more("actual_md5", "{t}.md5"),
        _more("original_sha1", "{t}.client_sha1"),
        _more("actual_sha1", "{t}.sha1"),
        _more("sha256"),
        _more("virtual_repos", "{t}.repo", Kind.VIRTUAL_REPOS, nullable=False),
        _more("repo_path_checksum", "repo_path_checksum({t}.repo, {t}.aql_path, {t}.aql_name)"),
        _id(),
    ),
    {
        "property": Link("properties", "{o}.item = {t}.id"),
        "stat": Link("stats", "{o}.item = {t}.id"),
        "archive": Link("archives", "{o}.sha1 = {t}.sha1"),
        "artifact": Link("artifacts", "{o}.sha1 = {t}.sha1"),
        "dependency": Link("dependencies", "{o}.sha1 = {t}.sha1"),
        "release_artifact": Link("release_artifacts", "{o}.item_id = {t}.id"),
    },
    unique=("repo", "path", "name"),
)
STATS = Domain(
    "stats",
    "artifact_statistics",
    "",
    (
        _own("downloads", kind=INTEGER),
        _own("downloaded", kind=DATE),
        _own("downloaded_by"),
        _more("remote_downloads", kind=INTEGER),
        _more("remote_downloaded", kind=DATE),
        _more("remote_downloaded_by"),
        _more("remote_origin"),
        _more("remote_path"),
        _id("id", "{t}.item"),
        Field("remote_id", "CASE WHEN {t}.remote_downloads > 0 THEN {t}.item END", LONG, hidden=True),
    ),
    {"item": Link("items", "{o}.id = {t}.item")},
    identity="{t}.item",
    unique=("remote_origin", "remote_path"),
)
ARCHIVES = Domain(
    "archives",
    "artifact_archives",
    "archive.",
    (),
    {"item": Link("items", "{o}.sha1 = {t}.sha1"), "entry": Link("archive.entries", "{o}.sha1 = {t}.sha1")},
)
ENTRIES = Domain(
    "archive.entries",
    "artifact_archive_entries",
    "entry.",
    (
        _own("name"),
        _own("path"),
        Field("path_id", "{t}.path", Kind.LONG, hidden=True, counts=True),
        Field("name_id", "{t}.name", Kind.LONG, hidden=True),
    ),
    {"archive": Link("archives", "{o}.sha1 = {t}.sha1")},
    member="entries",
    identity=None,
)
BUILDS = Domain(
    "builds",
    "artifact_builds",
    "build.",
    (
        _own("url"),
        _own("name", nullable=False),
        _own("number", nullable=False),
        _own("started", kind=DATE, nullable=False),
        _own("created", kind=DATE, nullable=False),
        _own("created_by"),
        _own("modified", kind=DATE),
        _own("modified_by"),
        _id(),
    ),
    {
        "module": Link("modules", "{o}.build = {t}.id"),
        "property": Link("build.properties", "{o}.build = {t}.id"),
        "promotion": Link("build.promotions", "{o}.build = {t}.id"),
    },
)
PROMOTIONS = Domain(
    "build.promotions",
    "artifact_build_promotions",
    "build.promotion.",
    (
        _own("created", kind=DATE, nullable=False),
        _own("created_by"),
        _own("status", nullable=False),
        _own("repo"),
        _own("comment"),
        _own("user", "{t}.ci_user"),
    ),
    {"build": Link("builds", "{o}.id = {t}.build")},
    identity="{t}.build",
)
MODULES = Domain(
    "modules",
    "artifact_build_modules",
    "module.",
    (_own("name", nullable=False), _id()),
    {
        "artifact": Link("artifacts", "{o}.module = {t}.id"),
        "dependency": Link("dependencies", "{o}.module = {t}.id"),
        "build": Link("builds", "{o}.id = {t}.build"),
        "property": Link("module.properties", "{o}.module = {t}.id"),
    },
)
ARTIFACTS = Domain(
    "artifacts",
    "artifact_build_artifacts",
    "artifact.",
    (_own("name", nullable=False), _own("type"), _more("sha1"), _more("md5"), _id()),
    {"item": Link("items", "{o}.sha1 = {t}.sha1"), "module": Link("modules", "{o}.id = {t}.module")},
)
DEPENDENCIES = Domain(
    "dependencies",
    "artifact_build_dependencies",
    "dependency.",
    (_own("name", nullable=False), _own("scope"), _own("type"), _more("sha1"), _more("md5"), _id()),
    {"item": Link("items", "{o}.sha1 = {t}.sha1"), "module": Link("modules", "{o}.id = {t}.module")},
)
# The sandbox has no release bundles
RELEASES = Domain(
    "releases",
    "(SELECT NULL AS id, NULL AS name, NULL AS version, NULL AS status, NULL AS created, NULL AS signature,"
    " NULL AS type, NULL AS storing_repo WHERE 0)",
    "release.",
    (
        _own("id", kind=LONG, nullable=False),
        _own("name", nullable=False),
        _own("version", nullable=False),
        _own("status", nullable=False),
        _own("created", kind=DATE, nullable=False),
        _own("signature", nullable=False),
        _own("type", nullable=False),
        _own("storing_repo"),
    ),
    {"release_artifact": Link("release_artifacts", "{o}.bundle_id = {t}.id")},
    member="releaseBundles",
)
RELEASE_ARTIFACTS = Domain(
    "release_artifacts",
    "(SELECT NULL AS id, NULL AS item_id, NULL AS bundle_id, NULL AS path WHERE 0)",
    "release_artifact.",
    (
        _own("id", kind=LONG, nullable=False),
        _own("item_id", kind=LONG, nullable=False),
        _own("bundle_id", kind=LONG, nullable=False),
        _own("path", nullable=False),
    ),
    {"release": Link("releases", "{o}.id = {t}.bundle_id"), "item": Link("items", "{o}.id = {t}.item_id")},
    member="releaseBundleFiles",
)
# The server keeps an empty property of an item as null, one of a build as it is
PROPERTIES = _properties(
    "properties", "artifact_properties", "", "item", "items", "nullif({t}.value, '')", ("key", "value")
)
BUILD_PROPERTIES = _properties("build.properties", "artifact_build_properties", "build.property.", "build", "builds")
MODULE_PROPERTIES = _properties(
    "module.properties", "artifact_module_properties", "module.property.", "module", "modules"
)

DOMAINS = {
    domain.name: domain
    for domain in (
        ITEMS,
        PROPERTIES,
        STATS,
        ARCHIVES,
        ENTRIES,
        BUILDS,
        PROMOTIONS,
        BUILD_PROPERTIES,
        MODULES,
        MODULE_PROPERTIES,
        ARTIFACTS,
        DEPENDENCIES,
        RELEASES,
        RELEASE_ARTIFACTS,
    )
}
