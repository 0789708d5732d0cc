# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes of a webhook."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects import platform, projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import prediction, queries
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.webhooks import events, form, webhooks
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, MissingName, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import (
    Fields,
    add_removals,
    find_differences,
    merge_fields,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import is_selected
from ansible_collections.buildworks.toolchain.plugins.module_utils._write_only_secrets import WriteOnlySecrets

_REQUIRED = ("domain", "event_types", "webhook_url")


class SharedLists:
    """Lists of existing objects, each requested once for all items of a task."""

    def __init__(self) -> None:
        self._values = SharedValues()

    def webhooks(self, artifact: ArtifactService) -> dict[str, Record]:
        """Return all webhooks by key, as they were before this task changed one."""
        return self._values.get("webhooks", lambda: webhooks.list_all(artifact))

    def list_selected(self, task: Task) -> list[str]:
        """Return the keys of the webhooks with the project and the domain that the task names."""
        found = self.webhooks(ArtifactService(task)).items()
        project = task.params["project"]
        return [
            key
            for key, record in found
            if is_selected(task, domain=record.record("event_filter").text("domain"))
            and (project is None or form.parse_project(project) == form.read_project(record))
        ]

    def repositories(self, artifact: ArtifactService) -> set[str]:
        """Return the keys of all repositories."""
        return self._values.get("repositories", lambda: {entry["key"] for entry in queries.list_repositories(artifact)})

    def proxies(self, artifact: ArtifactService) -> set[str] | None:
        """Return the keys of all proxies, or `None` if the account may not read them."""
        names = self._values.get("names", lambda: prediction.read_names(artifact))
        return None if names is None else names["proxies"]


class ManagedWebhook:
    """The webhook that a task manages.

    :arg shared: shared by all items of a task
    :arg declared: the declared fields, as `form.parse_options` returns them
    """

    def __init__(self, task: Task, artifact: ArtifactService, shared: SharedLists, declared: Fields) -> None:
        self._task, self._artifact, self._shared, self._declared = task, artifact, shared, declared
        self._key: str = task.params["key"]
        self._is_read = False
        self._stored: Record | None = None
        self._current: Fields | None = None
        self._body: Fields = {}
        self._is_tested = False
        update = "always" if task.params["update_secret"] == "always" else "verify"
        # a change of another field replaces the whole webhook, so it sends all secrets
        self.secrets = WriteOnlySecrets(form.SECRETS, update, self._is_unchanged)

    def find(self) -> Fields | None:
        """Return the fields of the webhook, or `None` if it does not exist.

        The first call for an item uses the list of all webhooks.

        :raises ToolchainError: if the webhook has several handlers and should be present
        """
        if self._task.params["items"] is None or self._is_read:
            self._stored = webhooks.find(self._artifact, self._key)
        else:
            self._stored = self._shared.webhooks(self._artifact).get(self._key)
        self._is_read = True
        if self._stored is None:
            self._current = None
            return None
        self._current = form.read_fields(self._stored)
        form.register_secrets(self._task, self._stored, self._current)
        if self._task.params["state"] == "present":
            self._check_handlers(self._stored)
        return self._current

    def desired(self, before: Fields | None) -> Fields:
        """Return the fields to compare, with `None` for each header, secret and criterion to remove."""
        fields = dict(self._declared)
        if before is None:
            return {"enabled": True, "handler": "webhook", **fields}
        domain, handler = (str(fields.get(name, before[name])) for name in ("domain", "handler"))
        if domain != before["domain"]:
            defaults = events.get_domain(domain).default_criteria
            fields["criteria"] = {**dict.fromkeys(before["criteria"]), **defaults, **fields.get("criteria", {})}
        elif "release_bundles_v2" in fields.get("criteria", {}):
            bundles = add_removals(before["criteria"]["release_bundles_v2"], fields["criteria"]["release_bundles_v2"])
            fields["criteria"] = {**fields["criteria"], "release_bundles_v2": bundles}
        if handler != before["handler"]:
            fields = {**form.replace_handler(before, handler), **fields}
        for name in ("headers", "secrets"):
            if name in fields:
                fields[name] = add_removals(before.get(name), fields[name] or {})
        return fields

    def check(self, before: Fields | None, fields: Fields | None) -> None:
        """Refuse changes that the server would refuse, or that would destroy a secret.

        :arg fields: the fields to write; `None` for a deletion
        :raises BadOption: if an option is missing or does not apply
        :raises ToolchainError: if the change is refused
        """
        if fields is None:
            return
        if before is None:
            for option in _REQUIRED:
                if option not in self._declared:
                    raise BadOption(option, f"is required, because webhook '{self._key}' does not exist")
        elif "project" in fields:
            raise ToolchainError(
                f"The project of webhook '{self._key}' cannot be changed from '{before['project']}' to "
                f"'{fields['project']}'. Delete the webhook and create it again."
            )
        selected = {"handler": "webhook", **(before or {}), **self._declared}
        domain, handler = selected["domain"], selected["handler"]
        editions.check_options(self._artifact, features.WEBHOOK_OPTIONS, fields)
        form.check_handler(self._declared, handler)
        form.check_events(self._declared, domain, self._task.params["allow_unknown_events"])
        if before and domain != before["domain"] and "event_types" not in self._declared:
            raise BadOption("event_types", f"is required to change the domain of webhook '{self._key}'")
        known = form.defaults(domain, handler) if before is None else before
        after = merge_fields(merge_fields(known, form.select_secrets(self._declared, known)), fields)
        if before is None or fields.keys() & {"domain", "criteria"}:
            events.check_selection(domain, after["criteria"])
        stored_secrets = form.read_secrets(self._stored) if self._stored else {}
        self._body = form.to_body(self._key, after, self._stored, stored_secrets)

    def predict_refusal(self) -> None:
        """Verify that the project, the repositories and the proxy that the task adds exist.

        :raises BadOption: if one does not exist
        """
        if self._task.params["state"] == "absent" or self._task.predicts_missing:
            return
        current: Fields = self._current or {"criteria": {}}
        project, proxy = self._declared.get("project"), self._declared.get("proxy")
        if project and not current.get("project") and not self._has_project(project):
            raise MissingName("project", f"'{project}' does not exist on this server")
        repositories = set(self._declared.get("criteria", {}).get("repositories", ()))
        added = repositories - set(current["criteria"].get("repositories", ()))
        if added and (missing := sorted(added - self._shared.repositories(self._artifact))):
            raise MissingName("criteria.repositories", f"these repositories do not exist: {', '.join(missing)}")
        if proxy and proxy != current.get("proxy"):
            proxies = self._shared.proxies(self._artifact)
            if proxies is not None and proxy not in proxies:
                raise MissingName("proxy", f"'{proxy}' does not exist on this server")

    def may_disable(self, _fields: Fields) -> bool:
        """Return whether to change the webhook while it is disabled. A new one is created as it should be.

        A later run would not enable a new webhook that stays disabled, unless the task sets `enabled`.
        """
        return self._current is not None

    def create(self, _fields: Fields) -> None:
        """Create the webhook."""
        self._test()
        webhooks.create(self._artifact, self._body)

    def update(self, _fields: Fields) -> None:
        """Replace the webhook."""
        self._test()
        webhooks.replace(self._artifact, self._key, self._body)

    def delete(self) -> None:
        """Delete the webhook."""
        webhooks.delete(self._artifact, self._key)

    def to_result(self, fields: Fields) -> Fields:
        """Return the webhook as the module returns it; a predicted one with the values of a new webhook."""
        complete = merge_fields(form.defaults(fields["domain"], fields["handler"]), fields)
        return form.to_result(self._key, complete, self._declared.get("headers"))

    def _is_unchanged(self) -> bool:
        current = self._current or {}
        return not find_differences(current, self.secrets.strip(self.desired(current)))

    def _test(self) -> None:
        if self._task.params["test_event"] and not self._is_tested:
            self._is_tested = True
            webhooks.send_test_event(self._artifact, {**self._body, "enabled": True})

    def _check_handlers(self, stored: Record) -> None:
        count = form.count_handlers(stored)
        if count > 1:
            raise ToolchainError(
                f"Webhook '{self._key}' has {count} handlers, but the module supports only one. Delete the webhook and "
                "create one for each handler."
            )

    def _has_project(self, key: str) -> bool:
        """Return whether a project exists, or may exist because the account may not read it."""
        with platform.allow_forbidden():
            return projects.find(self._artifact, key) is not None
        return True
