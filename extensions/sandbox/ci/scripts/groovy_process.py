# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A Java process that runs Groovy scripts, if a Groovy JAR is configured."""

from __future__ import annotations

import asyncio
import pathlib
from urllib.parse import unquote_plus, urlencode

from ...runtime.guard import Guard

FOLDER = pathlib.Path(__file__).parent / "groovy"
LONGEST_ANSWER = 2**28
OPTIONS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


class Groovy:
    """Runs scripts one after another in a process that starts with the first script."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._process: asyncio.subprocess.Process | None = None
        self._jar = ""
        self._lock = asyncio.Lock()

    async def execute(self, jar: str, where: str, fields: dict[str, str]) -> str | None:
        """Return the output of the console, or None if the process ended.

        :arg where: `controller`, or another text for another node
        """
        async with self._lock:
            process = await self._running(jar)
            assert process.stdin and process.stdout
            process.stdin.write(f"{where} {urlencode(fields)}\n".encode())
            line = await process.stdout.readline()
            if not line.endswith(b"\n"):
                await self.stop()
                return None
        return unquote_plus(line.decode().removesuffix("\n"))

    async def _running(self, jar: str) -> asyncio.subprocess.Process:
        if jar != self._jar:
            await self.stop()
        if self._process is None or self._process.returncode is not None:
            command = ("java", *OPTIONS, "-cp", f"{jar}:{FOLDER}", "groovy.ui.GroovyMain", FOLDER / "console.groovy")
            pipe = asyncio.subprocess.PIPE
            self._process = await asyncio.create_subprocess_exec(
                *command, stdin=pipe, stdout=pipe, limit=LONGEST_ANSWER, process_group=self._guard.process_group
            )
            self._jar = jar
        return self._process

    async def stop(self) -> None:
        """Stop the process."""
        process, self._process = self._process, None
        if process and process.returncode is None:
            process.kill()
            await process.wait()
