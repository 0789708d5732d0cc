# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Fields of users and groups: their names in both APIs, and the versions that introduced them."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_COMMON_ROLES = ("watch_manager", "policy_viewer", "policy_manager", "reports_manager", "manage_webhook")
GROUP_ROLES = dict.fromkeys((*_COMMON_ROLES, "resources_manager"), features.ROLES.since)
USER_ROLES = {**GROUP_ROLES, "platform_auditor": features.AUDITORS.since}
INTERNAL_REALMS = (None, "", "internal", "artifactory")


class IdentityFields:
    """The fields of a kind of object.

    :arg texts: names of fields with text in the Access API, mapped to those of the older API
    :arg flags: the same for fields with booleans
    :arg roles: names of fields that only newer versions have, with these versions
    """

    def __init__(self, texts: dict[str, str], flags: dict[str, str], roles: dict[str, str]) -> None:
        self._texts, self._flags, self._roles = texts, flags, roles
        self.names = (*texts, *flags, *roles)

    def parse_platform(self, record: Record) -> Fields:
        """Return the fields of an object in the Access API. A missing flag is `None`."""
        fields: Fields = {name: record.maybe_text(name) or "" for name in self._texts}
        return {**fields, **{name: _read_flag(record, name) for name in (*self._flags, *self._roles)}}

    def parse_classic(self, record: Record) -> Fields:
        """Return the fields of an object in the older API. A missing flag is `None`."""
        fields: Fields = {name: record.maybe_text(member) or "" for name, member in self._texts.items()}
        flags = {name: _read_flag(record, member) for name, member in self._flags.items()}
        return {**fields, **flags, **dict.fromkeys(self._roles)}

    def to_classic(self, fields: Fields) -> Fields:
        """Return fields with their names in the older API."""
        names = {**self._texts, **self._flags}
        return {names[name]: value for name, value in fields.items() if name in names}

    def complete(self, artifact: ArtifactService, current: Fields | None, desired: Fields) -> None:
        """Verify that the server has the desired fields, and set flags that it does not return to false.

        :arg current: the current fields, which are completed; `None` for a new object
        :raises BadOption: if the server does not have a field
        """
        for name in (*self._flags, *self._roles):
            if desired.get(name) is None or (current is not None and current[name] is not None):
                continue
            since = self._roles.get(name)
            if since and not artifact.supports(since):
                raise BadOption(name, f"requires Artifactory {since} or later")
            if not since and current is not None:
                raise BadOption(name, "is not supported by this version of Artifactory, which does not return it")
            if current is not None:
                current[name] = False


def select_desired(params: t.Mapping[str, t.Any], names: t.Iterable[str]) -> Fields:
    """Return the options that are set."""
    return {name: params[name] for name in names if params[name] is not None}


def _read_flag(record: Record, name: str) -> bool | None:
    if name == "resources_manager" and name not in record:  # the name in groups
        name = "manage_resources"
    return record.maybe_flag(name)
