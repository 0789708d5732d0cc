# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Events that webhooks subscribe to: domains, their event types, and the criteria that select events."""

from __future__ import annotations

import dataclasses
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.suggestion import suggest
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

# Suboptions of `criteria`, with the members of the API and their defaults
_PATTERNS: dict[str, tuple[str, t.Any]] = {
    "include_patterns": ("includePatterns", []),
    "exclude_patterns": ("excludePatterns", []),
}
_REPOSITORIES: dict[str, tuple[str, t.Any]] = {
    "any_local": ("anyLocal", False),
    "any_remote": ("anyRemote", False),
    "any_federated": ("anyFederated", False),
    "repositories": ("repoKeys", []),
    **_PATTERNS,
}
_BUILDS: dict[str, tuple[str, t.Any]] = {
    "any_build": ("anyBuild", False),
    "builds": ("selectedBuilds", []),
    **_PATTERNS,
}
_RELEASE_BUNDLES: dict[str, tuple[str, t.Any]] = {
    "any_release_bundle": ("anyReleaseBundle", False),
    "release_bundles": ("registeredReleaseBundlesNames", []),
    **_PATTERNS,
}
_RELEASE_BUNDLES_V2: dict[str, tuple[str, t.Any]] = {
    "any_release_bundle": ("anyReleaseBundle", False),
    "release_bundles_v2": ("selectedReleaseBundles", {}),
    **_PATTERNS,
}
_ENVIRONMENTS: dict[str, tuple[str, t.Any]] = {"environments": ("selectedEnvironments", [])}


@dataclasses.dataclass(frozen=True)
class Domain:
    """A kind of object whose events webhooks can subscribe to.

    :arg event_types: known event types
    :arg criteria: suboptions of `criteria`, with the members of the API and their defaults
    """

    event_types: tuple[str, ...] = ()
    criteria: dict[str, tuple[str, t.Any]] = dataclasses.field(default_factory=dict)

    @property
    def default_criteria(self) -> Fields:
        """The criteria of a webhook whose criteria are not set."""
        return {option: default for option, (_member, default) in self.criteria.items()}


_BUNDLE_RECEIVED = Domain(("received", "delete_started", "delete_completed", "delete_failed"), _RELEASE_BUNDLES)
_DISTRIBUTION = (
    *("distribute_started", "distribute_completed", "distribute_aborted", "distribute_failed"),
    *("delete_started", "delete_completed", "delete_failed"),
)
_PROMOTION = tuple(f"release_bundle_v2_promotion_{result}" for result in ("started", "completed", "failed"))
DOMAINS = {
    "artifact": Domain(("deployed", "deleted", "moved", "copied", "cached"), _REPOSITORIES),
    "artifact_property": Domain(("added", "deleted"), _REPOSITORIES),
    "docker": Domain(("pushed", "deleted", "promoted"), _REPOSITORIES),
    "build": Domain(("uploaded", "deleted", "promoted"), _BUILDS),
    "release_bundle": Domain(("created", "signed", "deleted"), _RELEASE_BUNDLES),
    "distribution": Domain(_DISTRIBUTION, _RELEASE_BUNDLES),
    "artifactory_release_bundle": _BUNDLE_RECEIVED,
    "destination": _BUNDLE_RECEIVED,
    "release_bundle_v2": Domain(
        ("release_bundle_v2_started", "release_bundle_v2_failed", "release_bundle_v2_completed"), _RELEASE_BUNDLES_V2
    ),
    "release_bundle_v2_promotion": Domain(_PROMOTION, _ENVIRONMENTS),
    "artifact_lifecycle": Domain(("archive", "restore")),
    "user": Domain(("locked",)),
}
# A domain that is newer than this collection
_UNKNOWN = Domain()
# Patterns select builds by their name, but only restrict what is selected in other domains
_SELECTS_WITH_PATTERNS = "build"


def get_domain(name: str) -> Domain:
    """Return a domain. One that is not known has no event types and criteria."""
    return DOMAINS.get(name, _UNKNOWN)


def check_domain(name: str, may_be_unknown: bool) -> None:
    """Verify that a domain is known.

    :raises BadOption: if it is not known
    """
    if name not in DOMAINS and not may_be_unknown:
        raise BadOption("domain", f"'{name}' is unknown{suggest(name, DOMAINS)} Known are {', '.join(DOMAINS)}")


def check_event_types(domain: str, event_types: t.Iterable[str], may_be_unknown: bool) -> None:
    """Verify that the event types belong to a domain.

    :raises BadOption: if one is not known
    """
    known = get_domain(domain).event_types
    for name in event_types:
        if name in known or may_be_unknown:
            continue
        if not known:
            raise BadOption(
                "event_types",
                f"domain '{domain}' is unknown. Set 'allow_unknown_events: true' to change its event types",
            )
        raise BadOption(
            "event_types",
            f"'{name}' does not exist in domain '{domain}'{suggest(name, known)} It has {', '.join(known)}",
        )


def check_criteria(domain: str, criteria: Fields) -> None:
    """Verify that the criteria apply to a domain.

    :raises BadOption: if one does not apply
    """
    known = get_domain(domain).criteria
    for name in criteria:
        if name not in known:
            available = f"It has {', '.join(known)}" if known else "It has no criteria"
            raise BadOption(f"criteria.{name}", f"does not apply to domain '{domain}'. {available}")


def check_selection(domain: str, criteria: Fields) -> None:
    """Verify that the criteria select something, because the webhook would never be called otherwise.

    :arg criteria: all criteria of the webhook
    :raises BadOption: if they select nothing
    """
    selecting = [
        name for name in get_domain(domain).criteria if name not in _PATTERNS or domain == _SELECTS_WITH_PATTERNS
    ]
    if selecting and not any(criteria.get(name) for name in selecting if name != "exclude_patterns"):
        raise BadOption(
            "criteria", f"must select something. Set at least one of {', '.join(sorted(selecting))} for '{domain}'"
        )
