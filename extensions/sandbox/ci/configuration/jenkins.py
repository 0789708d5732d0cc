# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The root `jenkins`: members of the server itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import yaml

from ..controller import Controller
from ..plugins.versions import is_older
from . import authorization, nodes, users, views
from .configurators import (
    Attribute,
    Configurator,
    Context,
    check_names,
    data,
    failed_attribute,
    flag,
    integer,
    mapping,
    match_names,
    rename_symbol,
    sequence,
    stored_attribute,
    symbol,
    text,
    text_attribute,
    with_members,
)
from .documents import ConfiguratorError, Plain

MODES = ("NORMAL", "EXCLUSIVE")
# Member of the crumb issuer in versions before 2.543
_EXCLUDES, _WITHOUT_ADDRESSES = "excludeClientIPFromCrumb", "2.543"
DEFAULT_QUIET_PERIOD = 5
MAX_INTEGER = 2**31 - 1
OTHERS = (
    *("clouds", "disabledAdministrativeMonitors", "log", "markupFormatter"),
    *("noUsageStatistics", "nodeName", "projectNamingStrategy", "proxy"),
    *("remotingSecurity", "slaveAgentPort", "updateCenter", "viewsTabBar"),
)
DEFAULTS: dict[str, Any] = {
    "log": {},
    "markupFormatter": "plainText",
    "nodeMonitors": [
        "architecture",
        "clock",
        {"diskSpace": {"freeSpaceThreshold": "1GiB", "freeSpaceWarningThreshold": "2GiB"}},
        "swapSpace",
        {"tmpSpace": {"freeSpaceThreshold": "1GiB", "freeSpaceWarningThreshold": "2GiB"}},
        "responseTime",
    ],
    "projectNamingStrategy": "standard",
    "remotingSecurity": {"enabled": True},
    "slaveAgentPort": -1,
    "updateCenter": {"sites": [{"id": "default", "url": "https://updates.jenkins.io/update-center.json"}]},
    "viewsTabBar": "standard",
}


def _convert_mode(context: Context, node: yaml.Node, label: str) -> str:
    mode = text(context, node)
    if mode not in MODES:
        raise ConfiguratorError(failed_attribute(context, node, label, "mode"))
    return mode


def _write_executors(server: Controller, count: int) -> None:
    if count < 0:
        raise ValueError
    server.storage.set("executors", count)


def _convert_quiet_period(context: Context, node: yaml.Node, _label: str) -> int | None:
    """Return the seconds; the default if the text is not a number, None if it has a fraction."""
    value = text(context, node)
    try:
        number = int(value)
    except ValueError:
        return None if value.replace(".", "", 1).isdigit() else DEFAULT_QUIET_PERIOD
    return number if abs(number) <= MAX_INTEGER else DEFAULT_QUIET_PERIOD


def _write_quiet_period(server: Controller, seconds: int | None) -> None:
    if seconds is not None:
        server.set_switch("quiet_period", seconds)


def _convert_crumb_issuer(context: Context, node: yaml.Node, _label: str) -> dict[str, Any]:
    _name, members = symbol(context, node, "crumbIssuer", "hudson.security.csrf.CrumbIssuer", ("standard",))
    known = [_EXCLUDES] if is_older(context.server.switch("version"), _WITHOUT_ADDRESSES) else []
    given = match_names(mapping(context, members), known) if members else {}
    check_names("standard", "hudson.security.csrf.DefaultCrumbIssuer", given, known)
    return {name: flag(context, inner) for name, inner in given.items()}


def _read_crumb_issuer(server: Controller) -> Any:
    if not server.switch("csrf"):
        return None
    members = server.storage.setting("crumb_issuer", {})
    return with_members("standard", {name: value for name, value in members.items() if value})


def _write_crumb_issuer(server: Controller, members: dict[str, Any]) -> None:
    server.set_switch("csrf", True)
    server.storage.set("crumb_issuer", members)


def _convert_monitors(context: Context, node: yaml.Node, _label: str) -> list[Any]:
    """Return the monitors. Jenkins adds those that are missing, and ignores them."""
    known = [_name_monitor(monitor) for monitor in DEFAULTS["nodeMonitors"]]
    monitors = [rename_symbol(data(context, entry), known) for entry in sequence(context, node)]
    given = {_name_monitor(monitor) for monitor in monitors}
    return [*monitors, *({name: {"ignored": True}} for name in known if name not in given)]


def _name_monitor(monitor: Any) -> str:
    return str(next(iter(monitor)) if isinstance(monitor, dict) else monitor)


def _convert_label_atoms(context: Context, node: yaml.Node, _label: str) -> None:
    """Accept labels. Jenkins knows a label as long as a node has it."""


TEXT, INTEGER, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
ATTRIBUTES = (
    text_attribute("systemMessage", "system_message"),
    Attribute(
        "mode",
        lambda server: Plain(server.storage.setting("mode", "NORMAL")),
        lambda server, mode: server.storage.set("mode", mode),
        _convert_mode,
        {"type": "string", "enum": list(MODES)},
    ),
    Attribute("numExecutors", lambda server: server.storage.setting("executors"), _write_executors, integer, INTEGER),
    text_attribute("labelString", "labels"),
    Attribute(
        "quietPeriod",
        lambda server: int(server.switch("quiet_period")),
        _write_quiet_period,
        _convert_quiet_period,
        INTEGER,
    ),
    Attribute(
        "scmCheckoutRetryCount",
        lambda server: server.storage.setting("scm_retries", 0),
        lambda server, count: server.storage.set("scm_retries", count),
        integer,
        INTEGER,
    ),
    Attribute(
        "disableRememberMe",
        lambda server: server.storage.setting("disable_remember_me", False),
        lambda server, value: server.storage.set("disable_remember_me", value),
        flag,
        FLAG,
    ),
    Attribute("crumbIssuer", _read_crumb_issuer, _write_crumb_issuer, _convert_crumb_issuer, {}),
    users.SECURITY_REALM,
    authorization.STRATEGY,
    nodes.NODES,
    Attribute("labelAtoms", nodes.read_labels, lambda _server, _value: None, _convert_label_atoms, {"type": "array"}),
    views.VIEWS,
    views.PRIMARY_VIEW,
    *(
        replace(stored_attribute(name, f"jenkins.{name}"), convert=nodes.convert_properties)
        for name in ("globalNodeProperties", "nodeProperties")
    ),
    replace(
        stored_attribute("nodeMonitors", "jenkins.nodeMonitors", DEFAULTS["nodeMonitors"]), convert=_convert_monitors
    ),
)
JENKINS = Configurator("jenkins", "jenkins.model.Jenkins", ATTRIBUTES, OTHERS, DEFAULTS)
