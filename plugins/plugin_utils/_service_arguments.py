# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sources of connection options. Precedence, highest first: task, module_defaults, host variables, environment."""

from __future__ import annotations

import enum
import typing as t

from ansible.errors import AnsibleError

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec, Service


def from_host(
    service: Service, variables: dict[str, t.Any], templar: t.Callable[[], t.Any]
) -> t.Iterator[tuple[str, t.Any]]:
    """Yield the options that are set by variables of a host, with their values.

    :arg templar: returns a templar; called only if there are such variables
    :raises ToolchainError: if a variable cannot be templated
    """
    options = {service.host_variable(option): option for option in service.options}
    names = [name for name in options if name in variables]
    if not names:
        return
    template = templar().template
    for name in names:
        try:  # in a dictionary, because newer versions remove omitted values only there
            value = template({name: variables[name]}).get(name)
        except AnsibleError as error:
            raise ToolchainError(f"The variable '{name}' cannot be used: {error}") from None
        if value is not None and value != variables.get("omit"):
            yield options[name], value


class Source(enum.IntEnum):
    """Sources of options, highest precedence first."""

    TASK = 0
    DEFAULTS = 1
    HOST = 2
    ENVIRONMENT = 3


class ServiceArguments:
    """The arguments of a task, completed by host variables.

    :arg args: templated arguments
    :arg from_defaults: names of the arguments that are set by `module_defaults`
    :arg from_host: values of options that are set by host variables
    :ivar blocked: options that must not be read from the environment
    """

    def __init__(
        self,
        spec: ArgumentSpec,
        args: dict[str, t.Any],
        from_defaults: t.Container[str],
        from_host: dict[str, t.Any],
    ) -> None:
        self._spec = spec
        self._service = spec.service
        self._sources = {name: Source.DEFAULTS if name in from_defaults else Source.TASK for name in args}
        self.args = dict(args)
        self.blocked: set[str] = set()
        for option, value in from_host.items():
            if option not in args:
                self.args[option] = value
                self._sources[option] = Source.HOST
        self._select_credential()
        if any(option in from_host for option in self._service.login):
            self._block_environment(self._service.login)

    def origin(self, option: str) -> str:
        """Return a description of the source of an option."""
        source = self._sources.get(option, Source.ENVIRONMENT)
        if source is Source.HOST:
            return f"the variable {self._service.host_variable(option)}"
        if source is Source.ENVIRONMENT:
            return f"the environment variable {self._spec.environment_variable(option)}"
        return {Source.TASK: "the task", Source.DEFAULTS: "module_defaults"}[source]

    def _select_credential(self) -> None:
        """Keep only the credentials of the source with the highest precedence."""
        credentials = self._service.credentials
        options = [option for option in credentials if self.args.get(option)]
        if not options:
            return
        nearest = min(self._sources[option] for option in options)
        selected = {option for option in options if self._sources[option] == nearest}
        needed = selected.union(*(credentials[option] for option in selected))
        others = set(credentials).union(*credentials.values()) - needed
        for option in others:
            if self._sources.get(option, Source.ENVIRONMENT) > nearest:
                self.args.pop(option, None)
                self._sources.pop(option, None)
        self._block_environment(others)

    def _block_environment(self, options: t.Iterable[str]) -> None:
        """Set missing options to their defaults, so that they are not read from the environment."""
        for option in options:
            if option not in self.args and self._spec.environment_variable(option):
                self.args[option] = self._spec.options[option].get("default")
                self.blocked.add(option)
