# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What pages of the site include that follows from other files: playbooks, the variables that reach a
service, and messages."""

from __future__ import annotations

import fnmatch
import importlib
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml
from antsibull_docs_parser.parser import Context, parse
from antsibull_docs_parser.rst import rst_escape, to_rst

from export import CHECKOUT
from generate import SERVICES
from site_messages import kinds, told

sys.path.insert(0, str(CHECKOUT / "build/collections"))
_PLUGINS = "ansible_collections.buildworks.toolchain.plugins"
_ROLE = re.compile(r"(?:role|name): buildworks\.toolchain\.(.+)")
_TEMPLATE = re.compile(r"\{\{.*?\}\}")
_COMMENT = re.compile(r"^# ?(.*)\n", re.MULTILINE)


def tables() -> dict[str, str]:
    """Each file to include, by its path below docs/site."""
    playbooks = sorted((CHECKOUT / "playbooks").glob("*.yml"))
    return {
        "reference/playbooks.inc": "\n".join(map(playbook, playbooks)),
        "reference/variables.inc": "\n".join(map(login, SERVICES)),
        "reference/connection.inc": connection(),
        "troubleshooting/messages.inc": messages(),
    }


def playbook(path: Path) -> str:
    """What a playbook says of itself, and the variables of its roles."""
    text = path.read_text()
    comment = _COMMENT.findall(text.partition("\n---\n")[2].partition("\n- name")[0])
    commands = [line.strip() for line in comment if line.startswith("    ")]
    purpose = "\n".join(rst_escape(line) for line in comment if not line.startswith("    "))
    title = f"buildworks.toolchain.{path.stem}"
    return "\n".join(
        [
            f".. _playbook_{path.stem}:\n\n{title}\n{'-' * len(title)}\n\n{purpose}\n",
            ".. code-block:: console\n",
            *(f"    $ {command}" for command in commands),
            "",
            *map(_variables_of, _roles(text)),
        ]
    )


def _roles(text: str) -> list[str]:
    """The roles that a playbook runs; a name that is a template stands for all that it may become."""
    patterns = [_TEMPLATE.sub("*", name) for name in _ROLE.findall(text)]
    names = sorted(path.name for path in (CHECKOUT / "roles").iterdir())
    return [name for name in names if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]


def _variables_of(role: str) -> str:
    specs = yaml.safe_load((CHECKOUT / "roles" / role / "meta/argument_specs.yml").read_text())
    options = specs["argument_specs"]["main"]["options"]
    full_name = f"buildworks.toolchain.{role}"
    return f"Variables of :ansplugin:`{full_name}#role`:\n\n" + table(
        ("variable", "type", "default", "what it is"),
        (
            (f":ansopt:`{full_name}#role:main:{name}`", option["type"], _default(option), _first(option))
            for name, option in options.items()
        ),
    )


def login(service: str) -> str:
    """The variables that say where a service is and who asks."""
    spec = _spec(service)
    return f"{service}\n{'-' * len(service)}\n\n" + table(
        ("option", "variable of the host", "environment", "what it is"),
        (
            (
                _code(option),
                _code(spec.service.host_variable(option)),
                _code(spec.environment_variable(option)),
                _first(documented),
            )
            for option, documented in _documented(service).items()
        ),
    )


def connection() -> str:
    """The variables that say how to connect, whatever the service."""
    return table(
        ("option", "variable of the host", "default", "what it is"),
        (
            (_code(option), _code(f"toolchain_<service>_{option}"), _default(documented), _first(documented))
            for option, documented in _documented("connection").items()
        ),
    )


def messages() -> str:
    """What each kind means, with its messages."""
    left, sections = told(), []
    for kind in kinds():
        own = [message for message in left if kind.matching(message)]
        left = [message for message in left if message not in own]
        bullets = "\n".join(f"* {_as_text(message)}" for message in sorted(own))
        sections.append(f"{kind.title}\n{'-' * len(kind.title)}\n\n{kind.means}\n\n{bullets}\n")
    return "\n".join(sections)


def _as_text(message: str) -> str:
    """A message in one line, in which an address is no link."""
    return rst_escape(" ".join(message.split())).replace("://", r"\://")


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in reStructuredText."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in (head, *rows):
        for number, cell in enumerate(row):
            first, *more = cell.splitlines() or [""]
            lines.append(f"   {' ' if number else '*'} - {first}".rstrip())
            lines += [f"       {line}".rstrip() for line in more]
    return "\n".join([*lines, "", ""])


def _spec(service: str) -> Any:
    return getattr(importlib.import_module(f"{_PLUGINS}.module_utils._{service}.service"), service.upper())


def _documented(fragment: str) -> dict[str, dict[str, Any]]:
    module = importlib.import_module(f"{_PLUGINS}.doc_fragments.{fragment}")
    return yaml.safe_load(module.ModuleDocFragment.DOCUMENTATION)["options"]


def _code(text: str) -> str:
    return f"``{text}``" if text else ""


def _default(option: dict[str, Any]) -> str:
    if option.get("required"):
        return "required"
    default = option.get("default")
    return "" if default is None else _code(yaml.safe_dump(default, default_flow_style=True).partition("\n")[0])


def _first(option: dict[str, Any]) -> str:
    """The first paragraph of what is said of an option."""
    description = option["description"]
    return to_rst(parse(description if isinstance(description, str) else description[0], Context()))
