# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Isolation of the Python programs in a rehearsal. Ansible and its modules load this file as `sitecustomize`.

A program can connect only to the sandbox. If the rehearsal wrote a file, the program reads the copy of that file. If
the program replaces a file with a temporary file, as `ansible.builtin.copy` does, it replaces the copy instead. This
file must run on Python 3.8 and newer, with only the standard library.
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

# Allowed addresses, each with host and port, separated by blanks
ADDRESSES = frozenset(os.environ.get("TOOLCHAIN_REHEARSAL_ADDRESSES", "").split())
COPIES = os.path.realpath(os.environ.get("TOOLCHAIN_REHEARSAL_FILES", os.devnull))
# The directory of the rehearsal, which contains the temporary files of its programs
SCRATCH = os.path.join(os.path.dirname(COPIES), "")
CONNECT_EVENTS = frozenset(("socket.connect", "socket.sendto", "socket.sendmsg"))
FILE_FUNCTIONS = (
    *("access", "chmod", "chown", "lstat", "open", "readlink", "remove", "stat", "unlink", "utime"),
    *(name for name in ("getxattr", "listxattr", "removexattr", "setxattr") if hasattr(os, name)),  # only on Linux
)
RENAME_FUNCTIONS = ("rename", "replace")
# Names of their first parameter
PATH_PARAMETERS = ("path", "file")
FEATURES = (os.supports_dir_fd, os.supports_effective_ids, os.supports_fd, os.supports_follow_symlinks)

_realpath = os.path.realpath
_state = threading.local()


def refuse_connection(event: str, arguments: tuple[Any, ...]) -> None:
    """Refuse connections to other addresses than those of the sandbox. Audit hooks cannot be removed.

    :raises ConnectionRefusedError: if the address is not allowed
    :raises SystemExit: the same in an Ansible module, after it has printed a failure
    """
    address = arguments[1] if event in CONNECT_EVENTS else None
    if not (isinstance(address, tuple) and len(address) > 1 and isinstance(address[0], str)):
        return  # not a network socket
    target = f"{address[0]}:{address[1]}"
    if target in ADDRESSES:
        return
    message = f"Connections to {target} are disabled during a rehearsal."
    if is_module():  # wait_for would retry, or with state=stopped succeed
        print(json.dumps({"failed": True, "msg": message}))
        raise SystemExit(1)
    raise ConnectionRefusedError(errno.ECONNREFUSED, message)


def is_module() -> bool:
    """Return whether the program is an Ansible module, and not Ansible itself."""
    return "ansible.module_utils.basic" in sys.modules and "ansible.cli" not in sys.modules


class RedirectedFunction:
    """A function of `os` that works on the copy of a file, if one exists.

    A callable object rather than a function, because `pathlib` before Python 3.11 stores functions of `os` as class
    attributes. A function would become a bound method there.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        """Wrap a function whose first argument is a path."""
        self._function = function
        functools.update_wrapper(self, function)
        for supporting in FEATURES:
            if function in supporting:
                supporting.add(self)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function with the path of the copy."""
        if kwargs.get("dir_fd") is None:
            args = (*map(find_copy, args[:1]), *args[1:])
            kwargs = {name: find_copy(value) if name in PATH_PARAMETERS else value for name, value in kwargs.items()}
        return self._function(*args, **kwargs)


def find_copy(path: Any) -> Any:
    """Return the path of the copy of a file or directory, or the path itself if it has no copy."""
    if isinstance(path, int) or getattr(_state, "is_looking", False):
        return path
    _state.is_looking = True
    try:
        real = os.path.realpath(os.fsdecode(path))
        copy = COPIES + real
        if real.startswith(COPIES) or not os.path.lexists(copy) or os.path.isdir(real):
            return path
    except (TypeError, ValueError):  # The function rejects an invalid path itself.
        return path
    finally:
        _state.is_looking = False
    return os.fsencode(copy) if isinstance(path, bytes) else copy


@functools.wraps(os.path.realpath)
def resolve_links(*args: Any, **kwargs: Any) -> Any:
    """Return the real path without redirection, because the copy of a linked file is not a link."""
    was_looking = getattr(_state, "is_looking", False)
    _state.is_looking = True
    try:
        return _realpath(*args, **kwargs)
    finally:
        _state.is_looking = was_looking


class RenameFunction(RedirectedFunction):
    """A function of `os` that moves a file. Temporary files become the copy of their destination.

    Other files are moved as usual, because they would be lost with the directory of the rehearsal.
    """

    def __call__(self, src: Any, dst: Any, **kwargs: Any) -> None:
        """Call the function, with the path of the copy as destination."""
        if all(descriptor is None for descriptor in kwargs.values()):
            dst = resolve_target(src, dst)
        self._function(src, dst, **kwargs)


def resolve_target(source: Any, target: Any) -> Any:
    """Return the destination of a file that is moved. Create the parent directory of the copy if the target has one."""
    temporary, real = (os.path.realpath(os.fsdecode(path)) for path in (source, target))
    if not temporary.startswith(SCRATCH) or real.startswith(SCRATCH) or not os.path.isfile(temporary):
        return target
    copy = COPIES + real
    if os.path.isdir(os.path.dirname(real)):
        os.makedirs(os.path.dirname(copy), mode=0o700, exist_ok=True)
    return os.fsencode(copy) if isinstance(target, bytes) else copy


def import_hidden_module() -> None:
    """Import the `sitecustomize` module that this one hides, if any."""
    this = sys.modules.pop("sitecustomize")
    original_path = sys.path[:]
    sys.path[:] = [directory for directory in original_path if directory != os.path.dirname(__file__)]
    with contextlib.suppress(ImportError):
        import sitecustomize  # type: ignore[import-not-found]  # noqa: F401
    sys.modules["sitecustomize"], sys.path[:] = this, original_path


def install() -> None:
    """Install the audit hook and redirect the functions of `os` that access files."""
    sys.addaudithook(refuse_connection)
    if os.path.isdir(COPIES):
        builtins.open = io.open = RedirectedFunction(open)
        for name in FILE_FUNCTIONS:
            setattr(os, name, RedirectedFunction(getattr(os, name)))
        os.path.realpath = resolve_links
        for name in RENAME_FUNCTIONS:
            setattr(os, name, RenameFunction(getattr(os, name)))
    import_hidden_module()


if __name__ == "sitecustomize":
    install()
