# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a task reaches its service with: from the task, from module_defaults, from the host's variables, and only then
from the environment.
"""

from __future__ import annotations

import enum
import typing as t

from ansible.errors import AnsibleError

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec, Service


def from_host(
    service: Service, variables: dict[str, t.Any], templar: t.Callable[[], t.Any]
) -> t.Iterator[tuple[str, t.Any]]:
    """The options that the variables of a host say something about, each with its value.

    :arg templar: gives what templates them; called when there are any
    :raises ToolchainError: when one cannot be templated
    """
    options = {
        service.host_variable(option): option for option in (*service.login, *service.behavior, *service.transport)
    }
    names = [name for name in options if name in variables]
    if not names:
        return
    template = templar().template
    for name in names:
        try:  # in a dictionary, from which newer versions take what is omitted
            value = template({name: variables[name]}).get(name)
        except AnsibleError as error:
            raise ToolchainError(f"The variable '{name}' cannot be used: {error}") from None
        if value is not None and value != variables.get("omit"):
            yield options[name], value


class Source(enum.IntEnum):
    """Where the value of an option comes from, the nearest first."""

    TASK = 0
    DEFAULTS = 1
    HOST = 2
    ENVIRONMENT = 3


class Reach:
    """The arguments of a task, completed with what the host's variables say about the service.

    :arg spec: what the module takes
    :arg args: the arguments, templated
    :arg from_defaults: names of those among them that come from `module_defaults`
    :arg from_host: option to value, of the host's variables
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
        self.shut_out: set[str] = set()
        for option, value in from_host.items():
            if option not in args:
                self.args[option] = value
                self._sources[option] = Source.HOST
        self._keep_the_nearest_credential()
        if any(option in from_host for option in self._service.login):
            self._shut_out_the_environment(self._service.login)

    def origin(self, option: str) -> str:
        """Where an option comes from, in words."""
        source = self._sources.get(option, Source.ENVIRONMENT)
        if source is Source.HOST:
            return f"the variable {self._service.host_variable(option)}"
        if source is Source.ENVIRONMENT:
            return f"the environment variable {self._spec.environment_variable(option)}"
        return {Source.TASK: "the task", Source.DEFAULTS: "module_defaults"}[source]

    def _keep_the_nearest_credential(self) -> None:
        """Of the credentials that are given in several places, those of the nearest, whatever their kind."""
        credentials = self._service.credentials
        given = [option for option in credentials if self.args.get(option)]
        if not given:
            return
        nearest = min(self._sources[option] for option in given)
        kept = {option for option in given if self._sources[option] == nearest}
        needed = kept.union(*(credentials[option] for option in kept))
        others = set(credentials).union(*credentials.values()) - needed
        for option in others:
            if self._sources.get(option, Source.ENVIRONMENT) > nearest:
                self.args.pop(option, None)
                self._sources.pop(option, None)
        self._shut_out_the_environment(others)

    def _shut_out_the_environment(self, options: t.Iterable[str]) -> None:
        """An option that is there, even if it is none, is not looked for in the environment."""
        for option in options:
            if option not in self.args and self._spec.environment_variable(option):
                self.args[option] = self._spec.options[option].get("default")
                self.shut_out.add(option)
