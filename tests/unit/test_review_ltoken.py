# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from ansible_collections.buildworks.toolchain.plugins.lookup.review_ltoken import LookupModule

URL = "https://review.example.com:8443"
LINES = """review.example.com;8443;alice;aa11
review.example.com;8443;Last First (uid1);bb22
review.example.com;8080;alice;cc33
other.example.com;8443;alice;dd44
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Provide a home directory without a file, and an environment without settings."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("KLOCWORK_URL", "KLOCWORK_LTOKEN", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def write_file(folder: Path) -> Path:
    """Write the file below a directory."""
    file = folder / ".klocwork" / "ltoken"
    file.parent.mkdir(parents=True)
    file.write_text(LINES, encoding="utf-8")
    return file


def look_up(variables: dict[str, Any] | None = None, **options: Any) -> Any:
    """Return the result of the lookup."""
    variables = variables or {}
    templar = Templar(loader=DataLoader(), variables=variables)
    (answer,) = LookupModule(loader=DataLoader(), templar=templar).run([], variables, **options)
    return answer


@pytest.mark.parametrize(
    ("options", "token"),
    [
        ({"url": URL, "username": "alice"}, "aa11"),
        ({"url": URL, "username": "Last First (uid1)"}, "bb22"),
        ({"url": URL}, "aa11"),
        ({"url": "http://review.example.com:8080", "username": "alice"}, "cc33"),
        ({"url": "https://other.example.com:8443", "username": "alice"}, "dd44"),
    ],
)
def test_token_is_found_by_host_port_and_account(home: Path, options: dict[str, str], token: str) -> None:
    write_file(home)
    assert look_up(**options) == token


def test_form_contains_user_and_token(home: Path) -> None:
    write_file(home)
    assert look_up(url=URL, **{"as": "form"}) == {"user": "alice", "ltoken": "aa11"}


def test_ltoken_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_file(tmp_path / "elsewhere")
    assert look_up(url=URL, ltoken_file=str(file)) == "aa11"
    monkeypatch.setenv("KLOCWORK_LTOKEN", str(file))
    assert look_up(url=URL) == "aa11"
    monkeypatch.delenv("KLOCWORK_LTOKEN")
    user = {"toolchain_review_username": "Last First (uid1)", "toolchain_review_ltoken_file": str(file)}
    assert look_up({"toolchain_review_url": URL, **user}) == "bb22"


def test_byte_order_mark_is_accepted(home: Path) -> None:
    write_file(home).write_text(LINES, encoding="utf-8-sig")
    assert look_up(url=URL, username="alice") == "aa11"


def test_windows_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_file(tmp_path / "Roaming")
    monkeypatch.setenv("APPDATA", str(tmp_path / "Roaming"))
    assert look_up(url=URL) == "aa11"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"url": URL, "username": "carol"}, "has no line for 'carol' at https://review.example.com:8443"),
        ({"url": "https://nowhere.invalid:1"}, "has no line for https://nowhere.invalid:1"),
        ({"url": URL, "ltoken_file": "/none"}, "Option 'ltoken_file': cannot read '/none': No such file"),
        ({}, "Option 'url': is required"),
        ({"url": URL, "as": "json"}, "value of as must be one of: token, form"),
    ],
)
def test_lookup_fails_without_token(home: Path, options: dict[str, str], message: str) -> None:
    write_file(home)
    with pytest.raises(AnsibleError, match=message):
        look_up(**options)
