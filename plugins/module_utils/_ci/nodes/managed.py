# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes of an agent."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.running import read_node_builds
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.ownership import (
    NODES,
    SharedSources,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.nodes import form, kinds, nodes
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.nodes.secret import SecretFile
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import require_plugin
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import stored
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.fields import (
    DesiredConfiguration,
    check_complete,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.losses import LossPolicy
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, merge_fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_RESULT = ("name", *form.OPTIONS, "elements", "secret_file")


class ManagedAgent:
    """The agent that a task manages.

    :arg sources: shared by all items of a task
    """

    def __init__(self, task: Task, ci: CiService, sources: SharedSources) -> None:
        self._task, self._ci, self._sources = task, ci, sources
        self._name: str = task.params["name"]
        self._previous_name: str | None = task.params["previous_name"]
        self._is_deletion = task.params["state"] == "absent"
        self._declared = {} if self._is_deletion else form.parse_options(task.params)
        declared_config = None if self._is_deletion else form.parse_config(task.params)
        losses = LossPolicy(task, ci, f"node '{self._name}'")
        self._config = None if declared_config is None else DesiredConfiguration(declared_config, losses=losses)
        self._secret_file = SecretFile(task, ci)
        self._stored: ET.Element | None = None
        self._stored_name = self._name
        self._complete: Fields = {}
        self._desired_texts: dict[str, str | None] = {}
        self._computer: Record | None = None
        self._is_deleted = False

    def find(self) -> Fields | None:
        """Return the fields of the agent, those of the one to rename, or `None` if neither exists.

        To delete an agent, its configuration is not read, because this requires another permission.
        """
        if self._is_deletion:
            self._computer = nodes.find_computer(self._ci, self._name)
            if self._computer is None or (self._is_deleted and not nodes.has_configuration(self._ci, self._name)):
                return None
            return self._read_computer(self._computer)
        self._stored, self._stored_name = stored.fetch(self._ci, nodes.node_path(self._name)), self._name
        if self._stored is None and self._previous_name is not None:
            self._stored = stored.fetch(self._ci, nodes.node_path(self._previous_name))
            self._stored_name = self._previous_name
        if self._stored is None:
            return None
        if self._stored.tag not in form.ROOTS:
            raise self._foreign_error(self._stored.tag)
        fields = {"name": self._stored_name, **form.read_fields(self._stored)}
        if self._config is not None:
            texts = self._config.read(self._stored, is_written=self._task.has_written)
            fields["elements"] = texts.select(form.selects_others(self._declared))
        if self._secret_file.path is not None and fields["launcher"]["type"] == "inbound":
            fields["secret_file"] = self._secret_file.read(self._stored_name)
        return fields

    def desired(self, before: Fields | None) -> Fields:
        """Return the fields to compare, with `None` for everything to remove."""
        self._complete = form.complete(self._declared, before)
        fields = {"name": self._name, **self._complete}
        if self._config is not None:
            self._desired_texts = self._config.list_desired(self._stored)
            fields["elements"] = self._desired_texts
        if self._secret_file.path is not None:
            launcher = fields.get("launcher") or (before or {}).get("launcher", {"type": "inbound"})
            if launcher["type"] != "inbound":
                raise BadOption("secret_file", f"requires the launcher type 'inbound', not '{launcher['type']}'")
            fields["secret_file"] = self._secret_file.path
        return fields

    def check(self, before: Fields | None, fields: Fields | None) -> None:
        """Refuse changes that would fail, be reverted, abort builds or destroy a secret.

        :arg fields: the fields to write; `None` for a deletion
        :raises BadOption: if an option is missing
        :raises ToolchainError: if the change is refused
        """
        if before is not None and (fields is None or "name" in fields):
            self._check_idle(before, "Deleting" if fields is None else "Renaming")
        if fields is None or fields.keys() != {"secret_file"}:
            self._sources.refuse_owned(self._ci, NODES, f"node '{self._name}'")
        if fields is None:
            return
        if self._config is not None:
            self._config.check_kept()
        if before is None and "remote_root" not in self._declared and not self._declares_remote_root():
            raise BadOption("remote_root", f"is required, because node '{self._name}' does not exist")
        for option, kind in (("launcher", kinds.LAUNCHERS), ("retention", kinds.RETENTIONS)):
            if option in fields:
                self._check_kind(option, kind, merge_fields((before or {}).get(option), fields[option]))
        if self._stored is not None:
            check_complete(self._stored, f"node '{self._stored_name}'")

    def predict_refusal(self) -> None:
        """Verify that the account may create an agent."""
        if self._stored is None and not self._is_deletion:
            nodes.probe_create_permission(self._ci)

    def create(self, _fields: Fields) -> None:
        """Create the agent and store its secret."""
        nodes.create(self._ci, self._name, self._build(form.new_configuration()))
        self._record_acceptance()
        self._store_secret()

    def update(self, fields: Fields) -> None:
        """Replace the configuration, unless only the secret differs, and store the secret."""
        if self._stored is not None and fields.keys() != {"secret_file"}:
            nodes.replace(self._ci, self._stored_name, self._build(self._stored))
            self._record_acceptance()
        if fields.keys() & {"secret_file", "name"}:
            self._store_secret()

    def delete(self) -> None:
        """Delete the agent."""
        self._is_deleted = True
        nodes.delete(self._ci, self._name)

    def to_result(self, fields: Fields) -> Fields:
        """Return the agent as the module returns it; a predicted one with the values of a new agent."""
        if self._is_deletion:
            return fields
        complete = {**form.read_fields(self._build(form.new_configuration())), **fields}
        if self._config is not None and "elements" in fields:
            texts = self._config.show(fields["elements"]).items()
            complete["elements"] = {path: text for path, text in texts if path in self._desired_texts}
        return {name: complete[name] for name in _RESULT if complete.get(name) is not None}

    def explain_loss(self) -> str:
        """Return why the agent lacks declared elements, or an empty text."""
        return "" if self._config is None else self._config.explain_loss()

    def _record_acceptance(self) -> None:
        if self._config is not None:
            self._config.record_acceptance()

    def _build(self, root: ET.Element) -> ET.Element:
        """Return a configuration with the declared elements. Those that are not declared are kept."""
        merged = root if self._config is None else self._config.merge(root)
        return form.write_fields(merged, self._name, self._complete)

    def _declares_remote_root(self) -> bool:
        return self._config is not None and bool(self._config.declared.findtext("remoteFS"))

    def _check_kind(self, option: str, known: dict[str, kinds.Kind], fields: Fields) -> None:
        kinds.check_required(option, known, fields)
        plugin = known[fields["type"]].plugin
        if plugin is not None:
            require_plugin(self._ci, plugin, f"The launcher type '{fields['type']}'")

    def _check_idle(self, before: Fields, action: str) -> None:
        """Refuse to abort builds.

        :raises ToolchainError: if the agent runs builds
        """
        if self._task.params["allow_abort_builds"]:
            return
        computer = self._computer or nodes.find_computer(self._ci, before["name"])
        if computer is not None and not computer.flag("idle"):
            raise ToolchainError(
                f"{action} node '{before['name']}' would abort builds: {read_node_builds(computer)}. Drain it with "
                "ci_node_drain first, or set 'allow_abort_builds: true'."
            )

    def _store_secret(self) -> None:
        if self._secret_file.path is not None:
            self._secret_file.store(self._name)

    def _read_computer(self, computer: Record) -> Fields:
        if not nodes.is_permanent(computer):
            raise self._foreign_error(computer.maybe_text("_class") or "unknown")
        return {
            "name": self._name,
            "description": computer.maybe_text("description") or "",
            "executors": computer.integer("numExecutors"),
            "labels": nodes.read_labels(computer, self._name),
        }

    def _foreign_error(self, class_name: str) -> ToolchainError:
        return ToolchainError(
            f"Node '{self._name}' is not a permanent agent: it has the class '{class_name}'. Perhaps a cloud manages "
            "it. The module manages only permanent agents and the built-in node."
        )
