# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Each lock in requirements/ belongs to its inputs, pins and hashes every package, and names no index."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import lock
from environments import REQUIREMENTS, ROOT

# A name, a version and an optional marker, followed by one hash a line
PINNED = re.compile(r"([\w.-]+(?:\[[\w,-]+\])?)==[\w.!+-]+( ; [^\\\n]+)?((?: \\\n    --hash=sha256:[0-9a-f]{64})+)\n")
DIRECT = [ROOT / "requirements.txt", ROOT / "extensions/sandbox/requirements.txt", *sorted(REQUIREMENTS.glob("*.in"))]


def test_each_lock_has_an_entry_and_each_input_is_used() -> None:
    assert {path.stem for path in REQUIREMENTS.glob("*.txt")} == set(lock.ENVIRONMENTS)
    used = {name for environment in lock.ENVIRONMENTS.values() for name in environment["inputs"]}
    assert {path.stem for path in REQUIREMENTS.glob("*.in")} == used


@pytest.mark.parametrize("name", lock.ENVIRONMENTS)
def test_lock_pins_and_hashes_the_requirements_of_its_inputs(name: str) -> None:
    text = (REQUIREMENTS / f"{name}.txt").read_text()
    header = lock.HEADER.format(digest=lock.inputs_digest(name))
    assert text.startswith(header), "the inputs have changed; run `make lock`"
    packages = text.removeprefix(header)
    assert PINNED.sub("", packages) == "", "only pinned and hashed packages, without an index address"
    pins = Counter(package for package, marker, _hashes in PINNED.findall(packages) if not marker)
    assert pins
    assert not [package for package, count in pins.items() if count > 1]
    with_marker = Counter((package, marker) for package, marker, _hashes in PINNED.findall(packages) if marker)
    assert not [package for package, count in with_marker.items() if count > 1 or package[0] in pins]


@pytest.mark.parametrize("path", DIRECT, ids=lambda path: path.name)
def test_direct_requirements_have_no_duplicates(path: Path) -> None:
    packages = re.findall(r"^([\w.-]+)(?:\[.*\])?(?=[=<>])(?!.*;)", path.read_text().lower(), re.MULTILINE)
    assert sorted(packages) == sorted(set(packages))
