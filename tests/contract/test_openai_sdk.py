# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The official OpenAI SDK works with the sandbox as with the real API."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import openai
import pytest
from pydantic import BaseModel

MODEL = "gpt-4o-mini"
HELLO = [{"role": "user", "content": "Hello!"}]


class Step(BaseModel):
    explanation: str
    minutes: int
    optional: bool | None


class Plan(BaseModel):
    title: str
    steps: list[Step]


def connect(sandbox: Any, **options: Any) -> Any:
    environment = sandbox.environment
    settings = {"api_key": environment["OPENAI_API_KEY"], "base_url": environment["OPENAI_BASE_URL"], "max_retries": 0}
    return openai.OpenAI(**{**settings, **options})


@pytest.fixture
def client(sandbox: Any) -> Iterator[Any]:
    with connect(sandbox) as client:
        yield client


def test_client_reads_the_environment(sandbox: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    with openai.OpenAI() as client:
        assert client.models.retrieve(MODEL).id == MODEL


def test_models(client: Any) -> None:
    page = client.models.list()
    models = {model.id: model for model in page}
    assert {"gpt-4o", "gpt-4o-mini", "o4-mini", "text-embedding-3-small"} <= set(models)
    assert not page.has_next_page()
    assert client.models.retrieve("gpt-4o") == models["gpt-4o"]
    assert models["gpt-4o"].created == 1715367049


def test_fine_tuned_models_are_deleted(client: Any, sandbox: Any) -> None:
    tuned = "ft:gpt-4o-mini-2024-07-18:acme::abc123"
    sandbox.seed({"inference": {"models": [{"id": tuned, "created": 1730000000}]}})
    assert client.models.delete(tuned).deleted
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve(tuned)


def test_chat(client: Any) -> None:
    raw = client.chat.completions.with_raw_response.create(model=MODEL, messages=HELLO)
    completion = raw.parse()
    assert completion.choices[0].message.content == "You said: Hello!"
    assert completion.choices[0].finish_reason == "stop"
    assert completion.model == "gpt-4o-mini-2024-07-18"
    assert completion.usage.total_tokens == completion.usage.prompt_tokens + completion.usage.completion_tokens
    assert completion._request_id == raw.headers["x-request-id"]
    assert raw.headers["x-ratelimit-limit-requests"] == "500"


def test_streaming(client: Any) -> None:
    chunks = list(
        client.chat.completions.create(model=MODEL, messages=HELLO, stream=True, stream_options={"include_usage": True})
    )
    assert "".join(c.choices[0].delta.content or "" for c in chunks if c.choices) == "You said: Hello!"
    assert chunks[-1].usage.completion_tokens == 5
    assert chunks[-2].choices[0].finish_reason == "stop"


def test_stream_helper_combines_chunks(client: Any, sandbox: Any) -> None:
    function = {"name": "weather", "arguments": '{"city": "Kyiv"}'}
    sandbox.call("POST", "inference/replies", {"tool_calls": [{"function": function}]})
    with client.chat.completions.stream(model=MODEL, messages=HELLO) as stream:
        message = stream.get_final_completion().choices[0].message
    assert message.tool_calls[0].function.name == "weather"
    assert message.tool_calls[0].function.arguments == function["arguments"]


def test_error_in_a_stream_is_raised(client: Any, sandbox: Any) -> None:
    sandbox.call("POST", "inference/replies", {"content": "Half", "stream_error": "server_error"})
    with pytest.raises(openai.APIError, match="The server had an error"):
        list(client.chat.completions.create(model=MODEL, messages=HELLO, stream=True))


def test_structured_output(client: Any) -> None:
    completion = client.chat.completions.parse(model=MODEL, messages=HELLO, response_format=Plan)
    plan = completion.choices[0].message.parsed
    assert isinstance(plan, Plan)
    assert len(plan.steps) == 1
    with pytest.raises(openai.LengthFinishReasonError):
        client.chat.completions.parse(model=MODEL, messages=HELLO, response_format=Plan, max_tokens=3)


def test_refusal_is_returned(client: Any, sandbox: Any) -> None:
    sandbox.call("POST", "inference/replies", {"refusal": "I'd rather not."})
    message = client.chat.completions.parse(model=MODEL, messages=HELLO, response_format=Plan).choices[0].message
    assert (message.parsed, message.refusal) == (None, "I'd rather not.")


def test_errors_have_their_exceptions(client: Any, sandbox: Any) -> None:
    with pytest.raises(openai.AuthenticationError) as caught:
        connect(sandbox, api_key="sk-wrong-wrong-wrong").models.list()
    assert (caught.value.status_code, caught.value.code) == (401, "invalid_api_key")
    assert caught.value.request_id.startswith("req_")
    with pytest.raises(openai.AuthenticationError, match=r"Missing scopes: api\.model\.read"):
        connect(sandbox, api_key=sandbox.environment["OPENAI_ADMIN_KEY"]).models.list()
    with pytest.raises(openai.AuthenticationError) as caught:
        connect(sandbox, organization="org-other").models.list()
    assert caught.value.code == "mismatched_organization"
    with pytest.raises(openai.NotFoundError) as caught:
        client.chat.completions.create(model="nope", messages=HELLO)
    assert caught.value.code == "model_not_found"
    with pytest.raises(openai.BadRequestError) as caught:
        client.chat.completions.create(model=MODEL, messages=HELLO, temperature=3)
    assert (caught.value.param, caught.value.code) == ("temperature", "decimal_above_max_value")


@pytest.mark.parametrize(
    ("name", "exception"),
    [
        ("rate_limit_exceeded", openai.RateLimitError),
        ("insufficient_quota", openai.RateLimitError),
        ("server_error", openai.InternalServerError),
        ("server_is_overloaded", openai.InternalServerError),
    ],
)
def test_failures(client: Any, sandbox: Any, name: str, exception: type[Exception]) -> None:
    sandbox.switch("inference", chat_failure=name)
    with pytest.raises(exception) as caught:
        client.chat.completions.create(model=MODEL, messages=HELLO)
    assert caught.value.request_id.startswith("req_")


def test_client_retries_after_status_429(sandbox: Any) -> None:
    sandbox.call("POST", "inference/replies", {"error": "rate_limit_exceeded", "headers": {"retry-after-ms": "20"}})
    completion = connect(sandbox, max_retries=1).chat.completions.create(model=MODEL, messages=HELLO)
    assert completion.choices[0].message.content == "You said: Hello!"
    assert [entry["status"] for entry in sandbox.journal("inference")] == [429, 200]


def test_client_retries_after_a_fault(sandbox: Any) -> None:
    sandbox.fault(service="inference", label="chat", kind="status", status=429, headers={"retry-after-ms": "20"})
    connect(sandbox, max_retries=1).chat.completions.create(model=MODEL, messages=HELLO)
    assert [entry["status"] for entry in sandbox.journal("inference")] == [429, 200]


def test_client_does_not_retry_when_the_server_forbids_it(sandbox: Any) -> None:
    sandbox.call("POST", "inference/replies", {"error": "server_error", "headers": {"x-should-retry": "false"}})
    with pytest.raises(openai.InternalServerError):
        connect(sandbox, max_retries=2).chat.completions.create(model=MODEL, messages=HELLO)
    assert len(sandbox.journal("inference")) == 1
