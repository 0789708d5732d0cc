# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Accept header of a request and the resources of the server agree on."""

from __future__ import annotations

import functools
from typing import NamedTuple

from starlette.requests import Request

VND = "application/vnd.org.jfrog.artifactory."
VND_OF_BUILDS = "application/vnd.org.jfrog."
JSON = "application/json"
TEXT = "text/plain"
XML = "application/xml"


class Accepted(NamedTuple):
    """A media type of an Accept header; `shown` has its parameters, too."""

    kind: str
    subtype: str
    shown: str

    def takes(self, produced: str) -> bool:
        """Return whether a produced media type is one of these."""
        kind, _slash, subtype = produced.lower().partition("/")
        return self.kind in ("*", kind) and self.subtype in ("*", subtype)


def vendor_media_type(kind: str) -> str:
    """Return the vendor's JSON type with this name."""
    return f"{VND_OF_BUILDS if kind.startswith('build.') else VND}{kind}+json"


def _vendors(kinds: str) -> tuple[str, ...]:
    return (*map(vendor_media_type, kinds.split()), JSON)


OF_ITEMS = (
    JSON,
    XML,
    *_vendors(
        "storage.FolderInfo storage.FileInfo storage.ItemProperties storage.FileList storage.ItemLastModified"
        " storage.ItemPermissions storage.StatsInfo"
    )[:-1],
)
# The answers about items whose types are checked once more, by the resource itself
CHECKED = ("FolderInfo", "FileInfo", "ItemProperties", "ItemPermissions", "StatsInfo")
OF_CONFIGURATIONS = _vendors(
    "repositories.LocalRepositoryConfiguration repositories.RemoteRepositoryConfiguration"
    " repositories.VirtualRepositoryConfiguration"
)
OF_ACCOUNTS = _vendors("security.Users security.Groups security.PermissionTargets")
OF_ACCOUNT = _vendors("security.User security.Group security.PermissionTarget")
# What each call produces, by its label, in the server's order; the other calls do not look at the header.
PRODUCED: dict[str, tuple[str, ...]] = {
    "archive_search": _vendors("search.ArchiveEntrySearchResult"),
    "bad_checksum_search": _vendors("search.BadChecksumSearchResult"),
    "build": _vendors("build.BuildInfo build.BuildsDiff"),
    "build_artifacts_search": _vendors("search.BuildArtifactsSearchResult"),
    "build_names": _vendors("build.Builds"),
    "build_runs": _vendors("build.BuildsByName"),
    "central_configuration": (XML,),
    "checksum_search": _vendors("search.ChecksumSearchResult"),
    "copy_item": _vendors("storage.CopyOrMoveResult"),
    "create_repository": (TEXT,),
    "creation_search": _vendors("search.CreatedInRangeResult"),
    "dates_search": _vendors("search.ArtifactResult"),
    "delete_repository": (TEXT,),
    "gavc_search": _vendors("search.GavcSearchResult"),
    "get_properties": OF_ITEMS,
    "group_detail": OF_ACCOUNT,
    "item_info": OF_ITEMS,
    "item_storage": OF_ITEMS,
    "last_modified": OF_ITEMS,
    "latest_version_search": (TEXT,),
    "list_files": OF_ITEMS,
    "list_groups": OF_ACCOUNTS,
    "list_permission_targets": OF_ACCOUNTS,
    "list_repositories": _vendors("repositories.RepositoryDetailsList"),
    "list_users": OF_ACCOUNTS,
    "locked_users": (JSON,),
    "move_item": _vendors("storage.CopyOrMoveResult"),
    "pattern_artifacts": _vendors("build.BuildPatternArtifactsResult"),
    "pattern_search": _vendors("search.PatternResultFileSet"),
    "permission_target_detail": OF_ACCOUNT,
    "permissions": OF_ITEMS,
    "ping": (TEXT,),
    "promote_build": (f"{VND}build.PromotionResult+json", JSON),
    "properties_in_xml": OF_ITEMS,
    "property_search": _vendors("search.MetadataSearchResult"),
    "publish_build": (JSON,),
    "query": (JSON, TEXT),
    "quick_search": _vendors("search.ArtifactSearchResult"),
    "repository_detail": OF_CONFIGURATIONS,
    "retain_builds": (JSON,),
    "service_id": (TEXT,),
    "statistics": OF_ITEMS,
    "status": (JSON,),
    "storage_summary": (JSON,),
    "update_repository": (TEXT,),
    "usage_search": _vendors("search.ArtifactUsageResult"),
    "user_detail": OF_ACCOUNT,
    "version": _vendors("system.Version"),
    "versions_search": _vendors("search.ArtifactVersionsResult"),
}


def join_accept(request: Request) -> str:
    """Return the Accept headers of a request as one."""
    return ", ".join(request.headers.getlist("accept"))


@functools.lru_cache(maxsize=256)
def parse_accept(header: str) -> tuple[Accepted, ...]:
    """Return the media types of an Accept header, the most wanted first; those with q=0 are refused."""
    found: list[tuple[float, Accepted]] = []
    for part in filter(str.strip, header.split(",")):
        media_type, *parameters = (piece.strip() for piece in part.split(";"))
        kind, _slash, subtype = media_type.lower().partition("/")
        quality = next((_number(text[2:]) for text in parameters if text.startswith("q=")), 1.0)
        if quality:
            found.append((-quality, Accepted(kind, subtype or "*", "; ".join((media_type, *parameters)))))
    return tuple(one for _rank, one in sorted(found, key=lambda entry: entry[0]))


@functools.lru_cache(maxsize=1024)
def negotiate(header: str, produced: tuple[str, ...]) -> str | None:
    """Return the media type in which a call answers, or None when the client takes none of those it produces."""
    if not header.strip():
        return produced[0]
    return next((one for wanted in parse_accept(header) for one in produced if wanted.takes(one)), None)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 1.0
