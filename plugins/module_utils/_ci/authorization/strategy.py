# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The authorization strategy of a server, read and written with JCasC.

JCasC replaces the whole strategy, so that no moment exists at which a role has lost its members. The calls of
role-strategy would remove them first, possibly those of the account of the task.
"""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization import form, lockout, roles
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.permissions import Permissions
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.ownership import SharedSources
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import require_plugin
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, merge_fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_PATH = ("jenkins", "authorizationStrategy")
_PLUGINS = {"global_matrix": "matrix-auth", "project_matrix": "matrix-auth", "role_based": "role-strategy"}


class GlobalAuthorization:
    """The authorization strategy of a server.

    :arg shared: values that the items of a task share
    :arg snapshots: what was read before, by target, for the first call of `find`
    :ivar snapshot: the strategy as it was exported last
    """

    def __init__(self, task: Task, ci: CiService, shared: SharedValues, snapshots: dict[t.Any, t.Any]) -> None:
        self._task, self._ci = task, ci
        self._permissions = Permissions(ci, shared)
        self._snapshots = snapshots
        self.snapshot: t.Any = None
        self._current: Fields = {}
        self._discarded: set[str] = set()  # fields of a former strategy

    def find(self) -> Fields:
        """Return the strategy."""
        if None in self._snapshots:
            self.snapshot = self._snapshots.pop(None)
        else:
            self.snapshot = server.fetch_export(self._ci)["jenkins"].get("authorizationStrategy")
        self._current = form.read_strategy(self.snapshot, self._permissions.to_name)
        return self._current

    def desired(self, before: Fields | None) -> Fields:
        """Return the declared part of the strategy.

        :raises BadOption: if an option does not fit the strategy
        """
        params, current = self._task.params, before or {}
        strategy = params["strategy"] or current["strategy"]
        if strategy not in form.STRATEGIES:
            raise BadOption("strategy", f"is required, because Jenkins uses the strategy '{strategy}'")
        holders = form.parse_holders(params, self._permissions.to_name)
        if holders and strategy == "role_based":
            raise BadOption(next(iter(holders)), "must not be set for the strategy 'role_based'. Set 'roles'")
        if params["roles"] is not None and strategy != "role_based":
            raise BadOption("roles", f"must not be set for the strategy '{strategy}'")
        desired = {"strategy": strategy, **holders}
        if params["roles"] is not None:
            desired["roles"] = form.parse_roles(params["roles"], self._permissions.to_name)
        base = self._get_base(strategy)
        desired = form.purge(base, desired) if params["purge"] else desired
        self._discarded |= current.keys() - base.keys()
        return {**dict.fromkeys(self._discarded), **desired}

    def update(self, changes: Fields) -> None:
        """Apply the strategy with the changed fields."""
        strategy = form.write_strategy(self._after(changes), self.snapshot)
        server.apply(self._ci, {"jenkins": {"authorizationStrategy": strategy}})

    def check(self, sources: SharedSources, changes: Fields | None) -> None:
        """Refuse a change that Jenkins would ignore or revert, or that would lock out the account.

        :arg sources: the configuration sources
        :raises ToolchainError: if the change is refused
        """
        after = self._after(changes or {})
        plugin = _PLUGINS[after["strategy"]]
        require_plugin(self._ci, plugin, f"The authorization strategy '{after['strategy']}'")
        self._permissions.check_known(form.list_permissions(changes or {}))
        roles.check_patterns(self._ci, form.list_patterns(changes or {}))
        sources.refuse_missing(self._ci)
        sources.refuse_owned(self._ci, _PATH, "the authorization strategy")
        if not self._task.params["allow_lockout"]:
            lockout.check(self._ci, lockout.SecurityChange(form.write_strategy(after, self.snapshot)))

    def _after(self, changes: Fields) -> Fields:
        strategy = changes.get("strategy") or self._current["strategy"]
        after = merge_fields(self._get_base(strategy), changes)
        incomplete = [
            f"{kind}.{name}"
            for kind, named in after.get("roles", {}).items()
            for name, role in named.items()
            if not role.get("permissions")
        ]
        if incomplete:
            raise ToolchainError(f"The role '{incomplete[0]}' has no permissions. Declare 'permissions' for it.")
        return {**after, "strategy": strategy}

    def _get_base(self, strategy: str) -> Fields:
        """Return the current fields that the strategy keeps. Both matrices have the same entries."""
        current = self._current.get("strategy")
        keeps = current == strategy or (current in form.MATRICES and strategy in form.MATRICES)
        return self._current if keeps else {}
