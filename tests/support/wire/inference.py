# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A minimal client for the inference API, which validates responses."""

from __future__ import annotations

import json
import re
from typing import Any

import requests

from support.wire.inference_shapes import check

SECRET = "sk-proj-sandbox0000000000000000000000000001"
ADMIN = "sk-admin-sandbox00000000000000000000000004"
SESSION = "sess-sandbox000000000000000000000000000005"
HELLO = [{"role": "system", "content": "You are a helpful assistant."}, {"role": "user", "content": "Hello!"}]
CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}


class Api:
    """Requests to the API. Responses must match their schemas."""

    def __init__(self, sandbox: Any) -> None:
        self.sandbox = sandbox
        self.url = f"{sandbox.url}/inference"

    def call(self, method: str, path: str, key: str | None = SECRET, **options: Any) -> requests.Response:
        headers = {**({"Authorization": f"Bearer {key}"} if key else {}), **options.pop("headers", {})}
        answer = requests.request(method, self.url + path, headers=headers, timeout=60, **options)
        check(answer, method, path)
        return answer

    def get(self, path: str, key: str | None = SECRET, **headers: str) -> requests.Response:
        return self.call("GET", path, key, headers=headers)

    def chat(self, key: str | None = SECRET, **request: Any) -> requests.Response:
        return self.call("POST", "/v1/chat/completions", key, json={"model": "gpt-4o", "messages": HELLO, **request})

    def choice(self, **request: Any) -> dict[str, Any]:
        answer = self.chat(**request)
        assert answer.status_code == 200, answer.text
        return answer.json()["choices"][0]

    def script(self, *replies: dict[str, Any]) -> None:
        self.sandbox.call("POST", "inference/replies", list(replies))


def error(answer: requests.Response) -> tuple[int, dict[str, Any]]:
    assert re.fullmatch("req_[0-9a-f]{32}", answer.headers["x-request-id"])
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()["error"]
    assert set(body) == {"message", "type", "param", "code"}
    return answer.status_code, body


def events(answer: requests.Response) -> list[Any]:
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert answer.text.endswith("\n\n")
    lines = answer.text.removesuffix("\n\n").split("\n\n")
    assert all(line.startswith("data: ") for line in lines)
    return [line[6:] if line == "data: [DONE]" else json.loads(line[6:]) for line in lines]
