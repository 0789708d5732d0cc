# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_usage_info
short_description: Get OpenAI usage of an organization
description:
  - Get the requests, tokens and other amounts that an OpenAI organization used, by day, hour or minute.
  - M(buildworks.toolchain.inference_cost_info) returns the costs.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.inference_usage_info
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires O(admin_key).
options:
  kind:
    description: The kind of usage.
    type: str
    choices:
      completions: Tokens and requests of chat completions and responses.
      embeddings: Tokens and requests of embeddings.
      moderations: Tokens and requests of moderations.
      images: Generated and edited images.
      audio_speeches: Characters that were converted to speech.
      audio_transcriptions: Seconds of audio that were transcribed.
      vector_stores: Storage of vector stores in bytes.
      code_interpreter_sessions: Sessions of the code interpreter.
      file_search_calls: Calls of the file search tool.
      web_search_calls: Calls of the web search tool.
    default: completions
  newer_than:
    description:
      - Age of the oldest usage to return, in seconds. By default 30 days.
      - The period is extended to the start of the day, hour or minute, see O(bucket_width).
    type: float
    default: 2592000.0
  older_than:
    description: Age of the newest usage to return, in seconds. By default, the period ends now.
    type: float
  bucket_width:
    description: Length of the periods into which the usage is divided.
    type: str
    choices:
      1m: One minute.
      1h: One hour.
      1d: One day in UTC.
    default: 1d
  group_by:
    description:
      - Fields by which the usage is divided further. The other fields are V(null) in the result.
      - Not all kinds of usage support all fields. The API rejects unsupported ones.
    type: list
    elements: str
    choices:
      project_id: The project.
      user_id: The user.
      api_key_id: The API key.
      model: The model.
      batch: Whether the requests belong to a batch.
      service_tier: The service tier.
      size: The size of images.
      source: The operation that created images.
      context_level: The context size of web searches.
    default: []
  project_ids:
    description: Return only usage of these projects.
    type: list
    elements: str
    default: []
  user_ids:
    description: Return only usage of these users.
    type: list
    elements: str
    default: []
  api_key_ids:
    description: Return only usage of the API keys with these IDs.
    type: list
    elements: str
    default: []
  models:
    description: Return only usage of these models.
    type: list
    elements: str
    default: []
seealso:
  - module: buildworks.toolchain.inference_cost_info
  - module: buildworks.toolchain.inference_rate_limit_info
"""

EXAMPLES = r"""
- name: Get the tokens of each model in the last seven days
  buildworks.toolchain.inference_usage_info:
    newer_than: 604800
    group_by: [model]
  register: used

- name: Show the total number of requests
  ansible.builtin.debug:
    msg: "{{ used.totals.num_model_requests | default(0) }}"
"""

RETURN = r"""
usage:
  description:
    - The usage, oldest first. Periods without usage are omitted.
    - Besides the fields below, each entry has the amounts of its kind with the names of the API, such as C(images),
      C(characters), C(seconds), C(usage_bytes) or C(num_sessions).
  returned: success
  type: list
  elements: dict
  contains:
    start:
      description: Start of the period, as a Unix timestamp.
      type: int
    start_at:
      description: Start of the period, in ISO 8601 format (UTC).
      type: str
    end:
      description: End of the period, as a Unix timestamp.
      type: int
    end_at:
      description: End of the period, in ISO 8601 format (UTC).
      type: str
    project_id:
      description: ID of the project. V(null) if O(group_by) does not contain it. The same applies to C(user_id),
        C(api_key_id), C(model), C(batch), C(service_tier), C(size), C(source) and C(context_level).
      type: str
    input_tokens:
      description: Number of input tokens, including C(input_cached_tokens) and C(input_audio_tokens).
      type: int
    output_tokens:
      description: Number of output tokens, including C(output_audio_tokens).
      type: int
    num_model_requests:
      description: Number of requests.
      type: int
  sample:
    - start: 1769904000
      start_at: "2026-02-01T00:00:00Z"
      end: 1769990400
      end_at: "2026-02-02T00:00:00Z"
      project_id: null
      user_id: null
      api_key_id: null
      model: gpt-4o
      service_tier: null
      batch: null
      input_audio_tokens: 0
      input_cached_tokens: 0
      input_tokens: 120000
      num_model_requests: 300
      output_audio_tokens: 0
      output_tokens: 40000
totals:
  description: Sums of the amounts of all entries by name. Empty if nothing was used.
  returned: success
  type: dict
  sample:
    input_tokens: 120000
    output_tokens: 40000
    num_model_requests: 300
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization import usage
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

_GROUPS = ["project_id", "user_id", "api_key_id", "model", "batch", "service_tier", "size", "source", "context_level"]

SPEC = (INFERENCE + usage.PERIOD) + ArgumentSpec(
    dict(
        kind=dict(type="str", choices=usage.KINDS, default="completions"),
        bucket_width=dict(type="str", choices=["1m", "1h", "1d"], default="1d"),
        group_by=dict(type="list", elements="str", choices=_GROUPS, default=[]),
        user_ids=dict(**usage.FILTER),
        models=dict(**usage.FILTER),
    )
)


def run(task: Task) -> None:
    rows = usage.list_usage(task)
    task.result.update(usage=rows, totals=usage.sum_usage(rows))


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
