# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: ci_crumb
short_description: A crumb of a CI server, for tools of others
description:
  - Fetches the crumb that a server with CSRF protection wants to have with each POST, and the cookie of the session
    that it belongs to.
  - The modules of this collection need no such help, nor does whoever logs in with an API token.
  - Where something in between closes the JSON view of the server, the crumb comes by its XML view.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
notes:
  - A crumb is good for the account that it was fetched for, together with the cookie, until the server restarts. The
    account's credentials have to go with each request as well.
options:
  as:
    description:
      - V(parts) gives a dictionary.
      - V(header) gives the whole header as one text, such as C(Jenkins-Crumb:0a1b2c), as C(curl -H) takes it. The
        cookie is not in it.
    type: str
    choices: [parts, header]
    default: parts
"""

EXAMPLES = r"""
- name: Let the server take no more builds, with a module that knows nothing of crumbs
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

- name: Show the header
  ansible.builtin.debug:
    msg: "{{ lookup('buildworks.toolchain.ci_crumb', url='https://ci.example.com', as='header') }}"
"""

RETURN = r"""
_raw:
  description:
    - One element. With O(as=header) a text, empty where the server's CSRF protection is off.
    - With O(as=parts) a dictionary with C(name) and C(value) of the header, and C(cookie), the value of the header
      C(Cookie). All are none where the server's CSRF protection is off.
  type: list
  elements: raw
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._lookup import ServiceLookup


class LookupModule(ServiceLookup):
    name = "ci_crumb"
    SPEC = CI + ArgumentSpec({"as": dict(type="str", choices=["parts", "header"], default="parts")})

    def ask(self, task: Task) -> str | dict[str, str | None]:
        ci = CiService(task)
        name, value = next(iter(ci.fetch_crumb().items()), (None, None))
        if task.params["as"] == "header":
            return f"{name}:{value}" if name else ""
        return {"name": name, "value": value, "cookie": ci.http.cookie_header() if name else None}
