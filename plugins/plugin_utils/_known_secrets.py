# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The credentials that a run may have come across, so that they can be hidden wherever they stand."""

from __future__ import annotations

import base64
import functools
import importlib
import os
import typing as t

from ansible.errors import AnsibleError
from ansible.template import Templar

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW

# Of base64, behind no, one and two other bytes: the first character that no other byte has a part in
_FIRST_CHARACTERS = (0, 2, 3)
# Shorter ones stand in other texts by chance
_SHORTEST_ENCODED = 6
_URL_SAFE = str.maketrans("+/", "-_")
_SPECS: tuple[ArgumentSpec, ...] = (ARTIFACT, CI, REVIEW, INFERENCE)
_MODULES = "ansible_collections.buildworks.toolchain.plugins.modules"


def of_environment() -> set[str]:
    """Those that modules would take from the environment."""
    return set().union(*(_with_logins(spec, _from_environment(spec)) for spec in _SPECS))


def _from_environment(spec: ArgumentSpec) -> dict[str, str | None]:
    return {option: os.environ.get(spec.environment_variable(option)) for option in spec.options}


def of_host(play: t.Any, host: t.Any) -> set[str]:
    """Those in the variables of a host of the inventory."""
    variables = play.get_variable_manager().get_vars(play=play, host=host)
    templar = Templar(loader=play.get_loader(), variables=variables)
    secrets: set[str] = set()
    for spec in _SPECS:
        names = {option: spec.service.host_variable(option) for option in spec.options}
        values = {option: _templated(templar, variables[name]) for option, name in names.items() if name in variables}
        secrets |= _with_logins(spec, values)
    return secrets


def of_task(module: str, args: dict[str, t.Any]) -> set[str]:
    """Those among the arguments of a task.

    :arg module: one of this collection, without the collection's name
    """
    spec: ArgumentSpec = importlib.import_module(f"{_MODULES}.{module}").SPEC
    return _with_logins(spec, args)


@functools.cache
def encoded(secret: str) -> frozenset[str]:
    """Return what a secret becomes in base64, also behind other text, such as the user name of a login.

    Behind other text, the first and last characters depend on that text. They are not in the result.
    """
    data = secret.encode(errors="backslashreplace")
    found = {base64.b64encode(data).decode()}
    for before, first in enumerate(_FIRST_CHARACTERS):
        text = base64.b64encode(bytes(before) + data).decode().rstrip("=")
        whole = text[first:-1] if (before + len(data)) % 3 else text[first:]
        found.update([whole] if len(whole) >= _SHORTEST_ENCODED else [])
    return frozenset(found | {text.translate(_URL_SAFE) for text in found})


def _with_logins(spec: ArgumentSpec, values: dict[str, t.Any]) -> set[str]:
    """Return the secrets, and each behind the user name, because a short one is not found in base64 otherwise."""
    secrets = {str(secret) for secret in spec.secrets(values)}
    username = values.get("username")
    return secrets | {f"{username}:{secret}" for secret in secrets if username}


def _templated(templar: t.Any, value: t.Any) -> t.Any:
    try:
        return templar.template(value)
    except AnsibleError:  # what cannot be used was not used
        return None
