# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Permission targets in the APIs of Artifactory: version 2 since Artifactory 6.6, and version 1."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.permissions import form
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_VERSION_2_SINCE, _SINCE = features.PERMISSION_TARGETS_2.since, features.PERMISSIONS.since
_PATTERNS = {"include_patterns": "include-patterns", "exclude_patterns": "exclude-patterns"}


class _Targets:
    """The permission targets of a server.

    :cvar root: address of the list
    :cvar words: words of the API by actions
    :cvar options: options that the API has
    :cvar is_for_administrators: whether only administrators can read permissions
    """

    lowers_groups = False
    is_for_administrators = False
    root: t.ClassVar[str]
    words: t.ClassVar[dict[str, str]]
    options: t.ClassVar[tuple[str, ...]]

    def __init__(self, artifact: ArtifactService) -> None:
        self._http = artifact.http

    def list_names(self) -> list[str]:
        """Return the names of all permissions, sorted."""
        return sorted({entry.text("name") for entry in self._http.read("GET", self.root).records()})

    def find(self, name: str) -> Fields | None:
        """Return the resources of a permission, or `None` if it does not exist."""
        response = self._http.read("GET", self._address(name), accept=(200, 404))
        return self._parse(response.record()) if response.status == 200 else None

    def check(self, name: str, resources: Fields) -> None:
        """Refuse resources that the API does not have.

        :raises BadOption: if the API cannot express a resource
        """
        for option, resource in resources.items():
            if option not in self.options:
                since = _VERSION_2_SINCE if option in Targets2.options else _SINCE
                raise BadOption(option, f"requires Artifactory {since} or later")
            for kind in form.PRINCIPALS:
                for principal, actions in resource[kind].items():
                    self._check_actions(f"{option}.{kind}.{principal}", actions)
            if len({str(patterns) for patterns in resource["targets"].values()}) > 1:
                raise BadOption(
                    f"{option}.targets",
                    f"Artifactory before {_SINCE} has one set of patterns for all targets of permission '{name}'. Use "
                    "the same patterns for all targets, also for those that are not listed, or several permissions",
                )

    def _check_actions(self, option: str, actions: list[str]) -> None:
        for action in actions:
            if action in form.ACTIONS and action not in self.words:
                raise BadOption(option, f"the action '{action}' requires Artifactory {_SINCE} or later")

    def delete(self, name: str) -> None:
        """Delete a permission."""
        self._http.write("DELETE", self._address(name), accept=(200, 204))

    def _address(self, name: str) -> str:
        if "+" in name:
            raise BadOption("name", f"must not contain '+', which Artifactory before {_SINCE} reads as a space")
        return f"{self.root}{encode_path(name, option='name')}"

    def _parse(self, record: Record) -> Fields:
        raise NotImplementedError

    def _parse_actions(self, record: Record | None) -> Fields:
        if record is None:
            return {}
        actions = {word: action for action, word in self.words.items()}
        return {name: [actions.get(word, word) for word in record.maybe_texts(name)] for name in record}

    def _to_words(self, principals: Fields) -> Fields:
        return {name: [self.words.get(action, action) for action in actions] for name, actions in principals.items()}


class Targets2(_Targets):
    """Version 2 of the API."""

    root = "/artifactory/api/v2/security/permissions"
    words: t.ClassVar[dict[str, str]] = {
        **{action: action for action in ("read", "annotate", "write", "delete", "manage", "distribute")},
        "scan": "managedXrayMeta",
    }
    options = ("repositories", "builds", "release_bundles")
    _SECTIONS: t.ClassVar[dict[str, str]] = {
        "repositories": "repo",
        "builds": "build",
        "release_bundles": "releaseBundle",
    }

    def create(self, name: str, resources: Fields) -> None:
        """Create a permission."""
        self._http.write("POST", self._address(name), json=self._to_json(name, resources), accept=(200, 201))

    def update(self, name: str, resources: Fields) -> None:
        """Replace a permission. The server deletes sections that the request does not have."""
        body = self._to_json(name, resources)
        self._http.write("PUT", self._address(name), json=body, accept=(200, 201, 204), policy=IDEMPOTENT)

    def _parse(self, record: Record) -> Fields:
        sections = {option: record.maybe_record(section) for option, section in self._SECTIONS.items()}
        return {option: self._parse_section(section) for option, section in sections.items() if section is not None}

    def _parse_section(self, section: Record) -> Fields:
        actions = section.maybe_record("actions")
        patterns = {member: section.maybe_texts(name) for member, name in _PATTERNS.items()}
        users, groups = (actions.maybe_record(kind) if actions else None for kind in form.PRINCIPALS)
        targets = dict.fromkeys(section.maybe_texts("repositories"), patterns)
        return form.to_resource(targets, self._parse_actions(users), self._parse_actions(groups))

    def _to_json(self, name: str, resources: Fields) -> Fields:
        sections = {self._SECTIONS[option]: self._to_section(resource) for option, resource in resources.items()}
        return {"name": name, **sections}

    def _to_section(self, resource: Fields) -> Fields:
        patterns = next(iter(resource["targets"].values()))
        return {
            **{name: patterns[member] for member, name in _PATTERNS.items()},
            "repositories": sorted(resource["targets"]),
            "actions": {kind: self._to_words(resource[kind]) for kind in form.PRINCIPALS},
        }


class Targets1(_Targets):
    """Version 1 of the API."""

    is_for_administrators = True
    root = "/artifactory/api/security/permissions"
    words: t.ClassVar[dict[str, str]] = {
        "read": "r",
        "annotate": "n",
        "write": "w",
        "delete": "d",
        "manage": "m",
        "scan": "mxm",
    }
    options = ("repositories",)
    _PATTERN_MEMBERS: t.ClassVar[dict[str, str]] = {
        "include_patterns": "includesPattern",
        "exclude_patterns": "excludesPattern",
    }

    def create(self, name: str, resources: Fields) -> None:
        """Create a permission, or replace it if another client has created it in between."""
        body = self._to_json(name, resources["repositories"])
        self._http.write("PUT", self._address(name), json=body, accept=(200, 201), policy=IDEMPOTENT)

    def update(self, name: str, resources: Fields) -> None:
        """Replace a permission."""
        self.create(name, resources)

    def _parse(self, record: Record) -> Fields:
        texts = {member: record.maybe_text(name) or "" for member, name in self._PATTERN_MEMBERS.items()}
        patterns = {member: [part.strip() for part in text.split(",")] for member, text in texts.items()}
        principals = record.maybe_record("principals")
        users, groups = (principals.maybe_record(kind) if principals else None for kind in form.PRINCIPALS)
        targets = dict.fromkeys(record.maybe_texts("repositories"), patterns)
        return {"repositories": form.to_resource(targets, self._parse_actions(users), self._parse_actions(groups))}

    def _to_json(self, name: str, resource: Fields) -> Fields:
        patterns = next(iter(resource["targets"].values()))
        return {
            "name": name,
            **{member: ",".join(patterns[patterns_name]) for patterns_name, member in self._PATTERN_MEMBERS.items()},
            "repositories": sorted(resource["targets"]),
            "principals": {kind: self._to_words(resource[kind]) for kind in form.PRINCIPALS},
        }
