# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A connection to this machine that behaves like a remote host with a separate environment."""

from __future__ import annotations

from ansible.plugins.connection import local

DOCUMENTATION = """
name: another_machine
short_description: This machine, without the controller's settings
description: For the integration tests.
"""


class Connection(local.Connection):
    transport = "another_machine"

    def exec_command(self, cmd, in_data=None, sudoable=True):
        return super().exec_command(f"env -u JFROG_URL {cmd}", in_data=in_data, sudoable=sudoable)
