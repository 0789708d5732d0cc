# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._private_file import (
    check_writable,
    has_content,
    store,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "secret"


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_a_new_file_is_for_its_owner_alone(file: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        store(str(file), "sécret")
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_bytes() == "sécret\n".encode()


def test_an_old_file_becomes_private(file: Path) -> None:
    file.write_text("old")
    file.chmod(0o644)
    store(str(file), "new")
    assert file.read_text() == "new\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_whoever_reads_meanwhile_sees_the_old_content(file: Path) -> None:
    file.write_text("old")
    with file.open() as reader:
        store(str(file), "new")
        assert reader.read() == "old"


def test_the_content_is_on_disk_before_it_takes_the_place_of_the_old(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[str] = []

    def replace(new: str, _old: str) -> None:
        steps.append(Path(new).read_text())

    monkeypatch.setattr(os, "fsync", lambda _handle: steps.append("fsync"))
    monkeypatch.setattr(os, "replace", replace)
    store(str(file), "new")
    assert steps == ["fsync", "new\n"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_old_content_and_no_litter(file: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    file.write_text("old")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(ToolchainError) as error:
        store(str(file), "new")
    assert str(error.value) == f"Cannot write '{file}': No space left on device."
    assert file.read_text() == "old"
    assert list(file.parent.iterdir()) == [file]


def test_a_missing_folder_is_told(file: Path) -> None:
    with pytest.raises(ToolchainError, match=r"^Cannot write into '.*/none': No such file or directory\.$"):
        store(str(file.parent / "none" / "secret"), "new")


def test_a_relative_path_is_one_in_the_current_folder(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    check_writable("secret", "token_file")
    store("secret", "new")
    assert has_content("secret")
    assert file.read_text() == "new\n"


def test_what_can_be_written_passes(file: Path) -> None:
    check_writable(str(file), "token_file")
    assert not file.exists()


@pytest.mark.parametrize("path", ["{folder}", "{folder}/none/secret", "{folder}/file/secret"])
def test_what_cannot_be_written_is_a_bad_option(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_text("")
    path = path.replace("{folder}", str(tmp_path))
    with pytest.raises(BadOption) as error:
        check_writable(path, "token_file")
    assert str(error.value) == (
        f"Option 'token_file': '{path}' cannot be written: its folder must be there and writable"
    )


@pytest.mark.parametrize(("content", "has"), [(None, False), ("", False), ("x", True)])
def test_only_a_file_with_something_in_it_has_content(file: Path, content: str | None, has: bool) -> None:
    if content is not None:
        file.write_text(content)
    assert has_content(str(file)) is has


def test_a_folder_has_no_content(tmp_path: Path) -> None:
    assert not has_content(str(tmp_path))
