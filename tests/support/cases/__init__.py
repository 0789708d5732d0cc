# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters for runs of each module against the default seed of the sandbox, with a file for each service.

If a module has several cases, the name of the module is followed by a blank and a description.
"""

from __future__ import annotations

from typing import Any

import generate
from sandbox.client import Sandbox
from support.cases import artifact, ci, inference, review
from support.cases.form import Case, Fetch, Operation, Query, Resource

MODULES = generate.list_modules()
PREFIX = "buildworks.toolchain."

SERVICES = {"artifact": artifact.SERVICE, "ci": ci.SERVICE, "inference": inference.SERVICE, "review": review.SERVICE}
SERVICE_OF = {module: name for name, service in SERVICES.items() for module in service.cases}
CASES: dict[str, Case] = {module: case for service in SERVICES.values() for module, case in service.cases.items()}
RESOURCES = {module: case for module, case in CASES.items() if isinstance(case, Resource)}
QUERIES = {module: case for module, case in CASES.items() if isinstance(case, Query)}
FETCHES = {module: case for module, case in CASES.items() if isinstance(case, Fetch)}
OPERATIONS = {module: case for module, case in CASES.items() if isinstance(case, Operation)}
SECRETS = [name for service in SERVICES.values() for name in service.credentials.values()]
"""The variables of the sandbox that hold what logs in."""

# Modules that send HTTP requests
SPEAKING = [module for module in MODULES if not getattr(CASES[module], "by_program", False)]


def forget() -> None:
    """Remove the local files of the modules."""
    for case in (*FETCHES.values(), *OPERATIONS.values(), *RESOURCES.values()):
        case.forget()


def parameters(module: str) -> dict[str, Any]:
    """Return parameters for a run on a reset sandbox. A resource is created."""
    return CASES[module].options


def get_switches(case: str) -> dict[str, Any]:
    """Return the switches of the service with which a case runs."""
    return getattr(CASES.get(case), "switches", {})


def prepare(sandbox: Sandbox, case: str) -> None:
    """Set the switches of a case after a reset of the sandbox."""
    if values := get_switches(case):
        sandbox.switch(SERVICE_OF[case], **values)


def prepare_task(case: str) -> dict[str, Any]:
    """Return a task of a playbook that sets the switches of a case."""
    request = {
        "url": "{{ lookup('ansible.builtin.env', 'SANDBOX_URL') }}/_sandbox/switches",
        "method": "PATCH",
        "headers": {"Authorization": "Bearer {{ lookup('ansible.builtin.env', 'SANDBOX_SECRET') }}"},
        "body": {SERVICE_OF[case]: get_switches(case)},
        "body_format": "json",
    }
    return {"name": f"{case}: prepare", "ansible.builtin.uri": request}


def logins(prefix: str = "") -> dict[str, dict[str, str]]:
    """Return defaults of connection options from environment variables with a prefix."""
    return {
        f"group/{PREFIX}{group}": {
            option: f"{{{{ lookup('ansible.builtin.env', '{prefix}{name}') }}}}"
            for option, name in service.credentials.items()
        }
        for group, service in SERVICES.items()
    }


def module_of(case: str) -> str:
    """Return the module of a case."""
    return case.partition(" ")[0]


def task(case: str, step: str, options: dict[str, Any], **keywords: Any) -> dict[str, Any]:
    """Return a task of a playbook."""
    return {"name": f"{case}: {step}", f"{PREFIX}{module_of(case)}": options, **keywords}
