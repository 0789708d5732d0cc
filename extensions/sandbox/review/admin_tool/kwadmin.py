# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A replacement for kwadmin, the administration tool of Klocwork. It requires only Python's standard library.

It logs in with the entry of the ltoken file for the server and prints one item per line. The exit status is 0 on
success, 1 if the server returned an error, and 2 if the command line is invalid.
"""

import argparse
import base64
import getpass
import json
import os
import pathlib
import sys
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlencode, urlsplit

PATH = "/review/admin"

# The arguments of each command, with the names of the server's parameters; `file` and `folder` are local paths
COMMANDS = {
    "list-projects": "",
    "create-project": "name --encoding --language",
    "delete-project": "name",
    "duplicate-project": "name new_name",
    "rename-project": "name new_name",
    "get-project-properties": "project",
    "set-project-property": "project property value",
    "list-config-files": "project",
    "list-config-types": "",
    "import-config": "project file",
    "export-config": "project name",
    "delete-config": "project name",
    "list-builds": "project",
    "delete-build": "project name",
    "rename-build": "project name new_name",
    "load": "--name --force project folder",
}
FLAGS = ("--force",)


def main() -> None:
    """Run a command."""
    arguments = vars(_create_parser().parse_args())
    url = arguments.pop("url") or _build_url(arguments)
    sandbox = os.environ.get("TOOLCHAIN_REHEARSAL_URL")
    if sandbox and urlsplit(url)[:2] != urlsplit(sandbox)[:2]:
        sys.exit(f"Connections to {url} are disabled during a rehearsal.")
    fields = {name: value for name, value in arguments.items() if value and name not in ("host", "port", "ssl")}
    try:
        response = _send(url, {**_read_login(url), **_add_content(fields)})
    except OSError as error:
        sys.exit(f"Cannot connect to {url}: {getattr(error, 'reason', error)}")
    for warning in response["warnings"]:
        print(f"Warning: {warning}", file=sys.stderr)
    if "message" in response:
        sys.exit(response["message"])
    sys.stdout.write("".join(f"{line}\n" for line in response["lines"]))


def _create_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="kwadmin", fromfile_prefix_chars="@", allow_abbrev=False)
    parser.add_argument("--url")
    parser.add_argument("--host", default="localhost")
    parser.add_argument("--port", default="8080")
    parser.add_argument("--ssl", action="store_true")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name, arguments in COMMANDS.items():
        command = commands.add_parser(name, allow_abbrev=False)
        for word in arguments.split():
            if word in FLAGS:
                command.add_argument(word, action="store_const", const="true")
            else:
                command.add_argument(word)
    return parser


def _build_url(arguments: dict[str, str]) -> str:
    return f"{'https' if arguments['ssl'] else 'http'}://{arguments['host']}:{arguments['port']}"


def _read_login(url: str) -> dict[str, str]:
    """Return user and token from the ltoken file, or the local user name if the file has no entry for the server."""
    parts = urlsplit(url)
    address = [parts.hostname or "", str(parts.port or {"https": 443}.get(parts.scheme, 80))]
    path = pathlib.Path(os.environ.get("KLOCWORK_LTOKEN") or "~/.klocwork/ltoken").expanduser()
    try:
        lines = [line.split(";") for line in path.read_text(encoding="utf-8").splitlines()]
    except OSError:
        lines = []
    for line in lines:
        if len(line) == 4 and line[:2] == address:
            return {"user": line[2], "ltoken": line[3]}
    return {"user": getpass.getuser()}


def _add_content(fields: dict[str, str]) -> dict[str, str]:
    """Return the fields with name and content of the file instead of its path."""
    if "folder" in fields and not pathlib.Path(fields["folder"]).is_dir():
        sys.exit(f"Directory does not exist: {fields['folder']}")
    if "file" not in fields:
        return fields
    path = pathlib.Path(fields["file"])
    try:
        content = path.read_bytes()
    except OSError as error:
        sys.exit(f"Cannot read {path}: {error.strerror}")
    return {**fields, "file": path.name, "content": base64.b64encode(content).decode()}


def _send(url: str, fields: dict[str, str]) -> dict[str, Any]:
    """Return the response of the server: `lines` and `warnings`, and `message` if it is an error."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    headers = {"Content-Type": "application/x-www-form-urlencoded;charset=UTF-8"}
    request = urllib.request.Request(url.rstrip("/") + PATH, urlencode(fields).encode(), headers)
    try:
        with opener.open(request) as response:
            text = response.read()
    except urllib.error.HTTPError as error:
        text = error.read()
    try:
        result = json.loads(text)
    except ValueError:
        result = None
    if not isinstance(result, dict) or not {"lines", "message"} & set(result):
        sys.exit(f"Unexpected response from {url}: it is not a Klocwork server of the sandbox.")
    return {"lines": [], "warnings": [], **result}


if __name__ == "__main__":
    main()
