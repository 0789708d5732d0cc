# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Bodies of responses to queries in the Artifactory Query Language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def aql_body(rows: Sequence[dict[str, Any]], **members: Any) -> dict[str, Any]:
    """Return the body with these rows, and with more members or other ones."""
    return {"results": list(rows), "range": {"start_pos": 0, "end_pos": len(rows), "total": len(rows)}, **members}
