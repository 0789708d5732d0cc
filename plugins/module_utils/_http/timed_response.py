# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Responses with a time limit. The timeout of a socket alone restarts with each received byte."""

from __future__ import annotations

import contextlib
import http.client
import io
import math
import socket
import time
import typing as t

# Bytes of a body that must arrive within each timeout
PROGRESS = 64 * 1024
_MAX_INTERIM_RESPONSES = 100


class TimedResponse(http.client.HTTPResponse):
    """A response whose headers, and each 64 KiB of whose body, must arrive within the timeout of the socket.

    Interim responses (103 Early Hints) are skipped. `http.client` skips only 100, without limit.
    """

    def __init__(self, sock: socket.socket, *args: t.Any, **kwargs: t.Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self._timeout = t.cast(float, sock.gettimeout())
        self._reader = _Reader(self.fp.detach(), sock)
        self._reader.expect(math.inf, self._timeout)
        self.fp = io.BufferedReader(self._reader, PROGRESS)

    def begin(self) -> None:
        """Read the status and the headers."""
        super().begin()
        self._reader.expect(PROGRESS, self._timeout)

    def set_deadline(self, seconds: float) -> None:
        """Limit the time for all of the body."""
        self._reader.deadline = time.monotonic() + seconds

    def allow_pauses(self) -> None:
        """Remove the time limit for each 64 KiB of the body."""
        self._reader.expect(math.inf, math.inf)

    def _read_status(self) -> tuple[str, int, str]:
        for _number in range(_MAX_INTERIM_RESPONSES):
            version, status, reason = super()._read_status()  # type: ignore[misc]
            if status >= 200 or status == http.HTTPStatus.SWITCHING_PROTOCOLS:
                return version, status, reason
            http.client.parse_headers(self.fp)
        raise http.client.HTTPException(f"more than {_MAX_INTERIM_RESPONSES} interim responses")


class _Reader(io.RawIOBase):
    """Reads from a socket, and raises a timeout if too few bytes arrive in time.

    :ivar deadline: value of `time.monotonic()` until which all bytes must have arrived
    """

    def __init__(self, raw: io.RawIOBase, sock: socket.socket) -> None:
        self._raw = raw
        self._socket = sock
        self._timeout = sock.gettimeout()
        self.deadline = math.inf

    def expect(self, size: float, seconds: float) -> None:
        """Limit the time for each further `size` bytes.

        The time between two reads does not count, because the caller may process data.
        """
        self._size, self._seconds = size, seconds
        self._expected_size, self._remaining_time = size, seconds

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._raw.fileno()

    def readinto(self, buffer: t.Any) -> int | None:
        start = time.monotonic()
        timeout = min(self._remaining_time, self.deadline - start)
        if timeout <= 0:
            raise socket.timeout("timed out")
        self._socket.settimeout(timeout)
        size = self._raw.readinto(buffer)
        self._remaining_time -= time.monotonic() - start
        self._expected_size -= size or 0
        if self._expected_size <= 0:
            self.expect(self._size, self._seconds)
        return size

    def close(self) -> None:
        if not self.closed:
            with contextlib.suppress(OSError):  # the socket may be closed
                self._socket.settimeout(self._timeout)  # for the next request
            self._raw.close()
        super().close()
