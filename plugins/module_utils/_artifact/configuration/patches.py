# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""YAML patches of the central configuration."""

from __future__ import annotations

import json
import re

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration import descriptor
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration.document import (
    find_shortened_lists,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Characters that YAML reads as line breaks or refuses, although JSON strings may contain them
_UNSAFE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_COUNT = re.compile(r"(\d+) changes?\b")


def merge(task: Task, artifact: ArtifactService, current: Fields, changes: Fields) -> Fields | None:
    """Merge changes into the configuration of the server.

    :arg current: the configuration before the changes
    :returns: the configuration after the changes, if it had to be read
    """
    _patch(task, artifact, changes)
    # Servers may replace only the elements of a list that have an index in the new list
    if not find_shortened_lists(current, changes):
        return None
    unread = descriptor.fetch(artifact)
    if not (remaining := find_shortened_lists(unread, changes)):
        return unread
    _patch(task, artifact, _clear_lists(remaining))
    _patch(task, artifact, remaining)
    return None


def _patch(task: Task, artifact: ArtifactService, changes: Fields) -> None:
    document, headers = _to_yaml(changes), {"Content-Type": "application/yaml"}
    response = artifact.write_descriptor("PATCH", descriptor.PATH, data=document, headers=headers)
    count = _COUNT.search(response.text)
    if count and count[1] == "0":
        task.warn("Artifactory reported 0 changes for a document with changes.")


def _to_yaml(changes: Fields) -> bytes:
    """Return a YAML document. JSON is a subset of YAML, except for some characters, which are escaped."""
    text = json.dumps(changes, ensure_ascii=False)
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text).encode()


def _clear_lists(lists: Fields) -> Fields:
    return {name: _clear_lists(value) if isinstance(value, dict) else None for name, value in lists.items()}
