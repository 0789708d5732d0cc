# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The `ci` section of a seed.

url: URL of Jenkins in documents; by default that of the request
executors: number of executors (2)
build_seconds: duration of all builds, which succeed and do not run their steps; by default, the steps are simulated
version: version of Jenkins, like the switch
restart_required: whether plugins require a restart
users: [{name, password (without it, a user without an account), full_name, description, email,
         tokens: [value, or {value, name, uuid, created (ISO 8601), expires: the last day}],
         permissions: [Overall/Administer, ...], public_keys: [...]}]
authorization: the authorization strategy in the format of JCasC, such as {roleBased: {roles: {global: [...]}}}; by
               default, users have their permissions from the seed
plugins: [{name, version, long_name, active, enabled, dependencies: [{name, version, optional}],
           bundled (part of Jenkins), broken (why its code cannot be loaded), failed (why it was not loaded), ...}]
user_content: {path: text} of the files below /userContent/
update_site: configured URL of the update site
update_sites: [{url, fetched: whether Jenkins has its metadata,
                broken: how the site fails (refused, not found, error, page, signature),
                plugins: [{name, version, and other members of installed plugins; older: other versions for download,
                           seconds: duration of the download, fails: how it fails (download, checksum, no checksum),
                           file: {name, version, ...} if the file differs from the metadata}]}]
configuration: {sources: {path or URL: YAML text} that Configuration as Code applies; null if the file is missing,
                new_sources: the same of files that Jenkins has not loaded yet, environment: {variable: value},
                applied: {root: members} that was applied without being a source,
                reload_token: token of /reload-configuration-as-code/}
agents: [{name, offline: whether it is not connected, executors, description, remote_fs, labels: [...],
          config (XML instead of these), offline_reason: why a user has taken it offline}]
lockable_resources: [{name, description, labels: [...], note, properties: {name: text}, ephemeral,
                      reserved_by: full name of a user, locked_by: name of a build, queued, stolen}]
script_approval: {signatures: [...], acl_signatures: [...] (approved assuming permission check),
                  scripts: [{script, language (groovy)}] or script_hashes: [...] (approved),
                  pending_signatures: [{signature, user, item}],
                  pending_scripts: [{script, or its hash, language, user, item: full name of the job}]}
scripts: [{script (exact text) or pattern (regular expression to search), node (its name, "" for the controller;
           default any), after (only after the script of this name was run), name, output, value, seconds,
           error: {type, message, line}}]; the first match is used; later seeds take precedence
jobs: [{name: full name (missing folders are created), kind: freestyle|pipeline|multibranch|folder,
        description, disabled, concurrent, quiet_period, trigger_token,
        seconds or command (shell lines; sleep, echo, exit and trap are simulated), a Pipeline's script (the steps sh,
        echo, sleep, error, unstable and archiveArtifacts are simulated), or config (XML),
        archive: pattern of artifacts, which `echo TEXT > PATH` writes,
        parameters: [{name, type: string|text|boolean|choice|password|file, default, choices, trim,
                      description}],
        next_build: number of the next build,
        builds: [{number, result, seconds, ago or started (ISO 8601), keep, parameters: {name: text},
                  log: text, artifacts: {path: text}, node: name of the agent}],
        queued: [{seconds: waiting time, parameters: {name: text}}]}]
primary_view: name of the primary view; the views of this seed replace those of Jenkins
views: [{name, folder: full name of the folder,
         config (XML), or of a list view: description, jobs (names relative to the folder), regex}]
credential_domains: [{name, folder or user (by default the store of the server), description, xml}]
credentials: [{id, folder or user, domain, type: username_password|secret_text|secret_file|ssh_key, scope, description,
               username, username_secret, password, secret, file_name, content (text), private_key, passphrase,
               or instead of the type xml: document of any class}]
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from ...seeds.schema import mapping_schema
from ..access import accounts
from ..access.permissions import BY_TITLE
from ..authorization import casc
from ..authorization.strategies import save_strategy
from ..configuration import configuration as jcasc
from ..configuration.documents import ConfiguratorError
from ..controller import Controller
from ..jobs import configuration, folder_configuration, stored_views
from ..jobs.item_kinds import FOLDER
from ..lockable_resources import resources_api
from ..nodes import stored_nodes
from ..nodes.stored_nodes import ALWAYS_ONLINE_STRATEGY, INBOUND_LAUNCHER
from ..script_security import approvals
from ..scripts import script_answers
from ..storage import Build, Item, Job, Storage, User
from ..xml.writer import ConfigurationWriter
from . import credential_seeds

STARTED_BY_TIMER = {"_class": "hudson.triggers.TimerTrigger$TimerTriggerCause", "shortDescription": "Started by timer"}
DEFAULT_AGO_SECONDS = 3600
PLUGIN = "name! version! long_name url required_core_version minimum_java_version supports_dynamic_load broken"
PLUGIN_FIELDS = (
    *PLUGIN.replace("!", "").split(),
    *("active", "bundled", "enabled", "deleted", "pinned", "has_update", "backup_version", "failed", "dependencies"),
)
DEPENDENCIES = [mapping_schema("name! version! optional")]
SHAPE = mapping_schema(
    "authorization url executors build_seconds primary_view version restart_required quieting_down update_site"
    " user_content",
    users=[mapping_schema("name! password full_name description email tokens permissions public_keys")],
    plugins=[
        mapping_schema(
            f"{PLUGIN} active bundled enabled deleted pinned has_update backup_version failed",
            dependencies=DEPENDENCIES,
        )
    ],
    update_sites=[
        mapping_schema(
            "url fetched broken",
            plugins=[mapping_schema(f"{PLUGIN} excerpt older seconds fails file", dependencies=DEPENDENCIES)],
        )
    ],
    configuration=mapping_schema("sources new_sources environment applied reload_token"),
    agents=[mapping_schema("name! offline executors description remote_fs labels config offline_reason")],
    lockable_resources=[resources_api.SHAPE],
    script_approval=approvals.SHAPE,
    scripts=[script_answers.SHAPE],
    jobs=[
        mapping_schema(
            "name! kind config description command script archive seconds quiet_period trigger_token disabled"
            " concurrent next_build",
            parameters=[mapping_schema("name! type default choices trim description")],
            builds=[mapping_schema("number result seconds ago started keep description parameters log artifacts node")],
            queued=[mapping_schema("seconds parameters")],
        )
    ],
    views=[mapping_schema("name! folder config description jobs regex")],
    credential_domains=[credential_seeds.DOMAINS_SHAPE],
    credentials=[credential_seeds.CREDENTIALS_SHAPE],
)


class Seeder:
    """Adds the section of a seed."""

    def __init__(self, controller: Controller) -> None:
        self._controller = controller
        self._storage = controller.storage

    def add(self, data: dict[str, Any]) -> None:
        """Add all objects of the section."""
        self._add_settings(data)
        for user in data.get("users", []):
            self._add_user(user)
        self._add_plugins(data)
        for agent in data.get("agents", []):
            self._add_agent(agent)
        for resource in data.get("lockable_resources", []):
            resources_api.add_resource(self._storage, resource)
        approvals.add_approvals(self._storage, data.get("script_approval", {}))
        if "configuration" in data:
            self._add_configuration(data["configuration"])
        for script in reversed(data.get("scripts", [])):
            script_answers.check_answer(script)
            self._storage.put_script(script)
        writer = self._controller.create_writer()
        for job in data.get("jobs", []):
            self._add_job(job, writer)
        self._add_views(data, writer)
        for domain in data.get("credential_domains", []):
            credential_seeds.add_domain(self._storage, domain)
        for credential in data.get("credentials", []):
            credential_seeds.add_credential(self._storage, credential)

    def _add_views(self, data: dict[str, Any], writer: ConfigurationWriter) -> None:
        if "primary_view" in data:
            stored_views.replace_views(self._storage, writer, [])
            self._storage.set(stored_views.PRIMARY_VIEW, data["primary_view"])
        for view in data.get("views", []):
            self._add_view(view, writer)

    def _add_plugins(self, data: dict[str, Any]) -> None:
        for plugin in data.get("plugins", []):
            loaded = not plugin.get("failed")
            self._storage.put_plugin({**plugin, "version": str(plugin["version"]), "loaded": loaded})
        for site in data.get("update_sites", []):
            self._controller.update_site.add(site)

    def _add_settings(self, data: dict[str, Any]) -> None:
        for name in ("url", "executors", "build_seconds"):
            if name in data:
                self._storage.set(name, data[name])
        if "user_content" in data:
            self._storage.set("user_content", {**self._storage.setting("user_content", {}), **data["user_content"]})
        if "authorization" in data:
            strategy = casc.read_strategy(data["authorization"])
            casc.check_patterns(strategy)
            save_strategy(self._storage, strategy)
        if "update_site" in data:
            self._controller.update_site.configure(data["update_site"])
        for name in ("version", "restart_required"):
            if name in data:
                self._controller.set_switch(name, data[name])
        if "quieting_down" in data:
            self._controller.lifecycle.quiet_down(data["quieting_down"], self._controller.runtime.clock.now())

    def _add_configuration(self, settings: dict[str, Any]) -> None:
        """Add settings of Configuration as Code, and apply the sources as at a start."""
        self._merge_setting(jcasc.ENVIRONMENT, settings.get("environment", {}))
        self._merge_setting(jcasc.SOURCES, settings.get("sources", {}))
        if "reload_token" in settings:
            self._storage.set("configuration_reload_token", settings["reload_token"])
        applied = settings.get("applied")
        # missing files have vanished after the start
        if applied or None not in jcasc.list_sources(self._controller).values():
            try:
                jcasc.apply(self._controller, json.dumps(applied) if applied else None, "the seed")
            except ConfiguratorError as error:
                raise ValueError(f"The configuration cannot be applied: {error}") from None
        self._merge_setting(jcasc.SOURCES, settings.get("new_sources", {}))

    def _merge_setting(self, name: str, values: dict[str, Any]) -> None:
        self._storage.set(name, {**self._storage.setting(name, {}), **values})

    def _add_user(self, user: dict[str, Any]) -> None:
        permissions = user.get("permissions", [])
        unknown = [title for title in permissions if title not in BY_TITLE]
        if unknown:
            raise ValueError(f"User {user['name']}: there is no permission {', '.join(unknown)}.")
        full_name = user.get("full_name", user["name"])
        now = self._controller.runtime.clock.now()
        self._storage.put_user(
            User(
                user["name"],
                user.get("password"),
                full_name,
                [accounts.read_token(token, now) for token in user.get("tokens", [])],
                permissions,
                user.get("public_keys", []),
                user.get("description"),
                user.get("email"),
            )
        )

    def _add_agent(self, agent: dict[str, Any]) -> None:
        name, writer = agent["name"], self._controller.create_writer()
        if "config" in agent:
            config = stored_nodes.load_configuration(agent["config"], writer, name)[1]
        else:
            fields = {
                "name": name,
                "description": agent.get("description", ""),
                "remoteFS": agent.get("remote_fs", "/var/lib/jenkins"),
                "numExecutors": agent.get("executors", 1),
                "mode": "NORMAL",
                "label": " ".join(agent.get("labels", [])),
            }
            objects = f"{ALWAYS_ONLINE_STRATEGY}{INBOUND_LAUNCHER}"
            config = stored_nodes.build_configuration(writer, fields, objects)
        node = stored_nodes.Node(name, config, connected=not agent.get("offline", False))
        if "offline_reason" in agent:
            cause = stored_nodes.build_cause("admin", agent["offline_reason"], self._controller.runtime.clock.now())
            node = stored_nodes.set_cause(node, cause)
        stored_nodes.put_node(self._storage, node)

    def _add_job(self, job: dict[str, Any], writer: ConfigurationWriter) -> None:
        config = (
            configuration.normalize(job["config"], writer) if "config" in job else configuration.from_seed(job, writer)
        )
        builds = job.get("builds", [])
        self._add_folders(job["name"], writer)
        numbers = [build.get("number", place) for place, build in enumerate(builds, 1)]
        next_build = job.get("next_build", max(numbers, default=0) + 1)
        item = Job(job["name"], config, next_build, workspace=bool(builds))
        definition = configuration.parse_configuration(config)
        if definition.kind is FOLDER:
            folder_configuration.put(self._storage, writer, item)
        else:
            self._storage.put_job(item)
        for number, build in zip(numbers, builds, strict=True):
            self._add_build(job["name"], number, build, definition)
        for item in job.get("queued", []):
            self._add_item(job["name"], item, definition)

    def _add_view(self, view: dict[str, Any], writer: ConfigurationWriter) -> None:
        """Add a view, or replace the one with this name."""
        folder = view.get("folder", "")
        element = stored_views.from_seed(view)
        for other in stored_views.list_views(self._storage, folder):
            if other.name == view["name"]:
                stored_views.save(self._storage, writer, stored_views.replace_element(other, element))
                return
        stored_views.add_view(self._storage, writer, folder, None, element)

    def _add_folders(self, job: str, writer: ConfigurationWriter) -> None:
        """Add the missing parent folders of a job."""
        parts = job.split("/")[:-1]
        for name in ("/".join(parts[: depth + 1]) for depth in range(len(parts))):
            if not self._storage.job(name):
                self._storage.put_job(Job(name, configuration.empty_configuration(FOLDER, writer)))

    def _add_build(self, job: str, number: int, build: dict[str, Any], definition: configuration.Definition) -> None:
        if "started" in build:
            started = datetime.fromisoformat(build["started"]).timestamp()
        else:
            started = self._controller.runtime.clock.now() - build.get("ago", DEFAULT_AGO_SECONDS)
        self._storage.put_build(
            Build(
                job=job,
                number=number,
                queue_id=self._storage.next_item_id(),
                started=started,
                ends=started + build.get("seconds", 1),
                outcome=build.get("result", "SUCCESS"),
                causes=[STARTED_BY_TIMER],
                parameters=_values(self._storage, build, definition),
                description=build.get("description"),
                keep=build.get("keep", False),
                kind=definition.kind.name,
                lines=[(0, line) for line in build.get("log", "").splitlines()],
                artifacts=build.get("artifacts", {}),
                node=build.get("node", ""),
            )
        )

    def _add_item(self, job: str, item: dict[str, Any], definition: configuration.Definition) -> None:
        now = self._controller.runtime.clock.now()
        due = now + item.get("seconds", 0)
        number = self._storage.next_item_id()
        self._storage.put_item(
            Item(number, job, now, due, [STARTED_BY_TIMER], _values(self._storage, item, definition))
        )


def _values(
    storage: Storage, described: dict[str, Any], definition: configuration.Definition
) -> list[dict[str, Any]] | None:
    """Return the parameters of a build or queue item."""
    seeded = described.get("parameters", {})
    values = [
        parameter.value(seeded[parameter.name])
        if parameter.name in seeded
        else configuration.default_value(storage, parameter)
        for parameter in definition.parameters
    ]
    return [value for value in values if value] or None
