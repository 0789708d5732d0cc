# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: ci_crumb
short_description: Get a Jenkins crumb for third-party modules
description:
  - Get the crumb that Jenkins requires in POST requests if CSRF protection is enabled, and the session cookie that
    belongs to it.
  - The modules of this collection request crumbs themselves. Requests that authenticate with an API token do not need a
    crumb.
  - If the JSON API of the crumb issuer is blocked, the lookup uses its XML API.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
notes:
  - A crumb is valid for the account and the session cookie that it was issued for, until Jenkins restarts. Requests
    must also contain the credentials of the account.
options:
  as:
    description: Format of the result.
    type: str
    choices:
      parts: A dictionary with the header name, the header value and the cookie.
      header: The header as a string, such as C(Jenkins-Crumb:0a1b2c), for C(curl -H). It does not include the cookie.
    default: parts
"""

EXAMPLES = r"""
- name: Put Jenkins into quiet-down mode with the uri module
  ansible.builtin.uri:
    url: "{{ toolchain_ci_url }}/quietDown"
    method: POST
    url_username: "{{ toolchain_ci_username }}"
    url_password: "{{ toolchain_ci_password }}"
    force_basic_auth: true
    headers: "{{ {crumb.name: crumb.value, 'Cookie': crumb.cookie} }}"
    follow_redirects: none
    status_code: 302
  vars:
    crumb: "{{ lookup('buildworks.toolchain.ci_crumb') }}"

- name: Print the crumb header
  ansible.builtin.debug:
    msg: "{{ lookup('buildworks.toolchain.ci_crumb', url='https://ci.example.com', as='header') }}"
"""

RETURN = r"""
_raw:
  description:
    - A list with one element. With O(as=header), a string, which is empty if CSRF protection is disabled.
    - With O(as=parts), a dictionary with C(name) and C(value) of the crumb header and C(cookie), the value of the
      C(Cookie) header. All three values are V(null) if CSRF protection is disabled.
  type: list
  elements: raw
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._lookup import ServiceLookup


class LookupModule(ServiceLookup):
    """The Jenkins crumb and its session cookie."""

    name = "ci_crumb"
    SPEC = CI + ArgumentSpec({"as": dict(type="str", choices=["parts", "header"], default="parts")})

    def fetch(self, task: Task) -> str | dict[str, str | None]:
        """Return the crumb as a header or in parts."""
        ci = CiService(task)
        name, value = next(iter(ci.fetch_crumb().items()), (None, None))
        if task.params["as"] == "header":
            return f"{name}:{value}" if name else ""
        return {"name": name, "value": value, "cookie": ci.http.cookie_header() if name else None}
