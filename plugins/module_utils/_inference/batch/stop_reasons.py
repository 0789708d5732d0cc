# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Why prompts are left: a bound of the task, and refusals that hold for more than one prompt."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import ItemSkipped
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch import error_scope


class StopReasons:
    """The reasons for which no more prompts, or no more prompts of a model, are sent. Thread-safe.

    :ivar exceeded_limit: the option whose limit does not allow another request
    """

    def __init__(self) -> None:
        self.exceeded_limit: str | None = None
        self._rejected_models: dict[str, str] = {}
        self._first_error: str | None = None

    @property
    def has_rejected_models(self) -> bool:
        """Whether the server rejects all prompts of a model."""
        return bool(self._rejected_models)

    def check(self, model: str) -> None:
        """Check that a prompt of a model may be sent.

        :raises ItemSkipped: if it must not be sent
        """
        if reason := self._rejected_models.get(model):
            raise ItemSkipped(f"the failure of another prompt affects all prompts of the model: {reason}")
        if self.exceeded_limit:
            raise ItemSkipped(f"it may exceed '{self.exceeded_limit}'")

    def add_exceeded_limit(self, option: str) -> None:
        """Stop sending prompts, because they might exceed the limit of an option."""
        self.exceeded_limit = self.exceeded_limit or option

    def add_error(self, error: ToolchainError, model: str) -> None:
        """Stop sending the prompts that an error affects, and mark the error if it affects all."""
        scope = error_scope.find_scope(error, model)
        error.affects_all_items = scope == error_scope.ALL
        if scope == error_scope.MODEL:
            self._rejected_models.setdefault(model, str(error))
        if scope:
            self._first_error = self._first_error or str(error)

    def summary(self) -> str | None:
        """Return the reason for which prompts remain, for the result."""
        return self._first_error or (self.exceeded_limit and f"they may exceed '{self.exceeded_limit}'")
