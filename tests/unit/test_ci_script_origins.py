# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the scripts that run inside of Jenkins are written for."""

from __future__ import annotations

import re
from pathlib import Path

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts import origins
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.users import accounts
from sandbox.ci.scripts.known_scripts import SCRIPTS
from support.ci_scripts import script
from support.conversation import conversation
from support.running import run

PLUGINS = Path(__file__).parents[2] / "plugins"
IMPORT = re.compile(r"^import ((?:com|hudson|jenkins|org)\.[\w.]+)$", re.MULTILINE)


def test_each_script_names_the_sources_that_it_was_read_from() -> None:
    assert set(origins.ORIGINS) == set(SCRIPTS)
    assert all(row and all(origin.classes for origin in row) for row in origins.ORIGINS.values())


def test_each_imported_class_is_listed() -> None:
    listed = {name for row in origins.ORIGINS.values() for origin in row for name in origin.classes}
    imported = {
        name for file in (PLUGINS / "module_utils" / "_ci").rglob("*.py") for name in IMPORT.findall(file.read_text())
    }
    assert imported <= listed


def test_failure_of_an_incompatible_script_names_the_versions() -> None:
    failure = script(
        "list users",
        accounts.LIST_USERS,
        {"name": "ann"},
        error={"type": "groovy.lang.MissingMethodException", "message": "No signature of method"},
    )
    with conversation(failure) as talk:
        result = run("ci_user", url=talk.url, name="ann", username="admin", api_token="xyzzy" * 7, retries=0)
    assert result["msg"] == (
        "The script to list users failed: groovy.lang.MissingMethodException: No signature of method. It is written "
        "for Jenkins 2.579, mailer 534. Report this with your versions."
    )
