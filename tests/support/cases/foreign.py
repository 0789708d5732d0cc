# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of another client that a task must not undo: members of its object that the task does not manage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from support.cases import RESOURCES

# Options of a deletion that do not identify the object
_DELETION = {"state", "purge", "allow_delete_promoted", "allow_delete_section", "detach_repositories"}


@dataclass(frozen=True)
class ForeignChange:
    """A task and what another client does to the same object in the meantime.

    :ivar case: the case whose first step creates the object
    :ivar task: options of the task
    :ivar rival: options with which the other client runs the same module, or another module
    """

    case: str
    task: dict[str, Any]
    rival: dict[str, Any]
    rival_module: str = ""


def _identify(case: str) -> dict[str, Any]:
    return {name: value for name, value in RESOURCES[case].absent.items() if name not in _DELETION}


def _unmanaged(case: str, **rival: Any) -> ForeignChange:
    """Return the change of members that the second step of a case does not manage."""
    return ForeignChange(case, RESOURCES[case].update, {**_identify(case), **rival})


def _beside(case: str, task: dict[str, Any], rival: dict[str, Any]) -> ForeignChange:
    """Return a task that adds to an object while another client adds something else."""
    return ForeignChange(case, {**_identify(case), **task}, {**_identify(case), **rival})


_PROPERTIES = ("artifact_properties", {"properties": {"theirs": "1"}})
_USERS = ("users", {"reader": ["read"]})
_LIMIT = {"model": "gpt-4o", "max_requests_per_1_minute": 77}
_FILE = RESOURCES["artifact_file"]
_FOLDER = RESOURCES["ci_folder"]

FOREIGN_CHANGES: dict[str, ForeignChange] = {
    **{
        change.case: change
        for change in (
            _unmanaged(
                "artifact_repository",
                type="remote",
                package_type="npm",
                remote_url="https://registry.npmjs.org",
                description="theirs",
            ),
            _unmanaged("artifact_group", external_id="theirs"),
            _unmanaged("artifact_project", display_name="Theirs"),
            _unmanaged("artifact_user", internal_password_disabled=True),
            _unmanaged("artifact_configuration", configuration={"proxies": {"corporate": {"port": 3129}}}),
            _unmanaged("artifact_backup", retention_period_hours=24),
            _unmanaged("artifact_layout", folder_integration_revision_regexp="THEIRS"),
            _unmanaged("artifact_mail", host="mail.example.com", smtp_username="theirs"),
            _unmanaged("artifact_proxy", proxy_username="theirs"),
            _unmanaged("artifact_ldap", email_attribute="theirs", manager_password="of theirs"),
            _unmanaged("artifact_oidc", description="theirs"),
            _unmanaged(
                "artifact_replication", cron="0 0 4 * * ?", targets=RESOURCES["artifact_replication"].create["targets"]
            ),
            _unmanaged("artifact_saml", logout_url="https://theirs.example.com"),
            _unmanaged("artifact_cleanup_policy", description="theirs"),
            _unmanaged("ci_authorization server", groups={"theirs": ["Overall/Read"]}),
            _unmanaged(
                "ci_credential", type="username_password", credential_username="theirs", credential_password="of theirs"
            ),
            _unmanaged("ci_credential_domain", description="theirs"),
            _unmanaged("ci_lockable_resource", labels=["theirs"]),
            _unmanaged("ci_script_approval", signature="staticMethod java.lang.Math abs double"),
            _unmanaged("ci_view", description="theirs"),
            _unmanaged("ci_node", description="theirs"),
            _unmanaged("ci_job", type="freestyle", retention={"keep_builds": 5}),
            _unmanaged("review_group", users=["admin"], append=True),
            _unmanaged("review_defect_type", defect_types=[{"code": "UNINIT*", "severity": 1}]),
        )
    },
    "artifact_file and its properties": ForeignChange(
        "artifact_file",
        {**_FILE.create, "content": "the second"},
        {**_identify("artifact_file"), **_PROPERTIES[1]},
        _PROPERTIES[0],
    ),
    **{
        case: ForeignChange(case, RESOURCES[case].update, {**RESOURCES[case].update, "properties": {"theirs": "1"}})
        for case in ("artifact_properties", "artifact_properties of a tree")
    },
    "artifact_webhook and its state": ForeignChange(
        "artifact_webhook",
        {**RESOURCES["artifact_webhook"].create, "description": "ours"},
        {**RESOURCES["artifact_webhook"].create, "enabled": False},
    ),
    "artifact_group and its members": _beside("artifact_group", {"members": ["admin"]}, {"members": [], "purge": True}),
    "artifact_permission and its users": _beside(
        "artifact_permission",
        {"repositories": {"groups": {"readers": ["read"]}}},
        {"repositories": {"users": {"reader": ["read"]}}},
    ),
    "artifact_permission and its builds": _beside(
        "artifact_permission",
        {"repositories": {"groups": {"readers": ["read"]}}},
        {"builds": {"targets": {"artifactory-build-info": {}}, "users": {"reader": ["read"]}}},
    ),
    "artifact_project and its members": _beside(
        "artifact_project",
        {"description": "of ours", "members": [{"group": "readers", "roles": ["Viewer"]}]},
        {"members": [{"user": "admin", "roles": ["Developer"]}]},
    ),
    "artifact_property_set and its properties": _beside(
        "artifact_property_set",
        {"visible": False},
        {"properties": [{"name": "theirs"}]},
    ),
    "ci_authorization and its groups": _beside(
        "ci_authorization", {"users": {"reader": ["Job/Build"]}}, {"groups": {"theirs": ["Job/Read"]}}
    ),
    "ci_configuration and other members": ForeignChange(
        "ci_configuration",
        {"configuration": {"jenkins": {"systemMessage": "ours"}}},
        {"configuration": {"jenkins": {"quietPeriod": 7}}},
    ),
    "ci_folder and its credentials": ForeignChange(
        "ci_folder",
        _FOLDER.update,
        {"folder": _FOLDER.create["name"], "id": "theirs", "type": "secret_text", "secret": "of theirs"},
        "ci_credential",
    ),
    "ci_user and its name": _beside("ci_user", {"description": "ours"}, {"full_name": "Theirs"}),
    "ci_view and its jobs": _beside("ci_view", {"jobs": ["deploy"]}, {"jobs": ["nightly"]}),
    "inference_rate_limit and other limits": ForeignChange(
        "inference_rate_limit",
        {"project_id": "proj_sandbox", "limits": [{"model": "gpt-4o", "max_tokens_per_1_minute": 2000}]},
        {"project_id": "proj_sandbox", "limits": [_LIMIT]},
    ),
    "review_role and its assignments": _beside(
        "review_role", {"permissions": {"access_source_files": True}}, {"assignments": [{"account": "bob"}]}
    ),
    "review_view and its tags": _beside("review_view", {"query": "severity:1-2"}, {"tags": ["theirs"]}),
    "review_module and its tags": _beside("review_module", {"paths": ["**/gui/*"]}, {"tags": ["theirs"]}),
    "review_project and its tags": ForeignChange(
        "review_project", {"name": "platform", "description": "ours"}, {"name": "platform", "tags": ["theirs"]}
    ),
    "review_issue and its status": ForeignChange(
        "review_issue",
        {"project": "mobile-app", "query": "severity:1-3", "owner": "bob"},
        {"project": "mobile-app", "query": "severity:1-3", "status": "Fix"},
    ),
}
