#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_chat_batch
short_description: Ask models for many chat completions, within their limits
description:
  - Sends many prompts, O(workers) at a time, and writes the answers to a file of JSON lines in their order.
  - The answers are written as they come. A run that was cut off, by Ctrl-C or by the end of the process, is gone on
    with by the same task. What has an answer in the file is not asked again, unless the prompt or the server's address
    changed. Only what was under way at that moment is asked once more, O(workers) prompts at most.
  - A prompt is known by its place among O(prompts), or its line in O(prompts_file). Add further ones at the end. One
    that comes to another place is asked again, unless O(cache) has its answer. Answers of places that no longer have a
    prompt stay in the file.
  - Requests to a model go when its limits have room for them. The limits are those of O(limits), and those that the
    server tells in its answers. The first request to each model goes alone, for its answer tells them.
  - A request that the server refuses with 429 all the same slows down all that follow it, and is asked again, as after
    408, 409, 500, 502, 503, 504 and after a lost answer, up to O(retries) times, unless the server says that it is no
    use.
  - Each prompt has one outcome. V(answered) is a whole answer; V(refused), V(cut_off) and V(mismatched), not as
    the schema wants it, have been paid for and are not asked again; V(failed) has no answer, and is asked again by the
    next run. All but V(answered) make the run in which they came fail in the end, the three in the middle not with
    O(accept_incomplete=true).
  - In check mode nothing is sent and nothing is written. RV(plan) tells what it would take.
  - However many prompts there are in O(prompts_file), only few of them are in memory.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.chat
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes
notes:
  - Needs an O(api_key) that may write to model capabilities.
  - A limit by the day that is used up makes the task wait until there is room again, which may take hours. The
    progress goes on being told.
attributes:
  idempotent:
    support: full
    details: What has an answer in O(to_file) is not asked again.
  diff_mode:
    support: none
    details: Completions have no before and after.
requirements:
  - jsonschema, for O(response_schema)
options:
  prompts:
    description: The prompts. Either this or O(prompts_file) is needed.
    type: list
    elements: dict
    suboptions:
      id:
        description: A name of your own, which is in the answers file, too.
        type: str
      model:
        description: Id of the model, by default O(model).
        type: str
      messages:
        description: A conversation, which must not be empty. Either this or O(prompts[].prompt) is needed.
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
              - What is said, as a text. This, O(prompts[].messages[].parts) or O(prompts[].messages[].tool_calls) is
                needed.
            type: str
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
              - Which functions the model called, as the C(tool_calls) of an answer have them. A message with the role
                V(tool) has to follow for each. It must not be empty.
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
        description: What the model is told before O(prompts[].prompt), by default O(system).
        type: str
      temperature:
        description: 0 to 2, by default O(temperature).
        type: float
      max_tokens:
        description: How many tokens the answer may have at most, 1 to 100,000,000, by default O(max_tokens).
        type: int
      seed:
        description:
          - By default O(seed).
          - A number of 64 bits, -9,223,372,036,854,775,808 to 9,223,372,036,854,775,807.
        type: int
      response_schema:
        description: JSON schema that the answer must satisfy, by default O(response_schema).
        type: dict
      reasoning_effort:
        description: How long the model thinks, by default O(reasoning_effort). Only some models know it.
        type: str
        choices: [none, minimal, low, medium, high, xhigh, max]
      extra:
        description: Further members of the request, by default O(extra).
        type: dict
  prompts_file:
    description:
      - File on the machine that the task runs on, with a prompt in each line, as a JSON object with the members of
        O(prompts). A line that cannot be one is refused before anything is asked.
    type: path
  to_file:
    description:
      - File for the answers, each a line of JSON with C(index) (the number of the prompt, from 0 on), C(id), C(request)
        (a digest of what was asked), C(outcome), C(reason), C(attempts), and of an answer C(text), C(data),
        C(tool_calls), C(refusal), C(finish_reason), C(complete), C(alternatives), C(model), C(usage) and
        C(request_id), as M(buildworks.toolchain.inference_chat) gives them.
      - While the task runs, the lines are in the order in which the answers come. For its owner alone. A file that has
        something else in it is refused.
    type: path
    required: true
  model:
    description: Id of the model for the prompts that have none of their own.
    type: str
  system:
    description: What the model is told before those prompts that have neither C(system) nor C(messages).
    type: str
  max_tokens:
    description:
      - How many tokens an answer may have at most, 1 to 100,000,000, sent as O(max_tokens_member) says.
      - Servers count a request for so many tokens under their limits, whatever the answer has.
    type: int
  response_schema:
    description: JSON schema that the answers must satisfy. They are parsed then, and checked against it.
    type: dict
  strict:
    description: Let the server hold the model to the schema, as in M(buildworks.toolchain.inference_chat).
    type: bool
    default: true
  attempts:
    description: How often a prompt is asked at most when its answer is not as the schema wants it, 1 to 20.
    type: int
    default: 1
  accept_incomplete:
    description: Do not fail for answers that are refused, cut off, or not as the schema wants them.
    type: bool
    default: false
  cache:
    description:
      - Folder of answers, as in M(buildworks.toolchain.inference_chat). The same request to the same address is
        answered from there, and nothing is sent.
      - The folder is made if it is not there. One that cannot be written to is refused before anything is asked.
    type: path
  answer_timeout:
    description: Seconds to wait for the answer to each try, 0.01 to 86,400. For the connection, it is O(timeout).
    type: float
    default: 600.0
  limits:
    description:
      - The limits that are known beforehand, by model, in the form in which
        M(buildworks.toolchain.inference_rate_limit_info) tells them. V(*) stands for all models that are not named.
        A model that was tuned from another one may be named by that, as in C(ft:gpt-4o). All others are learned from
        the server's answers.
      - Heeded are C(max_requests_per_1_minute), C(max_tokens_per_1_minute), C(max_requests_per_1_day) and
        C(max_tokens_per_1_day), each 0 to 2,147,483,647, which stands for as many as one likes.
    type: dict
  prices:
    description: What the models cost, for O(max_cost) and RV(cost). When given, it has to name each model, once.
    type: list
    elements: dict
    suboptions:
      model:
        description: Id of the model.
        type: str
        required: true
      input:
        description: Price of 1,000,000 tokens of prompts, 0 to 1,000,000, in any currency.
        type: float
        required: true
      output:
        description: Price of 1,000,000 tokens of answers, 0 to 1,000,000, in the same currency.
        type: float
        required: true
  max_tokens_total:
    description:
      - No prompt is begun, and none asked again by O(attempts), that might make this run use more tokens than so many,
        1 to 1,000,000,000,000. Its own tokens are guessed from its letters, and its answer is taken for as long as
        O(max_tokens) lets it be. Without O(max_tokens) the answers under way may go beyond it.
      - The task fails when prompts are left, unless O(on_error=report). The next run goes on with them.
    type: int
  max_cost:
    description: The same for the cost of this run, in the currency of O(prices), which it needs. 0 to 1,000,000,000.
    type: float
  workers:
    description: How many prompts are under way at the same time, 1 to 64.
    type: int
    default: 4
  on_error:
    description:
      - What to do about prompts that fail. All others are asked in any case, up to O(max_failures).
      - V(fail) fails the task at its end. V(report) leaves it to the playbook to look at RV(summary).
    type: str
    choices: [fail, report]
    default: fail
  max_failures:
    description:
      - After so many failed prompts no more are begun and the task fails, whatever O(on_error) says, 1 to 1,000,000.
      - Without it all prompts are tried.
    type: int
  shown:
    description: How many of the prompts, the first ones, are in RV(outcomes), 0 to 10,000.
    type: int
    default: 10
"""

EXAMPLES = r"""
- name: See what a file of prompts would take
  buildworks.toolchain.inference_chat_batch:
    prompts: &prompts
      - id: network
        prompt: Is "connection reset by peer" a network problem?
      - id: disk
        prompt: Is "no space left on device" a network problem?
    to_file: ~/answers.jsonl
    model: gpt-4o-mini
    max_tokens: 200
    prices:
      - model: gpt-4o-mini
        input: 0.15
        output: 0.6
  check_mode: true

- name: Ask them, for half a unit of money at most
  buildworks.toolchain.inference_chat_batch:
    prompts: *prompts
    to_file: ~/answers.jsonl
    model: gpt-4o-mini
    max_tokens: 200
    prices:
      - model: gpt-4o-mini
        input: 0.15
        output: 0.6
    max_cost: 0.5
    workers: 16
  register: batch

- name: Ask with limits that are known
  buildworks.toolchain.inference_chat_batch:
    prompts:
      - prompt: Name a color.
      - prompt: Name another one.
        temperature: 1
    to_file: ~/colors.jsonl
    model: gpt-4o
    system: Answer in one word.
    limits:
      gpt-4o:
        max_requests_per_1_minute: 500
        max_tokens_per_1_minute: 30000

- name: Look up the limits of the project
  buildworks.toolchain.inference_rate_limit_info:
    project_name: Sandbox
  register: known

- name: Ask within them
  buildworks.toolchain.inference_chat_batch:
    prompts: *prompts
    to_file: ~/verdicts.jsonl
    model: gpt-4o-mini
    limits: "{{ known.rate_limits }}"
"""

RETURN = r"""
summary:
  description: How many prompts have which outcome, those with an answer of an earlier run among them.
  returned: success
  type: dict
  sample: {answered: 1997, refused: 1, cut_off: 2, mismatched: 0, failed: 0}
kept:
  description: How many prompts had their answer in O(to_file) already.
  returned: success
  type: int
  sample: 1200
left:
  description: How many prompts have neither an answer nor failed, as nobody asked them.
  returned: success
  type: int
  sample: 0
usage:
  description:
    - The tokens that this run used, as the server counted them (C(prompt_tokens), C(completion_tokens),
      C(total_tokens)); where it did not tell them, at a guess from the letters.
  returned: success
  type: dict
  sample: {prompt_tokens: 15200, completion_tokens: 8000, total_tokens: 23200}
cost:
  description: What this run cost, in the currency of O(prices). None without them.
  returned: success
  type: float
  sample: 0.0071
stopped:
  description: Why prompts are left, when that is because of O(max_tokens_total) or O(max_cost). None otherwise.
  returned: success
  type: str
  sample: they may go beyond 'max_cost'
counts:
  description:
    - How many prompts got a line in the file (C(changed)), had it before (C(ok)), C(failed), or were not begun
      (C(skipped)). Of C(unknown), it was not known when the task was interrupted. None in check mode.
  returned: success
  type: dict
  sample: {changed: 797, ok: 1200, failed: 3, unknown: 0, skipped: 0}
failures:
  description: The prompts that failed, each as in RV(outcomes). None in check mode.
  returned: success
  type: list
  elements: dict
  sample: []
outcomes:
  description:
    - What became of the first O(shown) prompts, in their order. None in check mode.
    - C(item) has C(number) and C(id) of the prompt, C(completion) the answer. C(outcome) is V(kept) for an earlier one.
  returned: success
  type: list
  elements: dict
  sample:
    - index: 0
      item: {number: 0, id: network}
      status: ok
      changed: false
      reason: null
      outcome: kept
plan:
  description:
    - What was asked, or would be in check mode. None when all prompts have their answers, in their order.
    - C(tokens_at_least) and C(cost_at_least) are those of the prompts, at a guess from their letters; the answers come
      on top. C(seconds_at_least) is how long O(limits) make it take when nothing of them is used up. What O(cache)
      has the answer to is in none of these, nor in C(requests).
  returned: success
  type: dict
  sample:
    action: complete
    requests: 800
    kept: 1200
    tokens_at_least: 15000
    cost_at_least: 0.00225
    seconds_at_least: 36.0
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch import Batch
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.question import (
    ASKING,
    MODEL,
    OF_ANSWER,
    PROMPT,
    PROMPT_RULES,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import BULK
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

PRICE = dict(type="float", required=True, at_least=0, at_most=1_000_000)
ONE = ArgumentSpec(
    {"id": dict(type="str", free="a name of the user's own"), "model": MODEL, **PROMPT, **OF_ANSWER}, **PROMPT_RULES
)
SPEC = INFERENCE + ArgumentSpec(
    {
        "prompts": dict(type="list", elements="dict", not_empty=True, options=ONE.options, **PROMPT_RULES),
        "prompts_file": dict(type="path", not_empty=True),
        "model": MODEL,
        **OF_ANSWER,
        **ASKING,
        "attempts": dict(type="int", default=1, at_least=1, at_most=20),
        "limits": dict(type="dict", free="checked as rate limits"),
        "prices": dict(
            type="list",
            elements="dict",
            not_empty=True,
            options=dict(model={**MODEL, "required": True}, input=PRICE, output=PRICE),
        ),
        "max_tokens_total": dict(type="int", narrows=True, no_log=False, at_least=1, at_most=10**12),
        "max_cost": dict(type="float", narrows=True, at_least=0, at_most=10**9),
        **BULK.options,
        "to_file": dict(type="path", required=True, not_empty=True),
    },
    required_one_of=[("prompts", "prompts_file")],
    mutually_exclusive=[("prompts", "prompts_file")],
    required_by={"max_cost": ["prices"]},
)


def run(task):
    batch = Batch(task, ONE)
    task.result.update(batch.summary())
    operate(task, batch.plan, batch.carry_out, gives=("counts", "failures", "outcomes"))


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
