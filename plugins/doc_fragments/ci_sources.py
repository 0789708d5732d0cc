# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Note of modules that change what a configuration source of Jenkins can set."""

    DOCUMENTATION = r"""
options: {}
notes:
  - If a configuration source of the plugin C(configuration-as-code) sets what the module would change, the task fails
    before the change, because Jenkins would revert it. A task with changes sends one request to read the sources.
    Without the Overall/Administer permission, they cannot be read, and the module changes the object.
"""
