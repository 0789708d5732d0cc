# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of the service."""

from __future__ import annotations

from typing import Any

from ..runtime.runtime import Runtime
from .access.accounts import Accounts
from .access.tokens import Tokens
from .builds.records import Builds
from .images.uploads import Uploads
from .items.storage import Items
from .lifecycle.bundles import ReleaseBundles
from .maven.metadata import MavenMetadata
from .projects.store import Projects
from .protocol.versions import Versions, has_behavior
from .repositories.descriptor import Descriptor
from .repositories.repositories import Repositories
from .seeds.bulk_insert import BulkInsert
from .sso.store import SingleSignOn
from .system.configuration.store import Configuration


class State:
    """Items, builds, repositories, tokens and accounts."""

    def __init__(self, runtime: Runtime) -> None:
        """Create the state on top of the runtime."""
        self.runtime = runtime
        self.items = Items(runtime)
        self.bulk_insert = BulkInsert(runtime)
        self.builds = Builds(runtime)
        self.configuration = Configuration(runtime)
        self.descriptor = Descriptor(runtime, self.configuration)
        self.repositories = Repositories(runtime, self.items)
        self.projects = Projects(runtime)
        self.sso = SingleSignOn(runtime)
        self.release_bundles = ReleaseBundles(runtime)
        self.uploads = Uploads(runtime, self.items, self.repositories)
        self.tokens = Tokens(runtime)
        self.maven = MavenMetadata(runtime, self.items, self.repositories)
        self.accounts = Accounts(runtime, self.tokens, self.configuration)

    def get_switch(self, name: str) -> Any:
        """Return a switch of this service."""
        return self.runtime.get_switch("artifact", name)

    def supports(self, behavior: str | Versions) -> bool:
        """Return whether the emulated version has a behavior of `feature_versions`."""
        return has_behavior(self.get_switch("version"), behavior)
