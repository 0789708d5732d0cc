# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Contents of tag folders."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.images import registry
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import UnexpectedResponse

LAYER = "sha256__" + "0" * 64


def content(*names: str) -> registry.TagContent:
    tag = registry.TagContent()
    for name in names:
        kind = "folder" if name.endswith("/") else "file"
        tag.add({"path": "team/web", "name": name.rstrip("/"), "type": kind, "size": 0 if kind == "folder" else 5})
    return tag


def test_a_tag_has_the_files_and_bytes_of_its_manifest_and_layers() -> None:
    tag = content("manifest.json", LAYER, f"{LAYER}.marker")
    assert (tag.files, tag.size, tag.surplus) == (3, 15, None)


@pytest.mark.parametrize("name", ["1.0/", f"{LAYER}/", "notes.txt", "sha256__0", LAYER.upper(), "sha256__" + "g" * 64])
def test_an_entry_is_surplus_when_it_is_not_part_of_the_tag(name: str) -> None:
    assert content("manifest.json", LAYER, name).surplus == name.rstrip("/")


def test_the_first_surplus_entry_by_name_is_returned_when_there_are_several() -> None:
    assert content("manifest.json", "z", "b", "c/").surplus == "b"


@pytest.mark.parametrize("names", [("manifest.json", "list.manifest.json"), ("list.manifest.json", "manifest.json")])
def test_a_second_manifest_is_surplus(names: tuple[str, str]) -> None:
    assert content(*names).surplus == names[1]


@pytest.mark.parametrize(
    "change",
    [
        {"name": None},
        {"name": ""},
        {"type": "link"},
        {"type": None},
        {"size": "5"},
        {"size": True},
        {"size": -1},
        {"size": 2**63},
    ],
)
def test_an_entry_that_cannot_be_read_is_an_error(change: dict[str, Any]) -> None:
    row = {"path": "team/web", "name": "manifest.json", "type": "file", "size": 5, **change}
    with pytest.raises(UnexpectedResponse):
        registry.TagContent().add(row)
