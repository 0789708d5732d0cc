# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of curl that repeat a request of the journal. Secrets are variables of the shell."""

from __future__ import annotations

import re
import secrets
import shlex
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from .details import decode_login
from .journal import JournalEntry
from .masking import Masker
from .recording import Recording

BODY_FILE = "body.bin"
# curl sets these itself.
OMITTED_HEADERS = {"host", "content-length", "transfer-encoding", "connection", "expect", "accept-encoding"}
# curl sends these by default, unless the command removes them.
DEFAULT_HEADERS = ("User-Agent", "Accept")
SECRET_VARIABLE = re.compile(r"\w+_(?:TOKEN|KEY)")
LTOKEN_FILE = "KLOCWORK_LTOKEN"


def find_expressions(exports: Mapping[str, str]) -> dict[str, str]:
    """Return shell expressions by the secret that they evaluate to, given the environment variables of the sandbox."""
    expressions = {value: f"${name}" for name, value in exports.items() if value and SECRET_VARIABLE.fullmatch(name)}
    if LTOKEN_FILE in exports:
        for line in Path(exports[LTOKEN_FILE]).read_text(encoding="utf-8").splitlines():
            _host, _port, user, token = line.split(";", 3)
            if re.fullmatch(r"[\w.@-]+", user):
                expressions[token] = f"""$(awk -F';' '$3 == "{user}" {{ print $4; exit }}' "${LTOKEN_FILE}")"""
    return expressions


def build_command(entry: JournalEntry, recording: Recording, known: Iterable[str], exports: Mapping[str, str]) -> str:
    """Return the command for a request, after comments that say what the user must provide.

    :arg known: secrets that are masked wherever they occur
    :arg exports: environment variables that the shell has
    """
    shell = _Shell(known, find_expressions(exports))
    host = recording.find_request_header("host") or "{}:{}".format(*recording.server)
    path, mark, query = recording.target.decode("latin-1").partition("?")
    target = shell.masker.mask_text(path) + mark + shell.masker.mask_form(query)
    arguments = [
        *_select_method(entry.method, recording),
        shell.quote(f"http://{host}{target}"),
        *_build_headers(recording, shell),
        *_build_body(recording, shell),
    ]
    return "\n".join([*shell.list_comments(), " \\\n  ".join(["curl -sS -i --globoff --path-as-is", *arguments])])


class _Shell:
    """Quotes texts for a shell, with variables in place of secrets."""

    def __init__(self, known: Iterable[str], expressions: Mapping[str, str]) -> None:
        self.comments: list[str] = []
        self._expressions = expressions
        self._found: dict[str, str] = {}
        self._marker = secrets.token_hex(8)
        self.masker = Masker((*known, *expressions), self.mark)

    def mark(self, secret: str) -> str:
        """Return a marker that `quote` replaces by a variable."""
        if self._marker in secret:  # already marked, because another rule applies as well
            return secret
        if secret not in self._found:
            unknown = sum(expression.startswith("$SECRET") for expression in self._found.values())
            placeholder = f"$SECRET_{unknown + 1}" if unknown else "$SECRET"
            self._found[secret] = self._expressions.get(secret, placeholder)
        return f"{self._marker}x{list(self._found).index(secret)}x"

    def quote(self, text: str) -> str:
        """Return an argument. Literal parts are in single quotes, variables in double quotes."""
        parts = re.split(rf"{self._marker}x(\d+)x", text)
        expressions = list(self._found.values())
        quoted = [
            f'"{expressions[int(part)]}"' if index % 2 else shlex.quote(part)
            for index, part in enumerate(parts)
            if part or len(parts) == 1
        ]
        return "".join(quoted)

    def list_comments(self) -> list[str]:
        """Return comments on what the user must provide."""
        names = [expression[1:] for expression in self._found.values() if expression.startswith("$SECRET")]
        return [*(f"# Set {name}: the sandbox does not export this secret." for name in names), *self.comments]


def _select_method(method: str, recording: Recording) -> list[str]:
    default = "POST" if recording.has_body else "GET"
    if method == "HEAD" and not recording.has_body:
        return ["--head"]
    return [] if method == default else [f"-X {shlex.quote(method)}"]


def _build_headers(recording: Recording, shell: _Shell) -> Iterator[str]:
    sent = set()
    for encoded_name, encoded_value in recording.request_headers:
        name, value = encoded_name.decode("latin-1"), encoded_value.decode("latin-1")
        sent.add(name)
        login = decode_login(value) if name == "authorization" else None
        if login and ":" not in login[0]:
            user, password = login
            yield f"--user {shell.quote(f'{user}:{shell.mark(password)}' if password else f'{user}:')}"
        elif name not in OMITTED_HEADERS:
            masked = shell.masker.mask_header(name, value)
            yield f"-H {shell.quote(f'{name}: {masked}' if value else f'{name};')}"
    removed = [name for name in DEFAULT_HEADERS if name.lower() not in sent]
    if recording.has_body and "content-type" not in sent:
        removed.append("Content-Type")
    yield from (f"-H '{name}:'" for name in removed)


def _build_body(recording: Recording, shell: _Shell) -> list[str]:
    body = recording.request_body
    text = body.decode()
    if recording.has_unread_body:
        length = recording.find_request_header("content-length")
        size = f" of {length} bytes" if length else ""
        shell.comments.append(f"# Save the unread body{size} to {BODY_FILE}.")
        return [f"--data-binary @{BODY_FILE}"]
    if text is None or body.is_truncated:
        kind = "binary" if text is None else "long"
        shell.comments.append(f"# Save the {kind} body of {body.size} bytes to {BODY_FILE}.")
        return [f"--data-binary @{BODY_FILE}"]
    if not body.size:
        return []
    content_type = recording.find_request_header("content-type")
    return [f"--data-raw {shell.quote(shell.masker.mask_body(text, content_type))}"]
