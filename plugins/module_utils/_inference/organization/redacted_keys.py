# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which key a value belongs to. Lists tell of a value only how it begins and how it ends."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._credential import check_header_value
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import (
    InferenceService,
    KeyClass,
    classify_key,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_LEFT_OUT = re.compile(r"\.{3,}|\*+|\u2026")


def matches_redacted(value: str | None, redacted: str | None) -> bool:
    """Whether a value begins and ends as a redacted one, such as `sk-admin-abc...wxyz`, does."""
    parts = _LEFT_OUT.split(redacted or "")
    if not value or len(parts) != 2 or not parts[1]:
        return False
    return len(value) > len(parts[0]) + len(parts[1]) and value.startswith(parts[0]) and value.endswith(parts[1])


def find_key(value: str | None, keys: t.Iterable[dict[str, t.Any]]) -> dict[str, t.Any] | None:
    """The key, of these, that a value belongs to."""
    return next((key for key in keys if matches_redacted(value, key["redacted_value"])), None)


def check_replaceable(task: Task, key_class: KeyClass, value: str, path: str) -> None:
    """See to it that what is in `key_file` may be written over: a key that no list has, and that opens nothing.

    :arg path: what a key of this class opens
    :raises BadOption: when it is something else
    """
    file = f"'{task.params['key_file']}'"
    real = classify_key(value)
    if real is not key_class:
        problem = f"contains a key for {real.opens}" if real else "does not contain a key"
        raise BadOption("key_file", f"{file} {problem}, and is left unchanged")
    if not InferenceService(task).is_rejected(check_header_value("key_file", value), key_class, path):
        raise BadOption("key_file", f"{file} contains a valid key of something else, and is left unchanged")
