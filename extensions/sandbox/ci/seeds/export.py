# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Export of the state as the `ci` section of a seed."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import escape
from typing import Any

from ...seeds.export import MAX_TEXT_SIZE, SeedExport, drop_empty, select_fields
from ..authorization import casc
from ..authorization.strategies import SEEDED, load_strategy
from ..controller import Controller
from ..credentials import stores
from ..jobs import stored_views
from ..lockable_resources import resources_api
from ..nodes import stored_nodes
from ..script_security import approvals
from ..storage import Build, Storage, User
from ..xml import document, secrets
from .seed import PLUGIN_FIELDS

_ALWAYS_OMITTED = (
    "causes of builds, times of log lines, and logs and artifacts of running builds",
    "sessions, restarts, plugins that are being installed, and switches other than version and restart_required",
)
_ENCRYPTED = re.compile(r"\{[A-Za-z0-9+/]{16,}={0,2}\}")


def export_seed(controller: Controller) -> SeedExport:
    """Return the section."""
    storage = controller.storage
    export = SeedExport({"version": controller.switch("version")}, list(_ALWAYS_OMITTED))
    strategy = load_strategy(storage)
    export.section |= drop_empty(
        {
            "restart_required": controller.switch("restart_required"),
            **{name: storage.setting(name) for name in ("url", "executors", "build_seconds", "user_content")},
            "authorization": None if strategy.kind == SEEDED else casc.write_strategy(strategy),
            "users": [_export_user(user) for user in storage.users()],
            "plugins": [select_fields(plugin, PLUGIN_FIELDS) for plugin in storage.plugins()],
            "update_site": storage.setting("update_site_url"),
            "update_sites": _export_update_sites(storage),
            "agents": [_export_node(storage, node) for node in stored_nodes.list_nodes(storage)],
            "lockable_resources": [
                drop_empty(select_fields(resource, resources_api.SHAPE.values))
                for resource in storage.setting(resources_api.SETTING, [])
            ],
            "script_approval": drop_empty(storage.setting(approvals.SETTING, {})),
            "scripts": storage.scripts(),
            "jobs": _export_jobs(storage, export),
            "views": [
                {"name": view.name, "folder": view.folder, "config": view.config} for view in storage.all_views()
            ],
            "primary_view": storage.setting(stored_views.PRIMARY_VIEW),
            **_export_credentials(storage),
        }
    )
    export.omit(len(storage.setting("configuration_sources", {})), "sources of Configuration as Code")
    return export


def _format_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


def _export_user(user: User) -> dict[str, Any]:
    tokens = [drop_empty({**vars(token), "created": _format_time(token.created)}) for token in user.tokens]
    return drop_empty({**vars(user), "tokens": tokens})


def _export_update_sites(storage: Storage) -> list[dict[str, Any]]:
    offered = storage.setting("update_site_offers", {})
    return [
        drop_empty(
            {
                "url": url,
                "broken": site["broken"],
                "fetched": site["offers"] == offered or None,
                "plugins": list(site["offers"].values()),
            }
        )
        for url, site in storage.setting("update_sites", {}).items()
    ]


def _export_node(storage: Storage, node: stored_nodes.Node) -> dict[str, Any]:
    return {"name": node.name, "config": _reveal_secrets(storage, node.config), "offline": not node.connected}


def _reveal_secrets(storage: Storage, config: str) -> str:
    """Return a document with plain secrets, because another sandbox has another key."""
    return _ENCRYPTED.sub(lambda match: escape(secrets.reveal(storage, match[0]), quote=False), config)


def _export_jobs(storage: Storage, export: SeedExport) -> list[dict[str, Any]]:
    queue = storage.queue()
    jobs, cut_logs = [], 0
    for job in storage.all_jobs():
        builds = list(storage.builds(job.name))[::-1]
        cut_logs += sum(_is_log_too_long(build) for build in builds)
        exported = {
            "config": _reveal_secrets(storage, job.config),
            "next_build": job.next_build,
            "builds": list(map(_export_build, builds)),
            "queued": [
                drop_empty({"seconds": item.due - item.since, "parameters": _export_parameters(item.parameters)})
                for item in queue
                if item.job == job.name
            ],
        }
        jobs.append({"name": job.name, **drop_empty(exported)})
    export.omit(cut_logs, f"build logs of more than {MAX_TEXT_SIZE} characters")
    return jobs


def _is_log_too_long(build: Build) -> bool:
    return sum(len(line) for _time, line in build.lines) > MAX_TEXT_SIZE


def _export_build(build: Build) -> dict[str, Any]:
    return {
        "number": build.number,
        "result": build.outcome,
        "started": _format_time(build.started),
        "seconds": build.ends - build.started,
        **drop_empty(
            {
                "keep": build.keep or None,
                "description": build.description,
                "parameters": _export_parameters(build.parameters),
                "log": "" if _is_log_too_long(build) else "\n".join(line for _time, line in build.lines),
                "artifacts": build.artifacts,
                "node": build.node,
            }
        ),
    }


def _export_parameters(parameters: list[dict[str, Any]] | None) -> dict[str, Any]:
    return {value["name"]: value["value"] for value in parameters or () if "value" in value}


def _export_credentials(storage: Storage) -> dict[str, Any]:
    """Return the stores of the server and of users. Those of folders are part of the configuration of the folder."""
    owners: list[tuple[dict[str, str], stores.Store]] = [({}, stores.system_store(storage))]
    owners += [({"user": user.name}, stores.user_store(storage, user.name)) for user in storage.users()]
    domains, credentials = [], []
    for place, store in owners:
        for domain in store.domains():
            if domain.name is not None:
                domains.append({"name": domain.name, **place, "xml": document.write_element(domain.config)})
            for credential in domain.credentials:
                xml = _reveal_secrets(storage, document.write_element(credential))
                credentials.append({"id": credential.findtext("id"), **place, "domain": domain.url_name, "xml": xml})
    return {"credential_domains": domains, "credentials": credentials}
