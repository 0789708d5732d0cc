# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The build queue: a build is a queue item until it starts and gets a number."""

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
_ITEM_URL = re.compile(r"/queue/item/(\d{1,18})/?$")


def parse_item_url(url: str | None) -> int | None:
    """Return the ID in the URL of a queue item, or `None`. The host of the URL may be internal."""
    match = _ITEM_URL.search(url or "")
    return int(match[1]) if match else None


def list_items(ci: CiService, job: str, members: str) -> list[Record]:
    """Return the queue items of a job that the account can read.

    :arg members: members to request in addition to `id`
    """
    response = ci.view("/queue", f"items[id,task[url],{members}]")
    items = response.record().maybe_records("items")
    return [item for item in items if jobs.parse_job_url(_task_url(item)) == job]


def _task_url(item: Record) -> str:
    task = item.maybe_record("task")
    return (task and task.maybe_text("url")) or ""


def count_causes(ci: CiService, path: str) -> int:
    """Return the number of requests that a queue item or a build stands for: Jenkins stores one cause for each.

    :arg path: path of the queue item or the build
    """
    record = ci.view(path, "actions[causes[shortDescription]]").record()
    return sum(len(action.maybe_records("causes")) for action in record.maybe_records("actions"))


def fetch_build_number(ci: CiService, item: int, **options: t.Unpack[RequestOptions]) -> int | None:
    """Return the number of the build that a queue item became.

    It is `None` if Jenkins has forgotten the item: five minutes after it left the queue, or after a restart.

    :raises NotReady: while the item is in the queue, with the reason that Jenkins reports
    :raises ToolchainError: if the item was canceled
    """
    options["accept"] = (200, 404)
    response = ci.view(f"/queue/item/{item}", _ITEM, **options)
    if response.status == 404:
        return None
    record = response.record()
    if executable := record.maybe_record("executable"):
        return executable.integer("number")
    if record.maybe_flag("cancelled"):
        raise ToolchainError(f"Queue item {item} was canceled before its build started.")
    why = record.maybe_text("why")
    state = "is stuck" if record.maybe_flag("stuck") else "is waiting"
    raise NotReady(f"queue item {item} {state}: {why}" if why else f"queue item {item} is about to start")
