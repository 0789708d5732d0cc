# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: inference_chat
short_description: A short answer of a model, inside a template
description:
  - Asks a model one question, and keeps the answer. The same question to the same address is answered from there, and
    nothing is sent.
  - Templates are evaluated as often as a variable is used, and each completion has to be paid for; so there is no
    asking without O(cache). M(buildworks.toolchain.inference_chat) can share the folder.
  - An answer that is refused, cut off, or not as O(response_schema) wants it makes the lookup fail.
  - In check mode nothing is sent. An answer in O(cache) is given all the same. A task that is in check mode by its own
    C(check_mode), in a run that is not, cannot be seen from a template; what it asks is paid for.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.chat
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
notes:
  - Needs an O(api_key) that may write to model capabilities.
requirements:
  - jsonschema, for O(response_schema)
options:
  model:
    description: Id of the model.
    type: str
    required: true
  prompt:
    description: The question. It must not be empty.
    type: str
    required: true
  system:
    description: What the model is told before O(prompt).
    type: str
  max_tokens:
    description: How many tokens the answer may have at most, 1 to 100,000,000, sent as O(max_tokens_member) says.
    type: int
  response_schema:
    description: JSON schema that the answer must satisfy. The lookup gives data then.
    type: dict
  strict:
    description: Let the server hold the model to the schema, as in M(buildworks.toolchain.inference_chat).
    type: bool
    default: true
  cache:
    description:
      - Folder to keep answers in, on the controller. The files are readable for their owner alone.
      - The folder is made if it is not there. One that cannot be written to is refused before anything is asked.
    type: path
    required: true
  answer_timeout:
    description: Seconds to wait for the answer to each try, 0.01 to 86,400. For the connection, it is O(timeout).
    type: float
    default: 600.0
"""

EXAMPLES = r"""
- name: Put a word about the release into its notes
  ansible.builtin.copy:
    content: "{{ lookup('buildworks.toolchain.inference_chat', model='gpt-4o-mini', prompt=question, cache=answers) }}"
    dest: "{{ answers }}/NOTES.txt"
    mode: "0644"
  vars:
    question: "Say in one sentence what this change is about: the cache is emptied at the start."
    answers: "{{ lookup('ansible.builtin.env', 'HOME') }}/.cache/answers"

- name: Decide by a structured answer
  ansible.builtin.debug:
    msg: Tell the network team.
  when: verdict.network | default(false)
  vars:
    verdict: >-
      {{ lookup('buildworks.toolchain.inference_chat', model='gpt-4o-mini', cache='~/.cache/answers', temperature=0,
                prompt='Is "connection reset by peer" a network problem?', response_schema=wanted) }}
    wanted:
      type: object
      properties:
        network: {type: boolean}
      required: [network]
      additionalProperties: false
"""

RETURN = r"""
_raw:
  description:
    - One element, the answer's text. With O(response_schema) it is data.
    - In check mode an empty text, with O(response_schema) an empty dictionary, when O(cache) has no answer.
  type: list
  elements: raw
"""

from typing import Any

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference import chat
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.question import (
    ASKING,
    MODEL,
    OF_ANSWER,
    PROMPT,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE, InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._lookup import ServiceLookup


class LookupModule(ServiceLookup):
    name = "inference_chat"
    SPEC = INFERENCE + ArgumentSpec(
        {
            "model": {**MODEL, "required": True},
            "prompt": {**PROMPT["prompt"], "required": True},
            **OF_ANSWER,
            **{name: option for name, option in ASKING.items() if name != "accept_incomplete"},
            "cache": {**ASKING["cache"], "required": True},
        }
    )

    def ask(self, task: Task) -> Any:
        question = chat.build_question(InferenceService(task), task.params)
        completion = chat.find_kept(task, question)
        structured = question.schema is not None
        if completion is None:
            if task.check_mode:
                return {} if structured else ""
            completion = chat.complete(task, question)["completion"]
        return completion["data" if structured else "text"]
