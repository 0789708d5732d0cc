# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of modules: their permissions and the list of `ansible-doc`."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

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


@pytest.mark.parametrize(
    ("prefix", "product"),
    [("artifact", "Artifactory"), ("ci", "Jenkins"), ("review", "Klocwork"), ("inference", "OpenAI")],
)
def test_list_of_modules_can_be_searched_for_the_product(prefix: str, product: str) -> None:
    """In a pipe, `ansible-doc` cuts descriptions after about 26 characters."""
    command = ["ansible-doc", "--list", "buildworks.toolchain"]
    lines = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    modules = [line for line in lines if line.startswith(f"buildworks.toolchain.{prefix}_")]
    assert modules
    assert [line for line in modules if product.lower() not in line.lower()] == []
