# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plugins, updates and jobs of the update center as beans."""

from __future__ import annotations

from typing import Any

from ..call import Call
from ..remote_api.beans import Bean, Property
from .installations import Job
from .installed_plugins import Row
from .update_site import Offer, download_url
from .versions import is_older


def installed_bean(call: Call, row: Row) -> Bean:
    """Return a loaded plugin."""
    java = row.get("minimum_java_version")
    backup = (row.get("backup") or {}).get("version") or row.get("backup_version")
    update = call.update_site.is_update(row["name"], row["version"])
    return Bean(
        "hudson.PluginWrapper",
        Property("active", row.get("active", True)),
        Property("backupVersion", backup),
        Property("bundled", row.get("bundled", False)),
        Property("deleted", row.get("deleted", False)),
        Property("dependencies", [_dependency(dependency) for dependency in row.get("dependencies", [])]),
        Property("detached", False),
        Property("downgradable", backup is not None),
        Property("enabled", row.get("enabled", True)),
        Property("hasUpdate", update or row.get("has_update", False)),
        Property("longName", row.get("long_name", row["name"])),
        *([Property("minimumJavaVersion", java)] if java else []),
        Property("pinned", row.get("pinned", False)),
        Property("requiredCoreVersion", row.get("required_core_version")),
        Property("shortName", row["name"]),
        Property("supportsDynamicLoad", row.get("supports_dynamic_load", "MAYBE")),
        Property("url", row.get("url", f"https://plugins.jenkins.io/{row['name']}")),
        Property("version", row["version"]),
        typed=False,
    )


def _dependency(dependency: dict[str, Any]) -> Bean:
    return Bean(
        "hudson.PluginWrapper$Dependency",
        Property("optional", dependency.get("optional", False)),
        Property("shortName", dependency["name"]),
        Property("version", dependency["version"]),
        typed=False,
    )


def offered_bean(call: Call, offer: Offer, version: str | None = None) -> Bean:
    """Return a plugin of an update site or of a job."""
    name, core = offer["name"], offer.get("required_core_version")
    version = offer["version"] if version is None else version
    needs = offer.get("dependencies", [])
    return Bean(
        "hudson.model.UpdateSite$Plugin",
        Property("name", name),
        Property("sourceId", "default"),
        Property("url", download_url(name, version)),
        Property("version", version),
        Property("categories", []),
        Property("compatible", not is_older(call.switch("version"), core or "0")),
        Property("compatibleSinceVersion", None),
        Property("compatibleWithInstalledVersion", True),
        Property("dependencies", {needed["name"]: needed["version"] for needed in needs if not needed.get("optional")}),
        Property("excerpt", offer.get("excerpt")),
        Property("installed", lambda: _installed_members(call, name)),
        Property(
            "neededDependencies",
            lambda: [offered_bean(call, one) for one in call.installations.find_dependencies(offer)],
        ),
        Property(
            "optionalDependencies", {needed["name"]: needed["version"] for needed in needs if needed.get("optional")}
        ),
        Property("releaseTimestamp", None),
        Property("requiredCore", core),
        Property("title", offer.get("long_name", name)),
        Property("wiki", f"https://plugins.jenkins.io/{name}"),
        typed=False,
    )


def _installed_members(call: Call, name: str) -> Bean | None:
    row = call.plugins.find(name)
    return installed_bean(call, row) if row else None


def _availables(call: Call) -> list[Bean]:
    return [
        offered_bean(call, offer)
        for offer in call.update_site.offers().values()
        if not call.plugins.find(offer["name"])
    ]


def _updates(call: Call) -> list[Bean]:
    rows = {row["name"]: row for row in call.plugins.list_loaded()}
    newer = [
        offer
        for name, offer in call.update_site.offers().items()
        if name in rows and is_older(rows[name]["version"], offer["version"])
    ]
    return [offered_bean(call, offer) for offer in newer]


def site_bean(call: Call) -> Bean:
    """Return the update site."""
    return Bean(
        "hudson.model.UpdateSite",
        Property("availables", lambda: _availables(call)),
        Property("connectionCheckUrl", "http://www.google.com/"),
        Property("dataTimestamp", call.update_site.timestamp),
        Property("hasUpdates", lambda: bool(_updates(call))),
        Property("id", "default"),
        Property("suggestedPluginsUrl", "https://updates.jenkins.io/platform-plugins.json"),
        Property("updates", lambda: _updates(call)),
        Property("url", call.update_site.url),
        typed=False,
    )


def update_center_bean(call: Call) -> Bean:
    """Return the update center with its jobs."""
    return Bean(
        "hudson.model.UpdateCenter",
        Property("availables", lambda: _availables(call)),
        Property("jobs", [_job(call, job) for job in call.installations.jobs()]),
        Property("restartRequiredForCompletion", call.restart_required),
        Property("sites", [site_bean(call)]),
    )


def _job(call: Call, job: Job) -> Bean:
    kind = job.status(call.now)
    status = Property("status", _status(job, kind), inline=True)
    about = []
    if job.plugin is not None:
        plugin = offered_bean(call, job.offer, job.version)
        about = [Property("name", job.title), status, Property("plugin", plugin)]
    elif job.type == "PluginDowngradeJob":
        about = [Property("name", job.title), status]
    elif job.type != "ConnectionCheckJob":
        about = [status]
    own = (Property("errorMessage", job.error), Property("id", job.id), Property("type", job.type))
    return Bean(f"hudson.model.UpdateCenter${job.type}", *own, *about)


def _status(job: Job, kind: str) -> Bean:
    """Return the status of a job. Only downloads have members; for other jobs the class is the status."""
    class_name = f"{job.status_class}${kind}"
    if job.plugin is None:
        return Bean(class_name)
    success = kind in ("Success", "SuccessButRequiresRestart", "Skipped")
    return Bean(class_name, Property("success", success), Property("type", kind))
