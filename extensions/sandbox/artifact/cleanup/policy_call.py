# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the calls for both kinds of clean-up policies share."""

from __future__ import annotations

from ..call import Call
from ..protocol.errors import ArtifactError
from ..protocol.request_body import read_json_object


def require_feature(call: Call, feature: str) -> None:
    """Fail unless the server has the policies and the caller may manage them."""
    if not call.supports(feature):
        raise ArtifactError(404)
    call.require_admin()
    call.require_enterprise()


async def read_enabled(call: Call) -> bool:
    """Return whether a request enables or disables a policy, or fail with 400."""
    enabled = (await read_json_object(call)).get("enabled")
    if not isinstance(enabled, bool):
        raise ArtifactError(400, "enabled is required")
    return enabled
