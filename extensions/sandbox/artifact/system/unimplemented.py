# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls that Artifactory has and the sandbox does not implement: 501, after the checks of the real server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.responses import Response

from ...http.routing import ANY, Route
from ..access.token_api import require_caller
from ..call import PRO_SCOPE, Call
from ..protocol.errors import AccessError, ArtifactError

# Method, path, label, permitted callers (`all` authenticated ones, or `admin`) and the behavior of the OSS edition:
# `serves` the call, refuses it because it requires `pro`, or `lacks` it. A path with `/**` at its end is a family of
# calls; more specific calls take precedence.
CALLS = """
POST   /api/archive/buildArtifacts              archive_of_build           all    pro
*      /api/archive/v2/**                       archive_policies           admin  lacks
POST   /api/archiveIndex/{:.+}                  index_archive              admin  serves
POST   /api/artifactexport/repository           export_repository          admin  lacks
POST   /api/blob/info                           blob_info                  all    serves
POST   /api/build/distribute/{:.+}              distribute_build           all    pro
POST   /api/build/pushToBintray/{:.+}           push_build                 all    pro
POST   /api/checksum/sha256                     calculate_sha256           all    serves
*      /api/cleanup/**                          cleanup_policies           admin  lacks
*      /api/config/storage/checksumReplication  checksum_replication       admin  lacks
POST   /api/deleteDirectoryTrashProperty/start  clean_trash_records        admin  lacks
*      /api/distribute                          distribute                 all    pro
GET    /api/download/{:.+}                      download_and_sync          all    pro
*      /api/export/**                           export                     admin  serves
*      /api/federation/**                       federation                 admin  lacks
*      /api/gpg/**                              signing_keys               all    pro
*      /api/import/**                           import                     admin  serves
POST   /api/maven                               index_maven_repositories   admin  serves
POST   /api/maven/generatePom/{:.+}             generate_pom               all    lacks
POST   /api/metadata_server/reindex             reindex_metadata           admin  serves
GET    /api/metrics                             metrics                    admin  serves
GET    /api/plugins/**                          user_plugins               all    pro
POST   /api/plugins/**                          run_user_plugin            all    pro
PUT    /api/plugins/**                          change_user_plugin         admin  pro
*      /api/oauth/**                            oauth                      admin  lacks
*      /api/onboarding/**                       onboarding                 admin  lacks
*      /api/propertysets/**                     property_sets              admin  lacks
*      /api/release/bundles/**                  release_bundles            all    lacks
*      /api/replication/{:.+}                   replication                all    pro
GET    /api/replications/channels/{:.+}         replication_channels       admin  pro
GET    /api/repositories/{:[^/]+}/configuration remote_repository          all    pro
GET    /api/search/dependency                   dependency_search          all    pro
GET    /api/search/license                      license_search             all    pro
POST   /api/security/permissions/{:[^/]+}       security                   admin  serves
*      /api/security/**                         security                   admin  serves
PUT    /api/securityconfig                      change_security_settings   admin  serves
*      /api/signed/url/**                       signed_urls                all    lacks
*      /api/system/bootstrap_bundle             bootstrap_bundle           admin  pro
*      /api/system/configuration/**             system_configuration       admin  serves
*      /api/system/debug/loggers/**             loggers                    admin  lacks
POST   /api/system/decrypt                      decrypt_passwords          admin  serves
POST   /api/system/encrypt                      encrypt_passwords          admin  serves
*      /api/system/logs/{:config|data}          live_logs                  admin  lacks
*      /api/system/migration/**                 migration                  admin  serves
GET    /api/system/nodes                        nodes                      admin  serves
*      /api/system/replications/**              system_replications        admin  pro
*      /api/system/security/**                  security_configuration     admin  serves
GET    /api/system/serverTime                   server_time                admin  serves
GET    /api/system/service                      service_information        all    serves
*      /api/system/storage/**                   binary_store               admin  serves
*      /api/system/support/{:bundles?}/**       support_bundles            admin  pro
POST   /api/system/verifyconnection             verify_connection          admin  serves
*      /api/system/xray/**                      xray_indexing              admin  pro
*      /api/v1/bundle/retention/**              bundle_retention           admin  lacks
GET    /api/v1/metrics/**                       metrics                    admin  lacks
*      /api/v1/service_trust/pairing/{:[^/]+}   pairing_tokens             admin  lacks
GET    /api/v1/system/{:liveness|readiness}     probes                     all    lacks
*      /api/v2/federation/**                    federation                 admin  lacks
GET    /api/versions/{:.+}                      version_by_properties      all    pro
POST   /api/yum/**                              calculate_yum_metadata     admin  pro
POST   /api/zap/{:.+}                           zap_cache                  admin  lacks
"""

# APIs of package managers below /api/<name>. Maven, Ivy, Gradle and sbt have no such API; Docker's is implemented.
PACKAGE_TYPES = (
    "alpine",
    "ansible",
    "bower",
    "cargo",
    "chef",
    "cocoapods",
    "composer",
    "conan",
    "conda",
    "cran",
    "deb",
    "gems",
    "go",
    "helm",
    "helmoci",
    "hex",
    "huggingfaceml",
    "lfs",
    "machinelearning",
    "nix",
    "npm",
    "nuget",
    "oci",
    "opkg",
    "p2",
    "pods",
    "pub",
    "puppet",
    "pypi",
    "swift",
    "terraform",
    "vagrant",
    "vcs",
)

# Other API families of the token service below /access/api.
ACCESS_FAMILIES = (
    "v1/aws",
    "v1/cert",
    "v1/config",
    "v1/groups",
    "v1/ldap",
    "v1/logshipping",
    "v1/oauth",
    "v1/permissions",
    "v1/roles",
    "v1/scim",
    "v1/service_trust",
    "v1/system/backup",
    "v1/system/federation",
    "v1/system/liveness",
    "v1/system/readiness",
    "v1/users",
    "v1/vault",
    "v2/lifecycle",
    "v2/projects",
    "v2/roles",
    "v2/stages",
)
# Other API families of release bundles below /lifecycle/api.
LIFECYCLE_FAMILIES = ("v1/system", "v2/distribution", "v2/promotion", "v2/release_bundle")
CHECK_EDITION: dict[str, Callable[[Call], None]] = {
    "serves": lambda _call: None,
    "pro": Call.require_pro,
    "lacks": lambda _call: None,  # routing has already failed
}


def _create_handler(permitted_callers: str, edition: str) -> Callable[[Call], Awaitable[Response]]:
    async def refuse(call: Call) -> Response:
        if permitted_callers == "admin":
            call.require_admin()
        CHECK_EDITION[edition](call)
        raise not_implemented_error(call)

    return refuse


async def _refuse_access_call(call: Call) -> Response:
    require_caller(call)
    raise AccessError(501, _not_implemented_message(call))


def not_implemented_error(call: Call) -> ArtifactError:
    """Return the error for a call that the sandbox does not implement."""
    return ArtifactError(501, _not_implemented_message(call))


def _not_implemented_message(call: Call) -> str:
    return f"The sandbox does not serve this call yet: {call.request.method} {call.request.url.path}"


def _parse_call(line: str) -> Route:
    method, path, label, permitted_callers, edition = line.split()
    return Route(
        method,
        _to_route_path(path),
        _create_handler(permitted_callers, edition),
        label,
        scope=PRO_SCOPE if edition == "lacks" else None,
    )


def _to_route_path(path: str) -> str:
    return path.removesuffix("/**") + "{:(/.*)?}" if path.endswith("/**") else path


def _parse_calls(table: str) -> tuple[Route, ...]:
    return tuple(map(_parse_call, table.strip().splitlines()))


ROUTES = (
    *_parse_calls(CALLS),
    *(_parse_call(f"* /api/{name}/** packages_of_{name} all lacks") for name in PACKAGE_TYPES),
)
ACCESS_ROUTES = tuple(
    Route(ANY, _to_route_path(f"/api/{name}/**"), _refuse_access_call, f"access_{name.rpartition('/')[2]}")
    for name in ACCESS_FAMILIES
)
# The services of the platform that the sandbox does not have, with the prefixes of their calls.
OTHER_SERVICES = (
    *("/apptrust", "/catalog", "/curation", "/distribution", "/evidence", "/integration", "/jfconnect", "/mc"),
    *("/metadata", "/ml", "/observability", "/onemodel", "/pipelines", "/router", "/rtfs", "/runtime", "/topology"),
    *("/unifiedpolicy", "/worker", "/xray"),
)
OTHER_ROUTES = tuple(
    Route(ANY, f"{prefix}/api/{{:.+}}", _refuse_access_call, f"calls_of_{prefix[1:]}") for prefix in OTHER_SERVICES
)
EVENT_ROUTES = (Route(ANY, "/api/v1/system/{:.+}", _refuse_access_call, "system_of_events"),)
LIFECYCLE_ROUTES = tuple(
    Route(ANY, _to_route_path(f"/api/{name}/**"), _refuse_access_call, f"lifecycle_{name.rpartition('/')[2]}")
    for name in LIFECYCLE_FAMILIES
)
