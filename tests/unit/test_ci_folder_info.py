# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from support.ci_server import TOKEN
from support.conversation import Call, call, conversation
from support.running import run

FOLDER = "com.cloudbees.hudson.plugins.folder.Folder"
FREESTYLE = "hudson.model.FreeStyleProject"
MEMBERS = "fullName,displayNameOrNull,description"
CREDENTIALS = "com.cloudbees.hudson.plugins.folder.properties.FolderCredentialsProvider_-FolderCredentialsProperty"


def item(name: str, kind: str = FOLDER, **members: Any) -> dict[str, Any]:
    return {"_class": kind, "fullName": name, "displayNameOrNull": None, "description": None, **members}


def view(path: str, tree: str, status: int = 200, **document: Any) -> Call:
    return call("GET", f"{path}/api/json?tree={quote(tree, safe='')}", status, json=document)


def get(*calls: Call, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("ci_folder_info", url=server.url, **TOKEN, **options)


def nested(levels: int) -> str:
    tree = "jobs[name]"
    for _level in range(levels):
        tree = f"jobs[{MEMBERS},{tree}]"
    return f"fullName,{tree}"


def test_folder_is_returned() -> None:
    found = item("team", description="Ours", displayNameOrNull="The team")
    result = get(view("/job/team", MEMBERS, **found), name="team")
    assert result["folder"] == {"name": "team", "description": "Ours", "display_name": "The team"}


@pytest.mark.parametrize(
    ("status", "found"), [(404, {}), (200, item("team", FREESTYLE)), (200, item("Team"))], ids=["none", "job", "case"]
)
def test_other_item_is_null(status: int, found: dict[str, Any]) -> None:
    assert get(view("/job/team", MEMBERS, status, **found), name="team")["folder"] is None


def test_content_is_returned() -> None:
    found = item("team", jobs=[item("team/app", FREESTYLE), item("team/web")])
    result = get(view("/job/team", f"{MEMBERS},jobs[fullName]", **found), name="team", include_content=True)
    content = [{"name": "team/app", "class": FREESTYLE}, {"name": "team/web", "class": FOLDER}]
    assert result["folder"]["content"] == content


def test_configuration_is_returned_as_the_option_takes_it() -> None:
    stored = (
        f"<{FOLDER}><actions/><description>Ours</description><properties><a.B/><{CREDENTIALS}/></properties>"
        f"<folderViews><views/></folderViews><healthMetrics/></{FOLDER}>"
    )
    calls = (view("/job/team", MEMBERS, **item("team")), call("GET", "/job/team/config.xml", text=stored))
    result = get(*calls, name="team", include_config=True)
    declaration = '<?xml version="1.1" encoding="UTF-8"?>\n'
    assert result["folder"]["config"] == (
        f"{declaration}<{FOLDER}>\n  <properties>\n    <a.B/>\n  </properties>\n  <healthMetrics/>\n</{FOLDER}>"
    )


def test_folders_are_listed() -> None:
    jobs = [item("app", FREESTYLE), item("team", jobs=[item("team/app", FREESTYLE), item("team/web", jobs=[])])]
    result = get(view("", nested(4), jobs=jobs))
    assert ([folder["name"] for folder in result["folders"]], result["count"]) == (["team", "team/web"], 2)


def test_folders_are_listed_to_a_depth_with_their_content() -> None:
    jobs = [item("team", jobs=[item("team/app", FREESTYLE), item("team/web", jobs=[item("team/web/x")])])]
    result = get(view("", nested(2), jobs=jobs), depth=1, include_content=True)
    content = [{"name": "team/app", "class": FREESTYLE}, {"name": "team/web", "class": FOLDER}]
    assert result["folders"] == [{"name": "team", "description": "", "display_name": "", "content": content}]


def test_deep_folders_need_more_requests() -> None:
    names = ["a", "a/b", "a/b/c", "a/b/c/d"]
    inner: dict[str, Any] = item(names[-1], jobs=[{"name": "e"}])
    for name in reversed(names[:-1]):
        inner = item(name, jobs=[inner])
    deep = view("/job/a/job/b/job/c/job/d", nested(4), **item(names[-1]), jobs=[item("a/b/c/d/e", jobs=[])])
    result = get(view("", nested(4), jobs=[inner]), deep)
    assert [folder["name"] for folder in result["folders"]] == [*names, "a/b/c/d/e"]


def test_missing_folder_is_an_error_when_it_is_listed() -> None:
    result = get(view("/job/team", nested(4), 404), folder="team")
    assert "Folder 'team' does not exist, or the account has no Job/Read permission on it." in result["msg"]
