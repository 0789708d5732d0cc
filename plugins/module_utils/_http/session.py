# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sessions: connection pools, TLS and proxies; and what goes wrong beneath HTTP, in words. Alone imports requests."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import os
import re
import ssl
import sys
import threading
import types
import typing as t
from urllib.parse import urlsplit

from ansible_collections.buildworks.toolchain.plugins.module_utils._credential import Credential
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import IncompleteResponse, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import certificates
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Request, Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.timed_response import TimedResponse
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec, Service
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import redact_url

try:
    import requests
    import urllib3
    from requests.cookies import extract_cookies_to_jar, get_cookie_header
    from requests.utils import get_environ_proxies
    from urllib3.util.ssl_ import create_urllib3_context

    _ERRORS = (urllib3.exceptions.HTTPError, requests.RequestException, OSError, ValueError)
except ImportError:
    requests = None  # type: ignore[assignment]

_LOOKED_FOR = "empty counts as not given; a file that is not there is refused"

CONNECTION = ArgumentSpec(
    dict(
        timeout=dict(type="float", default=30.0, at_least=0.01, at_most=86400),
        retries=dict(type="int", default=3, at_least=0, at_most=100),
        validate_certs=dict(type="bool", default=True),
        ca_path=dict(type="path", unchecked=_LOOKED_FOR),
        client_cert=dict(type="path", unchecked=_LOOKED_FOR),
        client_key=dict(type="path", unchecked=_LOOKED_FOR),
        use_proxy=dict(type="bool", default=True),
    )
)


def service_options(
    service: str,
    options: dict[str, dict[str, t.Any]],
    *,
    credentials: dict[str, tuple[str, ...]],
    behavior: dict[str, dict[str, t.Any]] | None = None,
    **rules: t.Iterable[t.Any],
) -> ArgumentSpec:
    """The options of a service, and those of every connection.

    :arg service: its name
    :arg options: its address, and what belongs to credentials
    :arg credentials: see `Service`
    :arg habits: how it wants to be asked, if in a way of its own
    """
    behavior = behavior or {}
    reached = Service(service, tuple(options), tuple(CONNECTION.options), credentials, tuple(behavior))
    return CONNECTION + ArgumentSpec({**options, **behavior}, service=reached, **rules)


_HEADERS = {
    "User-Agent": "buildworks.toolchain",
    "Accept": "application/json, */*;q=0.5",
    "Accept-Encoding": "gzip, deflate",
    "Connection": "keep-alive",
}
# Connections that are kept open; more workers keep more
_POOL = 10
_LARGEST_ANSWER = 64 * 1024 * 1024
_READ_AT_ONCE = 256 * 1024
_CHUNK = 64 * 1024
# What urllib3 begins its messages with, before and since 2.4
_CONNECTION_OBJECT = re.compile(r"(<[^>]*>|\w+\(host=[^)]*\)): ")


class NoResponse(Exception):
    """The server did not answer; `unsent` when it surely did not see the request either."""

    def __init__(self, message: str, unsent: bool) -> None:
        super().__init__(message)
        self.is_unsent = unsent


def _jar() -> t.Any:
    return requests.cookies.RequestsCookieJar()


class ConnectionSettings(t.NamedTuple):
    """How to connect: the certificates to trust and to show, whether through proxies, how many at once."""

    verify: bool | str
    cert: t.Any
    use_proxy: bool
    pool: int


@dataclasses.dataclass
class Connection:
    """What is kept for the life of the process: open connections and cookies, and what a service remembers (a crumb).

    A `requests.Session` would do all of this as well, but takes a millisecond to be made.
    """

    base_url: str
    settings: ConnectionSettings
    credential: Credential
    proxies: dict[str, str] | None = None
    cookies: t.Any = dataclasses.field(default_factory=_jar)
    memory: dict[str, t.Any] = dataclasses.field(default_factory=dict)
    lock: threading.Lock = dataclasses.field(default_factory=threading.Lock)

    def send(self, request: Request, timeout: tuple[float, float, float]) -> Response:
        """Send a request once.

        :arg timeout: seconds to wait for the connection, for the headers and for each 64 KiB of the body, and for all
            of the body. Only the last limit applies to a body that is live
        :raises NoResponse: when none came, or not all of it
        :raises ToolchainError: when none can come
        """
        headers = {**_HEADERS, **request.headers, **self.credential.headers}
        if hasattr(request.body, "size"):
            headers["Content-Length"] = str(request.body.size)
        if len(self.cookies) and (cookies := self.cookie_header(request)):
            headers["Cookie"] = cookies
        try:
            # past requests itself, which needs as long for a request as all else together
            response = self._pool.request(
                request.method,
                self._target(request.url),
                body=request.body,
                headers=headers,
                timeout=urllib3.Timeout(connect=timeout[0], read=timeout[1]),
                retries=False,
                redirect=False,
                assert_same_host=False,
                preload_content=False,
                decode_content=False,
            )
            if "Set-Cookie" in response.headers:
                extract_cookies_to_jar(self.cookies, request, response)  # type: ignore[no-untyped-call]
            response._original_response.set_deadline(timeout[2])
            unread = request.stream and response.status < 400
            body: bytes | t.Iterator[bytes]
            if unread and request.live_timeout_option:
                response._original_response.allow_pauses()
                body = _live(request, response)
            else:
                body = _streamed(request, response) if unread else _body(request, response)
        except _ERRORS as error:
            raise _failure(request, error) from None
        return Response(request, response.status, response.headers, body)

    def cookie_header(self, request: Request) -> str | None:
        """The header `Cookie` for a request, with the cookies that are kept."""
        return get_cookie_header(self.cookies, request)  # type: ignore[no-untyped-call]

    @functools.cached_property
    def _pool(self) -> t.Any:
        """The open connections, with TLS and proxy as they are set."""
        if not self.proxies:  # past the adapter, which needs as long for it as a request takes
            pool = urllib3.connection_from_url(self.base_url, maxsize=self.settings.pool)
        elif hasattr(self._adapter, "get_connection_with_tls_context"):
            pool = self._adapter.get_connection_with_tls_context(
                self._address, self.settings.verify, proxies=self.proxies, cert=self.settings.cert
            )
        else:  # before requests 2.32
            pool = self._adapter.get_connection(self.base_url, self.proxies)
        pool.ConnectionCls = type("Connection", (pool.ConnectionCls,), {"response_class": TimedResponse})
        if self.base_url.startswith("https:"):
            self._set_certificates(pool)
        return pool

    def _set_certificates(self, pool: t.Any) -> None:
        settings = self.settings
        self._adapter.cert_verify(pool, self.base_url, settings.verify, settings.cert)
        if settings.verify and not settings.cert:
            pool.conn_kw["ssl_context"] = _believing(settings.verify)
            pool.ca_certs = pool.ca_cert_dir = None  # else each connection reads them into it again

    @functools.cached_property
    def _wants_whole_address(self) -> bool:
        """Whether the other side is a proxy that forwards requests."""
        return bool(self.proxies) and "://" in self._adapter.request_url(self._address, self.proxies)

    @functools.cached_property
    def _adapter(self) -> t.Any:
        return requests.adapters.HTTPAdapter(pool_maxsize=self.settings.pool)

    @property
    def _address(self) -> types.SimpleNamespace:
        """What an adapter looks at of a request; to prepare a whole one takes half a millisecond."""
        return types.SimpleNamespace(url=self.base_url, path_url="/")

    def _target(self, url: str) -> str:
        if self._wants_whole_address:
            return url
        parts = urlsplit(url)
        return f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"


def _believing(authorities: bool | str) -> ssl.SSLContext:
    """What believes these authorities, as their file or folder is now.

    :raises OSError: when it cannot be read, or has none
    """
    path = requests.adapters.DEFAULT_CA_BUNDLE_PATH if authorities is True else str(authorities)
    state = os.stat(path)
    return _read(path, (state.st_mtime_ns, state.st_size, state.st_ino))


@functools.cache
def _read(path: str, _state: tuple[int, ...]) -> ssl.SSLContext:
    """To read a usual list takes as long as ten requests, so it is done once."""
    context = create_urllib3_context(cert_reqs=ssl.CERT_REQUIRED)
    if os.path.isdir(path):
        context.load_verify_locations(capath=path)
    else:
        context.load_verify_locations(path)
    return context


def preload_certificates() -> None:
    """Do what each worker would do anew, before it is forked: read the authorities that most connections believe."""
    if requests is not None:
        urllib3.HTTPResponse(headers=[])  # type: ignore[arg-type]  # the first one finds out whether lists are mappings
        with contextlib.suppress(OSError):  # a connection that needs them says what is wrong
            _believing(certificates.ca_bundle_from_environment())


_CONNECTIONS: dict[tuple[t.Hashable, ...], Connection] = {}


def connect(task: Task, base_url: str, credential: Credential) -> Connection:
    """The connection to a service with a credential: kept, so that the next task finds it open.

    :raises BadOption: when a connection option has a value that cannot work
    """
    if requests is None:
        raise ToolchainError(
            f"The Python package 'requests' is missing for {sys.executable}: "
            f"install it with '{sys.executable} -m pip install requests'."
        )
    check_rehearsal_url(base_url)
    params = task.params
    settings = ConnectionSettings(
        verify=certificates.ca_bundle(params),
        cert=certificates.client_certificate(params),
        use_proxy=params["use_proxy"],
        pool=max(_POOL, params.get("workers") or 0),
    )
    key = (base_url, tuple(sorted(credential.headers.items())), settings)
    if key not in _CONNECTIONS:
        certificates.check_files(params, base_url.startswith("https:") and settings.verify, _believing)
        if not settings.verify:
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        through = settings.use_proxy and any(name.lower().endswith("_proxy") for name in os.environ)
        proxies = get_environ_proxies(base_url, no_proxy=None) if through else None
        # of two threads that come here the first one's serves both
        _CONNECTIONS.setdefault(key, Connection(base_url, settings, credential, proxies))
    return _CONNECTIONS[key]


def check_rehearsal_url(base_url: str) -> None:
    """See that a playbook that is rehearsed asks the sandbox alone, whatever its tasks say themselves.

    :raises ToolchainError: when it would ask another address
    """
    sandbox = os.environ.get(rehearsal.URL_VARIABLE)
    if sandbox and urlsplit(base_url)[:2] != urlsplit(sandbox)[:2]:
        raise ToolchainError(
            f"This is a rehearsal, so {redact_url(base_url)} is not asked: leave the address to the variables of "
            "the host."
        )


def _body(request: Request, response: t.Any) -> bytes:
    pieces, size = [], 0
    for piece in response.stream(_CHUNK, decode_content=True):
        pieces.append(piece)
        size += len(piece)
        if size > _LARGEST_ANSWER:
            response.close()
            raise ToolchainError(f"{request}: the answer is larger than {_LARGEST_ANSWER // 2**20} MiB.")
    _check_complete(request, response)
    return b"".join(pieces)


def _streamed(request: Request, response: t.Any) -> bytes | t.Iterator[bytes]:
    """A short body whole, so that it can be asked for again when it breaks off; a long one as it comes."""
    pieces, start, size = response.stream(_CHUNK, decode_content=True), [], 0
    for piece in pieces:
        start.append(piece)
        size += len(piece)
        if size > _READ_AT_ONCE:
            return itertools.chain(start, _rest(request, response, pieces))
    _check_complete(request, response)
    return b"".join(start)


def _live(request: Request, response: t.Any) -> t.Iterator[bytes]:
    """A body as it comes; the connection is closed when it is not read to its end."""
    with contextlib.closing(response):
        yield from _rest(request, response, _pieces(response))


def _pieces(response: t.Any) -> t.Iterator[bytes]:
    """Yield what has arrived of a body. `stream` waits for the end of each chunk, which Jetty sends with the next."""
    if hasattr(response, "read1"):  # since urllib3 2.1
        return iter(lambda: response.read1(_CHUNK, decode_content=True), b"")
    return response.stream(_CHUNK, decode_content=True)


def _rest(request: Request, response: t.Any, pieces: t.Iterator[bytes]) -> t.Iterator[bytes]:
    try:
        yield from pieces
        _check_complete(request, response)
    except _ERRORS as error:
        raise IncompleteResponse(f"{request}: the answer broke off ({_reason(request, error)}). Try again.") from None


def _check_complete(request: Request, response: t.Any) -> None:
    promised = response.headers.get("Content-Length")
    if promised and request.method != "HEAD" and response.tell() < int(promised):
        raise urllib3.exceptions.ProtocolError("the answer is shorter than announced")


def _failure(request: Request, error: t.Any) -> Exception:
    reason = f"{request}: {_reason(request, error)}."
    if isinstance(error, (urllib3.exceptions.SSLError, requests.exceptions.SSLError)):
        return ToolchainError(f"{reason} {certificates.suggest_remedy(reason)}")
    if "SOCKS" in reason and isinstance(error, requests.exceptions.InvalidSchema):
        install = f"'{sys.executable} -m pip install requests[socks]'"
        return ToolchainError(
            f"{request}: the proxy speaks SOCKS, for which a Python package is missing: install it with {install}."
        )
    if isinstance(error, (requests.RequestException, ValueError)):
        return ToolchainError(reason)
    return NoResponse(reason, _never_sent(error))


def _never_sent(error: t.Any) -> bool:
    """Whether the request surely did not reach the server."""
    return isinstance(
        error,
        (
            urllib3.exceptions.ConnectTimeoutError,
            urllib3.exceptions.NewConnectionError,
            urllib3.exceptions.ProxyError,
        ),
    )


def _reason(request: Request, error: t.Any) -> str:
    """What went wrong, in a few words without objects and addresses in memory."""
    # a failed connection is a kind of timeout to urllib3 before 2.0
    if isinstance(error, urllib3.exceptions.ConnectTimeoutError) and not _refused(error):
        return "no connection within 'timeout'"
    if isinstance(error, urllib3.exceptions.ReadTimeoutError):
        return _lateness(request, headers_arrived=error.url is None)
    if isinstance(error, urllib3.exceptions.ProxyError):
        return f"no way through the proxy: {_text(error.args[-1])}"
    return _text(error)


def _lateness(request: Request, headers_arrived: bool) -> str:
    if not headers_arrived:
        return f"no answer within '{request.timeout_option}'"
    if request.live_timeout_option:
        return f"not complete within '{request.live_timeout_option}'"
    return f"the response is too slow for '{request.timeout_option}'"


def _refused(error: t.Any) -> bool:
    return isinstance(error, urllib3.exceptions.NewConnectionError)


def _text(error: t.Any) -> str:
    text = str(error.args[-1]) if isinstance(error, Exception) and error.args else str(error)
    return _CONNECTION_OBJECT.sub("", text).strip("'\" ") or type(error).__name__
