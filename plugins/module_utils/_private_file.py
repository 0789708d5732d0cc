# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files for their owner alone (secrets, paid answers): either old or new, never half written."""

from __future__ import annotations

import contextlib
import os
import tempfile

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError


def check_writable(path: str, option: str) -> None:
    """See to it that a file can be stored before there is something to store.

    :raises BadOption: when it cannot
    """
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path) or not os.access(folder, os.W_OK | os.X_OK):
        raise BadOption(option, f"'{path}' cannot be written: its folder must be there and writable")


def has_content(path: str) -> bool:
    """Whether the file is there and not empty."""
    return os.path.isfile(path) and os.path.getsize(path) > 0


def store(path: str, text: str) -> None:
    """Replace the file's content, with mode 0600."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".new-")
    except OSError as error:
        raise ToolchainError(f"Cannot write into '{folder}': {error.strerror}.") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(f"{text}\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise ToolchainError(f"Cannot write '{path}': {error.strerror}.") from None
