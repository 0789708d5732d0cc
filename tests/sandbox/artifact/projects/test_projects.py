# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of projects and environments in the Access API."""

from __future__ import annotations

import pytest
import requests

from support.session import Session

PROJECTS = "/access/api/v1/projects"
WEB = f"{PROJECTS}/web"
ENVIRONMENTS = "/access/api/v1/environments"
ATTACH = f"{PROJECTS}/_/attach/repositories"
SHARE = f"{PROJECTS}/_/share/repositories"
STATUS = f"{PROJECTS}/_/repositories"
PROJECT = {"project_key": "web", "display_name": "Web"}
ROLE = {"name": "deployer", "type": "CUSTOM", "environments": ["DEV"], "actions": ["READ_REPOSITORY"]}
HAS_CONTENT = "project containing resources can't be removed"


@pytest.fixture
def platform(sandbox) -> Session:
    """Return a session of an administrator for a platform with the project `web` and the repository `libs`."""
    sandbox.switch("artifact", version="7.111.4")
    session = Session(sandbox.url, sandbox.environment["JFROG_ACCESS_TOKEN"])
    assert session.put("/artifactory/api/repositories/libs", json={"rclass": "local", "packageType": "npm"}).ok
    assert session.post(PROJECTS, json=PROJECT).status_code == 201
    return session


def error_of(response: requests.Response) -> tuple[int, str]:
    """Return status and message of an error response."""
    (error,) = response.json()["errors"]
    return response.status_code, error["message"]


def test_project_has_defaults_and_is_changed_and_deleted(platform):
    expected = {
        **PROJECT,
        "description": "",
        "storage_quota_bytes": -1,
        "soft_limit": False,
        "storage_quota_email_notification": True,
        "admin_privileges": {"manage_members": True, "manage_resources": True, "index_resources": True},
    }
    assert platform.get(WEB).json() == expected
    assert platform.get(PROJECTS).json() == [expected]
    changes = {"storage_quota_bytes": 2 * 1024**3, "admin_privileges": {"manage_members": False}}
    assert platform.put(WEB, json=changes).status_code == 200
    changed = platform.get(WEB).json()
    assert (changed["storage_quota_bytes"], changed["display_name"]) == (2 * 1024**3, "Web")
    assert changed["admin_privileges"]["manage_members"] is False
    assert platform.delete(WEB).status_code == 204
    assert error_of(platform.get(WEB)) == (404, "Project with key 'web' not found")
    assert platform.put(WEB, json=changes).status_code == platform.delete(WEB).status_code == 404


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"project_key": "W"}, 400),
        ({"project_key": "default"}, 400),
        ({"project_key": "web", "display_name": "Other"}, 409),
        ({"display_name": "Web"}, 409),
        ({"display_name": ""}, 400),
        ({"display_name": "x" * 129}, 400),
        ({"storage_quota_bytes": 1024}, 400),
        ({"soft_limit": "no"}, 400),
        ({"admin_privileges": {"manage_members": 1}}, 400),
    ],
)
def test_project_is_refused_when_a_field_is_invalid(platform, fields, status):
    body = {"project_key": "shop", "display_name": "Shop", **fields}
    assert error_of(platform.post(PROJECTS, json=body))[0] == status


def test_project_is_refused_when_the_license_permits_no_more(platform, sandbox):
    sandbox.switch("artifact", project_limit=1)
    refused = platform.post(PROJECTS, json={"project_key": "shop", "display_name": "Shop"})
    assert error_of(refused) == (400, "The maximum number of projects of the license has been reached")


def test_license_permits_as_many_projects_as_the_vendor_tests(platform):
    """The provider for Terraform has a test with 50 projects at the same time."""
    for number in range(50):
        body = {"project_key": f"shop{number}", "display_name": f"Shop {number}"}
        assert platform.post(PROJECTS, json=body).status_code == 201


@pytest.mark.parametrize(("kind", "name"), [("users", "reader"), ("groups", "readers")])
def test_member_is_added_changed_and_removed(platform, kind, name):
    members = f"{WEB}/{kind}"
    assert platform.get(members).json() == {"members": []}
    member = {"name": name, "roles": ["Developer"]}
    assert platform.put(f"{members}/{name}", json=member).json() == member
    assert platform.get(f"{members}/{name}").json() == member
    assert platform.put(f"{members}/{name}", json={"name": name, "roles": ["Viewer"]}).status_code == 200
    assert platform.get(members).json() == {"members": [{"name": name, "roles": ["Viewer"]}]}
    assert platform.delete(f"{members}/{name}").status_code == 204
    assert platform.delete(f"{members}/{name}").status_code == platform.get(f"{members}/{name}").status_code == 404


def test_member_is_refused_when_the_name_or_a_role_is_unknown(platform):
    for name, roles, status in (("nobody", ["Viewer"], 404), ("reader", ["Cook"], 400), ("reader", [], 400)):
        response = platform.put(f"{WEB}/users/{name}", json={"name": name, "roles": roles})
        assert error_of(response)[0] == status
    assert platform.get(f"{PROJECTS}/shop/users").status_code == 404


def test_custom_role_is_created_changed_and_deleted(platform):
    assert platform.post(f"{WEB}/roles", json=ROLE).status_code == 201
    assert platform.get(f"{WEB}/roles/deployer").json() == {**ROLE, "description": ""}
    changed = {**ROLE, "actions": ["READ_BUILD"], "description": "Deploys"}
    assert platform.put(f"{WEB}/roles/deployer", json=changed).json() == changed
    assert platform.put(f"{WEB}/roles/deployer", json={**changed, "description": ""}).json()["description"] == ""
    platform.put(f"{WEB}/users/reader", json={"name": "reader", "roles": ["deployer", "Viewer"]})
    platform.put(f"{WEB}/groups/readers", json={"name": "readers", "roles": ["deployer"]})
    assert platform.delete(f"{WEB}/roles/deployer").status_code == 204
    assert platform.get(f"{WEB}/users").json()["members"] == [{"name": "reader", "roles": ["Viewer"]}]
    assert platform.get(f"{WEB}/groups").json()["members"] == []
    assert platform.get(f"{WEB}/roles/deployer").status_code == 404


def test_role_is_refused_when_it_is_predefined_or_invalid(platform):
    types = {role["name"]: role["type"] for role in platform.get(f"{WEB}/roles").json()}
    assert (types["Project Admin"], types["Developer"]) == ("ADMIN", "PREDEFINED")
    for response in (
        platform.put(f"{WEB}/roles/Developer", json=ROLE),
        platform.delete(f"{WEB}/roles/Developer"),
        platform.post(f"{WEB}/roles", json={**ROLE, "environments": ["QA"]}),
        platform.post(f"{WEB}/roles", json={**ROLE, "actions": ["FLY"]}),
        platform.post(f"{WEB}/roles", json={**ROLE, "type": "ADMIN"}),
        platform.post(f"{WEB}/roles", json={**ROLE, "name": ""}),
    ):
        assert error_of(response)[0] == 400
    assert platform.post(f"{WEB}/roles", json={**ROLE, "name": "Viewer"}).status_code == 409


def test_global_environment_is_created_renamed_and_deleted(platform):
    assert platform.get(ENVIRONMENTS).json() == [{"name": "DEV"}, {"name": "PROD"}]
    assert platform.post(ENVIRONMENTS, json={"name": "QA"}).status_code == 201
    assert platform.post(ENVIRONMENTS, json={"name": "QA"}).status_code == 409
    platform.post(f"{WEB}/roles", json={**ROLE, "environments": ["DEV", "QA"]})
    assert platform.post(f"{ENVIRONMENTS}/QA/rename", json={"new_name": "TEST"}).status_code == 200
    assert platform.get(f"{WEB}/roles/deployer").json()["environments"] == ["DEV", "TEST"]
    assert platform.delete(f"{ENVIRONMENTS}/TEST").status_code == 204
    assert platform.get(f"{WEB}/roles/deployer").json()["environments"] == ["DEV"]
    assert platform.delete(f"{ENVIRONMENTS}/TEST").status_code == 404
    assert platform.delete(f"{ENVIRONMENTS}/DEV").status_code == 400
    assert platform.post(f"{ENVIRONMENTS}/PROD/rename", json={"new_name": "LIVE"}).status_code == 400


def test_environment_of_a_project_has_the_key_of_the_project_as_prefix(platform):
    environments = f"{WEB}/environments"
    assert platform.post(environments, json={"name": "qa"}).status_code == 400
    assert platform.post(environments, json={"name": "web-" + "x" * 29}).status_code == 400
    assert platform.post(environments, json={"name": "web-qa"}).status_code == 201
    assert platform.get(environments).json() == [{"name": "web-qa"}]
    platform.put(f"{ATTACH}/libs/web")
    platform.post("/artifactory/api/repositories/libs", json={"environments": ["web-qa"]})
    assert platform.post(f"{environments}/web-qa/rename", json={"new_name": "web-test"}).status_code == 200
    assert platform.get(f"{STATUS}/libs").json()["environments"] == ["web-test"]
    assert platform.delete(f"{environments}/web-test").status_code == 204
    assert platform.get(f"{STATUS}/libs").json()["environments"] == []


def test_environments_do_not_exist_before_the_version_that_introduced_them(platform, sandbox):
    sandbox.switch("artifact", version="7.50.3")
    assert platform.get(ENVIRONMENTS).status_code == platform.get(f"{WEB}/environments").status_code == 404


def test_repository_is_attached_moved_and_detached(platform):
    def keys_of(project):
        query = f"/artifactory/api/repositories?project={project}"
        return [entry["key"] for entry in platform.get(query).json()]

    platform.post(PROJECTS, json={"project_key": "shop", "display_name": "Shop"})
    assert platform.put(f"{ATTACH}/libs/web").status_code == 204
    assert platform.put(f"{ATTACH}/libs/web").status_code == 204
    assert keys_of("web") == ["libs"]
    assert platform.get("/artifactory/api/repositories/libs").json()["projectKey"] == "web"
    assert error_of(platform.put(f"{ATTACH}/libs/shop")) == (400, "Repository libs is already assigned to project web")
    assert platform.put(f"{ATTACH}/libs/shop?force=true").status_code == 204
    assert (keys_of("web"), keys_of("shop")) == ([], ["libs"])
    assert platform.delete(f"{ATTACH}/libs").status_code == 204
    assert keys_of("shop") == []
    assert platform.delete(f"{ATTACH}/libs").status_code == 400
    assert platform.put(f"{ATTACH}/other/web").status_code == platform.put(f"{ATTACH}/libs/other").status_code == 404


def test_repository_is_shared_with_one_or_all_projects(platform):
    not_shared = {
        "resource_name": "libs",
        "environments": [],
        "shared_with_projects": [],
        "shared_with_all_projects": False,
        "shared_read_only": False,
    }
    assert platform.get(f"{STATUS}/libs").json() == not_shared
    assert platform.put(f"{SHARE}/libs/web?readOnly=true").status_code == 204
    shared = {**not_shared, "shared_with_projects": ["web"], "shared_read_only": True}
    assert platform.get(f"{STATUS}/libs").json() == shared
    assert platform.put(f"{SHARE}/libs").status_code == 204
    assert platform.get(f"{STATUS}/libs").json()["shared_with_all_projects"] is True
    for path in (f"{SHARE}/libs", f"{SHARE}/libs/web"):
        assert platform.delete(path).status_code == 204
    assert platform.get(f"{STATUS}/libs").json() == not_shared
    assert platform.put(f"{SHARE}/libs/other").status_code == platform.get(f"{STATUS}/other").status_code == 404


def test_sharing_depends_on_the_version(platform, sandbox):
    sandbox.switch("artifact", version="7.90.1")
    platform.put(f"{SHARE}/libs/web?readOnly=true")
    assert platform.get(f"{STATUS}/libs").json()["shared_read_only"] is False
    sandbox.switch("artifact", version="7.90.0")
    assert platform.get(f"{STATUS}/libs").status_code == 404


def test_project_with_repositories_is_not_deleted(platform, sandbox):
    sandbox.clock(frozen=True)
    sandbox.switch("artifact", detachment_seconds=5)
    platform.put(f"{ATTACH}/libs/web")
    assert error_of(platform.delete(WEB)) == (400, HAS_CONTENT)
    platform.delete(f"{ATTACH}/libs")
    assert error_of(platform.delete(WEB)) == (400, HAS_CONTENT)
    sandbox.clock(advance=6)
    platform.put(f"{SHARE}/libs/web")
    platform.put(f"{WEB}/users/reader", json={"name": "reader", "roles": ["Viewer"]})
    assert platform.delete(WEB).status_code == 204
    assert platform.get(f"{STATUS}/libs").json()["shared_with_projects"] == []
    platform.post(PROJECTS, json=PROJECT)
    assert platform.get(f"{WEB}/users").json() == {"members": []}


def test_deleted_accounts_and_repositories_leave_their_projects(platform):
    platform.post("/access/api/v2/groups", json={"name": "crew"})
    platform.put(f"{WEB}/groups/crew", json={"name": "crew", "roles": ["Viewer"]})
    platform.put(f"{WEB}/users/reader", json={"name": "reader", "roles": ["Viewer"]})
    platform.put(f"{SHARE}/libs/web")
    assert platform.delete("/access/api/v2/groups/crew").status_code == 204
    assert platform.delete("/access/api/v2/users/reader").status_code == 204
    assert platform.get(f"{WEB}/groups").json() == platform.get(f"{WEB}/users").json() == {"members": []}


def test_further_privileges_depend_on_the_version_and_the_request(platform, sandbox):
    more = {"manage_remote_repository": True, "manage_security_assets": True}
    assert (
        "manage_remote_repository" not in platform.put(WEB, json={"admin_privileges": more}).json()["admin_privileges"]
    )
    sandbox.switch("artifact", version="7.134.0")
    privileges = platform.get(WEB).json()["admin_privileges"]
    assert (privileges["manage_remote_repository"], privileges["manage_security_assets"]) == (False, True)
    assert "allow_ignore_rules" not in privileges
    assert platform.put(WEB, json={"admin_privileges": more}).json()["admin_privileges"].items() >= more.items()


def test_project_administrator_manages_the_repositories_of_the_project(platform, sandbox):
    manager = Session(sandbox.url, ("reader", "sandbox-reader"))
    local, remote = "/artifactory/api/repositories/web-local", "/artifactory/api/repositories/web-remote"
    fields = {"rclass": "local", "projectKey": "web", "description": "a"}
    upstream = {"rclass": "remote", "projectKey": "web", "url": "https://example.com"}
    assert manager.put(local, json=fields).status_code == 403
    platform.put(f"{WEB}/users/reader", json={"name": "reader", "roles": ["Project Admin"]})
    assert manager.put(local, json={**fields, "projectKey": None}).status_code == 403
    assert manager.put(local, json=fields).status_code == manager.put(remote, json=upstream).status_code == 200
    assert manager.post(local, json={"notes": "b"}).status_code == 200
    assert manager.get(local).json().items() >= {"notes": "b", "projectKey": "web"}.items()
    assert manager.post("/artifactory/api/repositories/libs", json={"notes": "b"}).status_code == 403
    assert manager.delete(remote).status_code == 200
    sandbox.switch("artifact", version="7.134.0")
    assert manager.put(remote, json=upstream).status_code == 403
    platform.put(WEB, json={"admin_privileges": {"manage_remote_repository": True}})
    assert manager.put(remote, json=upstream).status_code == 200
    platform.put(WEB, json={"admin_privileges": {"manage_resources": False}})
    assert manager.delete(local).status_code == 403


def test_project_administrator_has_the_privileges_of_the_project(platform, sandbox):
    manager = Session(sandbox.url, ("reader", "sandbox-reader"))
    assert manager.get(PROJECTS).json() == []
    assert error_of(manager.get(WEB)) == (403, "Forbidden")
    platform.put(f"{WEB}/groups/readers", json={"name": "readers", "roles": ["Project Admin"]})
    platform.put(f"{WEB}/users/reader", json={"name": "reader", "roles": ["Project Admin"]})
    assert [project["project_key"] for project in manager.get(PROJECTS).json()] == ["web"]
    viewer = {"name": "admin", "roles": ["Viewer"]}
    assert manager.put(f"{WEB}/users/admin", json=viewer).status_code == 200
    platform.put(WEB, json={"admin_privileges": {"manage_members": False}})
    assert manager.put(f"{WEB}/users/admin", json=viewer).status_code == 403
    assert manager.put(WEB, json=PROJECT).status_code == manager.delete(WEB).status_code == 403
    assert manager.put(f"{ATTACH}/libs/web").status_code == manager.get(ENVIRONMENTS).status_code == 403
    sandbox.switch("artifact", access_requires_token=True)
    assert manager.get(PROJECTS).status_code == 401
    sandbox.switch("artifact", edition="oss")
    assert platform.get(PROJECTS).status_code == 404
