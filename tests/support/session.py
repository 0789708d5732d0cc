# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An HTTP session for tests of the sandbox."""

from __future__ import annotations

from typing import Any

import requests


class Session(requests.Session):
    """A session with a base URL. `credentials` are user and password, or a token."""

    def __init__(self, base: str, credentials: tuple[str, str] | str | None = None) -> None:
        super().__init__()
        self.base = base
        self.trust_env = False
        if isinstance(credentials, str):
            self.headers["Authorization"] = f"Bearer {credentials}"
        else:
            self.auth = credentials

    def request(self, method: str, url: str, *arguments: Any, **options: Any) -> requests.Response:  # type: ignore[override]
        """Send a request."""
        return super().request(method, self.base + url, *arguments, **options)
