# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The HTTP client of a service: reads, writes, redirects and retries."""

from __future__ import annotations

import dataclasses
import json
import re
import time
import typing as t
from http.client import responses as reason_phrases
from urllib.parse import urljoin

from ansible_collections.buildworks.toolchain.plugins.module_utils._credential import Credential
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    OutcomeUnknown,
    ServerFailure,
    ServerRefusal,
    ServerUnreachable,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import (
    ExplainError,
    Request,
    Response,
    parse_http_date,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.session import NoResponse, connect
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import (
    encode_query,
    redact_url,
    split_url,
    url_origin,
)

_REDIRECTS = frozenset((301, 302, 303, 307, 308))
# Statuses with which a server or a proxy in front of it answers a write that may have had its effect
_MAYBE_WRITTEN = frozenset((500, 502, 503, 504))
_MAX_REDIRECTS = 5

# Characters of JSON that YAML does not allow, or reads as line breaks. Jenkins reads JSON as YAML
_NOT_IN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class RequestOptions(t.TypedDict, total=False):
    """The options of a request.

    :ivar accept: accepted statuses, 200 by default; other statuses raise an exception
    :ivar query: values by name; `None` for a name without value, a list for a name that is repeated
    :ivar json: value to send as JSON
    :ivar form: values by name, sent as a form
    :ivar data: bytes, or a repeatable iterable of bytes. With an attribute `size`, its length is sent in advance,
        otherwise the encoding is chunked. An attribute `content_type` sets the header
    :ivar headers: further headers
    :ivar stream: do not read a long body in advance, see `Response.chunks` and `Response.lines`
    :ivar live_timeout_option: return a streamed body as it arrives; the name of the option with the timeout for the
        whole body. A caller that does not read the whole body must close it
    :ivar anonymous: send no credential
    :ivar label: purpose of the request for messages, if the path does not show it
    :ivar timeout_option: name of the option with the timeout for the headers and for each 64 KiB of the body, `timeout`
        by default
    :ivar no_retry: never repeat the request
    """

    accept: t.Container[int]
    query: t.Mapping[str, str | list[str] | None] | None
    json: t.Any
    form: t.Mapping[str, str] | None
    data: t.Any
    headers: t.Mapping[str, str] | None
    stream: bool
    live_timeout_option: str | None
    anonymous: bool
    label: str | None
    timeout_option: str
    no_retry: bool


class HttpClient:
    """An HTTP client for one service and one credential.

    :arg task: provides the connection options, and records retries and writes
    :arg base_url: URL to which paths are appended
    :arg credential: sent with each request, only to this origin
    :arg explain: returns the server's message from a response with an error, and advice for the user
    :arg returns_pages: whether successful writes of the service return HTML. Of any other service, HTML comes from a
        login page or a proxy
    """

    def __init__(
        self,
        task: Task,
        base_url: str,
        *,
        credential: Credential,
        explain: ExplainError,
        returns_pages: bool = False,
    ) -> None:
        self.base_url = base_url
        self._task = task
        self._explain = explain
        self._returns_pages = returns_pages
        self._credential = credential
        self._connection = connect(task, base_url, credential)
        self._date: tuple[str | None, float] = (None, 0.0)

    def now(self) -> float:
        """Return the server's time in seconds since 1970, or the local time if no response had a Date header."""
        text, arrived = self._date
        date = parse_http_date(text)
        return time.time() + (0.0 if date is None else date - arrived)

    def get_cached(self, name: str, create: t.Callable[[], t.Any], invalid: t.Any = None) -> t.Any:
        """Return a value that is cached with the connection, for all threads of the process.

        :arg create: creates the value if it is not cached
        :arg invalid: a value to replace if it is cached
        """
        with self._connection.lock:
            memory = self._connection.memory
            if name not in memory or (invalid is not None and memory[name] is invalid):
                memory[name] = create()
            return memory[name]

    def cookie_header(self) -> str | None:
        """Return the Cookie header of a request to this service."""
        return self._connection.cookie_header(_build_request("GET", f"{self.base_url}/", {}))

    def read(
        self, method: str, path: str, *, policy: retry.Policy = retry.IDEMPOTENT, **options: t.Unpack[RequestOptions]
    ) -> Response:
        """Send a request without side effects. It is repeated after temporary failures.

        :arg path: percent-encoded path below the base URL
        :raises ServerRefusal: if the status is not accepted
        :raises ServerUnreachable: if there is no response
        """
        return self._send_with_retries(method, path, options, policy=policy)

    def write(
        self,
        method: str,
        path: str,
        *,
        policy: retry.Policy = retry.WRITE,
        changes_state: bool = True,
        **options: t.Unpack[RequestOptions],
    ) -> Response:
        """Send a request with a side effect. It is never sent in check mode.

        :arg path: percent-encoded path below the base URL
        :arg policy: when it may be repeated; `retry.IDEMPOTENT` only if the service makes it idempotent
        :arg changes_state: whether it changes something; a completion, for example, only has a cost
        :raises ServerRefusal: if the status is not accepted
        :raises ServerUnreachable: if it had no effect
        :raises OutcomeUnknown: if the response is lost, or comes from a login page or a proxy
        :raises ServerFailure: if the status is 500, 502, 503 or 504
        """
        with self._task.guard_action(f"{method} {path}", changes_state):
            response = self._send_with_retries(
                method, path, options, policy=policy, write=True, changes_state=changes_state
            )
        if changes_state and response.status < 400:  # an accepted status, such as 404, need not mean an effect
            if response.is_page and not self._returns_pages:
                raise OutcomeUnknown(str(response.page_error()))
            self._task.has_written = True
        return response

    def _send_with_retries(
        self,
        method: str,
        path: str,
        options: RequestOptions,
        *,
        policy: retry.Policy,
        write: bool = False,
        changes_state: bool = False,
    ) -> Response:
        request = _build_request(method, self.base_url + path, options)
        accept = options.get("accept", (200,))
        remaining_retries = 0 if options.get("no_retry") else self._task.params["retries"]
        attempt = 0
        may_have_effect = False  # whether a write without response may have had its effect
        while True:
            failure: ToolchainError
            try:
                response = self._send(request)
            except NoResponse as error:
                may_have_effect = may_have_effect or (write and not error.is_unsent)
                if not error.is_unsent:
                    policy.record_failure(None)
                failure, is_repeatable = (
                    _no_response_error(error, may_have_effect),
                    policy.is_idempotent or error.is_unsent,
                )
                delay, reason = retry.backoff(attempt), str(error)
            else:
                response.explain = self._explain
                self._task.last_response = f"{request}: {response.status}"
                if response.status in accept:
                    if "Date" in response.headers:  # parsed on demand
                        self._date = (response.headers["Date"], time.time())
                    return response
                policy.record_failure(response)
                failure = self._refusal(request, response, may_have_effect, changes_state)
                may_have_effect = isinstance(failure, OutcomeUnknown)
                is_repeatable = policy.should_retry(response)
                delay, reason = retry.retry_delay(response, attempt, policy), f"{request}: {response.status}"
            if remaining_retries == 0 or self._task.is_past_deadline or not is_repeatable:
                raise failure
            self._task.record_retry(reason, attempt + 1, attempt + remaining_retries)
            if not policy.wait(delay):
                raise failure
            attempt, remaining_retries = attempt + 1, remaining_retries - 1

    def _send(self, request: Request) -> Response:
        connection = self._connection
        if request.anonymous:  # without the cookies of the session, which some servers prefer to a missing credential
            connection = connect(self._task, self.base_url, Credential())
        for _hop in range(_MAX_REDIRECTS + 1):
            next(self._task.requests)
            response = connection.send(request, self._timeouts(request))
            if request.method not in ("GET", "HEAD") or response.status not in _REDIRECTS:
                return response
            target = _redirect_target(request, response)
            if not target or url_origin(target) != url_origin(request.url):
                return response
            request = dataclasses.replace(request, url=target)
        raise ToolchainError(f"{request}: redirected more than {_MAX_REDIRECTS} times.")

    def _timeouts(self, request: Request) -> tuple[float, float, float]:
        task = self._task
        total = (
            task.remaining_timeout(request.live_timeout_option)
            if request.live_timeout_option
            else task.response_time_limit
        )
        return task.remaining_timeout("timeout"), task.remaining_timeout(request.timeout_option), total

    def _refusal(
        self, request: Request, response: Response, may_have_effect: bool, changes_state: bool
    ) -> ToolchainError:
        if response.status in _REDIRECTS:
            text = (
                f"{request}: {response.status}, redirected to {redact_url(_redirect_target(request, response))}, which "
                "is not followed. Set the URL that the server itself uses."
            )
        else:
            message, advice = self._explain(response)
            reason = (message or reason_phrases.get(response.status, "")).strip()
            text = f"{request}: {response.status} {reason}".rstrip(". ") + "."
            text = " ".join(filter(None, (text, advice, retry.describe_retry_after(response))))
        refusal = ServerRefusal(
            text,
            response.status,
            response.text,
            self._refused_option(request, response),
            exceeds_longest_delay=retry.exceeds_longest_delay(response),
        )
        if changes_state and response.status in _MAYBE_WRITTEN:
            return ServerFailure(refusal)
        return OutcomeUnknown(str(refusal), refusal) if may_have_effect else refusal

    def _refused_option(self, request: Request, response: Response) -> str | None:
        """Return the option with the credential that the server rejected, or `None`."""
        return self._credential.option if response.status == 401 and not request.anonymous else None


def _build_request(method: str, url: str, options: RequestOptions) -> Request:
    headers = dict(options.get("headers") or {})
    body = options.get("data")
    if content_type := getattr(body, "content_type", None):
        headers["Content-Type"] = content_type
    if options.get("json") is not None:
        body = _to_json(options["json"])
        headers["Content-Type"] = "application/json"
    elif (form := options.get("form")) is not None:
        body = encode_query(form).encode()
        headers["Content-Type"] = "application/x-www-form-urlencoded;charset=UTF-8"
    if query := options.get("query"):
        url = f"{url}?{encode_query(query)}"
    stream, anonymous = options.get("stream", False), options.get("anonymous", False)
    return Request(
        method,
        url,
        stream,
        headers,
        body,
        anonymous,
        options.get("label"),
        options.get("timeout_option", "timeout"),
        live_timeout_option=options.get("live_timeout_option"),
    )


def _to_json(value: t.Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False)
    return _NOT_IN_YAML.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()


def _redirect_target(request: Request, response: Response) -> str | None:
    """Return the URL of a redirect, or `None` if it is invalid."""
    location = response.headers.get("Location")
    if not location or not split_url(location):
        return None
    return urljoin(request.url, location)


def _no_response_error(error: NoResponse, may_have_effect: bool) -> ToolchainError:
    if may_have_effect:
        return OutcomeUnknown(str(error))
    return ServerUnreachable(f"{error} Check the URL, and that the server is running.")
