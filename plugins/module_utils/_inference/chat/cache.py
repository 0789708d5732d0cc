# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A folder of answers, so that each has to be paid for only once."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import (
    Target,
    store_text,
    temporary_directory,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_OPTION = "cache"


def load_answer(
    folder: str, name: str, fields: t.Collection[str], defaults: dict[str, t.Any]
) -> dict[str, t.Any] | None:
    """The answer of that name, or `None`. What has not exactly the members of an answer is none.

    :arg lacking: the values of members that an older answer may lack

    :raises BadOption: when it cannot be read, or when there is none and the folder cannot take one
    """
    path = _entry_path(folder, name)
    try:
        answer = _read_json(path)
    except OSError as error:
        raise BadOption(_OPTION, f"'{path}' cannot be read: {error.strerror}") from None
    if isinstance(answer, dict):
        answer = {**defaults, **answer}
        if answer.keys() == set(fields) and answer["complete"] is True:
            return answer
    _check_writable(folder)
    return None


def store_answer(task: Task, folder: str, name: str, answer: dict[str, t.Any]) -> None:
    """Put an answer into the folder, which is made if it is not there."""
    try:
        with task.guard_action(f"Making the folder '{folder}'", changes_state=False):
            os.makedirs(rehearsal.resolve_write(folder), mode=0o700, exist_ok=True)
    except OSError as error:
        raise ToolchainError(f"Cannot make the folder of '{_OPTION}': {error.strerror}.") from None
    store_text(task, Target(_entry_path(folder, name)), json.dumps(answer, indent=2, sort_keys=True))


@contextlib.contextmanager
def lock_entry(folder: str, name: str, pause: t.Callable[[], None]) -> t.Iterator[None]:
    """While the answer of that name is looked up, fetched and kept by no other thread or process of this user.

    :arg pause: called between two tries
    """
    shared = hashlib.sha256(os.path.join(os.path.realpath(folder), name).encode()).hexdigest()
    try:
        path = rehearsal.resolve_write(os.path.join(temporary_directory(), f"{shared}.lock"))
        while (handle := _try_lock(path)) is None:
            pause()
    except OSError:  # where no lock can be kept, each process goes by itself
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.unlink(path)
        os.close(handle)


def _try_lock(path: str) -> int | None:
    """Return the open file when it is locked, or `None` when another has the lock or has just removed the file."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(handle), os.stat(path)):
            return handle
    except (BlockingIOError, FileNotFoundError):
        pass
    except OSError:
        os.close(handle)
        raise
    os.close(handle)
    return None


def _entry_path(folder: str, name: str) -> str:
    return os.path.join(folder, f"{name}.json")


def _read_json(path: str) -> t.Any:
    """The content of a file, if there is one and it is JSON."""
    found = rehearsal.resolve_read(path)
    if os.path.exists(found) and not os.path.isfile(found):
        raise BadOption(_OPTION, f"'{path}' is no file")
    try:
        with open(found, encoding="utf-8") as file:
            return json.load(file)
    except (FileNotFoundError, ValueError, RecursionError):
        return None


def _check_writable(folder: str) -> None:
    """See to it that an answer can be kept, before it is paid for."""
    there = os.path.abspath(rehearsal.resolve_read(folder))
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if not os.path.isdir(there) or not os.access(there, os.W_OK | os.X_OK):
        raise BadOption(_OPTION, f"'{there}' must be a folder that can be written to")
