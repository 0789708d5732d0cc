# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: review_ltoken
short_description: Get a Klocwork login token for third-party modules
description:
  - Read the Klocwork login token for a server and a user from the file that C(kwauth) writes.
  - The modules of this collection read the token themselves.
  - The lookup does not send any requests.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
options:
  as:
    description: Format of the result.
    type: str
    choices:
      token: The token as a string.
      form: A dictionary with C(user) and C(ltoken), the form fields of each request to the Klocwork Web API.
    default: token
"""

EXAMPLES = r"""
- name: List the builds of a project with the uri module
  ansible.builtin.uri:
    url: "{{ toolchain_review_url }}/review/api"
    method: POST
    body_format: form-urlencoded
    body: "{{ {'action': 'builds', 'project': 'mobile-app'} | combine(login) }}"
    return_content: true
  vars:
    login: "{{ lookup('buildworks.toolchain.review_ltoken', username='admin', as='form') }}"
  no_log: true

- name: Pass the token to a command
  ansible.builtin.command: printenv KW_TOKEN
  environment:
    KW_TOKEN: "{{ lookup('buildworks.toolchain.review_ltoken', username='admin') }}"
  changed_when: false
  no_log: true
"""

RETURN = r"""
_raw:
  description:
    - A list with one element. With O(as=token), a string. With O(as=form), a dictionary with C(user) and C(ltoken).
    - The lookup fails if the file contains no token for the server and the user.
  type: list
  elements: raw
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.ltoken import NO_TOKEN, find_login
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import check_url
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._lookup import ServiceLookup


class LookupModule(ServiceLookup):
    """The Klocwork login token from the ltoken file."""

    name = "review_ltoken"
    SPEC = REVIEW + ArgumentSpec({"as": dict(type="str", choices=["token", "form"], default="token")})

    def fetch(self, task: Task) -> str | dict[str, str] | None:
        """Return the token, or the form fields of a login."""
        login = find_login(task, check_url(task.params["url"]))
        if login.ltoken is None:
            raise ToolchainError(login.advice.removeprefix(NO_TOKEN))
        return login.ltoken if task.params["as"] == "token" else login.form
