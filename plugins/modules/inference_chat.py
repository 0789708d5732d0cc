#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_chat
short_description: Run an OpenAI chat completion
description:
  - Send messages to a model of an OpenAI-compatible API and return the answer.
  - The task fails if the model refuses to answer, or the answer is truncated or does not match O(response_schema),
    unless O(accept_incomplete=true). The result always contains the answer.
  - C(changed) is V(true) only if an answer was written to O(cache).
  - The request is retried up to O(retries) times after status 408, 409, 429, 500, 502, 503 and 504 and after a lost
    response, unless the server responds with C(x-should-retry=false). The server may charge for a request whose
    response is lost.
  - In check mode, no request is sent. If O(cache) contains the answer, it is returned as usual.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.inference_chat
  - buildworks.toolchain.chat
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes
notes:
  - Requires an O(api_key) that has write permission for C(Model capabilities).
attributes:
  idempotent:
    support: partial
    details: Idempotent with O(cache). Otherwise each run sends the request again.
  diff_mode:
    support: none
    details: A completion does not change an existing object.
requirements:
  - jsonschema, for O(response_schema)
options:
  model:
    description: ID of the model.
    type: str
    required: true
  messages:
    description: The messages of the conversation. Mutually exclusive with O(prompt). One of them is required.
    type: list
    elements: dict
    suboptions:
      role:
        description: Author of the message.
        type: str
        choices:
          developer: Instructions from the developer, for models that distinguish them from system messages.
          system: Instructions for the model.
          user: A message from the user.
          assistant: An answer from the model.
          tool: The result of a function that the model called.
        required: true
      content:
        description:
          - The text of the message, or a list of content parts as defined by the API, each with its C(type).
          - Mutually exclusive with O(messages[].parts). One of O(messages[].content), O(messages[].parts) and
            O(messages[].tool_calls) is required.
        type: raw
      parts:
        description: The content parts of the message. Each part has either a text or an image.
        type: list
        elements: dict
        suboptions:
          text:
            description: Text of the part.
            type: str
          image_url:
            description:
              - URL of the image. It starts with C(https:), C(http:) or C(data:), as in C(data:image/png;base64,...).
            type: str
          detail:
            description: Resolution at which the model processes the image. If not set, the server decides.
            type: str
            choices:
              auto: Let the model decide.
              low: Process the image in low resolution.
              high: Process the image in high resolution.
      tool_calls:
        description:
          - The functions that the model called, in the format of RV(completion.tool_calls). Each call must be followed
            by a message with the role V(tool).
        type: list
        elements: dict
        suboptions:
          id:
            description: ID of the call.
            type: str
            required: true
          name:
            description: Name of the function. It must consist of 1 to 64 letters, digits, underscores and hyphens.
            type: str
            required: true
          arguments:
            description: Arguments of the call.
            type: dict
            required: true
      tool_call_id:
        description: ID of the call whose result the message contains. Required if O(messages[].role=tool).
        type: str
  prompt:
    description: The user's message. Mutually exclusive with O(messages).
    type: str
  system:
    description: The system message that precedes O(prompt). Mutually exclusive with O(messages).
    type: str
  tools:
    description: Functions that the model may call.
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the function. It must consist of 1 to 64 letters, digits, underscores and hyphens.
        type: str
        required: true
      description:
        description: Description of the function. The model uses it to decide when to call the function.
        type: str
      parameters:
        description: JSON schema of the arguments.
        type: dict
      strict:
        description: Whether the server enforces O(tools[].parameters). If not set, the server decides.
        type: bool
  tool_choice:
    description:
      - V(auto) lets the model decide whether to call a function, V(none) prevents calls, and V(required) forces a call.
        The name of one of the O(tools) forces a call of this function.
      - If not set, the server decides. Requires O(tools).
    type: str
  n:
    description:
      - Number of answers to generate. The first answer is returned in RV(completion), and the others in
        RV(completion.alternatives).
      - The server charges for each answer.
    type: int
  stream:
    description:
      - Whether to stream the answer and report the progress.
      - If the stream is interrupted, the request is not retried, and the task fails with the part of the answer that it
        received.
    type: bool
    default: false
  max_tokens:
    description: Maximum number of tokens in the answer. O(max_tokens_member) is the name of the request parameter.
    type: int
  response_schema:
    description: JSON schema of the answer. The answer is parsed, validated and returned in RV(completion.data).
    type: dict
  strict:
    description:
      - Whether the server enforces O(response_schema). If V(true), the schema must describe an object, all properties
        must be required, C(additionalProperties) must be V(false) at every level, and some keywords such as C(oneOf)
        are not supported.
      - With V(false), any schema is allowed. The module always validates the answer.
    type: bool
    default: true
  accept_incomplete:
    description: Whether to accept a refusal, a truncated answer or an answer that does not match O(response_schema).
    type: bool
    default: false
  cache:
    description:
      - Path to the directory in which answers are cached. If it contains the answer to the same request to the same
        URL, no request is sent. If several tasks of one user need the same request at the same time, one task sends it
        and the others wait for the answer.
      - Only complete answers are stored, in files that only their owner can read.
      - The directory is created if it does not exist. If it is not writable, the task fails before the request.
    type: path
  response_timeout:
    description:
      - Maximum time to wait for the response to each request, in seconds. With O(stream=true), this includes the
        whole stream. O(timeout) only limits the time to connect.
      - Reasoning models may need several minutes. The server may charge for a response that arrives too late.
    type: float
    default: 600.0
"""

EXAMPLES = r"""
- name: Send a prompt
  buildworks.toolchain.inference_chat:
    model: gpt-4o-mini
    system: You answer in one sentence.
    prompt: What is an artifact repository?
  register: answer

- name: Get a structured answer and store it in a cache
  buildworks.toolchain.inference_chat:
    model: gpt-4o-mini
    prompt: Is "connection reset by peer" a network problem?
    temperature: 0
    response_schema:
      type: object
      properties:
        network: {type: boolean}
        reason: {type: string}
      required: [network, reason]
      additionalProperties: false
    cache: ~/.cache/answers
  register: verdict

- name: Send an image
  buildworks.toolchain.inference_chat:
    model: gpt-4o-mini
    messages:
      - role: user
        parts:
          - text: Does this diagram show a pipeline?
          - image_url: https://docs.example.com/pipeline.png
            detail: low

- name: Let the model call a function
  buildworks.toolchain.inference_chat:
    model: gpt-4o-mini
    prompt: Which builds of the pipeline failed today?
    tools:
      - name: list_builds
        description: Lists builds
        parameters:
          type: object
          properties:
            result: {type: string, enum: [SUCCESS, FAILURE]}
          required: [result]
          additionalProperties: false
        strict: true
    tool_choice: list_builds
  register: called

- name: Send the result of the function and stream the answer
  buildworks.toolchain.inference_chat:
    model: gpt-4o-mini
    messages:
      - role: user
        content: Which builds of the pipeline failed today?
      - role: assistant
        tool_calls: "{{ called.completion.tool_calls }}"
      - role: tool
        tool_call_id: "{{ called.completion.tool_calls[0].id }}"
        content: "[17, 18]"
    stream: true

- name: Request two answers from a reasoning model
  buildworks.toolchain.inference_chat:
    model: o4-mini
    prompt: What would make a pipeline of ten steps faster?
    reasoning_effort: low
    n: 2
    extra:
      service_tier: default

- name: Continue a conversation
  buildworks.toolchain.inference_chat:
    model: gpt-4o-mini
    messages:
      - role: user
        content: Name a color.
      - role: assistant
        content: Blue.
      - role: user
        content: Another one.
    max_tokens: 20
    accept_incomplete: true
"""

RETURN = r"""
completion:
  description: The answer. V(null) in check mode, unless O(cache) contains it.
  returned: success
  type: dict
  contains:
    text:
      description: Text of the answer. If the answer is not text, its content in JSON format.
      type: str
    data:
      description: Parsed answer, if O(response_schema) is set.
      type: raw
    tool_calls:
      description: Functions of O(tools) that the model called, each with C(id), C(name) and C(arguments).
      type: list
      elements: dict
    refusal:
      description: Reason why the model refused to answer. V(null) if it did not refuse.
      type: str
    finish_reason:
      description:
        - Reason why the answer ended. V(stop) is a complete answer, V(tool_calls) an answer with function calls,
          V(length) an answer that was truncated at the token limit.
      type: str
    complete:
      description: Whether this answer and its alternatives are complete, were not refused and match O(response_schema).
      type: bool
    alternatives:
      description: Further answers if O(n) is set, each with the fields C(text) to C(complete).
      type: list
      elements: dict
    model:
      description: The model that generated the answer.
      type: str
    usage:
      description: Number of tokens (C(prompt_tokens), C(completion_tokens), C(total_tokens)).
      type: dict
    request_id:
      description: ID of the request, for support requests.
      type: str
  sample:
    text: A server that keeps build results.
    data: null
    tool_calls: []
    refusal: null
    finish_reason: stop
    complete: true
    alternatives: []
    model: gpt-4o-mini-2024-07-18
    usage: {prompt_tokens: 19, completion_tokens: 10, total_tokens: 29}
    request_id: req_0f5c2e
plan:
  description:
    - Request that the task sent or, in check mode, would send. V(null) if O(cache) has the answer.
  returned: success
  type: dict
  sample: {action: complete, model: gpt-4o-mini, messages: 2}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat import completions
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat.options import (
    COMPLETION_OPTIONS,
    MODEL_OPTION,
    PROMPT_OPTIONS,
    PROMPT_RULES,
    REQUEST_OPTIONS,
    TOOL_OPTIONS,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE, InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = INFERENCE + ArgumentSpec(
    {
        "model": {**MODEL_OPTION, "required": True},
        **PROMPT_OPTIONS,
        **TOOL_OPTIONS,
        **COMPLETION_OPTIONS,
        **REQUEST_OPTIONS,
        "stream": dict(type="bool", default=False),
    },
    required_by={"tool_choice": ["tools"]},
    **PROMPT_RULES,
)


def run(task: Task) -> None:
    request = completions.build_request(InferenceService(task), task.params)
    task.result["completion"] = cached = completions.find_cached(task, request)
    operate(
        task,
        None if cached else request.plan,
        lambda: completions.complete(task, request),
        changes_state=task.params["cache"] is not None,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
