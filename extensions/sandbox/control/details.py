# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Details of a request in the journal: headers and bodies without secrets."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from typing import Any

from .journal import JournalEntry
from .masking import Masker
from .recording import Headers, RecordedBody, Recording

DISCARDED = "Headers and bodies of this request were discarded to limit the memory of the sandbox."


def describe_request(entry: JournalEntry, masker: Masker) -> dict[str, Any]:
    """Return the fields of an entry with `request` and `response`. Both are null if the recording was discarded.

    :arg masker: masks secrets in headers, bodies, path and query
    """
    recording = entry.recording
    fields = {**entry.to_dict(masker), "request": None, "response": None}
    if recording is None:
        return fields
    fields["request"] = _describe_message(recording.request_headers, recording.request_body, masker)
    # The size of a body that the service did not read
    length = recording.find_request_header("content-length")
    if recording.has_unread_body and length.isdecimal():
        fields["request"]["body"] |= {"size": int(length), "is_truncated": True}
    if recording.response_headers is not None:
        fields["response"] = _describe_message(recording.response_headers, recording.response_body, masker)
    return fields


def _describe_message(headers: Headers, body: RecordedBody, masker: Masker) -> dict[str, Any]:
    decoded = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in headers]
    content_type = next((value for name, value in decoded if name.lower() == "content-type"), "")
    text = body.decode()
    return {
        "headers": [[name, masker.mask_header(name, value)] for name, value in decoded],
        "body": {
            "size": body.size,
            "text": None if text is None else masker.mask_body(text, content_type, body.is_truncated),
            "is_truncated": body.is_truncated,
        },
    }


def list_credentials(recording: Recording) -> Iterator[str]:
    """Yield the credentials of a request, which its bodies may also contain."""
    yield recording.find_request_header("x-jfrog-art-api")
    authorization = recording.find_request_header("authorization")
    yield authorization.partition(" ")[2]
    login = decode_login(authorization)
    if login:
        yield login[1]


def decode_login(authorization: str) -> tuple[str, str] | None:
    """Return the user name and password of a header, or null if it contains none."""
    scheme, _blank, encoded = authorization.partition(" ")
    if scheme.lower() != "basic":
        return None
    try:
        user, _colon, password = base64.b64decode(encoded, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return None
    return user, password
