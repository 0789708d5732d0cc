# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What each module is run with, against the sandbox's default seed: a file for each service.

Some have more than one case: after the module's name and a blank comes what the case is about.
"""

from __future__ import annotations

from typing import Any

import generate
from support.cases import artifact, ci, inference, review
from support.cases.form import Case, Fetch, Operation, Query, Resource

MODULES = generate.modules()
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

# Those that speak HTTP themselves
SPEAKING = [module for module in MODULES if not getattr(CASES[module], "by_program", False)]


def forget() -> None:
    """Nothing is on this machine of what the modules leave there."""
    for case in (*FETCHES.values(), *OPERATIONS.values()):
        case.forget()


def parameters(module: str) -> dict[str, Any]:
    """What the module can be run with on a fresh sandbox; a resource is made then."""
    return CASES[module].options


def logins(prefix: str = "") -> dict[str, dict[str, str]]:
    """Defaults of modules that log in with what variables of the environment hold, with this before their names."""
    return {
        f"group/{PREFIX}{group}": {
            option: f"{{{{ lookup('ansible.builtin.env', '{prefix}{name}') }}}}"
            for option, name in service.credentials.items()
        }
        for group, service in SERVICES.items()
    }


def module_of(case: str) -> str:
    """The module that a case is one of."""
    return case.partition(" ")[0]


def task(case: str, step: str, options: dict[str, Any], **keywords: Any) -> dict[str, Any]:
    """One task of a playbook."""
    return {"name": f"{case}: {step}", f"{PREFIX}{module_of(case)}": options, **keywords}
