# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The secret with which an inbound agent connects, in a file."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.nodes import nodes
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import document
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import (
    Target,
    check_ownership,
    check_writable,
    read_text,
    store_text,
    warn_if_accessible,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task


class SecretFile:
    """The file of the option `secret_file`.

    :raises BadOption: if it cannot be written
    """

    def __init__(self, task: Task, ci: CiService) -> None:
        self._task, self._ci = task, ci
        self.path: str | None = task.params["secret_file"] if task.params["state"] == "present" else None
        if self.path is not None:
            check_writable(task, self.path, "secret_file")
            check_ownership(task)

    def read(self, name: str) -> str | None:
        """Return the path of the file if it contains the secret of a node, otherwise `None`."""
        if self.path is None:
            return None
        return self.path if read_text(self.path) == self._fetch(name) else None

    def store(self, name: str) -> None:
        """Store the secret of a node."""
        path = str(self.path)
        warn_if_accessible(self._task, path)
        store_text(self._task, Target.from_options(self._task, path), self._fetch(name))

    def _fetch(self, name: str) -> str:
        """Return the secret, the first argument of the program that connects the agent."""
        response = self._ci.http.read("GET", f"{nodes.node_path(name)}/jenkins-agent.jnlp")
        try:
            arguments = [argument.text for argument in document.parse(response.text, is_stored=True).iter("argument")]
        except document.XmlError:
            raise response.not_xml_error() from None
        if len(arguments) < 2 or not arguments[0] or arguments[1] != name:
            raise response.not_xml_error()
        return self._task.register_secret(arguments[0])
