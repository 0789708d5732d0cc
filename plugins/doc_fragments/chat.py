# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Sampling options of chat completions."""

    DOCUMENTATION = r"""
options:
  temperature:
    description:
      - Sampling temperature, from 0 to 2. Lower values make the answer more deterministic, and higher values make it
        more varied.
      - If not set, the server decides.
    type: float
  max_tokens_member:
    description: Name of the request parameter for O(max_tokens).
    type: str
    choices:
      max_completion_tokens: For current OpenAI models, which reject C(max_tokens).
      max_tokens: For servers that only support the older name.
    default: max_completion_tokens
  seed:
    description:
      - Seed for the sampling, a signed 64-bit integer. Requests with the same seed and parameters return the same
        answer if the server supports it.
    type: int
  reasoning_effort:
    description:
      - Reasoning effort of the model. Only reasoning models support it, and not all of them support each value.
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
    description:
      - Additional parameters of the request, such as C(top_p) or C(service_tier).
      - C(model), C(messages), C(stream), C(stream_options), C(max_tokens), C(max_completion_tokens) and parameters that
        are set by another option are rejected.
    type: dict
"""
