# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of data retention, models and tools."""

from __future__ import annotations

from typing import Any

from ..protocol.checks import check_boolean, check_strings, choice_check, object_, require_member
from .common import ORGANIZATION, PROJECT, Record
from .objects import Setting

_RETENTION = (
    "zero_data_retention",
    "modified_abuse_monitoring",
    "enhanced_zero_data_retention",
    "enhanced_modified_abuse_monitoring",
)
_TOOLS = ("file_search", "web_search", "image_generation", "mcp", "code_interpreter")


def _check_tool(name: str, value: Any) -> None:
    object_(name, value)
    check_boolean(f"{name}.enabled", require_member(name, value, "enabled"))


def _merge(current: Record, values: Record) -> Record:
    return {**current, **values}


def _read_retention(_current: Record, values: Record) -> Record:
    return {"type": values["retention_type"]}


# An organization has none until it is set, because no type stands for that.
ORGANIZATION_RETENTION = Setting(
    "data retention", {"retention_type": choice_check(_RETENTION)}, ("retention_type",), _read_retention, {}
)
PROJECT_RETENTION = Setting(
    "data retention",
    {"retention_type": choice_check(("organization_default", "none", *_RETENTION))},
    ("retention_type",),
    _read_retention,
    {"project": {"type": "organization_default"}},
)
MODELS = Setting(
    "model permissions",
    {"mode": choice_check(("allow_list", "deny_list")), "model_ids": check_strings},
    ("mode", "model_ids"),
)
TOOLS = Setting(
    "hosted tool permissions",
    dict.fromkeys(_TOOLS, _check_tool),
    build=_merge,
    defaults={"project": {tool: {"enabled": True} for tool in _TOOLS}},
)

ROUTES = (
    *ORGANIZATION_RETENTION.build_routes(ORGANIZATION),
    *PROJECT_RETENTION.build_routes(PROJECT),
    *MODELS.build_routes(PROJECT),
    *TOOLS.build_routes(PROJECT),
)
