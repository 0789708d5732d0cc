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
  - In check mode nothing is sent, and so nothing has to be paid. An answer in O(cache) is returned all the same.
version_added: 0.1.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes
attributes:
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
    description: The conversation so far. Either this or O(prompt) is needed.
    type: list
    elements: dict
    suboptions:
      role:
        description: Who says it.
        type: str
        choices: [developer, system, user, assistant]
        required: true
      content:
        description: What is said.
        type: str
        required: true
  prompt:
    description: One message of the user.
    type: str
  system:
    description: What the model is told before O(prompt).
    type: str
  temperature:
    description: From V(0) for the likeliest answer to V(2). Without it the server decides.
    type: float
  max_tokens:
    description: How many tokens the answer may have at most, sent as C(max_completion_tokens).
    type: int
  seed:
    description: The same seed gives the same answer, as far as the server can.
    type: int
  response_schema:
    description: JSON schema that the answer must satisfy. The answer is parsed then, and checked against it.
    type: dict
  accept_incomplete:
    description: Do not fail when the answer is refused, cut off, or not as O(response_schema) wants it.
    type: bool
    default: false
  cache:
    description:
      - Folder to keep answers in. The same request to the same address is answered from there, and nothing is sent.
      - Only complete answers are kept. The files are readable for their owner alone.
    type: path
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
    cache: "{{ ansible_facts.env.HOME | default('/tmp') }}/.cache/answers"
  register: verdict

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
  description: The answer. Not there in check mode, unless it comes from O(cache).
  returned: when an answer was received
  type: dict
  contains:
    text:
      description: The answer's text.
      type: str
    data:
      description: The answer as data, with O(response_schema).
      type: raw
    refusal:
      description: Why the model refused, if it did.
      type: str
    finish_reason:
      description: Why it ended; V(stop) is a whole answer, V(length) one that was cut off.
      type: str
    complete:
      description: Whether it is a whole answer, not refused, and as O(response_schema) wants it.
      type: bool
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
    refusal: null
    finish_reason: stop
    complete: true
    model: gpt-4o-mini-2024-07-18
    usage: {prompt_tokens: 19, completion_tokens: 10, total_tokens: 29}
    request_id: req_0f5c2e
plan:
  description: What was asked, or would be in check mode. None when O(cache) has the answer.
  returned: success
  type: dict
  sample: {action: complete, model: gpt-4o-mini, messages: 2}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat import Chat
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE, InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = INFERENCE + ArgumentSpec(
    dict(
        model=dict(type="str", required=True),
        messages=dict(
            type="list",
            elements="dict",
            options=dict(
                role=dict(type="str", choices=["developer", "system", "user", "assistant"], required=True),
                content=dict(type="str", required=True),
            ),
        ),
        prompt=dict(type="str"),
        system=dict(type="str"),
        temperature=dict(type="float"),
        max_tokens=dict(type="int", no_log=False),
        seed=dict(type="int"),
        response_schema=dict(type="dict"),
        accept_incomplete=dict(type="bool", default=False),
        cache=dict(type="path"),
    ),
    required_one_of=[("messages", "prompt")],
    mutually_exclusive=[("messages", "prompt"), ("messages", "system")],
)


def run(task):
    chat = Chat(task, InferenceService(task))
    kept = chat.kept()
    if kept:
        task.result["completion"] = kept
    operate(task, None if kept else chat.plan, chat.complete, lasting=task.params["cache"] is not None)


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
