# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A server on loopback for one command of the Jenkins command-line interface, over two connections.

Like Jetty, it sends the CRLF at the end of a chunk together with the next chunk.
"""

from __future__ import annotations

import contextlib
import http.server
import struct
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

from support.serving import run_server

ARG, LOCALE, ENCODING, START, EXIT, STDIN, END_STDIN, STDOUT, STDERR = range(9)


def frame(operation: int, data: bytes = b"") -> bytes:
    return struct.pack(">IB", len(data), operation) + data


def end(code: int) -> bytes:
    return frame(EXIT, struct.pack(">i", code))


@dataclass
class CommandLine:
    """The behavior of the server, and the received data.

    `answer` is the response after its first byte. With `cut`, the connection is closed after it. With `patient`, the
    response is sent only after the client has closed its connection.
    """

    answer: bytes = end(0)
    first: bytes = b"\0"
    cut: bool = False
    patient: bool = False
    reads_input: bool = True
    download: list[int] = field(default_factory=lambda: [200])
    upload: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Hudson-Duplex": "true"})
    url: str = ""
    came: list[tuple[int, bytes]] = field(default_factory=list)
    requests: list[dict[str, str]] = field(default_factory=list)
    fed: threading.Event = field(default_factory=threading.Event)
    hung_up: threading.Event = field(default_factory=threading.Event)

    @property
    def words(self) -> list[bytes]:
        """Return the arguments of the command."""
        return [data[2:] for operation, data in self.came if operation == ARG]

    @property
    def input(self) -> bytes:
        """Return the standard input of the command."""
        return b"".join(data for operation, data in self.came if operation == STDIN)


@contextlib.contextmanager
def command_line(**what: object) -> Iterator[CommandLine]:
    """Serve one command."""
    line = CommandLine(**what)  # type: ignore[arg-type]
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(line))
    line.url = f"http://127.0.0.1:{server.server_port}"
    with run_server(server):
        try:
            yield line
        finally:
            line.fed.set()
            line.hung_up.set()


def _handler(line: CommandLine) -> type[http.server.BaseHTTPRequestHandler]:  # noqa: C901
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        held = b""

        def do_POST(self) -> None:
            line.requests.append({"target": self.path, **self.headers})
            with contextlib.suppress(ConnectionError):
                if self.headers["Side"] == "download":
                    self._download()
                else:
                    self._upload()

        def _download(self) -> None:
            status = line.download.pop(0) if len(line.download) > 1 else line.download[0]
            if status != 200:
                self._refuse(status)
                return
            self.send_response(200)
            for name, value in line.headers.items():
                self.send_header(name, value)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self._chunk(line.first)
            (line.hung_up if line.patient else line.fed).wait(60)
            if line.answer:
                self._chunk(line.answer)
            if not line.cut:
                self._chunk(b"")
                self.wfile.write(self.held)
            self.close_connection = True

        def _chunk(self, data: bytes) -> None:
            self.wfile.write(b"%b%x\r\n%b" % (self.held, len(data), data))
            self.held = b"\r\n"

        def _upload(self) -> None:
            if line.upload != 200:
                self._refuse(line.upload)
                return
            waiting = b""
            while size := int(self.rfile.readline(), 16):
                waiting += self.rfile.read(size)
                self.rfile.readline()
                waiting = self._read_frame(waiting)
                if not line.reads_input and line.fed.is_set():
                    self.close_connection = True
                    return
            line.hung_up.set()
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _read_frame(self, waiting: bytes) -> bytes:
            while len(waiting) >= 5:
                length, operation = struct.unpack_from(">IB", waiting)
                if len(waiting) < 5 + length:
                    break
                line.came.append((operation, waiting[5 : 5 + length]))
                if operation == END_STDIN or (operation == START and not line.reads_input):
                    line.fed.set()
                waiting = waiting[5 + length :]
            return waiting

        def _refuse(self, status: int) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True

        def log_message(self, *args: object) -> None:
            pass

    return Handler
