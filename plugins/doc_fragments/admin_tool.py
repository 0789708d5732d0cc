# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Options for Klocwork's administration tool."""

    DOCUMENTATION = r"""
options:
  admin_tool:
    description:
      - Command of Klocwork's administration tool as a list of words, such as V(/opt/klocwork/bin/kwadmin), or
        V(validate) and V(admin) for newer versions. Must not be empty.
      - The tool must be installed on the host on which the task runs. Use C(delegate_to) to run it on another host.
      - The module passes O(url) before the subcommand, and the login token in a private temporary file, whose path is
        in the environment variable E(KLOCWORK_LTOKEN). If the task has no login token, the tool uses its own login.
      - Warnings of the tool become warnings of the task. The task fails if the exit code is not 0.
      - The tool uses its own settings for TLS, proxies and retries. O(timeout) and the other connection options do not
        apply to it.
    type: list
    elements: str
    default: [kwadmin]
  admin_tool_timeout:
    description: Timeout for each subcommand, in seconds. The module kills a subcommand that exceeds it.
    type: float
    default: 600.0
"""
