# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The queue on the wire."""

from __future__ import annotations

from starlette.responses import Response

from ...http.routing import ANY, Route
from ...parsing.integers import parse_integer
from ..access.permissions import JOB_CANCEL, JOB_READ
from ..call import JOB, Answer, Call
from ..http import pages
from ..http.refusals import InternalError, NotFound
from ..jobs import job_api
from ..remote_api.api import API, serve
from ..remote_api.beans import Bean, Property
from ..storage import Item
from . import queue_items


def _bean(call: Call, item: Item) -> Bean:
    job = call.storage.job(item.job)
    return queue_items.item_bean(
        call, item, job_api.job_bean(call, job) if job else job_api.deleted_job_bean(call, item.job)
    )


def _queue(call: Call, form: str) -> Answer:
    items = call.storage.queue() if call.principal.may(JOB_READ) else []
    members = (
        Property("discoverableItems", [], inline=True),
        Property("items", lambda: [_bean(call, item) for item in items], inline=True),
    )
    return serve(call, Bean("hudson.model.Queue", *members), form)


def _item(call: Call, number: str) -> Item:
    try:
        item = call.scheduler.item(parse_integer(number, bits=64), call.now)
    except ValueError:
        raise InternalError from None
    if not item or not call.principal.may(JOB_READ):
        raise NotFound
    return item


def _show_item(call: Call, number: str, form: str) -> Answer:
    return serve(call, _bean(call, _item(call, number)), form)


def _item_page(call: Call, number: str) -> Response:
    item = _item(call, number)
    example = f"{call.context}/queue/item/{item.id}/api/json?tree=cancelled,executable[url]"
    return pages.plain_text(f"Queue item exists. For details check, for example, {example}")


def _cancel(call: Call, item: Item) -> None:
    item.left, item.cancelled = call.now, True
    call.storage.put_item(item)


def _cancel_item(call: Call) -> Response:
    call.require_post()
    try:
        item = call.scheduler.item(parse_integer(call.parameter("id") or "", bits=64), call.now)
    except ValueError:
        item = None
    if not item:
        raise InternalError(404)
    if not call.principal.may(JOB_CANCEL):
        raise InternalError(422)
    if item.left is not None:
        raise InternalError
    _cancel(call, item)
    return Response(status_code=204)


def _cancel_queue(call: Call, number: str) -> Response:
    item = _item(call, number)
    call.require_post()
    if item.left is None and call.principal.may(JOB_CANCEL):
        _cancel(call, item)
    return Response(status_code=204)


def _cancel_of_job(call: Call, job: str) -> Response:
    found = call.project(job)
    call.require_post()
    call.require(JOB_CANCEL)
    call.storage.cancel_items(found, call.now)
    return pages.redirect(call.headers.get("Referer") or call.current_folder_path)


def _item_without_slash(call: Call, number: str) -> Response:
    _item(call, number)
    return pages.redirect(call.with_slash)


ROUTES = (
    Route(ANY, "/queue" + API, _queue, "queue", read_only=True),
    Route(ANY, "/queue/item/{number}" + API, _show_item, "queue_item", read_only=True),
    Route(ANY, "/queue/item/{number}", _item_without_slash, "queue_item", read_only=True),
    Route(ANY, "/queue/item/{number}/", _item_page, "queue_item", read_only=True),
    Route(ANY, "/queue/item/{number}/cancelQueue", _cancel_queue, "cancel_item"),
    Route(ANY, "/queue/cancelItem", _cancel_item, "cancel_item"),
    Route(ANY, JOB + "/cancelQueue", _cancel_of_job, "cancel_item"),
)
