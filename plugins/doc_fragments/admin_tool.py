# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """The administration tool of a code-analysis server."""

    DOCUMENTATION = r"""
options:
  admin_tool:
    description:
      - The words that run the administration tool, such as V(/opt/klocwork/bin/kwadmin), or V(validate) and V(admin)
        for newer ones. Must not be empty.
      - It has to be on the machine that the task runs on, which is another one with C(delegate_to).
      - It is given O(url) before the sub-command, and the login token in a file for the owner alone that the
        environment variable E(KLOCWORK_LTOKEN) names to it. Where the task has no token, the tool uses what login it
        has of its own.
      - What it warns of becomes a warning of the task. It fails when its exit code is not 0.
      - TLS, proxies and retries are its own matter; O(timeout) and what else is said of connections is not for it.
    type: list
    elements: str
    default: [kwadmin]
  admin_tool_timeout:
    description: Seconds that each sub-command may take, 0.1 to 86,400. Then it is stopped.
    type: float
    default: 600.0
"""
