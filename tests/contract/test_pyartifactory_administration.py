# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The independent client pyartifactory administers the Artifactory sandbox."""

from __future__ import annotations

from typing import Any

import pytest
from pyartifactory import Artifactory
from pyartifactory.exception import (
    GroupNotFoundError,
    PermissionAlreadyExistsError,
    PermissionNotFoundError,
    RepositoryNotFoundError,
    UserAlreadyExistsError,
    UserNotFoundError,
)
from pyartifactory.models import (
    FederatedRepository,
    Group,
    LocalRepository,
    NewUser,
    Permission,
    RemoteRepository,
    User,
    VirtualRepository,
)
from pyartifactory.models.permission import PermissionV2
from pyartifactory.models.repository import PackageTypeEnum
from pydantic import SecretStr

from sandbox.client import Sandbox

ADMIN = ("admin", SecretStr("sandbox-admin"))
UPSTREAM = "https://registry.example.com"
# Package types without one of the classes
NO_LOCAL = ("p2", "vcs")
NO_REMOTE = ("vagrant", "terraformbackend")
NO_VIRTUAL = ("cargo", "huggingfaceml", "terraformbackend", "vagrant", "vcs")
NO_FEDERATED = ("p2", "terraformbackend", "vcs")


@pytest.fixture
def administration_v1(sandbox: Sandbox) -> Artifactory:
    return Artifactory(f"{sandbox.url}/artifactory", auth=ADMIN, api_version=1)


@pytest.fixture
def administration_v2(sandbox: Sandbox) -> Artifactory:
    return Artifactory(f"{sandbox.url}/artifactory", auth=ADMIN, api_version=2)


@pytest.fixture
def repositories(sandbox: Sandbox, administration_v2: Artifactory) -> Any:
    """Return the client's repositories on a server with all classes."""
    sandbox.switch("artifact", edition="enterprise")
    return administration_v2.repositories


def types_without(*names: str) -> list[str]:
    """Return all package types of the client except some."""
    return [entry.value for entry in PackageTypeEnum if entry.value not in names]


@pytest.mark.parametrize(
    ("model", "missing", "members"),
    [
        (LocalRepository, NO_LOCAL, {}),
        (RemoteRepository, NO_REMOTE, {"url": UPSTREAM}),
        (VirtualRepository, NO_VIRTUAL, {}),
        (FederatedRepository, NO_FEDERATED, {"members": []}),
    ],
)
def test_repositories_of_all_package_types_are_created_changed_and_deleted(
    repositories: Any, model: Any, missing: tuple[str, ...], members: dict[str, Any]
) -> None:
    for package_type in types_without(*missing):
        repository = model(key=f"new-{package_type}", packageType=package_type, description="of the client", **members)
        created = repositories.create_repo(repository)
        assert created.packageType == ("rpm" if package_type == "yum" else package_type)
        repository.notes = "changed"
        assert repositories.update_repo(repository).notes == "changed"
        repositories.delete(repository.key)
        with pytest.raises(RepositoryNotFoundError):
            repositories.get_repo(repository.key)


def test_users_are_created_changed_unlocked_and_deleted(administration_v1: Artifactory) -> None:
    administration_v1.groups.create(Group(name="web", description="Web team"))
    user = NewUser(name="carol", email="carol@example.com", password=SecretStr("Passw0rd!"), groups=["web"])
    created = administration_v1.users.create(user)
    assert (created.name, created.email, set(created.groups or ())) == ("carol", "carol@example.com", {"web"})
    with pytest.raises(UserAlreadyExistsError):
        administration_v1.users.create(user)
    changed = administration_v1.users.update(User(name="carol", email="c@example.com", groups=["web"]))
    assert changed.email == "c@example.com"
    assert "carol" in {entry.name for entry in administration_v1.users.list()}
    administration_v1.users.unlock("carol")
    administration_v1.users.delete("carol")
    with pytest.raises(UserNotFoundError):
        administration_v1.users.get("carol")


def test_groups_are_created_changed_and_deleted(administration_v1: Artifactory) -> None:
    administration_v1.groups.create(Group(name="web", description="Web team"))
    assert administration_v1.groups.update(Group(name="web", description="Web", autoJoin=True)).autoJoin
    assert "web" in {entry.name for entry in administration_v1.groups.list()}
    administration_v1.groups.delete("web")
    with pytest.raises(GroupNotFoundError):
        administration_v1.groups.get("web")


def permission(letter: str) -> Permission:
    """Return a permission of a user on a repository."""
    principals = {"users": {"reader": [letter]}, "groups": {}}
    fields = {"name": "web", "repositories": ["generic-local"], "includesPattern": "app/**", "principals": principals}
    return Permission.model_validate(fields)


def permission_v2(action: str) -> PermissionV2:
    """Return a permission of a user on a repository, in the form of version 2."""
    actions = {"users": {"reader": [action]}, "groups": {}}
    patterns = {"include-patterns": ["app/**"], "exclude-patterns": []}
    section = {"repositories": ["generic-local"], **patterns, "actions": actions}
    return PermissionV2.model_validate({"name": "web", "repo": section})


def test_permissions_are_created_changed_and_deleted(administration_v1: Artifactory) -> None:
    permissions = administration_v1.permissions
    assert permissions.create(permission("r")) == permission("r")
    with pytest.raises(PermissionAlreadyExistsError):
        permissions.create(permission("r"))
    assert permissions.update(permission("d")) == permission("d")
    assert "web" in {entry.name for entry in permissions.list()}
    permissions.delete("web")
    with pytest.raises(PermissionNotFoundError):
        permissions.get("web")


def test_permissions_of_version_2_are_changed_and_deleted(
    administration_v1: Artifactory, administration_v2: Artifactory
) -> None:
    administration_v1.permissions.create(permission("r"))  # with version 2, the client creates with PUT: 404
    permissions = administration_v2.permissions
    assert permissions.get("web").model_dump() == permission_v2("read").model_dump()
    assert permissions.update(permission_v2("delete")).model_dump() == permission_v2("delete").model_dump()
    assert "web" in {entry.name for entry in permissions.list()}
    permissions.delete("web")
    with pytest.raises(PermissionNotFoundError):
        permissions.get("web")
