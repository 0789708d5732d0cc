# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The credentials and addresses that a playbook run may use, so that reports can mask or compare them."""

from __future__ import annotations

import base64
import functools
import importlib
import os
import typing as t
from urllib.parse import urlsplit

from ansible.errors import AnsibleError
from ansible.template import Templar

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW

# First character of base64 that depends only on the secret, if 0, 1 or 2 bytes precede it
_FIRST_CHARACTERS = (0, 2, 3)
# Shorter texts occur by chance
_SHORTEST_ENCODED = 6
_URL_SAFE = str.maketrans("+/", "-_")
_SPECS: tuple[ArgumentSpec, ...] = (ARTIFACT, CI, REVIEW, INFERENCE)
_MODULES = "ansible_collections.buildworks.toolchain.plugins.modules"


def find_in_environment() -> set[str]:
    """Return the credentials in the environment."""
    return set().union(*(_with_logins(spec, _from_environment(spec)) for spec in _SPECS))


def _from_environment(spec: ArgumentSpec) -> dict[str, str | None]:
    return {option: os.environ.get(spec.environment_variable(option)) for option in spec.options}


def find_in_host(play: t.Any, host: t.Any) -> tuple[set[str], set[str]]:
    """Return the credentials and the addresses in the variables of a host."""
    variables = play.get_variable_manager().get_vars(play=play, host=host)
    templar = Templar(loader=play.get_loader(), variables=variables)
    secrets: set[str] = set()
    addresses = {str(_template(templar, variables.get("ansible_host")) or "")}
    for spec in _SPECS:
        names = {option: spec.service.host_variable(option) for option in spec.options}
        values = {option: _template(templar, variables[name]) for option, name in names.items() if name in variables}
        secrets |= _with_logins(spec, values)
        addresses |= _find_addresses(values.get("url"))
    return secrets, addresses


def _find_addresses(url: t.Any) -> set[str]:
    """Return the host of a URL, also with its port."""
    try:
        parts = urlsplit(str(url or ""))
        return {parts.netloc.rpartition("@")[2], parts.hostname or ""}
    except ValueError:  # an unusable value is not used
        return set()


def find_in_task(module: str, args: dict[str, t.Any]) -> set[str]:
    """Return the credentials in the arguments of a task.

    :arg module: module name without the collection
    """
    return _with_logins(load_spec(module), args)


@functools.cache
def load_spec(module: str) -> ArgumentSpec:
    """Return the options of a module."""
    return importlib.import_module(f"{_MODULES}.{module}").SPEC


@functools.cache
def encode_variants(secret: str) -> frozenset[str]:
    """Return the base64 encodings of a secret, also after other text such as a user name.

    Characters that depend on the other text are omitted.
    """
    data = secret.encode(errors="backslashreplace")
    variants = {base64.b64encode(data).decode()}
    for before, first in enumerate(_FIRST_CHARACTERS):
        text = base64.b64encode(bytes(before) + data).decode().rstrip("=")
        whole = text[first:-1] if (before + len(data)) % 3 else text[first:]
        variants.update([whole] if len(whole) >= _SHORTEST_ENCODED else [])
    return frozenset(variants | {text.translate(_URL_SAFE) for text in variants})


def _with_logins(spec: ArgumentSpec, values: dict[str, t.Any]) -> set[str]:
    """Return the secrets, also after the user name, because base64 of a short secret alone is too short to search."""
    secrets = {str(secret) for secret in spec.secrets(values)}
    username = values.get("username")
    return secrets | {f"{username}:{secret}" for secret in secrets if username}


def _template(templar: t.Any, value: t.Any) -> t.Any:
    try:
        return templar.template(value)
    except AnsibleError:  # an unusable value is not used
        return None
