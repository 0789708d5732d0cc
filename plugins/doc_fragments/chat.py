# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """What a model is asked, beside the words."""

    DOCUMENTATION = r"""
options:
  temperature:
    description: 0 to 2, from the likeliest answer to a varied one. Without it the server decides.
    type: float
  max_tokens_member:
    description: What the server calls O(max_tokens). Older ones know V(max_tokens) only, newer models refuse that.
    type: str
    choices: [max_completion_tokens, max_tokens]
    default: max_completion_tokens
  seed:
    description:
      - The same seed gives the same answer, as far as the server can.
      - A number of 64 bits, -9,223,372,036,854,775,808 to 9,223,372,036,854,775,807.
    type: int
  reasoning_effort:
    description: How long the model thinks before it answers. Only some models know it.
    type: str
    choices: [none, minimal, low, medium, high, xhigh, max]
  extra:
    description:
      - Further members of the request, by their names, as the server has them, such as C(top_p) or C(service_tier).
      - The model, the messages, the most tokens and streaming are refused, and what an option that is given sends.
    type: dict
"""
