# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.inference_server import ADMIN, error, page
from support.running import run

SINCE = 1735689600
FIND = {"id": "proj_1", "object": "organization.project", "name": "Find", "created_at": SINCE, "archived_at": None}
TWIN = {**FIND, "id": "proj_2"}
OTHER = {**FIND, "id": "proj_0", "name": "Default project"}
OLD = {**FIND, "archived_at": SINCE, "status": "archived"}
GONE = error("The project proj_1 was not found")
SENT = {"Authorization": f"Bearer {ADMIN}"}


def manage(*calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("inference_project", **{"url": f"{server.url}/v1", "admin_key": ADMIN, **parameters})


def get_project(project: dict[str, Any] | None = None, status: int = 200) -> Call:
    return call("GET", "/v1/organization/projects/proj_1", status, json=project or FIND)


def all_projects(*projects: dict[str, Any]) -> Call:
    """Return the request for all projects, including archived ones."""
    return page("/projects", *projects, include_archived="true")


def create(**sent: Any) -> Call:
    return call("POST", "/v1/organization/projects", json=FIND, sent_json=sent, sent_headers=SENT)


def update(**sent: Any) -> Call:
    return call("POST", "/v1/organization/projects/proj_1", json={**FIND, **sent}, sent_json=sent)


def archive(project: str = "proj_1", **answer: Any) -> Call:
    return call("POST", f"/v1/organization/projects/{project}/archive", **{"json": OLD, **answer})


def test_second_run_reads_once() -> None:
    result = manage(page("/projects", FIND), name="Find")
    assert (result["changed"], result["project"]["id"], result["project"]["status"]) == (False, "proj_1", "active")


def test_project_is_created() -> None:
    creation = create(name="Find", residency="GLOBAL")
    calls = page("/projects", OTHER), all_projects(OTHER, {**OLD, "name": "Seek"}), creation, page("/projects", FIND)
    result = manage(*calls, name="Find", residency="GLOBAL", diff_mode=True)
    assert result["changed"]
    assert result["project"]["id"] == "proj_1"
    assert "warnings" not in result
    assert result["diff"] == {"before": {"state": "absent"}, "after": {"state": "present", "name": "Find"}}


def test_check_mode_predicts_the_project() -> None:
    result = manage(page("/projects", OTHER), all_projects(OTHER), name="Find", check_mode=True)
    assert (result["changed"], result["project"]["name"], result["project"]["id"]) == (True, "Find", None)


def test_own_project_is_archived_when_another_task_creates_one() -> None:
    calls = (
        page("/projects", OTHER),
        all_projects(OTHER),
        create(name="Find"),
        page("/projects", TWIN, FIND),
        archive(),
        page("/projects", TWIN),
    )
    assert manage(*calls, name="Find")["project"]["id"] == "proj_2"


def test_lost_response_is_resolved_by_reading_back() -> None:
    lost = call("POST", "/v1/organization/projects", drop=True)
    result = manage(page("/projects", OTHER), all_projects(OTHER), lost, page("/projects", FIND), name="Find")
    assert result["changed"]
    assert "Reading back shows that the request had its effect" in result["warnings"][0]


def test_task_fails_when_several_projects_have_the_name() -> None:
    message = manage(page("/projects", FIND, TWIN), name="Find")["msg"]
    assert message == "2 projects have the name 'Find'. Specify the ID of one of them: proj_1, proj_2."


def test_project_is_renamed() -> None:
    calls = get_project(), update(name="Seek"), get_project({**FIND, "name": "Seek"})
    result = manage(*calls, id="proj_1", name="Seek", diff_mode=True)
    assert result["diff"] == {
        "before": {"state": "present", "name": "Find"},
        "after": {"state": "present", "name": "Seek"},
    }
    assert not manage(get_project(), id="proj_1", name="Find")["changed"]


def test_external_key_is_changed() -> None:
    changed = {**FIND, "external_key_id": "ext"}
    calls = page("/projects", FIND), update(external_key_id="ext"), page("/projects", changed)
    assert manage(*calls, name="Find", external_key_id="ext")["project"]["external_key_id"] == "ext"


def test_task_fails_when_the_change_has_no_effect() -> None:
    result = manage(get_project(), update(name="Seek"), get_project(), id="proj_1", name="Seek")
    assert "fields of the project do not have the requested values: name" in result["msg"]


@pytest.mark.parametrize("check_mode", [False, True])
def test_archiving_is_announced(check_mode: bool) -> None:
    message: list[str] = []
    calls = [page("/projects", FIND), archive(), page("/projects", OTHER)]
    result = manage(
        *calls[: 1 if check_mode else 3], name="Find", state="absent", check_mode=check_mode, display=message.append
    )
    assert (result["changed"], result["project"]) == (True, None)
    assert message == ["archiving the project 'Find' (proj_1), which cannot be undone"]


@pytest.mark.parametrize(
    "absent", [page("/projects", OTHER), get_project(OLD), get_project(GONE, 404)], ids=["name", "archived", "gone"]
)
def test_nothing_changes_when_the_project_is_absent(absent: Call) -> None:
    chosen = {"name": "Find"} if "limit" in absent.target else {"id": "proj_1"}
    assert not manage(absent, state="absent", **chosen)["changed"]


@pytest.mark.parametrize("check_mode", [False, True])
def test_task_fails_when_the_project_is_archived(check_mode: bool) -> None:
    message = "The project 'proj_1' is archived, which cannot be undone. To create a new project, omit 'id'."
    assert manage(get_project(OLD), id="proj_1", name="Find", check_mode=check_mode)["msg"] == message


@pytest.mark.parametrize("check_mode", [False, True])
def test_task_warns_when_a_new_project_has_the_name_of_an_archived_one(check_mode: bool) -> None:
    older = {**OLD, "id": "proj_0"}
    calls = [page("/projects", OTHER), all_projects(OTHER, OLD, older), create(name="Find"), page("/projects", TWIN)]
    result = manage(*calls[: 2 if check_mode else 4], name="Find", check_mode=check_mode)
    assert result["changed"]
    assert result["warnings"] == [
        "An archived project also has the name 'Find' (proj_0, proj_1). Archiving cannot be undone, so a new project "
        "is created. Use another 'name' to distinguish them."
    ]


@pytest.mark.parametrize("check_mode", [False, True])
def test_task_fails_when_the_id_of_a_new_project_is_set(check_mode: bool) -> None:
    result = manage(get_project(GONE, 404), id="proj_1", name="Find", check_mode=check_mode)
    assert "Cannot create a project with the ID 'proj_1'" in result["msg"]


def test_task_fails_when_the_url_is_wrong() -> None:
    nowhere = get_project(error("Invalid URL (GET /organization/projects/proj_1)"), 404)
    assert "the version is missing in 'url'" in manage(nowhere, id="proj_1", state="absent")["msg"]


@pytest.mark.parametrize("check_mode", [False, True])
def test_name_of_the_default_project_is_reserved(check_mode: bool) -> None:
    message = "Option 'name': 'Default project' is reserved for the default project of the organization."
    options: dict[str, Any] = {"name": "Default project", "check_mode": check_mode}
    assert manage(get_project(), id="proj_1", **options)["msg"] == message
    assert manage(page("/projects", FIND), **options)["msg"] == message
    assert not manage(page("/projects", {**FIND, "name": "Default project"}), **options)["changed"]


@pytest.mark.parametrize("options", [{"state": "absent"}, {"external_key_id": "ext"}])
@pytest.mark.parametrize("check_mode", [False, True])
def test_default_project_cannot_be_changed(options: dict[str, Any], check_mode: bool) -> None:
    default = page("/projects", {**FIND, "name": "Default project"})
    result = manage(default, name="Default project", check_mode=check_mode, **options)
    message = "'Default project' is the default project of the organization, which cannot be changed or archived."
    assert result["msg"] == message
