# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Content negotiation: the Accept header and the media types that calls produce."""

from __future__ import annotations

import functools
from typing import NamedTuple

from starlette.requests import Request

JFROG_PREFIX = "application/vnd.org.jfrog.artifactory."
JFROG_BUILD_PREFIX = "application/vnd.org.jfrog."
JSON = "application/json"
TEXT = "text/plain"
XML = "application/xml"


class AcceptedType(NamedTuple):
    """A media type of an Accept header; `text` includes the parameters."""

    kind: str
    subtype: str
    text: str

    def accepts(self, produced: str) -> bool:
        """Return whether a produced media type matches."""
        kind, _slash, subtype = produced.lower().partition("/")
        return self.kind in ("*", kind) and self.subtype in ("*", subtype)


def vendor_media_type(kind: str) -> str:
    """Return the JFrog JSON media type with this name."""
    return f"{JFROG_BUILD_PREFIX if kind.startswith('build.') else JFROG_PREFIX}{kind}+json"


def _vendor_types(kinds: str) -> tuple[str, ...]:
    return (*map(vendor_media_type, kinds.split()), JSON)


ITEM_TYPES = (
    JSON,
    XML,
    *_vendor_types(
        "storage.FolderInfo storage.FileInfo storage.ItemProperties storage.FileList storage.ItemLastModified"
        " storage.ItemPermissions storage.StatsInfo"
    )[:-1],
)
# Item responses whose media type the resource checks again.
CHECKED_ITEM_TYPES = ("FolderInfo", "FileInfo", "ItemProperties", "ItemPermissions", "StatsInfo")
CONFIGURATION_TYPES = _vendor_types(
    "repositories.LocalRepositoryConfiguration repositories.RemoteRepositoryConfiguration"
    " repositories.VirtualRepositoryConfiguration repositories.FederatedRepositoryConfiguration"
)
ACCOUNT_LIST_TYPES = _vendor_types("security.Users security.Groups security.PermissionTargets")
ACCOUNT_TYPES = _vendor_types("security.User security.Group security.PermissionTarget")
# Produced media types by the label of the call, in the server's order. Other calls ignore the header.
PRODUCED_TYPES: dict[str, tuple[str, ...]] = {
    "archive_search": _vendor_types("search.ArchiveEntrySearchResult"),
    "bad_checksum_search": _vendor_types("search.BadChecksumSearchResult"),
    "build": _vendor_types("build.BuildInfo build.BuildsDiff"),
    "build_artifacts_search": _vendor_types("search.BuildArtifactsSearchResult"),
    "build_names": _vendor_types("build.Builds"),
    "build_runs": _vendor_types("build.BuildsByName"),
    "central_configuration": (XML,),
    "checksum_search": _vendor_types("search.ChecksumSearchResult"),
    "copy_item": _vendor_types("storage.CopyOrMoveResult"),
    "create_repository": (TEXT,),
    "creation_search": _vendor_types("search.CreatedInRangeResult"),
    "dates_search": _vendor_types("search.ArtifactResult"),
    "delete_repository": (TEXT, JSON),  # JSON in newer versions
    "gavc_search": _vendor_types("search.GavcSearchResult"),
    "get_properties": ITEM_TYPES,
    "group_detail": ACCOUNT_TYPES,
    "item_info": ITEM_TYPES,
    "item_storage": ITEM_TYPES,
    "last_modified": ITEM_TYPES,
    "latest_version_search": (TEXT,),
    "list_files": ITEM_TYPES,
    "list_groups": ACCOUNT_LIST_TYPES,
    "list_permission_targets": ACCOUNT_LIST_TYPES,
    "list_repositories": _vendor_types("repositories.RepositoryDetailsList"),
    "list_users": ACCOUNT_LIST_TYPES,
    "locked_users": (JSON,),
    "move_item": _vendor_types("storage.CopyOrMoveResult"),
    "merge_configuration": (TEXT,),
    "pattern_artifacts": _vendor_types("build.BuildPatternArtifactsResult"),
    "pattern_search": _vendor_types("search.PatternResultFileSet"),
    "permission_target_detail": ACCOUNT_TYPES,
    "permissions": ITEM_TYPES,
    "ping": (TEXT,),
    "promote_build": (f"{JFROG_PREFIX}build.PromotionResult+json", JSON),
    "properties_in_xml": ITEM_TYPES,
    "property_search": _vendor_types("search.MetadataSearchResult"),
    "publish_build": (JSON,),
    "query": (JSON, TEXT),
    "quick_search": _vendor_types("search.ArtifactSearchResult"),
    "replace_configuration": (TEXT,),
    "repository_detail": CONFIGURATION_TYPES,
    "retain_builds": (JSON,),
    "service_id": (TEXT,),
    "statistics": ITEM_TYPES,
    "status": (JSON,),
    "storage_summary": (JSON,),
    "update_repository": (TEXT,),
    "usage_search": _vendor_types("search.ArtifactUsageResult"),
    "user_detail": ACCOUNT_TYPES,
    "version": _vendor_types("system.Version"),
    "versions_search": _vendor_types("search.ArtifactVersionsResult"),
}


def join_accept(request: Request) -> str:
    """Return all Accept headers of a request as one."""
    return ", ".join(request.headers.getlist("accept"))


@functools.lru_cache(maxsize=256)
def parse_accept(header: str) -> tuple[AcceptedType, ...]:
    """Return the media types of an Accept header by preference, without those with q=0."""
    ranked: list[tuple[float, AcceptedType]] = []
    for element in filter(str.strip, header.split(",")):
        media_type, *parameters = (piece.strip() for piece in element.split(";"))
        kind, _slash, subtype = media_type.lower().partition("/")
        quality = next((_parse_quality(text[2:]) for text in parameters if text.startswith("q=")), 1.0)
        if quality:
            ranked.append((-quality, AcceptedType(kind, subtype or "*", "; ".join((media_type, *parameters)))))
    return tuple(accepted_type for _rank, accepted_type in sorted(ranked, key=lambda entry: entry[0]))


@functools.lru_cache(maxsize=1024)
def negotiate(header: str, produced: tuple[str, ...]) -> str | None:
    """Return the media type of the response, or `None` if the client accepts none of the produced ones."""
    if not header.strip():
        return produced[0]
    return next(
        (media_type for accepted in parse_accept(header) for media_type in produced if accepted.accepts(media_type)),
        None,
    )


def _parse_quality(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 1.0
