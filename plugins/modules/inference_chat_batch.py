#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_chat_batch
short_description: Run many chat completions of an OpenAI-compatible API
description:
  - Sends many prompts, O(workers) at a time, and writes the answers to a file of JSON lines, in the order of the
    prompts.
  - The answers are written as they arrive. If a run is interrupted or killed, the same task continues it. Prompts with
    an answer in the file are not sent again. At most the O(workers) prompts in progress at that moment are.
  - An answer belongs to a request, not to a line. The n-th of several equal prompts has the n-th of their answers. You
    can insert, remove and reorder prompts, and nothing is paid for again. A prompt is sent again if its text, its
    parameters or O(url) changed. Answers whose prompt was removed or changed stay at the end of the file.
  - Requests to a model wait until its limits have room. The limits are those of O(limits), and those in the headers of
    the responses. The first request to each model is sent alone, because its response reports the limits.
  - After a 429, only the limit that the refusal names counts as used up, by default the limits per minute. No request
    to the model is sent before the time in C(Retry-After).
  - A request is repeated after 408, 409, 429, 500, 502, 503, 504 and after a lost response, up to O(retries) times,
    unless the server says that it is no use. If the server had charged for the request, it charges twice. RV(lost)
    counts the requests for which this can be so.
  - The run stops at a refusal that holds for all prompts. These are a rejected key (401, 403), missing funds (402,
    C(insufficient_quota)), a model that does not exist (404), and a C(Retry-After) of more than 60 seconds. A refusal
    of one model stops the prompts of that model only. The task fails, and the remaining prompts count as RV(left).
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
  - If a limit per day is used up, the task waits until it has room again, which may take hours. The progress reports
    which limit the task waits for, until when, and the time left.
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
      custom_id:
        description: The same as O(prompts[].id), in lines of OpenAI Batch.
        type: str
      method:
        description: The method in lines of OpenAI Batch.
        type: str
        choices: [POST]
      url:
        description:
          - The path of chat completions, /v1/chat/completions, in lines of OpenAI Batch. O(url) alone says where
            requests go.
        type: str
      body:
        description:
          - The request in lines of OpenAI Batch, which must not be empty. It is sent as it is, with what it lacks of
            O(model), O(temperature), O(max_tokens), O(seed), O(response_schema), O(reasoning_effort) and O(extra).
          - Its answer is not checked against a schema in its C(response_format).
        type: dict
      messages:
        description:
          - A conversation, which must not be empty. This, O(prompts[].prompt) or O(prompts[].body) is needed.
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
                O(prompts[].messages[].parts) or O(prompts[].messages[].tool_calls) is needed.
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
        O(prompts). Lines of OpenAI Batch have C(custom_id), C(method), C(url) and C(body).
      - Empty lines at the end are ignored. Any other line that is no prompt is refused before the first request.
    type: path
  to_file:
    description:
      - File for the answers, each a line of JSON with C(index) (the number of the prompt, from 0), C(id), C(request)
        (a digest of the request), C(outcome), C(reason), C(attempts), and of an answer C(text), C(data),
        C(tool_calls), C(refusal), C(finish_reason), C(complete), C(alternatives), C(model), C(usage) and
        C(request_id), as M(buildworks.toolchain.inference_chat) returns them.
      - Answers whose prompt was removed or changed come last, with the C(index) and the C(id) V(null). If such a prompt
        is added again, it has its answer.
      - While the task runs, the lines are in the order in which the answers arrive. Only its owner may read the file.
        A file with other content is refused, and one that another run writes.
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
        answered from there, and nothing is sent. Equal prompts share one request, also those of other tasks of this
        user with this folder at the same time.
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
        the headers of the responses, see O(limit_period).
      - Heeded are C(max_requests_per_1_minute), C(max_tokens_per_1_minute), C(max_requests_per_1_day) and
        C(max_tokens_per_1_day), each 0 to 2,147,483,647, which stands for as many as one likes.
    type: dict
  limit_period:
    description:
      - The period of the limits that are learned from the headers of responses. The headers do not say it.
      - If it is not set, a limit is for a minute, unless three responses in succession, or the message of a 429,
        indicate a day.
    type: str
    choices:
      minute: The headers report limits per minute.
      day: The headers report limits per day.
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
      - What to do about prompts that fail. All others are sent in any case, up to O(max_failures), unless a refusal
        holds for all.
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
  description:
    - Why prompts are left, because of O(max_tokens_total), O(max_cost), or a refusal that holds for all prompts or for
      all prompts of a model. Null otherwise.
  returned: success
  type: str
  sample: they may go beyond 'max_cost'
lost:
  description:
    - How many requests of this run had no usable response, because it was lost, late, cut off, unreadable, or 408, 500,
      502 or 504. The server may have charged for them. RV(usage) and RV(cost) do not include them.
    - For O(max_tokens_total) and O(max_cost), each counts as one with the longest answer.
  returned: success
  type: int
  sample: 0
waits:
  description:
    - The limits that this run waited for, with the C(model), the C(limit), the C(seconds) of all waits, and the time
      C(until) which the last one lasted.
  returned: success
  type: list
  elements: dict
  sample:
    - {model: gpt-4o-mini, limit: "10,000 requests per day", seconds: 864.0, until: "2026-11-23T14:03:20Z"}
unwritten:
  description:
    - The lines that could not be written to O(to_file), because the disk was full, say. Append them to the file, one
      JSON object per line, before the next run. Otherwise these prompts are paid for again.
  returned: when O(to_file) could not be written
  type: list
  elements: dict
  sample: []
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
failure_reasons:
  description:
    - The reasons for which prompts failed, each with the number of prompts (C(count)) and the index of the C(first).
      Messages that differ only in numbers, ids and addresses count as one. Null in check mode.
  returned: success
  type: list
  elements: dict
  sample:
    - {reason: "The answer was cut off at the limit of tokens: raise 'max_tokens'.", count: 3, first: 17}
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
    BATCH_LINE,
    BATCH_LINE_RULES,
    MODEL,
    OF_ANSWER,
    PROMPT,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import BULK
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

PRICE = dict(type="float", required=True, at_least=0, at_most=1_000_000)
ONE = ArgumentSpec(
    {"id": dict(type="str", free="a name of the user's own"), "model": MODEL, **PROMPT, **OF_ANSWER, **BATCH_LINE},
    **BATCH_LINE_RULES,
)
SPEC = INFERENCE + ArgumentSpec(
    {
        "prompts": dict(type="list", elements="dict", not_empty=True, options=ONE.options, **BATCH_LINE_RULES),
        "prompts_file": dict(type="path", not_empty=True),
        "model": MODEL,
        **OF_ANSWER,
        **ASKING,
        "attempts": dict(type="int", default=1, at_least=1, at_most=20),
        "limits": dict(type="dict", free="checked as rate limits"),
        "limit_period": dict(type="str", choices=["minute", "day"]),
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
    operate(task, batch.plan, batch.carry_out, gives=("counts", "failures", "failure_reasons", "outcomes"))


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
