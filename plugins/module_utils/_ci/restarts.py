# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is to be made of a server that may restart while a task waits for something else."""

from __future__ import annotations

import contextlib
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    IncompleteResponse,
    ServerRefusal,
    ServerUnreachable,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady

# A server refuses good credentials as well, for a moment before it goes down and another one before it is ready
_PASSING = (401, 429, 502, 503, 504)


@contextlib.contextmanager
def outlasted() -> t.Iterator[None]:
    """Around reads: what a server says, or does not say, while it restarts means "not yet".

    :raises NotYet: with what it says
    """
    try:
        yield
    except (ServerUnreachable, IncompleteResponse):
        raise NotReady("the server does not answer") from None
    except ServerRefusal as refusal:
        if refusal.status not in _PASSING:
            raise
        raise NotReady(f"the server answers {refusal.status}") from None
