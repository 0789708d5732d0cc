# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A client of the sandbox's control API; needs nothing but Python's standard library."""

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
import urllib.request
from collections.abc import Iterator
from typing import Any

READY = "# sandbox ready at "


class SandboxError(Exception):
    """The sandbox refused, or did not start."""


class Sandbox:
    """A running sandbox."""

    def __init__(self, url: str, secret: str, pid: int | None = None) -> None:
        self.url = url.rstrip("/")
        self.secret = secret
        self.pid = pid
        # A proxy in the environment must not come between.
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    @functools.cached_property
    def environment(self) -> dict[str, str]:
        """The environment variables with which clients find the services."""
        return {**self.call("GET", "exports"), "SANDBOX_URL": self.url, "SANDBOX_SECRET": self.secret}

    def reset(self) -> None:
        """Everything as right after the start."""
        self.call("POST", "reset")

    def seed(self, data: dict[str, Any], reset: bool = False) -> None:
        """Add what a seed describes; with `reset` nothing else remains."""
        self.call("POST", "seed?reset=1" if reset else "seed", data, timeout=600)

    def switch(self, service: str, **values: Any) -> None:
        """Set switches of a service."""
        self.call("PATCH", "switches", {service: values})

    def switches(self) -> dict[str, dict[str, Any]]:
        """All switches by service."""
        return self.call("GET", "switches")

    def fault(self, **fields: Any) -> dict[str, Any]:
        """Let something go wrong: `kind`, and which requests it is for. Gives the fault, with its `id`."""
        return self.call("POST", "faults", fields)

    def faults(self) -> list[dict[str, Any]]:
        """The faults that are set, each with the number of requests it has matched."""
        return self.call("GET", "faults")["faults"]

    def clear_fault(self, id: int) -> None:
        """One thing does not go wrong any more."""
        self.call("DELETE", f"faults/{id}")

    def clear_faults(self) -> None:
        """Nothing goes wrong any more."""
        self.call("DELETE", "faults")

    def journal(self, service: str | None = None) -> list[dict[str, Any]]:
        """The requests served, oldest first."""
        return self.call("GET", f"journal?service={service}" if service else "journal")["requests"]

    def clear_journal(self) -> None:
        """Forget the requests served."""
        self.call("DELETE", "journal")

    def clock(self, **change: Any) -> dict[str, Any]:
        """The time in the sandbox, after `advance=seconds`, `set=seconds` or `frozen=bool` if given."""
        return self.call("PUT", "clock", change) if change else self.call("GET", "clock")

    def state(self) -> dict[str, dict[str, Any]]:
        """What there is: by service and table `total` and the first `rows`."""
        return self.call("GET", "state")

    def call(self, method: str, path: str, body: Any = None, timeout: float = 60) -> Any:
        """One call of the control API, also of a service's own control paths; it may take so many seconds."""
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
    """Run a sandbox of one's own for as long as the `with` block lasts."""
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
            yield _attach(process)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


def _attach(process: subprocess.Popen[str]) -> Sandbox:
    assert process.stdout is not None
    variables: dict[str, str] = {}
    for line in process.stdout:
        if line.startswith(READY):
            return Sandbox(variables["SANDBOX_URL"], variables["SANDBOX_SECRET"], process.pid)
        name, _unused, value = line.removeprefix("export ").partition("=")
        variables[name] = shlex.split(value)[0] if value.strip() else ""
    raise SandboxError(f"The sandbox ended with status {process.wait()} before it was ready.")
