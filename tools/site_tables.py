# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Generate the parts of the site that follow from other files: playbooks, connection variables and messages."""

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
from generate import SERVICES, read_fragment
from site_messages import find_messages, read_groups
from site_numbers import list_numbers
from site_versions import list_versions

sys.path.insert(0, str(CHECKOUT / "build/collections"))
_PLUGINS = "ansible_collections.buildworks.toolchain.plugins"
_ROLE = re.compile(r"(?:role|name): buildworks\.toolchain\.(.+)")
_TEMPLATE = re.compile(r"\{\{.*?\}\}")
_COMMENT = re.compile(r"^# ?(.*)\n", re.MULTILINE)


def tables() -> dict[str, str]:
    """Return the generated files by their paths below docs/site."""
    playbooks = sorted((CHECKOUT / "playbooks").glob("*.yml"))
    return {
        "reference/playbooks.inc": "\n".join(map(describe_playbook, playbooks)),
        "reference/variables.inc": "\n".join(map(list_login_variables, SERVICES)),
        "reference/connection.inc": list_connection_variables(),
        "troubleshooting/messages.inc": list_messages(),
        "numbers.inc": list_numbers(),
        "versions.inc": list_versions(),
    }


def describe_playbook(path: Path) -> str:
    """Return the description of a playbook from its comment, with the variables of its roles."""
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
            *map(_list_role_variables, _find_roles(text)),
        ]
    )


def _find_roles(text: str) -> list[str]:
    """Return the roles that a playbook runs; a template in a name matches any text."""
    patterns = [_TEMPLATE.sub("*", name) for name in _ROLE.findall(text)]
    names = sorted(path.name for path in (CHECKOUT / "roles").iterdir())
    return [name for name in names if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]


def _list_role_variables(role: str) -> str:
    specs = yaml.safe_load((CHECKOUT / "roles" / role / "meta/argument_specs.yml").read_text())
    options = specs["argument_specs"]["main"]["options"]
    full_name = f"buildworks.toolchain.{role}"
    return f"Variables of :ansplugin:`{full_name}#role`:\n\n" + format_table(
        ("variable", "type", "default", "description"),
        (
            (
                f":ansopt:`{full_name}#role:main:{name}`",
                option["type"],
                _format_default(option),
                _first_paragraph(option),
            )
            for name, option in options.items()
        ),
    )


def list_login_variables(service: str) -> str:
    """Return the table of the address and credential variables of a service."""
    spec = _load_spec(service)
    return f"{service}\n{'-' * len(service)}\n\n" + format_table(
        ("option", "variable of the host", "environment", "description"),
        (
            (
                _format_code(option),
                _format_code(spec.service.host_variable(option)),
                _format_code(spec.environment_variable(option)),
                _first_paragraph(documented),
            )
            for option, documented in read_fragment(service)["options"].items()
        ),
    )


def list_connection_variables() -> str:
    """Return the table of the connection variables that all services have."""
    return format_table(
        ("option", "variable of the host", "default", "description"),
        (
            (
                _format_code(option),
                _format_code(f"toolchain_<service>_{option}"),
                _format_default(documented),
                _first_paragraph(documented),
            )
            for option, documented in read_fragment("connection")["options"].items()
        ),
    )


def list_messages() -> str:
    """Return a section for each group of messages."""
    remaining, sections = find_messages(), []
    for group in read_groups():
        matching = [message for message in remaining if group.find_patterns(message)]
        remaining = [message for message in remaining if message not in matching]
        bullets = "\n".join(f"* {_to_line(message)}" for message in sorted(matching))
        sections.append(f"{group.title}\n{'-' * len(group.title)}\n\n{group.means}\n\n{bullets}\n")
    return "\n".join(sections)


def _to_line(message: str) -> str:
    """Return a message as one line, without turning addresses into links."""
    return rst_escape(" ".join(message.split())).replace("://", r"\://")


def format_table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Format a table as reStructuredText."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in (head, *rows):
        for number, cell in enumerate(row):
            first, *more = cell.splitlines() or [""]
            lines.append(f"   {' ' if number else '*'} - {first}".rstrip())
            lines += [f"       {line}".rstrip() for line in more]
    return "\n".join([*lines, "", ""])


def _load_spec(service: str) -> Any:
    return getattr(importlib.import_module(f"{_PLUGINS}.module_utils._{service}.service"), service.upper())


def _format_code(text: str) -> str:
    return f"``{text}``" if text else ""


def _format_default(option: dict[str, Any]) -> str:
    if option.get("required"):
        return "required"
    default = option.get("default")
    return "" if default is None else _format_code(yaml.safe_dump(default, default_flow_style=True).partition("\n")[0])


def _first_paragraph(option: dict[str, Any]) -> str:
    """Return the first paragraph of the description of an option."""
    description = option["description"]
    return to_rst(parse(description if isinstance(description, str) else description[0], Context()))
