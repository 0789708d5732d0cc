# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known but not served: refused by name, after the checks that the real server makes first."""

from __future__ import annotations

from collections.abc import Callable

from ..routing import ANY, Route
from .call import Answer, Call
from .permissions import ADMINISTER, Permission
from .refusals import NotServed


def _action(what: str, permission: Permission) -> Callable[..., Answer]:
    def refuse(call: Call) -> Answer:
        call.require_post()
        call.require(permission)
        raise NotServed(what)

    return refuse


def _page(what: str, permission: Permission = ADMINISTER) -> Callable[..., Answer]:
    def refuse(call: Call) -> Answer:
        call.require(permission)
        raise NotServed(what)

    return refuse


ROUTES = (
    Route(ANY, "/updateCenter/{:restart|upgrade}", _action("a downgrade of the server", ADMINISTER), "change_server"),
    Route(ANY, "/pluginManager/{:.*}", _page("the pages of the plugin manager"), "plugins_page", reads=True),
    Route(ANY, "/updateCenter/{:.*}", _page("the listings of the update centre"), "update_center_page", reads=True),
)
