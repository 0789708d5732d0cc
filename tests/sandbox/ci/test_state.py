# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: persistent state."""

from __future__ import annotations

from typing import Any

from sandbox import client
from support.wire.ci import Ci


def test_state_survives_a_restart_of_the_sandbox(tmp_path: Any) -> None:
    with client.start(state=tmp_path) as first:
        Ci(first).create("mine")
        session = Ci(first).get("/login").headers["X-Jenkins-Session"]
    with client.start(state=tmp_path) as second:
        assert Ci(second).json("/job/mine")["name"] == "mine"
        assert Ci(second).get("/login").headers["X-Jenkins-Session"] == session
