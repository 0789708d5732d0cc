#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_configuration
short_description: Manage the Artifactory system configuration
description:
  - Change settings in the central configuration descriptor of Artifactory, such as the base URL, the mail server,
    backups, proxies, property sets, repository layouts, the trash can, LDAP and security settings.
  - O(configuration) has the form of Artifactory's YAML configuration. The module compares the members that it contains
    with the server and changes only those that differ. All other members remain unchanged.
  - All changes of a task are sent in one C(PATCH) request. After that, the module reads the configuration again. The
    task fails if the server did not store the values as requested.
  - A task without changes sends one request.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.update_secret
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires administrator permissions and Artifactory 5 or later. Works with the open-source edition.
  - To use a YAML file of Artifactory, set O(configuration) to
    C({{ lookup('ansible.builtin.file', 'artifactory.yml') | from_yaml }}).
  - Verified on the sandbox. Not verified on a real Artifactory.
options:
  configuration:
    description:
      - Part of the central configuration that the server should have, in the form of Artifactory's YAML configuration.
        Sections with several objects, such as C(backups), are dictionaries with a key for each object.
      - "Sections with named objects: C(backups), C(proxies), C(reverseProxies), C(propertySets), C(repoLayouts),
        C(security.ldapSettings), C(security.ldapGroupSettings) and C(security.oauthSettings.oauthProvidersSettings)."
      - "Sections with settings: C(mailServer), C(security), C(indexer), C(gcConfig), C(cleanupConfig),
        C(virtualCacheCleanupConfig), C(quotaConfig), C(systemMessageConfig), C(folderDownloadConfig),
        C(trashcanConfig) and more. Values at the top level: C(urlBase), C(serverName), C(footer), C(logo),
        C(dateFormat), C(offlineMode), C(helpLinksEnabled) and C(fileUploadMaxSizeMb)."
      - M(buildworks.toolchain.artifact_configuration_info) returns the sections of a server in the same form.
      - If the value of a named object is V(null), the object is deleted. Artifactory ignores this for single objects in
        C(ldapSettings) and C(ldapGroupSettings), so the module refuses to delete them.
      - An empty dictionary changes nothing. An empty string or list is set as the value.
      - Order and duplicates in lists of repositories are ignored. C(redirectedToHosts) and C(services) of proxies can
        be lists or strings with commas.
      - Members such as C(password), C(managerPassword) and C(secret) are secrets. O(update_secret) defines when they
        are sent. They are never compared or returned.
      - Sections with repositories and replications are refused, because a mistake would delete repositories with their
        artifacts. Use M(buildworks.toolchain.artifact_repository) and M(buildworks.toolchain.artifact_replication).
      - The task fails before the first change if a section is unknown to the module and to the server, or if a member
        looks like a misspelled one.
      - In check mode, repositories in C(excludedRepositories) and C(includedRepositories) must exist.
    type: dict
    required: true
  allow_delete_section:
    description:
      - Whether V(null) may delete a whole section or all named objects of a section.
      - If V(false), the task fails instead, because such a V(null) may come from an empty variable by mistake.
      - Sections that Artifactory creates again with default values cannot be deleted. The task fails in this case.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.artifact_configuration_info
  - name: Artifactory YAML configuration
    description: Reference of the sections and their members.
    link: https://jfrog.com/help/r/jfrog-installation-setup-documentation/artifactory-yaml-configuration
"""

EXAMPLES = r"""
- name: Configure Artifactory
  buildworks.toolchain.artifact_configuration:
    configuration:
      urlBase: https://repo.example.com
      mailServer:
        enabled: true
        host: mail.example.com
        port: 25
      backups:
        weekly:
          cronExp: "0 0 2 ? * SUN"
          retentionPeriodHours: 336
          excludedRepositories: [docker-local]
      propertySets:
        release:
          properties:
            status:
              closedPredefinedValues: true
              predefinedValues:
                passed: {defaultValue: false}
                failed: {defaultValue: false}
      proxies:
        corporate:
          host: proxy.example.com
          port: 3128
          username: artifactory
          password: "{{ lookup('ansible.builtin.env', 'PROXY_PASSWORD') }}"
      trashcanConfig:
        enabled: true
        retentionPeriodDays: 30

- name: Send a new password of the proxy
  buildworks.toolchain.artifact_configuration:
    configuration:
      proxies:
        corporate:
          password: "{{ lookup('ansible.builtin.env', 'PROXY_PASSWORD') }}"
    update_secret: always

- name: Delete a backup and a property set
  buildworks.toolchain.artifact_configuration:
    configuration:
      backups:
        backup-weekly: null
      propertySets:
        release: null

- name: Remove all reverse proxies
  buildworks.toolchain.artifact_configuration:
    configuration:
      reverseProxies: null
    allow_delete_section: true
"""

RETURN = r"""
configuration:
  description:
    - Members of O(configuration) with their values after the task or, in check mode, the predicted values. Deleted
      objects are missing.
    - Secrets are not returned.
  returned: success
  type: dict
  sample:
    urlBase: https://repo.example.com
    backups:
      weekly:
        cronExp: 0 0 2 ? * SUN
        excludedRepositories:
          - docker-local
        retentionPeriodHours: 336
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration.configuration import (
    Configuration,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration.document import Document
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    UPDATE_SECRET,
    VISIBILITY,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._write_only_secrets import WriteOnlySecrets

SPEC = (ARTIFACT + PREDICT_MISSING + UPDATE_SECRET + VISIBILITY) + ArgumentSpec(
    dict(
        configuration=dict(type="dict", required=True, not_empty=True, text_values=True, secret_members=True),
        allow_delete_section=dict(type="bool", default=False, narrows_scope=True),
    )
)


def run(task: Task) -> None:
    document = Document(task.params["configuration"], task.params["allow_delete_section"])
    configuration = Configuration(task, ArtifactService(task), document)
    reconcile(
        task,
        "configuration",
        read=configuration.read,
        desired=document.desired,
        update=configuration.update,
        check=configuration.check_change,
        predict_refusal=configuration.predict_refusal,
        secrets=WriteOnlySecrets(document.secret_names, task.params["update_secret"]),
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
