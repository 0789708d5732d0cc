# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The transports of CLI commands by name."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli import (
    http_transport,
    jar_transport,
    ssh_transport,
)

TRANSPORTS = {
    "http": http_transport.execute,
    "jar": jar_transport.execute,
    "ssh": ssh_transport.execute,
}
