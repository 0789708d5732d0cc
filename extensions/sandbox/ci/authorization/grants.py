# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The permissions of a user on the server and on its items."""

from __future__ import annotations

from collections.abc import Iterable

from ..access.permissions import ADMINISTER, Permission
from ..storage import Job, Storage
from ..xml import document
from . import matrix_property, strategies
from .strategies import Strategy

Groups = Iterable[str]


def list_permissions(storage: Storage, user: str, groups: Groups) -> frozenset[Permission]:
    """Return what a user may do everywhere."""
    return frozenset(strategies.list_global_permissions(storage, strategies.load_strategy(storage), user, groups))


class ItemGrants:
    """The permissions of a user on items. They differ from the global ones with some strategies only."""

    def __init__(self, storage: Storage, user: str, groups: Groups, everywhere: frozenset[Permission]) -> None:
        self._storage = storage
        self._strategy: Strategy = strategies.load_strategy(storage)
        self._user, self._groups = user, tuple(groups)
        self._global = everywhere
        self.differ = (
            self._strategy.kind in (strategies.PROJECT_MATRIX, strategies.ROLES) and ADMINISTER not in everywhere
        )

    def list_for(self, job: Job) -> frozenset[Permission]:
        """Return what the user may do with a job or folder."""
        if not self.differ:
            return self._global
        if self._strategy.kind == strategies.ROLES:
            roles = strategies.list_role_permissions(self._strategy, "projectRoles", job.name, self._user, self._groups)
            return self._global | roles
        return self._list_matrix(job)

    def _list_matrix(self, job: Job) -> frozenset[Permission]:
        root = document.parse(job.config)
        element = next(
            (child for tag in matrix_property.ITEM_PROPERTIES for child in root.iterfind(f"properties/{tag}")), None
        )
        if element is None:
            return self._list_parent(job)
        own = frozenset(strategies.grant_entries(matrix_property.read_entries(element), self._user, self._groups))
        inheritance = matrix_property.read_inheritance(element)
        if inheritance == matrix_property.NOT_INHERITED:
            return own
        return own | (self._global if inheritance == matrix_property.FROM_GLOBAL else self._list_parent(job))

    def _list_parent(self, job: Job) -> frozenset[Permission]:
        parent = self._storage.job(job.folder) if job.folder else None
        return self._list_matrix(parent) if parent else self._global
