# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Models and the limits of fine-tuning jobs."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import API_KEY, InferenceService


def list_models(inference: InferenceService) -> list[dict[str, t.Any]]:
    """Return all models, newest first. The list of the server has no pages and no defined order."""
    entries = inference.create_client(API_KEY).read("GET", "/models").record().records("data")
    return sorted(map(_parse_model, entries), key=lambda model: (-(model["created"] or 0), model["id"]))


def _parse_model(entry: Record) -> dict[str, t.Any]:
    return {
        "id": entry.text("id"),
        "created": entry.maybe_integer("created"),
        "created_at": entry.maybe_timestamp("created"),
        "owned_by": entry.maybe_text("owned_by"),
        "shutdown_date": entry.maybe_text("shutdown_date"),
    }


def list_fine_tuning_limits(inference: InferenceService) -> list[dict[str, t.Any]]:
    """Return the limits of fine-tuning jobs, sorted by model."""
    entries = inference.create_client(API_KEY).read("GET", "/fine_tuning/model_limits").record().records("data")
    names = ("curr_pending_jobs", "max_pending_jobs", "jobs_so_far_today", "max_jobs_per_day")
    limits = [{"id": entry.text("id"), **{name: entry.maybe_integer(name) for name in names}} for entry in entries]
    return sorted(limits, key=lambda limit: limit["id"])
