# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Which project of an organization a module is about."""

    DOCUMENTATION = r"""
options:
  project_id:
    description: Id of the project. This or O(project_name) says which one is meant.
    type: str
  project_name:
    description:
      - Name of the project, which costs one request more. It must be the only one of that name that is not archived.
    type: str
"""
