# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests to a service: reads and writes, redirects and repeats."""

from __future__ import annotations

import dataclasses
import json
import time
import typing as t
from http.client import responses as reason_phrases
from urllib.parse import urljoin

from ansible_collections.buildworks.toolchain.plugins.module_utils._credential import Credential
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    OutcomeUnknown,
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
_MOST_REDIRECTS = 5


class RequestOptions(t.TypedDict, total=False):
    """What may be said of a request.

    :ivar accept: statuses that are answers, 200 by default; others raise
    :ivar query: name to value; `None` for a bare name
    :ivar json: a value to send as JSON
    :ivar form: name to value, sent as a form
    :ivar data: bytes, or what gives pieces of bytes, each time it is iterated over. One with a `size` is sent as so
        many bytes, another piece by piece, as they come; what has a `content_type` says it by itself
    :ivar headers: more headers
    :ivar stream: do not read a long body yet, see `Answer.chunks` and `Answer.lines`
    :ivar live_timeout_option: give a streamed body as it comes, from its first piece; the option with the seconds to
        wait for its end. Whoever does not read it to its end closes it
    :ivar anonymous: without the credential
    :ivar label: what it is for, in messages, where the path does not tell
    :ivar timeout_option: the option with the seconds to wait for the headers and for each 64 KiB of the body, `timeout`
        by default
    :ivar no_retry: never repeat, whatever happens
    """

    accept: t.Container[int]
    query: t.Mapping[str, str | None] | None
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
        explain: ExplainError,
    ) -> None:
        self.base_url = base_url
        self._task = task
        self._explain = explain
        self._credential = credential
        self._connection = connect(task, base_url, credential)
        self._date: tuple[str | None, float] = (None, 0.0)

    def now(self) -> float:
        """Return the seconds since 1970 by the server's clock, or by this machine's if no response told the time."""
        text, arrived = self._date
        date = parse_http_date(text)
        return time.time() + (0.0 if date is None else date - arrived)

    def cached(self, name: str, make: t.Callable[[], t.Any], instead_of: t.Any = None) -> t.Any:
        """What is kept with the session under a name, for the life of the process and for all its threads.

        :arg make: gives it when it is not there yet
        :arg instead_of: what was remembered, but is good no longer
        """
        with self._connection.lock:
            memory = self._connection.memory
            if name not in memory or (instead_of is not None and memory[name] is instead_of):
                memory[name] = make()
            return memory[name]

    def cookie_header(self) -> str | None:
        """The session's cookies, as the header `Cookie` of a request to this service has them."""
        return self._connection.cookie_header(_request("GET", f"{self.base_url}/", {}))

    def read(
        self, method: str, path: str, *, policy: retry.Policy = retry.IDEMPOTENT, **options: t.Unpack[RequestOptions]
    ) -> Response:
        """Send a request that changes nothing. It is repeated on passing troubles.

        :arg path: below the base address, percent-encoded
        :raises ServerRefusal: on a status that is not accepted
        :raises ServerUnreachable: when no answer came
        """
        return self._exchange(method, path, options, policy=policy)

    def write(
        self,
        method: str,
        path: str,
        *,
        policy: retry.Policy = retry.WRITE,
        changes_state: bool = True,
        **options: t.Unpack[RequestOptions],
    ) -> Response:
        """Send a request that has an effect. Never sent in check mode.

        :arg path: below the base address, percent-encoded
        :arg policy: when it may be sent again; `retry.IDEMPOTENT` where the service makes it idempotent
        :arg changes_state: whether it changes something; a completion, say, only costs
        :raises ServerRefusal: on a status that is not accepted
        :raises ServerUnreachable: when it surely had no effect
        :raises OutcomeUnknown: when the reply was lost
        """
        with self._task.guard_action(f"{method} {path}", changes_state):
            response = self._exchange(method, path, options, policy=policy, write=True)
        # what is accepted as an answer, a 404 say, is not always an effect
        self._task.has_written = self._task.has_written or (changes_state and response.status < 400)
        return response

    def _exchange(
        self, method: str, path: str, options: RequestOptions, *, policy: retry.Policy, write: bool = False
    ) -> Response:
        request = _request(method, self.base_url + path, options)
        accept = options.get("accept", (200,))
        tries_left = 0 if options.get("no_retry") else self._task.params["retries"]
        attempt = 0
        in_doubt = False  # whether a lost try of a write may have had its effect
        while True:
            failure: ToolchainError
            try:
                response = self._send(request)
            except NoResponse as lost:
                in_doubt = in_doubt or (write and not lost.is_unsent)
                if not lost.is_unsent:
                    policy.record_failure(None)
                failure, is_repeatable = _no_answer(lost, in_doubt), policy.is_idempotent or lost.is_unsent
                delay, why = retry.backoff(attempt), str(lost)
            else:
                response.explain = self._explain
                self._task.last_response = f"{request}: {response.status}"
                if response.status in accept:
                    if "Date" in response.headers:  # few tasks need it parsed
                        self._date = (response.headers["Date"], time.time())
                    return response
                policy.record_failure(response)
                failure, is_repeatable = self._refusal(request, response, in_doubt), policy.should_retry(response)
                delay, why = retry.retry_delay(response, attempt, policy), f"{request}: {response.status}"
            if tries_left == 0 or self._task.is_past_deadline or not is_repeatable:
                raise failure
            self._task.record_retry(why, attempt + 1, attempt + tries_left)
            if not policy.wait(delay):
                raise failure
            attempt, tries_left = attempt + 1, tries_left - 1

    def _send(self, request: Request) -> Response:
        connection = self._connection
        if request.anonymous:  # with cookies of its own, for some servers believe a cookie more than a credential
            connection = connect(self._task, self.base_url, Credential())
        for _hop in range(_MOST_REDIRECTS + 1):
            next(self._task.requests)
            response = connection.send(request, self._patience(request))
            if request.method not in ("GET", "HEAD") or response.status not in _REDIRECTS:
                return response
            target = _target(request, response)
            if not target or url_origin(target) != url_origin(request.url):
                return response
            request = dataclasses.replace(request, url=target)
        raise ToolchainError(f"{request}: redirected more than {_MOST_REDIRECTS} times.")

    def _patience(self, request: Request) -> tuple[float, float, float]:
        task = self._task
        whole = (
            task.remaining_timeout(request.live_timeout_option)
            if request.live_timeout_option
            else task.response_time_limit
        )
        return task.remaining_timeout("timeout"), task.remaining_timeout(request.timeout_option), whole

    def _refusal(self, request: Request, response: Response, in_doubt: bool) -> ToolchainError:
        if response.status in _REDIRECTS:
            text = (
                f"{request}: {response.status}, redirected to {redact_url(_target(request, response))}, which is not "
                "followed. Give the address that the server itself uses."
            )
        else:
            message, advice = self._explain(response)
            text = (
                f"{request}: {response.status} {message or reason_phrases.get(response.status, '')}".rstrip(". ") + "."
            )
            text = " ".join(filter(None, (text, advice, retry.describe_retry_after(response))))
        refusal = ServerRefusal(
            text,
            response.status,
            response.text,
            self._refused(request, response),
            exceeds_longest_delay=retry.exceeds_longest_delay(response),
        )
        return OutcomeUnknown(str(refusal), refusal) if in_doubt else refusal

    def _refused(self, request: Request, response: Response) -> str | None:
        """The option with the credential that the server did not accept."""
        return self._credential.option if response.status == 401 and not request.anonymous else None


def _request(method: str, url: str, options: RequestOptions) -> Request:
    headers = dict(options.get("headers") or {})
    body = options.get("data")
    if own := getattr(body, "content_type", None):
        headers["Content-Type"] = own
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
    return json.dumps(value, ensure_ascii=False).encode()


def _target(request: Request, response: Response) -> str | None:
    """Where the server sends the client, or `None` when that is no address."""
    location = response.headers.get("Location")
    if not location or not split_url(location):
        return None
    return urljoin(request.url, location)


def _no_answer(lost: NoResponse, in_doubt: bool) -> ToolchainError:
    if in_doubt:
        return OutcomeUnknown(str(lost))
    return ServerUnreachable(f"{lost} Is the address right, and is the server up?")
