# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tokens, keys and certificates: findings, figure and table."""

from __future__ import annotations

import dataclasses
import typing as t

from ansible_collections.buildworks.toolchain.plugins.plugin_utils import _units as units
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._overview.parts import (
    DAY,
    NO_DEADLINE,
    Cell,
    Figure,
    Finding,
    Scope,
    Table,
    join_names,
)

# Keys that are reported one by one
_MAX_SINGLE = 3


@dataclasses.dataclass(frozen=True)
class Key:
    """A token, key or certificate. Times are in seconds since 1970.

    :ivar expires: `None` if it never expires
    :ivar remedy: name of an entry of `REMEDIES`
    """

    name: str
    owner: str
    created: float | None
    expires: float | None
    last_used: float | None
    remedy: str


def list_findings(keys: t.Sequence[Key], noun: str, scope: Scope) -> list[Finding]:
    """Return expired and expiring keys, and old ones together."""
    valid = [key for key in keys if _get_expiry(key) > scope.now]
    old = [key for key in valid if key.created is not None and key.created <= scope.old]
    return [
        *list_expiring(keys, noun, scope),
        *_describe_old(sorted(old, key=lambda key: key.created or 0), noun, scope),
    ]


def list_expiring(keys: t.Sequence[Key], noun: str, scope: Scope) -> list[Finding]:
    """Return expired and expiring keys one by one if they are few."""
    expired = [key for key in keys if _get_expiry(key) <= scope.now]
    expiring = [key for key in keys if scope.now < _get_expiry(key) <= scope.soon]
    return [
        *_describe_each("failing", sorted(expired, key=_get_expiry), noun, "expired", scope),
        *_describe_each("attention", sorted(expiring, key=_get_expiry), noun, "expires", scope),
    ]


def describe_expiring(keys: t.Mapping[str, t.Sequence[Key]], name: str, scope: Scope) -> Figure:
    """Return the number of keys that expire soon or have expired.

    :arg keys: keys by noun
    """
    expiring = [key for group in keys.values() for key in group if _get_expiry(key) <= scope.soon]
    total = " and ".join(units.pluralize(len(group), noun) for noun, group in keys.items())
    within = f"within {units.pluralize(scope.expires_within_days, 'day')}, of {total}"
    return Figure(name, units.format_count(len(expiring)), within)


def build_table(keys: t.Sequence[Key], noun: str, scope: Scope, unused: str) -> Table:
    """Return the keys, those that expire first on top.

    :arg unused: the text for keys without a last use
    """
    rows = [
        (
            Cell(key.name),
            key.owner,
            describe_expiry(key, scope),
            _describe_creation(key, scope),
            unused if key.last_used is None else units.format_day(key.last_used),
        )
        for key in sorted(keys, key=lambda key: (_get_expiry(key), key.created or 0))
    ]
    return Table((noun.capitalize(), "Owner", "Expires", "Created", "Last used"), rows, f"{noun}s", scope.rows)


def _get_expiry(key: Key) -> float:
    return float("inf") if key.expires is None else key.expires


def _describe_creation(key: Key, scope: Scope) -> Cell:
    if key.created is None:
        return Cell("unknown")
    day = units.format_day(key.created)
    return Cell(f"{day} (old)", tone="changed") if key.created <= scope.old else Cell(day)


def _describe_each(severity: str, keys: list[Key], noun: str, verb: str, scope: Scope) -> list[Finding]:
    if len(keys) > _MAX_SINGLE:
        when = "have expired" if verb == "expired" else f"expire within {scope.expires_within_days} days"
        reason = f"{units.pluralize(len(keys), noun)} {when}: {join_names([key.name for key in keys])}."
        return [Finding(severity, reason, keys[0].remedy, days_left=_count_days_left(keys[0], scope))]
    return [
        Finding(
            severity,
            f"{noun.capitalize()} '{key.name}'{f' of {key.owner}' if key.owner else ''} "
            f"{verb} {units.format_distance(_get_expiry(key), scope.now)}.",
            key.remedy,
            days_left=_count_days_left(key, scope),
        )
        for key in keys
    ]


def _count_days_left(key: Key, scope: Scope) -> float:
    return max(0, _get_expiry(key) - scope.now) / DAY


def _describe_old(keys: list[Key], noun: str, scope: Scope) -> list[Finding]:
    if not keys:
        return []
    verb = "is" if len(keys) == 1 else "are"
    age = units.pluralize(scope.max_age_days, "day")
    names = join_names([key.name for key in keys])
    reason = f"{units.pluralize(len(keys), noun)} {verb} older than {age}: {names}."
    return [Finding("notice", reason, keys[0].remedy, days_left=NO_DEADLINE)]


def describe_expiry(key: Key, scope: Scope) -> Cell:
    """Return when a key expires."""
    if key.expires is None:
        return Cell("never")
    tone = "bad" if key.expires <= scope.now else "changed" if key.expires <= scope.soon else ""
    return Cell(f"{units.format_day(key.expires)} ({units.format_distance(key.expires, scope.now)})", tone=tone)
