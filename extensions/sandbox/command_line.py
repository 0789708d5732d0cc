# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line of `python -m sandbox` and `toolchain-sandbox`."""

from __future__ import annotations

import argparse
import asyncio
import os
import pathlib
import resource
import secrets
import shlex
import socket
import sqlite3
import sys
import tempfile
from importlib.util import find_spec

import uvicorn
import yaml

from . import __doc__ as description
from . import console
from .client import READY
from .http.app import App
from .http.hosts import HostCheck, parse_name
from .http.server import MAX_HEAD_SIZE, HTTPProtocol, Server, WebSocketProtocol
from .runtime.database import StateError
from .sandbox import DEFAULT_SEED, Sandbox
from .seeds.schema import SeedError

MAX_OPEN_FILES = 65536
# Addresses for clients on the same machine if the server listens on all addresses
LOOPBACK = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def _parse_arguments() -> argparse.Namespace:
    is_installed = pathlib.Path(sys.argv[0]).name != "__main__.py"
    program = "toolchain-sandbox" if is_installed else "python -m sandbox"
    parser = argparse.ArgumentParser(prog=program, description=description)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", type=_parse_port, default=0, help="port to listen on (default: a free port)")
    review_help = "port that serves the Klocwork API without a path prefix (default: none)"
    parser.add_argument("--review-port", type=_parse_port, help=review_help)
    parser.add_argument("--ssh-port", type=_parse_port, help="port of the Jenkins SSH server (default: none)")
    allow_help = "host name or address that clients may use besides loopback; can be repeated"
    parser.add_argument("--allow-host", type=_parse_host, action="append", default=[], metavar="NAME", help=allow_help)
    state_help = "directory for persistent state (default: a temporary directory)"
    parser.add_argument("--state", type=pathlib.Path, help=state_help)
    seed_help = "initial data: a YAML file, a directory with one file for each service, or a snapshot"
    parser.add_argument("--seed", type=pathlib.Path, default=DEFAULT_SEED, help=seed_help)
    return parser.parse_args()


def _parse_port(text: str) -> int:
    port = int(text)
    if not 0 <= port <= 65535:
        raise argparse.ArgumentTypeError(f"{port} is not between 0 and 65535")
    return port


def _parse_host(text: str) -> str:
    try:
        return parse_name(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _create_listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family, backlog=512)


def _build_url(host: str, port: int) -> str:
    name = LOOPBACK.get(host, host)
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


async def _serve(arguments: argparse.Namespace) -> None:
    secret = os.environ.get("SANDBOX_SECRET") or secrets.token_urlsafe(24)
    listeners = [_create_listener(arguments.host, arguments.port)]
    if arguments.review_port is not None:
        listeners.append(_create_listener(arguments.host, arguments.review_port))
    sandbox = Sandbox(arguments.state, arguments.seed)
    tempfile.tempdir = str(sandbox.runtime.files.incoming)
    port, *own_ports = (listener.getsockname()[1] for listener in listeners)
    url = _build_url(arguments.host, port)
    ports = {own_port: sandbox.service("review") for own_port in own_ports}
    for own_port, service in ports.items():
        service.own_url = _build_url(arguments.host, own_port)
    if arguments.ssh_port is not None:
        sandbox.service("ci").ssh_address = (LOOPBACK.get(arguments.host, arguments.host), arguments.ssh_port)
    await sandbox.start()
    variables = {**sandbox.exports(url), "SANDBOX_URL": url, "SANDBOX_SECRET": secret}
    banner = [f"export {name}={shlex.quote(value)}" for name, value in variables.items()]
    banner += [f"# console at {url}{console.PATH}", f"{READY}{url}"]
    config = uvicorn.Config(
        App(sandbox, secret, ports, HostCheck([arguments.host.lower(), *arguments.allow_host])),
        http=HTTPProtocol,
        ws=WebSocketProtocol,
        lifespan="off",
        log_level="critical",
        server_header=False,
        date_header=False,
        timeout_keep_alive=60,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=MAX_HEAD_SIZE,
    )
    try:
        await Server(config, sandbox.runtime.guard, banner).serve(listeners)
    finally:
        await sandbox.stop()


def _raise_open_files_limit() -> None:
    """Raise the soft limit of open files, which is often 1,024, so that idle connections do not reach it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < MAX_OPEN_FILES:
        resource.setrlimit(resource.RLIMIT_NOFILE, (MAX_OPEN_FILES if hard == -1 else min(hard, MAX_OPEN_FILES), hard))


def main() -> None:
    """Serve until SIGTERM or SIGINT. If the sandbox cannot start, print a message and exit with status 1."""
    arguments = _parse_arguments()
    if arguments.ssh_port is not None and not find_spec("asyncssh"):
        sys.exit(
            "--ssh-port requires the Python package asyncssh. "
            f"Install it with '{sys.executable} -m pip install asyncssh'."
        )
    _raise_open_files_limit()
    os.umask(0o077)  # All files are private to the account.
    with asyncio.Runner() as runner:
        try:
            runner.run(_serve(arguments))
        except (OSError, yaml.YAMLError, SeedError, StateError, sqlite3.Error) as error:
            sys.exit(f"The sandbox cannot start: {error}")
        os._exit(0)  # A regular exit would wait for threads, which cannot be stopped.
