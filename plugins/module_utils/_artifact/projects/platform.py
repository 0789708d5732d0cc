# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests for projects and environments in the Access API."""

from __future__ import annotations

import contextlib
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import access_api, editions
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response

API = "/access/api/v1"


def read(artifact: ArtifactService, path: str, feature: editions.Feature) -> Response:
    """Return the response of the Access API, which can be 404 if something does not exist.

    :arg path: path below `/access/api/v1`
    :arg feature: what the path belongs to
    :raises ToolchainError: if the server does not have the path
    """
    return access_api.read(artifact, f"{API}{path}", feature)


@contextlib.contextmanager
def allow_forbidden() -> t.Iterator[None]:
    """Skip a part of a prediction for which the account lacks a permission."""
    try:
        yield
    except ServerRefusal as refusal:
        if refusal.status not in (401, 403):
            raise
