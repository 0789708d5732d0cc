# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Paths that Artifactory interprets as another item or does not store are refused before the first request."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.items import paths
from support.conversation import conversation
from support.running import run

MISREAD = ["v/victim!x.txt", "v!/x.txt", "v/victim:properties", "v/victim:properties/", "v/victim "]
UNSTORABLE = ["a?b", "a*b", "a|b", 'a"b', " a", "d/ a", "d /a", "&", "d/&/x"]
PLAIN = [
    "a",
    "a&b",
    "&a",
    "a:b",
    "properties",
    "x:properties/y",
    ".a",
    "a.",
    "ä/😀 b",
    "a=b,c+d#e%f",
    "(a)[b]{c}~$@^<>'",
]

FILE = {"repo": "r", "content": "x"}
IMAGE = {"repo": "r", "image": "team", "tag": "1", "target_repo": "s"}
PROMOTION = {"build": "b", "number": "1", "status": "s", "repo": "r", "target_repo": "s"}
RESTORE = {"action": "restore", "repo": "r", "path": "a"}
# Module, option with the path, and the other options: each writes to the path or deletes it
WRITES: list[tuple[str, str, dict[str, Any]]] = [
    ("artifact_file", "path", FILE),
    ("artifact_file", "path", {"repo": "r", "state": "absent", "recursive": True}),
    ("artifact_properties", "path", {"repo": "r", "properties": {"a": 1}}),
    ("artifact_properties", "path", {"repo": "r", "keys": ["a"], "state": "absent"}),
    ("artifact_trash", "path", {"action": "clean", "repo": "r"}),
    ("artifact_trash", "path", RESTORE),
    ("artifact_trash", "to_path", RESTORE),
    ("artifact_image_promotion", "image", IMAGE),
    ("artifact_image_promotion", "target_image", IMAGE),
]
STORES = [write for write in WRITES if write[1] in ("to_path", "image", "target_image") or write[2] is FILE]
REPOSITORIES: list[tuple[str, str, dict[str, Any]]] = [
    ("artifact_file", "repo", {**FILE, "path": "a"}),
    ("artifact_file", "repo", {"repo": "r", "path": "a", "state": "absent"}),
    ("artifact_properties", "repo", {"path": "a", "properties": {"a": 1}}),
    ("artifact_trash", "repo", {"action": "clean", "path": "a"}),
    ("artifact_trash", "to_repo", RESTORE),
    ("artifact_image_promotion", "repo", IMAGE),
    ("artifact_image_promotion", "target_repo", IMAGE),
    ("artifact_build_promotion", "repo", PROMOTION),
    ("artifact_build_promotion", "target_repo", PROMOTION),
]


def check_refused(module: str, option: str, value: str, others: dict[str, Any], **more: Any) -> None:
    for check_mode in (False, True):
        with conversation() as server:
            result = run(module, url=server.url, check_mode=check_mode, **{**others, option: value, **more})
        assert result["failed"]
        assert f"Option '{option}'" in result["msg"]


@pytest.mark.parametrize("path", [path for path in MISREAD if not path.endswith(" ")])
@pytest.mark.parametrize(("module", "option", "others"), WRITES)
def test_write_is_refused_when_artifactory_reads_another_path(
    module: str, option: str, others: dict[str, Any], path: str
) -> None:
    check_refused(module, option, path, others)


@pytest.mark.parametrize("path", ["a*b", "d/&"])
@pytest.mark.parametrize(("module", "option", "others"), STORES)
def test_write_is_refused_when_artifactory_stores_no_such_name(
    module: str, option: str, others: dict[str, Any], path: str
) -> None:
    check_refused(module, option, path, others)


@pytest.mark.parametrize("repo", ["r/v", "r!x", "r:properties"])
@pytest.mark.parametrize(("module", "option", "others"), REPOSITORIES)
def test_write_is_refused_when_the_repository_has_a_path(
    module: str, option: str, others: dict[str, Any], repo: str
) -> None:
    check_refused(module, option, repo, others)


@pytest.mark.parametrize("tag", ["1!2", "web/b", "1:properties"])
@pytest.mark.parametrize("option", ["tag", "target_tag"])
def test_promotion_is_refused_when_artifactory_reads_another_tag(option: str, tag: str) -> None:
    check_refused("artifact_image_promotion", option, tag, IMAGE)


@pytest.mark.parametrize("module", ["artifact_download", "artifact_item_info", "artifact_list_info"])
def test_read_is_refused_when_the_repository_has_a_slash(module: str) -> None:
    check_refused(module, "repo", "r/v", {"path": "a", **({"dest": "x"} if module == "artifact_download" else {})})


def test_item_is_refused_when_artifactory_reads_another_path() -> None:
    with conversation() as server:
        result = run("artifact_file", url=server.url, **FILE, items=[{"path": "a"}, {"path": "v/victim!x"}])
    assert "Option 'items[1].path': cannot be 'v/victim!x': '!' separates an archive" in result["msg"]


def test_file_is_refused_when_its_own_name_cannot_be_stored(tmp_path: Path) -> None:
    (tmp_path / "a!b").write_text("x")
    check_refused("artifact_file", "path", "d/", {"repo": "r", "src": str(tmp_path / "a!b")})


@pytest.mark.parametrize("member", ["v/victim!x.txt", "a*b", " a", "x:properties"])
def test_archive_is_refused_when_a_member_cannot_be_stored(member: str, tmp_path: Path) -> None:
    src = tmp_path / "site.zip"
    with zipfile.ZipFile(src, "w") as archive:
        archive.writestr("fine.txt", "x")
        archive.writestr(member, "x")
    check_refused("artifact_archive", "src", str(src), {"repo": "r", "path": "site"})


@pytest.mark.parametrize(
    ("option", "value"), [("path", "a!b"), ("path", "a:properties"), ("path", "a?"), ("repo", "r/v"), ("repo", "r!")]
)
def test_archive_is_refused_when_its_folder_cannot_exist(option: str, value: str, tmp_path: Path) -> None:
    src = tmp_path / "site.zip"
    zipfile.ZipFile(src, "w").close()
    check_refused("artifact_archive", option, value, {"repo": "r", "path": "site", "src": str(src)})


def test_archive_is_refused_when_artifactory_reads_another_name(tmp_path: Path) -> None:
    src = tmp_path / "v!x.zip"
    zipfile.ZipFile(src, "w").close()
    check_refused("artifact_archive", "src", str(src), {"repo": "r", "path": ""})


@pytest.mark.parametrize("path", MISREAD)
def test_path_is_misread_when_artifactory_acts_on_another_item(path: str) -> None:
    assert paths.explain_misread(path)


@pytest.mark.parametrize("path", UNSTORABLE)
def test_path_is_unstorable_when_artifactory_refuses_a_name(path: str) -> None:
    assert paths.explain_unstorable(path)


@pytest.mark.parametrize("path", PLAIN)
def test_path_is_accepted_when_artifactory_keeps_it(path: str) -> None:
    assert paths.explain_misread(path) is None
    assert paths.explain_unstorable(path) is None
