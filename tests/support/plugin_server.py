# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests and responses about plugins and their installation, recorded from Jenkins 2.579."""

from __future__ import annotations

import json
import time
from typing import Any
from urllib.parse import quote

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.remote_file import READ_MANIFEST
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.security import LIST_PROVIDERS
from support.ci_scripts import script
from support.ci_server import OLD_SESSION, page
from support.conversation import Call, call

LISTED = "plugins[active,bundled,deleted,dependencies[optional,shortName,version],enabled,hasUpdate,shortName,version]"
CENTER = "jobs[*,plugin[name,version],status[*]],restartRequiredForCompletion,sites[dataTimestamp,id]"
OFFER = "compatible,dependencies,name,neededDependencies[name],requiredCore,url,version"
JOB = "hudson.model.UpdateCenter$"


def plugin(name: str, version: str = "1.0", needs: str = "", **more: Any) -> dict[str, Any]:
    """Return a plugin of the list. `needs` is a dependency."""
    dependencies = [{"optional": False, "shortName": needs, "version": "1.0"}] if needs else []
    state = {"active": True, "deleted": False, "enabled": True, "hasUpdate": False, **more}
    return {**state, "dependencies": dependencies, "shortName": name, "version": version}


def listing(*plugins: dict[str, Any], **answer: Any) -> Call:
    """Return the request for the list of plugins."""
    if not answer:
        answer["json"] = {"_class": "hudson.LocalPluginManager", "plugins": list(plugins)}
        answer["headers"] = OLD_SESSION
    return call("GET", f"/pluginManager/api/json?tree={quote(LISTED, safe='')}", **answer)


def job(number: int, name: str, status: str = "Success", version: str = "1.0", **more: Any) -> dict[str, Any]:
    """Return an installation job."""
    kind = more.pop("kind", "InstallationJob")
    success = status not in ("Failure", "Pending", "Installing")
    return {
        "_class": JOB + kind,
        "errorMessage": None,
        "id": number,
        "type": kind,
        "name": name,
        "status": {"_class": f"{JOB}DownloadJob${status}", "success": success, "type": status},
        "plugin": {"name": name, "version": version},
        **more,
    }


def batch(number: int, status: str = "Success", kind: str = "CompleteBatchJob", **more: Any) -> dict[str, Any]:
    """Return a job that is not an installation."""
    state = {"status": {"_class": f"{JOB}{kind}${status}"}}
    return {"_class": JOB + kind, "errorMessage": None, "id": number, "type": kind, **state, **more}


def center(
    *jobs: dict[str, Any],
    waits: bool = False,
    age: float | None = 5.0,
    session: dict[str, str] | None = None,
    **answer: Any,
) -> Call:
    """Return the update center. `None` as age of the metadata means that it was not downloaded."""
    stamp = 0 if age is None else int((time.time() - age) * 1000)
    document = {
        "_class": "hudson.model.UpdateCenter",
        "jobs": list(jobs),
        "restartRequiredForCompletion": waits,
        "sites": [{"dataTimestamp": stamp, "id": "default"}],
    }
    answer = answer or {"json": document, "headers": session or OLD_SESSION}
    return call("GET", f"/updateCenter/api/json?tree={quote(CENTER, safe='')}", **answer)


def available_plugin(
    name: str, version: str = "1.0", needs: str = "", missing_dependency: str = "", **more: Any
) -> Call:
    """Return an available plugin.

    `needs` is a dependency, `missing_dependency` one that would be installed or enabled as well.
    """
    document = {
        "_class": "hudson.model.UpdateSite$Plugin",
        "compatible": True,
        "dependencies": dict.fromkeys((needs or missing_dependency).split(), "1.0"),
        "name": name,
        "neededDependencies": [{"name": one} for one in missing_dependency.split()],
        "requiredCore": "2.400",
        "url": f"https://updates.example.com/plugins/{name}/{version}/{name}.hpi",
        "version": version,
        **more,
    }
    return call("GET", f"/updateCenter/plugin/{name}/api/json?tree={quote(OFFER, safe='')}", json=document)


def not_offered(name: str) -> Call:
    """Return the request for a plugin that is not available."""
    target = f"/updateCenter/plugin/{name}/api/json?tree={quote(OFFER, safe='')}"
    return call("GET", target, 404, text=page("Not Found - Jenkins", "Oops! Not Found"))


def prevalidate(plugins: str, *old: str) -> Call:
    """Return the request that checks which plugins, such as `git@2.0`, are older."""
    elements = "".join(f'<plugin plugin="{one}"/>' for one in plugins.split())
    document = [{"name": name, "version": "2.0", "mode": "old"} for name in old]
    return call(
        "POST", "/pluginManager/prevalidateConfig", json=document, sent_body=f"<plugins>{elements}</plugins>".encode()
    )


def install(*names: str, dynamic: bool = True, **answer: Any) -> Call:
    """Return the request to install plugins."""
    answer.setdefault("json", {"status": "ok", "data": {"correlationId": "9bd0e6d2-8f00-4bb6-a0a5-2f5f9c5f8c55"}})
    sent = {"plugins": list(names), "dynamicLoad": dynamic}
    return call("POST", "/pluginManager/installPlugins", sent_json=sent, **answer)


def change(name: str, action: str, status: int = 200) -> Call:
    """Return a request to enable, disable or uninstall a plugin."""
    return call("POST", f"/pluginManager/plugin/{name}/{action}", status)


def providers(*names: str, **answer: Any) -> Call:
    """Return the script that lists the plugins of the authorization strategy and the security realm."""
    return script("list plugins of the security settings", LIST_PROVIDERS, value=list(names), **answer)


def manifest(url: str, name: str | None, version: str | None, **answer: Any) -> Call:
    """Return the script with which Jenkins reads the manifest of the file at a URL."""
    value = {"name": name, "version": version}
    return script("read the manifest of a plugin file", READ_MANIFEST, {"url": url}, value=value, **answer)


def refresh() -> Call:
    """Return the request to refresh the metadata."""
    return call("POST", "/pluginManager/checkUpdatesServer", 302, headers={"Location": "/pluginManager/"})


def manager_page(error: str = "") -> Call:
    """Return the page of the plugin manager, the only one that shows errors of the update site."""
    text = f"There were errors checking the update sites: {error}" if error else ""
    return call("GET", "/pluginManager/", text=page("Plugins - Jenkins", "Plugins", text))


def installed_page(*failed: str) -> Call:
    """Return the page of installed plugins, the only one that shows plugins that failed to load."""
    return call("GET", "/pluginManager/installed", text=page("Plugins - Jenkins", "Plugins", " ".join(failed)))


def failed_script(status: int = 200, **failed: str) -> Call:
    """Return the script that lists plugins that failed to load."""
    return call("POST", "/scriptText", status, text=json.dumps(failed) + "\n")
