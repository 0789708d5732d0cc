# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""`purge` never removes what the task declares, or what the module or the server completes."""

from __future__ import annotations

import importlib

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from sandbox.client import Sandbox
from support.cases import RESOURCES, module_of, parameters, prepare
from support.playbook import run_here

_PACKAGE = "ansible_collections.buildworks.toolchain.plugins.modules"
# Their objects exist before the task, with entries that `purge` rightly removes
_EXISTING = {"artifact_properties", "artifact_properties of a tree", "ci_authorization server"}


def has_purge(case: str) -> bool:
    return "purge" in importlib.import_module(f"{_PACKAGE}.{module_of(case)}").SPEC.options


@pytest.mark.parametrize("case", [case for case in RESOURCES if has_purge(case) and case not in _EXISTING])
def test_purge_keeps_what_a_task_without_it_has_declared(
    sandbox: Sandbox, case: str, monkeypatch: pytest.MonkeyPatch, sandbox_environment: None
) -> None:
    monkeypatch.setattr(session, "_CONNECTIONS", {})
    prepare(sandbox, case)
    module, declared = module_of(case), {**parameters(case), "purge": False}
    assert run_here(sandbox, module, **declared).result["changed"]
    stored = sandbox.export_seed()
    for _run in range(2):
        done = run_here(sandbox, module, **{**declared, "purge": True})
        assert done.status == "ok", done.result
        assert not done.result["changed"], done.result
    assert sandbox.export_seed() == stored
