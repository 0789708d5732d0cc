# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Connection pools, TLS, proxies, and messages for connection errors. The only file that imports requests.

The pools are those of urllib3. The adapter of requests only chooses the pool for proxies, because its rules for proxies
(environment, SOCKS, proxy credentials) would have to be reimplemented otherwise.
"""

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

_CHECKED_ON_CONNECT = "an empty string means not set; a missing file is an error"

CONNECTION = ArgumentSpec(
    dict(
        timeout=dict(type="float", default=30.0, at_least=0.01, at_most=86400),
        retries=dict(type="int", default=3, at_least=0, at_most=100),
        validate_certs=dict(type="bool", default=True),
        ca_path=dict(type="path", unchecked=_CHECKED_ON_CONNECT),
        client_cert=dict(type="path", unchecked=_CHECKED_ON_CONNECT),
        client_key=dict(type="path", unchecked=_CHECKED_ON_CONNECT),
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
    """Return the options of a service and the connection options.

    :arg service: name of the service
    :arg options: options for URL and credentials
    :arg credentials: see `Service`
    :arg behavior: further options of the service, see `Service`
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
# Maximum number of open connections; the number of workers if that is higher
_POOL_SIZE = 10
_MAX_BODY_SIZE = 64 * 1024 * 1024
_MAX_BUFFERED_SIZE = 256 * 1024
_CHUNK = 64 * 1024
# Prefix of messages of urllib3 before and since version 2.4
_CONNECTION_OBJECT = re.compile(r"(<[^>]*>|\w+\(host=[^)]*\)): ")


class NoResponse(Exception):
    """The server did not respond. `is_unsent` if it did not receive the request."""

    def __init__(self, message: str, is_unsent: bool) -> None:
        super().__init__(message)
        self.is_unsent = is_unsent


def _create_cookie_jar() -> t.Any:
    return requests.cookies.RequestsCookieJar()


class ConnectionSettings(t.NamedTuple):
    """TLS verification, client certificate, use of proxies, and size of the connection pool."""

    verify: bool | str
    cert: t.Any
    use_proxy: bool
    pool: int


@dataclasses.dataclass
class Connection:
    """Open connections, cookies and cached values (such as a crumb) of a server, for the life of the process.

    A `requests.Session` could do this too, but its creation takes a millisecond.
    """

    base_url: str
    settings: ConnectionSettings
    credential: Credential
    proxies: dict[str, str] | None = None
    cookies: t.Any = dataclasses.field(default_factory=_create_cookie_jar)
    memory: dict[str, t.Any] = dataclasses.field(default_factory=dict)
    lock: threading.Lock = dataclasses.field(default_factory=threading.Lock)

    def send(self, request: Request, timeout: tuple[float, float, float]) -> Response:
        """Send a request once.

        :arg timeout: seconds for the connection, for the headers and each 64 KiB of the body, and for the whole body.
            Only the last one applies to a live body
        :raises NoResponse: if there is no response, or only a part of it
        :raises ToolchainError: if the request cannot be sent
        """
        headers = {**_HEADERS, **request.headers, **self.credential.headers}
        if hasattr(request.body, "size"):
            headers["Content-Length"] = str(request.body.size)
        if len(self.cookies) and (cookies := self.cookie_header(request)):
            headers["Cookie"] = cookies
        try:
            # without the adapter of requests, which would double the time of a request
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
            response._original_response.set_deadline(timeout[2])  # noqa: SLF001
            unread = request.stream and response.status < 400
            body: bytes | t.Iterator[bytes]
            if unread and request.live_timeout_option:
                response._original_response.allow_pauses()  # noqa: SLF001
                body = _iter_live(request, response)
            else:
                body = _read_stream(request, response) if unread else _read_body(request, response)
        except _ERRORS as error:
            raise _failure(request, error) from None
        return Response(request, response.status, response.headers, body)

    def cookie_header(self, request: Request) -> str | None:
        """Return the Cookie header for a request."""
        return get_cookie_header(self.cookies, request)  # type: ignore[no-untyped-call]

    @functools.cached_property
    def _pool(self) -> t.Any:
        """The connection pool with TLS and proxy settings."""
        if not self.proxies:  # without the adapter, which takes as long as a request
            pool = urllib3.connection_from_url(self.base_url, maxsize=self.settings.pool)
        elif hasattr(self._adapter, "get_connection_with_tls_context"):
            pool = self._adapter.get_connection_with_tls_context(
                self._request_stub, self.settings.verify, proxies=self.proxies, cert=self.settings.cert
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
            pool.conn_kw["ssl_context"] = _load_context(settings.verify)
            pool.ca_certs = pool.ca_cert_dir = None  # else each connection reads the file again

    @functools.cached_property
    def _needs_absolute_url(self) -> bool:
        """Return whether requests are sent to a forwarding proxy."""
        return bool(self.proxies) and "://" in self._adapter.request_url(self._request_stub, self.proxies)

    @functools.cached_property
    def _adapter(self) -> t.Any:
        return requests.adapters.HTTPAdapter(pool_maxsize=self.settings.pool)

    @property
    def _request_stub(self) -> types.SimpleNamespace:
        """The attributes of a request that an adapter reads. A prepared request would take half a millisecond."""
        return types.SimpleNamespace(url=self.base_url, path_url="/")

    def _target(self, url: str) -> str:
        if self._needs_absolute_url:
            return url
        parts = urlsplit(url)
        return f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"


def _load_context(bundle: bool | str) -> ssl.SSLContext:
    """Return a TLS context with a CA bundle, which is read again if the file has changed.

    :raises OSError: if it cannot be read or contains no certificates
    """
    path = requests.adapters.DEFAULT_CA_BUNDLE_PATH if bundle is True else str(bundle)
    state = os.stat(path)
    return _read_context(path, (state.st_mtime_ns, state.st_size, state.st_ino))


@functools.cache
def _read_context(path: str, _state: tuple[int, ...]) -> ssl.SSLContext:
    """Return a TLS context. Reading a usual CA bundle takes as long as ten requests, so it is cached."""
    context = create_urllib3_context(cert_reqs=ssl.CERT_REQUIRED)
    if os.path.isdir(path):
        context.load_verify_locations(capath=path)
    else:
        context.load_verify_locations(path)
    return context


def preload_certificates() -> None:
    """Read the default CA bundle before worker processes are forked, so that each of them has it."""
    if requests is not None:
        urllib3.HTTPResponse(headers=[])  # type: ignore[arg-type]  # initializes caches of the standard library
        with contextlib.suppress(OSError):  # reported by the connection that needs it
            _load_context(certificates.ca_bundle_from_environment())


_CONNECTIONS: dict[tuple[t.Hashable, ...], Connection] = {}


def connect(task: Task, base_url: str, credential: Credential) -> Connection:
    """Return the connection for a URL and a credential. It is kept open for the next task.

    :raises BadOption: if a connection option is invalid
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
        pool=max(_POOL_SIZE, params.get("workers") or 0),
    )
    key = (base_url, tuple(sorted(credential.headers.items())), settings)
    if key not in _CONNECTIONS:
        certificates.check_files(params, base_url.startswith("https:") and settings.verify, _load_context)
        if not settings.verify:
            urllib3.disable_warnings(urllib3.exceptions.InsecureRequestWarning)
        through = settings.use_proxy and any(name.lower().endswith("_proxy") for name in os.environ)
        proxies = get_environ_proxies(base_url, no_proxy=None) if through else None
        # two threads that connect at the same time share the connection of the first one
        _CONNECTIONS.setdefault(key, Connection(base_url, settings, credential, proxies))
    return _CONNECTIONS[key]


def check_rehearsal_url(base_url: str) -> None:
    """Verify that a rehearsal sends requests only to the sandbox.

    :raises ToolchainError: if the URL is another one
    """
    sandbox = os.environ.get(rehearsal.URL_VARIABLE)
    if sandbox and urlsplit(base_url)[:2] != urlsplit(sandbox)[:2]:
        raise ToolchainError(
            f"This is a rehearsal, so no request is sent to {redact_url(base_url)}. Set the URL only in host variables."
        )


def _read_body(request: Request, response: t.Any) -> bytes:
    pieces, size = [], 0
    for piece in response.stream(_CHUNK, decode_content=True):
        pieces.append(piece)
        size += len(piece)
        if size > _MAX_BODY_SIZE:
            response.close()
            raise ToolchainError(f"{request}: the response is larger than {_MAX_BODY_SIZE // 2**20} MiB.")
    _check_complete(request, response)
    return b"".join(pieces)


def _read_stream(request: Request, response: t.Any) -> bytes | t.Iterator[bytes]:
    """Return a short body as bytes, so that the request can be repeated, and a long body as an iterator."""
    pieces, start, size = response.stream(_CHUNK, decode_content=True), [], 0
    for piece in pieces:
        start.append(piece)
        size += len(piece)
        if size > _MAX_BUFFERED_SIZE:
            return itertools.chain(start, _iter_rest(request, response, pieces))
    _check_complete(request, response)
    return b"".join(start)


def _iter_live(request: Request, response: t.Any) -> t.Iterator[bytes]:
    """Yield a body as it arrives. If it is not read completely, the connection is closed."""
    with contextlib.closing(response):
        yield from _iter_rest(request, response, _iter_available(response))


def _iter_available(response: t.Any) -> t.Iterator[bytes]:
    """Yield the received bytes of a body. `stream` waits for the end of a chunk, which Jetty sends with the next."""
    if hasattr(response, "read1"):  # since urllib3 2.1
        return iter(lambda: response.read1(_CHUNK, decode_content=True), b"")
    return response.stream(_CHUNK, decode_content=True)


def _iter_rest(request: Request, response: t.Any, pieces: t.Iterator[bytes]) -> t.Iterator[bytes]:
    try:
        yield from pieces
        _check_complete(request, response)
    except _ERRORS as error:
        cause = _reason(request, error)
        raise IncompleteResponse(f"{request}: the response is incomplete ({cause}). Try again.") from None


def _check_complete(request: Request, response: t.Any) -> None:
    promised = response.headers.get("Content-Length")
    if promised and request.method != "HEAD" and response.tell() < int(promised):
        raise urllib3.exceptions.ProtocolError("the response is shorter than its Content-Length")


def _failure(request: Request, error: t.Any) -> Exception:
    reason = f"{request}: {_reason(request, error)}."
    if isinstance(error, (urllib3.exceptions.SSLError, requests.exceptions.SSLError)):
        return ToolchainError(f"{reason} {certificates.suggest_remedy(reason)}")
    if "SOCKS" in reason and isinstance(error, requests.exceptions.InvalidSchema):
        install = f"'{sys.executable} -m pip install requests[socks]'"
        return ToolchainError(
            f"{request}: the Python package for the SOCKS proxy is missing. Install it with {install}."
        )
    if isinstance(error, (requests.RequestException, ValueError)):
        return ToolchainError(reason)
    return NoResponse(reason, _is_unsent(error))


def _is_unsent(error: t.Any) -> bool:
    """Return whether the request did not reach the server."""
    return isinstance(
        error,
        (
            urllib3.exceptions.ConnectTimeoutError,
            urllib3.exceptions.NewConnectionError,
            urllib3.exceptions.ProxyError,
        ),
    )


def _reason(request: Request, error: t.Any) -> str:
    """Return the cause of an error without representations of objects."""
    # a failed connection is a kind of timeout to urllib3 before 2.0
    if isinstance(error, urllib3.exceptions.ConnectTimeoutError) and not _is_refused(error):
        return "no connection within 'timeout'"
    if isinstance(error, urllib3.exceptions.ReadTimeoutError):
        return _describe_timeout(request, headers_arrived=error.url is None)
    if isinstance(error, urllib3.exceptions.ProxyError):
        return f"cannot connect through the proxy: {_text(error.args[-1])}"
    return _text(error)


def _describe_timeout(request: Request, headers_arrived: bool) -> str:
    if not headers_arrived:
        return f"no response within '{request.timeout_option}'"
    if request.live_timeout_option:
        return f"not complete within '{request.live_timeout_option}'"
    return f"the response is too slow for '{request.timeout_option}'"


def _is_refused(error: t.Any) -> bool:
    return isinstance(error, urllib3.exceptions.NewConnectionError)


def _text(error: t.Any) -> str:
    text = str(error.args[-1]) if isinstance(error, Exception) and error.args else str(error)
    return _CONNECTION_OBJECT.sub("", text).strip("'\" ") or type(error).__name__
