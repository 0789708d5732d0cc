# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Presets: faults that occur in practice, with the responses of each service."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import Response

from ..service import Failures, Service


@dataclass(frozen=True)
class Preset:
    """A preset.

    :arg fields: fields of its faults
    :arg default: response of services that have no own one; if not set, these services do not have the preset
    """

    title: str
    fields: dict[str, Any] = field(default_factory=lambda: {"times": 0})
    default: Response | None = None


PRESETS = {
    "unavailable": Preset(
        "503 for a minute", {"for_seconds": 60}, Response("Service Unavailable", 503, media_type="text/plain")
    ),
    "slow_network": Preset("Slow network", {"kind": "latency", "seconds": 2, "times": 0}),
    "expired_token": Preset("Expired token"),
    "read_only_account": Preset("Read-only account"),
    "disk_full": Preset("Disk full"),
}


class UnknownPresetError(LookupError):
    """No preset with this name exists."""


def describe_presets(services: Sequence[Service]) -> dict[str, Any]:
    """Return title and supported services of each preset."""
    return {
        name: {
            "title": preset.title,
            "services": [service.name for service in services if any(_list_faults(name, preset, service))],
        }
        for name, preset in PRESETS.items()
    }


def expand_preset(name: str, services: Sequence[Service], changes: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the faults of a preset.

    :arg changes: fields that differ from the preset. With `service`, only the faults of this service are returned
    :raises UnknownPresetError: if the preset does not exist
    :raises ValueError: if the service does not have the preset
    """
    if name not in PRESETS:
        raise UnknownPresetError(f"Unknown preset {name!r}. Use one of: {', '.join(PRESETS)}.")
    selected = [service for service in services if changes.get("service") in (None, service.name)]
    faults = [fault for service in selected for fault in _list_faults(name, PRESETS[name], service)]
    if not faults:
        raise ValueError(f"The preset {name!r} does not exist for the service {changes['service']!r}.")
    return [{**fault, **changes} for fault in faults]


def _list_faults(name: str, preset: Preset, service: Service) -> Iterator[dict[str, Any]]:
    if "kind" in preset.fields:
        yield {**preset.fields, "service": service.name}
        return
    default: Failures = {name: [({}, preset.default)]} if preset.default else {}
    for conditions, response in {**default, **service.failures}.get(name, ()):
        headers = {key: value for key, value in response.headers.items() if key != "content-length"}
        yield {
            "kind": "status",
            "service": service.name,
            "status": response.status_code,
            "headers": headers,
            "body": bytes(response.body).decode(),
            **preset.fields,
            **conditions,
        }
