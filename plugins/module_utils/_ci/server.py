# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a CI server says of itself and of the account."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.java import java_releases
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response

_STATE = "mode,numExecutors,quietingDown,quietDownReason,useCrumbs,useSecurity"


def found(ci: CiService) -> dict[str, t.Any]:
    """The server. Its version and session id are headers of the login page, which nobody needs a permission for."""
    page = _login_page(ci)
    product, version = _release(ci, page)
    state = ci.view("", _STATE).record()
    csrf_protection = state.maybe_flag("useCrumbs")
    if csrf_protection is None:
        csrf_protection = ci.http.read("GET", "/crumbIssuer/api/json", accept=(200, 404)).status == 200
    return {
        "product": product,
        "version": version,
        "session_id": page.headers.get("X-Jenkins-Session"),
        "mode": state.maybe_text("mode"),
        "quieting_down": state.maybe_flag("quietingDown"),
        "quiet_down_reason": state.maybe_text("quietDownReason"),
        "csrf_protection": csrf_protection,
        "security": state.maybe_flag("useSecurity"),
        "executors": state.maybe_integer("numExecutors"),
        "ssh_endpoint": page.headers.get("X-SSH-Endpoint"),
        "java": java_releases(version),
    }


def release(ci: CiService) -> tuple[str, str]:
    """`jenkins` or `hudson`, and its version."""
    return _release(ci, _login_page(ci))


def _login_page(ci: CiService) -> Response:
    return ci.http.read("GET", "/login", anonymous=True)


def _release(ci: CiService, page: Response) -> tuple[str, str]:
    version = page.headers.get("X-Jenkins")
    return ("jenkins", version) if version else ("hudson", _hudson_version(ci))


def _hudson_version(ci: CiService) -> str:
    version = ci.http.read("GET", "/").headers.get("X-Hudson")
    if version is None:
        raise ToolchainError(f"What answers at {ci.http.base_url} is no CI server: it names no version of one.")
    return version


def check_administers(ci: CiService) -> None:
    """Read a page that needs the permission Overall/Administer.

    :raises ServerRefusal: if the account lacks it
    """
    ci.http.read("GET", "/scriptText")


def user(ci: CiService) -> dict[str, t.Any] | None:
    """The account as the server sees it."""
    response = ci.view("/whoAmI", "anonymous,authorities,name", accept=(200, 404))
    if response.status == 404:
        return None
    who = response.record()
    return {
        "name": who.text("name"),
        "anonymous": who.flag("anonymous"),
        "authorities": sorted(who.texts("authorities")),
    }
