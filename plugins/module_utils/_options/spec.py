# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options and the rules between them, as one value that can be added to another."""

from __future__ import annotations

import dataclasses
import functools
import typing as t
from urllib.parse import unquote, urlsplit

from ansible.module_utils.common.validation import (
    check_mutually_exclusive,
    check_required_arguments,
    check_required_by,
    check_required_if,
    check_required_one_of,
    check_required_together,
    check_type_dict,
)

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import (
    check_limits,
    compile_patterns,
    without_limits,
)

_RULES = {
    "mutually_exclusive": check_mutually_exclusive,
    "required_together": check_required_together,
    "required_one_of": check_required_one_of,
    "required_if": check_required_if,
    "required_by": check_required_by,
}


@dataclasses.dataclass(frozen=True)
class Service:
    """The service that a module talks to, and the options that say how to reach it.

    :arg name: `artifact`, `ci`, `review` or `inference`
    :arg login: options that say where it is and who asks: its address and all that belongs to credentials
    :arg transport: options that say how to connect, the same for every service
    :arg credentials: each option that logs in, with those that it is used together with; of several, one is used
    :arg habits: options that say how it wants to be asked, wherever it is and whoever asks
    """

    name: str
    login: tuple[str, ...]
    transport: tuple[str, ...]
    credentials: dict[str, tuple[str, ...]]
    behavior: tuple[str, ...]

    def host_variable(self, option: str) -> str:
        """The name of the host variable that an option may come from."""
        return f"toolchain_{self.name}_{option}"


class NonFiniteNumber(str):
    """A text that stands for infinity or NaN, because JSON has neither. `ArgumentSpec.find_type_error` refuses it."""


class ArgumentSpec:
    """What a module takes: its options with their limits, and the rules between them.

    :arg options: name to option, in the form of `argument_spec`, with the limits that `_options/limits.py` describes
    :arg service: the service that some of the options reach
    :arg rules: `mutually_exclusive`, `required_together`, `required_one_of`, `required_if` and `required_by`, in
        Ansible's forms
    """

    def __init__(
        self,
        options: dict[str, dict[str, t.Any]],
        *,
        service: Service | None = None,
        **rules: t.Any,
    ) -> None:
        self.options = options
        self._service = service
        self.rules = {rule: rules.pop(rule, {} if rule == "required_by" else []) for rule in _RULES}
        if rules:
            raise TypeError(f"unknown rules: {', '.join(rules)}")

    def __add__(self, other: ArgumentSpec) -> ArgumentSpec:
        """Both sets of options, and the rules of both."""
        twice = self.options.keys() & other.options.keys()
        if twice:
            raise ValueError(f"options given twice: {', '.join(sorted(twice))}")
        rules = {rule: _both(self.rules[rule], other.rules[rule]) for rule in _RULES}
        return ArgumentSpec({**self.options, **other.options}, service=self._service or other._service, **rules)

    def to_keywords(self) -> dict[str, t.Any]:
        """Keyword arguments for `AnsibleModule` and for `ArgumentSpecValidator`, neither of which knows limits."""
        return {"argument_spec": self._plain_options, **self.rules}

    def precompile(self) -> None:
        """Have ready what each use needs: a process does it before it forks workers, which would each do it anew."""
        self.to_keywords()
        compile_patterns(self.options)

    def check(self, parameters: dict[str, t.Any]) -> None:
        """
        :arg parameters: validated ones
        :raises BadOption: when one of them is beyond the limits of its option
        :raises ToolchainError: when one that is needed is null, which Ansible takes for a value
        """
        check_limits(self.options, parameters)
        self.check_rules(parameters)

    def check_rules(self, parameters: dict[str, t.Any]) -> None:
        """
        :arg parameters: validated ones, put together from several places
        :raises ToolchainError: in Ansible's words, when one is missing or two contradict each other
        """
        try:
            _check_rules(self._plain_options, self.rules, parameters)
        except TypeError as error:
            raise ToolchainError(str(error)) from None

    def find_type_error(self, parameters: dict[str, t.Any]) -> str | None:
        """What is wrong with parameters of which one has a form that its option cannot have.

        Where a dictionary belongs, Ansible's own validation names no option then, or breaks off; where a text belongs,
        it makes one that nobody meant, such as `['a', 'b']`, `True` or, depending on its version, `None`.
        """
        return next(_misshapen(self.options, parameters), None)

    @functools.cached_property
    def _plain_options(self) -> dict[str, dict[str, t.Any]]:
        return without_limits(self.options)

    @property
    def service(self) -> Service:
        """The service that some of the options reach."""
        if self._service is None:
            raise TypeError("these options reach no service")
        return self._service

    def environment_variable(self, option: str) -> str:
        """The environment variable that an option comes from when it is not given; empty for none."""
        _read, names = self.options[option].get("fallback") or (None, [""])
        return names[0]

    def secrets(self, parameters: dict[str, t.Any]) -> set[str]:
        """The values in `parameters`, valid or not, that must never be shown."""
        return set(_secrets(self.options, parameters))


def _both(rules: t.Any, others: t.Any) -> t.Any:
    return {**rules, **others} if isinstance(rules, dict) else [*rules, *others]


def _check_rules(
    options: dict[str, dict[str, t.Any]],
    rules: dict[str, t.Any],
    parameters: dict[str, t.Any],
    inside: tuple[str, ...] = (),
) -> None:
    given = {name: value for name, value in parameters.items() if value is not None}
    check_required_arguments(options, given, inside)
    for rule, check in _RULES.items():
        check(rules.get(rule), given, inside)
    for name, value in given.items():
        option = options.get(name, {})
        if option.get("options"):
            for entry in value if isinstance(value, list) else [value]:
                _check_rules(option["options"], option, entry, (*inside, name))


_TEXTS = ("str", "path")
_NO_TEXTS: dict[type, str] = {
    list: "a list",
    dict: "a dictionary",
    bool: "a boolean",
    type(None): "null",
    float: "a number with a fraction. Put it in quotes, because YAML reads 1.10 as 1.1",
}


def _misshapen(options: dict[str, dict[str, t.Any]], parameters: dict[str, t.Any], inside: str = "") -> t.Iterator[str]:
    for name, option in options.items():
        value, path = parameters.get(name), f"{inside}{name}"
        if value is None:
            if name in parameters and option.get("required"):
                yield str(BadOption(path, "is required"))
            elif name in parameters and option.get("narrows_scope"):
                yield str(BadOption(path, "must not be null. Set a value or omit the option"))
        elif option.get("options"):
            several = option["type"] == "list" and isinstance(value, list)
            entries = list(map(_as_dictionary, value if several else [value]))
            if None in entries:
                yield str(BadOption(path, f"takes a {'list of dictionaries' if several else 'dictionary'}"))
                return
            for number, entry in enumerate(entries):
                yield from _misshapen(option["options"], entry or {}, f"{path}[{number}]." if several else f"{path}.")
        elif option.get("elements") in _TEXTS:
            for number, entry in enumerate(value if isinstance(value, list) else [value]):
                yield from _no_text(f"{path}[{number}]", entry)
        elif option["type"] in _TEXTS:
            yield from _no_text(path, value)
        else:
            refused = (float, NonFiniteNumber) if option.get("text_values") else NonFiniteNumber
            for place, leaf in _leaves(path, _as_dictionary(value) if option["type"] == "dict" else value):
                if isinstance(leaf, refused):
                    yield from _no_text(place, leaf)


def _no_text(path: str, value: t.Any) -> t.Iterator[str]:
    if isinstance(value, NonFiniteNumber):
        yield str(BadOption(path, "takes neither .inf nor .nan. Put it in quotes if it is a text"))
    elif type(value) in _NO_TEXTS:  # null in a list: elsewhere it stands for nothing given
        yield str(BadOption(path, f"takes a text, not {_NO_TEXTS[type(value)]}"))


def _leaves(path: str, value: t.Any) -> t.Iterator[tuple[str, t.Any]]:
    """Yield the values inside dictionaries and lists, each with its path."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(f"{path}.{key}", item)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _leaves(f"{path}[{number}]", item)
    else:
        yield path, value


def _as_dictionary(value: t.Any) -> dict[str, t.Any] | None:
    """Return the dictionary that Ansible reads, also from a text, or `None` for what it refuses."""
    try:
        return check_type_dict(value)
    except TypeError:
        return None


def _secrets(options: dict[str, dict[str, t.Any]], parameters: dict[str, t.Any]) -> t.Iterator[str]:
    for name, option in options.items():
        value = parameters.get(name)
        if value in (None, ""):
            continue
        if option.get("no_log"):
            yield from _texts(value)
        elif option.get("address"):
            yield from _passwords(str(value))
        elif option.get("options"):
            for entry in value if isinstance(value, list) else [value]:
                if isinstance(entry, dict):
                    yield from _secrets(option["options"], entry)


def _passwords(address: str) -> t.Iterator[str]:
    """Yield the password in an address, or what else is in its place, as it stands there and decoded."""
    if "@" not in address:
        return
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018  reading it raises for a password with a slash
        userinfo, at, _host = parts.netloc.rpartition("@")
    except ValueError:
        userinfo, at, _host = address.partition("//")[2].rpartition("@")
    if at:
        user, _colon, password = userinfo.partition(":")
        yield from filter(None, {password or user, unquote(password or user)})


def _texts(value: t.Any) -> t.Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif value not in (None, "", True, False):
        yield str(value)
