# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Polling of a server that may restart."""

from __future__ import annotations

import contextlib
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    IncompleteResponse,
    ServerRefusal,
    ServerUnreachable,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady

# During a restart, Jenkins also rejects valid credentials for a moment
_TEMPORARY = (401, 429, 502, 503, 504)


@contextlib.contextmanager
def tolerate_restart() -> t.Iterator[None]:
    """Convert errors of reads that can result from a restart of the server.

    :raises NotReady: with the reason
    """
    try:
        yield
    except (ServerUnreachable, IncompleteResponse):
        raise NotReady("the server does not respond") from None
    except ServerRefusal as refusal:
        if refusal.status not in _TEMPORARY:
            raise
        raise NotReady(f"the server returns {refusal.status}") from None
