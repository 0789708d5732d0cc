# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Replays requests of the journal with their original credentials."""

from __future__ import annotations

import asyncio
import contextlib

from .details import DISCARDED
from .journal import Journal, JournalEntry
from .recording import MAX_BODY_SIZE, Recording

TIMEOUT = 60  # seconds
ENTRY_TIMEOUT = 2  # seconds between the end of the response and its journal entry
CHUNK_SIZE = 65536
# The replay sets these itself.
OMITTED_HEADERS = {b"connection", b"content-length", b"transfer-encoding", b"expect"}


def find_obstacle(entry: JournalEntry) -> str | None:
    """Return why a request cannot be replayed, or null if it can."""
    recording = entry.recording
    if recording is None:
        return DISCARDED
    if recording.request_body.is_truncated:
        size = recording.request_body.size
        return f"The body of this request has {size} bytes. Only the first {MAX_BODY_SIZE} are kept."
    if recording.has_unread_body:
        return "The body of this request was not read completely."
    if recording.find_request_header("upgrade"):
        return "This request changed the protocol of its connection."
    return None


async def replay_request(journal: Journal, entry: JournalEntry) -> int:
    """Send a request again, and return the number of its new journal entry.

    :raises ValueError: if the request cannot be replayed, has no response within `TIMEOUT` or has no new entry
    """
    if obstacle := find_obstacle(entry):
        raise ValueError(f"Request {entry.n} cannot be replayed. {obstacle}")
    assert entry.recording
    try:
        async with asyncio.timeout(TIMEOUT):
            address = await _send(entry.method, entry.recording)
    except TimeoutError:
        raise ValueError(f"The replay of request {entry.n} has no response after {TIMEOUT} seconds.") from None
    try:
        async with asyncio.timeout(ENTRY_TIMEOUT):
            return await _wait_for_entry(journal, address)
    except TimeoutError:
        raise ValueError(f"Request {entry.n} was replayed, but the journal has no entry for the replay.") from None


async def _send(method: str, recording: Recording) -> tuple[str, int]:
    """Send a request, read the response and return the client's address of the connection."""
    reader, writer = await asyncio.open_connection(*recording.server)
    try:
        address: tuple[str, int] = writer.get_extra_info("sockname")[:2]
        writer.write(_encode_request(method, recording))
        with contextlib.suppress(ConnectionError):  # because of a fault
            while await reader.read(CHUNK_SIZE):
                pass
        return address
    finally:
        writer.close()


def _encode_request(method: str, recording: Recording) -> bytes:
    body = bytes(recording.request_body.start)
    headers = [header for header in recording.request_headers if header[0] not in OMITTED_HEADERS]
    headers.append((b"connection", b"close"))
    if body or recording.find_request_header("content-length"):
        headers.append((b"content-length", str(len(body)).encode()))
    head = [b"%s %s HTTP/1.1" % (method.encode(), recording.target), *(b"%s: %s" % header for header in headers)]
    return b"\r\n".join([*head, b"", body])


async def _wait_for_entry(journal: Journal, address: tuple[str, int]) -> int:
    while True:
        for entry in reversed(journal.log.entries):
            if entry.recording and entry.recording.client and entry.recording.client[:2] == address:
                return entry.n
        await asyncio.sleep(0.01)
