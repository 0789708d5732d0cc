# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Items share what they read first, but never the verification: the last write of an item is followed by a read."""

from __future__ import annotations

import importlib
import pathlib
from typing import Any

import pytest

from sandbox.client import Sandbox
from support import running
from support.cases import RESOURCES, SERVICE_OF, module_of
from support.cases.form import Resource
from support.scene import STEPS, Scene

# Names in `items` of options that are connection options beside it
RENAMED = {"user_password": "password", "credential_username": "username", "credential_password": "password"}


def list_item_options(module: str) -> dict[str, Any]:
    """Return the options of the entries of `items`; none if the module has no items."""
    code = importlib.import_module(f"ansible_collections.buildworks.toolchain.plugins.modules.{module_of(module)}")
    return dict(code.SPEC.options.get("items", {}).get("options", {}))


@pytest.mark.parametrize("module", [name for name in RESOURCES if list_item_options(name)])
def test_change_of_an_item_is_read_back(module: str, sandbox: Sandbox, tmp_path: pathlib.Path) -> None:
    scene = Scene(sandbox, module, tmp_path)
    scene.begin("create")
    for step in STEPS:
        assert isinstance(scene.case, Resource)
        options = getattr(scene.case, step)
        item = {RENAMED.get(name, name): value for name, value in options.items()}
        inside = {name: value for name, value in item.items() if name in list_item_options(module)}
        beside = {name: value for name, value in item.items() if name not in inside}
        sandbox.clear_journal()
        result = running.run(module_of(module), items=[inside], **beside)
        assert result["changed"], (step, result)
        effects = [request["effect"] for request in sandbox.journal(SERVICE_OF[module])]
        assert "write" in effects
        assert effects[-1] == "read", (step, effects)
