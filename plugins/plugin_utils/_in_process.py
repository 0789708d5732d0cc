# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Action plugins that run modules inside the Ansible worker.

Each module has a generated action plugin that names the module. If a task cannot run in the worker, for example because
of `become` or `async`, the ordinary module runs with the same result.
"""

from __future__ import annotations

import contextlib
import itertools
import json
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
    find_problem,
    mask_secrets,
    run_in_process,
    to_json_types,
)
from ansible_collections.buildworks.toolchain.plugins.plugin_utils import _tally
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._service_arguments import ServiceArguments, from_host

# Before ansible-core 2.21 there was no such setting, and results always had the invocation
_WITH_INVOCATION = bool(getattr(constants, "INJECT_INVOCATION", True))

_GROUPS = ("group/buildworks.toolchain.all", "group/buildworks.toolchain.{service}", "buildworks.toolchain.{module}")
# Variables that show that a host is a machine to log in to
_MACHINE_VARIABLES = ("ansible_connection", "ansible_host", "ansible_ssh_host")


# Duplicated in the controller, because workers close their standard error
_STANDARD_ERROR = 2
with contextlib.suppress(OSError):  # it may be closed
    _STANDARD_ERROR = os.dup(2)


class InProcessAction(ActionBase):
    """The action plugin of a module. It imports the module once in the controller, not in each worker."""

    module: types.ModuleType

    _connection: t.Any
    _supports_check_mode = True
    _supports_async = True

    def __init_subclass__(cls) -> None:
        cls.module.SPEC.precompile()
        preload_certificates()

    @classmethod
    def check_options(cls) -> None:
        """Check the options of a task for ansible-lint, as far as they are known without its variables.

        ansible-lint calls `main` of an action plugin with the options on standard input, as those of a module. If they
        are invalid, it expects a result on standard output and `SystemExit`.
        """
        parameters = json.load(sys.stdin)["ANSIBLE_MODULE_ARGS"]
        name = cls.module.__name__.rpartition(".")[2]
        if problem := find_problem(name, cls.module.SPEC, parameters):
            spec = cls.module.SPEC
            problem = mask_secrets(problem, spec.secrets(parameters), spec.option_names)
            # ansible-lint ignores messages that start with Ansible's text for mutually exclusive options
            print(json.dumps({"failed": True, "msg": f"{name}: {problem}"}))
            sys.exit(1)

    def run(self, tmp: str | None = None, task_vars: dict[str, t.Any] | None = None) -> dict[str, t.Any]:
        """Run the module in process or as an ordinary module, and return its result."""
        task_vars = task_vars or {}
        result = super().run(tmp, task_vars)
        try:
            result.update(self._outcome(task_vars))
        except ToolchainError as error:
            result.update(failed=True, msg=str(error))
        return result

    def _outcome(self, task_vars: dict[str, t.Any]) -> dict[str, t.Any]:
        arguments = self._resolve_arguments(task_vars)
        local = self._connection.transport == "local"
        if not local and self._has_only_service(task_vars):
            local = True
            self._use_local_connection(task_vars)
        args = to_json_types(arguments.args)
        if args.get("url"):
            check_rehearsal_url(str(args["url"]))  # also for ordinary modules, which may lack the environment
        if (not local or self._needs_ordinary_module(task_vars)) and not self.module.SPEC.find_type_error(args):
            outcome = self._run_as_module(args, task_vars)
            # if ansible-core rejects options, its invocation contains passwords of URLs
            if "invocation" in outcome:
                outcome["invocation"] = mask_secrets(outcome["invocation"], self.module.SPEC.secrets(args))
        else:
            outcome = self._run_in_worker(args, task_vars)
        if remarks := list(self._remarks(outcome, arguments, local)):
            outcome["msg"] = " ".join([outcome["msg"], *remarks])
        return outcome

    def _remarks(self, outcome: dict[str, t.Any], arguments: ServiceArguments, local: bool) -> t.Iterator[str]:
        """Yield remarks about a failure: the source of a rejected credential or of a missing option."""
        if option := outcome.pop("refused_credential", None):
            yield f"'{option}' came from {arguments.origin(option)}."
        for option in self._service.login:
            variable = self.module.SPEC.environment_variable(option)
            if variable not in os.environ or not outcome.get("msg", "").startswith(f"Option '{option}':"):
                continue
            if option in arguments.blocked:
                yield f"The environment variable {variable} is ignored for a host with variables for the service."
            elif not local and option not in arguments.args:
                yield f"{variable} is set on this machine, but the module ran on another machine. Set it there."

    @property
    def _service(self) -> Service:
        return self.module.SPEC.service

    @property
    def _name(self) -> str:
        return self.module.__name__.rpartition(".")[2]

    @property
    def _fqcn(self) -> str:
        return f"buildworks.toolchain.{self._name}"

    # --- Connection options ---

    def _resolve_arguments(self, task_vars: dict[str, t.Any]) -> ServiceArguments:
        variables = self._service_variables(task_vars)
        settings = from_host(
            self._service, variables, lambda: self._templar.copy_with_new_env(available_variables=variables)
        )
        return ServiceArguments(self.module.SPEC, self._task.args, self._list_default_options(), dict(settings))

    def _service_variables(self, task_vars: dict[str, t.Any]) -> dict[str, t.Any]:
        """Return the variables of the host, or of the delegation host if that has the service's URL."""
        delegated = task_vars.get("ansible_delegated_vars", {}).get(self._task.delegate_to, {})
        return delegated if self._service.host_variable("url") in delegated else task_vars

    def _list_default_options(self) -> set[str]:
        """Return the names of the options that are set by `module_defaults`."""
        groups = [group.format(service=self._service.name, module=self._name) for group in _GROUPS]
        names = {
            name for defaults in self._task.module_defaults for group in groups for name in defaults.get(group, ())
        }
        if not names:
            return names
        _action, own, _host = ModuleArgsParser(self._task.get_ds(), self._task.collections).parse()
        return names - own.keys()

    # --- Where the module runs ---

    def _has_only_service(self, task_vars: dict[str, t.Any]) -> bool:
        """Return whether a host has the service's URL in the inventory, and no variables for a login to a machine."""
        host = self._task.delegate_to or task_vars["inventory_hostname"]
        if host not in task_vars["hostvars"] or not self._connection.matches_name([constants.DEFAULT_TRANSPORT]):
            return False
        of_inventory = task_vars["hostvars"][host]
        return self._service.host_variable("url") in of_inventory and not any(
            name in of_inventory for name in _MACHINE_VARIABLES
        )

    def _use_local_connection(self, task_vars: dict[str, t.Any]) -> None:
        if self._task.async_val and self._task.poll:
            raise ToolchainError(
                "'async' with 'poll' needs a connection to the host, which has none. Set 'ansible_connection: local' "
                "or 'poll: 0'."
            )
        connection = connection_loader.get("ansible.builtin.local", self._play_context, shell=self._connection._shell)
        connection.set_become_plugin(self._connection.become)
        self._connection = connection
        self._service_variables(task_vars).setdefault("ansible_python_interpreter", sys.executable)

    def _needs_ordinary_module(self, task_vars: dict[str, t.Any]) -> bool:
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

    def _run_in_worker(self, args: dict[str, t.Any], task_vars: dict[str, t.Any]) -> dict[str, t.Any]:
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
                display=self._progress_display(task_vars),
                display_interruption=self._interruption_display(task_vars),
                requests=requests,
            )
        finally:
            _tally.note(self._task._uuid, task_vars.get("inventory_hostname", ""), next(requests))

    def _progress_display(self, task_vars: dict[str, t.Any]) -> t.Callable[[str], None] | None:
        """Return a function that shows progress on standard error. Standard output belongs to callback plugins."""
        setting = task_vars.get("toolchain_progress", os.environ.get("TOOLCHAIN_PROGRESS") or True)
        if self._task.no_log or not boolean(self._templar.template(setting)):
            return None
        prefix = self._prefix(task_vars)
        return lambda text: Display().display(prefix + text, stderr=True)

    def _interruption_display(self, task_vars: dict[str, t.Any]) -> t.Callable[[str], None] | None:
        """Return a function that shows a line after an interruption, when the controller discards output of workers."""
        prefix = self._prefix(task_vars)
        return None if self._task.no_log else lambda text: _to_standard_error(prefix + text)

    def _prefix(self, task_vars: dict[str, t.Any]) -> str:
        return f"{task_vars.get('inventory_hostname', '')}: {self._name}: "


def _to_standard_error(text: str) -> None:
    with contextlib.suppress(OSError):  # the terminal may be closed
        os.write(_STANDARD_ERROR, f"{text}\n".encode())
