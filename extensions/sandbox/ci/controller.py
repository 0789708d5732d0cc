# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller: queue, builds and plugins, independent of requests."""

from __future__ import annotations

from typing import Any

from ..runtime.runtime import Runtime
from .plugins.installations import Installations
from .plugins.installed_plugins import InstalledPlugins
from .plugins.update_site import UpdateSite
from .queue.scheduler import Scheduler
from .scripts.groovy_process import Groovy
from .state import State
from .system.lifecycle import Lifecycle
from .xml.writer import ConfigurationWriter


class Controller(State):
    """The state, and the parts that change it over time."""

    def __init__(self, runtime: Runtime) -> None:
        super().__init__(runtime)
        self.lifecycle = Lifecycle(self)
        self.groovy = Groovy(runtime.guard)
        self.plugins = InstalledPlugins(self)
        self.update_site = UpdateSite(self)
        self.installations = Installations(self, self.lifecycle, self.plugins, self.update_site)
        self.scheduler = Scheduler(self, self.lifecycle, self.installations)
        for part in (self.plugins, self.update_site, self.installations):
            self.lifecycle.on_start(part.start)
        self.ssh_endpoint = ""  # empty without an SSH server
        self.duplexes: dict[str, Any] = {}  # commands over two connections, by session

    def create_writer(self) -> ConfigurationWriter:
        """Return a writer of configurations for the plugins that are active now."""
        return ConfigurationWriter(self.plugins, self.storage)

    def reset(self) -> None:
        """Reset to a server without any configuration."""
        super().reset()
        self.lifecycle.boot()

    def forget(self) -> None:
        """Forget the sessions and the time of the last update."""
        self.sessions.clear()
        self.scheduler.reset()
