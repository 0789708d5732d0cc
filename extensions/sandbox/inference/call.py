# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The authenticated request that handlers receive."""

from __future__ import annotations

from typing import NamedTuple

from starlette.requests import Request

from ..runtime.runtime import Runtime
from .chat.scripted_replies import ScriptedReplies
from .keys import Caller
from .rate_limits import RateLimits


class Call(NamedTuple):
    """A request whose key has the required scope."""

    request: Request
    caller: Caller
    runtime: Runtime
    limits: RateLimits
    replies: ScriptedReplies
