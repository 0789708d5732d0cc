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
    check_required_arguments,
    check_type_bool,
    check_type_dict,
    check_type_float,
    check_type_int,
    check_type_list,
)

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import (
    EXTENSIONS,
    check_limits,
    compile_patterns,
    quote,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.templates import (
    Template,
    accept_templates,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import (
    RULES,
    Group,
    Option,
    Options,
    convert_options,
    walk,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._secret_patterns import (
    find_secret_elements,
    is_password,
)


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

    @property
    def options(self) -> tuple[str, ...]:
        """The names of all options of the service."""
        return (*self.login, *self.behavior, *self.transport)

    def host_variable(self, option: str) -> str:
        """Return the name of the host variable for an option."""
        return f"toolchain_{self.name}_{option}"


Check = t.Callable[[dict[str, t.Any]], t.Any]


class NonFiniteNumber(str):
    """A string in place of infinity or NaN, which JSON cannot express. `ArgumentSpec.find_type_error` rejects it."""


class ArgumentSpec:
    """The options of a module with their limits, and the rules between them.

    :arg options: options by name, in the format of `argument_spec`, with the limits that `limits.py` describes
    :arg service: the service whose connection options are included
    :arg checks: functions that raise `BadOption` if parameters contradict each other. They read only the parameters,
        and are not called if options other than connection options contain templates
    :arg partial_checks: such functions that accept a `Template` in each option
    :arg rules: `mutually_exclusive`, `required_together`, `required_one_of`, `required_if` and `required_by`, in
        Ansible's formats
    """

    def __init__(
        self,
        options: Options,
        *,
        service: Service | None = None,
        checks: t.Iterable[Check] = (),
        partial_checks: t.Iterable[Check] = (),
        **rules: t.Any,
    ) -> None:
        self.options = options
        self._service = service
        self._checks = tuple(checks)
        self._partial_checks = tuple(partial_checks)
        self.rules = {rule: rules.pop(rule, {} if rule == "required_by" else []) for rule in RULES}
        if rules:
            raise TypeError(f"unknown rules: {', '.join(rules)}")

    def __add__(self, other: ArgumentSpec) -> ArgumentSpec:
        """Return a spec with the options and rules of both."""
        twice = self.options.keys() & other.options.keys()
        if twice:
            raise ValueError(f"options given twice: {', '.join(sorted(twice))}")
        rules = {rule: _merge_rules(self.rules[rule], other.rules[rule]) for rule in RULES}
        return ArgumentSpec(
            {**self.options, **other.options},
            service=self._service or other._service,
            checks=(*self._checks, *other._checks),
            partial_checks=(*self._partial_checks, *other._partial_checks),
            **rules,
        )

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
        _check_nulls(self.options, parameters)

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
        checks = () if self._checks and self._has_templates(parameters) else self._checks
        for check in (*checks, *self._partial_checks):
            check(parameters)

    def find_type_error(self, parameters: dict[str, t.Any]) -> str | None:
        """Return the error for the first parameter that Ansible's validation would convert or report badly, or `None`.

        Ansible's own messages do not name the entry of a list. For strings Ansible converts other values, for example
        into `['a', 'b']`, `True` or, depending on its version, `None`.
        """
        groups = walk({"options": self.options}, parameters, _parse_dictionary)
        error = next((error for group in groups for error in _find_type_errors(group)), None)
        if error is None:
            return None
        has_secret = any(secret in error.quoted for secret in self.secrets(parameters))
        return str(BadOption(error.path, error.problem if has_secret else f"{error.problem}{error.quoted}"))

    def accept_templates(self, parameters: dict[str, t.Any]) -> ArgumentSpec:
        """Return a spec without rules and fallbacks that accepts the templates in parameters.

        :arg parameters: parameters from `mark_templates`
        """
        return ArgumentSpec(accept_templates(self.options, [parameters]))

    def _has_templates(self, parameters: dict[str, t.Any]) -> bool:
        """Return whether options other than connection options contain templates."""
        names = self.options.keys() - set(self._service.options if self._service else ())
        groups = walk({"options": {name: self.options[name] for name in names}}, parameters)
        return any(isinstance(group.values.get(name), Template) for group in groups for name in group.options)

    @functools.cached_property
    def _plain_options(self) -> Options:
        return convert_options(self.options, _drop_extensions)

    @property
    def service(self) -> Service:
        """The service whose connection options are included."""
        if self._service is None:
            raise TypeError("this spec has no service")
        return self._service

    @functools.cached_property
    def option_names(self) -> frozenset[str]:
        """The names of all options, also inside of options."""
        return frozenset(_list_names(self.options))

    def environment_variable(self, option: str) -> str:
        """Return the environment variable for an option, or an empty string."""
        _read, names = self.options[option].get("fallback") or (None, [""])
        return names[0]

    def secrets(self, parameters: dict[str, t.Any]) -> set[str]:
        """Return the secret values in parameters, which need not be valid."""
        groups = walk({"options": self._options_with_secrets}, parameters)
        return {secret for group in groups for secret in _find_secrets(group)}

    @functools.cached_property
    def _options_with_secrets(self) -> Options:
        """The options whose values may contain secrets. Reading all options takes long in processes that fork often."""
        return {name: option for name, option in self.options.items() if any(map(option.get, _SECRET_KEYS))}


def _merge_rules(rules: t.Any, others: t.Any) -> t.Any:
    return {**rules, **others} if isinstance(rules, dict) else [*rules, *others]


def _drop_extensions(option: Option) -> Option:
    """Return an option without the keys that Ansible does not know."""
    return {key: value for key, value in option.items() if key not in EXTENSIONS}


def _check_rules(group: Group) -> None:
    """Check rules. If values contain templates, a rule must be violated whether these set their options or not."""
    values = {name: value for name, value in group.values.items() if value is not None}
    known = {name: value for name, value in values.items() if not isinstance(value, Template)}
    for check, rule in _list_rules(group):
        try:
            check(rule, known, group.names)
        except TypeError:
            check(rule, values, group.names)


def _list_rules(group: Group) -> t.Iterator[tuple[t.Callable[..., t.Any], t.Any]]:
    """Yield each rule between options with the function that checks it."""
    yield check_required_arguments, group.options
    for name, check in RULES.items():
        rules = group.parent.get(name) or ()
        for rule in rules:
            yield check, {rule: rules[rule]} if isinstance(rules, dict) else [rule]


def _check_nulls(options: Options, parameters: dict[str, t.Any]) -> None:
    """Check that values without suboptions contain no null that would widen the scope of a task.

    :raises BadOption: with the path of the null
    """
    for group in walk({"options": options}, parameters):
        for name, option in group.options.items():
            value = group.values.get(name)
            if value is None or option.get("options") or not _refuses_null(option):
                continue
            for path, leaf in _list_leaves(f"{group.prefix}{name}", value):
                if leaf is None:
                    raise BadOption(path, "must not be null. Set a value or omit it")


def _refuses_null(option: Option) -> bool:
    return not option.get("accepts_null") and bool(option.get("narrows_scope") or option.get("refuses_null"))


_TEXT_TYPES = ("str", "path")
# Functions that convert a value to a type, and descriptions of the type
_CONVERSIONS: dict[str, tuple[t.Callable[[t.Any], t.Any], str]] = {
    "bool": (check_type_bool, "true or false"),
    "dict": (check_type_dict, "a dictionary"),
    "float": (check_type_float, "a number"),
    "int": (check_type_int, "an integer"),
    "list": (check_type_list, "a list"),
}
_OTHER_TYPES: dict[type, str] = {
    list: "a list",
    dict: "a dictionary",
    bool: "a boolean",
    type(None): "null",
    float: "a number with a fraction. Put it in quotes, because YAML reads 1.10 as 1.1",
}


class TypeProblem(t.NamedTuple):
    """A parameter of another type.

    :ivar quoted: the value for the message, which may contain a secret of another option
    """

    path: str
    problem: str
    quoted: str = ""


def _find_type_errors(group: Group) -> t.Iterator[TypeProblem]:
    for name, option in group.options.items():
        path = f"{group.prefix}{name}"
        if (value := group.values.get(name)) is not None:
            yield from _find_value_errors(path, option, value)
        elif name in group.values and option.get("required"):
            yield TypeProblem(path, "is required")
        elif name in group.values and option.get("narrows_scope"):
            yield TypeProblem(path, "must not be null. Set a value or omit the option")


def _find_value_errors(path: str, option: Option, value: t.Any) -> t.Iterator[TypeProblem]:
    if option.get("options"):
        is_list = option["type"] == "list" and isinstance(value, list)
        if None in map(_parse_dictionary, value if is_list else [value]):
            yield TypeProblem(path, f"must be a {'list of dictionaries' if is_list else 'dictionary'}")
    elif option.get("elements") in _TEXT_TYPES:
        for number, entry in enumerate(value if isinstance(value, list) else [value]):
            yield from _find_text_error(f"{path}[{number}]", entry)
    elif option["type"] in _TEXT_TYPES:
        yield from _find_text_error(path, value)
    else:
        yield from _find_conversion_error(path, option["type"], option, value)
        for number, entry in enumerate(value if isinstance(value, list) else ()):
            yield from _find_conversion_error(f"{path}[{number}]", option.get("elements", "raw"), option, entry)
        rejected = (float, NonFiniteNumber) if option.get("text_values") else NonFiniteNumber
        for leaf_path, leaf in _list_leaves(path, _parse_dictionary(value) if option["type"] == "dict" else value):
            if isinstance(leaf, rejected):
                yield from _find_text_error(leaf_path, leaf)


def _find_conversion_error(path: str, type_name: str, option: Option, value: t.Any) -> t.Iterator[TypeProblem]:
    convert, description = _CONVERSIONS.get(type_name, (None, ""))
    try:
        if convert and not isinstance(value, NonFiniteNumber):
            convert(value)
    except (TypeError, ValueError):
        may_be_secret = option.get("no_log") or type_name in ("dict", "list")
        yield TypeProblem(path, f"must be {description}", "" if may_be_secret else _quote_completely(value))


def _quote_completely(value: t.Any) -> str:
    """Return a short scalar for a message. In a shortened or escaped text, a secret could not be masked."""
    if isinstance(value, (dict, list)):
        return ""
    quoted = quote(value)
    is_escaped = str(value) not in repr(value)
    is_shortened = repr(value) not in quoted
    return "" if is_escaped or is_shortened else quoted


def _find_text_error(path: str, value: t.Any) -> t.Iterator[TypeProblem]:
    if isinstance(value, NonFiniteNumber):
        yield TypeProblem(path, "must not be .inf or .nan. Put it in quotes if it is a string")
    elif type(value) in _OTHER_TYPES:
        yield TypeProblem(path, f"must be a string, not {_OTHER_TYPES[type(value)]}")


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


# Keys of options that are secret or may contain secrets
_SECRET_KEYS = ("no_log", "secret_members", "secret_elements", "address", "options")


def _find_secrets(group: Group) -> t.Iterator[str]:
    for name, value in group.values.items():
        option = group.options.get(name)
        if option is None or value in (None, ""):
            continue
        if option.get("no_log"):
            yield from (str(leaf) for _path, leaf in _list_leaves("", value) if leaf not in (None, "", True, False))
        elif option.get("secret_members"):
            yield from _find_secret_members(_parse_dictionary(value))
        elif option.get("secret_elements"):
            yield from find_secret_elements(str(value))
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


def _list_names(options: Options) -> t.Iterator[str]:
    for name, option in options.items():
        yield name
        yield from _list_names(option.get("options") or {})
