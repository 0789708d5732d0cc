# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sum up the plan in a store, and check the limits of the task."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.deletion import verification
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.planning import survey
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_MAX_NAMED = 10
_ITEMS = "kind <> 'folder'"
_FIRST = ("kind", "repo", "path", "size", "rule")


class LimitExceeded(ToolchainError):
    """The plan exceeds a limit."""


def sum_up(store: Store, limit: int, has_shares: bool) -> Fields | None:
    """Return the totals of the plan, by rule and repository, and its first items, or `None` if nothing is planned.

    :arg limit: number of items to return
    :arg has_shares: whether the repositories were surveyed, which is required to compute shares
    """
    items, size = store.fetch_one(f"SELECT count(*), sum(size) FROM plan WHERE {_ITEMS}")
    (folders,) = store.fetch_one("SELECT count(*) FROM plan WHERE kind = 'folder'")
    if not items and not folders:
        return None
    rows = store.fetch_rows(f"SELECT {', '.join(_FIRST)} FROM plan ORDER BY id LIMIT ?", [limit])
    return {
        "items": items,
        "bytes": size or 0,
        "folders": folders,
        "rules": _sum_up_by(store, "rule"),
        "repositories": [
            {**entry, "share": round(survey.compute_share(store, entry["repo"]), 2) if has_shares else None}
            for entry in _sum_up_by(store, "repo")
        ],
        "first": [dict(zip(_FIRST, row)) for row in rows],
    }


def list_unsafe(store: Store, limit: int) -> Fields:
    """Return the number of selected tags that are not safe to delete, and the first of them with the reason.

    :arg limit: number of tags to return
    """
    rows = store.fetch_rows("SELECT repo, path, rule, surplus FROM unsafe ORDER BY repo, path LIMIT ?", [limit])
    first = [
        {"repo": repo, "path": path, "rule": rule, "reason": verification.surplus_reason(surplus)}
        for repo, path, rule, surplus in rows
    ]
    return {"items": store.fetch_one("SELECT count(*) FROM unsafe")[0], "first": first}


def check_limits(summary: Fields, params: Fields) -> None:
    """Check the limits of the task.

    :arg summary: the plan as returned by `sum_up`
    :raises GuardRefusal: if the plan exceeds a limit
    """
    for guard, what in (("max_items", "items"), ("max_bytes", "bytes")):
        most = params[guard]
        if most is not None and summary[what] > most:
            raise _limit_error(f"{summary[what]:,} {what}", guard, f"{most:,}")
    most = params["max_share"]
    beyond = [entry for entry in summary["repositories"] if most is not None and entry["share"] > most]
    if beyond:
        shares = [f"{entry['share']:g} % of '{entry['repo']}'" for entry in beyond[:_MAX_NAMED]]
        others = [f"{len(beyond) - _MAX_NAMED:,} others"] if len(beyond) > _MAX_NAMED else []
        raise _limit_error(" and ".join(shares + others), "max_share", f"{most:g} %")


def _sum_up_by(store: Store, column: str) -> list[Fields]:
    query = f"SELECT {column}, count(*), sum(size) FROM plan WHERE {_ITEMS} GROUP BY {column} ORDER BY {column}"
    return [dict(zip((column, "items", "bytes"), row)) for row in store.fetch_rows(query)]


def _limit_error(planned: str, guard: str, most: str) -> LimitExceeded:
    return LimitExceeded(f"The plan has {planned}, more than '{guard}' allows ({most}). Nothing was deleted.")
