# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The administration calls of jfrog-client-go, JFrog's client library, through the program platform/main.go."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from support.clients.go_program import build_programs


def platform_client() -> Path:
    """Return the program, built once."""
    return build_programs(Path(__file__).with_name("platform"), ".") / "platform"


class Platform:
    """A JFrog Platform, administered with jfrog-client-go.

    :arg program: the program that `platform_client` returns
    """

    def __init__(self, program: Path, url: str, token: str) -> None:
        self._command = [program, url, token]

    def run(self, call: str, name: str = "", **members: Any) -> Any:
        """Return the result of a call, or fail with the error of the client."""
        outcome = self._send(call, name, members)
        assert "error" not in outcome, outcome["error"]
        return outcome["result"]

    def fail(self, call: str, name: str = "", **members: Any) -> str:
        """Return the error of a call that the platform refuses."""
        return str(self._send(call, name, members)["error"])

    def _send(self, call: str, name: str, members: dict[str, Any]) -> dict[str, Any]:
        request = json.dumps({"call": call, "name": name, **members})
        done = subprocess.run(self._command, input=request, capture_output=True, text=True, check=True)
        outcome: dict[str, Any] = json.loads(done.stdout)
        return outcome
