# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Information about the server and the account."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import java
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response

_STATE = "mode,numExecutors,quietingDown,quietDownReason,useCrumbs,useSecurity"


def fetch_server(ci: CiService) -> dict[str, t.Any]:
    """Return version, session ID, quiet-down state and security settings."""
    page = _fetch_login_page(ci)
    product, version = _read_release(ci, page)
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
        "java": java.supported_releases(version),
    }


def fetch_release(ci: CiService) -> tuple[str, str]:
    """Return the product, `jenkins` or `hudson`, and its version."""
    return _read_release(ci, _fetch_login_page(ci))


def _fetch_login_page(ci: CiService) -> Response:
    """Return the login page, which needs no permission; its headers contain the version and the session ID."""
    return ci.http.read("GET", "/login", anonymous=True)


def _read_release(ci: CiService, page: Response) -> tuple[str, str]:
    version = page.headers.get("X-Jenkins")
    return ("jenkins", version) if version else ("hudson", _fetch_hudson_version(ci))


def _fetch_hudson_version(ci: CiService) -> str:
    version = ci.http.read("GET", "/").headers.get("X-Hudson")
    if version is None:
        raise ToolchainError(
            f"{ci.http.base_url} is not a Jenkins server: the response contains no version. Check 'url'."
        )
    return version


def check_administer_permission(ci: CiService) -> None:
    """Read a page that requires the Overall/Administer permission.

    :raises ServerRefusal: if the account lacks the permission
    """
    ci.http.read("GET", "/scriptText")


def fetch_user(ci: CiService) -> dict[str, t.Any] | None:
    """Return the account that requests are sent with, or `None` if the server does not report it (Hudson)."""
    response = ci.view("/whoAmI", "anonymous,authorities,name", accept=(200, 404))
    if response.status == 404:
        return None
    account = response.record()
    return {
        "name": account.text("name"),
        "anonymous": account.flag("anonymous"),
        "authorities": sorted(account.texts("authorities")),
    }
