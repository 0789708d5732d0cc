# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One chat completion: asked for, checked, and kept if the user wants to pay for it only once."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._private_file import store
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

try:
    import jsonschema
except ImportError:
    jsonschema = None  # type: ignore[assignment]

Completion = dict[str, t.Any]


class Chat:
    """A request for a completion, as a task wants it."""

    def __init__(self, task: Task, inference: InferenceService) -> None:
        self._task = task
        self._inference = inference
        self._schema = task.params["response_schema"]
        if self._schema is not None:
            _check_schema(self._schema)
        self._body = self._request()

    @property
    def plan(self) -> dict[str, t.Any]:
        """What will be asked, without the texts."""
        return {"action": "complete", "model": self._body["model"], "messages": len(self._body["messages"])}

    def kept(self) -> Completion | None:
        """The completion of the same request, from the cache folder."""
        if self._task.params["cache"] is None:
            return None
        try:
            with open(self._cache_file(), encoding="utf-8") as file:
                return json.load(file)
        except (FileNotFoundError, ValueError):
            return None
        except OSError as error:
            raise BadOption("cache", f"cannot be read: {error.strerror}") from None

    def complete(self) -> dict[str, Completion]:
        """Ask, and keep a whole answer in the cache folder.

        :raises ToolchainError: when the answer is refused, cut off or not as the schema wants it
        """
        answer = self._inference.http.write("POST", "/chat/completions", json=self._body, lasting=False)
        completion = _completion(answer.json(), answer.headers.get("x-request-id"))
        self._task.result["completion"] = completion
        shortfall = self._parse(completion) if completion["complete"] else _shortfall(completion)
        if shortfall and not self._task.params["accept_incomplete"]:
            raise ToolchainError(f"{shortfall} The answer is in the result.")
        if self._task.params["cache"] is not None and completion["complete"]:
            self._keep(completion)
        return {"completion": completion}

    def _request(self) -> dict[str, t.Any]:
        params = self._task.params
        body = {"model": params["model"], "messages": self._messages()}
        body.update(self._task.given("temperature", "seed"))
        if params["max_tokens"] is not None:
            body["max_completion_tokens"] = params["max_tokens"]
        if self._schema is not None:
            schema = {"name": "answer", "schema": self._schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": schema}
        return body

    def _messages(self) -> list[dict[str, str]]:
        params = self._task.params
        if params["messages"]:
            return params["messages"]
        if not params["prompt"]:
            raise BadOption("prompt" if params["prompt"] is not None else "messages", "takes something to say")
        system = [{"role": "system", "content": params["system"]}] if params["system"] else []
        return [*system, {"role": "user", "content": params["prompt"]}]

    def _parse(self, completion: Completion) -> str | None:
        """Put the structured answer into the completion; gives what is wrong with it."""
        if self._schema is None:
            return None
        try:
            completion["data"] = json.loads(completion["text"])
            jsonschema.validate(completion["data"], self._schema)
        except (ValueError, TypeError):
            completion["complete"] = False
            return "The model did not answer with JSON, though 'response_schema' was sent: it may not support schemas."
        except jsonschema.ValidationError as error:
            completion["complete"] = False
            return f"The model's answer is not as 'response_schema' wants it: {error.message}."
        return None

    def _cache_file(self) -> str:
        identity = json.dumps([self._inference.http.base_url, self._body], sort_keys=True).encode()
        return os.path.join(self._task.params["cache"], f"{hashlib.sha256(identity).hexdigest()}.json")

    def _keep(self, completion: Completion) -> None:
        try:
            os.makedirs(self._task.params["cache"], mode=0o700, exist_ok=True)
        except OSError as error:
            raise ToolchainError(f"Cannot make the folder of 'cache': {error.strerror}.") from None
        store(self._cache_file(), json.dumps(completion, indent=2, sort_keys=True))
        self._task.wrote = True


def _check_schema(schema: dict[str, t.Any]) -> None:
    if jsonschema is None:
        raise ToolchainError(
            f"'response_schema' needs the Python package 'jsonschema', which is missing for {sys.executable}: "
            f"install it with '{sys.executable} -m pip install jsonschema'."
        )
    try:
        jsonschema.validators.validator_for(schema).check_schema(schema)
    except jsonschema.SchemaError as error:
        raise BadOption("response_schema", f"is no JSON schema: {error.message}") from None


def _completion(reply: dict[str, t.Any], request_id: str | None) -> Completion:
    if not reply.get("choices"):
        raise ToolchainError("The server accepted the request, but its answer has no completion in it.")
    choice = reply["choices"][0]
    message, usage = choice["message"], reply.get("usage") or {}
    refusal = message.get("refusal")
    return {
        "text": message.get("content"),
        "data": None,
        "refusal": refusal,
        "finish_reason": choice.get("finish_reason"),
        "complete": choice.get("finish_reason") == "stop" and not refusal,
        "model": reply.get("model"),
        "usage": {name: usage.get(name) for name in ("prompt_tokens", "completion_tokens", "total_tokens")},
        "request_id": request_id,
    }


def _shortfall(completion: Completion) -> str:
    if completion["refusal"]:
        return f"The model refused: {completion['refusal']}"
    if completion["finish_reason"] == "length":
        return "The answer was cut off at the limit of tokens: raise 'max_tokens'."
    return f"The answer ended early, with the reason '{completion['finish_reason']}'."
