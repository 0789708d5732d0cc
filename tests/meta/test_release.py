# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Releases: licenses and versions of the published files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

import export
import licenses
import release_notes


def test_each_file_names_its_license() -> None:
    assert len(export.files()) > 1000
    assert licenses.find_wrong_licenses(export.CHECKOUT, export.files()) == []


def test_file_is_listed_when_it_lacks_the_license(tmp_path: Path) -> None:
    other = "SPDX-License-Identifier: MIT"
    texts = {
        "none.py": "x = 1\n",
        "other.py": f"# {other}\n",
        "both.py": f"# {licenses.LICENSE}\n" + "x = 1\n" * 20 + f"# {other}\n",
        "below.py": "x = 1\n" * 20 + f"# {licenses.LICENSE}\n",
        "LICENSE": "GNU",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "data.json").write_text("{}")
    (tmp_path / "data.json.license").write_text(f"{licenses.LICENSE}\n")
    (tmp_path / "right.yml").write_text(f"# {licenses.LICENSE}\n")
    named = licenses.find_wrong_licenses(tmp_path, tmp_path.iterdir())
    assert named == [
        "below.py: none",
        f"both.py: {licenses.LICENSE}, {other}",
        "none.py: none",
        f"other.py: {other}",
    ]


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Create a checkout whose version 0.1.0 is released."""
    monkeypatch.setattr(release_notes, "CHECKOUT", tmp_path)
    texts = {
        "galaxy.yml": "version: 0.1.0\n",
        "changelogs/changelog.yaml": "releases: {0.1.0: {fragments: [first.yml]}}\n",
        "changelogs/fragments/.gitkeep": "",
        "docs/site/start/requirements.yml": "https://repo.example.com/buildworks-toolchain-0.1.0.tar.gz\n",
        "extensions/sandbox/pyproject.toml": '[project]\nversion = "0.1.0" # as in galaxy.yml\n',
        "plugins/modules/ci_info.py": "",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("galaxy.yml", "version: 0.2", "galaxy.yml: '0.2' is not a version such as 0.2.0."),
        ("galaxy.yml", "version: v0.2.0", "galaxy.yml: 'v0.2.0' is not a version such as 0.2.0."),
        (
            "galaxy.yml",
            "version: 0.2.0",
            "These files contain another version than galaxy.yml, 0.2.0:\ndocs/site/start/requirements.yml: 0.1.0\n"
            "extensions/sandbox/pyproject.toml: 0.1.0",
        ),
        (
            "changelogs/changelog.yaml",
            "releases: {0.0.1: {fragments: [first.yml]}}",
            "changelogs/fragments is empty: describe the changes of 0.1.0.",
        ),
        (
            "changelogs/fragments/second.yml",
            "bugfixes: [something]",
            "0.1.0 is already released, without second.yml: set the next version in galaxy.yml.",
        ),
        (
            "plugins/modules/ci_new.py",
            "",
            "Missing from all releases: ci_info, ci_new. Set their version_added to 0.1.0.",
        ),
    ],
)
def test_release_fails_when_files_are_inconsistent(checkout: Path, name: str, text: str, complaint: str) -> None:
    (checkout / name).write_text(text)
    with pytest.raises(SystemExit) as error:
        release_notes.main()
    assert str(error.value) == complaint


def test_new_modules_have_the_next_version() -> None:
    next_version = yaml.safe_load((export.CHECKOUT / "galaxy.yml").read_text())["version"]
    releases = release_notes.read_releases(export.CHECKOUT)
    released = {
        (name, version) for version, release in releases.items() for name in release_notes.list_new_names(release)
    }
    new = {(name, read_version_added(path)) for name, path in release_notes.list_documented()}
    assert {(name, version) for name, version in new - released if version != next_version} == set()


def read_version_added(path: Path) -> str:
    """Return the `version_added` of a module, plugin or role."""
    match = re.search(r"^ *version_added: ['\"]?([\d.]+)", path.read_text(), re.MULTILINE)
    return match[1] if match else "none"
