# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of Jenkins objects arrive unharmed, or are refused before the first request.

A name that is accepted can be created, read, and deleted, and leaves other objects manageable.
"""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest

from sandbox.client import Sandbox
from support import running
from support.playbook import run_here

_CHARACTERS = [
    *(chr(code) for code in range(0x100) if not chr(code).isalnum()),
    *(
        "\u0142",
        "\u1e9e",
        "\u2028",
        "\u202e",
        "\u200b",
        "\ufeff",
        "\ufffe",
        "\uffff",
        "\u4e2d",
        "e\u0301",
        "\U0001f600",
    ),
    *("e\u0301", "\U0001f600", "\U0010ff1b", "\ud800"),
]
_EDGES = ("a{}", "{}a")
_WORDS = [
    *("", ".", "..", "...", "a.", "a..", ".a", "_", "__", "-", "null", "true", "1", "1.10", "api", "config.xml", "job"),
    *("view", "all", "All", "master", "(master)", "built-in", "(built-in)", "new", "a%2Fb", "&amp;", "a  b", "${HOME}"),
    *("\u00e9" * 128, "x" * 255, "x" * 256),
]
_EDGE_CHARACTERS = ("\n", "\x7f", "\x85", " ", "\xa0", ".", "\u2028", '"', "\\", "/", "~", "\u200b", "\ufeff")
NAMES = list(
    dict.fromkeys(
        [f"a{char}b" for char in _CHARACTERS]
        + [form.format(char) for char in _EDGE_CHARACTERS for form in _EDGES]
        + _WORDS
    )
)
_SECRET = {"type": "secret_text", "secret": "s3cret-0f-names"}
# By module: the option with the name, and others that create an object
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "ci_job": ("name", {"type": "freestyle"}),
    "ci_folder": ("name", {}),
    "ci_view": ("name", {}),
    "ci_node": ("name", {"remote_root": "/srv/jenkins"}),
    "ci_credential": ("id", _SECRET),
    "ci_credential_domain": ("name", {}),
    "ci_lockable_resource": ("name", {}),
}
# Jenkins has objects with these names, or does not distinguish them from the plain object
_EXISTING = {"ci_node": {"built-in"}, "ci_view": {"all", "All"}}
PLAIN = "plain-object"
BATCH = 30
# Not the port of a client, unlike free ports
UNREACHABLE = "http://127.0.0.1:1"
# State, and whether it is a change
STEPS = (("present", True), ("present", False), ("absent", True))


def identify(name: str) -> str:
    """Return what names have in common that Jenkins does not distinguish."""
    return unicodedata.normalize("NFC", name).lower()


def find_refusal(module: str, name: str) -> str | None:
    """Return the message with which a name is refused before the first request, or `None`."""
    option, others = KINDS[module]
    settings = {"url": UNREACHABLE, "username": "admin", "api_token": "11aa", "retries": 0}
    result = running.run(module, **settings, **others, **{option: name})
    assert result["failed"]
    message: str = result["msg"]
    return message if message.startswith(f"Option '{option}'") else None


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize("module", KINDS)
def test_each_name_arrives_unharmed_or_is_refused_before_the_first_request(module: str, sandbox: Sandbox) -> None:
    option = KINDS[module][0]
    refusals = {name: find_refusal(module, name) for name in NAMES}
    accepted: dict[str, str] = {}
    for name in NAMES:
        is_path = "/" in name and module in ("ci_job", "ci_folder")
        if refusals[name] is None and not is_path and name not in _EXISTING.get(module, ()):
            accepted.setdefault(identify(name), name)
    names = list(accepted.values())
    assert len(names) > 50
    for start in range(0, len(names), BATCH):
        check_steps(sandbox, module, [{option: name} for name in [*names[start : start + BATCH], PLAIN]])


def check_steps(sandbox: Sandbox, module: str, items: list[dict[str, str]]) -> None:
    """Create and delete objects."""
    option, others = KINDS[module]
    for state, changed in STEPS:
        settings = {} if state == "absent" else others
        done = run_here(sandbox, module, items=items, state=state, result_limit=500, **settings)
        assert done.result.get("msg") is None
        counts = {name: count for name, count in done.result["counts"].items() if count}
        expected = "changed" if changed else "ok"
        others_of = [outcome["item"][option] for outcome in done.result["outcomes"] if outcome["status"] != expected]
        assert (others_of, counts) == ([], {expected: len(items)})
