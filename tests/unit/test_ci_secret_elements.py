# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets in the XML of Jenkins configurations are secrets of each module that takes such XML."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

PACKAGE = "ansible_collections.buildworks.toolchain.plugins.modules"
MODULES = ["ci_folder", "ci_job", "ci_node", "ci_view"]
ELEMENTS = (
    *("password", "secret", "apiToken", "privateKey", "passphrase", "token", "secretKey", "clientSecret", "authToken"),
    *("x.y.Z_-Password", "ns:password", "secretText"),
)
SECRET = "h1dden & value"


def list_secrets(module: str, **options: Any) -> set[str]:
    code = importlib.import_module(f"{PACKAGE}.{module}")
    found: set[str] = code.SPEC.secrets(options)
    return found


@pytest.mark.parametrize("module", MODULES)
@pytest.mark.parametrize("name", ELEMENTS)
@pytest.mark.parametrize(
    "form",
    [
        "<a><{name}>h1dden &amp; value</{name}></a>",
        "<a><{name} plugin='x@1'>\n  h1dden &amp; value\n</{name}></a>",
        "<a><{name}><![CDATA[h1dden & value]]></{name}></a>",
        '<a {name}="h1dden &amp; value"/>',
        "<a><{name}>h1dden &amp; value</{name}></b>",
    ],
)
def test_secret_element_is_a_secret(module: str, name: str, form: str) -> None:
    config = form.format(name=name)
    assert SECRET in list_secrets(module, config=config)
    assert SECRET in list_secrets(module, items=[{"name": "a", "config": config}])


@pytest.mark.parametrize("module", MODULES)
def test_default_of_a_password_parameter_is_a_secret(module: str) -> None:
    parameter = "hudson.model.PasswordParameterDefinition"
    config = f"<a><{parameter}><defaultValue>h1dden</defaultValue></{parameter}><defaultValue>shown</defaultValue></a>"
    assert list_secrets(module, config=config) == {"h1dden"}


@pytest.mark.parametrize("module", MODULES)
def test_other_elements_are_no_secrets(module: str) -> None:
    config = "<a><credentialsId>deploy</credentialsId><useSecret>true</useSecret><description>x</description></a>"
    assert list_secrets(module, config=config) == set()
