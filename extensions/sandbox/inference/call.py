# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One request, as the handlers see it."""

from __future__ import annotations

from typing import NamedTuple

from starlette.requests import Request

from ..runtime.runtime import Runtime
from .keys import Caller
from .limits import RateLimits
from .replies import Replies


class Call(NamedTuple):
    """A request from a caller whose key is good for it."""

    request: Request
    caller: Caller
    runtime: Runtime
    limits: RateLimits
    replies: Replies
