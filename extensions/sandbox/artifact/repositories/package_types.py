# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Repository classes, package types, and the members of their configurations with the values of a new repository.

The tables show the current version. `configurations.py` applies what depends on the version. Where sources disagree,
the value of a recorded response counts, and a comment says so.
"""

from __future__ import annotations

from typing import Any, NamedTuple

CLASSES = ("local", "remote", "virtual", "federated")
STORED_CLASSES = ("local", "federated")
IMAGE_TYPES = ("docker", "oci")
MAVEN_TYPES = ("maven", "gradle", "ivy", "sbt")


class PackageType(NamedTuple):
    """The layout of repositories made in the user interface or by a seed, and the classes of a package type."""

    layout: str
    classes: tuple[str, ...]


NOT_VIRTUAL = ("local", "remote", "federated")
NOT_FEDERATED = ("local", "remote", "virtual")
NOT_REMOTE = ("local", "federated")
PACKAGE_TYPES = {
    "alpine": PackageType("simple-default", CLASSES),
    "ansible": PackageType("ansible-default", CLASSES),
    "bower": PackageType("bower-default", CLASSES),
    "cargo": PackageType("simple-default", NOT_VIRTUAL),
    "chef": PackageType("simple-default", CLASSES),
    "cocoapods": PackageType("simple-default", CLASSES),
    "composer": PackageType("composer-default", CLASSES),
    "conan": PackageType("conan-default", CLASSES),
    "conda": PackageType("simple-default", CLASSES),
    "cran": PackageType("simple-default", CLASSES),
    "debian": PackageType("simple-default", CLASSES),
    "docker": PackageType("simple-default", CLASSES),
    "gems": PackageType("simple-default", CLASSES),
    "generic": PackageType("simple-default", CLASSES),
    "gitlfs": PackageType("simple-default", CLASSES),
    "go": PackageType("go-default", CLASSES),
    "gradle": PackageType("maven-2-default", CLASSES),
    "helm": PackageType("simple-default", CLASSES),
    "helmoci": PackageType("simple-default", CLASSES),
    "hex": PackageType("simple-default", NOT_FEDERATED),
    "huggingfaceml": PackageType("simple-default", NOT_VIRTUAL),
    "ivy": PackageType("ivy-default", CLASSES),
    "machinelearning": PackageType("simple-default", ("local",)),
    "maven": PackageType("maven-2-default", CLASSES),
    "nix": PackageType("nix-default", NOT_FEDERATED),
    "npm": PackageType("npm-default", CLASSES),
    "nuget": PackageType("nuget-default", CLASSES),
    "oci": PackageType("simple-default", CLASSES),
    "opkg": PackageType("simple-default", CLASSES),
    "p2": PackageType("simple-default", ("remote", "virtual")),
    "pub": PackageType("simple-default", CLASSES),
    "puppet": PackageType("puppet-default", CLASSES),
    "pypi": PackageType("simple-default", CLASSES),
    "releasebundles": PackageType("maven-2-default", NOT_REMOTE),
    "rpm": PackageType("simple-default", CLASSES),
    "sbt": PackageType("sbt-default", CLASSES),
    "swift": PackageType("swift-default", CLASSES),
    "terraform": PackageType("simple-default", CLASSES),  # see TERRAFORM_LAYOUTS
    "terraformbackend": PackageType("simple-default", ("local",)),
    "vagrant": PackageType("simple-default", NOT_REMOTE),
    "vcs": PackageType("simple-default", ("remote",)),
}
# The package type `terraform` is divided by the member `terraformType`.
TERRAFORM_LAYOUTS = {"module": "terraform-module-default", "provider": "terraform-provider-default"}
# Package types with several names. Until version 5, RPM repositories had the type `yum`.
ALIASES = {"yum": "rpm"}
# The layout of all repositories that are created over REST without one, whatever their type. Virtual ones have none.
REST_LAYOUT = "maven-2-default"
# Members that responses omit while they are empty.
OMITTED_IF_EMPTY = (
    *("chartsBaseUrl", "clientTlsCertificate", "defaultDeploymentRepo", "externalDependenciesPatterns"),
    *("externalDependenciesRemoteRepo", "mismatchingMimeTypesOverrideList", "primaryKeyPairRef", "proxy"),
    *("queryParams", "remoteRepoLayoutRef", "repoLayoutRef", "secondaryKeyPairRef", "symbolServerUrl"),
    *("v3FeedUrl", "vcsGitDownloadUrl", "yumGroupFileNames"),
)
# Members of all classes. The values of `key`, `rclass`, `packageType` and `projectKey` are required or absent.
COMMON_MEMBERS: dict[str, Any] = {
    "description": "",
    "notes": "",
    "includesPattern": "**/*",
    "excludesPattern": "",
    "repoLayoutRef": "",
    "signedUrlTtl": 90,
    "environments": [],
}
# Members that all repositories of a class store, although they only have an effect on some package types.
MAVEN_POLICY: dict[str, Any] = {
    "handleReleases": True,
    "handleSnapshots": True,
    "maxUniqueSnapshots": 0,
    "suppressPomConsistencyChecks": False,
}
LOCAL_POLICY: dict[str, Any] = {
    **MAVEN_POLICY,
    "checksumPolicyType": "client-checksums",
    "snapshotVersionBehavior": "unique",
}
REMOTE_POLICY: dict[str, Any] = {
    **MAVEN_POLICY,
    "fetchJarsEagerly": False,
    "fetchSourcesEagerly": False,
    "rejectInvalidJars": False,
    "remoteRepoChecksumPolicyType": "generate-if-absent",
}
# All virtual repositories store this member. Recorded configurations of generic ones do not list it.
VIRTUAL_POLICY: dict[str, Any] = {"virtualRetrievalCachePeriodSecs": 600}
POLICY_MEMBERS: dict[str, dict[str, Any]] = {
    "local": LOCAL_POLICY,
    "remote": REMOTE_POLICY,
    "virtual": VIRTUAL_POLICY,
    "federated": LOCAL_POLICY,
}

LOCAL_MEMBERS: dict[str, Any] = {
    "blackedOut": False,
    "xrayIndex": False,
    "xrayDataTtl": 90,
    "propertySets": [],
    "archiveBrowsingEnabled": False,
    "downloadRedirect": False,
    "cdnRedirect": False,
    "priorityResolution": False,
}
CONTENT_SYNCHRONISATION: dict[str, Any] = {
    "enabled": False,
    "statistics": {"enabled": False},
    "properties": {"enabled": False},
    "source": {"originAbsenceDetection": False},
}
REMOTE_MEMBERS: dict[str, Any] = {
    "url": "",
    "username": "",
    "password": "",
    "proxy": "",
    "disableProxy": False,
    "remoteRepoLayoutRef": "",
    "hardFail": False,
    "offline": False,
    "blackedOut": False,
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
    # Recorded as false for a repository created over REST; the forms of clients start with true.
    "blockMismatchingMimeTypes": False,
    "mismatchingMimeTypesOverrideList": "",
    "allowAnyHostAuth": False,
    "enableCookieManagement": False,
    "bypassHeadRequests": False,
    "priorityResolution": False,
    "clientTlsCertificate": "",
    "xrayIndex": False,
    "xrayDataTtl": 90,
    "downloadRedirect": False,
    "cdnRedirect": False,
    "archiveBrowsingEnabled": False,
    "propertySets": [],
    "disableUrlNormalization": False,
    "listRemoteFolderItems": False,  # true before LIST_REMOTE_FOLDERS_OFF
    "propagateQueryParams": False,
    "retrieveSha256FromServer": False,
    "customHttpHeaders": [],
    "sendContext": False,
    "passThrough": False,
    "curated": False,
    "contentSynchronisation": CONTENT_SYNCHRONISATION,
}
VIRTUAL_MEMBERS: dict[str, Any] = {
    "repositories": [],
    "defaultDeploymentRepo": "",
    "artifactoryRequestsCanRetrieveRemoteArtifacts": False,
    "hideUnauthorizedResources": False,
}
FEDERATED_MEMBERS: dict[str, Any] = {"members": [], "proxy": "", "disableProxy": False}
CLASS_MEMBERS: dict[str, dict[str, Any]] = {
    "local": LOCAL_MEMBERS,
    "remote": REMOTE_MEMBERS,
    "virtual": VIRTUAL_MEMBERS,
    "federated": {**LOCAL_MEMBERS, **FEDERATED_MEMBERS},
}

SIGNING_KEYS: dict[str, Any] = {"primaryKeyPairRef": "", "secondaryKeyPairRef": ""}
LOCAL_IMAGES: dict[str, Any] = {
    "dockerApiVersion": "V2",
    "maxUniqueTags": 0,
    "dockerTagRetention": 1,
    "blockPushingSchema1": True,
}
CONAN: dict[str, Any] = {"enableConanSupport": True, "forceConanAuthentication": False}
LOCAL_TYPE_MEMBERS: dict[str, dict[str, Any]] = {
    "alpine": {"primaryKeyPairRef": ""},
    "ansible": {"primaryKeyPairRef": ""},
    "cargo": {"cargoAnonymousAccess": False, "cargoInternalIndex": False},
    "conan": CONAN,
    "debian": {
        "debianTrivialLayout": False,
        "optionalIndexCompressionFormats": ["bz2"],
        "ddebSupported": False,
        **SIGNING_KEYS,
    },
    "docker": LOCAL_IMAGES,
    "gradle": LOCAL_POLICY,
    "helm": {"forceNonDuplicateChart": False, "forceMetadataNameVersion": False},
    "helmoci": LOCAL_IMAGES,
    "hex": {"primaryKeyPairRef": ""},
    "ivy": LOCAL_POLICY,
    "maven": LOCAL_POLICY,
    "nuget": {"maxUniqueSnapshots": 0, "forceNugetAuthentication": False},
    "oci": LOCAL_IMAGES,
    "rpm": {
        "yumRootDepth": 0,
        # Recorded as false and empty for a repository created over REST; the forms of clients start with other values.
        "calculateYumMetadata": False,
        "enableFileListsIndexing": False,
        "yumGroupFileNames": "",
        **SIGNING_KEYS,
    },
    "sbt": LOCAL_POLICY,
    "terraform": {"terraformType": "module"},
}
GIT_SOURCE: dict[str, Any] = {"vcsType": "GIT", "vcsGitProvider": "GITHUB", "vcsGitDownloadUrl": ""}
EXTERNAL_DEPENDENCIES: dict[str, Any] = {"externalDependenciesEnabled": False, "externalDependenciesPatterns": []}
REMOTE_IMAGES: dict[str, Any] = {
    **EXTERNAL_DEPENDENCIES,
    # One source reports true for images. The value is that of clients.
    "enableTokenAuthentication": False,
    "blockPushingSchema1": True,  # recorded; the forms of clients start with false
    "dockerProjectId": "",
}
IMAGE_CACHE_PERIOD: dict[str, Any] = {"retrievalCachePeriodSecs": 21600}
REMOTE_TYPE_MEMBERS: dict[str, dict[str, Any]] = {
    "ansible": {"bypassHeadRequests": True},
    "bower": {**GIT_SOURCE, "bowerRegistryUrl": "https://registry.bower.io"},
    "cargo": {
        "gitRegistryUrl": "https://index.crates.io",
        "cargoAnonymousAccess": False,
        "cargoInternalIndex": True,
    },
    "cocoapods": {**GIT_SOURCE, "podsSpecsRepoUrl": "https://github.com/CocoaPods/Specs"},
    "composer": {**GIT_SOURCE, "composerRegistryUrl": "https://packagist.org"},
    "conan": CONAN,
    "docker": {**REMOTE_IMAGES, **IMAGE_CACHE_PERIOD},
    "go": {**GIT_SOURCE, "vcsGitProvider": "ARTIFACTORY"},
    "gradle": REMOTE_POLICY,
    "helm": {**EXTERNAL_DEPENDENCIES, "chartsBaseUrl": ""},
    "helmoci": {**REMOTE_IMAGES, **IMAGE_CACHE_PERIOD},
    "hex": {"hexPublicKey": "", "primaryKeyPairRef": ""},
    "ivy": REMOTE_POLICY,
    "maven": REMOTE_POLICY,
    "nuget": {
        "feedContextPath": "api/v2",
        "downloadContextPath": "api/v2/package",
        "v3FeedUrl": "https://api.nuget.org/v3/index.json",
        "symbolServerUrl": "https://symbols.nuget.org/download/symbols",
        "forceNugetAuthentication": False,
    },
    "oci": {**REMOTE_IMAGES, **IMAGE_CACHE_PERIOD},
    "pypi": {"pyPIRegistryUrl": "https://pypi.org", "pyPIRepositorySuffix": "simple"},
    "sbt": REMOTE_POLICY,
    "terraform": {
        "terraformType": "module",
        "terraformRegistryUrl": "https://registry.terraform.io",
        "terraformProvidersUrl": "https://releases.hashicorp.com",
    },
    "vcs": {**GIT_SOURCE, "maxUniqueSnapshots": 0},
}
MAVEN_VIRTUAL: dict[str, Any] = {
    "virtualRetrievalCachePeriodSecs": 600,
    "forceMavenAuthentication": False,
    "keyPair": "",
    "pomRepositoryReferencesCleanupPolicy": "discard_active_reference",
}
SHORT_CACHE: dict[str, Any] = {"virtualRetrievalCachePeriodSecs": 600}
LONG_CACHE: dict[str, Any] = {"virtualRetrievalCachePeriodSecs": 7200}
VIRTUAL_DEPENDENCIES: dict[str, Any] = {**EXTERNAL_DEPENDENCIES, "externalDependenciesRemoteRepo": ""}
VIRTUAL_TYPE_MEMBERS: dict[str, dict[str, Any]] = {
    "alpine": {"primaryKeyPairRef": "", **LONG_CACHE},
    "ansible": SHORT_CACHE,
    "bower": VIRTUAL_DEPENDENCIES,
    "chef": SHORT_CACHE,
    "conan": {**CONAN, **SHORT_CACHE},
    "conda": LONG_CACHE,
    "cran": LONG_CACHE,
    "debian": {
        "debianDefaultArchitectures": "i386,amd64",  # clients know the other order as well
        "optionalIndexCompressionFormats": ["bz2"],
        **SIGNING_KEYS,
        **LONG_CACHE,
    },
    "docker": {**SHORT_CACHE, "resolveDockerTagsByTimestamp": False},
    "gems": SHORT_CACHE,
    "go": {
        **SHORT_CACHE,
        "externalDependenciesEnabled": True,
        "externalDependenciesPatterns": [
            f"**/{host}/**" for host in ("github.com", "go.googlesource.com", "gopkg.in", "golang.org", "k8s.io")
        ],
    },
    "gradle": MAVEN_VIRTUAL,
    "helm": {"useNamespaces": False, **LONG_CACHE},
    "helmoci": {"resolveDockerTagsByTimestamp": False},
    "hex": {"primaryKeyPairRef": ""},
    "ivy": MAVEN_VIRTUAL,
    "maven": MAVEN_VIRTUAL,
    "npm": {**VIRTUAL_DEPENDENCIES, "externalDependenciesPatterns": ["**"], **LONG_CACHE},
    "nuget": {"forceNugetAuthentication": False},
    "oci": {"resolveDockerTagsByTimestamp": False},
    "pypi": SHORT_CACHE,
    "rpm": {**SIGNING_KEYS, **LONG_CACHE},
    "sbt": MAVEN_VIRTUAL,
    "terraform": {"terraformType": "module"},
}
TYPE_MEMBERS = {
    "local": LOCAL_TYPE_MEMBERS,
    "remote": REMOTE_TYPE_MEMBERS,
    "virtual": VIRTUAL_TYPE_MEMBERS,
    "federated": LOCAL_TYPE_MEMBERS,
}

# Members of other package types that the first version of the API also returns, with their values. They cannot be set.
SUPPORT_FLAGS = {
    **{f"enable{name}Support": name.lower() for name in ("Bower", "Chef", "CocoaPods", "Composer", "Conan", "Debian")},
    **{f"enable{name}Support": name.lower() for name in ("DistRepo", "Docker", "Gems", "GitLfs", "Npm", "NuGet")},
    **{f"enable{name}Support": name.lower() for name in ("Puppet", "Pypi", "Vagrant")},
}
FOREIGN_MEMBERS: dict[str, Any] = {
    "blockPushingSchema1": True,
    "cargoAnonymousAccess": False,
    "ddebSupported": False,
    "debianTrivialLayout": False,
    "dockerApiVersion": "V2",
    "dockerProjectId": "",
    "enableNormalizedVersion": False,
    "forceConanAuthentication": False,
    "forceMetadataNameVersion": False,
    "forceNonDuplicateChart": False,
    "forceNugetAuthentication": False,
    "forceP2Authentication": False,
    "mlRepoLayout": False,
}
LOCAL_FOREIGN_MEMBERS: dict[str, Any] = {
    **FOREIGN_MEMBERS,
    **LOCAL_POLICY,
    "calculateYumMetadata": False,
    "cargoInternalIndex": False,
    "dockerTagRetention": 1,
    "enableComposerV1Indexing": False,
    "enableFileListsIndexing": False,
    "encryptStates": True,
    "maxUniqueTags": 0,
    "terraformType": "MODULE",
    "yumRootDepth": 0,
}
FOREIGN_MEMBERS_BY_CLASS: dict[str, dict[str, Any]] = {
    "local": LOCAL_FOREIGN_MEMBERS,
    "federated": LOCAL_FOREIGN_MEMBERS,
    "remote": {
        **FOREIGN_MEMBERS,
        **REMOTE_POLICY,
        "authUrl": "",
        "bowerRegistryUrl": "https://registry.bower.io",
        "cargoInternalIndex": True,
        "composerRegistryUrl": "https://packagist.org",
        "enableTokenAuthentication": False,
        "externalDependenciesEnabled": False,
        "gitLabResolveSubgroups": False,
        "gitRegistryUrl": "https://index.crates.io",
        "hexPublicKey": "",
        "maxUniqueTags": 0,
        "podsCdnUrl": "https://cdn.cocoapods.org",
        "podsForceModifyIndex": False,
        "podsSpecsRepoUrl": "https://github.com/CocoaPods/Specs",
        "pyPIRegistryUrl": "https://pypi.org",
        "pyPIRepositorySuffix": "simple",
        "terraformProvidersUrl": "https://releases.hashicorp.com",
        "terraformRegistryUrl": "https://registry.terraform.io",
        "vcsGitProvider": "GITHUB",
        "vcsType": "GIT",
    },
    "virtual": {
        **FOREIGN_MEMBERS,
        "cachingLocalForeignLayersEnabled": False,
        "cargoInternalIndex": True,
        "externalDependenciesEnabled": False,
        "forceMavenAuthentication": False,
        "keyPair": "",
        "pomRepositoryReferencesCleanupPolicy": "discard_active_reference",
        "priorityResolution": False,
        "resolveDockerTagsByTimestamp": False,
        "useNamespaces": False,
        "virtualRetrievalCachePeriodSecs": 600,
    },
}
