# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments and options of commands, and their usage texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ...parsing.integers import parse_integer
from .session import BadUsage


@dataclass(frozen=True)
class Option:
    """An option `-f`, or with `value` `-n N`. `pairs` are collected over several occurrences."""

    name: str
    about: str
    value: str = ""
    pairs: bool = False


@dataclass(frozen=True)
class Argument:
    """A positional argument. The last one can take all remaining words."""

    name: str
    about: str
    required: bool = False
    many: bool = False


@dataclass
class Arguments:
    """The arguments of a call."""

    words: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    pairs: dict[str, str] = field(default_factory=dict)

    def __contains__(self, option: str) -> bool:
        return option in self.values

    def word(self, number: int, default: str | None = None) -> str | None:
        """Return the word at a position."""
        return self.words[number] if number < len(self.words) else default

    def number(self, option: str, default: int) -> int:
        """Return the number of an option.

        :raises BadUsage: if it is not a number
        """
        text = self.values.get(option, str(default))
        try:
            return parse_integer(text)
        except ValueError:
            raise BadUsage(f'"{text}" is not a valid value for "{option}"') from None


@dataclass(frozen=True)
class Usage:
    """The arguments and options of a command."""

    arguments: tuple[Argument, ...] = ()
    options: tuple[Option, ...] = ()

    def parse(self, words: list[str]) -> Arguments:
        """Parse a command line.

        :raises BadUsage: if it does not fit
        """
        arguments = Arguments()
        rest = iter(words)
        for word in rest:
            if word.startswith("-") and word != "-":
                self._option(word, rest, arguments)
            else:
                arguments.words.append(word)
        most = float("inf") if self.arguments and self.arguments[-1].many else len(self.arguments)
        if len(arguments.words) > most:
            raise BadUsage(f"No argument is allowed: {arguments.words[len(self.arguments)]}")
        for argument in self.arguments[len(arguments.words) :]:
            if argument.required:
                raise BadUsage(f'Argument "{argument.name}" is required')
        return arguments

    def _option(self, word: str, rest: Iterator[str], arguments: Arguments) -> None:
        option = next((option for option in self.options if option.name == word), None)
        if option is None:
            raise BadUsage(f'"{word}" is not a valid option')
        value = next(rest, None) if option.value or option.pairs else ""
        if value is None:
            raise BadUsage(f'Option "{word}" takes an operand')
        if option.pairs:
            name, equals, text = value.partition("=")
            if not equals:
                raise BadUsage('An argument for setting a Map must contain a "="')
            arguments.pairs[name] = text
        else:
            arguments.values[word] = value

    def line(self) -> str:
        """Return arguments and options in one line, each with a leading blank."""
        elements = [a.name if a.required else f"[{a.name}{' ...' if a.many else ''}]" for a in self.arguments]
        elements += [f"[{option.name}{f' {option.value}' if option.value else ''}]" for option in self.options]
        return "".join(f" {word}" for word in elements)

    def details(self) -> str:
        """Return one line for each argument and option."""
        rows = [(a.name, a.about) for a in self.arguments]
        rows += [(f"{option.name} {option.value}".strip(), option.about) for option in self.options]
        width = max((len(name) for name, _unused in rows), default=0)
        return "".join(f" {name:{width}} : {about}\n" for name, about in rows)
