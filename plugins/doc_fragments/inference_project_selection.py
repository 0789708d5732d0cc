# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Options that select a project of an OpenAI organization."""

    DOCUMENTATION = r"""
options:
  project_id:
    description: ID of the project. Mutually exclusive with O(project_name).
    type: str
  project_name:
    description:
      - Name of the project. Only one active project may have this name.
      - Mutually exclusive with O(project_id). Using the name requires one more request.
    type: str
"""
