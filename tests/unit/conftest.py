# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils import _http, _wait


@pytest.fixture(autouse=True)
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that the code under test slept for, without having done so."""
    slept: list[float] = []
    for module in (_http, _wait):
        monkeypatch.setattr(module.time, "sleep", slept.append)
    return slept


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No credential, address or proxy comes from the environment of whoever runs the tests."""
    for name in ("JFROG", "JENKINS", "KLOCWORK", "OPENAI"):
        for suffix in ("URL", "ACCESS_TOKEN", "USER_ID", "API_TOKEN", "LTOKEN", "BASE_URL", "API_KEY", "ADMIN_KEY"):
            monkeypatch.delenv(f"{name}_{suffix}", raising=False)
