# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: inference_cost_info
short_description: Get OpenAI costs of an organization
description:
  - Get the costs of an OpenAI organization by day, and by project, API key or line item such as a model.
  - M(buildworks.toolchain.inference_usage_info) returns the requests and tokens.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.inference_cost_info
  - buildworks.toolchain.inference
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires O(admin_key).
options:
  newer_than:
    description:
      - Age of the oldest costs to return, in seconds. By default 30 days.
      - The period is extended to the start of the day in UTC.
    type: float
    default: 2592000.0
  older_than:
    description: Age of the newest costs to return, in seconds. By default, the period ends now.
    type: float
  group_by:
    description: Fields by which the costs of a day are divided further. The other fields are V(null) in the result.
    type: list
    elements: str
    choices:
      project_id: The project.
      line_item: The line item of the bill, such as C(gpt-4o, input).
      api_key_id: The API key.
    default: []
  project_ids:
    description: Return only costs of these projects.
    type: list
    elements: str
    default: []
  api_key_ids:
    description: Return only costs of the API keys with these IDs.
    type: list
    elements: str
    default: []
seealso:
  - module: buildworks.toolchain.inference_usage_info
"""

EXAMPLES = r"""
- name: Get the costs of each project in the last 30 days
  buildworks.toolchain.inference_cost_info:
    group_by: [project_id]
  register: spent

- name: Fail if they exceed 500 US dollars
  ansible.builtin.assert:
    that: spent.totals.USD | default(0) <= 500
"""

RETURN = r"""
costs:
  description: The costs, oldest first. Days without costs are omitted.
  returned: success
  type: list
  elements: dict
  contains:
    start:
      description: Start of the day, as a Unix timestamp.
      type: int
    start_at:
      description: Start of the day, in ISO 8601 format (UTC).
      type: str
    end:
      description: End of the day, as a Unix timestamp.
      type: int
    end_at:
      description: End of the day, in ISO 8601 format (UTC).
      type: str
    amount:
      description: The costs.
      type: float
    currency:
      description: Currency, in capital letters.
      type: str
    line_item:
      description: Line item. V(null) if O(group_by) does not contain it.
      type: str
    project_id:
      description: ID of the project. V(null) if O(group_by) does not contain it.
      type: str
    api_key_id:
      description: ID of the API key. V(null) if O(group_by) does not contain it.
      type: str
    quantity:
      description: Quantity of the line item. V(null) if the API does not return it.
      type: float
    quantity_unit:
      description: Unit of the quantity. V(null) if the API does not return it.
      type: str
  sample:
    - start: 1769904000
      start_at: "2026-02-01T00:00:00Z"
      end: 1769990400
      end_at: "2026-02-02T00:00:00Z"
      amount: 12.25
      currency: USD
      line_item: null
      project_id: proj_1
      api_key_id: null
      quantity: null
      quantity_unit: null
totals:
  description: Total costs by currency. Empty if there are no costs.
  returned: success
  type: dict
  sample:
    USD: 12.25
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization import usage
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import INFERENCE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (INFERENCE + usage.PERIOD) + ArgumentSpec(
    dict(
        group_by=dict(type="list", elements="str", choices=["project_id", "line_item", "api_key_id"], default=[]),
    )
)


def run(task: Task) -> None:
    rows = usage.list_costs(task)
    task.result.update(costs=rows, totals=usage.sum_costs(rows))


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
