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
    unless C(x-should-retry) is V(false). If the server had charged for the request, it charges twice. RV(lost) counts
    the requests for which this is possible.
  - The run stops at a refusal that holds for all prompts. These are a rejected key (401, 403), missing funds (402,
    C(insufficient_quota)), a model that does not exist (404), and a C(Retry-After) of more than 60 seconds. A refusal
    of one model stops the prompts of that model only. The task fails, and the remaining prompts count as RV(left).
  - Each prompt has one outcome. V(answered) is a complete answer. V(refused), V(cut_off) and V(mismatched) (the answer
    does not match the schema) are paid for and are not sent again. V(failed) has no answer and is sent again by the
    next run. The task fails unless every prompt of this run is answered. With O(accept_incomplete=true), refused,
    truncated and mismatching answers are tolerated.
  - In check mode nothing is sent and nothing is written. RV(plan) reports the requests, tokens, cost and time at least.
  - The lines of O(prompts_file) are read one at a time. 100,000 prompts need less than 30 MB of memory.
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
    details: Prompts with an answer in O(to_file) are not sent again.
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
        description:
          - A name for your own use, which is written to O(to_file). Several prompts can have the same one. A whole
            number is read as text.
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
          - The path of chat completions, /v1/chat/completions, in lines of OpenAI Batch. Other paths are refused. All
            requests go to O(url).
        type: str
      body:
        description:
          - The request in lines of OpenAI Batch, which must not be empty. It is sent unchanged, except that O(model),
            O(temperature), O(max_tokens), O(seed), O(response_schema), O(reasoning_effort) and O(extra) are added if it
            has no such member.
          - The answer is not checked against a schema in C(response_format) of the request.
        type: dict
      messages:
        description:
          - A conversation, which must not be empty. This, O(prompts[].prompt) or O(prompts[].body) is needed.
        type: list
        elements: dict
        suboptions:
          role:
            description: Author of the message. V(tool) is the result of a function that the model called.
            type: str
            choices: [developer, system, user, assistant, tool]
            required: true
          content:
            description:
              - The message as a text, or as a list of parts in the form of the API, each with its C(type). This,
                O(prompts[].messages[].parts) or O(prompts[].messages[].tool_calls) is needed.
            type: raw
          parts:
            description: The message in parts, each with either a text or an image. It must not be empty.
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
              - The functions that the model called, as in C(tool_calls) of an answer. A message with the role V(tool)
                must follow for each. It must not be empty.
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
                description: Arguments of the call.
                type: dict
                required: true
          tool_call_id:
            description: Id of the call whose result this is. The role V(tool) requires it.
            type: str
      prompt:
        description: One message of the user. It must not be empty.
        type: str
      system:
        description: System message before O(prompts[].prompt), by default O(system).
        type: str
      temperature:
        description: Sampling temperature, 0 to 2, by default O(temperature).
        type: float
      max_tokens:
        description: Maximum number of tokens of the answer, 1 to 100,000,000, by default O(max_tokens).
        type: int
      seed:
        description:
          - Seed of the sampling, by default O(seed).
          - A number of 64 bits, -9,223,372,036,854,775,808 to 9,223,372,036,854,775,807.
        type: int
      response_schema:
        description: JSON schema that the answer must satisfy, by default O(response_schema).
        type: dict
      reasoning_effort:
        description: Reasoning effort of the model, by default O(reasoning_effort). Only some models support it.
        type: str
        choices: [none, minimal, low, medium, high, xhigh, max]
      extra:
        description: Further members of the request, by default O(extra).
        type: dict
  prompts_file:
    description:
      - File on the machine that the task runs on, with a prompt in each line, as a JSON object with the members of
        O(prompts). Lines of OpenAI Batch have C(custom_id), C(method), C(url) and C(body).
      - Empty lines at the end are ignored. Any other line that is no prompt is refused before the first request. If the
        file has no prompt, the task sends nothing.
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
        A file with other content is refused, and so is a file to which another run is writing.
    type: path
    required: true
  model:
    description: Id of the model for the prompts that have none of their own.
    type: str
  system:
    description: System message for the prompts that have neither C(system) nor C(messages) nor C(body).
    type: str
  max_tokens:
    description:
      - Maximum number of tokens of an answer, 1 to 100,000,000, sent in the member that O(max_tokens_member) names.
      - Servers count this number against their limits when the request arrives, even if the answer is shorter.
    type: int
  response_schema:
    description: JSON schema that the answers must satisfy. They are parsed and checked against it.
    type: dict
  strict:
    description: Whether the server enforces the schema, as in M(buildworks.toolchain.inference_chat).
    type: bool
    default: true
  attempts:
    description: Maximum number of requests for a prompt whose answer does not match the schema, 1 to 20.
    type: int
    default: 1
  accept_incomplete:
    description: Whether to tolerate answers that are refused, truncated, or do not match the schema.
    type: bool
    default: false
  cache:
    description:
      - Folder of answers, as in M(buildworks.toolchain.inference_chat). The same request to the same address is
        answered from there, and nothing is sent. Equal prompts share one request, also those of other tasks of this
        user with this folder at the same time.
      - The folder is created if it is missing. A folder that is not writable is refused before the first request.
    type: path
  answer_timeout:
    description: Seconds to wait for the response to each request, 0.01 to 86,400. O(timeout) limits the connection.
    type: float
    default: 600.0
  limits:
    description:
      - The known limits by model, in the form of the result of M(buildworks.toolchain.inference_rate_limit_info). V(*)
        stands for all models that are not named. The name of a base model, as in C(ft:gpt-4o), stands for the models
        that are fine-tuned from it. All other limits are learned from the headers of the responses, see
        O(limit_period).
      - The task observes C(max_requests_per_1_minute), C(max_tokens_per_1_minute), C(max_requests_per_1_day) and
        C(max_tokens_per_1_day), each 0 to 2,147,483,647. 2,147,483,647 means unlimited. It ignores the other limits.
      - Each run starts with limits that are unused. If an earlier run used up a limit per day, the server refuses the
        first request, and the headers or the message of the refusal report it.
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
    description: Prices of the models, for O(max_cost) and RV(cost). If set, each model must have exactly one price.
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
      - Maximum number of tokens of this run, 1 to 1,000,000,000,000. A request is not sent or repeated if it might
        exceed this number. The tokens of its prompt are estimated from the number of letters, and its answer is assumed
        to have O(max_tokens). Without O(max_tokens), the answers in progress may exceed the number.
      - The task fails if prompts are left, unless O(on_error=report). The next run continues with them.
    type: int
  max_cost:
    description:
      - Maximum cost of this run, in the currency of O(prices), 0 to 1,000,000,000, with the same rules as
        O(max_tokens_total). It requires O(prices).
    type: float
  workers:
    description: Number of prompts in progress at the same time, 1 to 64.
    type: int
    default: 4
  on_error:
    description:
      - What to do if prompts fail. The others are sent in any case, up to O(max_failures), unless a refusal holds for
        all.
      - V(fail) fails the task at its end. V(report) leaves the check of RV(summary) to the playbook.
    type: str
    choices: [fail, report]
    default: fail
  max_failures:
    description:
      - Number of failed prompts, 1 to 1,000,000, after which no more are sent. The task fails, whatever O(on_error) is.
      - If it is not set, all prompts are sent.
    type: int
  shown:
    description: Number of prompts, from the first one, that are in RV(outcomes), 0 to 10,000.
    type: int
    default: 10
"""

EXAMPLES = r"""
- name: Estimate the cost of the prompts
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

- name: Run them for at most half a unit of money
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

- name: Run prompts with known limits
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

- name: Run prompts within these limits
  buildworks.toolchain.inference_chat_batch:
    prompts: *prompts
    to_file: ~/verdicts.jsonl
    model: gpt-4o-mini
    limits: "{{ known.rate_limits }}"
"""

RETURN = r"""
summary:
  description: Number of prompts by outcome, including those with an answer of an earlier run.
  returned: success
  type: dict
  sample: {answered: 1997, refused: 1, cut_off: 2, mismatched: 0, failed: 0}
kept:
  description: Number of prompts that had an answer in O(to_file) before the run.
  returned: success
  type: int
  sample: 1200
left:
  description: Number of prompts without an outcome, because they were not sent or the task was interrupted.
  returned: success
  type: int
  sample: 0
usage:
  description:
    - The tokens that this run used, as the server counted them (C(prompt_tokens), C(completion_tokens),
      C(total_tokens)). If a response has no number, it is estimated from the number of letters.
  returned: success
  type: dict
  sample: {prompt_tokens: 15200, completion_tokens: 8000, total_tokens: 23200}
cost:
  description: The cost of this run, in the currency of O(prices). Null without O(prices).
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
  returned: if O(to_file) could not be written
  type: list
  elements: dict
  sample: []
counts:
  description:
    - Number of prompts that got a line in the file (C(changed)), had it before (C(ok)), C(failed), or were not sent
      (C(skipped)). C(unknown) counts the prompts in progress when the task was interrupted. Null in check mode.
  returned: success
  type: dict
  sample: {changed: 797, ok: 1200, failed: 3, unknown: 0, skipped: 0}
failures:
  description: The prompts that failed, each as in RV(outcomes). Null in check mode.
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
    - The results of the first O(shown) prompts, in their order. Null in check mode.
    - C(item) has the C(number) and the C(id) of the prompt, C(completion) the answer. C(outcome) is V(kept) if the
      answer was in O(to_file) before the run.
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
    - The requests of the run, or in check mode those that it would send. Null if all prompts have their answers, in
      their order.
    - C(tokens_at_least) and C(cost_at_least) are estimates for the prompts, without the answers. C(seconds_at_least) is
      the time that unused O(limits) require. Prompts with an answer in O(cache) are not included.
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
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import BULK
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

PRICE = dict(type="float", required=True, at_least=0, at_most=1_000_000)
ONE = ArgumentSpec(
    {"id": dict(type="str", unchecked="a name of the user's own"), "model": MODEL, **PROMPT, **OF_ANSWER, **BATCH_LINE},
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
        "limits": dict(type="dict", unchecked="checked as rate limits"),
        "limit_period": dict(type="str", choices=["minute", "day"]),
        "prices": dict(
            type="list",
            elements="dict",
            not_empty=True,
            options=dict(model={**MODEL, "required": True}, input=PRICE, output=PRICE),
        ),
        "max_tokens_total": dict(type="int", narrows_scope=True, no_log=False, at_least=1, at_most=10**12),
        "max_cost": dict(type="float", narrows_scope=True, at_least=0, at_most=10**9),
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
    operate(task, batch.plan, batch.carry_out, result_names=("counts", "failures", "failure_reasons", "outcomes"))


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
