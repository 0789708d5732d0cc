# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The models that a key may use."""

from __future__ import annotations

import datetime
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import InferenceService


def models(inference: InferenceService) -> list[dict[str, t.Any]]:
    """All models, the newest first. The server's list has no pages and no order of its own."""
    listed = inference.http.read("GET", "/models").member("data")
    return sorted(map(_model, listed), key=lambda model: (-(model["created"] or 0), model["id"]))


def _model(listed: dict[str, t.Any]) -> dict[str, t.Any]:
    created = listed.get("created")
    return {
        "id": listed["id"],
        "created": created,
        "created_at": None if created is None else _date(created),
        "owned_by": listed.get("owned_by"),
        "shutdown_date": listed.get("shutdown_date"),
    }


def _date(seconds: float) -> str:
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
