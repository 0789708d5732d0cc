# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The queue, where each build waits as an item before it has a number."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import jobs
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import RequestOptions
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady

_ITEM = "cancelled,executable[number],stuck,why"
_ADDRESS = re.compile(r"/queue/item/(\d{1,18})/?$")


def item_at(address: str | None) -> int | None:
    """The number of the item that an address names, if it does; its host may be one that only the server knows."""
    found = _ADDRESS.search(address or "")
    return int(found[1]) if found else None


def waiting(ci: CiService, job: str, members: str) -> list[Record]:
    """The items of a job that wait now, as far as the account may see them.

    :arg members: what to ask for, besides the `id`
    """
    response = ci.view("/queue", f"items[id,task[url],{members}]")
    items = response.record().maybe_records("items")
    return [item for item in items if jobs.name_in(_task_url(item)) == job]


def _task_url(item: Record) -> str:
    task = item.maybe_record("task")
    return (task and task.maybe_text("url")) or ""


def count_causes(ci: CiService, path: str) -> int:
    """Return how many requests a queue item or a build stands for: Jenkins keeps one cause for each.

    :arg path: of the item or the build
    """
    found = ci.view(path, "actions[causes[shortDescription]]").record()
    return sum(len(action.maybe_records("causes")) for action in found.maybe_records("actions"))


def build_of(ci: CiService, item: int, **options: t.Unpack[RequestOptions]) -> int | None:
    """The number of the build that came of an item.

    It is `None` when the server remembers the item no more: five minutes after it left the queue, or after a restart.

    :raises NotYet: with what it waits for
    :raises ToolchainError: when none will come of it, because it was cancelled
    """
    options["accept"] = (200, 404)
    response = ci.view(f"/queue/item/{item}", _ITEM, **options)
    if response.status == 404:
        return None
    found = response.record()
    if executable := found.maybe_record("executable"):
        return executable.integer("number")
    if found.maybe_flag("cancelled"):
        raise ToolchainError(f"Item {item} of the queue was cancelled before it became a build.")
    why = found.maybe_text("why")
    waits = "is stuck" if found.maybe_flag("stuck") else "waits"
    raise NotReady(f"item {item} of the queue {waits}: {why}" if why else f"item {item} of the queue is about to start")
