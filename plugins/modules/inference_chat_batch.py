#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_chat_batch
short_description: Run many OpenAI chat completions
description:
  - Send many prompts to an OpenAI-compatible API, O(workers) at a time, and write the answers to a JSON Lines file in
    the order of the prompts.
  - Answers are written as they arrive. If a run is interrupted or killed, run the same task again to continue. Prompts
    that already have an answer in the file are not sent again. Only the requests in progress when the run was killed
    may be charged twice.
  - An answer belongs to a request, not to a position in the list, so prompts can be inserted, removed and reordered
    without sending the other prompts again. A prompt is sent again if its text, its parameters or O(url) changed.
    Answers whose prompt was removed or changed are kept at the end of the file.
  - Requests are paced so that they stay within the rate limits of each model. The limits are taken from O(limits) and
    from the response headers. The first request to each model is sent alone because its response reports the limits.
  - After status 429, the module treats the limit named by the response as exhausted. If the response names no limit,
    this applies to all limits per minute. No request to this model is sent before the time in C(Retry-After).
  - A request is retried up to O(retries) times after status 408, 409, 429, 500, 502, 503 and 504 and after a lost
    response, unless the server responds with C(x-should-retry=false). The server may charge for each attempt, even if
    its response is lost. RV(lost_requests) is the number of such attempts.
  - The run stops if an error affects all prompts. Such errors are a rejected key (401, 403), an exhausted quota (402,
    C(insufficient_quota)), an unknown model (404), and a C(Retry-After) header that requests more than 60 seconds. An
    error that only affects one model stops only the prompts for that model. In both cases, the task fails, and
    RV(remaining) is the number of unsent prompts.
  - Each prompt has one outcome. V(answered) is a complete answer. V(refused), V(truncated) and V(mismatched) (the
    answer does not match the schema) are charged and not sent again. A prompt with the outcome V(failed) has no answer
    and is sent again by the next run. The task fails unless every prompt sent in this run is answered. With
    O(accept_incomplete=true), refused, truncated and mismatched answers are accepted.
  - In check mode, no request is sent and no file is written. RV(plan) estimates the minimum number of requests, tokens,
    cost and time.
  - O(prompts_file) is read line by line. 100,000 prompts need less than 30 MB of memory.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.inference_chat_batch
  - buildworks.toolchain.chat
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes
notes:
  - Requires an O(api_key) that has write permission for C(Model capabilities).
  - If a daily rate limit is exhausted, the task waits until the server resets the limit, which may take hours. The
    progress output shows the limit, the time at which the wait ends, and the estimated time until the task ends.
attributes:
  idempotent:
    support: full
    details: Prompts with an answer in O(to_file) are not sent again.
  diff_mode:
    support: none
    details: Completions do not change existing objects.
requirements:
  - jsonschema, for O(response_schema)
options:
  prompts:
    description: The prompts. Mutually exclusive with O(prompts_file). One of them is required.
    type: list
    elements: dict
    suboptions:
      id:
        description: Name of the prompt, which is written to O(to_file). The name does not have to be unique.
        type: str
      model:
        description: ID of the model. If not set, O(model) is used.
        type: str
      custom_id:
        description: Same as O(prompts[].id), for lines in the format of the OpenAI Batch API.
        type: str
      method:
        description: HTTP method in lines of the OpenAI Batch API.
        type: str
        choices:
          POST: The only supported method.
      url:
        description:
          - URL path in lines of the OpenAI Batch API. Only paths that end with C(/chat/completions) are supported. All
            requests are sent to O(url).
        type: str
      body:
        description:
          - Request body in lines of the OpenAI Batch API. It is sent unchanged, but missing parameters are added from
            O(model), O(temperature), O(max_tokens), O(seed), O(response_schema), O(reasoning_effort) and O(extra).
          - If the body contains C(response_format), the answer is not validated against a schema.
        type: dict
      messages:
        description:
          - The messages of the conversation. Exactly one of O(prompts[].messages), O(prompts[].prompt) and
            O(prompts[].body) is required.
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
              - Mutually exclusive with O(prompts[].messages[].parts). One of O(prompts[].messages[].content),
                O(prompts[].messages[].parts) and O(prompts[].messages[].tool_calls) is required.
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
                  - URL of the image. It starts with C(https:), C(http:) or C(data:), as in
                    C(data:image/png;base64,...).
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
              - Function calls of the model, in the same format as C(tool_calls) in an answer. Each call must be
                followed by a message with the role V(tool).
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
            description: ID of the call whose result the message contains. Required for the role V(tool).
            type: str
      prompt:
        description: The user's message.
        type: str
      system:
        description: The system message that precedes O(prompts[].prompt). If not set, O(system) is used.
        type: str
      temperature:
        description: Sampling temperature, from 0 to 2. If not set, O(temperature) is used.
        type: float
      max_tokens:
        description: Maximum number of tokens in the answer. If not set, O(max_tokens) is used.
        type: int
      seed:
        description: Seed for the sampling. If not set, O(seed) is used.
        type: int
      response_schema:
        description: JSON schema of the answer. If not set, O(response_schema) is used.
        type: dict
      reasoning_effort:
        description: Reasoning effort of the model. If not set, O(reasoning_effort) is used.
        type: str
        choices:
          none: No reasoning.
          minimal: Minimal effort.
          low: Low effort.
          medium: Medium effort.
          high: High effort.
          xhigh: Very high effort.
          max: Maximum effort.
      extra:
        description: Additional parameters of the request. If not set, O(extra) is used.
        type: dict
  prompts_file:
    description:
      - Path to a JSON Lines file with one prompt per line, on the machine that runs the module. Each line is an object
        with the same fields as O(prompts). Files for the OpenAI Batch API, with C(custom_id), C(method), C(url) and
        C(body), can be used unchanged.
      - Empty lines at the end are ignored. The task fails before the first request if another line is not a valid
        prompt. If the file has no prompts, no request is sent.
    type: path
  to_file:
    description:
      - Path to the JSON Lines file to write the answers to. Each line is an object with C(index) (position of the
        prompt, starting at 0), C(id), C(request) (digest of the request), C(outcome), C(reason) and C(attempts). If the
        prompt has an answer, the fields of RV(buildworks.toolchain.inference_chat#module:completion) of
        M(buildworks.toolchain.inference_chat) follow.
      - Answers whose prompt was removed or changed are at the end, with C(index) and C(id) set to V(null). If such a
        prompt is added again, the module uses its existing answer.
      - During the run, the lines are in the order in which the answers arrive. Only the owner can read the file. The
        task fails if the file contains anything else or if another run is writing to it.
    type: path
    required: true
  model:
    description: ID of the model for prompts that do not set one.
    type: str
  system:
    description: System message for prompts without C(system), C(messages) or C(body).
    type: str
  max_tokens:
    description:
      - Maximum number of tokens in an answer. O(max_tokens_member) is the name of the request parameter.
      - Servers count this number against the token limits when the request arrives, even if the answer is shorter.
    type: int
  response_schema:
    description: JSON schema of the answers. The answers are parsed and validated.
    type: dict
  strict:
    description: Whether the server enforces the schema, as in M(buildworks.toolchain.inference_chat).
    type: bool
    default: true
  attempts:
    description: Maximum number of requests for a prompt whose answer does not match the schema.
    type: int
    default: 1
  accept_incomplete:
    description: Whether to accept refusals, truncated answers and answers that do not match the schema.
    type: bool
    default: false
  cache:
    description:
      - Path to a directory for answers, as in M(buildworks.toolchain.inference_chat). If it contains the answer to the
        same request to the same URL, no request is sent. Equal prompts share one request, even across tasks of the same
        user that run at the same time.
      - The directory is created if it does not exist. If it is not writable, the task fails before the first request.
    type: path
  response_timeout:
    description:
      - Maximum time to wait for the response to each request, in seconds. O(timeout) only limits the time to connect.
    type: float
    default: 600.0
  limits:
    description:
      - Known rate limits by model, in the format of
        RV(buildworks.toolchain.inference_rate_limit_info#module:rate_limits). V(*) is the entry for all other models.
        An entry for a base model, such as C(ft:gpt-4o), applies to the models that are fine-tuned from it. The
        module learns other limits from the response headers. O(limit_period) determines their period.
      - The limits C(max_requests_per_1_minute), C(max_tokens_per_1_minute), C(max_requests_per_1_day) and
        C(max_tokens_per_1_day) are used. 2147483647 means unlimited. Other limits are ignored.
      - Each run assumes that the limits are unused. If an earlier run exhausted a daily limit, the server rejects the
        first request, and its response reports the limit.
    type: dict
  limit_period:
    description:
      - Period of the limits that are learned from response headers. The headers do not contain the period.
      - If not set, a limit counts as a limit per minute, unless three consecutive responses, or the message of a
        response with status 429, indicate a daily limit.
    type: str
    choices:
      minute: The headers report limits per minute.
      day: The headers report limits per day.
  prices:
    description: Prices of the models, which are required for O(max_cost) and RV(cost). If set, each model must have
      exactly one price.
    type: list
    elements: dict
    suboptions:
      model:
        description: ID of the model.
        type: str
        required: true
      input:
        description: Price of 1,000,000 input tokens, in any currency.
        type: float
        required: true
      output:
        description: Price of 1,000,000 output tokens, in the same currency.
        type: float
        required: true
  max_tokens_total:
    description:
      - Maximum number of tokens to use in this run. A request is not sent or retried if it might exceed this number.
        Input tokens are estimated from the number of characters, and each answer is assumed to use O(max_tokens)
        tokens. If O(max_tokens) is not set, requests in progress can exceed the limit.
      - The task fails if some prompts were not sent, unless O(on_error=report). Run it again to continue.
    type: int
  max_cost:
    description:
      - Maximum cost of this run, in the currency of O(prices). The limit works in the same way as O(max_tokens_total).
        Requires O(prices).
    type: float
  workers:
    description: Number of prompts in progress at the same time.
    type: int
    default: 4
  on_error:
    description: How to treat failed prompts. In both cases, all other prompts are sent first, up to O(max_failures).
    type: str
    choices:
      fail: The task fails at the end.
      report: The task does not fail. Check RV(summary) in the playbook.
    default: fail
  max_failures:
    description:
      - Number of failed prompts after which no more prompts are sent. The task fails regardless of O(on_error).
      - If not set, all prompts are sent.
    type: int
  result_limit:
    description: Number of prompts to include in RV(outcomes), starting with the first prompt. The maximum is 10,000.
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

- name: Run the prompts with a cost limit
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

- name: Run prompts within known rate limits
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

- name: Get the rate limits of the project
  buildworks.toolchain.inference_rate_limit_info:
    project_name: Sandbox
  register: known

- name: Run prompts within the rate limits of the project
  buildworks.toolchain.inference_chat_batch:
    prompts: *prompts
    to_file: ~/verdicts.jsonl
    model: gpt-4o-mini
    limits: "{{ known.rate_limits }}"
"""

RETURN = r"""
summary:
  description: Number of prompts by outcome, including those that were answered by earlier runs.
  returned: success
  type: dict
  sample: {answered: 1997, refused: 1, truncated: 2, mismatched: 0, failed: 0}
reused:
  description: Number of prompts that already had an answer in O(to_file) before the run.
  returned: success
  type: int
  sample: 1200
remaining:
  description: Number of prompts without an outcome because they were not sent or the task was interrupted.
  returned: success
  type: int
  sample: 0
usage:
  description:
    - Number of tokens used by this run, as counted by the server (C(prompt_tokens), C(completion_tokens),
      C(total_tokens)). If a response does not contain the number, it is estimated from the number of characters.
  returned: success
  type: dict
  sample: {prompt_tokens: 15200, completion_tokens: 8000, total_tokens: 23200}
cost:
  description: Cost of this run in the currency of O(prices). V(null) if O(prices) is not set.
  returned: success
  type: float
  sample: 0.0071
stop_reason:
  description:
    - Reason why prompts remain, such as O(max_tokens_total), O(max_cost) or an error that affects all prompts or all
      prompts of a model. V(null) if no prompts remain.
  returned: success
  type: str
  sample: they may exceed 'max_cost'
lost_requests:
  description:
    - Number of requests of this run without a usable response. The response was lost, late, incomplete or invalid, or
      had status 408, 500, 502 or 504. The server may have charged for them. They are not included in RV(usage) and
      RV(cost).
    - For O(max_tokens_total) and O(max_cost), each counts as a request with the longest possible answer.
  returned: success
  type: int
  sample: 0
waits:
  description:
    - Rate limits that this run waited for, each with C(model), C(limit), C(seconds) (total time of all waits) and
      C(until) (end of the last wait).
  returned: success
  type: list
  elements: dict
  sample:
    - {model: gpt-4o-mini, limit: "10,000 requests per day", seconds: 864.0, until: "2026-11-23T14:03:20Z"}
unwritten_lines:
  description:
    - Lines that could not be written to O(to_file), for example because the disk was full. Append them to the file, one
      JSON object per line, before the next run. Otherwise these prompts are sent and charged again.
  returned: if O(to_file) could not be written
  type: list
  elements: dict
  sample: []
counts:
  description:
    - Number of prompts that got a line in the file (C(changed)), already had one (C(ok)), C(failed) or were not sent
      (C(skipped)). C(unknown) is the number of prompts in progress when the task was interrupted. V(null) in check
      mode.
  returned: success
  type: dict
  sample: {changed: 797, ok: 1200, failed: 3, unknown: 0, skipped: 0}
failures:
  description: The failed prompts in the format of RV(outcomes). V(null) in check mode.
  returned: success
  type: list
  elements: dict
  sample: []
failure_reasons:
  description:
    - Reasons of the failures, each with the number of prompts (C(count)) and the index of the first one (C(first)).
      Messages that only differ in numbers, IDs and URLs are combined. V(null) in check mode.
  returned: success
  type: list
  elements: dict
  sample:
    - {reason: "The answer was truncated at the token limit. Increase 'max_tokens'.", count: 3, first: 17}
outcomes:
  description:
    - Results of up to O(result_limit) prompts in their order, failures first. V(null) in check mode.
    - C(item) contains C(number) and C(id) of the prompt, C(completion) the answer. C(outcome) is V(reused) if the
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
      outcome: reused
hidden:
  description: Number of prompts that RV(outcomes) does not contain, by kind. Kinds without such prompts are left out.
    V(null) in check mode.
  returned: success
  type: dict
  sample: {unchanged: 4880}
plan:
  description:
    - Requests that the run sent or, in check mode, would send. V(null) if all answers exist in the right order.
    - C(tokens_at_least) and C(cost_at_least) are estimates for the prompts without the answers. C(seconds_at_least) is
      the minimum duration under O(limits). Prompts with an answer in O(cache) are not included.
  returned: success
  type: dict
  sample:
    action: complete
    requests: 800
    reused: 1200
    tokens_at_least: 15000
    cost_at_least: 0.00225
    seconds_at_least: 36.0
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch.batch import Batch
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat.options import (
    BATCH_LINE_OPTIONS,
    BATCH_LINE_RULES,
    COMPLETION_OPTIONS,
    MODEL_OPTION,
    PROMPT_OPTIONS,
    REQUEST_OPTIONS,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import BULK
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import operate
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

PRICE = dict(type="float", required=True, at_least=0, at_most=1_000_000)
PROMPT = ArgumentSpec(
    {
        "id": dict(type="str", unchecked="any text that the user chooses"),
        "model": MODEL_OPTION,
        **PROMPT_OPTIONS,
        **COMPLETION_OPTIONS,
        **BATCH_LINE_OPTIONS,
    },
    **BATCH_LINE_RULES,
)
SPEC = INFERENCE + ArgumentSpec(
    {
        "prompts": dict(type="list", elements="dict", not_empty=True, options=PROMPT.options, **BATCH_LINE_RULES),
        "prompts_file": dict(type="path", not_empty=True),
        "model": MODEL_OPTION,
        **COMPLETION_OPTIONS,
        **REQUEST_OPTIONS,
        "attempts": dict(type="int", default=1, at_least=1, at_most=20),
        "limits": dict(type="dict", unchecked="checked as rate limits"),
        "limit_period": dict(type="str", choices=["minute", "day"]),
        "prices": dict(
            type="list",
            elements="dict",
            not_empty=True,
            options=dict(model={**MODEL_OPTION, "required": True}, input=PRICE, output=PRICE),
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


def run(task: Task) -> None:
    batch = Batch(task, PROMPT)
    task.result.update(batch.summary())
    operate(task, batch.plan, batch.run, result_names=("counts", "failures", "failure_reasons", "outcomes", "hidden"))


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
