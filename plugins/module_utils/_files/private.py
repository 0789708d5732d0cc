# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files for their owner alone (secrets, paid answers): either old or new, never half written."""

from __future__ import annotations

import collections
import contextlib
import grp
import itertools
import json
import os
import pwd
import secrets
import stat
import tempfile
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._secret_patterns import SecretMasker
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, mask_secrets

# What JSON can say and UTF-8 cannot is written as JSON says it
_NO_UNICODE = "backslashreplace"


def check_writable(task: Task, path: str, option: str) -> None:
    """See to it that a file can be stored before there is something to store. A link stands for what it leads to.

    :raises BadOption: when it cannot; in check mode its folder may be missing, for another task may make it
    """
    target = os.path.realpath(path)
    folder = rehearsal.resolve_read(os.path.dirname(target))
    if os.path.exists(target) and not os.path.isfile(target):
        raise BadOption(option, f"'{path}' cannot be written: it is no ordinary file")
    if task.check_mode and not os.path.exists(folder):
        return
    if not os.path.isdir(folder) or not os.access(folder, os.W_OK | os.X_OK):
        raise BadOption(option, f"'{path}' cannot be written: its folder must be there and writable")


def check_ownership(task: Task) -> None:
    """
    :raises BadOption: when there is no such `owner` or `group` on this machine
    """
    for option, find in (("owner", _user_id), ("group", _group_id)):
        try:
            find(task.params[option])
        except KeyError:
            raise BadOption(option, f"there is no '{task.params[option]}' on this machine") from None


def warn_if_accessible(task: Task, path: str) -> None:
    """Warn when other users can read a secret that is stored in a file next, or can replace the file.

    A `mode` of the task is what the user wants, whoever can read the file then.
    """
    file = os.path.realpath(rehearsal.resolve_read(path))
    folder = rehearsal.resolve_read(os.path.dirname(os.path.realpath(path)))
    problems = []
    if task.params["mode"] is None and (mode := _mode(file)) & 0o077:
        problems.append(
            f"Other users can access the secret in '{path}', which has mode {mode:04o}: set 'mode', or make it 0600."
        )
    if (mode := _mode(folder)) & 0o022 and not mode & stat.S_ISVTX:
        problems.append(
            f"Other users can replace '{path}', because its folder has mode {mode:04o}: use a folder that only its "
            "owner can write to."
        )
    for problem in problems:
        if problem not in task.warnings:
            task.warn(problem)


def _mode(path: str) -> int:
    """Return the permissions of a file or folder, none for a missing one."""
    return stat.S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else 0


def read_text(path: str) -> str | None:
    """What is in the file, without blanks around it, or `None` when it is empty or not there.

    :raises ToolchainError: when it cannot be read
    """
    try:
        with open(rehearsal.resolve_read(path), encoding="utf-8", errors="replace") as file:
            return file.read().strip() or None
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ToolchainError(f"Cannot read '{path}': {error.strerror}.") from None


def store(
    task: Task,
    path: str,
    text: str,
    *,
    owner: str | None = None,
    group: str | None = None,
    mode: str | None = None,
    verify: t.Callable[[], None] = lambda: None,
) -> None:
    """Replace the file's content. Never done in check mode.

    Owner, group and mode stay those of the file that is there where none are given; a new one has mode 0600.

    :arg verify: called just before the old content goes; raises `ToolchainError` if it must stay
    :raises ToolchainError: when it cannot be done; the old content is still there then
    """
    with task.guard_write(f"Storing '{path}'"):
        _replace(path, _encoded([f"{text}\n"]), owner, group, mode, verify=verify)


def store_chunks(task: Task, path: str, pieces: t.Iterable[bytes], in_check_mode: bool = False) -> None:
    """Replace the file's content by these pieces, as `store` does; a new file is readable as the umask says.

    :arg always: write it in check mode, too, for it only keeps what need not be fetched again
    :raises ToolchainError: when it cannot be done, or the pieces raise it; the old content is still there then
    """
    with contextlib.nullcontext() if in_check_mode else task.guard_write(f"Storing '{path}'"):
        try:
            os.makedirs(rehearsal.resolve_write(os.path.dirname(os.path.realpath(path))), exist_ok=True)
        except OSError as error:
            raise ToolchainError(f"Cannot make the folder of '{path}': {error.strerror}.") from None
        _replace(path, pieces, None, None, None, new=0o666)


def store_output(
    task: Task,
    path: str,
    pieces: t.Iterable[bytes],
    *,
    owner: str | None = None,
    group: str | None = None,
    mode: str | None = None,
) -> None:
    """Replace the file's content by what a command writes, as `store` does; it counts for no change of its own.

    The pieces are gone through one by one, also in check mode, in which no file is written.

    :raises ToolchainError: when it cannot be done, or the pieces raise it; the old content is still there then
    """
    if task.check_mode:
        collections.deque(pieces, maxlen=0)
        return
    with task.guard_action(f"Writing '{path}'", changes_state=False):
        _replace(path, pieces, owner, group, mode)


def store_json_lines(
    task: Task,
    path: str,
    values: t.Iterable[t.Any],
    *,
    owner: str | None = None,
    group: str | None = None,
    mode: str | None = None,
    in_check_mode: bool = False,
) -> None:
    """Replace the file's content by a line of JSON for each value, without secrets, as `store` does.

    The values are gone through one by one, also in check mode, in which no file is written.

    :arg always: write it in check mode, too, for it says what would be done
    :raises ToolchainError: when it cannot be done; the old content is still there then
    """
    lines = (_line(task, value) for value in values)
    if task.check_mode and not in_check_mode:
        collections.deque(lines, maxlen=0)
        return
    with contextlib.nullcontext() if in_check_mode else task.guard_action(f"Writing '{path}'", changes_state=False):
        _replace(path, _encoded(lines), owner, group, mode)


@contextlib.contextmanager
def open_json_lines(task: Task, path: str | None) -> t.Iterator[t.Callable[[t.Any], t.Any]]:
    """A file with mode 0600 that grows by a line of JSON with each call, without secrets.

    :arg path: without one, and in check mode, nothing is written
    :raises ToolchainError: when it cannot be written
    """
    if path is None or task.check_mode:
        yield lambda _value: None
        return
    try:
        with (
            task.guard_action(f"Writing '{path}'", changes_state=False),
            open(rehearsal.resolve_write(path), "w", encoding="utf-8", errors=_NO_UNICODE, opener=_private) as file,
        ):
            yield lambda value: file.write(_line(task, value))
    except OSError as error:
        raise ToolchainError(f"Cannot write '{path}': {error.strerror}.") from None


def open_private(path: str, mode: str) -> t.Any:
    """A file with mode 0600, opened for bytes, each of whose writes is there at once.

    :arg mode: to create or append to a file
    """
    return open(rehearsal.resolve_write(path, copy_content=True), mode, buffering=0, opener=_private)


def temporary_directory() -> str:
    """Return the folder for files that running tasks of this user share. Other users cannot write to it.

    :raises OSError: when there is none
    """
    folder = os.path.join(tempfile.gettempdir(), f"buildworks-toolchain-{os.getuid()}")
    with contextlib.suppress(FileExistsError):
        os.mkdir(folder, 0o700)
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise PermissionError(folder)
    return folder


def output_list(task: Task, name: str, values: t.Iterable[dict[str, t.Any]], order: t.Sequence[str] = ()) -> int:
    """Put the values into the result under a name, or those of a task with `to_file` into that file.

    With `mask_secrets`, texts that look like secrets are masked in them, and the result says which.

    :return: how many there were
    :arg values: not asked for before the file is known to be writable
    :arg order: by what members they are sorted in the result; without it, and in the file, they stay as they come
    :raises BadOption: when it is not
    """
    masking = SecretMasker()
    if task.params["mask_secrets"]:
        task.result["masked"] = masking.result
        values = map(masking.mask, values)
    if task.params["to_file"] is None:
        found = task.result[name] = list(values)
        if order:
            found.sort(key=lambda value: [value[name] for name in order])
        return len(found)
    check_writable(task, task.params["to_file"], "to_file")
    check_ownership(task)
    counter = itertools.count()
    store_json_lines(
        task,
        task.params["to_file"],
        (value for value, _number in zip(values, counter)),
        **task.select("owner", "group", "mode"),
    )
    return next(counter)


def _line(task: Task, value: t.Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    # Most lines have no secret in them, and are not worth the way through all of their texts
    if any(json.dumps(secret, ensure_ascii=False)[1:-1] in text for secret in task.secrets):
        text = json.dumps(mask_secrets(value, task.secrets), ensure_ascii=False)
    return f"{text}\n"


def _private(path: str, flags: int) -> int:
    handle = os.open(path, flags, 0o600)
    os.fchmod(handle, 0o600)
    return handle


def _encoded(texts: t.Iterable[str]) -> t.Iterator[bytes]:
    return (text.encode("utf-8", _NO_UNICODE) for text in texts)


def _replace(
    path: str,
    pieces: t.Iterable[bytes],
    owner: str | None,
    group: str | None,
    mode: str | None,
    new: int = 0o600,
    verify: t.Callable[[], None] = lambda: None,
) -> None:
    """:arg new: mode of a file that was not there, before the umask"""
    old, path = os.path.realpath(rehearsal.resolve_read(path)), os.path.realpath(path)
    target = rehearsal.resolve_write(path)
    temporary = os.path.join(os.path.dirname(target), f".new-{secrets.token_hex(8)}")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, new)
    except OSError as error:
        raise ToolchainError(f"Cannot write into '{os.path.dirname(path)}': {error.strerror}.") from None
    try:
        with os.fdopen(handle, "wb") as file:
            _let_read(handle, old, _user_id(owner), _group_id(group), int(mode, 8) if mode else None)
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        verify()
        os.replace(temporary, target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        if isinstance(error, OSError):
            raise ToolchainError(f"Cannot write '{path}': {error.strerror}.") from None
        raise


def _let_read(handle: int, old: str, owner: int | None, group: int | None, mode: int | None) -> None:
    """Give the new file owner, group and mode, by default those of the old one."""
    new = os.fstat(handle)
    found = os.stat(old) if os.path.exists(old) else new
    ids = (found.st_uid if owner is None else owner, found.st_gid if group is None else group)
    if ids != (new.st_uid, new.st_gid):
        os.fchown(handle, *ids)
    os.fchmod(handle, stat.S_IMODE(found.st_mode) if mode is None else mode)


def _user_id(name: str | None) -> int | None:
    return None if name is None else int(name) if name.isdigit() else pwd.getpwnam(name).pw_uid


def _group_id(name: str | None) -> int | None:
    return None if name is None else int(name) if name.isdigit() else grp.getgrnam(name).gr_gid
