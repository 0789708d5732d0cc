#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_credential_info
short_description: Get Jenkins credential information
description:
  - Get the credentials and domains of a Jenkins credential store, without secrets. The store is the system store, the
    store of a folder or the store of a user.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_credential_info
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes
  - buildworks.toolchain.attributes_info
notes:
  - Requires the plugin C(credentials).
  - Requires the Credentials/View permission. To return the specifications of domains, the account also needs the
    Credentials/ManageDomains permission.
  - The module sends one request for the store, one for the global domain, three for each named domain, and one for each
    credential.
  - Tested against the simulated server (sandbox) that comes with this collection. The responses of the sandbox are
    compared with recordings of Jenkins 2.579. The module has not been tested against a real Jenkins server.
options:
  folder:
    description: Full name of a folder, such as V(team/web). The module reads the store of this folder. If neither
      O(folder) nor O(user) is set, the module reads the system store.
    type: str
  user:
    description:
      - ID of a user. The module reads the store of this user. The task must log in as this user.
      - Jenkins cannot list the domains in the store of a user. The module therefore reads only O(domain) or, if that is
        not set, the global domain.
      - Mutually exclusive with O(folder).
    type: str
  domain:
    description: Name of the domain to read. V(_) is the global domain. If not set, the module reads all domains of the
      store or, if O(user) is set, only the global domain.
    type: str
  id:
    description: Return only credentials with this ID. If not set, all credentials are returned.
    type: str
  workers:
    description: Number of credentials that are read concurrently, 1 to 64.
    type: int
    default: 8
seealso:
  - module: buildworks.toolchain.ci_credential
  - module: buildworks.toolchain.ci_credential_domain
"""

EXAMPLES = r"""
- name: Get all credentials of the system store
  buildworks.toolchain.ci_credential_info:
  register: jenkins

- name: List the credentials that jobs can use
  ansible.builtin.debug:
    msg: "{{ jenkins.credentials | rejectattr('scope', 'equalto', 'system') | map(attribute='id') }}"

- name: Check whether a credential exists
  buildworks.toolchain.ci_credential_info:
    id: registry
  register: registry
  failed_when: registry.credentials | length > 1
"""

RETURN = r"""
credentials:
  description: The credentials, sorted by domain and ID. An empty list if there are no credentials or no credential has
    the ID O(id).
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: ID of the credential.
      type: str
    domain:
      description: Name of the domain that contains the credential. V(null) if it is in the global domain.
      type: str
    type:
      description: Type of the credential. One of V(username_password), V(secret_text), V(secret_file), V(ssh_key),
        V(certificate) and V(xml). V(xml) if no other type matches the class of the credential.
      type: str
    class:
      description: Name of the Java class of the credential.
      type: str
    scope:
      description:
        - Where the credential can be used. V(global) for Jenkins itself and jobs, V(system) for Jenkins itself only,
          V(user) for the user who owns the store.
        - V(null) if the credential has no scope, which has the same effect as V(global).
      type: str
    description:
      description: Description of the credential. An empty string if it has no description.
      type: str
    username:
      description: User name of the credential. If it is secret and contains characters outside of ISO-8859-1, Jenkins
        does not return these characters. The value is then V(null).
      returned: when the type is V(username_password) or V(ssh_key)
      type: str
    username_secret:
      description: Whether Jenkins treats the user name of the credential as a secret.
      returned: when the type is V(username_password) or V(ssh_key)
      type: bool
    file_name:
      description: Name of the secret file in the workspace of a build.
      returned: when the type is V(secret_file)
      type: str
    certificate_format:
      description: Format of the certificate. V(pkcs12) for a PKCS#12 key store, V(pem) for PEM certificates, V(null)
        for any other format.
      returned: when the type is V(certificate)
      type: str
  sample:
    - id: registry
      domain:
      type: username_password
      class: com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl
      scope: global
      description: Login of the image registry
      username: deploy
      username_secret: false
domains:
  description: The named domains that were read, sorted by name. The global domain is not included.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the domain.
      type: str
    description:
      description: Description of the domain. An empty string if it has no description.
      type: str
    hostname:
      description: Patterns of host names as a dictionary with the lists C(includes) and C(excludes). V(null) if host
        names are not limited, or if the account has no Credentials/ManageDomains permission.
      type: dict
    hostname_port:
      description: Patterns of host names with ports as a dictionary with the lists C(includes) and C(excludes). V(null)
        if host names with ports are not limited, or if the account has no Credentials/ManageDomains permission.
      type: dict
    path:
      description: Patterns of URL paths as a dictionary with the lists C(includes) and C(excludes), and the boolean
        C(case_sensitive). V(null) if paths are not limited, or if the account has no Credentials/ManageDomains
        permission.
      type: dict
    schemes:
      description: Sorted schemes of URLs. V(null) if schemes are not limited, or if the account has no
        Credentials/ManageDomains permission.
      type: list
      elements: str
    credentials:
      description: Sorted IDs of the credentials in the domain.
      type: list
      elements: str
  sample: []
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.credentials import inventory, stores
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME, SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import WORKERS
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (CI + WORKERS) + ArgumentSpec(
    dict(
        folder=stores.FOLDER,
        user=stores.USER,
        domain=dict(type="str", **SEGMENT),
        id=dict(type="str", **NAME),
    ),
    mutually_exclusive=[("folder", "user")],
)


def run(task: Task) -> None:
    store = stores.select_store(task.params)
    found = inventory.read_credentials(task, store)
    task.result["domains"] = inventory.describe_domains(task, store, found)
    task.result["credentials"] = inventory.describe_credentials(task, store, found)


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
