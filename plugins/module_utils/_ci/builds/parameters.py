# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Parameters of jobs and builds.

Jenkins ignores unknown parameters and does not report invalid values. Therefore, both are validated before a request.
"""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

# The members of a job that `read_definitions` needs
TREE = "property[parameterDefinitions[choices,defaultParameterValue[value],name,type]]"

Values = t.Mapping[str, t.Any]
# The values that a build may have, by name; `None` for passwords and files, whose values Jenkins does not return
StoredValues = t.Mapping[str, t.Optional[set[str]]]
# The characters that Java's `String.trim` removes
_TRIMMED = "".join(map(chr, range(33)))


class ParameterDefinition(t.NamedTuple):
    """A parameter of a job.

    :ivar kind: `String`, `Choice`, `Boolean`, ..., `File`
    :ivar choices: the allowed values; empty if any value is allowed
    :ivar has_default: whether a build does not need a value for it
    :ivar default: the default value; `None` for passwords
    """

    name: str
    kind: str
    choices: list[str]
    has_default: bool
    default: str | None

    @property
    def is_file(self) -> bool:
        """Whether it is a file parameter."""
        return self.kind.endswith("File")


Definitions = t.Mapping[str, ParameterDefinition]


def read_definitions(job: Record) -> dict[str, ParameterDefinition]:
    """Return the parameters of a job by name, in the order of the job."""
    properties = job.maybe_records("property")
    records = [record for prop in properties for record in prop.maybe_records("parameterDefinitions")]
    return {definition.name: definition for definition in map(_read_definition, records)}


def _read_definition(record: Record) -> ParameterDefinition:
    kind = (record.maybe_text("type") or "").removesuffix("ParameterDefinition")
    default = record.maybe_record("defaultParameterValue")
    value = None if default is None else default.get("value")
    return ParameterDefinition(
        record.text("name"),
        kind,
        record.maybe_texts("choices") if kind == "Choice" else [],
        default is not None,
        None if value is None else to_string(value),
    )


def to_strings(values: Values, option: str) -> dict[str, str]:
    """Convert parameter values to strings; join the elements of lists with commas.

    :arg option: the option that the values come from
    :raises BadOption: if a value has the wrong type
    """
    return {name: _to_checked_string(value, f"{option}.{name}") for name, value in values.items()}


def _to_checked_string(value: t.Any, path: str) -> str:
    if isinstance(value, list):
        elements = [_to_checked_string(element, f"{path}[{number}]") for number, element in enumerate(value)]
        if any("," in element for element in elements):
            raise BadOption(path, "must not have elements with commas, because Jenkins gets them joined with commas")
        return ",".join(elements)
    if value is None or isinstance(value, dict):
        raise BadOption(path, f"must be a string, a number, true, false or a list of these, not {_describe(value)}")
    if isinstance(value, str) and "\0" in value:
        raise BadOption(path, "must not contain NUL characters")
    return to_string(value)


def _describe(value: t.Any) -> str:
    return "null" if value is None else "a dictionary"


def to_string(value: t.Any) -> str:
    """Return a value in the form that Jenkins uses."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def check_files(definitions: Definitions, names: t.Iterable[str], job: str) -> None:
    """Check that these parameters are file parameters of the job.

    :raises BadOption: if one is not
    """
    for name in names:
        _check_name(definitions, name, "files", job)
        if not definitions[name].is_file:
            raise BadOption("files", f"'{name}' is not a file parameter of '{job}'. Set it in 'parameters'")


def validate_values(definitions: Definitions, values: t.Mapping[str, str], option: str, job: str) -> dict[str, str]:
    """Return the values in the form that the job expects.

    :arg option: the option that the values come from
    :raises BadOption: if the job does not have a parameter or does not allow its value
    """
    for name in values:
        _check_name(definitions, name, option, job)
    return {name: _validate_value(definitions[name], text, option) for name, text in values.items()}


def _check_name(definitions: Definitions, name: str, option: str, job: str) -> None:
    if name not in definitions:
        hint = f"Its parameters are {', '.join(map(repr, definitions))}" if definitions else "It has no parameters"
        raise BadOption(option, f"'{job}' has no parameter '{name}'. {hint}")


def _validate_value(definition: ParameterDefinition, text: str, option: str) -> str:
    if definition.is_file:
        raise BadOption(option, f"'{definition.name}' is a file parameter. Set its path in 'files'")
    if definition.choices and text not in definition.choices:
        choices = ", ".join(map(repr, definition.choices))
        raise BadOption(option, f"'{definition.name}' must be one of {choices}, not {text!r}")
    if definition.kind == "Boolean":
        if text.lower() not in ("true", "false"):
            raise BadOption(option, f"'{definition.name}' must be true or false, not {text!r}")
        return text.lower()
    return text


def check_required(definitions: Definitions, names: t.Container[str], job: str) -> None:
    """Check that each parameter without a default has a value.

    :arg names: names of the parameters that have a value
    :raises BadOption: if one is missing
    """
    missing = [
        definition for definition in definitions.values() if not definition.has_default and definition.name not in names
    ]
    if missing:
        option = "files" if missing[0].is_file else "parameters"
        missing_names = ", ".join(repr(definition.name) for definition in missing)
        raise BadOption(option, f"must have a value for {missing_names}, because '{job}' has no default for it")


def predict_stored(definitions: Definitions, values: t.Mapping[str, str | None]) -> StoredValues:
    """Return the values that a build may have if it is requested with these values.

    A text parameter may have the attribute `trim`, which the API does not show. Jenkins then strips its values.
    """
    return {name: None if text is None else {text, *_trim(definitions[name], text)} for name, text in values.items()}


def _trim(definition: ParameterDefinition, text: str) -> tuple[str, ...]:
    return (text.strip(_TRIMMED),) if definition.kind in ("String", "Text") else ()


def matches(stored: StoredValues, parameters: Values) -> bool:
    """Return whether the parameters of a build can result from these values. See `predict_stored`."""
    return all(
        name in parameters and (values is None or parameters[name] is None or to_string(parameters[name]) in values)
        for name, values in stored.items()
    )
