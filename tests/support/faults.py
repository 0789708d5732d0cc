# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Select from a product of cases and faults the pairs that a default run needs."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, TypeVar

CaseT = TypeVar("CaseT", bound=Hashable)
FaultT = TypeVar("FaultT", bound=Hashable)

ALL = os.environ.get("TOOLCHAIN_ALL_FAULTS") == "1"
"""Whether to run the full product, as `make faults ALL=1` does."""


def select_pairs(
    pairs: Iterable[tuple[CaseT, FaultT]], *layers: Callable[[CaseT], Hashable], full: bool = ALL
) -> list[tuple[CaseT, FaultT]]:
    """Return pairs in which each case occurs, and each fault with each layer.

    Pairs compete by a hash of their text. Each case takes its best pair, and so does each fault in a layer.
    Therefore the selection is the same in each run, and a new case replaces only the pairs that it beats.

    :arg pairs: the product of cases and faults, without the faults that a case cannot have
    :arg layers: functions that return the layer of a case, which is the code that handles the fault
    :arg full: whether to return all pairs
    """
    product = list(pairs)
    if full:
        return product
    best: dict[Hashable, tuple[CaseT, FaultT]] = {}
    for case, fault in sorted(product, key=_rank):
        for key in [("case", case), *((number, layer(case), fault) for number, layer in enumerate(layers))]:
            best.setdefault(key, (case, fault))
    chosen = set(best.values())
    return [pair for pair in product if pair in chosen]


def exclude_polls(requests: Sequence[dict[str, Any]]) -> list[int]:
    """Return the numbers of requests in the journal, from 1. Of repeated reads, only the first is included."""
    numbers = range(1, len(requests) + 1)
    if ALL:
        return list(numbers)
    return [nth for nth in numbers if nth == 1 or not _is_same_read(*requests[nth - 2 : nth])]


def _is_same_read(before: dict[str, Any], request: dict[str, Any]) -> bool:
    return request["effect"] == "read" and all(
        before[name] == request[name] for name in ("method", "path", "query", "label")
    )


def _rank(pair: tuple[Hashable, Hashable]) -> bytes:
    return hashlib.sha256(repr(pair).encode()).digest()
