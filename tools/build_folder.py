# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The build directory of the checkout: downloads and builds that are kept between runs."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"


@contextlib.contextmanager
def exclusive_lock(folder: Path) -> Iterator[None]:
    """Hold an exclusive lock of this directory, which may be missing."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def fill_once(folder: Path, key: str, fill: Callable[[Path], None]) -> Path:
    """Return the directory, filled by `fill` unless an earlier call with the same key has done so.

    An interrupted call leaves no mark, so that the next one starts again. The mark is updated by each call, because
    make compares its time with that of the requirements.
    """
    with exclusive_lock(folder):
        mark = folder / ".filled"
        if not mark.exists() or mark.read_text() != key:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            fill(folder)
            mark.write_text(key)
        mark.touch()
    return folder
