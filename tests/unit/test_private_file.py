# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import grp
import json
import os
import pwd
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    ToolchainError,
    WriteInCheckMode,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import (
    check_readable,
    find_files,
    get_fingerprint,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import (
    Target,
    check_ownership,
    check_writable,
    open_json_lines,
    open_private,
    output_list,
    read_text,
    store_chunks,
    store_json_lines,
    store_text,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.rehearsal import resolve_read
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "secret"


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_new_file_is_accessible_to_its_owner_only(file: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        store_text(Task({}), Target(str(file)), "sécret")
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_bytes() == "sécret\n".encode()


@pytest.mark.parametrize(("umask", "mode"), [(0o000, 0o666), (0o022, 0o644), (0o077, 0o600)])
def test_new_file_of_chunks_has_the_mode_of_the_umask(file: Path, umask: int, mode: int) -> None:
    before = os.umask(umask)
    try:
        store_chunks(Task({}), str(file), [b"a", b"b"])
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert file.read_bytes() == b"ab"


def test_storing_counts_as_a_write(file: Path) -> None:
    task = Task({})
    store_text(task, Target(str(file)), "new")
    assert task.has_written


def test_nothing_is_stored_in_check_mode(file: Path) -> None:
    task = Task({}, check_mode=True)
    with pytest.raises(WriteInCheckMode, match=r"Storing '.*/secret' would write in check mode"):
        store_text(task, Target(str(file)), "new")
    assert not task.has_written
    assert list(file.parent.iterdir()) == []


def test_existing_file_keeps_owner_group_and_mode(file: Path) -> None:
    file.write_text("old")
    file.chmod(0o640)
    if os.geteuid() == 0:
        os.chown(file, 1234, 2345)
    before = file.stat()
    store_text(Task({}), Target(str(file)), "new")
    after = file.stat()
    assert file.read_text() == "new\n"
    assert (after.st_uid, after.st_gid, after.st_mode) == (before.st_uid, before.st_gid, before.st_mode)


def test_owner_group_and_mode_are_set(file: Path) -> None:
    file.write_text("old")
    owner, group = (1234, 2345) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
    store_text(Task({}), Target(str(file), str(owner), str(group), "0604"), "new")
    after = file.stat()
    assert (after.st_uid, after.st_gid, stat.S_IMODE(after.st_mode)) == (owner, group, 0o604)


def test_names_of_owner_and_group_are_resolved(file: Path) -> None:
    owner, group = pwd.getpwuid(os.geteuid()).pw_name, grp.getgrgid(os.getegid()).gr_name
    store_text(Task({}), Target(str(file), owner, group), "new")
    assert (file.stat().st_uid, file.stat().st_gid) == (os.geteuid(), os.getegid())


@pytest.mark.parametrize("option", ["owner", "group"])
def test_owner_is_refused_when_it_does_not_exist(option: str) -> None:
    task = Task({"owner": None, "group": None, option: "nobody-of-that-name"})
    with pytest.raises(BadOption, match=f"Option '{option}': 'nobody-of-that-name' does not exist on this machine"):
        check_ownership(task)


def test_target_is_written_when_the_path_is_a_link(file: Path) -> None:
    link = file.with_name("link")
    link.symlink_to(file.name)
    check_writable(Task({}), str(link), "token_file")
    store_text(Task({}), Target(str(link)), "new")
    assert link.is_symlink()
    assert file.read_text() == "new\n"


@pytest.mark.parametrize("kind", ["folder", "pipe", "device"])
@pytest.mark.parametrize("through_a_link", [False, True])
def test_path_is_refused_when_it_is_not_a_regular_file(tmp_path: Path, kind: str, through_a_link: bool) -> None:
    path = {"folder": tmp_path, "pipe": tmp_path / "pipe", "device": Path("/dev/null")}[kind]
    if kind == "pipe":
        os.mkfifo(path)
    if through_a_link:
        link = tmp_path / "link"
        link.symlink_to(path)
        path = link
    with pytest.raises(BadOption, match="it is not a regular file"):
        check_writable(Task({}), str(path), "token_file")


def test_readers_see_the_old_content_until_the_file_is_replaced(file: Path) -> None:
    file.write_text("old")
    with file.open() as reader:
        store_text(Task({}), Target(str(file)), "new")
        assert reader.read() == "old"


def test_content_is_flushed_before_the_file_is_replaced(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []

    def replace(new: str, _old: str) -> None:
        steps.append(Path(new).read_text())

    monkeypatch.setattr(os, "fsync", lambda _handle: steps.append("fsync"))
    monkeypatch.setattr(os, "replace", replace)
    store_text(Task({}), Target(str(file)), "new")
    assert steps == ["fsync", "new\n"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_old_content_is_kept_when_writing_fails(file: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    file.write_text("old")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(ToolchainError) as error:
        store_text(Task({}), Target(str(file)), "new")
    assert str(error.value) == f"Cannot write '{file}': No space left on device."
    assert file.read_text() == "old"
    assert list(file.parent.iterdir()) == [file]


def test_missing_directory_is_reported(file: Path) -> None:
    with pytest.raises(ToolchainError, match=r"^Cannot write into '.*/none': No such file or directory\.$"):
        store_text(Task({}), Target(str(file.parent / "none" / "secret")), "new")


def test_relative_path_is_in_the_current_directory(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(file.parent)
    check_writable(Task({}), "secret", "token_file")
    store_text(Task({}), Target("secret"), "new")
    assert read_text("secret") == "new"
    assert file.read_text() == "new\n"


def test_check_passes_when_the_file_can_be_written(file: Path) -> None:
    check_writable(Task({}), str(file), "token_file")
    assert not file.exists()


@pytest.mark.parametrize("path", ["{folder}/none/secret", "{folder}/file/secret"])
def test_path_is_refused_when_it_cannot_be_written(tmp_path: Path, path: str) -> None:
    (tmp_path / "file").write_text("")
    path = path.replace("{folder}", str(tmp_path))
    with pytest.raises(BadOption) as error:
        check_writable(Task({}), path, "token_file")
    assert str(error.value) == (
        f"Option 'token_file': '{path}' cannot be written: its directory must exist and be writable."
    )


def test_directory_can_be_missing_in_check_mode(tmp_path: Path) -> None:
    path = str(tmp_path / "none" / "secret")
    check_writable(Task({}, check_mode=True), path, "token_file")
    with pytest.raises(BadOption):
        check_writable(Task({}), path, "token_file")


@pytest.mark.parametrize(
    ("text", "expected"), [(None, None), ("", None), (" \n", None), ("x\n", "x"), (" a\nb ", "a\nb")]
)
def test_content_is_read(file: Path, text: str | None, expected: str | None) -> None:
    if text is not None:
        file.write_text(text)
    assert read_text(str(file)) == expected


def test_file_is_refused_when_it_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError, match=r"^Cannot read '.*': Is a directory\.$"):
        read_text(str(tmp_path))


LISTING = {"to_file": None, "owner": None, "group": None, "mode": None, "mask_secrets": None, "secret_members": None}


def test_lines_replace_the_file_when_all_are_written(file: Path) -> None:
    file.write_text("old")

    def broken() -> Iterator[int]:
        yield 1
        raise ToolchainError("The answer broke off.")

    with pytest.raises(ToolchainError, match="broke off"):
        store_json_lines(Task({}), Target(str(file)), broken())
    assert file.read_text() == "old"
    task = Task({})
    task.register_secret("s3cret")
    store_json_lines(task, Target(str(file), mode="0640"), ({"n": n, "said": "s3cret é \ud800"} for n in range(2)))
    assert [json.loads(line) for line in file.read_text().splitlines()] == [
        {"n": n, "said": "******** é \ud800"} for n in range(2)
    ]
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert list(file.parent.iterdir()) == [file]
    assert not task.has_written


def test_secret_is_masked_when_json_escapes_it(file: Path) -> None:
    task = Task({})
    task.register_secret('a"b\\é\n')
    store_json_lines(task, Target(str(file)), [{"said": 'x a"b\\é\n y'}, {"said": "nothing"}])
    assert file.read_text() == '{"said": "x ******** y"}\n{"said": "nothing"}\n'


def test_lines_are_read_but_not_stored_in_check_mode(file: Path) -> None:
    values = iter(range(3))
    store_json_lines(Task({}, check_mode=True), Target(str(file)), values)
    assert list(values) == []
    assert not file.exists()


def test_list_is_in_the_result_or_in_the_file(file: Path) -> None:
    task = Task(LISTING)
    assert output_list(task, "rows", iter([{"n": 2}, {"n": 1}]), order=["n"]) == 2
    assert task.result == {"rows": [{"n": 1}, {"n": 2}]}
    task = Task({**LISTING, "to_file": str(file)})
    assert output_list(task, "rows", iter([{"n": 2}, {"n": 1}]), order=["n"]) == 2
    assert (task.result, file.read_text()) == ({}, '{"n": 2}\n{"n": 1}\n')


@pytest.mark.parametrize("in_file", [False, True])
def test_items_are_masked_when_they_look_like_secrets(in_file: bool, file: Path) -> None:
    task = Task({**LISTING, "mask_secrets": True, "to_file": str(file) if in_file else None})
    assert output_list(task, "rows", iter([{"name": "app", "url": "https://me:hunter2@host"}])) == 1
    row = {"name": "app", "url": "https://MASKED_SECRET@host"}
    assert task.result == {"masked": {"count": 1, "places": ["app: url"]}, **({} if in_file else {"rows": [row]})}
    if in_file:
        assert json.loads(file.read_text()) == row


@pytest.mark.parametrize(("option", "value"), [("to_file", "/nowhere/x"), ("owner", "nobody-of-that-name")])
def test_no_request_is_sent_when_the_file_cannot_be_written(option: str, value: str, file: Path) -> None:
    records = iter([{}])
    with pytest.raises(BadOption, match=option):
        output_list(Task({**LISTING, "to_file": str(file), option: value}), "rows", records)
    assert list(records) == [{}]


def write_a_line(file: Path) -> None:
    with open_json_lines(Task({}), str(file)) as write:
        write("new")


WRITERS: dict[str, Callable[[Path], object]] = {
    "store": lambda file: store_text(Task({}), Target(str(file)), "new"),
    "store_pieces": lambda file: store_chunks(Task({}), str(file), [b"new"]),
    "store_lines": lambda file: store_json_lines(Task({}), Target(str(file)), ["new"]),
    "open_json_lines": write_a_line,
    "open_private": lambda file: open_private(str(file), "ab").close(),
    "Store": lambda file: Store(str(file)).close(delete=False),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_rehearsal_writes_copies_when_the_file_is_named_in_any_way(
    writer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies, existing, link, new = (tmp_path / name for name in ("copies", "existing", "link", "new"))
    copies.mkdir()
    existing.write_text("production")
    link.symlink_to(existing)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOOLCHAIN_REHEARSAL_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("TOOLCHAIN_REHEARSAL_FILES", str(copies))
    for path in (existing, link, Path("existing"), new):
        for _run in range(2):
            WRITERS[writer](path)
    assert existing.read_text() == "production"
    assert link.readlink() == existing
    assert not new.exists()
    monkeypatch.delenv("TOOLCHAIN_REHEARSAL_FILES")
    with pytest.raises(ToolchainError, match="This is a rehearsal, and its directory for copies"):
        WRITERS[writer](new)
    assert not new.exists()


def test_rehearsal_reads_the_copy_when_it_wrote_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copies, existing, link = (tmp_path / name for name in ("copies", "existing", "link"))
    copies.mkdir()
    existing.write_text("production\n")
    existing.chmod(0o640)
    link.symlink_to(existing)
    monkeypatch.setenv("TOOLCHAIN_REHEARSAL_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("TOOLCHAIN_REHEARSAL_FILES", str(copies))
    assert read_text(str(link)) == "production"
    store_text(Task({}), Target(str(link)), "rehearsed")
    assert read_text(str(existing)) == read_text(str(link)) == "rehearsed"
    check_readable(str(existing), "src")
    assert get_fingerprint(str(existing))[0] == len("rehearsed\n")
    assert stat.S_IMODE(Path(resolve_read(str(existing))).stat().st_mode) == 0o640
    assert find_files(f"{tmp_path}/e*") == {str(existing): "existing"}
    with open_private(str(tmp_path / "grown"), "ab") as file:
        file.write(b"more")
    assert find_files(f"{tmp_path}/gr*") == {str(tmp_path / "grown"): "grown"}
    copies.rename(tmp_path / "ended")
    assert read_text(str(link)) == "production"


def test_rehearsal_fails_when_a_file_cannot_be_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    existing, copies = tmp_path / "existing", tmp_path / "copies"
    existing.write_text("production")
    (copies / tmp_path.relative_to("/")).parent.mkdir(parents=True)
    (copies / tmp_path.relative_to("/")).touch()
    monkeypatch.setenv("TOOLCHAIN_REHEARSAL_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("TOOLCHAIN_REHEARSAL_FILES", str(copies))
    with pytest.raises(ToolchainError, match=f"'{existing}' cannot be copied: File exists."):
        open_private(str(existing), "ab")


def test_rehearsal_fails_when_the_folder_of_a_file_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "copies").mkdir()
    monkeypatch.setenv("TOOLCHAIN_REHEARSAL_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("TOOLCHAIN_REHEARSAL_FILES", str(tmp_path / "copies"))
    file = tmp_path / "missing" / "file"
    with pytest.raises(ToolchainError, match=f"Cannot write into '{file.parent}': No such file or directory"):
        store_text(Task({}), Target(str(file)), "new")
    store_chunks(Task({}), str(file), [b"new"])
    store_text(Task({}), Target(str(file)), "newer")
    assert read_text(str(file)) == "newer"
    assert not file.parent.exists()
