# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The known part of Artifactory's central configuration descriptor: sections, members and their types.

Servers of other versions have further sections and members. Their types are guessed.
"""

from __future__ import annotations

import enum
import typing as t


class Scalar(enum.Enum):
    """The type of a single value."""

    TEXT = "a string"
    FLAG = "true or false"
    NUMBER = "an integer"
    CHOICE = "one of the server's choices, which differ in case between XML and YAML"
    NAMES = "names separated by commas, in any order"
    SECRET = "a string that the server encrypts"
    UNKNOWN = "unknown"


class NameSet(t.NamedTuple):
    """A list of names in any order, each in an XML element."""

    element: str


class Collection(t.NamedTuple):
    """Named objects: a list of XML elements, a map in YAML.

    :ivar element: name of the XML element of each object
    :ivar key: name of the member with the object's name
    :ivar members: kinds of the other members
    :ivar deletes_objects: whether the server deletes a single object whose value is null
    """

    element: str
    key: str
    members: dict[str, t.Any]
    deletes_objects: bool = True


# A scalar type, a name set, a collection, or a dictionary with the kinds of its members
Kind = t.Union[Scalar, NameSet, Collection, dict[str, t.Any]]

_TEXT, _FLAG, _NUMBER, _SECRET = Scalar.TEXT, Scalar.FLAG, Scalar.NUMBER, Scalar.SECRET
_REPOSITORIES = NameSet("repositoryRef")
_CRON: dict[str, t.Any] = {"cronExp": _TEXT}

_MAIL_SERVER = {
    **dict.fromkeys(("host", "username", "from", "subjectPrefix", "artifactoryUrl"), _TEXT),
    **dict.fromkeys(("enabled", "ssl", "tls"), _FLAG),
    "port": _NUMBER,
    "password": _SECRET,
}
_BACKUP = {
    **_CRON,
    **dict.fromkeys(("enabled", "createArchive", "excludeNewRepositories", "sendMailOnError"), _FLAG),
    **dict.fromkeys(("excludeBuilds", "precalculate", "exportMissionControl"), _FLAG),
    "retentionPeriodHours": _NUMBER,
    "excludedRepositories": _REPOSITORIES,
    "dir": _TEXT,
}
_PROXY = {
    **dict.fromkeys(("host", "username", "ntHost", "domain"), _TEXT),
    **dict.fromkeys(("platformDefault", "defaultProxy"), _FLAG),
    **dict.fromkeys(("redirectedToHosts", "services"), Scalar.NAMES),
    "port": _NUMBER,
    "password": _SECRET,
}
_REVERSE_PROXY = {
    **dict.fromkeys(("artifactoryAppContext", "publicAppContext", "serverName", "serverNameExpression"), _TEXT),
    **dict.fromkeys(("artifactoryServerName", "sslCertificate", "sslKey"), _TEXT),
    **dict.fromkeys(("webServerType", "dockerReverseProxyMethod"), Scalar.CHOICE),
    **dict.fromkeys(("useHttp", "useHttps"), _FLAG),
    **dict.fromkeys(("artifactoryPort", "httpPort", "httpsPort"), _NUMBER),
}
_PROPERTY = {
    "closedPredefinedValues": _FLAG,
    "multipleChoice": _FLAG,
    "predefinedValues": Collection("predefinedValue", "value", {"defaultValue": _FLAG}),
}
_LAYOUT = {
    **dict.fromkeys(("artifactPathPattern", "descriptorPathPattern"), _TEXT),
    **dict.fromkeys(("folderIntegrationRevisionRegExp", "fileIntegrationRevisionRegExp"), _TEXT),
    "distinctiveDescriptorPathPattern": _FLAG,
}
_LDAP_SETTING = {
    **dict.fromkeys(("ldapUrl", "userDnPattern", "emailAttribute"), _TEXT),
    **dict.fromkeys(("enabled", "autoCreateUser", "ldapPoisoningProtection"), _FLAG),
    **dict.fromkeys(("allowUserToAccessProfile", "pagingSupportEnabled"), _FLAG),
    "search": {
        **dict.fromkeys(("searchFilter", "searchBase", "managerDn"), _TEXT),
        "searchSubTree": _FLAG,
        "managerPassword": _SECRET,
    },
}
_LDAP_GROUP_SETTING = {
    **dict.fromkeys(("enabledLdap", "groupBaseDn", "groupNameAttribute", "groupMemberAttribute", "filter"), _TEXT),
    **dict.fromkeys(("subTree", "forceAttributeSearch"), _FLAG),
    "descriptionAttribute": _TEXT,
    "strategy": Scalar.CHOICE,
}
_OAUTH_PROVIDER = {
    **dict.fromkeys(("providerType", "id", "apiUrl", "authUrl", "tokenUrl", "basicUrl", "domain"), _TEXT),
    "enabled": _FLAG,
    "secret": _SECRET,
}
_SECURITY = {
    **dict.fromkeys(("anonAccessEnabled", "hideUnauthorizedResources", "basicAuthEnabled"), _FLAG),
    **dict.fromkeys(("buildGlobalBasicReadAllowed", "buildGlobalBasicReadForAnonymous"), _FLAG),
    "passwordSettings": {
        "encryptionPolicy": Scalar.CHOICE,
        "expirationPolicy": {"enabled": _FLAG, "passwordMaxAge": _NUMBER, "notifyByEmail": _FLAG},
        "resetPolicy": {"enabled": _FLAG, "maxAttemptsPerAddress": _NUMBER, "timeToBlockInMinutes": _NUMBER},
    },
    "userLockPolicy": {"enabled": _FLAG, "loginAttempts": _NUMBER},
    "ldapSettings": Collection("ldapSetting", "key", _LDAP_SETTING, deletes_objects=False),
    "ldapGroupSettings": Collection("ldapGroupSetting", "name", _LDAP_GROUP_SETTING, deletes_objects=False),
    "oauthSettings": {
        **dict.fromkeys(("enableIntegration", "persistUsers", "allowUserToAccessProfile"), _FLAG),
        "oauthProvidersSettings": Collection("oauthProvidersSettings", "name", _OAUTH_PROVIDER),
    },
}

SECTIONS: dict[str, t.Any] = {
    **dict.fromkeys(("dateFormat", "footer", "logo", "serverName", "urlBase"), _TEXT),
    **dict.fromkeys(("helpLinksEnabled", "offlineMode"), _FLAG),
    "fileUploadMaxSizeMb": _NUMBER,
    "addons": {"showAddonsInfo": _FLAG, "showAddonsInfoCookie": _TEXT},
    "mailServer": _MAIL_SERVER,
    "security": _SECURITY,
    "backups": Collection("backup", "key", _BACKUP),
    "indexer": {"enabled": _FLAG, **_CRON, **dict.fromkeys(("includedRepositories",), _REPOSITORIES)},
    "proxies": Collection("proxy", "key", _PROXY),
    "reverseProxies": Collection("reverseProxy", "key", _REVERSE_PROXY),
    "propertySets": Collection(
        "propertySet", "name", {"visible": _FLAG, "properties": Collection("property", "name", _PROPERTY)}
    ),
    "repoLayouts": Collection("repoLayout", "name", _LAYOUT),
    **dict.fromkeys(("gcConfig", "cleanupConfig", "virtualCacheCleanupConfig"), _CRON),
    "quotaConfig": {"enabled": _FLAG, "diskSpaceLimitPercentage": _NUMBER, "diskSpaceWarningPercentage": _NUMBER},
    "systemMessageConfig": {
        **dict.fromkeys(("enabled", "showOnAllPages"), _FLAG),
        **dict.fromkeys(("title", "titleColor", "message"), _TEXT),
    },
    "folderDownloadConfig": {
        **dict.fromkeys(("enabled", "enabledForAnonymous"), _FLAG),
        **dict.fromkeys(("maxDownloadSizeMb", "maxFiles", "maxConcurrentRequests"), _NUMBER),
    },
    "trashcanConfig": {"enabled": _FLAG, "allowPermDeletes": _FLAG, "retentionPeriodDays": _NUMBER},
    "replicationsConfig": {"blockPushReplications": _FLAG, "blockPullReplications": _FLAG},
    "releaseBundlesConfig": {"incompleteCleanupPeriodHours": _NUMBER},
    "signedUrlConfig": {"maxValidForSeconds": _NUMBER},
    "downloadRedirectConfig": {"fileMinimumSize": _NUMBER},
    "sumoLogicConfig": {"enabled": _FLAG},
}
# Sections that other modules manage. Changing them here could delete repositories with their artifacts
REFUSED_SECTIONS = {
    **dict.fromkeys(
        (
            *("localRepositories", "remoteRepositories", "virtualRepositories", "federatedRepositories"),
            *("distributionRepositories", "releaseBundlesRepositories"),
        ),
        "repositories are managed with artifact_repository",
    ),
    **dict.fromkeys(("localReplications", "remoteReplications"), "replications are managed with artifact_replication"),
    "revision": "the server manages it",
}


def inner_kind(kind: Kind | None, name: str) -> t.Any:
    """Return the kind of a member, or of an object in a collection. It is unknown inside of an unknown kind."""
    if isinstance(kind, Collection):
        return kind.members
    return kind.get(name, Scalar.UNKNOWN) if isinstance(kind, dict) else Scalar.UNKNOWN
