# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The built-in node of the controller. Jenkins has no XML for it, and its form would reset what it does not contain."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.ownership import SharedSources
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.nodes import form, nodes
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts.console import run_internal
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, sort_unique

# The member of the configuration as code for each option
_OPTIONS = {"executors": "numExecutors", "labels": "labelString", "usage": "mode"}
_AGENT_OPTIONS = ("previous_name", "config", "secret_file", *(name for name in form.OPTIONS if name not in _OPTIONS))
_ADDED_LABELS = {nodes.BUILT_IN, "master"}
_SCRIPT = """\
import hudson.model.Node
import jenkins.model.Jenkins

def controller = Jenkins.instance
if (args.executors != null) {
    controller.setNumExecutors(args.executors)
}
if (args.mode != null) {
    controller.setMode(Node.Mode.valueOf(args.mode))
}
if (args.labels != null) {
    controller.setLabelString(args.labels)
}
controller.save()
return null
"""


def parse_options(params: Fields) -> Fields:
    """Return the fields that the options declare for the built-in node.

    :raises BadOption: if an option does not apply to it
    """
    if params["state"] == "absent":
        raise BadOption("name", "the built-in node cannot be deleted. To run no builds on it, set 'executors: 0'")
    for option in _AGENT_OPTIONS:
        if params[option] is not None:
            raise BadOption(option, "does not apply to the built-in node, only 'executors', 'labels' and 'usage' do")
    fields = {name: params[name] for name in _OPTIONS if params[name] is not None}
    if "labels" in fields:
        fields["labels"] = sort_unique(set(fields["labels"]) - _ADDED_LABELS)
    return fields


def fetch(ci: CiService) -> Fields:
    """Return the configuration of the built-in node."""
    node = ci.view("", "assignedLabels[name],mode,numExecutors").record()
    mode = node.text("mode")
    return {
        "executors": node.integer("numExecutors"),
        "labels": nodes.read_labels(node, nodes.BUILT_IN),
        "usage": next((usage for usage, stored in form.USAGES.items() if stored == mode), mode),
    }


def update(ci: CiService, fields: Fields) -> None:
    """Change the given fields of the built-in node."""
    labels: t.Any = fields.get("labels")
    args = {
        "executors": fields.get("executors"),
        "mode": form.USAGES.get(fields.get("usage", "")),
        "labels": None if labels is None else " ".join(labels),
    }
    run_internal(ci, "configure the built-in node", _SCRIPT, args, read_only=False)


def check(ci: CiService, sources: SharedSources, fields: Fields) -> None:
    """Refuse to change what a configuration source sets.

    :arg fields: the fields to change
    :raises ToolchainError: if a source sets one of them
    """
    for option in fields:
        sources.refuse_owned(ci, ("jenkins", _OPTIONS[option]), f"'{option}' of the built-in node")


def predict_refusal(ci: CiService) -> None:
    """Read the page of the script console, which requires the same permission as a script."""
    ci.http.read("GET", "/script")
