# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages for missing permissions and unsupported repositories, by version."""

from __future__ import annotations

MESSAGES = {
    "read": "Request for '{repo}:{path}' is forbidden for user: '{user}'.",
    "download": "Request for '{repo}:{path}' is forbidden for user: '{user}'.",
    "deploy": "The user: '{user}' is not permitted to deploy '{path}' into '{repo}:{path}'.",
    "delete": (
        "Not enough permissions to delete/overwrite artifact '{repo}:{path}' (user: '{user}' needs DELETE permission)."
    ),
    "delete_below": (
        "Not enough permissions to delete/overwrite all artifacts under '{repo}:{path}'"
        " (user: '{user}' needs DELETE permission)."
    ),
    "local_only": "This method can only be invoked on local/cached repositories.",
}
OLD_MESSAGES = {
    "read": "Request for '{repo}:{path}' is forbidden for user '{user}'.",
    "download": "Download request for repo:path '{repo}:{path}' is forbidden for user '{user}'.",
    "deploy": "User {user} is not permitted to deploy '{path}' into '{repo}:{path}'.",
    "delete": "Not enough permissions to overwrite artifact '{repo}:{path}' (user '{user}' needs DELETE permission).",
    "delete_below": (
        "Not enough permissions to overwrite all artifacts under '{repo}:{path}'"
        " (user '{user}' needs DELETE permission)."
    ),
    "local_only": "This method can only be invoked on local repositories.",
}
