# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Administrative objects of a seed, such as projects and webhooks, by the rules of their APIs."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from ...parsing.pem import Certificate
from ...seeds.schema import ANY_VALUE, SeedError, mapping_schema
from ..cleanup import policies
from ..keys.key_texts import PUBLIC_LABELS, parse_key
from ..keys.keypairs import KeyPair, save_keypair
from ..keys.trusted_keys import parse_trusted_key, save_trusted_key
from ..projects import environment_api, member_api, project_api, role_api
from ..protocol.errors import AccessError, ArtifactError
from ..protocol.formats import parse_seed_time
from ..replications import replications
from ..sso import oidc_rules, saml_api
from ..state import State
from ..system.certificates import save_certificate
from ..system.configuration.schema import SECTIONS
from ..system.configuration.store import check_references, complete_document
from ..system.configuration.values import UnknownRepository, ViolatesSchema
from ..webhooks.subscriptions import parse_subscription, save_subscription

# Lifetime in seconds of a certificate whose end is not set
DEFAULT_LIFETIME = 31_536_000
_MEMBERS = [mapping_schema("name! roles!")]
REPLICATION_FIELDS = (
    *replications.COMMON_DEFAULTS,
    *replications.PUSH_DEFAULTS,
    *replications.PATTERNS,
    *replications.PREFIX,
)
# Fields of a repository in a seed that say with which projects it is shared.
SHARING_FIELDS = ("shared_with_projects", "shared_with_all_projects", "shared_read_only")
SCHEMAS = {
    "certificates": [mapping_schema(f"alias! expires_in {' '.join(Certificate._fields)}")],
    "keypairs": [mapping_schema("name! type! public_key! alias")],
    "trusted_keys": [mapping_schema("alias! key!")],
    "environments": [ANY_VALUE],
    "projects": [
        mapping_schema(
            f"project_key! display_name! admin_privileges {' '.join(project_api.DEFAULTS)}",
            environments=[ANY_VALUE],
            roles=[mapping_schema("name! description environments actions")],
            users=_MEMBERS,
            groups=_MEMBERS,
        )
    ],
    "configuration": mapping_schema(" ".join(name for name, kind in SECTIONS.items() if kind is not None)),
    "replications": [mapping_schema(f"repoKey! cronExp! {' '.join(REPLICATION_FIELDS)}")],
    "cleanup_policies": [mapping_schema(f"key! searchCriteria! {' '.join(policies.SEED_FIELDS)}")],
    "webhooks": [mapping_schema("key! event_filter! handlers! description enabled project_key")],
    "saml_settings": [mapping_schema(" ".join(saml_api.FIELDS))],
    "oidc_providers": [
        mapping_schema(
            " ".join(oidc_rules.PROVIDER_FIELDS),
            identity_mappings=[mapping_schema(" ".join(oidc_rules.MAPPING_FIELDS))],
        )
    ],
    "release_bundles": [
        mapping_schema(
            "name! version! project created created_by messages source",
            artifacts=[mapping_schema("path! checksum! source_repository_key! package_type size properties")],
            promotions=[mapping_schema("environment! created created_by messages request artifacts")],
        )
    ],
}


def add_administration(state: State, data: dict[str, Any]) -> None:
    """Add the objects of a seed that refer to its accounts and repositories."""
    _add_all(state, data, "certificates", "alias", _add_certificate)
    _add_all(state, data, "keypairs", "name", _add_keypair)
    _add_all(state, data, "trusted_keys", "alias", _add_trusted_key)
    for name in data.get("environments", ()):
        if name not in state.projects.list_environments():
            with _locate(f"environments, {name}"):
                _add_environment(state, "", name)
    _add_all(state, data, "projects", "project_key", _add_project)
    if "configuration" in data:
        _replace_sections(state, data["configuration"])
    _add_all(state, data, "replications", "repoKey", _add_replication)
    _add_all(state, data, "cleanup_policies", "key", _add_cleanup_policy)
    _add_all(state, data, "webhooks", "key", _add_webhook)
    _add_all(state, data, "saml_settings", "name", _add_saml_setting)
    _add_all(state, data, "oidc_providers", "name", _add_oidc_provider)
    _add_all(state, data, "release_bundles", "name", _add_release_bundle)


def _add_all(
    state: State, data: dict[str, Any], kind: str, name_field: str, add: Callable[[State, dict[str, Any]], None]
) -> None:
    """Add all objects of a kind.

    :arg name_field: the field with the name for error messages
    """
    for seed in data.get(kind, ()):
        with _locate(f"{kind}, {seed.get(name_field)}"):
            add(state, seed)


def share_repository(state: State, repository: dict[str, Any]) -> None:
    """Share a repository with the projects that its seed names."""
    is_read_only = bool(repository.get("shared_read_only"))
    with _locate(f"repositories, {repository['key']}"):
        for project in repository.get("shared_with_projects", ()):
            if state.projects.find(project) is None:
                raise SeedError(f"The project '{project}' in 'shared_with_projects' does not exist.")
            state.projects.share(repository["key"], project, is_read_only)
        if repository.get("shared_with_all_projects"):
            state.projects.share(repository["key"], None, is_read_only)


@contextlib.contextmanager
def _locate(place: str) -> Iterator[None]:
    """Say in error messages to which object of the seed they apply."""
    try:
        yield
    except (AccessError, ArtifactError, SeedError) as error:
        raise SeedError(f"{place}: {error}") from error


def _add_certificate(state: State, seed: dict[str, Any]) -> None:
    alias, now = seed["alias"], state.runtime.clock.now()
    issued_to = seed.get("issued_to", alias)
    certificate = Certificate(
        issued_to=issued_to,
        issued_by=seed.get("issued_by", issued_to),
        issued_on=parse_seed_time(seed.get("issued_on", now)),
        valid_until=parse_seed_time(seed.get("valid_until", now + seed.get("expires_in", DEFAULT_LIFETIME))),
        fingerprint=seed.get("fingerprint", hashlib.sha256(alias.encode()).digest().hex(":").upper()),
    )
    save_certificate(state, alias, certificate)


def _add_keypair(state: State, seed: dict[str, Any]) -> None:
    """Add the public part of a key pair. The private part is not needed, because the sandbox signs nothing."""
    name, pair_type = seed["name"], str(seed["type"]).upper()
    if pair_type not in PUBLIC_LABELS:
        raise SeedError(f"'{seed['type']}' is not a type of key pairs.")
    try:
        parse_key(seed["public_key"], PUBLIC_LABELS[pair_type])
    except ValueError as error:
        raise SeedError("'public_key' is not a public key of this type.") from error
    save_keypair(state, KeyPair(name, pair_type, seed.get("alias", name), seed["public_key"]))


def _add_environment(state: State, project: str, name: Any) -> None:
    environment_api.check_new_name(state.projects, project, name)
    state.projects.add_environment(name, project)


def _add_project(state: State, seed: dict[str, Any]) -> None:
    key = seed["project_key"]
    project = project_api.change_project(state, project_api.create_default_project(key), seed)
    state.projects.clear(key)
    state.projects.save(project)
    for name in seed.get("environments", ()):
        _add_environment(state, key, name)
    for role in seed.get("roles", ()):
        state.projects.save_role(key, role_api.build_role(state.projects, key, role))
    for kind in member_api.KINDS:
        for member in seed.get(kind, ()):
            member_api.put_member(state, key, kind, member["name"], member["roles"])


def _replace_sections(state: State, sections: dict[str, Any]) -> None:
    document = {**state.configuration.load(), **sections}
    try:
        completed = complete_document(document)
        check_references(completed, {repository.key for repository in state.repositories.list_all()})
    except UnknownRepository as error:
        raise SeedError(f"configuration: the repository '{error.key}' does not exist.") from error
    except ViolatesSchema as error:
        raise SeedError(f"configuration.{error} is unknown, missing, duplicate or of the wrong type.") from error
    state.configuration.save(completed)


def _add_replication(state: State, seed: dict[str, Any]) -> None:
    repository = replications.require_repository(state, seed["repoKey"])
    replication = replications.build_replication(state, repository, seed, None)
    replications.save_replication(state, repository.key, replication)


def _add_webhook(state: State, seed: dict[str, Any]) -> None:
    # The policy for URLs applies to changes. Existing subscriptions can be older.
    proxies = state.descriptor.list_names("proxies")
    save_subscription(state, parse_subscription(seed, proxies, allows_private_targets=True))


def _add_oidc_provider(state: State, seed: dict[str, Any]) -> None:
    provider = oidc_rules.parse_provider(seed)
    state.sso.save_provider(provider)
    for entry in seed.get("identity_mappings", ()):
        project = entry.get("project_key", provider.get("project_key", ""))
        mapping = oidc_rules.parse_mapping(entry, provider["name"], project, oidc_rules.UNLIMITED)
        state.sso.save_mapping(provider["name"], mapping)


def _add_release_bundle(state: State, seed: dict[str, Any]) -> None:
    bundles = state.release_bundles
    existing = bundles.find(seed.get("project", ""), seed["name"], seed["version"])
    if existing is not None:
        bundles.delete(existing)
    fields = {name: value for name, value in seed.items() if name not in ("artifacts", "promotions")}
    artifacts = [{"package_type": "generic", "size": 0, "properties": [], **one} for one in seed.get("artifacts", ())]
    bundle = bundles.add(**{"project": "", **fields, **_parse_times(seed), "artifacts": artifacts})
    for promotion in seed.get("promotions", ()):
        times = _parse_times(promotion)
        millis = {"created_millis": round(times["created"] * 1000)} if times else {}
        fields = {name: value for name, value in promotion.items() if name != "created"}
        completed = {"completed": times["completed"]} if times else {}
        bundles.add_promotion(bundle, **{"artifacts": [], **fields, **millis, **completed})


def _parse_times(seed: dict[str, Any]) -> dict[str, float]:
    """Return the times of a change that was complete at once, if its seed has one."""
    return dict.fromkeys(("created", "completed"), parse_seed_time(seed["created"])) if "created" in seed else {}


def _add_trusted_key(state: State, seed: dict[str, Any]) -> None:
    save_trusted_key(state, parse_trusted_key(seed["alias"], seed["key"]))


def _add_cleanup_policy(state: State, seed: dict[str, Any]) -> None:
    policies.save_policy(state, policies.build_policy(seed, state))


def _add_saml_setting(state: State, seed: dict[str, Any]) -> None:
    state.sso.save_saml(saml_api.parse_setting(seed))
