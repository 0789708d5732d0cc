# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find the messages of plugins, roles and playbooks, and read their explanations from docs/site/messages.yml.

In messages and patterns, `…` stands for a variable part.
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

# Functions and exceptions that take a message, with the position of the argument
_MESSAGE_ARGUMENTS = {
    "AnsibleError": 0,
    "BadOption": 1,
    "IncompleteResponse": 0,
    "OutcomeUnknown": 0,
    "ScriptFailure": 0,
    "ServerRefusal": 0,
    "ServerUnreachable": 0,
    "MissingName": 1,
    "MissingObject": 0,
    "ToolchainError": 0,
    "UnexpectedResponse": 0,
    "WriteInCheckMode": 0,
    "add_advice": 1,
    "warn": 0,
}
# Functions that return the main part of a message
_MESSAGE_FUNCTIONS = ("_describe_open_source", "find_lack")
# Task modules that take a message, with the name of the option
_MESSAGE_OPTIONS = {"ansible.builtin.assert": "fail_msg", "ansible.builtin.fail": "msg"}
_TASKS = ("playbooks/*.yml", "roles/*/tasks/**/*.yml", "roles/*/handlers/*.yml")
_TEMPLATE = re.compile(r"\{%.*%\}|\{\{.*?\}\}", re.DOTALL)
_EMPTY_MODULE = ast.Module([], [])
_SEVERAL_WORDS = re.compile(r"[A-Za-z]{2}.* .*[A-Za-z]{2}")


@dataclass(frozen=True)
class MessageGroup:
    """Messages with the same explanation.

    :ivar means: the explanation and the remedy, in reStructuredText
    :ivar patterns: patterns of the messages
    """

    title: str
    means: str
    patterns: tuple[str, ...]

    def find_patterns(self, message: str) -> list[str]:
        """Return the patterns that match a message."""
        return [pattern for pattern in self.patterns if _matches(pattern, message)]


def read_groups() -> list[MessageGroup]:
    """Read the groups of messages, specific groups before general ones."""
    entries = yaml.safe_load((CHECKOUT / "docs/site/messages.yml").read_text())
    return [MessageGroup(entry["title"], entry["means"], tuple(entry["messages"])) for entry in entries]


@functools.cache
def find_messages() -> list[str]:
    """Return the messages of all plugins, the advice that a service adds to server errors, and the failure messages of
    tasks in roles and playbooks."""
    plugins = sorted((CHECKOUT / "plugins").rglob("*.py"))
    tasks = sorted(path for pattern in _TASKS for path in CHECKOUT.glob(pattern))
    texts = [text for path in plugins for text in _find_in_code(ast.parse(path.read_text()))]
    texts += [text for path in tasks for text in _find_in_tasks(yaml.safe_load(path.read_text()))]
    return list(dict.fromkeys(filter(_SEVERAL_WORDS.search, texts)))


def _matches(pattern: str, message: str) -> bool:
    return bool(_compile(pattern).fullmatch(message))


@functools.cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(".*".join(map(re.escape, pattern.split("…"))), re.DOTALL)


def _find_in_code(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        texts: list[str] = []
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            position = _MESSAGE_ARGUMENTS.get(name, len(node.args))
            texts = [text for argument in node.args[position : position + 1] for text in _evaluate(argument, tree)]
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "").endswith("_ADVICE"):
            values = node.value.values if isinstance(node.value, ast.Dict) else [node.value]
            texts = [text for value in values for text in _evaluate(value, tree)]
        elif isinstance(node, ast.FunctionDef) and node.name in _MESSAGE_FUNCTIONS:
            values = [inner.value for inner in ast.walk(node) if isinstance(inner, ast.Return) and inner.value]
            texts = [text for value in values for text in _evaluate(value, tree)]
        yield from texts


def _find_in_tasks(node: Any) -> Iterator[str]:
    """Yield the failure messages of tasks, including tasks in blocks.

    An assertion without a message fails with the message of Ansible.
    """
    if isinstance(node, list):
        for each in node:
            yield from _find_in_tasks(each)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key in _MESSAGE_OPTIONS:
                yield _TEMPLATE.sub("…", value.get(_MESSAGE_OPTIONS[key], "Assertion failed")).strip()
            else:
                yield from _find_in_tasks(value)


def _evaluate(node: ast.expr, tree: ast.Module) -> list[str]:
    """Return the possible values of a string expression; resolve a name to its assignments in the file."""
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    if isinstance(node, ast.JoinedStr):
        text = "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        return [re.sub("…+", "…", text)]
    if isinstance(node, ast.IfExp):
        return _evaluate(node.body, tree) + _evaluate(node.orelse, tree)
    if isinstance(node, ast.Name):
        texts = [
            text
            for other in ast.walk(tree)
            if isinstance(other, ast.Assign) and getattr(other.targets[0], "id", "") == node.id
            for text in _evaluate(other.value, _EMPTY_MODULE)
        ]
        return texts or ["…"]
    return ["…"]
