# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Export of the state as the service's section of a seed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

from ...seeds.export import MAX_ITEMS, MAX_TEXT_SIZE, SeedExport, drop_empty, select_fields
from ..cleanup.policies import list_policies
from ..items.tree import TRASH_REPO
from ..keys.keypairs import list_keypairs
from ..keys.trusted_keys import list_trusted_keys
from ..lifecycle.bundles import Bundle
from ..platform import store as platform_store
from ..projects import member_api, project_api
from ..projects.store import BUILT_IN_ENVIRONMENTS
from ..replications.replications import list_replicated_repositories, list_replications
from ..repositories.repositories import CONFIGURATION_FIELDS
from ..state import State
from ..system.certificates import list_certificates
from ..system.configuration.store import Configuration
from .administration import REPLICATION_FIELDS
from .seed import BUILD_CHANGE_FIELDS, BUILD_FIELDS, MODULE_FIELDS

_ALWAYS_OMITTED = (
    "creation and modification times, checksums sent by clients, and statistics of files",
    "licenses, and switches other than version and edition",
)
_FILE_FIELDS = ("repo", "path", "size", "sha1", "sha256", "md5")
_CLAIM_FIELDS = ("username", "token_id", "scope", "issued_at", "expiry", "refreshable", "description")
_ROLE_FIELDS = ("name", "description", "environments", "actions")


def export_seed(state: State) -> SeedExport:
    """Return the section."""
    export = SeedExport({name: state.get_switch(name) for name in ("version", "edition")}, list(_ALWAYS_OMITTED))
    files = _export_files(state, export)
    export.section |= drop_empty(
        {
            "groups": [_export_account(group) for group in state.accounts.list_groups()],
            "users": [_export_account(user) for user in state.accounts.list_users()],
            "permissions": [
                {"name": permission.name, "resources": permission.resources}
                for permission in state.accounts.permissions.list_all()
            ],
            "tokens": _export_tokens(state, export),
            "certificates": [
                {"alias": alias, **certificate._asdict()} for alias, certificate in list_certificates(state).items()
            ],
            "keypairs": [{**pair._asdict(), "type": pair.type.lower()} for pair in list_keypairs(state).values()],
            "trusted_keys": [{"alias": key.alias, "key": key.key} for key in list_trusted_keys(state)],
            "repositories": _export_repositories(state, files),
            "items": [*_export_folders(state), *files.without_content],
            "environments": [name for name in state.projects.list_environments() if name not in BUILT_IN_ENVIRONMENTS],
            "projects": [_export_project(state, project) for project in state.projects.list_all()],
            "configuration": _export_configuration(state.configuration),
            "replications": [
                {"repoKey": repo, **drop_empty(select_fields(replication, REPLICATION_FIELDS))}
                for repo in list_replicated_repositories(state)
                for replication in list_replications(state, repo)
            ],
            "cleanup_policies": [drop_empty(policy) for policy in list_policies(state)],
            "webhooks": [
                drop_empty(json.loads(row["subscription"]))
                for row in state.runtime.db.execute("SELECT subscription FROM artifact_webhooks ORDER BY id")
            ],
            "saml_settings": [drop_empty(setting) for setting in state.sso.list_saml()],
            "oidc_providers": [_export_oidc_provider(state, provider) for provider in state.sso.list_providers()],
            "release_bundles": [_export_release_bundle(state, bundle) for bundle in state.release_bundles.list_all()],
            "builds": _export_builds(state),
        }
    )
    export.omit(
        platform_store.count(state), "settings for sign-on, global roles, stages, and policies for release bundles"
    )
    return export


def _export_oidc_provider(state: State, provider: dict[str, Any]) -> dict[str, Any]:
    mappings = state.sso.list_mappings(provider["name"])
    exported = [{name: mapping[name] for name in mapping if name != "provider_name"} for mapping in mappings]
    return drop_empty({**provider, "identity_mappings": exported})


def _export_account(account: dict[str, Any]) -> dict[str, Any]:
    about = account.pop("about")
    return drop_empty({**account, **about})


def _export_tokens(state: State, export: SeedExport) -> list[dict[str, Any]]:
    """Return the token for clients. The service stores only hashes of others."""
    exported = state.tokens.get_exported()
    claims = state.tokens.read_claims(exported) if exported else None
    stored = {claims.token_id for claims, _last_used in state.tokens.list_stored()}
    export.omit(len(stored - {claims and claims.token_id}), "access tokens, of which only hashes are stored")
    if claims is None or claims.token_id not in stored:
        return []
    return [{"token": exported, **drop_empty(select_fields(asdict(claims), _CLAIM_FIELDS)), "exported": True}]


@dataclass
class _Files:
    """Files with their content by repository and path, and items for other files."""

    with_content: dict[str, dict[str, Any]] = field(default_factory=dict)
    without_content: list[dict[str, Any]] = field(default_factory=list)


def _export_repositories(state: State, files: _Files) -> list[dict[str, Any]]:
    repositories = []
    for repository in state.repositories.list_all():
        storage = f"{repository.key}-cache" if repository.rclass == "remote" else repository.key
        sharing = state.projects.get_sharing(repository.key)
        settings = drop_empty(select_fields(repository.configuration, CONFIGURATION_FIELDS))
        content = {
            "shared_with_projects": sharing["projects"],
            "shared_with_all_projects": sharing["all"] or None,
            "shared_read_only": sharing["read_only"] or None,
            "files": files.with_content.get(storage),
        }
        repositories.append({"key": repository.key, "rclass": repository.rclass, **settings, **drop_empty(content)})
    return repositories


def _export_files(state: State, export: SeedExport) -> _Files:
    rows = state.runtime.db.execute(
        f"SELECT id, created_by, {', '.join(_FILE_FIELDS)} FROM artifact_items WHERE NOT folder AND repo <> ?"
        " ORDER BY id LIMIT ?",
        (TRASH_REPO, MAX_ITEMS),
    ).fetchall()
    files = _Files()
    for row in rows:
        content = _read_text(state, row["sha256"], row["size"])
        account, properties = row["created_by"], _export_properties(state, row["id"])
        if content is None:
            fields = {**select_fields(dict(row), _FILE_FIELDS), "created_by": account, "properties": properties}
            files.without_content.append(drop_empty(fields))
        else:
            file = {"content": content, **drop_empty({"by": account, "properties": properties})}
            files.with_content.setdefault(row["repo"], {})[row["path"]] = file
    (total,) = state.runtime.db.execute("SELECT count(*) FROM artifact_items WHERE NOT folder").fetchone()
    (trashed,) = state.runtime.db.execute(
        "SELECT count(*) FROM artifact_items WHERE NOT folder AND repo = ?", (TRASH_REPO,)
    ).fetchone()
    subject = f"contents of files that are binary or larger than {MAX_TEXT_SIZE} bytes"
    export.omit(len(files.without_content), subject)
    export.omit(total - trashed - len(rows), f"files after the first {MAX_ITEMS:,}")
    export.omit(trashed, "files in the trash can")
    return files


def _read_text(state: State, sha256: str | None, size: int) -> str | None:
    """Return the content of a file, or null if it is not a short text."""
    if not sha256 or size > MAX_TEXT_SIZE:
        return None
    try:
        return state.runtime.files.path(sha256).read_bytes().decode()
    except (FileNotFoundError, UnicodeDecodeError):
        return None


def _export_properties(state: State, item: int) -> dict[str, list[str]]:
    properties: dict[str, list[str]] = {}
    for row in state.runtime.db.execute(
        "SELECT name, value FROM artifact_properties WHERE item = ? ORDER BY id", (item,)
    ):
        properties.setdefault(row["name"], []).append(row["value"])
    return properties


def _export_folders(state: State) -> list[dict[str, Any]]:
    """Return the folders that are empty or have properties."""
    rows = state.runtime.db.execute(
        """
        SELECT id, repo, path FROM artifact_items AS folder
        WHERE folder AND path <> '' AND repo <> ? AND (
            EXISTS (SELECT 1 FROM artifact_properties WHERE item = folder.id)
            OR NOT EXISTS (SELECT 1 FROM artifact_items WHERE repo = folder.repo AND aql_path = folder.path)
        )
        ORDER BY id LIMIT ?
        """,
        (TRASH_REPO, MAX_ITEMS),
    ).fetchall()
    return [
        drop_empty(
            {
                "repo": row["repo"],
                "path": row["path"],
                "folder": True,
                "properties": _export_properties(state, row["id"]),
            }
        )
        for row in rows
    ]


def _export_project(state: State, project: dict[str, Any]) -> dict[str, Any]:
    key = project["project_key"]
    fields = ("project_key", "display_name", "admin_privileges", *project_api.DEFAULTS)
    return {
        **select_fields(project, fields),
        "environments": state.projects.list_environments(key),
        "roles": [select_fields(role, _ROLE_FIELDS) for role in state.projects.list_roles(key)],
        **{
            kind: [select_fields(member, ("name", "roles")) for member in state.projects.list_members(key, kind)]
            for kind in member_api.KINDS
        },
    }


def _export_configuration(configuration: Configuration) -> dict[str, Any]:
    """Return the sections that differ from those of a new server."""
    sections = configuration.load()
    return {name: value for name, value in sections.items() if value != configuration.load_section_of_new_server(name)}


def _export_release_bundle(state: State, bundle: Bundle) -> dict[str, Any]:
    fields = ("name", "version", "project", "created", "created_by", "messages", "source", "artifacts")
    promotions = [
        drop_empty(
            {
                "created": promotion.created_millis / 1000,
                **select_fields(asdict(promotion), ("environment", "created_by", "messages", "request", "artifacts")),
            }
        )
        for promotion in reversed(state.release_bundles.list_promotions(bundle))
    ]
    return drop_empty({**select_fields(asdict(bundle), fields), "promotions": promotions})


def _export_builds(state: State) -> list[dict[str, Any]]:
    rows = state.runtime.db.execute("SELECT * FROM artifact_builds ORDER BY id").fetchall()
    exported = []
    for row in rows:
        build = state.builds.find(row["project"], row["name"], row["number"], row["started"])
        assert build is not None
        record = {
            **select_fields(build.record, BUILD_FIELDS.split()),
            **drop_empty(select_fields(dict(row), (*BUILD_CHANGE_FIELDS, "project"))),
            "modules": [select_fields(module, MODULE_FIELDS.split()) for module in build.record.get("modules", ())],
            "promotions": [drop_empty(asdict(promotion)) for promotion in state.builds.list_promotions(build)],
        }
        exported.append(drop_empty(record))
    return exported
