# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Package types: their classes and layouts, and the members of their configurations with the server's defaults.

The default of a member is the value that the server uses if a configuration does not have the member.
"""

from __future__ import annotations

import functools
import typing as t

CLASSES = ("local", "remote", "virtual", "federated")
# Classes that store artifacts, besides the caches of remote repositories
STORED_CLASSES = ("local", "federated")
JAVA_TYPES = ("maven", "gradle", "ivy", "sbt")
IMAGE_TYPES = ("docker", "oci", "helmoci")

_SIMPLE = "simple-default"
_LAYOUTS = {
    "ansible": "ansible-default",
    "bower": "bower-default",
    "composer": "composer-default",
    "conan": "conan-default",
    "go": "go-default",
    "gradle": "maven-2-default",
    "ivy": "ivy-default",
    "maven": "maven-2-default",
    "nix": "nix-default",
    "npm": "npm-default",
    "nuget": "nuget-default",
    "puppet": "puppet-default",
    "releasebundles": "maven-2-default",
    "sbt": "sbt-default",
    "swift": "swift-default",
}
_TERRAFORM_LAYOUTS = {"module": "terraform-module-default", "provider": "terraform-provider-default"}
_ALL_CLASSES = (
    *("alpine", "ansible", "bower", "chef", "cocoapods", "composer", "conan", "conda", "cran", "debian", "docker"),
    *("gems", "generic", "gitlfs", "go", "gradle", "helm", "helmoci", "ivy", "maven", "npm", "nuget", "oci", "opkg"),
    *("pub", "puppet", "pypi", "rpm", "sbt", "swift", "terraform"),
)
PACKAGE_TYPES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_ALL_CLASSES, CLASSES),
    "cargo": ("local", "remote", "federated"),
    "hex": ("local", "remote", "virtual"),
    "huggingfaceml": ("local", "remote", "federated"),
    "machinelearning": ("local",),
    "nix": ("local", "remote", "virtual"),
    "p2": ("remote", "virtual"),
    "releasebundles": ("local", "federated"),
    "terraformbackend": ("local",),
    "vagrant": ("local", "federated"),
    "vcs": ("remote",),
}

Members = t.Mapping[str, t.Any]

_COMMON: Members = {
    "description": "",
    "notes": "",
    "includesPattern": "**/*",
    "excludesPattern": "",
    "repoLayoutRef": "",
    "projectKey": "",
    "environments": [],
}
_STORED_AND_REMOTE: Members = {
    "blackedOut": False,
    "xrayIndex": False,
    "propertySets": [],
    "archiveBrowsingEnabled": False,
    "downloadRedirect": False,
    "cdnRedirect": False,
    "priorityResolution": False,
    "signedUrlTtl": 90,
    "xrayDataTtl": 90,
}
_REMOTE: Members = {
    **_STORED_AND_REMOTE,
    "url": "",
    "username": "",
    "password": "",
    "proxy": "",
    "disableProxy": False,
    "remoteRepoLayoutRef": "",
    "hardFail": False,
    "offline": False,
    "queryParams": "",
    "storeArtifactsLocally": True,
    "socketTimeoutMillis": 15000,
    "localAddress": "",
    "retrievalCachePeriodSecs": 7200,
    "missedRetrievalCachePeriodSecs": 1800,
    "metadataRetrievalTimeoutSecs": 60,
    "unusedArtifactsCleanupPeriodHours": 0,
    "assumedOfflinePeriodSecs": 300,
    "shareConfiguration": False,
    "synchronizeProperties": False,
    "blockMismatchingMimeTypes": False,
    "mismatchingMimeTypesOverrideList": "",
    "allowAnyHostAuth": False,
    "enableCookieManagement": False,
    "bypassHeadRequests": False,
    "clientTlsCertificate": "",
    "disableUrlNormalization": False,
    "listRemoteFolderItems": False,
    "contentSynchronisation": {},
    "curated": False,
    "passThrough": False,
}
_VIRTUAL: Members = {
    "repositories": [],
    "defaultDeploymentRepo": "",
    "artifactoryRequestsCanRetrieveRemoteArtifacts": False,
    "hideUnauthorizedResources": False,
}
_CLASS_MEMBERS: dict[str, Members] = {
    "local": _STORED_AND_REMOTE,
    "remote": _REMOTE,
    "virtual": _VIRTUAL,
    "federated": {**_STORED_AND_REMOTE, "members": [], "proxy": "", "disableProxy": False},
}

_SIGNING_KEYS: Members = {"primaryKeyPairRef": "", "secondaryKeyPairRef": ""}
_JAVA: Members = {
    "handleReleases": True,
    "handleSnapshots": True,
    "maxUniqueSnapshots": 0,
    "suppressPomConsistencyChecks": True,
}
_JAVA_STORED: Members = {
    **_JAVA,
    "checksumPolicyType": "client-checksums",
    "snapshotVersionBehavior": "unique",
}
_JAVA_REMOTE: Members = {
    **_JAVA,
    "fetchJarsEagerly": False,
    "fetchSourcesEagerly": False,
    "rejectInvalidJars": False,
    "remoteRepoChecksumPolicyType": "generate-if-absent",
}
_JAVA_VIRTUAL: Members = {
    "virtualRetrievalCachePeriodSecs": 600,
    "forceMavenAuthentication": False,
    "keyPair": "",
    "pomRepositoryReferencesCleanupPolicy": "discard_active_reference",
}
_POM_CHECKS: Members = {"suppressPomConsistencyChecks": False}
_TAGS: Members = {"maxUniqueTags": 0, "dockerTagRetention": 1}
_IMAGES: Members = {**_TAGS, "dockerApiVersion": "V2"}
_TERRAFORM: Members = {"terraformType": ""}
_CONAN: Members = {"enableConanSupport": True, "forceConanAuthentication": False}
_STORED_TYPES: dict[str, Members] = {
    **dict.fromkeys(JAVA_TYPES, _JAVA_STORED),
    "alpine": {"primaryKeyPairRef": ""},
    "ansible": {"primaryKeyPairRef": ""},
    "cargo": {"cargoAnonymousAccess": False, "cargoInternalIndex": False},
    "conan": _CONAN,
    "debian": {
        "debianTrivialLayout": False,
        "optionalIndexCompressionFormats": ["bz2"],
        "ddebSupported": False,
        **_SIGNING_KEYS,
    },
    "docker": {**_IMAGES, "blockPushingSchema1": True},
    "helm": {"forceNonDuplicateChart": False, "forceMetadataNameVersion": False},
    "helmoci": _TAGS,
    "hex": {"primaryKeyPairRef": ""},
    "maven": {**_JAVA_STORED, **_POM_CHECKS},
    "nuget": {"maxUniqueSnapshots": 0, "forceNugetAuthentication": False},
    "oci": _IMAGES,
    "rpm": {
        "yumRootDepth": 0,
        "calculateYumMetadata": False,
        "enableFileListsIndexing": False,
        "yumGroupFileNames": "",
        **_SIGNING_KEYS,
    },
    "terraform": _TERRAFORM,
}
_GIT_PROVIDER: Members = {"vcsType": "GIT", "vcsGitProvider": "GITHUB", "vcsGitDownloadUrl": ""}
_EXTERNAL_DEPENDENCIES: Members = {"externalDependenciesEnabled": False, "externalDependenciesPatterns": []}
_REMOTE_IMAGES: Members = {
    **_EXTERNAL_DEPENDENCIES,
    "enableTokenAuthentication": False,
    "dockerProjectId": "",
    "retrievalCachePeriodSecs": 21600,
}
_REMOTE_QUERIES: Members = {"propagateQueryParams": False, "retrieveSha256FromServer": False}
_REMOTE_TYPES: dict[str, Members] = {
    **dict.fromkeys(JAVA_TYPES, _JAVA_REMOTE),
    **dict.fromkeys(IMAGE_TYPES, _REMOTE_IMAGES),
    "ansible": {"bypassHeadRequests": True},
    "bower": {**_GIT_PROVIDER, "bowerRegistryUrl": "https://registry.bower.io"},
    "cargo": {
        "gitRegistryUrl": "https://index.crates.io/",
        "cargoAnonymousAccess": False,
        "cargoInternalIndex": False,
    },
    "cocoapods": {**_GIT_PROVIDER, "podsSpecsRepoUrl": "https://github.com/CocoaPods/Specs"},
    "composer": {**_GIT_PROVIDER, "composerRegistryUrl": "https://packagist.org"},
    "conan": _CONAN,
    "docker": {**_REMOTE_IMAGES, "blockPushingSchema1": True},
    "gems": _REMOTE_QUERIES,
    "generic": {**_REMOTE_QUERIES, "customHttpHeaders": []},
    "go": {**_GIT_PROVIDER, **_REMOTE_QUERIES, "vcsGitProvider": "ARTIFACTORY"},
    "helm": {**_EXTERNAL_DEPENDENCIES, "chartsBaseUrl": ""},
    "hex": {"hexPublicKey": "", "primaryKeyPairRef": ""},
    "maven": {**_JAVA_REMOTE, **_POM_CHECKS},
    "nuget": {
        "feedContextPath": "api/v2",
        "downloadContextPath": "api/v2/package",
        "v3FeedUrl": "https://api.nuget.org/v3/index.json",
        "symbolServerUrl": "https://symbols.nuget.org/download/symbols",
        "forceNugetAuthentication": False,
    },
    "pypi": {"pyPIRegistryUrl": "https://pypi.org", "pyPIRepositorySuffix": "simple"},
    "terraform": {
        **_TERRAFORM,
        "terraformRegistryUrl": "https://registry.terraform.io",
        "terraformProvidersUrl": "https://releases.hashicorp.com",
    },
    "vcs": {**_GIT_PROVIDER, "maxUniqueSnapshots": 0},
}
_SHORT_CACHE: Members = {"virtualRetrievalCachePeriodSecs": 600}
_LONG_CACHE: Members = {"virtualRetrievalCachePeriodSecs": 7200}
_VIRTUAL_DEPENDENCIES: Members = {**_EXTERNAL_DEPENDENCIES, "externalDependenciesRemoteRepo": ""}
_GO_HOSTS = ("github.com", "go.googlesource.com", "gopkg.in", "golang.org", "k8s.io")
_VIRTUAL_TYPES: dict[str, Members] = {
    **dict.fromkeys(JAVA_TYPES, _JAVA_VIRTUAL),
    "alpine": {"primaryKeyPairRef": "", **_LONG_CACHE},
    "ansible": _SHORT_CACHE,
    "bower": _VIRTUAL_DEPENDENCIES,
    "chef": _SHORT_CACHE,
    "conan": {**_CONAN, **_SHORT_CACHE},
    "conda": _LONG_CACHE,
    "cran": _LONG_CACHE,
    "debian": {
        "debianDefaultArchitectures": "amd64,i386",
        "optionalIndexCompressionFormats": ["bz2"],
        **_SIGNING_KEYS,
        **_LONG_CACHE,
    },
    "docker": {**_SHORT_CACHE, "resolveDockerTagsByTimestamp": False},
    "gems": _SHORT_CACHE,
    "go": {
        **_SHORT_CACHE,
        "externalDependenciesEnabled": True,
        "externalDependenciesPatterns": sorted(f"**/{host}/**" for host in _GO_HOSTS),
    },
    "helm": {"useNamespaces": False, **_LONG_CACHE},
    "helmoci": {"resolveDockerTagsByTimestamp": False},
    "hex": {"primaryKeyPairRef": ""},
    "npm": {**_VIRTUAL_DEPENDENCIES, "externalDependenciesPatterns": ["**"], **_LONG_CACHE},
    "nuget": {"forceNugetAuthentication": False},
    "oci": {"resolveDockerTagsByTimestamp": False},
    "pypi": _SHORT_CACHE,
    "rpm": {**_SIGNING_KEYS, **_LONG_CACHE},
    "terraform": _TERRAFORM,
}
_TYPE_MEMBERS: dict[str, dict[str, Members]] = {
    "local": _STORED_TYPES,
    "remote": _REMOTE_TYPES,
    "virtual": _VIRTUAL_TYPES,
    "federated": _STORED_TYPES,
}


@functools.cache
def members_of(rclass: str, package_type: str) -> Members:
    """Return the members of a configuration with their defaults. An unknown package type has those of its class."""
    of_type = _TYPE_MEMBERS.get(rclass, {}).get(package_type, {})
    return {**_COMMON, **_CLASS_MEMBERS.get(rclass, {}), **of_type}


def default_layout(package_type: str, terraform_type: str | None = None) -> str:
    """Return the layout that Artifactory's user interface selects for a package type."""
    if package_type == "terraform":
        return _TERRAFORM_LAYOUTS.get(terraform_type or "", _SIMPLE)
    return _LAYOUTS.get(package_type, _SIMPLE)


def may_contain(package_type: str, member_type: str) -> bool:
    """Return whether a virtual repository of a package type may contain repositories of another one."""
    if package_type in ("generic", "p2") or package_type == member_type:
        return True
    return package_type in JAVA_TYPES and member_type in JAVA_TYPES
