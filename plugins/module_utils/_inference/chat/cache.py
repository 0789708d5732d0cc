# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A directory of answers, so that the same request is only charged once."""

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
    directory: str, name: str, fields: t.Collection[str], defaults: dict[str, t.Any]
) -> dict[str, t.Any] | None:
    """Return the answer with a name, `None` if it does not exist or lacks a field.

    :arg defaults: values of fields that answers of earlier versions lack
    :raises BadOption: if the file cannot be read, or if an answer could not be stored
    """
    path = _entry_path(directory, name)
    try:
        answer = _read_json(path)
    except OSError as error:
        raise BadOption(_OPTION, f"'{path}' cannot be read: {error.strerror}") from None
    if isinstance(answer, dict):
        answer = {**defaults, **answer}
        if answer.keys() == set(fields) and answer["complete"] is True:
            return answer
    _check_writable(directory)
    return None


def store_answer(task: Task, directory: str, name: str, answer: dict[str, t.Any]) -> None:
    """Store an answer. Create the directory if it does not exist."""
    try:
        with task.guard_action(f"Creating the directory '{directory}'", changes_state=False):
            os.makedirs(rehearsal.resolve_write(directory), mode=0o700, exist_ok=True)
    except OSError as error:
        raise ToolchainError(f"Cannot create the directory of '{_OPTION}': {error.strerror}.") from None
    store_text(task, Target(_entry_path(directory, name)), json.dumps(answer, indent=2, sort_keys=True))


@contextlib.contextmanager
def lock_entry(directory: str, name: str, pause: t.Callable[[], None]) -> t.Iterator[None]:
    """Lock the answer with a name against other threads and processes of this user.

    :arg pause: called between two attempts to get the lock
    """
    shared = hashlib.sha256(os.path.join(os.path.realpath(directory), name).encode()).hexdigest()
    try:
        path = rehearsal.resolve_write(os.path.join(temporary_directory(), f"{shared}.lock"))
        while (handle := _try_lock(path)) is None:
            pause()
    except OSError:  # if lock files cannot be created, each process works independently
        yield
        return
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.unlink(path)
        os.close(handle)


def _try_lock(path: str) -> int | None:
    """Return the handle of the locked file, `None` if another process has the lock or has just deleted the file."""
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


def _entry_path(directory: str, name: str) -> str:
    return os.path.join(directory, f"{name}.json")


def _read_json(path: str) -> t.Any:
    """Return the content of a JSON file, `None` if it does not exist or is invalid."""
    resolved = rehearsal.resolve_read(path)
    if os.path.exists(resolved) and not os.path.isfile(resolved):
        raise BadOption(_OPTION, f"'{path}' is not a regular file")
    try:
        with open(resolved, encoding="utf-8") as file:
            return json.load(file)
    except (FileNotFoundError, ValueError, RecursionError):
        return None


def _check_writable(directory: str) -> None:
    """Check that an answer can be stored, before the request is sent and charged."""
    existing = os.path.abspath(rehearsal.resolve_read(directory))
    while not os.path.lexists(existing):
        existing = os.path.dirname(existing)
    if not os.path.isdir(existing) or not os.access(existing, os.W_OK | os.X_OK):
        raise BadOption(_OPTION, f"'{existing}' must be a writable directory")
