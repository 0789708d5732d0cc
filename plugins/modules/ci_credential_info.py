#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_credential_info
short_description: Get Jenkins credential information
description:
  - Get the credentials and domains of a store of Jenkins, without secrets.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.attributes
  - buildworks.toolchain.attributes_info
notes:
  - Requires the plugin C(credentials).
  - Requires the Credentials/View permission. The specifications of domains require the Credentials/ManageDomains
    permission.
  - The module sends one request for the store, one for each domain, and one for each credential.
  - Tested against the sandbox of this collection, whose responses are compared with recordings of Jenkins 2.579. Not
    tested against a real Jenkins.
options:
  folder:
    description: Full name of a folder, such as V(team/web), whose store is read. If neither O(folder) nor O(user) is
      set, the system store is read.
    type: str
  user:
    description:
      - ID of a user whose store is read. The task must log in as this user. Mutually exclusive with O(folder).
      - Jenkins cannot list the domains of such a store. Only the global domain or, if set, O(domain) is read.
    type: str
  domain:
    description: Name of the domain to read. V(_) is the global domain. If not set, all domains are read.
    type: str
  id:
    description: ID of a credential. Only credentials with this ID are returned.
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
  description: The credentials, sorted by domain and ID. An empty list if O(id) does not exist.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: ID of the credential.
      type: str
    domain:
      description: Name of the domain. V(null) for the global domain.
      type: str
    type:
      description: Type of the credential, one of V(username_password), V(secret_text), V(secret_file), V(ssh_key),
        V(certificate) and, for other classes, V(xml).
      type: str
    class:
      description: Java class of the credential.
      type: str
    scope:
      description: Scope of the credential, V(global), V(system) or V(user). V(null) if it has none. It then works like
        V(global).
      type: str
    description:
      description: Description of the credential. An empty string if it has no description.
      type: str
    username:
      description: User name of the credential. V(null) if it is secret and contains characters that Jenkins does not
        return.
      returned: when the type is V(username_password) or V(ssh_key)
      type: str
    username_secret:
      description: Whether the user name is treated as a secret.
      returned: when the type is V(username_password) or V(ssh_key)
      type: bool
    file_name:
      description: Name of the file.
      returned: when the type is V(secret_file)
      type: str
    certificate_format:
      description: Format of the certificate, V(pkcs12) or V(pem). V(null) for other formats.
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
      description: Host names as dictionary with C(includes) and C(excludes). V(null) if they are not limited, or if the
        account has no Credentials/ManageDomains permission.
      type: dict
    hostname_port:
      description: Host names with ports as dictionary with C(includes) and C(excludes). V(null) as for
        RV(domains[].hostname).
      type: dict
    path:
      description: Paths as dictionary with C(includes), C(excludes) and C(case_sensitive). V(null) as for
        RV(domains[].hostname).
      type: dict
    schemes:
      description: Schemes. V(null) as for RV(domains[].hostname).
      type: list
      elements: str
    credentials:
      description: IDs of the credentials in the domain, sorted.
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
