# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Written by tools/generate.py.

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.modules import artifact_release_bundle
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._in_process import InProcessAction


class ActionModule(InProcessAction):
    module = artifact_release_bundle


def main() -> None:
    ActionModule.check_options()
