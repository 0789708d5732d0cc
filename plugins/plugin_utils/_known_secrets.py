# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The credentials that a run may have come across, so that they can be hidden wherever they stand."""

from __future__ import annotations

import importlib
import os
import typing as t

from ansible.errors import AnsibleError
from ansible.template import Templar

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW

_SPECS: tuple[ArgumentSpec, ...] = (ARTIFACT, CI, REVIEW, INFERENCE)
_MODULES = "ansible_collections.buildworks.toolchain.plugins.modules"


def of_environment() -> set[str]:
    """Those that modules would take from the environment."""
    return set().union(*(spec.secrets(_from_environment(spec)) for spec in _SPECS))


def _from_environment(spec: ArgumentSpec) -> dict[str, str | None]:
    return {option: os.environ.get(spec.fallback(option)) for option in spec.options}


def of_host(play: t.Any, host: t.Any) -> set[str]:
    """Those in the variables of a host of the inventory."""
    variables = play.get_variable_manager().get_vars(play=play, host=host)
    templar = Templar(loader=play.get_loader(), variables=variables)
    secrets: set[str] = set()
    for spec in _SPECS:
        for option in spec.options:
            if (name := spec.service.variable(option)) in variables:
                secrets.update(spec.secrets({option: _templated(templar, variables[name])}))
    return secrets


def of_task(module: str, args: dict[str, t.Any]) -> set[str]:
    """Those among the arguments of a task.

    :arg module: one of this collection, without the collection's name
    """
    spec: ArgumentSpec = importlib.import_module(f"{_MODULES}.{module}").SPEC
    return {str(secret) for secret in spec.secrets(args)}


def _templated(templar: t.Any, value: t.Any) -> t.Any:
    try:
        return templar.template(value)
    except AnsibleError:  # what cannot be used was not used
        return None
