# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs the collection's modules inside the controller's worker.

Each module has an action plugin that says no more than which module it is. Where the work must not be done here, the
ordinary module runs instead, with the same result.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import types
import typing as t

from ansible import constants
from ansible.module_utils.parsing.convert_bool import boolean
from ansible.parsing.mod_args import ModuleArgsParser
from ansible.plugins.action import ActionBase
from ansible.plugins.loader import connection_loader
from ansible.utils.display import Display

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.session import (
    check_rehearsal_url,
    preload_certificates,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import Service
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import (
    mask_secrets,
    run_in_process,
    to_json_types,
)
from ansible_collections.buildworks.toolchain.plugins.plugin_utils import _tally
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._reach import Reach, from_host

# Before 2.21 there was no such setting, and modules always told how they were called
_WITH_INVOCATION = bool(getattr(constants, "INJECT_INVOCATION", True))

_GROUPS = ("group/buildworks.toolchain.all", "group/buildworks.toolchain.{service}", "buildworks.toolchain.{module}")
# What says that a host is a machine to log in to, besides being a service
_OF_A_MACHINE = ("ansible_connection", "ansible_host", "ansible_ssh_host")


# Kept from the controller, whose workers lose theirs
_STANDARD_ERROR = 2
with contextlib.suppress(OSError):  # there may be none
    _STANDARD_ERROR = os.dup(2)


class InProcessAction(ActionBase):
    """The action of a module, which is imported with it: once in the controller, not in each of its workers."""

    module: types.ModuleType

    _connection: t.Any
    _supports_check_mode = True
    _supports_async = True

    def __init_subclass__(cls) -> None:
        cls.module.SPEC.precompile()
        preload_certificates()

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """The result of the module, run here or as an ordinary module."""
        task_vars = task_vars or {}
        result = super().run(tmp, task_vars)
        try:
            result.update(self._outcome(task_vars))
        except ToolchainError as error:
            result.update(failed=True, msg=str(error))
        return result

    def _outcome(self, task_vars: dict[str, t.Any]) -> dict[str, t.Any]:
        reach = self._reach(task_vars)
        local = self._connection.transport == "local"
        if not local and self._is_only_a_service(task_vars):
            local = True
            self._connect_to_this_machine(task_vars)
        args = to_json_types(reach.args)
        if args.get("url"):
            check_rehearsal_url(str(args["url"]))  # a program, or another account, would not hear of it
        if (not local or self._must_be_a_module(task_vars)) and not self.module.SPEC.find_type_error(args):
            outcome = self._run_as_module(args, task_vars)
            # ansible-core itself refuses some options, and then shows all of them, with a password in an address
            if "invocation" in outcome:
                outcome["invocation"] = mask_secrets(outcome["invocation"], self.module.SPEC.secrets(args))
        else:
            outcome = self._run_here(args, task_vars)
        if remarks := list(self._remarks(outcome, reach, local)):
            outcome["msg"] = " ".join([outcome["msg"], *remarks])
        return outcome

    def _remarks(self, outcome: dict[str, t.Any], reach: Reach, local: bool) -> t.Iterator[str]:
        """What only this side knows about a failure: from where the task has what did not work, or was not there."""
        if option := outcome.pop("refused_credential", None):
            yield f"'{option}' came from {reach.origin(option)}."
        for option in self._service.login:
            variable = self.module.SPEC.environment_variable(option)
            if variable not in os.environ or not outcome.get("msg", "").startswith(f"Option '{option}':"):
                continue
            if option in reach.shut_out:
                yield f"{variable} of the environment does not count for a host that has variables of its own for this."
            elif not local and option not in reach.args:
                yield f"{variable} is set on this machine, but the module ran on another: set it there."

    @property
    def _service(self) -> Service:
        return self.module.SPEC.service

    @property
    def _name(self) -> str:
        return self.module.__name__.rpartition(".")[2]

    @property
    def _fqcn(self) -> str:
        return f"buildworks.toolchain.{self._name}"

    # --- What reaches the service ---

    def _reach(self, task_vars: dict[str, t.Any]) -> Reach:
        variables = self._variables_of_the_service(task_vars)
        found = from_host(
            self._service, variables, lambda: self._templar.copy_with_new_env(available_variables=variables)
        )
        return Reach(self.module.SPEC, self._task.args, self._from_defaults(), dict(found))

    def _variables_of_the_service(self, task_vars: dict[str, t.Any]) -> dict[str, t.Any]:
        """Those of the host that the task is for, or of the one that it is delegated to if that is such a service."""
        delegated = task_vars.get("ansible_delegated_vars", {}).get(self._task.delegate_to, {})
        return delegated if self._service.host_variable("url") in delegated else task_vars

    def _from_defaults(self) -> set[str]:
        """The names of the options that the task has from `module_defaults` alone."""
        groups = [group.format(service=self._service.name, module=self._name) for group in _GROUPS]
        names = {
            name for defaults in self._task.module_defaults for group in groups for name in defaults.get(group, ())
        }
        if not names:
            return names
        _action, own, _host = ModuleArgsParser(self._task.get_ds(), self._task.collections).parse()
        return names - own.keys()

    # --- Where it runs ---

    def _is_only_a_service(self, task_vars: dict[str, t.Any]) -> bool:
        """Whether the inventory has the host's address of the service, and nothing says how to log in to a machine."""
        host = self._task.delegate_to or task_vars["inventory_hostname"]
        if host not in task_vars["hostvars"] or not self._connection.matches_name([constants.DEFAULT_TRANSPORT]):
            return False
        of_inventory = task_vars["hostvars"][host]
        return self._service.host_variable("url") in of_inventory and not any(
            name in of_inventory for name in _OF_A_MACHINE
        )

    def _connect_to_this_machine(self, task_vars: dict[str, t.Any]) -> None:
        if self._task.async_val and self._task.poll:
            raise ToolchainError(
                "'async' with 'poll' asks for the job through the connection of the host, which has none: "
                "set 'ansible_connection: local' for it, or 'poll: 0'."
            )
        connection = connection_loader.get("ansible.builtin.local", self._play_context, shell=self._connection._shell)
        connection.set_become_plugin(self._connection.become)
        self._connection = connection
        self._variables_of_the_service(task_vars).setdefault("ansible_python_interpreter", sys.executable)

    def _must_be_a_module(self, task_vars: dict[str, t.Any]) -> bool:
        return bool(
            self._connection.become
            or self._task.async_val
            or any(self._task.environment or ())
            or not boolean(self._templar.template(task_vars.get("toolchain_in_process", True)))
        )

    def _run_as_module(self, args: dict[str, t.Any], task_vars: dict[str, t.Any]) -> dict[str, t.Any]:
        return self._execute_module(
            self._fqcn,
            module_args=args,
            task_vars=task_vars,
            wrap_async=self._task.async_val,
        )

    def _run_here(self, args: dict[str, t.Any], task_vars: dict[str, t.Any]) -> dict[str, t.Any]:
        requests = itertools.count()
        try:
            return run_in_process(
                self._fqcn,
                self.module.SPEC,
                self.module.run,
                args,
                check_mode=self._task.check_mode,
                diff_mode=self._task.diff,
                no_log=bool(self._task.no_log),
                include_invocation=_WITH_INVOCATION,
                display=self._teller(task_vars),
                display_interruption=self._last_words(task_vars),
                requests=requests,
            )
        finally:
            _tally.note(self._task._uuid, task_vars.get("inventory_hostname", ""), next(requests))

    def _teller(self, task_vars: dict[str, t.Any]) -> t.Callable[[str], None] | None:
        """What shows a line of progress, on standard error: standard output belongs to callbacks, and to machines."""
        wanted = task_vars.get("toolchain_progress", os.environ.get("TOOLCHAIN_PROGRESS") or True)
        if self._task.no_log or not boolean(self._templar.template(wanted)):
            return None
        prefix = self._prefix(task_vars)
        return lambda text: Display().display(prefix + text, stderr=True)

    def _last_words(self, task_vars: dict[str, t.Any]) -> t.Callable[[str], None] | None:
        """What shows a line when the task is interrupted, for the controller shows nothing more of its workers."""
        prefix = self._prefix(task_vars)
        return None if self._task.no_log else lambda text: _to_standard_error(prefix + text)

    def _prefix(self, task_vars: dict[str, t.Any]) -> str:
        return f"{task_vars.get('inventory_hostname', '')}: {self._name}: "


def _to_standard_error(text: str) -> None:
    with contextlib.suppress(OSError):  # nobody may be listening any more
        os.write(_STANDARD_ERROR, f"{text}\n".encode())
