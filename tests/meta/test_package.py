# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the permissions that modules need."""

from __future__ import annotations

import re
from pathlib import Path

import generate

ROOT = Path(__file__).resolve().parents[2]


def test_permissions_page_lists_each_module() -> None:
    page = (ROOT / "docs/site/reference/permissions.rst").read_text()
    assert [module for module in generate.list_modules() if f"<buildworks.toolchain.{module}#module>" not in page] == []


def test_each_module_documents_its_permissions() -> None:
    documented = {module: generate.read_documentation(module, "DOCUMENTATION") for module in generate.list_modules()}
    notes = {module: " ".join(documentation["notes"]) for module, documentation in documented.items()}
    words = re.compile("Needs|Requires|administrator|permission")
    assert [module for module, text in notes.items() if not words.search(text)] == []
