# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An OpenAI-compatible server with injected faults that counts how often each prompt is charged."""

from __future__ import annotations

import collections
import contextlib
import http.server
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from typing import Any

from support.inference_server import QUOTA, WRONG_KEY, error
from support.serving import run_server

TOKENS = 15

# Charged, but the response is unusable
LOSSES = ("reset_after", "cut", "late", "gateway", "page", "empty", "null")
# Not charged, but the client cannot know this
UNKNOWN_OUTCOMES = ("reset_before", "failure")
# Not charged, temporary
TEMPORARY = ("requests_minute", "tokens_minute", "requests_day", "tokens_day", "slow_down", "overloaded")
# Not charged, affects all prompts
PERMANENT = ("quota", "no_key", "no_permission", "no_funds", "no_model", "long_delay")


def _rate_limit(unit_name: str, period: str, **headers: str) -> tuple[int, dict[str, str], dict[str, Any]]:
    unit = {"minute": "min", "day": "day"}[period]
    name = f"{unit_name} per {unit} ({unit_name[0].upper()}P{period[0].upper()})"
    message = f"Rate limit reached for gpt-4o-mini in organization org-1 on {name}: Limit 100000, Used 100000."
    return 429, {"Retry-After": "1", **headers}, error(message, unit_name, "rate_limit_exceeded")


ERRORS: dict[str, tuple[int, dict[str, str], Any]] = {
    **{
        f"{unit}_{period}": _rate_limit(unit, period) for unit in ("requests", "tokens") for period in ("minute", "day")
    },
    "slow_down": (429, {"Retry-After": "1"}, error("Slow down.", "rate_limit_error", "slow_down")),
    "overloaded": (503, {"Retry-After": "1"}, error("The engine is overloaded.", "server_error")),
    "gateway": (502, {}, error("Bad gateway.", "server_error")),
    "failure": (500, {}, error("The server had an error.", "server_error")),
    "quota": (429, {}, error(QUOTA, "insufficient_quota", "insufficient_quota")),
    "no_key": (401, {}, error(WRONG_KEY, code="invalid_api_key")),
    "no_permission": (403, {}, error("Country, region, or territory not supported", "request_forbidden")),
    "no_funds": (402, {}, error("Insufficient Balance", "unknown_error")),
    "no_model": (404, {}, error("The model `gpt-4o-mini` does not exist.", code="model_not_found")),
    "long_delay": (429, {"Retry-After": "3600"}, error("Rate limit reached.", "requests", "rate_limit_exceeded")),
    "bad": (400, {}, error("Bad request.")),
}


class BillingServer:
    """The state of the server.

    :ivar faults: faults of the next requests by prompt; later requests succeed
    :ivar charged: number of charges by prompt
    :ivar delivered: number of complete answers by prompt
    :ivar requests: number of requests by prompt
    :ivar headers: headers of each response
    :ivar before: called with the prompt before each request is handled
    """

    def __init__(self) -> None:
        self.url = ""
        self.faults: dict[str, list[str]] = {}
        self.charged: collections.Counter[str] = collections.Counter()
        self.delivered: collections.Counter[str] = collections.Counter()
        self.requests: collections.Counter[str] = collections.Counter()
        self.headers: dict[str, str] = {}
        self.before: Callable[[str], None] = lambda _prompt: None
        self.over = threading.Event()
        self._lock = threading.Lock()

    def begin(self, prompt: str) -> str:
        """Count a request, and return its fault, if any."""
        self.before(prompt)
        with self._lock:
            self.requests[prompt] += 1
            faults = self.faults.get(prompt)
            fault = faults.pop(0) if faults else ""
            if fault not in ERRORS and fault != "reset_before":
                self.charged[prompt] += 1
                self.delivered[prompt] += fault not in LOSSES
            if fault == "gateway":
                self.charged[prompt] += 1
        return fault


@contextlib.contextmanager
def billing_server() -> Iterator[BillingServer]:
    """Run the server. Each answer is `Answer to` followed by the prompt."""
    state = BillingServer()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(state))
    state.url = f"http://127.0.0.1:{server.server_port}/v1"
    with run_server(server):
        try:
            yield state
        finally:
            state.over.set()


def _create_answer(prompt: str) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", "content": f"Answer to {prompt}"}, "finish_reason": "stop"}
    usage = {"prompt_tokens": TOKENS - 5, "completion_tokens": 5, "total_tokens": TOKENS}
    return json.dumps({"id": "chatcmpl-1", "model": "gpt-4o-mini", "choices": [choice], "usage": usage}).encode()


def _events(prompt: str) -> bytes:
    pieces = [
        {"model": "gpt-4o-mini", "choices": [{"index": 0, "delta": {"content": f"Answer to {prompt}"}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    ]
    return b"".join(b"data: %s\n\n" % json.dumps(piece).encode() for piece in pieces) + b"data: [DONE]\n\n"


def _handler(state: BillingServer) -> type[http.server.BaseHTTPRequestHandler]:  # noqa: C901
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def handle_one_request(self) -> None:
            with contextlib.suppress(OSError):
                super().handle_one_request()

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            prompt = request["messages"][-1]["content"]
            fault = state.begin(prompt)
            if fault in ERRORS:
                status, headers, body = ERRORS[fault]
                self.reply(status, (body if isinstance(body, str) else json.dumps(body)).encode(), headers)
            elif fault in ("reset_before", "reset_after"):
                self.reset()
            elif fault == "late":
                state.over.wait()
            else:
                whole = _events(prompt) if request.get("stream") else _create_answer(prompt)
                wrong = {"page": b"<html>Log in</html>", "empty": b"{}", "null": b"null"}
                kind = "text/event-stream" if request.get("stream") else "application/json"
                self.reply(200, wrong.get(fault, whole), {"Content-Type": kind, **state.headers}, fault)

        def reply(self, status: int, body: bytes, headers: dict[str, str], fault: str = "") -> None:
            lines = [f"HTTP/1.1 {status} OK", *(f"{name}: {value}" for name, value in headers.items())]
            head = "".join(f"{line}\r\n" for line in [*lines, f"Content-Length: {len(body)}", ""])
            whole = head.encode() + body
            self.wfile.write({"twice": whole * 2, "cut": whole[: -len(body) // 2]}.get(fault, whole))
            if fault == "cut":
                self.reset(linger=False)

        def reset(self, linger: bool = True) -> None:
            if linger:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()

        def log_message(self, *args: Any) -> None:
            pass

    return Handler
