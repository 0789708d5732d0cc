# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Option of modules with secrets that the service does not return."""

    DOCUMENTATION = r"""
options:
  update_secret:
    description:
      - When to send secrets to the server.
      - The server does not return secrets, so the module cannot compare them.
    type: str
    choices:
      on_create: Send secrets only when the object to which they belong is created.
      always: Send secrets in each run. If secrets are set, the task always reports a change.
    default: on_create
"""
