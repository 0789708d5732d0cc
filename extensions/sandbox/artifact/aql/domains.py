# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The AQL domains: their fields, their tables and the links between them."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import cached_property

OWN_ID = "{t}.id"


class Kind(enum.Enum):
    """The type of a field's values."""

    TEXT = enum.auto()
    LONG = enum.auto()
    INTEGER = enum.auto()
    DATE = enum.auto()
    TYPE = enum.auto()
    VIRTUAL_REPOS = enum.auto()


@dataclass(frozen=True)
class Field:
    """A field of a domain.

    `column` is SQL with `{t}` for the alias of the domain's table. `is_default` fields are returned without
    `include`. `hidden` fields can be queried but are not returned. An object of another domain without returned
    fields is omitted unless it has a hidden field that `counts`.
    """

    name: str
    column: str
    kind: Kind = Kind.TEXT
    nullable: bool = True
    is_default: bool = False
    hidden: bool = False
    counts: bool = False


@dataclass(frozen=True)
class Link:
    """A link to another domain: its name and the join condition, with `{t}` for this table and `{o}` for the other."""

    domain: str
    condition: str


@dataclass(frozen=True, eq=False)
class Domain:
    """A domain. `prefix` precedes the names of its fields in responses.

    Rows that span domains are sorted by the `identity` of the first domain or, if that is `None`, by its fields.
    Adjacent rows with the same identity and fields are merged. For properties, `owner` is the column with the id of
    the owner. `member` is the name of the domain's objects within those of other domains, by default the name of the
    domain. The fields in `unique` identify a row of one owner.
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
        """The fields by name."""
        return {field.name: field for field in self.fields}


def _default_field(name: str, column: str = "", kind: Kind = Kind.TEXT, nullable: bool = True) -> Field:
    return Field(name, column or f"{{t}}.{name}", kind, nullable, is_default=True)


def _additional_field(name: str, column: str = "", kind: Kind = Kind.TEXT, nullable: bool = True) -> Field:
    return Field(name, column or f"{{t}}.{name}", kind, nullable)


def _id_field(name: str = "id", column: str = "{t}.id") -> Field:
    return Field(name, column, Kind.LONG, False, hidden=True)


def _property_domain(
    name: str, table: str, prefix: str, owner: str, back: str, value: str = "{t}.value", unique: tuple[str, ...] = ()
) -> Domain:
    fields = (
        _default_field("key", "{t}.name"),
        _default_field("value", value),
        _id_field(),
        _id_field(f"{owner}_id", f"{{t}}.{owner}"),
    )
    return Domain(name, table, prefix, fields, {owner: Link(back, f"{{o}}.id = {{t}}.{owner}")}, owner, unique=unique)


DATE, LONG, INTEGER = Kind.DATE, Kind.LONG, Kind.INTEGER

ITEMS = Domain(
    "items",
    "artifact_items",
    "",
    (
        _default_field("repo", nullable=False),
        _default_field("path", "{t}.aql_path", nullable=False),
        _default_field("name", "{t}.aql_name", nullable=False),
        _default_field("type", "{t}.folder", Kind.TYPE, nullable=False),
        _default_field("size", "CASE {t}.folder WHEN 1 THEN 0 ELSE {t}.size END", LONG),
        _default_field("created", "{t}.created", DATE, nullable=False),
        _default_field("created_by"),
        _default_field("modified", "{t}.modified", DATE, nullable=False),
        _default_field("modified_by"),
        _default_field("updated", "{t}.updated", DATE),
        _additional_field("depth", "{t}.depth", INTEGER, nullable=False),
        _additional_field("original_md5", "{t}.client_md5"),
        _additional_field("actual_md5", "{t}.md5"),
        _additional_field("original_sha1", "{t}.client_sha1"),
        _additional_field("actual_sha1", "{t}.sha1"),
        _additional_field("sha256"),
        _additional_field("virtual_repos", "{t}.repo", Kind.VIRTUAL_REPOS, nullable=False),
        _additional_field("repo_path_checksum", "repo_path_checksum({t}.repo, {t}.aql_path, {t}.aql_name)"),
        _id_field(),
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
        _default_field("downloads", kind=INTEGER),
        _default_field("downloaded", kind=DATE),
        _default_field("downloaded_by"),
        _additional_field("remote_downloads", kind=INTEGER),
        _additional_field("remote_downloaded", kind=DATE),
        _additional_field("remote_downloaded_by"),
        _additional_field("remote_origin"),
        _additional_field("remote_path"),
        _id_field("id", "{t}.item"),
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
        _default_field("name"),
        _default_field("path"),
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
        _default_field("url"),
        _default_field("name", nullable=False),
        _default_field("number", nullable=False),
        _default_field("started", kind=DATE, nullable=False),
        _default_field("created", kind=DATE, nullable=False),
        _default_field("created_by"),
        _default_field("modified", kind=DATE),
        _default_field("modified_by"),
        _id_field(),
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
        _default_field("created", kind=DATE, nullable=False),
        _default_field("created_by"),
        _default_field("status", nullable=False),
        _default_field("repo"),
        _default_field("comment"),
        _default_field("user", "{t}.ci_user"),
    ),
    {"build": Link("builds", "{o}.id = {t}.build")},
    identity="{t}.build",
)
MODULES = Domain(
    "modules",
    "artifact_build_modules",
    "module.",
    (_default_field("name", nullable=False), _id_field()),
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
    (
        _default_field("name", nullable=False),
        _default_field("type"),
        _additional_field("sha1"),
        _additional_field("md5"),
        _id_field(),
    ),
    {"item": Link("items", "{o}.sha1 = {t}.sha1"), "module": Link("modules", "{o}.id = {t}.module")},
)
DEPENDENCIES = Domain(
    "dependencies",
    "artifact_build_dependencies",
    "dependency.",
    (
        _default_field("name", nullable=False),
        _default_field("scope"),
        _default_field("type"),
        _additional_field("sha1"),
        _additional_field("md5"),
        _id_field(),
    ),
    {"item": Link("items", "{o}.sha1 = {t}.sha1"), "module": Link("modules", "{o}.id = {t}.module")},
)
# The sandbox has no release bundles.
RELEASES = Domain(
    "releases",
    "(SELECT NULL AS id, NULL AS name, NULL AS version, NULL AS status, NULL AS created, NULL AS signature,"
    " NULL AS type, NULL AS storing_repo WHERE 0)",
    "release.",
    (
        _default_field("id", kind=LONG, nullable=False),
        _default_field("name", nullable=False),
        _default_field("version", nullable=False),
        _default_field("status", nullable=False),
        _default_field("created", kind=DATE, nullable=False),
        _default_field("signature", nullable=False),
        _default_field("type", nullable=False),
        _default_field("storing_repo"),
    ),
    {"release_artifact": Link("release_artifacts", "{o}.bundle_id = {t}.id")},
    member="releaseBundles",
)
RELEASE_ARTIFACTS = Domain(
    "release_artifacts",
    "(SELECT NULL AS id, NULL AS item_id, NULL AS bundle_id, NULL AS path WHERE 0)",
    "release_artifact.",
    (
        _default_field("id", kind=LONG, nullable=False),
        _default_field("item_id", kind=LONG, nullable=False),
        _default_field("bundle_id", kind=LONG, nullable=False),
        _default_field("path", nullable=False),
    ),
    {"release": Link("releases", "{o}.id = {t}.bundle_id"), "item": Link("items", "{o}.id = {t}.item_id")},
    member="releaseBundleFiles",
)
# The server stores empty values of item properties as null, but not those of build properties.
PROPERTIES = _property_domain(
    "properties", "artifact_properties", "", "item", "items", "nullif({t}.value, '')", ("key", "value")
)
BUILD_PROPERTIES = _property_domain(
    "build.properties", "artifact_build_properties", "build.property.", "build", "builds"
)
MODULE_PROPERTIES = _property_domain(
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
