# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Credentials, as headers that are sent without waiting to be asked for them."""

from __future__ import annotations

import base64
import dataclasses
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task


@dataclasses.dataclass
class Credential:
    """How requests authenticate: the headers to send, or nothing at all."""

    headers: dict[str, str] = dataclasses.field(default_factory=dict)

    def __call__(self, request: t.Any) -> t.Any:
        request.headers.update(self.headers)
        return request


def header_value(option: str, value: str) -> str:
    """A credential for a header, without the blanks and line ends around it.

    :raises BadOption: when it has characters that no header can carry
    """
    value = value.strip()
    if not value.isascii() or not value.isprintable():
        raise BadOption(option, "has characters that cannot be sent in a header")
    return value


def basic(task: Task, username: str, password: str) -> Credential:
    """HTTP basic authentication, sent without waiting to be asked."""
    encoded = base64.b64encode(f"{username}:{password}".encode()).decode()
    return Credential({"Authorization": f"Basic {task.secret(encoded)}"})
