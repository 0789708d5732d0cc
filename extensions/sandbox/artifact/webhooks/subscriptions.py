# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Subscriptions of webhooks: storage, and the rules for keys, events, criteria and targets."""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import urlsplit

from ..protocol.errors import AccessError
from ..state import State

EVENT_TYPES = {
    "artifact": ("deployed", "deleted", "moved", "copied", "cached"),
    "artifact_property": ("added", "deleted"),
    "docker": ("pushed", "deleted", "promoted"),
    "build": ("uploaded", "deleted", "promoted"),
    "release_bundle": ("created", "signed", "deleted"),
    "distribution": (
        *("distribute_started", "distribute_completed", "distribute_aborted", "distribute_failed"),
        *("delete_started", "delete_completed", "delete_failed"),
    ),
    "artifactory_release_bundle": ("received", "delete_started", "delete_completed", "delete_failed"),
    "destination": ("received", "delete_started", "delete_completed", "delete_failed"),
    "release_bundle_v2": ("release_bundle_v2_started", "release_bundle_v2_failed", "release_bundle_v2_completed"),
    "release_bundle_v2_promotion": (
        "release_bundle_v2_promotion_started",
        "release_bundle_v2_promotion_completed",
        "release_bundle_v2_promotion_failed",
    ),
    "artifact_lifecycle": ("archive", "restore"),
    "user": ("locked",),
}
METHODS = ("POST", "PUT", "GET", "PATCH", "DELETE")
KEY = re.compile(r"[^\s/]{2,200}")
MAX_DESCRIPTION_LENGTH = 1000
# Fields of a handler by type. Responses contain those that were sent. Others are ignored.
HANDLER_FIELDS = {
    "webhook": ("secret", "use_secret_for_signing", "proxy", "custom_http_headers"),
    "custom-webhook": ("method", "secrets", "http_headers", "proxy", "payload"),
}


def parse_subscription(body: Any, proxies: Iterable[str], allows_private_targets: bool) -> dict[str, Any]:
    """Return the subscription in a request body.

    :raises AccessError: if the server would refuse it
    """
    if not isinstance(body, dict):
        raise _refusal("the body must be a JSON object")
    if not isinstance(body.get("key"), str) or not KEY.fullmatch(body["key"]):
        raise _refusal("key must have 2 to 200 characters without spaces")
    description = body.get("description") or ""
    if not isinstance(description, str) or len(description) > MAX_DESCRIPTION_LENGTH:
        raise _refusal(f"description must have at most {MAX_DESCRIPTION_LENGTH} characters")
    handlers = body.get("handlers")
    if not isinstance(handlers, list) or not handlers:
        raise _refusal("handlers must have at least one element")
    return {
        "key": body["key"],
        "description": description,
        "enabled": body.get("enabled") is not False,
        **({"project_key": body["project_key"]} if body.get("project_key") else {}),
        "event_filter": _parse_event_filter(body.get("event_filter")),
        "handlers": [_parse_handler(handler, proxies, allows_private_targets) for handler in handlers],
    }


def save_subscription(state: State, subscription: dict[str, Any]) -> None:
    """Create or replace a subscription."""
    state.runtime.db.execute(
        "INSERT INTO artifact_webhooks (key, subscription) VALUES (?, ?)"
        " ON CONFLICT (key) DO UPDATE SET subscription = excluded.subscription",
        (subscription["key"], json.dumps(subscription)),
    )


def keep_secrets(subscription: dict[str, Any], previous: dict[str, Any], hide: Callable[[str], str | None]) -> None:
    """Replace hidden secrets by the ones of the previous subscription, as a client sends back what it has read.

    `hide` returns a secret as the server returns it.
    """
    for handler, old in zip(subscription["handlers"], previous["handlers"], strict=False):
        if handler.get("secret") and handler["secret"] == hide(old.get("secret", "")):
            handler["secret"] = old["secret"]
        old_values = {entry["name"]: entry["value"] for entry in old.get("secrets", ())}
        for entry in handler.get("secrets", ()):
            if entry["value"] and entry["value"] == hide(old_values.get(entry["name"], "")):
                entry["value"] = old_values[entry["name"]]


def _parse_event_filter(event_filter: Any) -> dict[str, Any]:
    if not isinstance(event_filter, dict) or event_filter.get("domain") not in EVENT_TYPES:
        raise _refusal(f"event_filter.domain must be one of {', '.join(EVENT_TYPES)}")
    domain, event_types = event_filter["domain"], event_filter.get("event_types")
    if not isinstance(event_types, list) or not event_types:
        raise _refusal("event_filter.event_types must not be empty")
    if unknown := [name for name in event_types if name not in EVENT_TYPES[domain]]:
        raise _refusal(f"event type {unknown[0]} is not supported in domain {domain}")
    criteria = event_filter.get("criteria")
    if criteria is not None and not isinstance(criteria, dict):
        raise _refusal("event_filter.criteria must be an object")
    criteria = dict(criteria or {})
    repositories = criteria.get("repoKeys") or []
    if not isinstance(repositories, list) or not all(isinstance(key, str) for key in repositories):
        raise _refusal("event_filter.criteria.repoKeys must be a list of texts")
    if criteria.get("anyBuild"):
        criteria["selectedBuilds"] = None
    return {"domain": domain, "event_types": event_types, "criteria": criteria}


def _parse_handler(handler: Any, proxies: Iterable[str], allows_private_targets: bool) -> dict[str, Any]:
    kind = handler.get("handler_type") if isinstance(handler, dict) else None
    if kind not in HANDLER_FIELDS:
        raise _refusal(f"handler_type must be one of {', '.join(HANDLER_FIELDS)}")
    url = handler.get("url")
    host = urlsplit(url).hostname if isinstance(url, str) and url.startswith(("http://", "https://")) else None
    if not host:
        raise _refusal("url must be an http or https URL")
    if not allows_private_targets and _is_private(host):
        raise _refusal(f"url {url} is not allowed by the URL strict policy")
    fields = {name: handler[name] for name in HANDLER_FIELDS[kind] if handler.get(name) is not None}
    if fields.get("proxy") and fields["proxy"] not in proxies:
        raise _refusal(f"proxy with key '{fields['proxy']}' not found")
    if fields.get("method", "POST") not in METHODS:
        raise _refusal(f"method must be one of {', '.join(METHODS)}")
    for name in ("custom_http_headers", "http_headers", "secrets"):
        if name in fields:
            fields[name] = _parse_pairs(name, fields[name])
    return {"handler_type": kind, "url": url, **fields}


def _parse_pairs(name: str, pairs: Any) -> list[dict[str, str]]:
    is_valid = isinstance(pairs, list) and all(
        isinstance(pair, dict) and isinstance(pair.get("name"), str) and isinstance(pair.get("value", ""), str)
        for pair in pairs
    )
    if not is_valid:
        raise _refusal(f"{name} must be a list of names and values")
    return [{"name": pair["name"], "value": pair.get("value", "")} for pair in pairs]


def _is_private(host: str) -> bool:
    """Return whether a host is an address of a private network or this machine. Names are not resolved."""
    try:
        return not ipaddress.ip_address(host).is_global
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _refusal(problem: str) -> AccessError:
    return AccessError(400, f"Invalid subscription: {problem}")
