# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is published: whose it is, of which version, and the same for everybody who builds it."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import yaml

import export
import release_notes
import tarball

LICENSE = "SPDX-License-Identifier: GPL-3.0-or-later"

# The text of the license, and what antsibull-changelog writes
WITHOUT_HEADER = {"LICENSE", "CHANGELOG.md", "changelogs/changelog.yaml"}


def license_of(path: Path) -> str:
    """What a file says of its license, or, where it has no comments, what the file next to it says."""
    beside = path.with_name(f"{path.name}.license")
    lines = (beside if beside.exists() else path).read_text(errors="replace").splitlines()[:10]
    return next((line.strip("{#/*<!->} ") for line in lines if "SPDX-License-Identifier" in line), "none")


def test_each_file_says_its_license() -> None:
    files = {str(path.relative_to(export.CHECKOUT)): path for path in export.files() if path.exists()}
    assert len(files) > 1000
    others = {name: license_of(path) for name, path in files.items() if name not in WITHOUT_HEADER}
    assert {name: license for name, license in others.items() if license != LICENSE} == {}


def test_the_same_files_make_the_same_tarball(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = tarball.build(tmp_path / "first")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    previous = os.umask(0o077)
    try:
        second = tarball.build(tmp_path / "second")
    finally:
        os.umask(previous)
    assert first.read_bytes() == second.read_bytes()


def test_what_is_new_names_the_version_that_it_comes_with() -> None:
    coming = yaml.safe_load((export.CHECKOUT / "galaxy.yml").read_text())["version"]
    releases = release_notes.released(export.CHECKOUT)
    told = {(name, version) for version, release in releases.items() for name in release_notes.named(release)}
    new = {(name, added(path)) for name, path in release_notes.documented()}
    assert {(name, version) for name, version in new - told if version != coming} == set()


def added(path: Path) -> str:
    """The version that a module, plugin or role says it came with."""
    found = re.search(r"^ *version_added: ['\"]?([\d.]+)", path.read_text(), re.MULTILINE)
    return found[1] if found else "none"
