# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.descriptor import REPOSITORIES, configurations, patch, read, repositories, version
from support.running import run

pytestmark = pytest.mark.usefixtures("reported_version")

PATTERN = "[orgPath]/[module]/[module]-[baseRev].[ext]"
TASK = {
    "name": "firmware",
    "artifact_path_pattern": PATTERN,
    "folder_integration_revision_regexp": "SNAPSHOT",
    "file_integration_revision_regexp": ".*",
}
RESULT = {**TASK, "distinctive_descriptor_path_pattern": False, "descriptor_path_pattern": ""}
MEMBERS = {
    "artifactPathPattern": PATTERN,
    "folderIntegrationRevisionRegExp": "SNAPSHOT",
    "fileIntegrationRevisionRegExp": ".*",
}
ABSENT = {"name": "firmware", "state": "absent"}
REFUSED = {"errors": [{"status": 400, "message": "This REST API is available only in Artifactory Pro"}]}


def layouts(*names: str, **members: str) -> str:
    """Return a section with layouts of these names."""
    content = "".join(f"<{name}>{value}</{name}>" for name, value in {**MEMBERS, **members}.items())
    elements = "".join(f"<repoLayout><name>{name}</name>{content}</repoLayout>" for name in names)
    return f"<repoLayouts>{elements}</repoLayouts>"


def manage(url: str = "http://127.0.0.1:9", **options: Any) -> dict[str, Any]:
    """Run the module, which does not wait for changes to become visible."""
    return run("artifact_layout", url=url, **{"visibility_timeout": 0, **options})


def test_unchanged_layout_costs_one_request() -> None:
    with conversation(read(layouts("firmware"))) as server:
        result = manage(server.url, **TASK, distinctive_descriptor_path_pattern=False, descriptor_path_pattern="")
    assert (result["changed"], result["layout"]) == (False, RESULT)


def test_missing_layout_is_created() -> None:
    sent = patch({"repoLayouts": {"firmware": MEMBERS}})
    with conversation(read(layouts()), sent, read(layouts("firmware"))) as server:
        result = manage(server.url, **TASK)
    assert (result["changed"], result["layout"]) == (True, RESULT)


def test_only_options_that_differ_are_sent() -> None:
    members = {"distinctiveDescriptorPathPattern": True, "descriptorPathPattern": PATTERN}
    stored = layouts("firmware", distinctiveDescriptorPathPattern="true", descriptorPathPattern=PATTERN)
    task = {"name": "firmware", "distinctive_descriptor_path_pattern": True, "descriptor_path_pattern": PATTERN}
    with conversation(read(layouts("firmware")), patch({"repoLayouts": {"firmware": members}}), read(stored)) as server:
        assert manage(server.url, **task)["changed"]
    with conversation(read(stored)) as server:
        assert not manage(server.url, **task)["changed"]


def test_unused_layout_is_deleted() -> None:
    used = {"key": "a", "repoLayoutRef": "firmware2"}
    deleted = patch({"repoLayouts": {"firmware": None}})
    with conversation(read(layouts("firmware")), configurations(used), deleted, read(layouts())) as server:
        result = manage(server.url, **ABSENT)
    assert (result["changed"], result["layout"]) == (True, None)


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("member", ["repoLayoutRef", "remoteRepoLayoutRef"])
def test_layout_that_a_repository_uses_is_not_deleted(member: str, check_mode: bool) -> None:
    used = [{"key": "b"}, {"key": "a", member: "firmware"}]
    with conversation(read(layouts("firmware")), configurations(*used)) as server:
        result = manage(server.url, check_mode=check_mode, **ABSENT)
    assert result["msg"] == "Cannot delete layout 'firmware': these repositories use it: a."


def test_deletion_is_predicted_when_an_earlier_task_removes_the_use() -> None:
    with conversation(read(layouts("firmware")), version()) as server:
        result = manage(server.url, check_mode=True, predict_missing=True, **ABSENT)
    assert (result["changed"], result["layout"]) == (True, None)


def test_repositories_are_read_one_by_one_if_the_server_cannot_list_their_configurations() -> None:
    error = {"errors": [{"status": 400, "message": "Repository configurations does not exist"}]}
    missing = call("GET", f"{REPOSITORIES}/configurations", 400, json=error)
    one = {"key": "a", "rclass": "local", "packageType": "generic", "repoLayoutRef": "firmware"}
    calls = [repositories("a"), call("GET", f"{REPOSITORIES}/a", json=one)]
    with conversation(read(layouts("firmware")), missing, *calls) as server:
        result = manage(server.url, **ABSENT)
    assert result["msg"] == "Cannot delete layout 'firmware': these repositories use it: a."


@pytest.mark.parametrize("is_used", [True, False])
def test_repositories_in_the_descriptor_are_checked(is_used: bool) -> None:
    layout = "firmware" if is_used else "other"
    element = f"<localRepository><key>a</key><repoLayoutRef>{layout}</repoLayoutRef></localRepository>"
    before = read(f"<localRepositories>{element}</localRepositories>", layouts("firmware"))
    writes = [] if is_used else [patch({"repoLayouts": {"firmware": None}}), read(layouts())]
    with conversation(before, *writes) as server:
        result = manage(server.url, **ABSENT)
    assert result.get("failed", False) == is_used
    assert not is_used or result["msg"] == "Cannot delete layout 'firmware': these repositories use it: a."


@pytest.mark.parametrize(
    "response",
    [
        call("GET", f"{REPOSITORIES}/configurations", 400, json=REFUSED),
        call("GET", f"{REPOSITORIES}/configurations", 403, json=REFUSED),
        call("GET", f"{REPOSITORIES}/configurations", json=[]),
        call("GET", f"{REPOSITORIES}/configurations", json={"errors": [{"status": 500, "message": "no"}]}),
        call("GET", f"{REPOSITORIES}/configurations", text="<html>Log in</html>"),
        call("GET", f"{REPOSITORIES}/configurations", json={"LOCAL": [{"key": "a", "rclass": "local"}]}),
    ],
)
def test_layout_is_kept_if_its_use_is_unknown(response: Call) -> None:
    with conversation(read(layouts("firmware")), response) as server:
        result = manage(server.url, **ABSENT)
    assert result["failed"], result
    assert "Cannot delete layout 'firmware': it is unknown whether repositories use it." in result["msg"]


def test_empty_list_of_configurations_is_not_trusted() -> None:
    empty = call("GET", f"{REPOSITORIES}/configurations", json={})
    one = {"key": "a", "rclass": "local", "packageType": "generic", "repoLayoutRef": "firmware"}
    calls = [repositories("a"), call("GET", f"{REPOSITORIES}/a", json=one)]
    with conversation(read(layouts("firmware")), empty, *calls) as server:
        result = manage(server.url, **ABSENT)
    assert result["msg"] == "Cannot delete layout 'firmware': these repositories use it: a."


def test_empty_section_does_not_mean_that_no_repository_exists() -> None:
    used = configurations({"key": "a", "repoLayoutRef": "firmware"})
    with conversation(read("<localRepositories/>", layouts("firmware")), used) as server:
        result = manage(server.url, **ABSENT)
    assert result["msg"] == "Cannot delete layout 'firmware': these repositories use it: a."


def test_undeclared_layouts_are_deleted_except_those_of_a_new_server() -> None:
    names = ["firmware", "maven-2-default", "old", "used"]
    calls = [
        read(layouts(*names)),
        configurations({"key": "a", "repoLayoutRef": "used"}),
        patch({"repoLayouts": {"old": None}}),
        read(layouts("firmware", "maven-2-default", "used")),
    ]
    with conversation(*calls) as server:
        result = manage(server.url, items=[{"name": "firmware"}], undeclared="remove", workers=1)
    assert result["undeclared"] == ["old", "used"]
    assert result["counts"] == {"changed": 1, "ok": 1, "failed": 1, "unknown": 0, "skipped": 0}


def test_check_mode_only_reads() -> None:
    with conversation(read(layouts()), version()) as server:
        result = manage(server.url, check_mode=True, **TASK)
    assert (result["changed"], result["layout"]) == (True, RESULT)


@pytest.mark.parametrize("option", [name for name in TASK if name != "name"])
def test_option_is_required_for_a_new_layout(option: str) -> None:
    with conversation(read(layouts())) as server:
        result = manage(server.url, **{**TASK, option: None})
    assert result["msg"] == f"Option '{option}': is required, because layout 'firmware' does not exist."


@pytest.mark.parametrize("calls", [[], [read(layouts("firmware"))]])
def test_descriptor_pattern_is_required(calls: list[Call]) -> None:
    options: dict[str, Any] = {"distinctive_descriptor_path_pattern": True}
    if not calls:
        options["descriptor_path_pattern"] = ""
    with conversation(*calls) as server:
        result = manage(server.url, **TASK, **options)
    assert "is required with 'distinctive_descriptor_path_pattern: true'" in result["msg"]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("[org]/[module]/x", "must contain [baseRev]"),
        ("[module]-[baseRev]", "must contain [org] or [orgPath]"),
        ("[orgPath]/[baseRev]", "must contain [module]"),
        ("x", "must contain [module] and [baseRev] and [org] or [orgPath]"),
        ("", "must not be empty"),
        ("~", "must not be '~'"),
    ],
)
def test_pattern_is_refused_before_the_first_request(pattern: str, message: str) -> None:
    with conversation() as server:
        result = manage(server.url, **{**TASK, "artifact_path_pattern": pattern})
    assert message in result["msg"]


def test_information_has_the_form_of_the_options() -> None:
    odd = layouts("swift-default", artifactPathPattern="[scope]/[name]/[name]-[version].zip")
    with conversation(read(odd)) as server:
        result = run("artifact_layout_info", url=server.url)
    assert result["layouts"][0]["artifact_path_pattern"] == "[scope]/[name]/[name]-[version].zip"
    with conversation(read(odd)) as server:
        assert not manage(server.url, items=result["layouts"])["changed"]
