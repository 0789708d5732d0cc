#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_configuration
short_description: Manage the Artifactory system configuration
description:
  - Change settings in the central configuration descriptor of Artifactory, such as the base URL, mail server, backups,
    proxies, property sets, repository layouts and security settings.
  - O(configuration) has the form of Artifactory's YAML configuration. The module compares the members in it with those
    on the server, and changes only those that differ. All other members remain unchanged.
  - After a change, the module reads the configuration again. The task fails if the server did not store the values as
    requested.
  - A task without changes sends one request. All changes are sent in one C(PATCH) request. If the server does not
    shorten a list as requested, the module sends two more.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_configuration
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.update_secret
  - buildworks.toolchain.visibility
  - buildworks.toolchain.attributes
notes:
  - Requires administrator permissions and Artifactory 5.8 or later. The open-source edition is sufficient.
  - To use an Artifactory YAML configuration file, set O(configuration) to
    C({{ lookup('ansible.builtin.file', 'artifactory.yml') | from_yaml }}).
  - If two administrators change the configuration at the same time, both changes are kept, because the module sends
    only the members that differ. Of changes of the same member, the last one remains.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  configuration:
    description:
      - Desired part of the central configuration, in the form of Artifactory's YAML configuration. The keys are the
        names of sections and top-level settings, the values their content.
        M(buildworks.toolchain.artifact_configuration_info) returns the configuration of a server in the same form.
      - Top-level settings are C(urlBase), C(serverName), C(footer), C(logo), C(dateFormat), C(offlineMode),
        C(helpLinksEnabled) and C(fileUploadMaxSizeMb).
      - Sections with settings include C(mailServer), C(security), C(indexer), C(gcConfig), C(cleanupConfig),
        C(virtualCacheCleanupConfig), C(quotaConfig), C(systemMessageConfig), C(folderDownloadConfig) and
        C(trashcanConfig). Their values are dictionaries of settings.
      - Sections with named objects are C(backups), C(proxies), C(reverseProxies), C(propertySets), C(repoLayouts),
        C(security.ldapSettings), C(security.ldapGroupSettings) and C(security.oauthSettings.oauthProvidersSettings).
        Their keys are the names of the objects, their values dictionaries of settings.
      - To delete a named object, set its value to V(null). The module refuses to delete single objects in
        C(ldapSettings) and C(ldapGroupSettings), because Artifactory would ignore the request.
      - An empty string or list replaces the existing value. An empty dictionary changes nothing.
      - Members such as C(password), C(managerPassword) and C(secret) are secrets. They are never compared or returned.
        O(update_secret) defines when they are sent.
      - Lists of repositories are compared without order and duplicates. The members C(redirectedToHosts) and
        C(services) of proxies can be lists or comma-separated strings.
      - Sections with repositories or replications are refused, because a mistake could delete repositories with their
        artifacts. Use M(buildworks.toolchain.artifact_repository) and M(buildworks.toolchain.artifact_replication).
      - If neither the module nor the server knows a section, the task fails before the first change. It also fails if
        the name of a member seems to be misspelled.
      - In check mode, the task fails if a changed C(excludedRepositories) or C(includedRepositories) contains a
        repository that does not exist, unless O(predict_missing=true).
    type: dict
    required: true
  allow_delete_section:
    description:
      - Whether a V(null) in O(configuration) may delete a section, a top-level setting, a group of settings, or all
        named objects of a section.
      - If V(false), the task fails instead. This protects against a V(null) that comes from an empty variable.
      - The task also fails if Artifactory recreates a deleted section with default values.
    type: bool
    default: false
  allow_lockout:
    description:
      - Whether to allow a change of C(security) after which the account of this task may not be able to log in.
      - If V(false), the task fails before a change that disables or deletes the identity provider with which its
        account logs in, one of its settings or its group settings. It also fails if the realm of the account is
        unknown.
      - If the task logs in with O(password), it also fails before a change of C(basicAuthEnabled) to V(false), of
        C(encryptionPolicy) to V(required), and before a new limit for the age of passwords.
    type: bool
    default: false
seealso:
  - module: buildworks.toolchain.artifact_configuration_info
  - module: buildworks.toolchain.artifact_backup
  - module: buildworks.toolchain.artifact_layout
  - module: buildworks.toolchain.artifact_mail
  - module: buildworks.toolchain.artifact_property_set
  - module: buildworks.toolchain.artifact_proxy
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
    - Values of the members in O(configuration) after the task or, in check mode, as predicted. The structure is that
      of O(configuration).
    - Deleted objects and secrets are omitted.
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
        allow_lockout=dict(type="bool", default=False),
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
