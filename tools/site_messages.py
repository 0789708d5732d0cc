# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The messages of the plugins, roles and playbooks, as they have them, and what docs/site/messages.yml says of them.

In messages and in patterns `…` stands for text that is only known when the message is told.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from export import CHECKOUT

# What tells a message, and where it is among the arguments
_TELLERS = {
    "AnsibleError": 0,
    "BadOption": 1,
    "IncompleteResponse": 0,
    "OutcomeUnknown": 0,
    "ServerRefusal": 0,
    "ServerUnreachable": 0,
    "ToolchainError": 0,
    "UnexpectedResponse": 0,
    "WriteInCheckMode": 0,
    "warn": 0,
}
# The same for tasks
_FAILURES = {"ansible.builtin.assert": "fail_msg", "ansible.builtin.fail": "msg"}
_TASKS = ("playbooks/*.yml", "roles/*/tasks/**/*.yml", "roles/*/handlers/*.yml")
_TEMPLATE = re.compile(r"\{%.*%\}|\{\{.*?\}\}", re.DOTALL)
_NOTHING = ast.Module([], [])
_SEVERAL_WORDS = re.compile(r"[A-Za-z]{2}.* .*[A-Za-z]{2}")


@dataclass(frozen=True)
class Kind:
    """Messages that mean the same.

    :ivar means: what it is that they mean, and what to do, in reStructuredText
    :ivar patterns: one of them matches each of the messages
    """

    title: str
    means: str
    patterns: tuple[str, ...]

    def matching(self, message: str) -> list[str]:
        """Those of the patterns that match a message."""
        return [pattern for pattern in self.patterns if _matches(pattern, message)]


def kinds() -> list[Kind]:
    """What is said of messages, the special before the general."""
    entries = yaml.safe_load((CHECKOUT / "docs/site/messages.yml").read_text())
    return [Kind(entry["title"], entry["means"], tuple(entry["messages"])) for entry in entries]


@functools.cache
def told() -> list[str]:
    """Each message that a plugin tells, each advice that a service adds to an error of its server, and each message
    with which a task of a role or a playbook fails."""
    plugins = sorted((CHECKOUT / "plugins").rglob("*.py"))
    tasks = sorted(path for pattern in _TASKS for path in CHECKOUT.glob(pattern))
    found = [text for path in plugins for text in _told(ast.parse(path.read_text()))]
    found += [text for path in tasks for text in _failures(yaml.safe_load(path.read_text()))]
    return list(dict.fromkeys(filter(_SEVERAL_WORDS.search, found)))


def _matches(pattern: str, message: str) -> bool:
    return bool(re.fullmatch(".*".join(map(re.escape, pattern.split("…"))), message, re.DOTALL))


def _told(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        texts: list[str] = []
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            place = _TELLERS.get(name, len(node.args))
            texts = [text for argument in node.args[place : place + 1] for text in _texts(argument, tree)]
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "").endswith("_ADVICE"):
            values = node.value.values if isinstance(node.value, ast.Dict) else [node.value]
            texts = [text for value in values for text in _texts(value, tree)]
        yield from texts


def _failures(node: Any) -> Iterator[str]:
    """What tasks fail with, also those in blocks; an assertion without words of its own fails with Ansible's."""
    if isinstance(node, list):
        for each in node:
            yield from _failures(each)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key in _FAILURES:
                yield _TEMPLATE.sub("…", value.get(_FAILURES[key], "Assertion failed")).strip()
            else:
                yield from _failures(value)


def _texts(node: ast.expr, tree: ast.Module) -> list[str]:
    """What an expression for a text may become; a name stands for what is assigned to it somewhere in the file."""
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    if isinstance(node, ast.JoinedStr):
        text = "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        return [re.sub("…+", "…", text)]
    if isinstance(node, ast.IfExp):
        return _texts(node.body, tree) + _texts(node.orelse, tree)
    if isinstance(node, ast.Name):
        found = [
            text
            for other in ast.walk(tree)
            if isinstance(other, ast.Assign) and getattr(other.targets[0], "id", "") == node.id
            for text in _texts(other.value, _NOTHING)
        ]
        return found or ["…"]
    return ["…"]
