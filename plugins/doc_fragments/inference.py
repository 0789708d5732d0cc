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
      - When this is not given, the host's variable C(toolchain_inference_url) is used, then the
        environment variable E(OPENAI_BASE_URL).
    type: str
    default: https://api.openai.com/v1
  api_key:
    description:
      - Key for models and completions. Only modules for these send it.
      - When this is not given, the host's variable C(toolchain_inference_api_key) is used, then the
        environment variable E(OPENAI_API_KEY).
    type: str
  admin_key:
    description:
      - Key for the administration of an organization (C(sk-admin-...)). Only modules for that send it; the others
        take it so that it can stand in C(module_defaults) of the group.
      - When this is not given, the host's variable C(toolchain_inference_admin_key) is used, then the
        environment variable E(OPENAI_ADMIN_KEY).
    type: str
  session_token:
    description:
      - Token of a browser session (C(sess-...)), for the private endpoints of the dashboard. As with O(admin_key), only
        modules for these send it.
      - When this is not given, the host's variable C(toolchain_inference_session_token) is used.
    type: str
  organization:
    description:
      - Id of the organization that requests count for, sent as C(OpenAI-Organization).
      - When this is not given, the host's variable C(toolchain_inference_organization) is used, then the
        environment variable E(OPENAI_ORG_ID).
    type: str
  project:
    description:
      - Id of the project that requests count for, sent as C(OpenAI-Project).
      - When this is not given, the host's variable C(toolchain_inference_project) is used, then the
        environment variable E(OPENAI_PROJECT_ID).
    type: str
  user_id:
    description:
      - Id of the user that requests count for (C(user-...)), sent as C(OpenAI-User). The vendor's own clients do not
        send it, and whether the service reads it is not known.
      - When this is not given, the host's variable C(toolchain_inference_user_id) is used.
    type: str
  group_id:
    description:
      - Id of the project that requests count for (C(proj_...)), sent as C(OpenAI-Group). The vendor's own clients send
        O(project) instead, and whether the service reads this one is not known.
      - When this is not given, the host's variable C(toolchain_inference_group_id) is used.
    type: str
  admin_pace:
    description:
      - So many administrative calls of a kind are made in a minute, after the first 4, from 0 to 10,000. The service
        takes about 7 of them, and does not say when the next may come. V(0) makes them at once.
      - All tasks of a user on one machine share it, through files in the folder for temporary files. A task that
        waits says so.
      - When this is not given, the host's variable C(toolchain_inference_admin_pace) is used, then the
        environment variable E(TOOLCHAIN_INFERENCE_ADMIN_PACE).
    type: float
    default: 6.0
attributes:
  action_group:
    description: Belongs to an action group, for C(module_defaults).
    support: full
    membership:
      - buildworks.toolchain.inference
      - buildworks.toolchain.all
seealso:
  - name: OpenAI API reference
    description: The reference of the vendor.
    link: https://platform.openai.com/docs/api-reference
"""
