#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_proxy_info
short_description: Get Artifactory proxy information
description:
  - Get all proxies of Artifactory, or one of them, with one request.
  - You can pass RV(proxies) to O(buildworks.toolchain.artifact_proxy#module:items).
  - The password is not returned.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_proxy_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes_info
notes:
  - Requires administrator permissions. The open-source edition is sufficient.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  key:
    description: Key of the proxy to return. If not set, all proxies are returned.
    type: str
seealso:
  - module: buildworks.toolchain.artifact_proxy
"""

EXAMPLES = r"""
- name: Get all proxies
  buildworks.toolchain.artifact_proxy_info:
  register: artifact

- name: List the hosts of all proxies
  ansible.builtin.debug:
    msg: "{{ artifact.proxies | map(attribute='host') | unique }}"

- name: Get one proxy
  buildworks.toolchain.artifact_proxy_info:
    key: corporate
"""

RETURN = r"""
proxies:
  description: The proxies, sorted by key. The list is empty if no proxy exists, or if the proxy O(key) does not exist.
  returned: success
  type: list
  elements: dict
  contains:
    key:
      description: Key of the proxy.
      type: str
    host:
      description: Host name or address of the proxy.
      type: str
    port:
      description: Port of the proxy.
      type: int
    proxy_username:
      description: User name for the proxy. An empty string if it is not set.
      type: str
    nt_host:
      description: Host name of the Artifactory server for NTLM authentication. An empty string if it is not set.
      type: str
    nt_domain:
      description: Windows domain of the user for NTLM authentication. An empty string if it is not set.
      type: str
    platform_default:
      description: Whether the proxy is the default of the JFrog Platform.
      type: bool
    redirected_to_hosts:
      description: Hosts to which the proxy may redirect requests, sorted.
      type: list
      elements: str
    services:
      description: Services for which the proxy is the default, sorted.
      type: list
      elements: str
  sample:
    - key: corporate
      host: proxy.example.com
      port: 3128
      proxy_username: artifactory
      nt_host: ""
      nt_domain: ""
      platform_default: false
      redirected_to_hosts: []
      services: [jfxr]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration import forms, objects
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = ARTIFACT + ArgumentSpec(dict(key=dict(type="str", no_log=False, **NAME)))


def run(task: Task) -> None:
    task.result["proxies"] = objects.list_objects(task, forms.PROXIES, task.params["key"])


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
