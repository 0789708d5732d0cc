# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One request, and what the server answered."""

from __future__ import annotations

import dataclasses
import datetime
import email.utils
import json
import re
import typing as t

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

_LONGEST_MESSAGE = 500
_ASK_ABOUT_ADDRESS = "Is the address right, and is no login page or proxy in between?"
_OTHER_CHARSET = re.compile(r"charset=[\"']?(?!utf-?8\b)([\w.:-]+)", re.IGNORECASE)
_ASK_FOR_REPORT = "Is the address right? If so, please report this answer."


@dataclasses.dataclass
class Request:
    """One request as it is sent, and again when it is repeated.

    :ivar timeout_option: the option that says how many seconds to wait for the headers and for each 64 KiB of the body
    :ivar live_timeout_option: the option with the seconds to wait for the end of a body that is given as it comes
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
        shown = f"{self.method} {self.url.partition('?')[0]}"
        return f"{shown} ({self.label})" if self.label else shown


ExplainError = t.Callable[["Response"], tuple[t.Optional[str], t.Optional[str]]]


class Response:
    """What the server answered.

    :ivar status: the HTTP status
    :ivar headers: the headers, to be asked for in any case
    :ivar explain: finds in it the server's own message, and what to do about it
    """

    def __init__(
        self, request: Request, status: int, headers: t.Mapping[str, str], body: bytes | t.Iterator[bytes]
    ) -> None:
        """Take the answer apart; `body` is an iterator when it is not read yet, see `chunks` and `lines`."""
        self.status = status
        self.headers = headers
        self.explain: ExplainError = lambda response: (response.short_text(), None)
        self._request = request
        self._unread = None if isinstance(body, bytes) else body
        self._body = body if isinstance(body, bytes) else b""

    def __str__(self) -> str:
        return f"{self._request}: {self.status}"

    def with_body(self, body: bytes) -> Response:
        """A part of the body that is a document of its own."""
        part = Response(self._request, self.status, self.headers, body)
        part.explain = self.explain
        return part

    @property
    def date(self) -> float | None:
        """The time of the server's clock in seconds since 1970, if the response tells it."""
        return parse_http_date(self.headers.get("Date"))

    @property
    def is_anonymous(self) -> bool:
        """Whether the request went without the credential."""
        return self._request.anonymous

    @property
    def server_message(self) -> str | None:
        """The server's own message, where there is one."""
        return self.explain(self)[0]

    @property
    def text(self) -> str:
        """The body as text; what is neither UTF-8 nor what the server says that it is, is replaced."""
        return self._in_utf8().decode("utf-8", "replace")

    def json(self, kind: type | tuple[type, ...] = dict) -> t.Any:
        """The body as JSON, which is an object unless `kind` says otherwise.

        :raises UnexpectedResponse: when it is something else (a login page, a proxy's page)
        """
        value = self.json_or_none()
        if not isinstance(value, kind):
            what = "HTML" if self.text.lstrip().startswith("<") else "something else"
            came = f"{what} instead of JSON" if value is None else "JSON of another form than expected"
            raise self._surprising(f"with {came}", _ASK_ABOUT_ADDRESS)
        return value

    def record(self) -> Record:
        """The body as an object whose members are read by their types."""
        return Record(self.json(), self.unexpected_value)

    def records(self) -> list[Record]:
        """The body as a list of such objects."""
        return Record({"answer": self.json(list)}, self.unexpected_value).records("answer")

    def entries(self, member: str, others: dict[str, t.Any] | None = None) -> t.Iterator[Record]:
        """The objects in one list of the body, read as they come: memory stays flat however many there are.

        :arg member: the name of the list in the object that the body is
        :arg others: gets the other members of the body; all of them are there after the last entry
        :raises UnexpectedResponse: when the body is something else, or has two values where one belongs
        """
        for path, entry in self._listed(member, "an object", dict, others):
            yield Record(entry, self.unexpected_value, path)

    def texts(self, member: str) -> t.Iterator[str]:
        """The texts in one list of the body, read as `entries` reads objects."""
        for _path, entry in self._listed(member, "a text", str):
            yield entry

    def _listed(
        self, member: str, wanted: str, kind: type, others: dict[str, t.Any] | None = None
    ) -> t.Iterator[tuple[str, t.Any]]:
        entries = JsonList(self.chunks(), member, {} if others is None else others)
        try:
            for number, entry in enumerate(entries):
                path = f"{member}[{number}]"
                if not isinstance(entry, kind):
                    raise self.unexpected_value(path, wanted, entry)
                yield path, entry
        except MalformedJson:
            self.json()  # says what a short body is instead
            raise self._surprising("with JSON that is broken", _ASK_ABOUT_ADDRESS) from None
        except DuplicateMember as error:
            raise self._surprising(f"with two values of '{error}' in one object", _ASK_FOR_REPORT) from None
        if not entries.is_found:
            raise self.unexpected_value(member, "a list", entries.others.get(member, MISSING))

    def unexpected_value(self, path: str, wanted: str, value: t.Any) -> UnexpectedResponse:
        """What to raise when something else than `wanted` is at a place of the body."""
        return self._surprising(describe_mismatch(path, wanted, value), _ASK_FOR_REPORT)

    def _surprising(self, what: str, advice: str) -> UnexpectedResponse:
        words, more = self.explain(self)
        said = f"The server says: {words.rstrip('. ')}." if words and isinstance(self.json_or_none(), dict) else None
        parts = (f"{self}, but {what}.", said, advice, more)
        return UnexpectedResponse(" ".join(filter(None, parts)))

    def json_or_none(self) -> t.Any:
        """The body as JSON, or `None` when it is none."""
        try:
            return json.loads(self._in_utf8())
        except (ValueError, RecursionError):
            return None

    def _in_utf8(self) -> bytes:
        declared = _OTHER_CHARSET.search(self.headers.get("Content-Type") or "")
        if declared and not _fits(self._body, "utf-8") and _fits(self._body, declared[1]):
            return self._body.decode(declared[1]).encode()
        return self._body

    def short_text(self) -> str | None:
        """The body as text for a message, or `None` when it is a page, empty or long."""
        text = self.text.strip()
        return text if text and not text.startswith("<") and len(text) <= _LONGEST_MESSAGE else None

    def chunks(self) -> t.Iterator[bytes]:
        """The body, a piece at a time; that of a long streamed answer is read now, and so only once.

        :raises ToolchainError: when it breaks off
        """
        if self._unread is None:
            yield self._body
        else:
            yield from self._unread

    def lines(self) -> t.Iterator[str]:
        """The body, a line at a time; memory stays flat however long a streamed one is."""
        rest = b""
        for chunk in self.chunks():
            *whole, rest = (rest + chunk).split(b"\n")
            yield from (line.decode("utf-8", "replace") for line in whole)
        if rest:
            yield rest.decode("utf-8", "replace")


def parse_http_date(text: str | None) -> float | None:
    """Return the seconds since 1970 of a date in a header, or `None` for what is no date."""
    try:
        moment = email.utils.parsedate_to_datetime(text or "")
    except (TypeError, ValueError, OverflowError):
        return None
    if moment.tzinfo is None:  # so it is when the server names no zone
        moment = moment.replace(tzinfo=datetime.timezone.utc)
    return moment.timestamp()


def _fits(body: bytes, charset: str) -> bool:
    try:
        body.decode(charset)
    except (LookupError, UnicodeDecodeError):
        return False
    return True
