# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files during a rehearsal, which changes no file that existed before it."""

from __future__ import annotations

import json
import os

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError

# The sandbox in place of the services
URL = "TOOLCHAIN_REHEARSAL_URL"
# A file with the paths of the files that the rehearsal created, as JSON, one per line
CREATED = "TOOLCHAIN_REHEARSAL_FILES"


def claim(path: str) -> None:
    """Verify that a file may be written, and note that it is created. Outside a rehearsal this does nothing.

    :raises ToolchainError: when the file existed before the rehearsal
    """
    if not os.environ.get(URL):
        return
    path = os.path.realpath(path)
    notes = os.environ.get(CREATED, os.devnull)
    if os.path.lexists(path):
        with open(notes, encoding="utf-8") as file:
            created = {json.loads(line) for line in file}
        if path not in created:
            raise ToolchainError(
                f"This is a rehearsal, so the existing file '{path}' is not changed: give another path, or leave the "
                "task out with '--skip-tags'."
            )
        return
    with open(notes, "a", encoding="utf-8") as file:
        file.write(f"{json.dumps(path)}\n")
