# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The service: routes, switches and request handling."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar
from urllib.parse import parse_qsl, unquote

from starlette.requests import Request
from starlette.responses import Response

from ..http.routing import ANY, Route, RouteMatch, Routes
from ..runtime.runtime import Runtime
from ..runtime.switch_rules import Rules, SwitchesByVersion, check_version
from ..seeds.export import SeedExport
from ..seeds.snapshot import SnapshotDirectory
from ..service import Service
from .access import (
    legacy_token_api,
    permission_target_api,
    permission_target_v2_api,
    permissions,
    platform_permission_api,
    token_api,
    user_api,
)
from .access.accounts import ANONYMOUS, CHALLENGE, InvalidCredentials, Principal
from .builds import build_api, build_promotion, pattern_artifacts, records, retention
from .call import PRO_SCOPE, Call, decode_path
from .cleanup import bundle_policy_api, policies, policy_api
from .content import content_path, download, upload, webdav
from .failures import FAILURES
from .identities import group_api
from .identities import user_api as platform_user_api
from .images import image_promotion, pull, push, registry
from .items import item_info, properties, relocation, trash
from .keys import keypair_api, trusted_key_api
from .keys import keypairs as key_store
from .ldap import ldap_api
from .lifecycle import bundle_api, bundles, promotion_api
from .maven import maven_api
from .platform import role_api as global_role_api
from .platform import scim_api, sign_on_api, stage_api
from .platform import store as platform_store
from .projects import attachment_api, environment_api, member_api, project_api, role_api
from .projects import store as project_store
from .protocol import feature_versions, methods
from .protocol.errors import AccessError, ApiError, ArtifactError, RequestLineTooLong
from .protocol.negotiation import PRODUCED_TYPES, join_accept, negotiate
from .protocol.versions import build_revision, is_at_least
from .replications import replication_api
from .repositories import batch_api, connection_api, federation_api, repository_api
from .schema import SCHEMA
from .search import aql_api, field_searches, name_search
from .seeds.export import export_seed
from .seeds.seed import SEED_SCHEMA, load_seed
from .seeds.snapshot_seeds import iterate_seeds
from .sso import oidc_api, oidc_exchange, saml_api
from .sso import store as sso_store
from .state import State
from .state_tables import STATE_TABLES
from .system import certificate_api, information_api, license_api, licenses, storage_summary, system_api, unimplemented
from .system.configuration import api as configuration_api
from .system.configuration import parts_api as configuration_parts_api
from .system.configuration import store
from .webhooks import webhook_api

# Paths that redirect browsers to the user interface.
HOME = ("/", "/webapp")
NODE_ID = "5f0e1ab1c3d24e6a"
OPEN_END = re.compile(r"/+$|(?<=/[.][.])$")

ROUTES = Routes(
    (
        *system_api.ROUTES,
        *information_api.ROUTES,
        *certificate_api.ROUTES,
        *license_api.ROUTES,
        *policy_api.ROUTES,
        *bundle_policy_api.ROUTES,
        *keypair_api.ROUTES,
        *trusted_key_api.ROUTES,
        *configuration_api.ROUTES,
        *configuration_parts_api.ROUTES,
        *repository_api.ROUTES,
        *batch_api.ROUTES,
        *federation_api.ROUTES,
        *connection_api.ROUTES,
        *replication_api.ROUTES,
        *item_info.ROUTES,
        *properties.ROUTES,
        *image_promotion.ROUTES,
        *pull.ROUTES,
        *push.ROUTES,
        *maven_api.ROUTES,
        *name_search.ROUTES,
        *field_searches.ROUTES,
        *aql_api.ROUTES,
        *build_promotion.ROUTES,
        *retention.ROUTES,
        *pattern_artifacts.ROUTES,
        *build_api.ROUTES,
        *trash.ROUTES,
        *relocation.ROUTES,
        *storage_summary.ROUTES,
        *legacy_token_api.ROUTES,
        *permission_target_api.ROUTES,
        *permission_target_v2_api.ROUTES,
        *user_api.ROUTES,
        *upload.ROUTES,
        *download.ROUTES,
        *webdav.ROUTES,
        *unimplemented.ROUTES,
    )
)
ACCESS_ROUTES = Routes(
    (
        *token_api.ROUTES,
        *platform_user_api.ROUTES,
        *group_api.ROUTES,
        *platform_permission_api.ROUTES,
        *attachment_api.ROUTES,
        *project_api.ROUTES,
        *member_api.ROUTES,
        *role_api.ROUTES,
        *environment_api.ROUTES,
        *ldap_api.ROUTES,
        *saml_api.ROUTES,
        *oidc_exchange.ROUTES,
        *oidc_api.ROUTES,
        *sign_on_api.ROUTES,
        *global_role_api.ROUTES,
        *scim_api.ROUTES,
        *stage_api.ROUTES,
        *unimplemented.ACCESS_ROUTES,
    )
)
EVENT_ROUTES = Routes((*webhook_api.ROUTES, *unimplemented.EVENT_ROUTES))
OTHER_ROUTES = Routes(unimplemented.OTHER_ROUTES)
LIFECYCLE_ROUTES = Routes((*bundle_api.ROUTES, *promotion_api.ROUTES, *unimplemented.LIFECYCLE_ROUTES))


class ArtifactService(Service):
    """The stand-in for Artifactory, the JFrog access token service and the event service."""

    name = "artifact"
    prefixes = ("/artifactory", "/access", "/event", "/lifecycle", *unimplemented.OTHER_SERVICES, registry.ROOT)
    schema = "".join(
        (
            SCHEMA,
            records.SCHEMA,
            store.SCHEMA,
            permissions.SCHEMA,
            project_store.SCHEMA,
            sso_store.SCHEMA,
            platform_store.SCHEMA,
            key_store.SCHEMA,
            policies.SCHEMA,
            bundles.SCHEMA,
            licenses.SCHEMA,
        )
    )
    seed_schema = SEED_SCHEMA
    state_tables = STATE_TABLES
    failures = FAILURES
    switches: ClassVar[dict[str, Any]] = {
        "version": "7.77.3",
        "edition": "pro",  # oss, pro or enterprise
        "licensed": True,  # whether a Pro or Enterprise server has a license before one is installed
        "license_seconds": 0,  # delay until a new license takes effect
        "license_list": "object",  # form of the licenses of a cluster: object or list
        "cluster": False,  # whether the server is a cluster, which has several licenses
        "anonymous": False,
        "hide_unauthorized": False,
        "trashcan": True,
        "disk_full": False,
        "search_limit": 1000,  # maximum results of a search by name for users other than administrators
        "pattern_search_times_out": False,
        "aql_hard_limit": 0,  # maximum rows of an AQL response; 0 is unlimited
        "dry_run_promotes": "never",  # never, with_status (if the request has a status) or always
        "longest_request_line": 8192,  # bytes
        "image_marker": "offset",  # meaning of `last` in registry pages: offset or name
        "persistency_threshold": 10800,  # seconds; tokens with a shorter lifetime are not stored
        "default_token_expiry": 31536000,
        "basic_creates_tokens": True,
        "login_blocks": True,  # after several failed logins
        "replication_list": True,  # whether all replications can be listed with one request
        "missing_replication_status": 404,  # or 400
        "replication_passwords": "encrypted",  # in responses: encrypted, stored or absent
        "events_accept_passwords": False,  # whether the event service accepts user name and password
        "webhook_conflict_status": 409,  # or 400
        "webhook_secrets": "masked",  # in responses: masked, encrypted, stored or absent
        "webhook_checks_names": True,  # whether webhooks of missing projects and repositories are refused
        "webhook_test_fails": False,
        "ldap_passwords": "absent",  # in responses: absent, masked, encrypted or stored
        "ldap_keeps_password": False,  # whether a change of an LDAP setting without a password keeps the stored one
        "ldap_lists": "full",  # whether entries of lists have all members, or only their keys: keys
        "ldap_checks_names": False,  # whether group settings of missing LDAP settings are refused
        "missing_ldap_status": 404,  # of a missing LDAP setting or group setting, or 400
        "keypair_conflict_status": 409,  # or 400, or 0 to replace the existing key pair
        "keypair_deletion_checks_use": True,  # whether key pairs that repositories use cannot be deleted
        "repository_checks_key_pairs": False,  # whether repositories with unknown key pairs are refused
        "trusted_key_conflict_status": 409,  # or 400
        "trusted_keys_require_enterprise": False,
        "trusted_keys_have_text": True,  # whether the list of trusted keys contains the keys
        "release_bundle_seconds": 0,  # until asynchronous creations, promotions and deletions are complete
        "release_bundle_running_status": "PROCESSING",  # or STARTED
        "release_bundle_submitted_status": 202,  # or 200
        "release_bundle_conflict_status": 409,  # or 400
        "release_bundle_missing_source": "failed",  # creations with a missing source: failed, or refused with 400
        "release_bundle_source": True,  # whether the record of a release bundle contains its source
        "release_bundle_requires_key": False,  # whether requests must name a signing key
        "release_bundle_failure": "",  # reason why the creation of release bundles fails
        "release_bundle_promotion_failure": "",  # reason why promotions of release bundles fail
        "url_strict_policy": True,  # whether webhooks to private networks are refused
        "access_requires_token": False,  # whether the Access API rejects passwords for users, groups and projects
        "password_rules": True,  # whether new passwords must follow the default rules
        "lowercase_groups": False,  # whether names of new groups are stored in lower case
        "expanded_wildcards": False,  # whether permissions return all repositories instead of ANY LOCAL and ANY REMOTE
        "permission_destinations": False,  # whether permissions have an undeclared section for destinations
        "project_limit": 300,  # number of projects that the license permits
        "detachment_seconds": 0,  # delay until a detached repository does not prevent the deletion of its project
        "merge_refusals": 0,  # number of further changes of the central descriptor that fail
        "merge_refusal_status": 400,  # or 500
        "repository_visibility_seconds": 0,  # delay until changes of repositories are visible
        "remote_connection_failure": "",  # reason why connection tests of remote repositories fail
        "cache_suffix": True,  # whether descriptions of remote and federated repositories have a suffix
        "remote_passwords": "encrypted",  # how passwords of remote repositories are returned: or masked, or absent
        "unassigned_project_key": "",  # project key of repositories without a project; if empty, it is omitted
        "cleanup_policies_run": False,  # whether clean-up policies are running, so that they cannot be changed
        "cleanup_checks_names": True,  # whether clean-up policies of missing repositories or projects are refused
        "cleanup_conflict_status": 409,  # or 400
        "configuration_lists": "replace",  # YAML lists replace all elements, or those with the same index: by_index
        "configuration_unknown": "ignore",  # YAML members that do not exist: ignore or refuse
        # whether the configuration is checked against repositories even if it does not contain them
        "configuration_checks_repositories": False,
        "saml_since": "7.77.3",  # version that introduced the SAML API; JFrog documents 7.83.1
        "saml_certificates": "stored",  # in responses: stored, one_line or pem
        "oidc_edition": "pro",  # lowest edition with OIDC: pro, or enterprise as JFrog documents
        "oidc_requires_organization": False,  # whether GitHub providers require an organization
        "oidc_longest_lifetime": 86400,  # seconds, of tokens that identity mappings issue
        "oidc_signing_key": "",  # verifies the tokens of all OIDC providers (HS256); if empty, none is exchanged
        "oidc_lists_project_mappings": False,  # whether lists of global mappings contain those of projects
    }
    # JFrog's provider compares descriptions as they are since its release 12.8.3, tested with this version.
    switches_by_version: ClassVar[SwitchesByVersion] = {"cache_suffix": (feature_versions.NO_CACHE_SUFFIX, False)}
    switch_rules: ClassVar[Rules] = {
        "version": check_version,
        "edition": ("oss", "pro", "enterprise"),
        "license_list": ("object", "list"),
        "dry_run_promotes": ("never", "with_status", "always"),
        "image_marker": ("offset", "name"),
        "missing_replication_status": (404, 400),
        "replication_passwords": ("encrypted", "stored", "absent"),
        "webhook_conflict_status": (409, 400),
        "webhook_secrets": ("masked", "encrypted", "stored", "absent"),
        "ldap_passwords": ("absent", "masked", "encrypted", "stored"),
        "ldap_lists": ("full", "keys"),
        "missing_ldap_status": (404, 400),
        "keypair_conflict_status": (409, 400, 0),
        "trusted_key_conflict_status": (409, 400),
        "release_bundle_running_status": ("PROCESSING", "STARTED"),
        "release_bundle_submitted_status": (202, 200),
        "release_bundle_conflict_status": (409, 400),
        "release_bundle_missing_source": ("failed", "refused"),
        "merge_refusal_status": (400, 500),
        "remote_passwords": ("encrypted", "masked", "absent"),
        "cleanup_conflict_status": (409, 400),
        "configuration_lists": ("replace", "by_index"),
        "configuration_unknown": ("ignore", "refuse"),
        "saml_since": check_version,
        "saml_certificates": ("stored", "one_line", "pem"),
        "oidc_edition": ("pro", "enterprise"),
    }

    def __init__(self, runtime: Runtime) -> None:
        """Create the service."""
        super().__init__(runtime)
        self._state = State(runtime)

    def seed(self, data: dict[str, Any]) -> None:
        """Add the content of a seed."""
        load_seed(self._state, data)

    def forget(self) -> None:
        """Clear the state in memory."""
        self._state.accounts.forget_logins()
        self._state.repositories.show_all_changes()
        self._state.uploads.clear()
        self._state.items.forget_downloads()

    def export_seed(self) -> SeedExport:
        """Return the contents as a section of a seed."""
        return export_seed(self._state)

    def convert_snapshot(self, snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
        """Yield the seeds of a snapshot."""
        return iterate_seeds(snapshot)

    def uses_content(self, sha256: str) -> bool:
        """Return whether an item has the content with this checksum."""
        found = self.runtime.db.execute("SELECT 1 FROM artifact_items WHERE sha256 = ?", (sha256,))
        return found.fetchone() is not None

    def exports(self, base_url: str) -> dict[str, str]:
        """Return the environment variables for clients."""
        token = self._state.tokens.get_exported()
        return {"JFROG_URL": base_url, **({"JFROG_ACCESS_TOKEN": token} if token else {})}

    def list_secrets(self) -> Iterable[str]:
        """Return the passwords and API keys of the users, and the token for clients."""
        rows = self.runtime.db.execute("SELECT password, api_key FROM artifact_users")
        return filter(None, (self._state.tokens.get_exported(), *(secret for row in rows for secret in row)))

    async def __call__(self, request: Request) -> Response:
        """Handle a request."""
        await self._state.uploads.remove_expired()
        self._state.items.count_downloads()
        path = request.scope["raw_path"].decode("latin-1")
        try:
            self._check_request_line(request)
            if path.startswith("/access"):
                response = await self._handle_platform(request, path.removeprefix("/access"), ACCESS_ROUTES)
            elif path.startswith("/event"):
                response = await self._handle_platform(request, path.removeprefix("/event"), EVENT_ROUTES)
            elif path.startswith(unimplemented.OTHER_SERVICES):
                response = await self._handle_platform(request, path, OTHER_ROUTES)
            elif path.startswith("/lifecycle"):
                response = await self._handle_platform(request, path.removeprefix("/lifecycle"), LIFECYCLE_ROUTES)
            else:
                content_path.validate_encoding(path)
                is_registry = path.startswith(registry.ROOT)
                artifactory_path = (
                    registry.to_artifactory_path(path) if is_registry else path.removeprefix("/artifactory")
                )
                if request.method == "TRACE":
                    raise methods.trace_error(artifactory_path)
                response = await self._handle_artifactory(request, artifactory_path)
        except ApiError as error:
            response = error.to_response()
        version = self.runtime.get_switch("artifact", "version")
        if request.method == "HEAD" and not is_at_least(version, feature_versions.HEAD_HAS_CONTENT_LENGTH):
            _omit_length(response, path)
        response.headers["Server"] = f"Artifactory/{version}"
        response.headers["X-Artifactory-Id"] = NODE_ID
        response.headers["X-Artifactory-Node-Id"] = system_api.NODE_NAME
        if is_at_least(version, feature_versions.VERSION_HEADER):
            response.headers["X-JFrog-Version"] = f"Artifactory/{version} {build_revision(version)}"
        return response

    def _check_request_line(self, request: Request) -> None:
        line = b" ".join((request.method.encode(), _request_target(request), b"HTTP/1.1"))
        if len(line) > self.runtime.get_switch("artifact", "longest_request_line"):
            raise RequestLineTooLong

    async def _handle_platform(self, request: Request, path: str, routes: Routes) -> Response:
        is_oss = self.runtime.get_switch("artifact", "edition") == "oss"
        version = self.runtime.get_switch("artifact", "version")
        if is_oss or not is_at_least(version, feature_versions.PLATFORM):
            raise AccessError(404, "HTTP 404 Not Found")
        query = _parse_query(request)
        match = _select_routes(version, routes).find(request.method, path.rstrip("/"), query)
        if match.route is None:
            status = 405 if match.allowed_methods else 404
            raise AccessError(status, f"HTTP {status}")
        match.route.enter(request)
        return await match.route.handler(Call(request, self._state, query), **match.decoded_parameters)

    async def _handle_artifactory(self, request: Request, path: str) -> Response:
        if not path:  # the web server redirects to the root before authentication
            return Response(status_code=302, headers={"Location": str(request.url.replace(path="/artifactory/"))})
        # An encoded slash separates path segments, except in the names of builds.
        if not path.startswith("/api/build/"):
            path = content_path.strip_browser_prefix("/" + path.replace("%2F", "/").replace("%2f", "/").lstrip("/"))
        if path in HOME and request.method == "GET":  # before authentication
            return Response(status_code=302, headers={"Location": f"{Call(request, self._state, {}).base}/webapp/"})
        query = _parse_query(request)
        path = self._normalize_api_path(path) if path.startswith("/api/") else path
        routes = _select_routes(self.runtime.get_switch("artifact", "version"), ROUTES)
        match = routes.find(request.method, path, query)
        resource = _find_resource_without_method(routes, path, match)
        if match.route is not None and not resource:
            match.route.enter(request)
        call = Call(request, self._state, query)
        # Authenticate before any 404, so that unauthenticated callers cannot probe paths.
        call.principal = self._authenticate(request, match.route)
        if path == "/":
            call.require_existing_repository("")
        if match.route is None or resource:
            return _respond_without_route(call, resource)
        if call.is_oss and match.route.scope == PRO_SCOPE:
            raise ArtifactError(404)
        _require_acceptable(request, match.route)
        if "target" in match.parameters:
            call.require_existing_repository(call.parse_target(match.parameters["target"]).repo)
        return await match.route.handler(
            call, **{name: _decode_parameter(name, part) for name, part in match.parameters.items()}
        )

    def _normalize_api_path(self, path: str) -> str:
        """Return the path without a slash at its end, which old versions take for a part of the name of a build."""
        name = path.removeprefix("/api/build/")
        if name not in ("", path) and not self._state.supports(feature_versions.BUILD_NAMES_WITHOUT_SLASH):
            return OPEN_END.sub("%2F", path)
        return path.rstrip("/")

    def _authenticate(self, request: Request, route: Route | None) -> Principal:
        try:
            principal = self._state.accounts.identify(request)
        except InvalidCredentials as error:
            if route is not None and route.scope == registry.REGISTRY:
                raise registry.invalid_credentials_error(error.message) from None
            raise error.to_artifact_error() from None
        is_open = self.runtime.get_switch("artifact", "anonymous")
        if principal is not None and (is_open or not principal.anonymous):
            return principal
        if is_open:
            return self._state.accounts.get_anonymous()
        if route is not None and route.scope == registry.REGISTRY:
            return Principal(ANONYMOUS)
        raise ArtifactError(401, "Authentication is required", CHALLENGE)


def _omit_length(response: Response, path: str) -> None:
    """Answer HEAD with length 0 for API calls and folders."""
    if path.startswith("/artifactory/api/") or path.endswith("/"):
        response.headers["Content-Length"] = "0"


@functools.cache
def _select_routes(version: str, routes: Routes) -> Routes:
    """Return the routes of a version."""
    return routes.select(lambda route: route.since is None or is_at_least(version, route.since))


def _find_resource_without_method(routes: Routes, path: str, match: RouteMatch) -> list[Route]:
    """Return the routes of the resource at a path if the resource does not support the method.

    A family of unimplemented calls around the resource does not apply then.
    """
    if path.startswith("/api/") and (match.route is None or match.route.method == ANY):
        return routes.find_resource(path)
    return []


def _respond_without_route(call: Call, resource: list[Route]) -> Response:
    """Describe the resource if the method is OPTIONS, otherwise fail with 405 or 404."""
    available = [route for route in resource if not (call.is_oss and route.scope == PRO_SCOPE)]
    if not available or call.request.method != "OPTIONS":
        raise methods.method_not_allowed_error(available)
    return methods.describe_resource(available, str(call.request.url))


def _require_acceptable(request: Request, route: Route) -> None:
    """Fail with 406 if the client accepts no media type that the call produces."""
    produced = PRODUCED_TYPES.get(route.label)
    if produced and negotiate(join_accept(request), produced) is None:
        raise ArtifactError(406)


def _request_target(request: Request) -> bytes:
    return b"?".join(filter(None, (request.scope["raw_path"], request.scope["query_string"])))


def _parse_query(request: Request) -> dict[str, str]:
    """Return the query parameters. Of a repeated parameter, the first value counts."""
    pairs = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
    return dict(reversed(pairs))


def _decode_parameter(name: str, value: str) -> str:
    if name == "target":
        return value
    return decode_path(value) if name == "path" else unquote(value)
