# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The parameters that a job declares, and those of a build.

The server ignores a name that it does not know, and says nothing of a value that it does not take. So both are checked
before anything is sent.
"""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

# What to ask a job for
TREE = "property[parameterDefinitions[choices,defaultParameterValue[value],name,type]]"

Given = t.Mapping[str, t.Any]
# Name to the values that a build may have; `None` for a secret or a file, whose values the server does not return
Stored = t.Mapping[str, t.Optional[set[str]]]
# What Java's `String.trim` removes
_TRIMMED = "".join(map(chr, range(33)))


class Declared(t.NamedTuple):
    """A parameter that a job declares.

    :ivar kind: `String`, `Choice`, `Boolean`, ..., `File`
    :ivar choices: the values that it takes; none when it takes any
    :ivar has_default: whether a build needs no value for it
    :ivar default: that value, which of a secret is not told
    """

    name: str
    kind: str
    choices: list[str]
    has_default: bool
    default: str | None

    @property
    def is_file(self) -> bool:
        return self.kind.endswith("File")


def declared(job: Record) -> dict[str, Declared]:
    """The parameters of a job by name, in its order."""
    definitions = [one for kept in job.maybe_records("property") for one in kept.maybe_records("parameterDefinitions")]
    return {one.name: one for one in map(_declared, definitions)}


def _declared(definition: Record) -> Declared:
    kind = (definition.maybe_text("type") or "").removesuffix("ParameterDefinition")
    default = definition.maybe_record("defaultParameterValue")
    value = None if default is None else default.get("value")
    return Declared(
        definition.text("name"),
        kind,
        definition.maybe_texts("choices") if kind == "Choice" else [],
        default is not None,
        None if value is None else as_text(value),
    )


def texts(given: Given, option: str) -> dict[str, str]:
    """Values as the server takes them, which is as texts; of a list it takes the elements, with commas between them.

    :arg option: the option that they come from
    :raises BadOption: for what is no such value
    """
    return {name: _text(value, f"{option}.{name}") for name, value in given.items()}


def _text(value: t.Any, path: str) -> str:
    if isinstance(value, list):
        elements = [_text(element, f"{path}[{number}]") for number, element in enumerate(value)]
        if any("," in element for element in elements):
            raise BadOption(path, "becomes a text with commas between the elements, so none of them can have one")
        return ",".join(elements)
    if value is None or isinstance(value, dict):
        raise BadOption(path, f"takes a text, a number, true, false or a list of these, not {_kind(value)}")
    if isinstance(value, str) and "\0" in value:
        raise BadOption(path, "takes a text without NUL, which no build can have")
    return as_text(value)


def _kind(value: t.Any) -> str:
    return "null" if value is None else "a dictionary"


def as_text(value: t.Any) -> str:
    """A value as the server writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def check_files(known: t.Mapping[str, Declared], names: t.Iterable[str], job: str) -> None:
    """
    :arg names: of the files that are given
    :raises BadOption: when the job takes no such files
    """
    for name in names:
        _check_known(known, name, "files", job)
        if not known[name].is_file:
            raise BadOption("files", f"'{name}' of '{job}' takes no file: give it in 'parameters'")


def checked(known: t.Mapping[str, Declared], given: t.Mapping[str, str], option: str, job: str) -> dict[str, str]:
    """The values that are given, as the job takes them.

    :arg option: the option that they come from
    :raises BadOption: for a name that the job does not declare, or a value that it does not take
    """
    for name in given:
        _check_known(known, name, option, job)
    return {name: _value(known[name], text, option) for name, text in given.items()}


def _check_known(known: t.Mapping[str, Declared], name: str, option: str, job: str) -> None:
    if name not in known:
        takes = f"takes {', '.join(map(repr, known))}" if known else "takes no parameters"
        raise BadOption(option, f"'{job}' has no parameter '{name}', it {takes}")


def _value(one: Declared, text: str, option: str) -> str:
    if one.is_file:
        raise BadOption(option, f"'{one.name}' takes a file: give its path in 'files'")
    if one.choices and text not in one.choices:
        raise BadOption(option, f"'{one.name}' takes one of {', '.join(map(repr, one.choices))}, not {text!r}")
    if one.kind == "Boolean":
        if text.lower() not in ("true", "false"):
            raise BadOption(option, f"'{one.name}' takes true or false, not {text!r}")
        return text.lower()
    return text


def check_complete(known: t.Mapping[str, Declared], given: t.Container[str], job: str) -> None:
    """
    :arg given: the names of those that are given
    :raises BadOption: when one is missing that has no default
    """
    missing = [one for one in known.values() if not one.has_default and one.name not in given]
    if missing:
        option = "files" if missing[0].is_file else "parameters"
        names = ", ".join(repr(one.name) for one in missing)
        raise BadOption(option, f"'{job}' needs a value for {names}, for which it has no default")


def predict_stored(known: t.Mapping[str, Declared], values: t.Mapping[str, str | None]) -> Stored:
    """Return the values that a build with these values may have.

    A text parameter may have the attribute `trim`, which the API does not show: then the server strips its values.
    """
    return {name: None if text is None else {text, *_trim(known[name], text)} for name, text in values.items()}


def _trim(one: Declared, text: str) -> tuple[str, ...]:
    return (text.strip(_TRIMMED),) if one.kind in ("String", "Text") else ()


def same(wanted: Stored, build: Given) -> bool:
    """Whether a build has these parameters, see `predict_stored`."""
    return all(
        name in build and (values is None or build[name] is None or as_text(build[name]) in values)
        for name, values in wanted.items()
    )
