# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names of resources that can be renamed."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields


class ResourceName:
    """The options `name` and `new_name` of a task.

    :arg kind: kind of the resource, for messages
    :raises BadOption: if `new_name` is combined with `state: absent`
    """

    def __init__(self, kind: str, params: Fields) -> None:
        self._kind = kind
        self._name, self._new_name = params["name"], params["new_name"]
        if self._new_name and params["state"] == "absent":
            raise BadOption("new_name", "must not be set with 'state: absent'")

    def check_not_builtin(self, builtin: str) -> None:
        """Refuse to change a built-in resource.

        :arg builtin: name of the built-in resource
        :raises BadOption: if one of the options has this name
        """
        for option, name in (("name", self._name), ("new_name", self._new_name)):
            if name == builtin:
                raise BadOption(option, f"the built-in {self._kind} '{builtin}' cannot be changed")

    @property
    def names(self) -> list[str]:
        """The current name and, if set, the new name."""
        return [self._name, self._new_name] if self._new_name else [self._name]

    @property
    def desired(self) -> str:
        """The name after the task."""
        return str(self._new_name or self._name)

    def find(self, listed: t.Iterable[Fields]) -> Fields | None:
        """Return the resource with the current name, or the one that already has the new name.

        :raises BadOption: if both exist
        """
        matches = {one["name"]: one for one in listed if one["name"] in (self._name, self._new_name)}
        if len(matches) > 1:
            raise BadOption("new_name", f"another {self._kind} '{self._new_name}' already exists")
        return next(iter(matches.values()), None)

    def to_wire(self, changes: Fields) -> Fields:
        """Return the changes as request fields: `name` selects the resource, `new_name` renames it."""
        renamed = {"name": self._name, "new_name": self.desired} if "name" in changes else {"name": self.desired}
        return {**changes, **renamed}
