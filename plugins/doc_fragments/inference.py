# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """How to reach and log in to a model-inference API."""

    DOCUMENTATION = r"""
options:
  url:
    description:
      - Address of the API with its version, such as V(https://api.openai.com/v1), which is the default.
      - The environment variable E(OPENAI_BASE_URL) is used when this is not given.
    type: str
    default: https://api.openai.com/v1
  api_key:
    description:
      - Key for models and completions.
      - The environment variable E(OPENAI_API_KEY) is used when this is not given.
    type: str
  admin_key:
    description:
      - Key for the administration of an organization. Never sent to other endpoints.
      - The environment variable E(OPENAI_ADMIN_KEY) is used when this is not given.
    type: str
  session_token:
    description: Token of a browser session (C(sess-...)), for the private dashboard endpoints. Never sent to others.
    type: str
  organization:
    description:
      - Id of the organization that requests count for, sent as C(OpenAI-Organization).
      - The environment variable E(OPENAI_ORG_ID) is used when this is not given.
    type: str
  project:
    description:
      - Id of the project that requests count for, sent as C(OpenAI-Project).
      - The environment variable E(OPENAI_PROJECT_ID) is used when this is not given.
    type: str
attributes:
  action_group:
    description: Belongs to an action group, for C(module_defaults).
    support: full
    membership:
      - buildworks.toolchain.inference
      - buildworks.toolchain.all
"""
