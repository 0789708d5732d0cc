# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sandbox responds with 501, never 404 or 405, to unsupported operations of the official OpenAI SDK."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterator
from typing import Any

import openai
import requests

CALL = re.compile(
    r"self\._(post|get|delete|get_api_list)\(\s*(?:path_template\()?\s*f?\"([^\"]+)\"(.*?)(?=\n    (?:async )?def |\Z)",
    re.DOTALL,
)


def operations() -> Iterator[tuple[str, str]]:
    """Yield method and path of each operation in the generated code of the SDK."""
    for path in (pathlib.Path(openai.__file__).parent / "resources").rglob("*.py"):
        for call in CALL.finditer(path.read_text(encoding="utf-8")):
            of_list = re.search(r'method="(\w+)"', call[3]) if call[1] == "get_api_list" else None
            method = (of_list[1] if of_list else call[1]).replace("get_api_list", "get").upper()
            yield method, re.sub(r"\{[^}]*\}", "x", call[2])


def test_all_operations_are_known(sandbox: Any) -> None:
    documented = set(operations())
    assert len(documented) > 300
    unknown = []
    with requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {sandbox.environment['OPENAI_ADMIN_KEY']}"
        for method, path in sorted(documented):
            answer = session.request(method, sandbox.environment["OPENAI_BASE_URL"] + path, timeout=60)
            if answer.status_code == 405 or "Invalid URL" in answer.text:
                unknown.append((method, path))
    assert unknown == []
