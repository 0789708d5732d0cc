# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check mode and the real run refuse the same declarations, before the first write that the server accepts."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from sandbox.client import Sandbox
from support.cases import RESOURCES, module_of, prepare
from support.playbook import run_here

Options = dict[str, Any]
UNKNOWN = "nope-zz"
NOT_VARIED = {"undeclared", "to_file", "src", "config", "on_error", "state", "update_secret", "owner", "group", "mode"}
# Differences that remain, with their reasons
KNOWN = {
    ("access_token", "scope"): "the server defines the scopes",
    ("inference_project", "residency"): "the server defines the values",
    ("review_config_file", "name"): "the administration program does not refuse the file",
}


@pytest.fixture(autouse=True)
def set_environment(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """Configure the modules with environment variables. Forget the cached version of the server."""
    monkeypatch.setattr(session, "_CONNECTIONS", {})
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)


def vary(case: str) -> Iterator[tuple[str, Options]]:
    """Yield each text option with an unknown value, and each list of texts with an unknown element."""
    code = importlib.import_module(f"ansible_collections.buildworks.toolchain.plugins.modules.{module_of(case)}")
    options, connection = RESOURCES[case].options, set(code.SPEC.service.options)
    for name, option in code.SPEC.options.items():
        if name in NOT_VARIED | connection or option.get("no_log") or option.get("choices"):
            continue
        if option["type"] == "str":
            yield name, {**options, name: UNKNOWN}
        elif option.get("elements") == "str":
            yield name, {**options, name: [UNKNOWN]}


@pytest.mark.parametrize("case", RESOURCES)
def test_check_mode_and_the_real_run_refuse_the_same(case: str, sandbox: Sandbox) -> None:
    differences = {}
    for name, options in vary(case):
        refused, accepted = [], []
        for check_mode in (True, False):
            sandbox.reset()
            prepare(sandbox, case)
            done = run_here(sandbox, module_of(case), check_mode, **options)
            refused.append(done.status == "failed")
            writes = [request for request in done.requests if request["effect"] == "write"]
            accepted += [request["label"] for request in writes if request["status"] < 400]
        if (refused[0] != refused[1] or (refused[1] and accepted)) and (case, name) not in KNOWN:
            differences[name] = (refused, accepted)
    assert not differences
