# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Why prompts are left: a bound of the task, and refusals that hold for more than one prompt."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import ItemSkipped
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch import error_scope


class StopReasons:
    """The reasons for which no more prompts, or none of a model, are sent. All threads share them.

    :ivar bound: the option whose bound has no room for another request
    """

    def __init__(self) -> None:
        self.bound: str | None = None
        self._refused_models: dict[str, str] = {}
        self._first_refusal: str | None = None

    @property
    def has_refused_models(self) -> bool:
        """Whether the server refuses all prompts of a model."""
        return bool(self._refused_models)

    def check(self, model: str) -> None:
        """
        :raises NotTried: when a prompt of this model must not be sent
        """
        if reason := self._refused_models.get(model):
            raise ItemSkipped(f"skipped because this affects all prompts of the model: {reason}")
        if self.bound:
            raise ItemSkipped(f"skipped because it may exceed '{self.bound}'")

    def add_bound(self, option: str) -> None:
        """Send no more prompts, because the bound of an option has no room for them."""
        self.bound = self.bound or option

    def add_refusal(self, error: ToolchainError, model: str) -> None:
        """Send no more prompts for which a refusal holds, and mark the error if these are all."""
        scope = error_scope.find_scope(error, model)
        error.affects_all_items = scope == error_scope.ALL
        if scope == error_scope.MODEL:
            self._refused_models.setdefault(model, str(error))
        if scope:
            self._first_refusal = self._first_refusal or str(error)

    def summary(self) -> str | None:
        """Return why prompts are left."""
        return self._first_refusal or (self.bound and f"they may go beyond '{self.bound}'")
