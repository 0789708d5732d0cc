# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hudson 1.395, the last release before the fork of Jenkins."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from build_folder import BUILD
from support.clients.maven import Maven
from support.servers.process import UnavailableError, direct_session, free_port, is_ready, run_server, wait_for

SCRIPT = Path(__file__).with_name("hudson.sh")
JOB = """<?xml version='1.0' encoding='UTF-8'?>
<project>
  <properties/>
  <builders><hudson.tasks.Shell><command>{command}</command></hudson.tasks.Shell></builders>
  <publishers/>
  <buildWrappers/>
</project>"""


@dataclass(frozen=True)
class Credentials:
    """A user of the server."""

    username: str
    password: str


@dataclass(frozen=True)
class Hudson:
    """A running Hudson. Without users, all requests have administrator permissions."""

    url: str
    home: Path
    log: Path
    pid: int
    csrf: bool
    users: bool
    admin: Credentials
    reader: Credentials

    def session(self, user: Credentials) -> requests.Session:
        """Return a session of a user, with a crumb if the server requires one."""
        session = direct_session()
        if self.users:
            session.auth = (user.username, user.password)
        if self.csrf:
            answer = session.get(f"{self.url}/crumbIssuer/api/json", timeout=30)
            answer.raise_for_status()
            session.headers[answer.json()["crumbRequestField"]] = answer.json()["crumb"]
        return session

    def create_sleeping_job(self, name: str, seconds: int) -> None:
        """Create a freestyle job whose builds sleep for a number of seconds."""
        self.create_job(name, f"sleep {seconds}")

    def create_job(self, name: str, command: str) -> None:
        """Create a freestyle job whose builds run a command."""
        with self.session(self.admin) as session:
            session.post(
                f"{self.url}/createItem",
                params={"name": name},
                data=JOB.format(command=command),
                headers={"Content-Type": "text/xml; charset=utf-8"},
                timeout=30,
            ).raise_for_status()

    def delete_jobs(self) -> None:
        """Delete all jobs with their builds."""
        with self.session(self.admin) as session:
            for job in session.get(f"{self.url}/api/json", timeout=30).json()["jobs"]:
                session.post(f"{job['url']}doDelete", allow_redirects=False, timeout=30).raise_for_status()

    def start_build(self, job: str) -> int:
        """Start a build and return its number once it runs."""
        with self.session(self.admin) as session:
            number: int = session.get(f"{self.url}/job/{job}/api/json", timeout=30).json()["nextBuildNumber"]
            # This server returns the page of the job instead of a queue item.
            session.post(
                f"{self.url}/job/{job}/build", params={"delay": "0sec"}, allow_redirects=False, timeout=30
            ).raise_for_status()
            wait_for(
                lambda: session.get(f"{self.url}/job/{job}/{number}/api/json", timeout=30).ok, "the build to start"
            )
        return number

    def build(self, job: str, number: int) -> dict[str, Any]:
        """Return the record of a build, with `building` and `result`."""
        with self.session(self.admin) as session:
            answer = session.get(f"{self.url}/job/{job}/{number}/api/json", timeout=30)
            answer.raise_for_status()
            described: dict[str, Any] = answer.json()
            return described

    def wait_for_build(self, job: str, number: int) -> str:
        """Wait for a build to finish and return its result."""
        wait_for(lambda: not self.build(job, number)["building"], f"{job} #{number} to end")
        result: str = self.build(job, number)["result"]
        return result

    def wait_until_ready(self) -> None:
        """Wait until the server is ready."""
        wait_for(lambda: is_ready(f"{self.url}/api/json"), "the server to answer")


def fetch() -> dict[str, str]:
    """Download the server once, and return the environment for its script."""
    maven = Maven.fetch()
    settings = {
        "PATH": f"{maven.program.parent}:{os.environ['PATH']}",
        "MAVEN_ARGS": f"-Dmaven.repo.local.tail={maven.plugins}",
        "HUDSON_CACHE": str(BUILD / "hudson"),
    }
    environment = {**os.environ, **settings}
    done = subprocess.run(["bash", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UnavailableError(f"Hudson cannot be fetched: {done.stdout}{done.stderr}")
    return environment


@contextlib.contextmanager
def hudson(csrf: bool = True, users: bool = True) -> Iterator[Hudson]:
    """Run Hudson on loopback with a new home directory. With users, these are an administrator and a reader."""
    environment = fetch()
    admin = Credentials("admin", "worthless-admin-password")
    reader = Credentials("reader", "worthless-reader-password")
    settings = {"HUDSON_CSRF": "1" if csrf else "0"}
    if users:
        settings |= {
            "HUDSON_USER": admin.username,
            "HUDSON_PASSWORD": admin.password,
            "HUDSON_READER": reader.username,
            "HUDSON_READER_PASSWORD": reader.password,
        }
    with tempfile.TemporaryDirectory(prefix="hudson-", ignore_cleanup_errors=True) as name:
        home = Path(name) / "home"
        log = Path(name) / "hudson.log"
        port = free_port()
        url = f"http://127.0.0.1:{port}"
        command = ["bash", str(SCRIPT), str(port), str(home)]
        with run_server(command, f"{url}/api/json", log, timeout=180, env={**environment, **settings}) as pid:
            yield Hudson(url, home, log, pid, csrf, users, admin, reader)
