# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The built site; `make site` builds it."""

from __future__ import annotations

from pathlib import Path

import pytest

from build_folder import BUILD


@pytest.fixture(scope="session")
def site() -> Path:
    """Return the directory of the site."""
    folder = BUILD / "site"
    if not (folder / "index.html").exists():
        pytest.fail(f"There is no site in {folder}. Run: make site", pytrace=False)
    return folder
