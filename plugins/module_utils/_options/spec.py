# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Argument specs: options with limits and rules, which can be added."""

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
    EXTENSIONS,
    check_limits,
    compile_patterns,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import (
    Group,
    Option,
    Options,
    convert_options,
    walk,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._secret_patterns import is_password

_RULES = {
    "mutually_exclusive": check_mutually_exclusive,
    "required_together": check_required_together,
    "required_one_of": check_required_one_of,
    "required_if": check_required_if,
    "required_by": check_required_by,
}


@dataclasses.dataclass(frozen=True)
class Service:
    """A service, and the options that configure the connection to it.

    :arg name: `artifact`, `ci`, `review` or `inference`
    :arg login: options for URL and credentials
    :arg transport: options for timeouts, TLS and proxies, the same for all services
    :arg credentials: options with a credential, each with the options that it is used together with
    :arg behavior: further options of the service, which do not depend on URL and credential
    """

    name: str
    login: tuple[str, ...]
    transport: tuple[str, ...]
    credentials: dict[str, tuple[str, ...]]
    behavior: tuple[str, ...]

    def host_variable(self, option: str) -> str:
        """Return the name of the host variable for an option."""
        return f"toolchain_{self.name}_{option}"


class NonFiniteNumber(str):
    """A string in place of infinity or NaN, which JSON cannot express. `ArgumentSpec.find_type_error` rejects it."""


class ArgumentSpec:
    """The options of a module with their limits, and the rules between them.

    :arg options: options by name, in the format of `argument_spec`, with the limits that `limits.py` describes
    :arg service: the service whose connection options are included
    :arg rules: `mutually_exclusive`, `required_together`, `required_one_of`, `required_if` and `required_by`, in
        Ansible's formats
    """

    def __init__(
        self,
        options: Options,
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
        """Return a spec with the options and rules of both."""
        twice = self.options.keys() & other.options.keys()
        if twice:
            raise ValueError(f"options given twice: {', '.join(sorted(twice))}")
        rules = {rule: _merge_rules(self.rules[rule], other.rules[rule]) for rule in _RULES}
        return ArgumentSpec({**self.options, **other.options}, service=self._service or other._service, **rules)

    def to_keywords(self) -> dict[str, t.Any]:
        """Return the keyword arguments for `AnsibleModule` and `ArgumentSpecValidator`, which do not know limits."""
        return {"argument_spec": self._plain_options, **self.rules}

    def precompile(self) -> None:
        """Fill caches before worker processes are forked."""
        self.to_keywords()
        convert_options(self.options, compile_patterns)

    def check(self, parameters: dict[str, t.Any]) -> None:
        """Check limits and rules.

        :arg parameters: validated parameters
        :raises BadOption: if a value violates the limits of its option
        :raises ToolchainError: if a required value is null, which Ansible accepts
        """
        check_limits(self.options, parameters)
        self.check_rules(parameters)

    def check_rules(self, parameters: dict[str, t.Any]) -> None:
        """Check the rules between options.

        :arg parameters: validated parameters, which may be merged from several sources
        :raises ToolchainError: if they violate a rule, with Ansible's message
        """
        try:
            for group in walk({"options": self._plain_options, **self.rules}, parameters):
                _check_rules(group)
        except TypeError as error:
            raise ToolchainError(str(error)) from None

    def find_type_error(self, parameters: dict[str, t.Any]) -> str | None:
        """Return the error for the first parameter that Ansible's validation would convert or report badly, or `None`.

        For dictionaries Ansible's own message names no option. For strings Ansible converts other values, for example
        into `['a', 'b']`, `True` or, depending on its version, `None`.
        """
        groups = walk({"options": self.options}, parameters, _parse_dictionary)
        return next((problem for group in groups for problem in _find_type_errors(group)), None)

    @functools.cached_property
    def _plain_options(self) -> Options:
        return convert_options(self.options, _drop_extensions)

    @property
    def service(self) -> Service:
        """The service whose connection options are included."""
        if self._service is None:
            raise TypeError("this spec has no service")
        return self._service

    def environment_variable(self, option: str) -> str:
        """Return the environment variable for an option, or an empty string."""
        _read, names = self.options[option].get("fallback") or (None, [""])
        return names[0]

    def secrets(self, parameters: dict[str, t.Any]) -> set[str]:
        """Return the secret values in parameters, which need not be valid."""
        return {secret for group in walk({"options": self.options}, parameters) for secret in _find_secrets(group)}


def _merge_rules(rules: t.Any, others: t.Any) -> t.Any:
    return {**rules, **others} if isinstance(rules, dict) else [*rules, *others]


def _drop_extensions(option: Option) -> Option:
    """Return an option without the keys that Ansible does not know."""
    return {key: value for key, value in option.items() if key not in EXTENSIONS}


def _check_rules(group: Group) -> None:
    values = {name: value for name, value in group.values.items() if value is not None}
    check_required_arguments(group.options, values, group.names)
    for rule, check in _RULES.items():
        check(group.parent.get(rule), values, group.names)


_TEXT_TYPES = ("str", "path")
_OTHER_TYPES: dict[type, str] = {
    list: "a list",
    dict: "a dictionary",
    bool: "a boolean",
    type(None): "null",
    float: "a number with a fraction. Put it in quotes, because YAML reads 1.10 as 1.1",
}


def _find_type_errors(group: Group) -> t.Iterator[str]:
    for name, option in group.options.items():
        path = f"{group.prefix}{name}"
        if (value := group.values.get(name)) is not None:
            yield from _find_value_errors(path, option, value)
        elif name in group.values and option.get("required"):
            yield str(BadOption(path, "is required"))
        elif name in group.values and option.get("narrows_scope"):
            yield str(BadOption(path, "must not be null. Set a value or omit the option"))


def _find_value_errors(path: str, option: Option, value: t.Any) -> t.Iterator[str]:
    if option.get("options"):
        is_list = option["type"] == "list" and isinstance(value, list)
        if None in map(_parse_dictionary, value if is_list else [value]):
            yield str(BadOption(path, f"must be a {'list of dictionaries' if is_list else 'dictionary'}"))
    elif option.get("elements") in _TEXT_TYPES:
        for number, entry in enumerate(value if isinstance(value, list) else [value]):
            yield from _find_text_error(f"{path}[{number}]", entry)
    elif option["type"] in _TEXT_TYPES:
        yield from _find_text_error(path, value)
    else:
        rejected = (float, NonFiniteNumber) if option.get("text_values") else NonFiniteNumber
        for leaf_path, leaf in _list_leaves(path, _parse_dictionary(value) if option["type"] == "dict" else value):
            if isinstance(leaf, rejected):
                yield from _find_text_error(leaf_path, leaf)


def _find_text_error(path: str, value: t.Any) -> t.Iterator[str]:
    if isinstance(value, NonFiniteNumber):
        yield str(BadOption(path, "must not be .inf or .nan. Put it in quotes if it is a string"))
    elif type(value) in _OTHER_TYPES:
        yield str(BadOption(path, f"must be a string, not {_OTHER_TYPES[type(value)]}"))


def _list_leaves(path: str, value: t.Any) -> t.Iterator[tuple[str, t.Any]]:
    """Yield the values inside dictionaries and lists with their paths."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _list_leaves(f"{path}.{key}", item)
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _list_leaves(f"{path}[{number}]", item)
    else:
        yield path, value


def _parse_dictionary(value: t.Any) -> dict[str, t.Any] | None:
    """Return the dictionary that Ansible reads from a value, which may be a string, or `None` if it is invalid."""
    try:
        return check_type_dict(value)
    except TypeError:
        return None


def _find_secrets(group: Group) -> t.Iterator[str]:
    for name, option in group.options.items():
        value = group.values.get(name)
        if value in (None, ""):
            continue
        if option.get("no_log"):
            yield from (str(leaf) for _path, leaf in _list_leaves("", value) if leaf not in (None, "", True, False))
        elif option.get("secret_members"):
            yield from _find_secret_members(_parse_dictionary(value))
        elif option.get("address"):
            yield from find_passwords(str(value))


def _find_secret_members(value: t.Any, name: str = "") -> t.Iterator[str]:
    """Yield the strings and numbers inside a value whose innermost member has a name such as `password`, and the
    passwords of URLs.
    """
    if isinstance(value, dict):
        for member, inner in value.items():
            yield from _find_secret_members(inner, str(member))
    elif isinstance(value, list):
        for inner in value:
            yield from _find_secret_members(inner, name)
    elif value not in (None, "", True, False) and is_password(name):
        yield str(value)
    elif isinstance(value, str) and "://" in value:
        yield from find_passwords(value)


def find_passwords(url: str) -> t.Iterator[str]:
    """Yield the password of a URL, or a user name without password, encoded and decoded."""
    if "@" not in url:
        return
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  raises ValueError for a password with a slash
        userinfo, at, _host = parts.netloc.rpartition("@")
    except ValueError:
        userinfo, at, _host = url.partition("//")[2].rpartition("@")
    if at:
        user, _colon, password = userinfo.partition(":")
        yield from filter(None, {password or user, unquote(password or user)})
