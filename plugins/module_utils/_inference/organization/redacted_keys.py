# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find the key that a secret belongs to. The API only returns the first and last characters of existing secrets."""

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

_REDACTION = re.compile(r"\.{3,}|\*+|\u2026")


def matches_redacted(value: str | None, redacted: str | None) -> bool:
    """Return whether a value matches a redacted one, such as `sk-admin-abc...wxyz`."""
    parts = _REDACTION.split(redacted or "")
    if not value or len(parts) != 2 or not parts[1]:
        return False
    return len(value) > len(parts[0]) + len(parts[1]) and value.startswith(parts[0]) and value.endswith(parts[1])


def find_key(value: str | None, keys: t.Iterable[dict[str, t.Any]]) -> dict[str, t.Any] | None:
    """Return the key that a value belongs to."""
    return next((key for key in keys if matches_redacted(value, key["redacted_value"])), None)


def find_keys(value: str | None, keys: t.Iterable[dict[str, t.Any]]) -> list[dict[str, t.Any]]:
    """Return all keys that a value can belong to. Several keys can have the same redacted value."""
    return [key for key in keys if matches_redacted(value, key["redacted_value"])]


def may_match(value: str | None, redacted: str | None) -> bool:
    """Return whether a value matches a redacted one, or the redacted one says nothing about the key."""
    parts = _REDACTION.split(redacted or "")
    return matches_redacted(value, redacted) or len(parts) != 2 or not parts[1]


def check_replaceable(task: Task, key_class: KeyClass, value: str, path: str) -> None:
    """Check that `key_file` contains a revoked key, which may be overwritten.

    :arg path: an endpoint that accepts keys of this class
    :raises BadOption: if it contains a valid key or anything else
    """
    file = f"'{task.params['key_file']}'"
    actual = classify_key(value)
    if actual is not key_class:
        problem = f"contains a key for {actual.purpose}" if actual else "does not contain a key"
        raise BadOption("key_file", f"{file} {problem}, and is left unchanged")
    if not InferenceService(task).is_rejected(check_header_value("key_file", value), key_class, path):
        raise BadOption("key_file", f"{file} contains a valid key with another owner, and is left unchanged")
