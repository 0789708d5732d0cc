# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: review_ltoken
short_description: The login token of a code-analysis server, for tools of others
description:
  - Finds the login token for host and port of an address, and an account, in the file that C(kwauth) keeps.
  - The modules of this collection find it by themselves.
  - No request is sent.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.review
  - buildworks.toolchain.connection
options:
  as:
    description:
      - V(token) gives the token alone.
      - V(form) gives a dictionary with C(user) and C(ltoken), the fields that each call of the Web API has.
    type: str
    choices: [token, form]
    default: token
"""

EXAMPLES = r"""
- name: Ask for the builds with a module that knows nothing of login tokens
  ansible.builtin.uri:
    url: "{{ toolchain_review_url }}/review/api"
    method: POST
    body_format: form-urlencoded
    body: "{{ {'action': 'builds', 'project': 'mobile-app'} | combine(login) }}"
    return_content: true
  vars:
    login: "{{ lookup('buildworks.toolchain.review_ltoken', username='admin', as='form') }}"
  no_log: true

- name: Hand the token to a program
  ansible.builtin.command: printenv KW_TOKEN
  environment:
    KW_TOKEN: "{{ lookup('buildworks.toolchain.review_ltoken', username='admin') }}"
  changed_when: false
  no_log: true
"""

RETURN = r"""
_raw:
  description:
    - One element. With O(as=token) a text, with O(as=form) a dictionary with C(user) and C(ltoken).
    - When there is no token, the lookup fails.
  type: list
  elements: raw
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.ltoken import login
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import REVIEW
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import check_url
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._lookup import ServiceLookup


class LookupModule(ServiceLookup):
    name = "review_ltoken"
    SPEC = REVIEW + ArgumentSpec({"as": dict(type="str", choices=["token", "form"], default="token")})

    def ask(self, task: Task) -> str | dict[str, str] | None:
        found = login(task, check_url(task.params["url"]))
        if found.ltoken is None:
            raise ToolchainError(found.advice.replace("No login token was sent: there", "There"))
        return found.ltoken if task.params["as"] == "token" else found.form
