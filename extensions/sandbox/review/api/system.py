# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Version and licenses of the server."""

from __future__ import annotations

import json
from collections.abc import Iterable

from .call import Call, Record, action_route


def version(call: Call) -> Iterable[Record]:
    """Yield the version of the server."""
    yield {
        "majorVersion": call.runtime.get_switch("review", "version_major"),
        "minorVersion": call.runtime.get_switch("review", "version_minor"),
    }


def license_count(call: Call) -> Iterable[Record]:
    """Yield the licenses, or those of a feature."""
    call.access.require_root_admin()
    feature = call.parameters.text("feature")
    for row in call.db.execute("SELECT * FROM review_licenses ORDER BY rowid").fetchall():
        if feature in ("", row["feature"]):
            yield {
                "feature": row["feature"],
                "version": row["version"],
                "count": row["count"],
                "permanent": bool(row["permanent"]),
                "days_to_expiry": row["days_to_expiry"],
                "servers": json.loads(row["servers"]),
            }


ROUTES = tuple(map(action_route, (version, license_count)))
