# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The central descriptor: its revision, the refusal of concurrent changes, and the names that repositories refer to."""

from __future__ import annotations

from collections.abc import Collection

from ...runtime.runtime import Runtime
from ..protocol.errors import ArtifactError
from ..system.configuration.repository_references import list_ids
from ..system.configuration.store import Configuration

REVISION_SETTING = "artifact.descriptor_revision"
MERGE_REFUSAL = (
    "Could not merge and save new descriptor [org.jfrog.common.ExecutionFailed: Last retry failed: code exception."
    " Not trying again (Should update revision {revision})]"
)


class Descriptor:
    """The parts of the central descriptor that calls of several resources share."""

    def __init__(self, runtime: Runtime, configuration: Configuration) -> None:
        """Create the view of the descriptor in the database."""
        self._runtime = runtime
        self._configuration = configuration

    @property
    def revision(self) -> int:
        """The number of changes, counted from 1."""
        return int(self._runtime.load_setting(REVISION_SETTING, 0)) + 1

    def begin_write(self) -> None:
        """Increase the revision, or fail like a server on which another change was faster.

        The switch `merge_refusals` is the number of further writes that fail, `merge_refusal_status` their status.
        """
        revision = self.revision
        self._runtime.save_setting(REVISION_SETTING, revision)
        refusals = int(self._runtime.get_switch("artifact", "merge_refusals"))
        if refusals > 0:
            self._runtime.set_switches({"artifact": {"merge_refusals": refusals - 1}})
            status = int(self._runtime.get_switch("artifact", "merge_refusal_status"))
            raise ArtifactError(status, MERGE_REFUSAL.format(revision=revision))

    def list_names(self, section: str) -> Collection[str]:
        """Return the names of the elements in a section: `repoLayouts`, `propertySets` or `proxies`."""
        return self._configuration.load_section(section) or ()

    def has_id(self, key: str) -> bool:
        """Return whether an object of the configuration has a name that repositories therefore cannot have."""
        return key in list_ids(self._configuration.load())
