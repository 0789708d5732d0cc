# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ways in which a command reaches the server."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.cli import by_jar, over_http, over_ssh

WAYS = {"http": over_http.course, "jar": by_jar.course, "ssh": over_ssh.course}
