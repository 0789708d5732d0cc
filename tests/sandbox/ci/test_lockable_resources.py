# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: the plugin lockable-resources."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from support.wire.ci import Ci

LIST = "/lockable-resources"
RESERVER = "11c0ffee00sandbox00reserver0token01"


@pytest.fixture
def resources(ci: Ci) -> Ci:
    """The service with resources in all states."""
    ci.sandbox.seed(
        {
            "ci": {
                "users": [
                    {
                        "name": "reserver",
                        "full_name": "The Reserver",
                        "password": "sandbox-reserver",
                        "tokens": [RESERVER],
                        "permissions": ["Overall/Read", "Lockable Resources/Reserve"],
                    }
                ],
                "lockable_resources": [
                    {"name": "free one", "labels": ["a", "b"], "properties": {"HOST": "ü"}},
                    {"name": "reserved", "reserved_by": "Alice"},
                    {"name": "locked", "locked_by": "app #1"},
                    {"name": "queued", "queued": True},
                    {"name": "temporary", "ephemeral": True, "locked_by": "app #2"},
                ],
            }
        }
    )
    return ci


def find(ci: Ci, name: str) -> dict[str, Any] | None:
    listed = ci.json(LIST)["resources"]
    return next((resource for resource in listed if resource["name"] == name), None)


def act(ci: Ci, action: str, name: str, **options: Any) -> requests.Response:
    return ci.post(f"{LIST}/{action}", data={"resource": name}, **options)


def test_resources_are_listed_to_readers(resources: Ci) -> None:
    answer = resources.get(f"{LIST}/api/json", user="reader")
    assert answer.status_code == 200
    listed = {resource["name"]: resource for resource in answer.json()["resources"]}
    assert list(listed) == ["printer-1", "free one", "reserved", "locked", "queued", "temporary"]
    assert listed["free one"] == {
        "buildName": None,
        "description": "",
        "ephemeral": False,
        "labels": "a b",
        "labelsAsList": ["a", "b"],
        "lockReason": None,
        "locked": False,
        "name": "free one",
        "note": "",
        "properties": [{"name": "HOST", "value": "ü"}],
        "reserved": False,
        "reservedBy": None,
        "reservedByEmail": None,
        "reservedTimestamp": None,
        "stolen": False,
    }
    assert (listed["locked"]["locked"], listed["locked"]["buildName"]) == (True, "app #1")


def test_free_resource_is_reserved_for_the_account(resources: Ci) -> None:
    assert act(resources, "reserve", "free one").status_code == 302
    assert find(resources, "free one")["reservedBy"] == "Sandbox Administrator"
    for name in ("free one", "reserved", "locked", "queued"):
        answer = act(resources, "reserve", name)
        assert answer.status_code == 423
        assert "already reserved or locked" in answer.text


def test_resource_is_stolen_from_account_and_build(resources: Ci) -> None:
    for name in ("reserved", "locked"):
        assert act(resources, "steal", name).status_code == 302
        stolen = find(resources, name)
        assert (stolen["reservedBy"], stolen["locked"], stolen["stolen"]) == ("Sandbox Administrator", False, True)
    assert act(resources, "unreserve", "reserved").status_code == 302
    assert find(resources, "reserved")["stolen"] is False


def test_lock_is_released_and_temporary_resource_deleted(resources: Ci) -> None:
    for name in ("locked", "temporary"):
        assert act(resources, "unlock", name).status_code == 302
    assert find(resources, "locked")["locked"] is False
    assert find(resources, "temporary") is None
    assert act(resources, "reset", "queued").status_code == 302
    assert act(resources, "reserve", "queued").status_code == 302


def test_permissions_are_required(resources: Ci) -> None:
    own = {"auth": ("reserver", RESERVER)}
    assert act(resources, "reserve", "free one", **own).status_code == 302
    assert act(resources, "unreserve", "free one", **own).status_code == 302
    assert act(resources, "unreserve", "reserved", **own).status_code == 403
    for action, title in (("steal", "Steal"), ("unlock", "Unlock")):
        answer = act(resources, action, "locked", **own)
        assert answer.status_code == 403
        assert f"Lockable Resources/{title}" in answer.text
    assert act(resources, "reserve", "free one", user="reader").status_code == 403


def test_missing_resource_wrong_method_and_missing_plugin(resources: Ci) -> None:
    assert act(resources, "reserve", "nothing").status_code == 404
    assert resources.get(f"{LIST}/reserve", params={"resource": "free one"}).status_code == 405
    admin = {"name": "admin", "password": "x", "permissions": ["Overall/Administer"]}
    resources.sandbox.seed({"ci": {"users": [admin]}}, reset=True)
    assert resources.get(f"{LIST}/api/json", auth=("admin", "x")).status_code == 404
    assert act(resources, "reserve", "free one", auth=("admin", "x")).status_code in (403, 404)
