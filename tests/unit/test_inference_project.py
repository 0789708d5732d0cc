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


def one(project: dict[str, Any] | None = None, status: int = 200) -> Call:
    return call("GET", "/v1/organization/projects/proj_1", status, json=project or FIND)


def all_projects(*projects: dict[str, Any]) -> Call:
    """The archived ones, too."""
    return page("/projects", *projects, include_archived="true")


def create(**sent: Any) -> Call:
    return call("POST", "/v1/organization/projects", json=FIND, sent_json=sent, sent_headers=SENT)


def update(**sent: Any) -> Call:
    return call("POST", "/v1/organization/projects/proj_1", json={**FIND, **sent}, sent_json=sent)


def archive(project: str = "proj_1", **answer: Any) -> Call:
    return call("POST", f"/v1/organization/projects/{project}/archive", **{"json": OLD, **answer})


def test_a_second_run_reads_once() -> None:
    result = manage(page("/projects", FIND), name="Find")
    assert (result["changed"], result["project"]["id"], result["project"]["status"]) == (False, "proj_1", "active")


def test_a_new_project() -> None:
    wanted = create(name="Find", residency="GLOBAL")
    calls = page("/projects", OTHER), all_projects(OTHER, {**OLD, "name": "Seek"}), wanted, page("/projects", FIND)
    result = manage(*calls, name="Find", residency="GLOBAL", diff_mode=True)
    assert result["changed"]
    assert result["project"]["id"] == "proj_1"
    assert "warnings" not in result
    assert result["diff"] == {"before": {"state": "absent"}, "after": {"state": "present", "name": "Find"}}


def test_check_mode_reads_and_foretells() -> None:
    result = manage(page("/projects", OTHER), all_projects(OTHER), name="Find", check_mode=True)
    assert (result["changed"], result["project"]["name"], result["project"]["id"]) == (True, "Find", None)


def test_a_project_that_another_task_made_at_the_same_time_stays() -> None:
    calls = (
        page("/projects", OTHER),
        all_projects(OTHER),
        create(name="Find"),
        page("/projects", TWIN, FIND),
        archive(),
        page("/projects", TWIN),
    )
    assert manage(*calls, name="Find")["project"]["id"] == "proj_2"


def test_a_lost_reply_is_resolved_by_reading_back() -> None:
    lost = call("POST", "/v1/organization/projects", drop=True)
    result = manage(page("/projects", OTHER), all_projects(OTHER), lost, page("/projects", FIND), name="Find")
    assert result["changed"]
    assert "Reading back shows that the request had its effect" in result["warnings"][0]


def test_several_projects_of_one_name() -> None:
    message = manage(page("/projects", FIND, TWIN), name="Find")["msg"]
    assert message == "2 projects have the name 'Find'. Specify the ID of one of them: proj_1, proj_2."


def test_another_name() -> None:
    calls = one(), update(name="Seek"), one({**FIND, "name": "Seek"})
    result = manage(*calls, id="proj_1", name="Seek", diff_mode=True)
    assert result["diff"] == {
        "before": {"state": "present", "name": "Find"},
        "after": {"state": "present", "name": "Seek"},
    }
    assert not manage(one(), id="proj_1", name="Find")["changed"]


def test_another_external_key() -> None:
    changed = {**FIND, "external_key_id": "ext"}
    calls = page("/projects", FIND), update(external_key_id="ext"), page("/projects", changed)
    assert manage(*calls, name="Find", external_key_id="ext")["project"]["external_key_id"] == "ext"


def test_a_change_that_did_not_happen_is_a_failure() -> None:
    result = manage(one(), update(name="Seek"), one(), id="proj_1", name="Seek")
    assert "fields of the project do not have the requested values: name" in result["msg"]


@pytest.mark.parametrize("check_mode", [False, True])
def test_it_is_archived_with_a_word_of_warning(check_mode: bool) -> None:
    told: list[str] = []
    calls = [page("/projects", FIND), archive(), page("/projects", OTHER)]
    result = manage(
        *calls[: 1 if check_mode else 3], name="Find", state="absent", check_mode=check_mode, tell=told.append
    )
    assert (result["changed"], result["project"]) == (True, None)
    assert told == ["archiving the project 'Find' (proj_1), which cannot be undone"]


@pytest.mark.parametrize(
    "absent", [page("/projects", OTHER), one(OLD), one(GONE, 404)], ids=["name", "archived", "gone"]
)
def test_what_is_not_there_is_absent(absent: Call) -> None:
    chosen = {"name": "Find"} if "limit" in absent.target else {"id": "proj_1"}
    assert not manage(absent, state="absent", **chosen)["changed"]


@pytest.mark.parametrize("check_mode", [False, True])
def test_an_archived_project_does_not_come_back(check_mode: bool) -> None:
    said = "The project 'proj_1' is archived, which cannot be undone. To create a new project, omit 'id'."
    assert manage(one(OLD), id="proj_1", name="Find", check_mode=check_mode)["msg"] == said


@pytest.mark.parametrize("check_mode", [False, True])
def test_a_new_project_with_the_name_of_an_archived_one_is_told(check_mode: bool) -> None:
    older = {**OLD, "id": "proj_0"}
    calls = [page("/projects", OTHER), all_projects(OTHER, OLD, older), create(name="Find"), page("/projects", TWIN)]
    result = manage(*calls[: 2 if check_mode else 4], name="Find", check_mode=check_mode)
    assert result["changed"]
    assert result["warnings"] == [
        "An archived project also has the name 'Find' (proj_0, proj_1). Archiving cannot be undone, so a new project "
        "is created. Use another 'name' to distinguish them."
    ]


@pytest.mark.parametrize("check_mode", [False, True])
def test_a_new_project_gets_an_id_of_its_own(check_mode: bool) -> None:
    result = manage(one(GONE, 404), id="proj_1", name="Find", check_mode=check_mode)
    assert "Cannot create a project with the ID 'proj_1'" in result["msg"]


def test_a_wrong_address_does_not_make_a_project_absent() -> None:
    nowhere = one(error("Invalid URL (GET /organization/projects/proj_1)"), 404)
    assert "the version is missing in 'url'" in manage(nowhere, id="proj_1", state="absent")["msg"]


@pytest.mark.parametrize("check_mode", [False, True])
def test_no_other_project_gets_the_name_of_the_default_one(check_mode: bool) -> None:
    told = "Option 'name': 'Default project' is reserved for the default project of the organization."
    wanted: dict[str, Any] = {"name": "Default project", "check_mode": check_mode}
    assert manage(one(), id="proj_1", **wanted)["msg"] == told
    assert manage(page("/projects", FIND), **wanted)["msg"] == told
    assert not manage(page("/projects", {**FIND, "name": "Default project"}), **wanted)["changed"]


@pytest.mark.parametrize("wanted", [{"state": "absent"}, {"external_key_id": "ext"}])
@pytest.mark.parametrize("check_mode", [False, True])
def test_the_default_project_is_left_alone(wanted: dict[str, Any], check_mode: bool) -> None:
    default = page("/projects", {**FIND, "name": "Default project"})
    result = manage(default, name="Default project", check_mode=check_mode, **wanted)
    message = "'Default project' is the default project of the organization, which cannot be changed or archived."
    assert result["msg"] == message
