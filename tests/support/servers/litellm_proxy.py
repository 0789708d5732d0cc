# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The LiteLLM proxy: an independent server with an OpenAI-compatible API, here with canned replies and offline.

Observed behavior (checked by the tests in test_servers.py):

`GET /v1/models`
    `{"data":[{"id","object":"model","created":1677610602,"owned_by":"openai"}, ...],"object":"list"}`, in the order of
    the configuration, with the same `created` for all. `GET /v1/models/<id>` gives one; unknown: 404
    `{"detail":"..."}`, not OpenAI's error object.

`POST /v1/chat/completions`
    The usual object without `system_fingerprint`, `service_tier` and `choices[].message.refusal`; `usage` is always 10
    prompt and 20 completion tokens. The request's id is in `x-litellm-call-id`; there is no `x-request-id`. Parameters
    such as `max_tokens` and `response_format` are accepted and change nothing. `n` gives as many answers. `stream`
    gives chunks of three letters, with `usage` if requested. In a stream, a canned tool call is lost, and only the
    first of several answers has a `finish_reason`. Unknown model: **400**, not 404, with `error.type` and
    `error.param` the word `"None"`. No `messages`: 500 with a Python message.

Errors: `{"error":{"message","type","param","code"}}` with `code` the status as a string. No key: 401 `auth_error`. A
wrong key: **400** `no_db_connection`, `No connected db.`, since without a database it knows only the master key. The
throttled model: 429 `throttling_error` without Retry-After.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from support.servers.environments import environment
from support.servers.process import free_port, run_server

REPLIES = {
    "gpt-4o": "Hello from a canned reply.",
    "gpt-4o-mini": '{"answer": 42}',
    "throttled": "litellm.RateLimitError",  # LiteLLM raises the error with this name.
    "calling": "",
}
CALL = {"id": "call_1", "type": "function", "function": {"name": "list_builds", "arguments": '{"job": "web"}'}}
# Further fields of the canned replies of some models
MORE = {"calling": {"mock_tool_calls": [CALL]}}


@dataclass(frozen=True)
class LitellmProxy:
    """A running proxy: its base URL (with /v1), its only key, the canned reply of each model, and its log."""

    url: str
    key: str
    replies: dict[str, str]
    throttled: str
    log: Path


@contextlib.contextmanager
def litellm_proxy() -> Iterator[LitellmProxy]:
    """Run the proxy on loopback."""
    program = str(environment("litellm") / "litellm")
    with tempfile.TemporaryDirectory(prefix="litellm-") as name:
        folder = Path(name)
        port = free_port()
        proxy = LitellmProxy(
            url=f"http://127.0.0.1:{port}/v1",
            key="sk-worthless-master-key-of-the-contract-tests",
            replies={model: reply for model, reply in REPLIES.items() if model.startswith("gpt")},
            throttled="throttled",
            log=folder / "litellm.log",
        )
        config = folder / "config.json"
        config.write_text(json.dumps(_config(proxy.key)))
        command = [program, "--config", str(config), "--host", "127.0.0.1", "--port", str(port), "--telemetry", "False"]
        alive = f"http://127.0.0.1:{port}/health/liveliness"
        with run_server(command, alive, proxy.log, timeout=180, env=_environment(folder)):
            yield proxy


def _config(key: str) -> dict[str, object]:
    return {
        "model_list": [
            {
                "model_name": model,
                "litellm_params": {
                    "model": "openai/gpt-4o",
                    "api_key": "never used",
                    "mock_response": reply,
                    **MORE.get(model, {}),
                },
            }
            for model, reply in REPLIES.items()
        ],
        "general_settings": {"master_key": key},
        "router_settings": {"num_retries": 0, "disable_cooldowns": True},
    }


def _environment(home: Path) -> dict[str, str]:
    """Return an environment without the user's keys, databases and proxies, in which the server downloads nothing."""
    return {
        "PATH": os.defpath,
        "HOME": str(home),
        "LANG": "C.UTF-8",
        "LITELLM_MODE": "PRODUCTION",  # reads no .env file
        "LITELLM_TELEMETRY": "False",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
        "DISABLE_ADMIN_UI": "True",
    }
