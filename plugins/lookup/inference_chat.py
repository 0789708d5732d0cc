# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: inference_chat
short_description: Get an OpenAI chat completion in a template
description:
  - Send one prompt to an OpenAI-compatible API and cache the answer. If the cache contains the answer to the same
    request to the same URL, no request is sent.
  - Templates are evaluated each time a variable is used, and the server charges for each request. For this reason,
    O(cache) is required. M(buildworks.toolchain.inference_chat) can use the same directory.
  - The lookup fails if the model refuses to answer, or the answer is truncated or does not match O(response_schema).
  - In check mode, no request is sent, but an answer in O(cache) is returned. A template cannot detect the C(check_mode)
    keyword of a single task. In such a task, the request is sent.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.chat
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
notes:
  - Requires an O(api_key) that has write permission for C(Model capabilities).
requirements:
  - jsonschema, for O(response_schema)
options:
  model:
    description: ID of the model.
    type: str
    required: true
  prompt:
    description: The message of the user.
    type: str
    required: true
  system:
    description: The system message that precedes O(prompt).
    type: str
  max_tokens:
    description: Maximum number of tokens in the answer. O(max_tokens_member) is the name of the request parameter.
    type: int
  response_schema:
    description: JSON schema of the answer. If set, the lookup returns the parsed answer.
    type: dict
  strict:
    description: Whether the server enforces the schema, as in M(buildworks.toolchain.inference_chat).
    type: bool
    default: true
  cache:
    description:
      - Path to the directory on the controller host in which answers are cached. Only the owner can read the files.
      - The directory is created if it does not exist. If it is not writable, the lookup fails before the request.
    type: path
    required: true
  response_timeout:
    description:
      - Maximum time to wait for the response to each request, in seconds. O(timeout) only limits the time to connect.
    type: float
    default: 600.0
"""

EXAMPLES = r"""
- name: Add a generated sentence to the release notes
  ansible.builtin.copy:
    content: "{{ lookup('buildworks.toolchain.inference_chat', model='gpt-4o-mini', prompt=prompt, cache=answers) }}"
    dest: "{{ answers }}/NOTES.txt"
    mode: "0644"
  vars:
    prompt: "Describe this change in one sentence: the cache is emptied at the start."
    answers: "{{ lookup('ansible.builtin.env', 'HOME') }}/.cache/answers"

- name: Use a structured answer in a condition
  ansible.builtin.debug:
    msg: Notify the network team.
  when: verdict.network | default(false)
  vars:
    verdict: >-
      {{ lookup('buildworks.toolchain.inference_chat', model='gpt-4o-mini', cache='~/.cache/answers', temperature=0,
                prompt='Is "connection reset by peer" a network problem?', response_schema=schema) }}
    schema:
      type: object
      properties:
        network: {type: boolean}
      required: [network]
      additionalProperties: false
"""

RETURN = r"""
_raw:
  description:
    - A list with one element, which is the text of the answer. If O(response_schema) is set, the element is the parsed
      answer.
    - In check mode, an empty string or, if O(response_schema) is set, an empty dictionary, unless O(cache) contains the
      answer.
  type: list
  elements: raw
"""

from typing import Any

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat import completions
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat.options import (
    COMPLETION_OPTIONS,
    MODEL_OPTION,
    PROMPT_OPTIONS,
    REQUEST_OPTIONS,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE, InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import run_or_predict
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._lookup import ServiceLookup


class LookupModule(ServiceLookup):
    """The completion of a prompt, read from the cache if possible."""

    name = "inference_chat"
    SPEC = INFERENCE + ArgumentSpec(
        {
            "model": {**MODEL_OPTION, "required": True},
            "prompt": {**PROMPT_OPTIONS["prompt"], "required": True},
            **COMPLETION_OPTIONS,
            **{name: option for name, option in REQUEST_OPTIONS.items() if name != "accept_incomplete"},
            "cache": {**REQUEST_OPTIONS["cache"], "required": True},
        }
    )

    def fetch(self, task: Task) -> Any:
        """Return the text of the completion, or its data if the request has a schema."""
        request = completions.build_request(InferenceService(task), task.params)
        completion = completions.find_cached(task, request) or run_or_predict(
            task, lambda: completions.complete(task, request)["completion"], lambda: {"data": {}, "text": ""}
        )
        return completion["text" if request.schema is None else "data"]
