# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Base class of lookups that send requests to a service, with the connection options of modules."""

from __future__ import annotations

import typing as t

from ansible.errors import AnsibleError
from ansible.plugins.lookup import LookupBase
from ansible.utils.display import Display

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_in_process, to_json_types
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._service_arguments import ServiceArguments, from_host


class ServiceLookup(LookupBase):
    """A lookup without terms. It returns the result of `fetch` without masking secrets."""

    name: str
    SPEC: ArgumentSpec

    _templar: t.Any

    def fetch(self, task: Task) -> t.Any:
        """Return the value of the lookup."""
        raise NotImplementedError

    def run(self, terms: list[t.Any], variables: dict[str, t.Any] | None = None, **kwargs: t.Any) -> list[t.Any]:
        """Return a list with one value."""
        values: list[t.Any] = []
        if terms:
            needed = [name for name, option in self.SPEC.options.items() if option.get("required")] or ["url"]
            example = ", ".join(f"{name}='...'" for name in needed)
            raise AnsibleError(f"{self.name} takes options only, such as {example}.")
        try:
            settings = from_host(self.SPEC.service, variables or {}, lambda: self._templar)
            arguments = ServiceArguments(self.SPEC, kwargs, (), dict(settings))
            outcome = run_in_process(
                self.name,
                self.SPEC,
                lambda task: values.append(self.fetch(task)),
                to_json_types(arguments.args),
                check_mode=bool((variables or {}).get("ansible_check_mode")),
            )
        except ToolchainError as error:
            raise AnsibleError(str(error)) from None
        for warning in outcome.get("warnings", ()):
            Display().warning(warning)
        if outcome.get("failed"):
            raise AnsibleError(outcome["msg"])
        return values
