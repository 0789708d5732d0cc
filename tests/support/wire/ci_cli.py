# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A minimal client for the Jenkins command-line interface, over two connections."""

from __future__ import annotations

import contextlib
import struct
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import requests
import urllib3

PATIENCE = 120  # seconds
ARG, LOCALE, ENCODING, START, EXIT, STDIN, END_STDIN, STDOUT, STDERR = range(9)


def frame(operation: int, data: bytes = b"") -> bytes:
    return struct.pack(">IB", len(data), operation) + data


def utf(text: str) -> bytes:
    data = text.encode()
    return struct.pack(">H", len(data)) + data


def start(*words: str) -> bytes:
    """Return the first data of a client."""
    arguments = b"".join(frame(ARG, utf(word)) for word in words)
    return arguments + frame(ENCODING, utf("UTF-8")) + frame(LOCALE, utf("en_US")) + frame(START)


@dataclass
class CommandResult:
    """The result of a command. Without an exit code, the connection was closed."""

    code: int | None = None
    out: str = ""
    error: str = ""
    upload: int | None = None
    headers: dict[str, str] = field(default_factory=dict)


class Client:
    """Runs commands on a server."""

    def __init__(self, url: str, auth: Any = None) -> None:
        self.url = f"{url}/cli?remoting=false"
        self.auth = auth

    def side(self, side: str, session: str, **options: Any) -> requests.Response:
        headers = {"Session": session, "Side": side}
        return requests.post(self.url, headers=headers, auth=self.auth, timeout=PATIENCE, **options)

    def run(
        self,
        *words: str,
        stdin: bytes = b"",
        hang_up: threading.Event | None = None,
        heard: Callable[[], object] = lambda: None,
    ) -> CommandResult:
        """Run a command. `heard` is called with its first output. When the event is set, the client disconnects."""
        session, over, ended = str(uuid.uuid4()), hang_up or threading.Event(), CommandResult()
        with self.side("download", session, stream=True) as download:
            ended.headers = dict(download.headers)

            def body() -> Iterator[bytes]:
                yield start(*words)
                if stdin:
                    yield frame(STDIN, stdin)
                yield frame(END_STDIN)
                over.wait(PATIENCE)

            def upload() -> None:
                with contextlib.suppress(requests.RequestException):  # connection closed
                    ended.upload = self.side("upload", session, data=body()).status_code

            thread = threading.Thread(target=upload)
            thread.start()
            try:
                with contextlib.suppress(urllib3.exceptions.HTTPError):
                    self._read(download, ended, heard)
            finally:
                over.set()
                thread.join()
        return ended

    def _read(self, download: requests.Response, ended: CommandResult, heard: Callable[[], object]) -> None:
        stream = download.raw
        assert stream.read(1) == b"\0"
        while len(head := stream.read(5)) == 5:
            length, operation = struct.unpack(">IB", head)
            data = stream.read(length)
            if operation == EXIT:
                (ended.code,) = struct.unpack(">i", data)
                return
            if operation == STDOUT:
                first, ended.out = not ended.out, ended.out + data.decode()
                if first:
                    heard()
            else:
                assert operation == STDERR
                ended.error += data.decode()
