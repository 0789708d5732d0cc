# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything that the service knows."""

from __future__ import annotations

from ..world import World
from .accounts import Accounts
from .build_records import Builds
from .maven_metadata import MavenMetadata
from .planting import Planting
from .repositories import Repositories
from .storage import Items
from .tokens import Tokens
from .uploads import Uploads


class State:
    """Items, builds, repositories, tokens and accounts of one world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.items = Items(world)
        self.planting = Planting(world)
        self.builds = Builds(world)
        self.repositories = Repositories(world, self.items)
        self.uploads = Uploads(world, self.items, self.repositories)
        self.tokens = Tokens(world)
        self.maven = MavenMetadata(world, self.items, self.repositories)
        self.accounts = Accounts(world, self.tokens)
