# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Connection and authentication options of the inference modules."""

    DOCUMENTATION = r"""
options:
  url:
    description:
      - Base URL of the OpenAI-compatible API, including the version.
      - If not set, the host variable C(toolchain_inference_url) is used, then the environment variable
        E(OPENAI_BASE_URL).
    type: str
    default: https://api.openai.com/v1
  api_key:
    description:
      - API key for models and completions. Only sent by modules that use these endpoints.
      - If not set, the host variable C(toolchain_inference_api_key) is used, then the environment variable
        E(OPENAI_API_KEY).
    type: str
  admin_key:
    description:
      - Admin key (C(sk-admin-...)) of the OpenAI organization. Only sent by modules that administer the organization.
        The other modules accept it so that it can be set in C(module_defaults) of the group.
      - If not set, the host variable C(toolchain_inference_admin_key) is used, then the environment variable
        E(OPENAI_ADMIN_KEY).
    type: str
  session_token:
    description:
      - Token of a browser session (C(sess-...)) for the private endpoints of the OpenAI dashboard. Only sent by modules
        that use these endpoints.
      - If not set, the host variable C(toolchain_inference_session_token) is used.
    type: str
  organization:
    description:
      - ID of the organization that the requests are attributed to, sent in the C(OpenAI-Organization) header.
      - If not set, the host variable C(toolchain_inference_organization) is used, then the environment variable
        E(OPENAI_ORG_ID).
    type: str
  project:
    description:
      - ID of the project that the requests are attributed to, sent in the C(OpenAI-Project) header.
      - If not set, the host variable C(toolchain_inference_project) is used, then the environment variable
        E(OPENAI_PROJECT_ID).
    type: str
  user_id:
    description:
      - ID of the user (C(user-...)) that the requests are attributed to, sent in the C(OpenAI-User) header. The
        official clients do not send this header, and it is not documented whether the API evaluates it.
      - If not set, the host variable C(toolchain_inference_user_id) is used.
    type: str
  group_id:
    description:
      - ID of the project (C(proj_...)) that the requests are attributed to, sent in the C(OpenAI-Group) header. The
        official clients send O(project) instead, and it is not documented whether the API evaluates this header.
      - If not set, the host variable C(toolchain_inference_group_id) is used.
    type: str
  admin_requests_per_minute:
    description:
      - Maximum number of administrative requests of the same kind per minute, after a burst of 4 requests. OpenAI
        accepts about 7 per minute and does not report when the next request is possible. V(0) disables the limit.
      - All tasks of a user on the same machine share the limit, using files in the directory for temporary files.
      - If not set, the host variable C(toolchain_inference_admin_requests_per_minute) is used, then the environment
        variable E(TOOLCHAIN_INFERENCE_ADMIN_REQUESTS_PER_MINUTE).
    type: float
    default: 6.0
attributes:
  action_group:
    description: The module belongs to action groups that can be used in C(module_defaults).
    support: full
    membership:
      - buildworks.toolchain.inference
      - buildworks.toolchain.all
seealso:
  - name: OpenAI API reference
    description: API reference of OpenAI.
    link: https://platform.openai.com/docs/api-reference
"""
