# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in of the code-analysis server's administration tool. Needs nothing but Python's standard library.

It logs in with the line of the ltoken file that is for the server, writes plain text, an item a line, and leaves with
0 when all went well, with 1 when the server refused, and with 2 when it was not called as it has to be.
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

# The arguments of each sub-command, as the server's parameters are called; `file` and `folder` are of this machine
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
    """Carry out one sub-command."""
    arguments = vars(_parser().parse_args())
    url = arguments.pop("url") or _url(arguments)
    sandbox = os.environ.get("TOOLCHAIN_REHEARSAL_URL")
    if sandbox and urlsplit(url)[:2] != urlsplit(sandbox)[:2]:
        sys.exit(f"Connections to {url} are disabled during a rehearsal.")
    fields = {name: value for name, value in arguments.items() if value and name not in ("host", "port", "ssl")}
    try:
        answer = _sent(url, {**_login(url), **_with_contents(fields)})
    except OSError as error:
        sys.exit(f"Cannot connect to {url}: {getattr(error, 'reason', error)}")
    for warning in answer["warnings"]:
        print(f"Warning: {warning}", file=sys.stderr)
    if "message" in answer:
        sys.exit(answer["message"])
    sys.stdout.write("".join(f"{line}\n" for line in answer["lines"]))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="kwadmin", fromfile_prefix_chars="@", allow_abbrev=False)
    parser.add_argument("--url")
    parser.add_argument("--host", default="localhost")
    parser.add_argument("--port", default="8080")
    parser.add_argument("--ssl", action="store_true")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for name, words in COMMANDS.items():
        command = commands.add_parser(name, allow_abbrev=False)
        for word in words.split():
            if word in FLAGS:
                command.add_argument(word, action="store_const", const="true")
            else:
                command.add_argument(word)
    return parser


def _url(arguments: dict[str, str]) -> str:
    return f"{'https' if arguments['ssl'] else 'http'}://{arguments['host']}:{arguments['port']}"


def _login(url: str) -> dict[str, str]:
    """The account and the token of the line for this server; without one, the account of this machine."""
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


def _with_contents(fields: dict[str, str]) -> dict[str, str]:
    """The fields with what is in a file, under its name, in the place of its path."""
    if "folder" in fields and not pathlib.Path(fields["folder"]).is_dir():
        sys.exit(f"There is no folder {fields['folder']}")
    if "file" not in fields:
        return fields
    path = pathlib.Path(fields["file"])
    try:
        content = path.read_bytes()
    except OSError as error:
        sys.exit(f"Cannot read {path}: {error.strerror}")
    return {**fields, "file": path.name, "content": base64.b64encode(content).decode()}


def _sent(url: str, fields: dict[str, str]) -> dict[str, Any]:
    """What the server answers: `lines` and `warnings`, and `message` when it refused."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    headers = {"Content-Type": "application/x-www-form-urlencoded;charset=UTF-8"}
    request = urllib.request.Request(url.rstrip("/") + PATH, urlencode(fields).encode(), headers)
    try:
        with opener.open(request) as answer:
            text = answer.read()
    except urllib.error.HTTPError as error:
        text = error.read()
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not {"lines", "message"} & set(found):
        sys.exit(f"{url} gave an answer that is none of the server")
    return {"lines": [], "warnings": [], **found}


if __name__ == "__main__":
    main()
