# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests and responses."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import email.utils
import json
import re
import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import UnexpectedResponse
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.json_list import (
    DuplicateMember,
    JsonList,
    MalformedJson,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import (
    MISSING,
    Record,
    describe_mismatch,
)

_MAX_MESSAGE_LENGTH = 500
_CHECK_URL = "Check the URL, and whether a login page or a proxy responded instead."
_OTHER_CHARSET = re.compile(r"charset=[\"']?(?!utf-?8\b)([\w.:-]+)", re.IGNORECASE)
# The text is decoded, so a declared encoding does not apply
_XML_DECLARATION = re.compile(r"\A\ufeff?\s*<\?xml[^>]*\?>")
_REPORT_RESPONSE = "Check the URL. If it is correct, please report this response."


@dataclasses.dataclass
class Request:
    """A request, which can be sent several times.

    :ivar timeout_option: option with the timeout for the headers and for each 64 KiB of the body
    :ivar live_timeout_option: option with the timeout for a body that is returned as it arrives
    """

    method: str
    url: str
    stream: bool
    headers: dict[str, str]
    body: t.Any
    anonymous: bool
    label: str | None
    timeout_option: str
    live_timeout_option: str | None = None

    def __str__(self) -> str:
        text = f"{self.method} {self.url.partition('?')[0]}"
        return f"{text} ({self.label})" if self.label else text


ExplainError = t.Callable[["Response"], tuple[t.Optional[str], t.Optional[str]]]


class Response:
    """A response of a server.

    :ivar status: HTTP status
    :ivar headers: headers with case-insensitive names
    :ivar explain: returns the server's message from a response with an error, and advice for the user
    """

    def __init__(
        self, request: Request, status: int, headers: t.Mapping[str, str], body: bytes | t.Iterator[bytes]
    ) -> None:
        """`body` is an iterator if it is not read yet, see `chunks` and `lines`."""
        self.status = status
        self.headers = headers
        self.explain: ExplainError = lambda response: (response.short_text(), None)
        self._request = request
        self._unread = None if isinstance(body, bytes) else body
        self._body = body if isinstance(body, bytes) else b""

    def __str__(self) -> str:
        return f"{self._request}: {self.status}"

    def with_body(self, body: bytes) -> Response:
        """Return a response with the same status and headers, whose body is a part of this body."""
        part = Response(self._request, self.status, self.headers, body)
        part.explain = self.explain
        return part

    @property
    def date(self) -> float | None:
        """The Date header in seconds since 1970, or `None`."""
        return parse_http_date(self.headers.get("Date"))

    @property
    def url(self) -> str:
        """The URL of the request."""
        return self._request.url

    @property
    def is_anonymous(self) -> bool:
        """Return whether the request was sent without a credential."""
        return self._request.anonymous

    @property
    def server_message(self) -> str | None:
        """The server's message, or `None`."""
        return self.explain(self)[0]

    @property
    def text(self) -> str:
        """The body as text. Bytes that are invalid in UTF-8 and the declared charset are replaced."""
        return self._to_utf8().decode("utf-8", "replace")

    def json(self, kind: type | tuple[type, ...] = dict) -> t.Any:
        """Return the body as JSON.

        :arg kind: type of the value, an object by default
        :raises UnexpectedResponse: if it is something else, such as a login page
        """
        value = self.json_or_none()
        if not isinstance(value, kind):
            raise self._unexpected_error(f"the response {self._describe_body(value)}", _CHECK_URL)
        return value

    def xml(self, name: str) -> ET.Element:
        """Return the root element of the body, which must be an XML document without a document type.

        :arg name: name of the root element, without its namespace
        :raises UnexpectedResponse: if it is something else, such as a login page
        """
        root = None
        if "<!DOCTYPE" not in self.text:  # a document type can define entities, which expand without limit
            with contextlib.suppress(ET.ParseError):
                root = ET.fromstring(_XML_DECLARATION.sub("", self.text).encode())
        if root is None or root.tag.rpartition("}")[2] != name:
            raise self._unexpected_error(f"the response is not an XML document with the element '{name}'", _CHECK_URL)
        return root

    @property
    def is_page(self) -> bool:
        """Whether the body is declared as HTML and looks like it."""
        is_html = (self.headers.get("Content-Type") or "").lower().startswith("text/html")
        return is_html and self.text.lstrip().startswith("<")

    def page_error(self) -> UnexpectedResponse:
        """Return the error for an HTML page in place of the response of a service that returns none."""
        return self._unexpected_error("the response is an HTML page", _CHECK_URL)

    def not_xml_error(self) -> UnexpectedResponse:
        """Return the error for a body that is not an XML document."""
        return self.wrong_format_error("an XML document")

    def wrong_format_error(self, expected: str) -> UnexpectedResponse:
        """Return the error for a body in another format.

        :arg expected: the expected format, such as `an XML document`
        """
        return self._unexpected_error(f"the response is not {expected}", _CHECK_URL)

    def record(self) -> Record:
        """Return the body as an object with typed access to its members."""
        return Record(self.json(), self.unexpected_value)

    def records(self) -> list[Record]:
        """Return the body as a list of objects with typed access to their members."""
        return Record({"answer": self.json(list)}, self.unexpected_value).records("answer")

    def entries(self, member: str, others: dict[str, t.Any] | None = None) -> t.Iterator[Record]:
        """Yield the objects of a list in the body while it is received, with constant memory.

        :arg member: name of the list in the body, which is an object
        :arg others: receives the other members of the body; complete after the last entry
        :raises UnexpectedResponse: if the body is something else, or an object has two values of one member
        """
        for path, entry in self._iter_list(member, "an object", dict, others):
            yield Record(entry, self.unexpected_value, path)

    def texts(self, member: str) -> t.Iterator[str]:
        """Yield the strings of a list in the body, as `entries` does with objects."""
        for _path, entry in self._iter_list(member, "a text", str):
            yield entry

    def _iter_list(
        self, member: str, expected: str, kind: type, others: dict[str, t.Any] | None = None
    ) -> t.Iterator[tuple[str, t.Any]]:
        entries = JsonList(self.chunks(), member, {} if others is None else others)
        try:
            for number, entry in enumerate(entries):
                path = f"{member}[{number}]"
                if not isinstance(entry, kind):
                    raise self.unexpected_value(path, expected, entry)
                yield path, entry
        except MalformedJson:
            self.json()  # describes a short body that is not JSON
            raise self._unexpected_error("the response is invalid JSON", _CHECK_URL) from None
        except DuplicateMember as error:
            raise self._unexpected_error(f"with two values of '{error}' in one object", _REPORT_RESPONSE) from None
        if not entries.is_found:
            raise self.unexpected_value(member, "a list", entries.others.get(member, MISSING))

    def unexpected_value(self, path: str, expected: str, value: t.Any) -> UnexpectedResponse:
        """Return the error for an unexpected value in the body."""
        return self._unexpected_error(describe_mismatch(path, expected, value), _REPORT_RESPONSE)

    def _unexpected_error(self, problem: str, advice: str) -> UnexpectedResponse:
        message, further_advice = self.explain(self)
        quote = (
            f"The server says: {message.rstrip('. ')}." if message and isinstance(self.json_or_none(), dict) else None
        )
        parts = (f"{self}, but {problem}.", quote, advice, further_advice)
        return UnexpectedResponse(" ".join(filter(None, parts)))

    def _describe_body(self, value: t.Any) -> str:
        """Return how the body differs from the expected JSON.

        :arg value: the parsed body, or `None` if it is not JSON
        """
        if value is not None:
            return "has an unexpected JSON structure"
        return "is HTML, not JSON" if self.text.lstrip().startswith("<") else "is not JSON"

    def json_or_none(self) -> t.Any:
        """Return the body as JSON, or `None` if it is not JSON."""
        try:
            return json.loads(self._to_utf8())
        except (ValueError, RecursionError):
            return None

    def _to_utf8(self) -> bytes:
        declared = _OTHER_CHARSET.search(self.headers.get("Content-Type") or "")
        if declared and not _is_decodable(self._body, "utf-8") and _is_decodable(self._body, declared[1]):
            return self._body.decode(declared[1]).encode()
        return self._body

    def short_text(self) -> str | None:
        """Return the body as text for a message, or `None` if it is empty, long or HTML."""
        text = self.text.strip()
        return text if text and not text.startswith("<") and len(text) <= _MAX_MESSAGE_LENGTH else None

    def chunks(self) -> t.Iterator[bytes]:
        """Yield the body in chunks. That of a long streamed response can be read only once.

        :raises ToolchainError: if the body ends early
        """
        if self._unread is None:
            yield self._body
        else:
            yield from self._unread

    def lines(self) -> t.Iterator[str]:
        """Yield the lines of the body, with constant memory for a streamed response."""
        rest = b""
        for chunk in self.chunks():
            *lines, rest = (rest + chunk).split(b"\n")
            yield from (line.decode("utf-8", "replace") for line in lines)
        if rest:
            yield rest.decode("utf-8", "replace")


def parse_http_date(text: str | None) -> float | None:
    """Return the date of a header in seconds since 1970, or `None` if it is not a date."""
    try:
        time = email.utils.parsedate_to_datetime(text or "")
    except (TypeError, ValueError, OverflowError):
        return None
    if time.tzinfo is None:  # the server names no time zone
        time = time.replace(tzinfo=datetime.timezone.utc)
    return time.timestamp()


def _is_decodable(body: bytes, charset: str) -> bool:
    try:
        body.decode(charset)
    except (LookupError, UnicodeDecodeError):
        return False
    return True
