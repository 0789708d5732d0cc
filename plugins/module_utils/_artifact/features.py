# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The table of the features that only some editions or versions of Artifactory have.

Sources: `measured` means with Artifactory OSS 4.4.2 and 5.4.6; `code` means in the code of Artifactory OSS 6.20.0;
`reference` means in JFrog's reference of its REST APIs; `release notes` means in those of Artifactory; `provider` means
in JFrog's Terraform providers.
"""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.editions import Edition, Feature, Option

# Items
ARCHIVES = Feature("Extracting archives", "measured: 400 with the open-source edition", Edition.PRO)
PROPERTIES = Feature(
    "Setting the properties of an existing item", "measured: 400 with the open-source edition", Edition.PRO
)
TRASH = Feature("The trash can", "reference: since 4.4.3; measured: the open-source edition has it", since="4.4.3")
PAGES = Feature(
    "Listing artifacts page by page", "measured: the open-source edition refuses sorted queries", Edition.PRO
)
STORAGE_CALCULATION = Feature(
    "Recalculating the storage summary",
    "measured: 404 with the open-source edition",
    Edition.PRO,
    alternative="Omit 'refresh'. In the role artifact_housekeeping, set 'artifact_housekeeping_measure: false'.",
)

# Builds
BUILD_REPLACEMENT = Feature(
    "Replacing the record of a build run",
    "measured: 500; code: 409",
    since="7.0",
    alternative="Publish the run with another number, or delete the existing run first.",
)
BUILD_DELETION = Feature("Deleting builds", "code: 400 with the open-source edition", Edition.PRO)
BUILD_DELETION_BY_BODY = Feature(
    "Deleting builds with '/' in the name or ',' in the number",
    "measured: 405 with 5.4.6; code: 6.20.0 has it",
    Edition.PRO,
    since="6.0",
)
BUILD_PROMOTION = Feature("Promoting builds", "measured: 400 with the open-source edition", Edition.PRO)
BUILD_RETENTION = Feature(
    "Build retention",
    "measured: 405 with 4.4.2, 204 without an effect with the open-source edition of 5.4.6",
    Edition.PRO,
    since="5.0",
)

# Images
IMAGES = Feature(
    "The API for Docker repositories",
    "measured: 404 with the open-source edition of 4.4.2, 401 with that of 5.4.6",
    Edition.PRO,
    refused_with=(401,),
)

# Repositories
REPOSITORIES = Feature("Managing repositories", "measured: 400 with the open-source edition", Edition.PRO)
REPOSITORY_DELETION = Feature("Deleting repositories", "measured: 400 with the open-source edition", Edition.PRO)
FEDERATED_REPOSITORIES = Feature(
    "Managing federated repositories",
    "reference; provider",
    Edition.ENTERPRISE,
    since="7.18.3",
    alternative="Use a local repository with a replication instead.",
)
SEVERAL_TARGETS = Feature(
    "Replication to several targets",
    "reference",
    Edition.ENTERPRISE,
    alternative="Set one target. With 'purge: true', it replaces another one.",
)
BATCH_CREATION = Feature("Creating repositories in batches", "reference", Edition.PRO, since="7.84.3")
BATCH_UPDATE = Feature("Changing repositories in batches", "reference", Edition.PRO, since="7.104.2")

# Access
USERS = Feature(
    "Managing users and groups",
    "reference; provider: another API before",
    Edition.PRO,
    since="7.49.3",
)
PERMISSIONS = Feature("Managing permissions", "reference", Edition.PRO, since="7.72.0")
PERMISSION_TARGETS_2 = Feature("Version 2 of permission targets", "reference", Edition.PRO, since="6.6.0")
GROUP_MEMBERS = Feature("Returning the members of groups", "reference", Edition.PRO, since="6.13")
ROLES = Feature("Roles of users and groups", "release notes", Edition.PRO, since="7.128.0")
AUDITORS = Feature("Platform auditors", "release notes", Edition.PRO, since="7.141.0")
PROJECTS = Feature("Managing projects", "reference", Edition.PRO, since="7.17.4")
ENVIRONMENTS = Feature("Managing environments", "reference", Edition.PRO, since="7.53.1")
SHARING = Feature("Sharing repositories between projects", "reference", Edition.PRO, since="7.90.1")
REMOTE_REPOSITORY_PRIVILEGE = Feature(
    "The privilege for remote repositories of projects", "provider", Edition.PRO, since="7.134.0"
)
READ_ONLY_SHARING = Feature("Sharing repositories without write access", "reference", Edition.PRO, since="7.94.0")
TOKENS = Feature(
    "The API for access tokens", "measured: 404; the open-source edition of 7 has no such API", Edition.PRO
)
TOKEN_DESCRIPTIONS = Feature(
    "Managing access tokens",
    "reference: since 7.21.1; measured: tokens of 5.4.6 have no description",
    since="7.21.1",
    alternative="Tokens of earlier versions have no description by which a task could find its token again. Create "
    "them with a POST request to /artifactory/api/security/token.",
)
SAML = Feature(
    "Managing SAML settings",
    "reference",
    Edition.PRO,
    since="7.83.1",
    alternative="Without it, users log in with a password, or through LDAP.",
)
SAML_LDAP_GROUPS = Feature("LDAP groups of SAML users", "reference", Edition.PRO, since="7.98.0")
OIDC = Feature(
    "Managing OIDC providers",
    "reference",
    Edition.ENTERPRISE,
    since="7.73.1",
    alternative="Let pipelines use access tokens of the module access_token instead.",
)
LDAP = Feature(
    "Managing LDAP settings in the Access API",
    "reference",
    Edition.PRO,
    since="7.57.1",
    alternative="Use artifact_configuration with 'security.ldapSettings' and 'security.ldapGroupSettings' instead.",
)

# Administration
CONFIGURATION = Feature(
    "Changing the configuration with a YAML document",
    "reference: since 5.8.0; measured: 405 with 5.4.6",
    since="5.8.0",
    alternative="Change it in the administration pages.",
)
CERTIFICATES = Feature(
    "Managing client certificates",
    "reference: since 5.4.0; measured: 400 with the open-source edition of 5.4.6, whose list is empty",
    Edition.PRO,
    since="5.4.0",
)
KEYPAIRS = Feature(
    "Managing key pairs",
    "reference",
    Edition.PRO,
    since="7.6.0",
    alternative="Sign the metadata of repositories outside of Artifactory.",
)
KEYPAIR_LIST = Feature("Listing key pairs", "reference", Edition.PRO, since="7.19")
TRUSTED_KEYS = Feature(
    "Managing trusted keys",
    "reference",
    Edition.ENTERPRISE,
    alternative="Other editions do not receive release bundles, which these keys verify.",
)
LICENSE_LIST = Feature("Listing licenses", "measured: 404 with 4.4.2, 200 with 5.4.6", since="5.0")
LICENSES = Feature(
    "Installing licenses", "reference", Edition.PRO, alternative="The open-source edition needs no license."
)
WEBHOOKS = Feature("Managing webhooks", "reference", Edition.PRO, since="7.0")
CLEANUP_POLICIES = Feature(
    "Managing clean-up policies",
    "reference",
    Edition.ENTERPRISE,
    since="7.98.2",
    alternative="Use artifact_cleanup instead, which requires only Artifactory Pro.",
)
RELEASE_BUNDLES = Feature(
    "Managing release bundles",
    "reference",
    Edition.ENTERPRISE,
    since="7.63.2",
    alternative="Use artifact_build_promotion for builds and artifact_image_promotion for images instead.",
)

# Options
_OF_PROJECTS = Option("reference", since=PROJECTS.since)
REPOSITORY_OPTIONS = {
    "disable_proxy": Option("provider", since="7.41.7"),
    "project": _OF_PROJECTS,
    "environments": _OF_PROJECTS,
}
CUSTOM_ENVIRONMENTS = Option("provider", since="7.53.1")
SEVERAL_ENVIRONMENTS = Option("provider", since="7.107.1")
REPLICATION_OPTIONS = {
    "include_path_prefix_pattern": Option("reference", since="7.24.4"),
    "exclude_path_prefix_pattern": Option("reference", since="7.24.4"),
    "check_binary_existence_in_filestore": Option("reference", Edition.ENTERPRISE),
}
BUILD_OPTIONS = {"project_key": _OF_PROJECTS}
REPOSITORY_FILTERS = {"project": _OF_PROJECTS}
# The longest names and versions before
LONGEST_RELEASE_BUNDLES = {"name": 128, "version": 32}
LONG_RELEASE_BUNDLES = Option("reference", since="7.113.0")
TOKEN_OPTIONS = {"include_reference_token": Option("reference", since="7.38.10")}
OIDC_MAPPING_OPTIONS = {
    "username_pattern": Option("reference", since="7.95.0"),
    "groups_pattern": Option("reference", since="7.95.0"),
}
WEBHOOK_OPTIONS = {"method": Option("reference", since="7.80.0", default="POST")}
