# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Client for the sandbox's control API. It requires only Python's standard library."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from typing import Any

READY = "# sandbox ready at "


class SandboxError(Exception):
    """The sandbox did not start, or it rejected a call of the control API."""


class Sandbox:
    """A running sandbox."""

    def __init__(self, url: str, secret: str, pid: int | None = None) -> None:
        """Connect to a running sandbox.

        :arg url: value of `SANDBOX_URL`
        :arg secret: value of `SANDBOX_SECRET`
        :arg pid: process ID of the sandbox, if it is known
        """
        self.url = url.rstrip("/")
        self.secret = secret
        self.pid = pid
        # Ignore proxies that are set in the environment.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    @functools.cached_property
    def environment(self) -> dict[str, str]:
        """Environment variables with the addresses and credentials of the services."""
        return {**self.call("GET", "exports"), "SANDBOX_URL": self.url, "SANDBOX_SECRET": self.secret}

    def reset(self) -> None:
        """Restore the initial state."""
        self.call("POST", "reset")

    def seed(self, data: dict[str, Any], reset: bool = False) -> None:
        """Add the contents of a seed.

        :arg reset: whether to delete everything else first
        """
        self.call("POST", "seed?reset=1" if reset else "seed", data, timeout=600)

    def export_seed(self) -> dict[str, Any]:
        """Return the contents as a `seed`, what it does not contain (`omitted`) by service, and both as `yaml`."""
        return self.call("GET", "seed", timeout=600)

    def load_snapshot(self, directory: str | os.PathLike[str]) -> None:
        """Replace the data of all services by a snapshot of the role `snapshot`."""
        folder = pathlib.Path(directory)
        files = {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.glob("*/*.json*")}
        self.call("POST", "snapshot", files, timeout=600)

    def switch(self, service: str, **values: Any) -> None:
        """Set switches of a service."""
        self.call("PATCH", "switches", {service: values})

    def switches(self) -> dict[str, dict[str, Any]]:
        """Return all switches by service."""
        return self.call("GET", "switches")

    def fault(self, **fields: Any) -> dict[str, Any]:
        """Inject a fault and return it with its `id`.

        :arg fields: `kind`, and the conditions that requests must meet
        """
        return self.call("POST", "faults", fields)

    def fault_preset(self, name: str, **fields: Any) -> list[dict[str, Any]]:
        """Inject the faults of a preset, and return them.

        :arg name: `unavailable`, `slow_network`, `expired_token`, `read_only_account` or `disk_full`
        :arg fields: fields of a fault that differ from the preset, such as `service`
        """
        return self.call("POST", f"faults/presets/{name}", fields)["faults"]

    def faults(self) -> list[dict[str, Any]]:
        """Return the active faults, each with its number of matching requests."""
        return self.call("GET", "faults")["faults"]

    def clear_fault(self, id: int) -> None:
        """Remove a fault."""
        self.call("DELETE", f"faults/{id}")

    def clear_faults(self) -> None:
        """Remove all faults."""
        self.call("DELETE", "faults")

    def journal(self, service: str | None = None) -> list[dict[str, Any]]:
        """Return the served requests, oldest first."""
        return self.call("GET", f"journal?service={service}" if service else "journal")["requests"]

    def journal_entry(self, number: int) -> dict[str, Any]:
        """Return a request with headers and bodies, without secrets, and as a command of `curl`."""
        return self.call("GET", f"journal/{number}")

    def replay(self, number: int) -> int:
        """Send a request of the journal again, and return the number of its new entry."""
        return self.call("POST", f"journal/{number}/replay", timeout=120)["n"]

    def clear_journal(self) -> None:
        """Delete all journal entries."""
        self.call("DELETE", "journal")

    def clock(self, **change: Any) -> dict[str, Any]:
        """Change the clock, if a change is given, and return its state.

        :arg change: `advance` or `set` with a number of seconds, or `frozen` with a boolean
        """
        return self.call("PUT", "clock", change) if change else self.call("GET", "clock")

    def state(self) -> dict[str, dict[str, Any]]:
        """Return the contents by service and table: the `total` number of rows and the first `rows`."""
        return self.call("GET", "state")

    def state_table(self, service: str, table: str, parent: Any = None, offset: int = 0) -> dict[str, Any]:
        """Return up to 100 rows of a table, their `total` number, and the names of the tables `nested` below each row.

        :arg parent: ID of the row that the table is below
        :arg offset: number of rows to skip
        """
        query = {"offset": offset} if parent is None else {"offset": offset, "parent": parent}
        return self.call("GET", f"state/{service}/{table}?{urllib.parse.urlencode(query)}")

    def call(self, method: str, path: str, body: Any = None, timeout: float = 60) -> Any:
        """Call the control API and return the response.

        :arg path: path below `/_sandbox/`, including control paths of a service
        :arg timeout: in seconds
        :raises SandboxError: if the sandbox returns an error
        """
        request = urllib.request.Request(
            f"{self.url}/_sandbox/{path}",
            None if body is None else json.dumps(body).encode(),
            {"Authorization": f"Bearer {self.secret}", "Content-Type": "application/json"},
            method=method,
        )
        try:
            with self._opener.open(request, timeout=timeout) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise SandboxError(f"{method} {path}: {error.code} {error.read().decode()}") from error


@contextlib.contextmanager
def start(
    port: int = 0,
    seed: str | os.PathLike[str] | None = None,
    state: str | os.PathLike[str] | None = None,
    review_port: int | None = None,
    ssh_port: int | None = None,
    python: str = sys.executable,
) -> Iterator[Sandbox]:
    """Start a sandbox for the duration of a `with` block. The arguments are those of the command line.

    :raises SandboxError: if it does not start
    """
    command = [python, "-m", "sandbox", "--port", str(port)]
    for option, number in (("--review-port", review_port), ("--ssh-port", ssh_port)):
        if number is not None:
            command += [option, str(number)]
    for option, value in (("--seed", seed), ("--state", state)):
        if value is not None:
            command += [option, str(pathlib.Path(value).absolute())]
    with subprocess.Popen(
        command, cwd=pathlib.Path(__file__).parent.parent, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield _connect(process)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def _connect(process: subprocess.Popen[str]) -> Sandbox:
    """Read the exports of a sandbox that starts, and return it once it is ready."""
    assert process.stdout is not None
    variables: dict[str, str] = {}
    for line in process.stdout:
        if line.startswith(READY):
            return Sandbox(variables["SANDBOX_URL"], variables["SANDBOX_SECRET"], process.pid)
        name, _unused, value = line.removeprefix("export ").partition("=")
        variables[name] = shlex.split(value)[0] if value.strip() else ""
    raise SandboxError(f"The sandbox exited with status {process.wait()} before it was ready.")
