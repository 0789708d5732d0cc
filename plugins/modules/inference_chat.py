#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_chat
short_description: Ask a model for one chat completion
description:
  - Sends messages to a model and returns its answer.
  - An answer that is refused, cut off, or not as O(response_schema) wants it makes the task fail, unless
    O(accept_incomplete=true). The result has the answer in any case, for it has been paid for.
  - A completion as such changes nothing, so C(changed) is V(false), unless an answer was put into O(cache).
  - As it changes nothing, it is asked for again, up to O(retries) times, after 408, 409, 429, 500, 502, 503, 504 and
    after a lost answer, unless the server says that it is no use. An answer that was lost may have been paid for.
  - In check mode nothing is sent, and so nothing has to be paid. An answer in O(cache) is returned all the same.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.chat
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes
notes:
  - Needs an O(api_key) that may write to model capabilities.
attributes:
  idempotent:
    support: partial
    details: With O(cache) it is; without that each run asks again.
  diff_mode:
    support: none
    details: A completion has no before and after.
requirements:
  - jsonschema, for O(response_schema)
options:
  model:
    description: Id of the model.
    type: str
    required: true
  messages:
    description: The conversation so far, which must not be empty. Either this or O(prompt) is needed.
    type: list
    elements: dict
    suboptions:
      role:
        description: Who says it. V(tool) is the result of a function that the model called.
        type: str
        choices: [developer, system, user, assistant, tool]
        required: true
      content:
        description:
          - What is said, as a text, or as a list of parts in the form of the API, each with its C(type). This,
            O(messages[].parts) or O(messages[].tool_calls) is needed.
        type: raw
      parts:
        description: What is said, in parts, of which each has either a text or an image. It must not be empty.
        type: list
        elements: dict
        suboptions:
          text:
            description: A text, which must not be empty.
            type: str
          image_url:
            description:
              - "The image: an address that begins with https:, http: or data:, as in C(data:image/png;base64,...)."
            type: str
          detail:
            description: How closely the model looks at the image.
            type: str
            choices: [auto, low, high]
      tool_calls:
        description:
          - Which functions the model called, as the result's C(tool_calls) has them. A message with the role V(tool)
            has to follow for each. It must not be empty.
        type: list
        elements: dict
        suboptions:
          id:
            description: Id of the call.
            type: str
            required: true
          name:
            description: Name of the function, 1 to 64 letters of a to z, digits, _ and -.
            type: str
            required: true
          arguments:
            description: What the function was called with.
            type: dict
            required: true
      tool_call_id:
        description: Id of the call that this is the result of. Needed by the role V(tool).
        type: str
  prompt:
    description: One message of the user. It must not be empty.
    type: str
  system:
    description: What the model is told before O(prompt).
    type: str
  tools:
    description: Functions that the model may call instead of an answer. It must not be empty.
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the function, 1 to 64 letters of a to z, digits, _ and -.
        type: str
        required: true
      description:
        description: When to call it, for the model. It must not be empty.
        type: str
      parameters:
        description: JSON schema of the object that it takes.
        type: dict
      strict:
        description: Let the server hold the model to O(tools[].parameters). Without it the server decides.
        type: bool
  tool_choice:
    description:
      - V(auto) leaves it to the model, V(none) forbids calls, V(required) wants one; the name of one of the O(tools)
        wants that one. Without it the server decides.
    type: str
  n:
    description:
      - How many answers to give, 1 to 128. Those after the first are in C(alternatives).
      - Each of them has to be paid for.
    type: int
  stream:
    description:
      - Get the answer as it comes, and tell how far it is. What came of an answer that breaks off is in the result.
      - An answer that began is not asked for again when it breaks off.
    type: bool
    default: false
  max_tokens:
    description: How many tokens the answer may have at most, 1 to 100,000,000, sent as O(max_tokens_member) says.
    type: int
  response_schema:
    description: JSON schema that the answer must satisfy. The answer is parsed then, and checked against it.
    type: dict
  strict:
    description:
      - Let the server hold the model to O(response_schema). Such a schema must be an object's, with all properties
        required and C(additionalProperties) is false everywhere; some keywords, C(oneOf) say, cannot be in it.
      - With V(false) any schema may be sent. The answer is checked against it all the same.
    type: bool
    default: true
  accept_incomplete:
    description: Do not fail when the answer is refused, cut off, or not as O(response_schema) wants it.
    type: bool
    default: false
  cache:
    description:
      - Folder to keep answers in. The same request to the same address is answered from there, and nothing is sent.
        If several tasks of a user have the same request at the same time, one sends it, and the others wait.
      - Only complete answers are kept. The files are readable for their owner alone.
      - The folder is made if it is not there. One that cannot be written to is refused before anything is asked.
    type: path
  answer_timeout:
    description:
      - Seconds to wait for the answer to each try, with O(stream=true) for the end of it, 0.01 to 86,400. For the
        connection, it is O(timeout).
      - A model may think for minutes, and what it answers then has to be paid for all the same.
    type: float
    default: 600.0
"""

EXAMPLES = r"""
- name: Ask one question
  buildworks.toolchain.inference_chat:
    model: gpt-4o-mini
    system: You answer in one sentence.
    prompt: What is an artifact repository?
  register: answer

- name: Get a structured answer, and pay for it once
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

- name: Ask about an image
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

- name: Tell it what the function gave, and watch it answer
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

- name: Let a model think, and give two answers
  buildworks.toolchain.inference_chat:
    model: o4-mini
    prompt: What would make a pipeline of ten steps faster?
    reasoning_effort: low
    n: 2
    extra:
      service_tier: default

- name: Go on with a conversation
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
  description: The answer. None when there was none, as in check mode unless it comes from O(cache).
  returned: success
  type: dict
  contains:
    text:
      description: The answer's text. What the model answered instead of a text is there as JSON.
      type: str
    data:
      description: The answer as data, with O(response_schema).
      type: raw
    tool_calls:
      description: The functions of O(tools) that the model called, each with C(id), C(name) and C(arguments).
      type: list
      elements: dict
    refusal:
      description: Why the model refused, if it did.
      type: str
    finish_reason:
      description: Why it ended; V(stop) is a whole answer, V(tool_calls) one that calls functions, V(length) one that
        was cut off.
      type: str
    complete:
      description: Whether it is a whole answer, not refused, and as O(response_schema) wants it; its alternatives, too.
      type: bool
    alternatives:
      description: With O(n), the further answers, each with the members of this one down to C(complete).
      type: list
      elements: dict
    model:
      description: The model that answered.
      type: str
    usage:
      description: What it cost, in tokens (C(prompt_tokens), C(completion_tokens), C(total_tokens)).
      type: dict
    request_id:
      description: The server's id of the request, for its support.
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
  description: What was asked, or would be in check mode. None when O(cache) has the answer.
  returned: success
  type: dict
  sample: {action: complete, model: gpt-4o-mini, messages: 2}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import chat
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.question import (
    ASKING,
    MODEL,
    OF_ANSWER,
    PROMPT,
    PROMPT_RULES,
    TOOLS,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE, InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = INFERENCE + ArgumentSpec(
    {
        "model": {**MODEL, "required": True},
        **PROMPT,
        **TOOLS,
        **OF_ANSWER,
        **ASKING,
        "stream": dict(type="bool", default=False),
    },
    required_by={"tool_choice": ["tools"]},
    **PROMPT_RULES,
)


def run(task):
    question = chat.build_question(InferenceService(task), task.params)
    task.result["completion"] = kept = chat.find_kept(task, question)
    operate(
        task,
        None if kept else question.plan,
        lambda: chat.complete(task, question),
        changes_state=task.params["cache"] is not None,
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
