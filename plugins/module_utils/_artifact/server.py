# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Version, add-ons and edition of the server."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import (
    VERSION_ADDRESS,
    ArtifactService,
    is_open_source,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields


def fetch_server(artifact: ArtifactService) -> Fields:
    """Return what the server reports about itself."""
    record: Record = artifact.http.read("GET", VERSION_ADDRESS).record()
    return {
        "version": record.text("version"),
        "revision": record.maybe_text("revision"),
        "addons": sorted(record.maybe_texts("addons")),
        "open_source": is_open_source(record),
    }
