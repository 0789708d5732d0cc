# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Note of modules that change what a configuration source of Jenkins can set."""

    DOCUMENTATION = r"""
options: {}
notes:
  - Jenkins can have configuration sources, which are the files of the plugin C(configuration-as-code). If a source sets
    what the module would change, the task fails before the change, because Jenkins would revert it. Before the first
    change, the module sends one request to read the sources.
  - A file that Jenkins will load with its next change counts as a source. A source whose file is missing sets nothing.
    If a source cannot be read for another reason, the task fails before the change.
  - The sources cannot be read without the Overall/Administer permission or if the script console is blocked. The module
    then changes the object without this check.
"""
