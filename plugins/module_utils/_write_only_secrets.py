# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Secrets that a service accepts as fields of a resource but does not return."""

from __future__ import annotations

import typing as t

_Fields = dict[str, t.Any]


class WriteOnlySecrets:
    """The secrets among the fields of a resource, and whether to send them to an existing resource.

    :arg names: names of the secret fields, also inside of dictionaries and lists
    :arg update: the option `update_secret`: `on_create`, `always` or `verify`
    :arg is_current: returns whether the server has the desired secrets; called at most once, and only for `verify`
    """

    def __init__(
        self, names: t.Iterable[str] = (), update: str = "on_create", is_current: t.Callable[[], bool] = lambda: False
    ) -> None:
        self._names = frozenset(names)
        self._update = update
        self._is_current = is_current
        self._sends: bool | None = None

    def select(self, before: _Fields | None, desired: _Fields) -> _Fields:
        """Return the desired fields without the secrets that should not be sent.

        A new resource, and a new object inside of an existing resource, has all its secrets.
        """
        if before is None or not self.list_paths(desired) or self._sends_existing():
            return desired
        return self._drop_existing(before, desired)

    def strip(self, value: t.Any) -> t.Any:
        """Return a value without secrets, also inside of dictionaries and lists."""
        if isinstance(value, dict):
            return {name: self.strip(inner) for name, inner in value.items() if name not in self._names}
        return [self.strip(inner) for inner in value] if isinstance(value, list) else value

    def list_paths(self, value: t.Any, prefix: str = "") -> list[str]:
        """Return the paths of the secrets in a value, such as `targets[0].password`."""
        if isinstance(value, list):
            inner = [self.list_paths(entry, f"{prefix}[{index}]") for index, entry in enumerate(value)]
            return [path for paths in inner for path in paths]
        paths: list[str] = []
        for name, entry in value.items() if isinstance(value, dict) else ():
            path = f"{prefix}.{name}" if prefix else name
            paths += [path] if name in self._names else self.list_paths(entry, path)
        return paths

    def _sends_existing(self) -> bool:
        if self._sends is None:
            self._sends = self._update == "always" or (self._update == "verify" and not self._is_current())
        return self._sends

    def _drop_existing(self, before: _Fields, desired: _Fields) -> _Fields:
        selected: _Fields = {}
        for name, value in desired.items():
            current = before.get(name)
            if name in self._names:
                continue
            if isinstance(value, dict) and isinstance(current, dict):
                selected[name] = self._drop_existing(current, value)
            elif isinstance(value, list) and self.strip(value) == self.strip(current):
                selected[name] = current
            else:
                selected[name] = value
        return selected
