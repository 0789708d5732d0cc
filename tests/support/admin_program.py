# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A replacement for kwadmin that records its calls and prints scripted output."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

SOURCE = """\
import json, os, pathlib, sys, time
folder = pathlib.Path(__file__).parent
path = os.environ.get("KLOCWORK_LTOKEN")
call = {"words": sys.argv[1:], "ltoken": None}
if path and os.path.exists(path):
    call["ltoken"] = pathlib.Path(path).read_text()
    call["mode"] = oct(os.stat(path).st_mode)[-3:]
    call["path"] = path
with open(folder / "calls", "a") as file:
    file.write(json.dumps(call) + "\\n")
answer = json.loads((folder / "answers").read_text())[sys.argv[3]]
sys.stdout.write(answer.get("out", ""))
sys.stderr.write(answer.get("error", ""))
sys.stdout.flush()
time.sleep(answer.get("seconds", 0))
if "signal" in answer:
    os.kill(os.getpid(), answer["signal"])
sys.exit(answer.get("status", 0))
"""


class Program:
    """The program with its scripted output by command and its recorded calls."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        script = folder / "kwadmin.py"
        script.write_text(SOURCE)
        self.words = [sys.executable, str(script)]
        self._answers: dict[str, dict[str, Any]] = {}

    def answers(self, command: str, **answer: Any) -> None:
        """Script the further calls of a command: `out`, `error`, `status`, `seconds`, `signal`."""
        self._answers[command] = answer
        (self._folder / "answers").write_text(json.dumps(self._answers))

    def calls(self) -> list[dict[str, Any]]:
        """Return the calls since the last query."""
        log = self._folder / "calls"
        lines = log.read_text().splitlines() if log.exists() else []
        log.write_text("")
        return [json.loads(line) for line in lines]

    def words_of_calls(self) -> list[list[str]]:
        """Return the arguments of the calls since the last query."""
        return [call["words"] for call in self.calls()]
