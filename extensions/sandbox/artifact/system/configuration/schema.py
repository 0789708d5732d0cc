# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The schema of the central configuration: sections in their order, members with types and defaults.

A default of type bool, int or str stands for the type as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...protocol import feature_versions
from ...protocol.versions import is_at_least


@dataclass(frozen=True)
class Text:
    """A string without default. It is absent until it is set."""

    is_required: bool = False
    is_secret: bool = False


@dataclass(frozen=True)
class Number:
    """An integer without default."""

    is_required: bool = False


@dataclass(frozen=True)
class TextList:
    """A list of strings; `element` is the name of the XML element of each."""

    element: str


@dataclass(frozen=True)
class Keyed:
    """Objects with a key: elements in a list in XML, a mapping in YAML.

    :ivar element: name of the XML element of an object
    :ivar key: name of the member with the key
    :ivar is_id: whether the key is unique among all keys of the configuration
    :ivar ignores_deletion: whether the server ignores the deletion of a single object over YAML
    """

    element: str
    key: str
    members: Mapping[str, Any]
    is_id: bool = False
    ignores_deletion: bool = False


REQUIRED = Text(is_required=True)
OPTIONAL = Text()
SECRET = Text(is_secret=True)
REPOSITORIES = TextList("repositoryRef")
CRON = {"cronExp": REQUIRED}

MAIL_SERVER = {
    "enabled": True,
    "host": OPTIONAL,
    "port": 25,
    "username": OPTIONAL,
    "password": SECRET,
    "from": OPTIONAL,
    "subjectPrefix": "[Artifactory]",
    "tls": False,
    "ssl": False,
    "artifactoryUrl": OPTIONAL,
}
LDAP_SETTING = {
    "enabled": True,
    "ldapUrl": REQUIRED,
    "userDnPattern": OPTIONAL,
    "search": {
        "searchFilter": REQUIRED,
        "searchBase": OPTIONAL,
        "searchSubTree": True,
        "managerDn": OPTIONAL,
        "managerPassword": SECRET,
    },
    "autoCreateUser": True,
    "emailAttribute": "mail",
    "ldapPoisoningProtection": True,
    "allowUserToAccessProfile": False,
    "pagingSupportEnabled": True,
}
LDAP_GROUP_SETTING = {
    "groupBaseDn": OPTIONAL,
    "groupNameAttribute": REQUIRED,
    "groupMemberAttribute": REQUIRED,
    "subTree": True,
    "filter": REQUIRED,
    "descriptionAttribute": REQUIRED,
    "strategy": "STATIC",
    "enabledLdap": OPTIONAL,
    "forceAttributeSearch": False,
}
OAUTH_PROVIDER = {
    "enabled": False,
    "providerType": REQUIRED,
    "id": OPTIONAL,
    "secret": SECRET,
    "apiUrl": OPTIONAL,
    "authUrl": OPTIONAL,
    "tokenUrl": OPTIONAL,
    "basicUrl": OPTIONAL,
    "domain": OPTIONAL,
}
SECURITY = {
    "anonAccessEnabled": False,
    "hideUnauthorizedResources": False,
    "passwordSettings": {
        "encryptionPolicy": "supported",
        "expirationPolicy": {"enabled": False, "passwordMaxAge": 60, "notifyByEmail": True},
        "resetPolicy": {"enabled": True, "maxAttemptsPerAddress": 3, "timeToBlockInMinutes": 60},
    },
    "ldapSettings": Keyed("ldapSetting", "key", LDAP_SETTING, is_id=True, ignores_deletion=True),
    "ldapGroupSettings": Keyed("ldapGroupSetting", "name", LDAP_GROUP_SETTING, ignores_deletion=True),
    "oauthSettings": {
        "enableIntegration": False,
        "persistUsers": False,
        "allowUserToAccessProfile": False,
        "oauthProvidersSettings": Keyed("oauthProvidersSettings", "name", OAUTH_PROVIDER),
    },
    "userLockPolicy": {"enabled": False, "loginAttempts": 5},
    "buildGlobalBasicReadAllowed": False,
    "buildGlobalBasicReadForAnonymous": False,
}
BACKUP = {
    "enabled": True,
    **CRON,
    "retentionPeriodHours": 168,
    "createArchive": False,
    "excludedRepositories": REPOSITORIES,
    "sendMailOnError": True,
    "excludeNewRepositories": False,
    "precalculate": False,
    "exportMissionControl": False,
}
PROXY = {
    "host": REQUIRED,
    "port": Number(is_required=True),
    "username": OPTIONAL,
    "password": SECRET,
    "ntHost": OPTIONAL,
    "domain": OPTIONAL,
    "platformDefault": False,
    "redirectedToHosts": OPTIONAL,
    "services": OPTIONAL,
}
REVERSE_PROXY = {
    "webServerType": REQUIRED,
    "artifactoryAppContext": OPTIONAL,
    "publicAppContext": OPTIONAL,
    "serverName": OPTIONAL,
    "serverNameExpression": OPTIONAL,
    "artifactoryServerName": OPTIONAL,
    "artifactoryPort": Number(),
    "sslCertificate": OPTIONAL,
    "sslKey": OPTIONAL,
    "dockerReverseProxyMethod": OPTIONAL,
    "useHttps": False,
    "useHttp": True,
    "httpsPort": 443,
    "httpPort": 80,
}
PROPERTY = {
    "closedPredefinedValues": False,
    "multipleChoice": False,
    "predefinedValues": Keyed("predefinedValue", "value", {"defaultValue": False}),
}
PROPERTY_SET = {"visible": True, "properties": Keyed("property", "name", PROPERTY)}
LAYOUT = {
    "artifactPathPattern": REQUIRED,
    "distinctiveDescriptorPathPattern": False,
    "descriptorPathPattern": OPTIONAL,
    "folderIntegrationRevisionRegExp": REQUIRED,
    "fileIntegrationRevisionRegExp": REQUIRED,
}
# Elements whose content belongs to repositories.
REPOSITORY_SECTIONS = ("localRepositories", "remoteRepositories", "virtualRepositories", "federatedRepositories")

SECTIONS: dict[str, Any] = {
    "serverName": OPTIONAL,
    "offlineMode": False,
    "helpLinksEnabled": True,
    "fileUploadMaxSizeMb": 100,
    "revision": None,
    "dateFormat": "dd-MM-yy HH:mm:ss z",
    "addons": {"showAddonsInfo": True, "showAddonsInfoCookie": OPTIONAL},
    "mailServer": MAIL_SERVER,
    "bintrayConfig": {"userName": OPTIONAL, "apiKey": SECRET, "fileUploadLimit": 200},
    "security": SECURITY,
    "backups": Keyed("backup", "key", BACKUP, is_id=True),
    "indexer": {"enabled": False, **CRON, "includedRepositories": REPOSITORIES},
    **dict.fromkeys(REPOSITORY_SECTIONS),
    "distributionRepositories": None,
    "proxies": Keyed("proxy", "key", PROXY, is_id=True),
    "reverseProxies": Keyed("reverseProxy", "key", REVERSE_PROXY),
    "propertySets": Keyed("propertySet", "name", PROPERTY_SET, is_id=True),
    "urlBase": OPTIONAL,
    "logo": OPTIONAL,
    "footer": OPTIONAL,
    "repoLayouts": Keyed("repoLayout", "name", LAYOUT, is_id=True),
    "remoteReplications": None,
    "localReplications": None,
    "gcConfig": CRON,
    "cleanupConfig": CRON,
    "virtualCacheCleanupConfig": CRON,
    "quotaConfig": {"enabled": False, "diskSpaceLimitPercentage": 95, "diskSpaceWarningPercentage": 85},
    "systemMessageConfig": {
        "enabled": False,
        "title": OPTIONAL,
        "titleColor": "#429F46",
        "message": OPTIONAL,
        "showOnAllPages": False,
    },
    "folderDownloadConfig": {
        "enabled": False,
        "enabledForAnonymous": False,
        "maxDownloadSizeMb": 1024,
        "maxFiles": 5000,
        "maxConcurrentRequests": 10,
    },
    "trashcanConfig": {"enabled": True, "allowPermDeletes": False, "retentionPeriodDays": 14},
    "replicationsConfig": {"blockPushReplications": False, "blockPullReplications": False},
    "bintrayApplications": None,
    "sumoLogicConfig": {"enabled": False},
    "releaseBundlesConfig": {"incompleteCleanupPeriodHours": 720},
    "signedUrlConfig": {"maxValidForSeconds": 31536000},
    "downloadRedirectConfig": {"fileMinimumSize": 1},
}
# Versions that introduced or removed a section.
INTRODUCED = {
    "revision": feature_versions.CONFIGURATION_REVISION,
    "federatedRepositories": feature_versions.CONFIGURATION_SCHEMA_3,
    **dict.fromkeys(
        ("distributionRepositories", "replicationsConfig", "bintrayApplications", "sumoLogicConfig"),
        feature_versions.CONFIGURATION_SCHEMA_2,
    ),
    **dict.fromkeys(
        ("releaseBundlesConfig", "signedUrlConfig", "downloadRedirectConfig"),
        feature_versions.CONFIGURATION_SCHEMA_3,
    ),
}
REMOVED = {
    **dict.fromkeys(
        ("bintrayConfig", "distributionRepositories", "bintrayApplications"), feature_versions.CONFIGURATION_SCHEMA_3
    ),
    **dict.fromkeys(REPOSITORY_SECTIONS, feature_versions.REPOSITORIES_OUTSIDE_CONFIGURATION),
}


# The versions that introduced members. Responses of earlier ones omit them.
MEMBER_VERSIONS = {
    "security.passwordSettings.resetPolicy": "5.0",
    "security.buildGlobalBasicReadAllowed": feature_versions.BUILD_PERMISSIONS,
    "security.buildGlobalBasicReadForAnonymous": feature_versions.BUILD_PERMISSIONS,
    "backups.precalculate": "5.0",
    "backups.exportMissionControl": "6.0",
    "folderDownloadConfig.enabledForAnonymous": "6.0",
}


def select_members(version: str, path: str, kind: Any) -> Any:
    """Return the type of a section or member without the members that a version lacks."""
    if isinstance(kind, Keyed):
        return replace(kind, members=select_members(version, path, kind.members))
    if not isinstance(kind, Mapping):
        return kind
    return {
        name: select_members(version, f"{path}.{name}", member)
        for name, member in kind.items()
        if is_at_least(version, MEMBER_VERSIONS.get(f"{path}.{name}", "0"))
    }


def list_sections(version: str) -> list[str]:
    """Return the sections that a version has, in their order."""
    return [
        name
        for name in SECTIONS
        if is_at_least(version, INTRODUCED.get(name, "0")) and not is_at_least(version, REMOVED.get(name, "9999"))
    ]
