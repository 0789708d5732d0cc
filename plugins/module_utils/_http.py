# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""HTTP for all services: pooled sessions, TLS, proxies, redirects, retries, streaming and the read-only guard.

The only file that imports requests.
"""

from __future__ import annotations

import dataclasses
import datetime
import email.utils
import json
import os
import random
import re
import sys
import time
import typing as t
from http.client import responses as reason_phrases
from urllib.parse import urljoin
from urllib.request import getproxies_environment

from ansible_collections.buildworks.toolchain.plugins.module_utils._address import (
    encoded,
    origin,
    parts_of,
    without_query,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._credential import Credential
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    OutcomeUnknown,
    ServerRefusal,
    ServerUnreachable,
    ToolchainError,
    WriteRefused,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

try:
    import requests
    import urllib3.exceptions
    from requests.utils import get_environ_proxies
except ImportError:
    requests = None  # type: ignore[assignment]

CONNECTION = ArgumentSpec(
    dict(
        timeout=dict(type="float", default=30.0),
        retries=dict(type="int", default=3),
        validate_certs=dict(type="bool", default=True),
        ca_path=dict(type="path"),
        client_cert=dict(type="path"),
        client_key=dict(type="path"),
        use_proxy=dict(type="bool", default=True),
    )
)

_TRANSIENT = frozenset((429, 502, 503, 504))
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_LONGEST_DELAY = 60.0
_MOST_REDIRECTS = 5
_LARGEST_ANSWER = 64 * 1024 * 1024
_CHUNK = 64 * 1024
_LONGEST_MESSAGE = 500
_DOUBT = "Whether the request had its effect is not known."
# What urllib3 begins its messages with, before and since 2.4
_CONNECTION_OBJECT = re.compile(r"(<[^>]*>|\w+\(host=[^)]*\)): ")


@dataclasses.dataclass
class Connection:
    """What is kept for the life of the process: a session, and what a service remembers with it (a crumb, say)."""

    session: requests.Session
    credential: Credential
    memory: dict[str, t.Any] = dataclasses.field(default_factory=dict)


_CONNECTIONS: dict[tuple[t.Hashable, ...], Connection] = {}


@dataclasses.dataclass
class _Request:
    method: str
    url: str
    stream: bool
    headers: dict[str, str]
    body: t.Any
    anonymous: bool
    label: str | None

    def __str__(self) -> str:
        shown = f"{self.method} {self.url.partition('?')[0]}"
        return f"{shown} ({self.label})" if self.label else shown


class Answer:
    """What the server answered.

    :ivar status: the HTTP status
    :ivar headers: the headers, to be asked for in any case
    """

    def __init__(self, request: _Request, response: t.Any, body: bytes) -> None:
        self.status: int = response.status_code
        self.headers: t.Mapping[str, str] = response.headers
        self._request = request
        self._response = response
        self._body = body

    @property
    def text(self) -> str:
        """The body as text; what is not UTF-8 is replaced."""
        return self._body.decode("utf-8", "replace")

    def json(self, kind: type = dict) -> t.Any:
        """The body as JSON, which is an object unless I(kind) says otherwise.

        :raises ToolchainError: when it is something else (a login page, a proxy's page)
        """
        value = self.json_or_none()
        if not isinstance(value, kind):
            what = "HTML" if self.text.lstrip().startswith("<") else "something else"
            came = f"{what} instead of JSON" if value is None else "JSON of another form than expected"
            raise ToolchainError(
                f"{self._request}: {self.status}, but with {came}. "
                "Is the address right, and is no login page or proxy in between?"
            )
        return value

    def member(self, name: str) -> t.Any:
        """One member of the body.

        :raises ToolchainError: when there is none
        """
        body = self.json()
        if name not in body:
            raise ToolchainError(f"{self._request}: {self.status}, but without '{name}'. Is the address right?")
        return body[name]

    def json_or_none(self) -> t.Any:
        """The body as JSON, or C(None) when it is none."""
        try:
            return json.loads(self._body)
        except ValueError:
            return None

    def short_text(self) -> str | None:
        """The body as text for a message, or C(None) when it is a page, empty or long."""
        text = self.text.strip()
        return text if text and not text.startswith("<") and len(text) <= _LONGEST_MESSAGE else None

    def chunks(self) -> t.Iterator[bytes]:
        """The body, a piece at a time; that of a streamed answer is read now, and so only once."""
        if not self._request.stream:
            yield self._body
            return
        try:
            yield from self._response.iter_content(_CHUNK)
            _check_complete(self._request, self._response)
        except requests.RequestException as error:
            raise ToolchainError(f"{self._request}: the answer broke off ({_reason(error)}). Try again.") from None

    def lines(self) -> t.Iterator[str]:
        """The body, a line at a time; memory stays flat however long a streamed one is."""
        rest = b""
        for chunk in self.chunks():
            *whole, rest = (rest + chunk).split(b"\n")
            yield from (line.decode("utf-8", "replace") for line in whole)
        if rest:
            yield rest.decode("utf-8", "replace")


class Http:
    """Requests to one service with one credential.

    :arg task: gives the connection options; learns of progress, repeats and writes
    :arg base_url: what paths are relative to
    :arg credential: sent with each request, to this origin only
    :arg explain: finds in an unwelcome answer the server's own message, and what to do about it
    """

    def __init__(
        self,
        task: Task,
        base_url: str,
        *,
        credential: Credential,
        explain: t.Callable[[Answer], tuple[str | None, str | None]],
    ) -> None:
        if requests is None:
            raise ToolchainError(
                f"The Python package 'requests' is missing for {sys.executable}: "
                f"install it with '{sys.executable} -m pip install requests'."
            )
        self.base_url = base_url
        self._task = task
        self._explain = explain
        self._connection = _connect(task, base_url, credential)

    @property
    def memory(self) -> dict[str, t.Any]:
        """What is kept with the session for the life of the process."""
        return self._connection.memory

    def read(self, method: str, path: str, **options: t.Any) -> Answer:
        """Send a request that changes nothing. Options as for :meth:`write`; it is repeated on passing troubles."""
        return self._exchange(method, path, repeatable=True, **options)

    def write(
        self, method: str, path: str, *, repeatable: bool = False, lasting: bool = True, **options: t.Any
    ) -> Answer:
        """Send a request that has an effect. Never sent in check mode.

        :arg path: below the base address, percent-encoded
        :kwarg repeatable: the service makes it idempotent, so it may be sent again after a lost reply
        :kwarg lasting: whether it changes something; a completion, say, only costs
        :kwarg accept: statuses that are answers; others raise
        :kwarg query: name to value; C(None) for a bare name
        :kwarg json: a value to send as JSON
        :kwarg form: name to value, sent as a form
        :kwarg data: bytes, or an open binary file, which is streamed
        :kwarg headers: more headers
        :kwarg stream: do not read the body yet, see :meth:`Answer.chunks` and :meth:`Answer.lines`
        :kwarg anonymous: without the credential
        :kwarg label: what it is for, in messages, where the path does not tell
        :kwarg once: never repeat, whatever happens
        :raises ServerRefusal: on another status
        :raises ServerUnreachable: when it surely had no effect
        :raises OutcomeUnknown: when the reply to a write was lost
        """
        if self._task.check_mode:
            raise WriteRefused(f"{method} {path} would write in check mode. Please report this defect.")
        answer = self._exchange(method, path, repeatable=repeatable, write=True, **options)
        self._task.wrote = self._task.wrote or lasting
        return answer

    def _exchange(
        self,
        method: str,
        path: str,
        *,
        repeatable: bool,
        write: bool = False,
        once: bool = False,
        accept: t.Container[int] = (200,),
        **options: t.Any,
    ) -> Answer:
        request = self._prepare(method, path, **options)
        tries_left = 0 if once else self._task.params["retries"]
        attempt = 0
        in_doubt = False  # whether a lost try of a write may have had its effect
        while True:
            try:
                answer = self._send(request)
            except _NoAnswer as lost:
                in_doubt = in_doubt or (write and not lost.unsent)
                if tries_left == 0 or not (repeatable or lost.unsent):
                    raise lost.explained(in_doubt) from None
                delay, why = _backoff(attempt), str(lost)
            else:
                if answer.status in accept:
                    return answer
                if tries_left == 0 or not _worth_repeating(answer, repeatable):
                    refusal = self._refusal(request, answer)
                    raise OutcomeUnknown(f"{refusal} {_DOUBT}") if in_doubt else refusal
                delay, why = _delay(answer, attempt), f"{request}: {answer.status}"
            self._task.repeated(why)
            time.sleep(delay)
            attempt, tries_left = attempt + 1, tries_left - 1

    def _prepare(
        self,
        method: str,
        path: str,
        *,
        query: dict[str, str | None] | None = None,
        json: t.Any = None,
        form: dict[str, str] | None = None,
        data: t.Any = None,
        headers: dict[str, str] | None = None,
        stream: bool = False,
        anonymous: bool = False,
        label: str | None = None,
    ) -> _Request:
        url = self.base_url + path + (f"?{encoded(query)}" if query else "")
        headers = dict(headers or {})
        if json is not None:
            data = _to_json(json)
            headers["Content-Type"] = "application/json"
        elif form is not None:
            data = encoded(form).encode()
            headers["Content-Type"] = "application/x-www-form-urlencoded;charset=UTF-8"
        return _Request(method, url, stream, headers, data, anonymous, label)

    def _send(self, request: _Request) -> Answer:
        for _hop in range(_MOST_REDIRECTS + 1):
            answer = self._send_once(request)
            if request.method not in ("GET", "HEAD") or answer.status not in _REDIRECTS:
                return answer
            target = _target(request, answer)
            if not target or origin(target) != origin(request.url):
                return answer
            request = dataclasses.replace(request, url=target)
        raise ToolchainError(f"{request}: redirected more than {_MOST_REDIRECTS} times.")

    def _send_once(self, request: _Request) -> Answer:
        if hasattr(request.body, "seek"):
            request.body.seek(0)
        connection = self._connection
        if request.anonymous:  # with cookies of its own, for some servers believe a cookie more than a credential
            connection = _connect(self._task, self.base_url, Credential())
        session = connection.session
        # prepared here, for the session's own way of merging settings takes a tenth of a millisecond
        prepared = requests.PreparedRequest()
        try:
            prepared.prepare(
                method=request.method,
                url=request.url,
                headers={**session.headers, **request.headers},
                data=request.body,
                auth=connection.credential,
                cookies=session.cookies,
            )
            response = session.send(
                prepared,
                timeout=self._task.params["timeout"],
                allow_redirects=False,
                stream=True,
                verify=session.verify,
                cert=session.cert,
                proxies=session.proxies,
            )
            body = b"" if request.stream and response.status_code < 400 else _body(request, response)
        except requests.RequestException as error:
            raise _failure(request, error) from None
        return Answer(request, response, body)

    def _refusal(self, request: _Request, answer: Answer) -> ToolchainError:
        if answer.status in _REDIRECTS:
            return ServerRefusal(
                f"{request}: {answer.status}, redirected to {without_query(_target(request, answer))}, which is not "
                "followed. Give the address that the server itself uses.",
                answer.status,
                answer.text,
            )
        message, advice = self._explain(answer)
        text = f"{request}: {answer.status} {message or reason_phrases.get(answer.status, '')}".rstrip(". ") + "."
        return ServerRefusal(f"{text} {advice}" if advice else text, answer.status, answer.text)


class _NoAnswer(Exception):
    """The server did not answer; I(unsent) when it surely did not see the request either."""

    def __init__(self, message: str, unsent: bool) -> None:
        super().__init__(message)
        self.unsent = unsent

    def explained(self, in_doubt: bool) -> ToolchainError:
        if in_doubt:
            return OutcomeUnknown(f"{self} {_DOUBT}")
        return ServerUnreachable(f"{self} Is the address right, and is the server up?")


def _failure(request: _Request, error: t.Any) -> Exception:
    reason = f"{request}: {_reason(error)}."
    if isinstance(error, requests.exceptions.SSLError):
        return ToolchainError(f"{reason} {_tls_advice(reason)}")
    if isinstance(error, (requests.exceptions.InvalidURL, requests.exceptions.InvalidHeader)):
        return ToolchainError(reason)
    return _NoAnswer(reason, _never_sent(error))


def _tls_advice(reason: str) -> str:
    if "CERTIFICATE_VERIFY_FAILED" in reason:
        return (
            "Name the authority that signed the certificate with 'ca_path', "
            "or set 'validate_certs: false' if you trust the network."
        )
    return "Does the server speak TLS at this address, and does it ask for a certificate of yours ('client_cert')?"


def _worth_repeating(answer: Answer, repeatable: bool) -> bool:
    if answer.status == 429:
        return "insufficient_quota" not in answer.text
    return repeatable and answer.status in _TRANSIENT


def _connect(task: Task, base_url: str, credential: Credential) -> Connection:
    params = task.params
    verify = _verify(params)
    cert = (params["client_cert"], params["client_key"]) if params["client_key"] else params["client_cert"]
    key = (base_url, tuple(sorted(credential.headers.items())), verify, cert, params["use_proxy"])
    if key not in _CONNECTIONS:
        session = requests.Session()
        session.trust_env = False  # or ~/.netrc would override the credential
        # or requests would look into redirects itself, and raise at a Location that is no address
        session.get_redirect_target = lambda _response: None  # type: ignore[assignment,method-assign]
        session.verify = verify
        session.cert = cert
        session.headers["User-Agent"] = "buildworks.toolchain"
        session.headers["Accept"] = "application/json, */*;q=0.5"
        if params["use_proxy"] and getproxies_environment():
            session.proxies = get_environ_proxies(base_url, no_proxy=None)
        _CONNECTIONS[key] = Connection(session, credential)
    return _CONNECTIONS[key]


def _verify(params: dict[str, t.Any]) -> bool | str:
    for option in ("ca_path", "client_cert", "client_key"):
        if params[option] and not os.path.exists(params[option]):
            raise BadOption(option, f"there is no '{params[option]}'")
    if params["client_key"] and not params["client_cert"]:
        raise BadOption("client_key", "needs 'client_cert' as well")
    if params["timeout"] <= 0:
        raise BadOption("timeout", "takes a number of seconds above 0")
    if params["retries"] < 0:
        raise BadOption("retries", "takes 0 or more")
    if not params["validate_certs"]:
        urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        return False
    return params["ca_path"] or os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE") or True


def _body(request: _Request, response: t.Any) -> bytes:
    pieces, size = [], 0
    for piece in response.iter_content(_CHUNK):
        pieces.append(piece)
        size += len(piece)
        if size > _LARGEST_ANSWER:
            response.close()
            raise ToolchainError(f"{request}: the answer is larger than {_LARGEST_ANSWER // 2**20} MiB.")
    _check_complete(request, response)
    return b"".join(pieces)


def _check_complete(request: _Request, response: t.Any) -> None:
    promised = response.headers.get("Content-Length")
    if promised and request.method != "HEAD" and response.raw.tell() < int(promised):
        raise requests.exceptions.ChunkedEncodingError("the answer is shorter than announced")


def _to_json(value: t.Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _target(request: _Request, answer: Answer) -> str | None:
    """Where the server sends the client, or C(None) when that is no address."""
    location = answer.headers.get("Location")
    if not location or not parts_of(location):
        return None
    return urljoin(request.url, location)


def _never_sent(error: t.Any) -> bool:
    """Whether the request surely did not reach the server."""
    if isinstance(error, (requests.exceptions.ConnectTimeout, requests.exceptions.ProxyError)):
        return True
    cause = error.args[0] if error.args else None
    return isinstance(getattr(cause, "reason", None), urllib3.exceptions.NewConnectionError)


def _reason(error: t.Any) -> str:
    """What went wrong, in a few words without objects and addresses in memory."""
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return "no connection within 'timeout'"
    if isinstance(error, requests.exceptions.Timeout):
        return "no answer within 'timeout'"
    cause = error.args[0] if error.args else error
    cause = getattr(cause, "reason", None) or cause
    text = str(cause.args[-1]) if isinstance(cause, Exception) and cause.args else str(cause)
    reason = _CONNECTION_OBJECT.sub("", text).strip("'\" ") or type(error).__name__
    return f"no way through the proxy: {reason}" if isinstance(error, requests.exceptions.ProxyError) else reason


def _backoff(attempt: int) -> float:
    return min(0.5 * 2**attempt, 8.0) * random.uniform(0.5, 1.0)


def _delay(answer: Answer, attempt: int) -> float:
    """Seconds to wait: what the server asks for, within reason, else a growing time with jitter."""
    asked = _seconds(answer.headers.get("Retry-After-Ms"), 0.001)
    if asked is None:
        asked = _seconds(answer.headers.get("Retry-After"), 1.0)
    return _backoff(attempt) if asked is None else min(asked, _LONGEST_DELAY) + random.uniform(0, 0.1)


def _seconds(value: str | None, unit: float) -> float | None:
    if value is None:
        return None
    try:
        return max(0.0, float(value) * unit)
    except ValueError:
        pass
    try:
        then = email.utils.parsedate_to_datetime(value)
    except (TypeError, ValueError):
        return None
    if then.tzinfo is None:  # so it is when the server names no zone
        then = then.replace(tzinfo=datetime.timezone.utc)
    return max(0.0, (then - datetime.datetime.now(datetime.timezone.utc)).total_seconds())
