# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs as `sitecustomize` when a Python program of a rehearsal starts, that is in Ansible and in each of its modules.

The program can connect to the sandbox only, and reads the copies of the files that the rehearsal wrote. If it replaces
a file by a temporary file, as `ansible.builtin.copy` does, it replaces the copy. It may be any Python since 3.8, and
needs only the standard library.
"""

from __future__ import annotations

import builtins
import contextlib
import errno
import functools
import io
import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

# Of the sandbox: host and port, separated by blanks
ADDRESSES = frozenset(os.environ.get("TOOLCHAIN_REHEARSAL_ADDRESSES", "").split())
COPIES = os.path.realpath(os.environ.get("TOOLCHAIN_REHEARSAL_FILES", os.devnull))
# The folder of the rehearsal, with the temporary files of its programs
SCRATCH = os.path.join(os.path.dirname(COPIES), "")
CONNECTING = frozenset(("socket.connect", "socket.sendto", "socket.sendmsg"))
FILE_FUNCTIONS = (
    *("access", "chmod", "chown", "lstat", "open", "readlink", "remove", "stat", "unlink", "utime"),
    *(name for name in ("getxattr", "listxattr", "removexattr", "setxattr") if hasattr(os, name)),  # of Linux
)
REPLACING = ("rename", "replace")
# What their first parameter is called
PATHS = ("path", "file")
FEATURES = (os.supports_dir_fd, os.supports_effective_ids, os.supports_fd, os.supports_follow_symlinks)

_realpath = os.path.realpath
_state = threading.local()


def refuse_connection(event: str, arguments: tuple[Any, ...]) -> None:
    """Let a program connect to the sandbox only. An audit hook: it cannot be removed.

    :raises ConnectionRefusedError: for another address of a network
    """
    address = arguments[1] if event in CONNECTING else None
    if not (isinstance(address, tuple) and len(address) > 1 and isinstance(address[0], str)):
        return  # sockets of this machine
    place = f"{address[0]}:{address[1]}"
    if place in ADDRESSES:
        return
    text = f"This is a rehearsal, so {place} is not reached."
    if is_module():  # one that waits for an address would try again, or take the refusal for success
        print(json.dumps({"failed": True, "msg": text}))
        raise SystemExit(1)
    raise ConnectionRefusedError(errno.ECONNREFUSED, text)


def is_module() -> bool:
    """Return whether the program is an Ansible module, and not Ansible itself."""
    return "ansible.module_utils.basic" in sys.modules and "ansible.cli" not in sys.modules


class Redirected:
    """A function that takes the copy of a file, if there is one.

    No function, because `pathlib` before Python 3.11 has such functions as members of a class, which would bind them.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        functools.update_wrapper(self, function)
        for supporting in FEATURES:
            if function in supporting:
                supporting.add(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function with the path of the copy."""
        if kwargs.get("dir_fd") is None:
            args = (*map(find_copy, args[:1]), *args[1:])
            kwargs = {name: find_copy(value) if name in PATHS else value for name, value in kwargs.items()}
        return self._function(*args, **kwargs)


def find_copy(path: Any) -> Any:
    """Return the path of the copy of a file or folder, or the path itself."""
    if isinstance(path, int) or getattr(_state, "is_looking", False):
        return path
    _state.is_looking = True
    try:
        real = os.path.realpath(os.fsdecode(path))
        copy = COPIES + real
        if real.startswith(COPIES) or not os.path.lexists(copy) or os.path.isdir(real):
            return path
    except (TypeError, ValueError):  # the function itself refuses such a path
        return path
    finally:
        _state.is_looking = False
    return os.fsencode(copy) if isinstance(path, bytes) else copy


@functools.wraps(os.path.realpath)
def resolve_links(*args: Any, **kwargs: Any) -> Any:
    """Return the real path of a file, also if a link leads to a file with a copy, which is no link."""
    before = getattr(_state, "is_looking", False)
    _state.is_looking = True
    try:
        return _realpath(*args, **kwargs)
    finally:
        _state.is_looking = before


class Replacing(Redirected):
    """A function that moves a file: a temporary file becomes the copy of its destination.

    Other files are moved as without a rehearsal: in the scratch folder, which is removed, they would be lost.
    """

    def __call__(self, src: Any, dst: Any, **kwargs: Any) -> None:
        """Call the function with the path of the copy."""
        if all(folder is None for folder in kwargs.values()):
            dst = claim_copy(src, dst)
        self._function(src, dst, **kwargs)


def claim_copy(source: Any, target: Any) -> Any:
    """Return the path to which a file is moved. If the parent directory exists, that of the copy exists afterwards."""
    temporary, real = (os.path.realpath(os.fsdecode(path)) for path in (source, target))
    if not temporary.startswith(SCRATCH) or real.startswith(SCRATCH) or not os.path.isfile(temporary):
        return target
    copy = COPIES + real
    if os.path.isdir(os.path.dirname(real)):
        os.makedirs(os.path.dirname(copy), mode=0o700, exist_ok=True)
    return os.fsencode(copy) if isinstance(target, bytes) else copy


def run_replaced() -> None:
    """Run the `sitecustomize` that would have run without this one."""
    own = sys.modules.pop("sitecustomize")
    before = sys.path[:]
    sys.path[:] = [folder for folder in before if folder != os.path.dirname(__file__)]
    with contextlib.suppress(ImportError):
        import sitecustomize  # type: ignore[import-not-found]  # noqa: F401
    sys.modules["sitecustomize"], sys.path[:] = own, before


def start() -> None:
    """Take effect."""
    sys.addaudithook(refuse_connection)
    if os.path.isdir(COPIES):
        builtins.open = io.open = Redirected(open)
        for name in FILE_FUNCTIONS:
            setattr(os, name, Redirected(getattr(os, name)))
        os.path.realpath = resolve_links
        for name in REPLACING:
            setattr(os, name, Replacing(getattr(os, name)))
    run_replaced()


if __name__ == "sitecustomize":
    start()
