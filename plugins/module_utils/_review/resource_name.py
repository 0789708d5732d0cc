# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is known by its name, and may get a new one."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields


class ResourceName:
    """The `name` and `new_name` of a task.

    :arg kind: what it is, for messages
    :raises BadOption: when what shall be gone is to have a new name
    """

    def __init__(self, kind: str, params: Fields) -> None:
        self._kind = kind
        self._name, self._new_name = params["name"], params["new_name"]
        if self._new_name and params["state"] == "absent":
            raise BadOption("new_name", "cannot be with 'state' absent")

    def check_not_builtin(self, own: str) -> None:
        """
        :arg own: the name of the server's own
        :raises BadOption: when it is given
        """
        for option, name in (("name", self._name), ("new_name", self._new_name)):
            if name == own:
                raise BadOption(option, f"'{own}' is the server's own {self._kind} and cannot be changed")

    @property
    def names(self) -> list[str]:
        """Those that are given."""
        return [self._name, self._new_name] if self._new_name else [self._name]

    @property
    def desired(self) -> str:
        """The name that it shall have."""
        return str(self._new_name or self._name)

    def find(self, listed: t.Iterable[Fields]) -> Fields | None:
        """The one of the old name; where there is none, it has the new one already.

        :raises BadOption: when there are both
        """
        found = {one["name"]: one for one in listed if one["name"] in (self._name, self._new_name)}
        if len(found) > 1:
            raise BadOption("new_name", f"there is another {self._kind} '{self._new_name}' already")
        return next(iter(found.values()), None)

    def to_wire(self, changes: Fields) -> Fields:
        """Changes as the server takes them: `name` tells which one is meant, `new_name` what it becomes."""
        renamed = {"name": self._name, "new_name": self.desired} if "name" in changes else {"name": self.desired}
        return {**changes, **renamed}
