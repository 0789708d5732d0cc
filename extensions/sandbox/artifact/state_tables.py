# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of the state in the control API."""

from __future__ import annotations

from ..runtime.state_tables import StateTables

# The names in a member of a permission, for all resource types.
_NAMES = """
    SELECT DISTINCT entry.key AS name
    FROM json_each(resources) AS resource, json_each(resource.value, '$.{path}') AS entry
"""
_QUERIES = {
    "repositories": """
        SELECT key,
            json_extract(configuration, '$.rclass') AS class,
            json_extract(configuration, '$.packageType') AS package_type,
            coalesce(files, 0) AS files,
            CASE json_extract(configuration, '$.rclass') WHEN 'virtual' THEN '' ELSE 'items' END AS _nested
        FROM artifact_repositories LEFT JOIN (
            SELECT repo, count(*) AS files FROM artifact_items WHERE NOT folder GROUP BY repo
        ) ON repo = CASE json_extract(configuration, '$.rclass') WHEN 'remote' THEN key || '-cache' ELSE key END
        ORDER BY key
    """,
    "users": """
        SELECT name,
            CASE WHEN admin THEN 'yes' ELSE 'no' END AS admin,
            CASE WHEN locked THEN 'yes' ELSE 'no' END AS locked,
            (SELECT group_concat(value, ', ') FROM json_each(artifact_users.groups)) AS groups
        FROM artifact_users ORDER BY name
    """,
    "groups": """
        SELECT name,
            CASE WHEN json_extract(about, '$.admin_privileges') THEN 'yes' ELSE 'no' END AS admin,
            CASE WHEN json_extract(about, '$.auto_join') THEN 'yes' ELSE 'no' END AS auto_join,
            coalesce(members, 0) AS members
        FROM artifact_groups LEFT JOIN (
            SELECT value AS member_of, count(*) AS members
            FROM artifact_users, json_each(artifact_users.groups) GROUP BY value
        ) ON member_of = name
        ORDER BY name
    """,
    "tokens": """
        SELECT token_id,
            json_extract(claims, '$.description') AS description,
            json_extract(claims, '$.username') AS subject,
            json_extract(claims, '$.scope') AS scope,
            strftime('%Y-%m-%dT%H:%M:%SZ', json_extract(claims, '$.issued_at'), 'unixepoch') AS issued,
            coalesce(strftime('%Y-%m-%dT%H:%M:%SZ', json_extract(claims, '$.expiry'), 'unixepoch'), 'never') AS expires
        FROM artifact_tokens ORDER BY rowid
    """,
    "certificates": """
        SELECT alias, issued_to, issued_by,
            strftime('%Y-%m-%dT%H:%M:%SZ', issued_on, 'unixepoch') AS issued,
            strftime('%Y-%m-%dT%H:%M:%SZ', valid_until, 'unixepoch') AS expires
        FROM artifact_certificates ORDER BY alias
    """,
    "keypairs": "SELECT name, lower(type) AS type, alias FROM artifact_keypairs ORDER BY name",
    "trusted_keys": "SELECT alias, kid, fingerprint, issued_by FROM artifact_trusted_keys ORDER BY alias",
    "permissions": f"""
        SELECT name,
            (SELECT group_concat(name, ', ') FROM ({_NAMES.format(path="targets")})) AS targets,
            (SELECT count(*) FROM ({_NAMES.format(path="actions.users")})) AS users,
            (SELECT count(*) FROM ({_NAMES.format(path="actions.groups")})) AS groups
        FROM artifact_permissions ORDER BY name
    """,
    "projects": """
        SELECT key,
            json_extract(project, '$.display_name') AS display_name,
            (SELECT count(*) FROM artifact_project_members WHERE project = key) AS members,
            (
                SELECT count(*) FROM artifact_repositories
                WHERE json_extract(configuration, '$.projectKey') = artifact_projects.key
            ) AS repositories
        FROM artifact_projects ORDER BY key
    """,
    "replications": """
        SELECT repo AS repository,
            CASE WHEN url = '' THEN 'pull' ELSE 'push' END AS type,
            CASE WHEN json_extract(configuration, '$.enabled') THEN 'yes' ELSE 'no' END AS enabled,
            json_extract(configuration, '$.cronExp') AS schedule
        FROM artifact_replications ORDER BY repo, id
    """,
    "webhooks": """
        SELECT key,
            CASE WHEN json_extract(subscription, '$.enabled') THEN 'yes' ELSE 'no' END AS enabled,
            json_extract(subscription, '$.event_filter.domain') AS domain,
            json_array_length(subscription, '$.handlers') AS handlers
        FROM artifact_webhooks ORDER BY id
    """,
    "licenses": """
        SELECT hash,
            json_extract(license, '$.type') AS type,
            json_extract(license, '$.licensedTo') AS licensed_to,
            json_extract(license, '$.validThrough') AS valid_through
        FROM artifact_licenses ORDER BY id
    """,
    "cleanup_policies": """
        SELECT key,
            CASE WHEN json_extract(policy, '$.enabled') THEN 'yes' ELSE 'no' END AS enabled,
            json_extract(policy, '$.cronExp') AS schedule,
            coalesce(json_extract(policy, '$.projectKey'), '') AS project
        FROM artifact_cleanup_policies ORDER BY key
    """,
    "platform_objects": "SELECT kind, key FROM artifact_platform_objects ORDER BY kind, key",
    "ldap_settings": """
        SELECT setting.key,
            CASE WHEN json_extract(setting.value, '$.enabled') THEN 'yes' ELSE 'no' END AS enabled,
            json_extract(setting.value, '$.ldapUrl') AS url,
            (
                SELECT count(*) FROM json_each(configuration.value, '$.ldapGroupSettings') AS entry
                WHERE json_extract(entry.value, '$.enabledLdap') = setting.key
            ) AS groups
        FROM artifact_configuration AS configuration, json_each(configuration.value, '$.ldapSettings') AS setting
        WHERE section = 'security' ORDER BY setting.key
    """,
    "saml_settings": """
        SELECT name,
            CASE WHEN json_extract(setting, '$.enable_integration') THEN 'yes' ELSE 'no' END AS enabled,
            json_extract(setting, '$.login_url') AS login_url
        FROM artifact_saml_settings ORDER BY name
    """,
    "oidc_providers": """
        SELECT name,
            json_extract(provider, '$.provider_type') AS type,
            json_extract(provider, '$.issuer_url') AS issuer_url
        FROM artifact_oidc_providers ORDER BY name
    """,
    "release_bundles": """
        SELECT id AS _id, name, version, project, json_array_length(artifacts) AS artifacts,
            CASE WHEN messages = '[]' THEN 'no' ELSE 'yes' END AS failed
        FROM artifact_release_bundles ORDER BY project, name, id
    """,
    "builds": "SELECT name, count(*) AS runs FROM artifact_builds GROUP BY name ORDER BY name",
}

_ITEM = """
    SELECT item.id AS _id, item.name || CASE WHEN item.folder THEN '/' ELSE '' END AS name, item.size, item.sha256,
        strftime('%Y-%m-%dT%H:%M:%SZ', item.modified, 'unixepoch') AS modified, item.modified_by,
        CASE WHEN item.folder THEN 'contents,' ELSE '' END ||
            CASE WHEN EXISTS (SELECT 1 FROM artifact_properties WHERE item = item.id) THEN 'properties' ELSE '' END
            AS _nested
"""
_NESTED_QUERIES = {
    "items": f"""
        {_ITEM} FROM artifact_items AS item
        WHERE item.repo = (
            SELECT CASE json_extract(configuration, '$.rclass') WHEN 'remote' THEN key || '-cache' ELSE key END
            FROM artifact_repositories WHERE key = :parent
        ) AND item.aql_path = '.' AND item.path <> ''
        ORDER BY item.aql_name
    """,
    "contents": f"""
        {_ITEM} FROM artifact_items AS folder
        JOIN artifact_items AS item ON item.repo = folder.repo AND item.aql_path = folder.path
        WHERE folder.id = :parent AND folder.folder
        ORDER BY item.aql_name
    """,
    "properties": "SELECT name, value FROM artifact_properties WHERE item = :parent ORDER BY name, value",
    "grants": """
        SELECT resource.key AS resource, substr(kind.key, 1, length(kind.key) - 1) AS kind, entry.key AS name,
            (SELECT group_concat(value, ', ') FROM json_each(entry.value)) AS actions
        FROM artifact_permissions, json_each(resources) AS resource, json_each(resource.value, '$.actions') AS kind,
            json_each(kind.value) AS entry
        WHERE artifact_permissions.name = :parent
    """,
    "identity_mappings": """
        SELECT name,
            json_extract(mapping, '$.priority') AS priority,
            json_extract(mapping, '$.claims') AS claims,
            json_extract(mapping, '$.token_spec.username') AS username,
            json_extract(mapping, '$.token_spec.scope') AS scope
        FROM artifact_oidc_mappings WHERE provider = :parent ORDER BY json_extract(mapping, '$.priority'), name
    """,
    "promotions": """
        SELECT environment, strftime('%Y-%m-%dT%H:%M:%SZ', created_millis / 1000, 'unixepoch') AS created, created_by,
            CASE WHEN messages = '[]' THEN 'no' ELSE 'yes' END AS failed
        FROM artifact_release_bundle_promotions WHERE bundle = :parent ORDER BY created_millis
    """,
    "runs": """
        SELECT number, strftime('%Y-%m-%dT%H:%M:%SZ', started, 'unixepoch') AS started,
            (SELECT count(*) FROM artifact_build_modules WHERE build = run.id) AS modules,
            (SELECT status FROM artifact_build_promotions WHERE build = run.id ORDER BY id DESC) AS promotion
        FROM artifact_builds AS run WHERE name = :parent ORDER BY started DESC
    """,
}
STATE_TABLES = StateTables(
    _QUERIES,
    _NESTED_QUERIES,
    {
        "permissions": ("grants",),
        "builds": ("runs",),
        "oidc_providers": ("identity_mappings",),
        "release_bundles": ("promotions",),
    },
)
