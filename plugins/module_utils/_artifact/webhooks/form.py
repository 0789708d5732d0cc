# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The form in which webhooks are compared, and its conversion from options, from responses and to requests.

The fields of a webhook have the names of the options. `headers` and `secrets` are dictionaries by name, whose values
have the members `value` or `secret_value`. Secrets are only in the fields that a task declares.
"""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.webhooks import events
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, sort_unique
from ansible_collections.buildworks.toolchain.plugins.module_utils._secret_patterns import has_secret_name
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import split_url

SECRETS = ("secret", "secret_value")
HANDLERS = {"webhook": "webhook", "custom_webhook": "custom-webhook"}
METHODS = ("POST", "PUT", "GET", "PATCH", "DELETE")
# Options of each handler, with the members of the API and their defaults
_HANDLER_MEMBERS: dict[str, dict[str, tuple[str, t.Any]]] = {
    "webhook": {
        "webhook_url": ("url", ""),
        "proxy": ("proxy", ""),
        "use_secret_for_signing": ("use_secret_for_signing", False),
    },
    "custom_webhook": {
        "webhook_url": ("url", ""),
        "proxy": ("proxy", ""),
        "method": ("method", "POST"),
        "payload": ("payload", ""),
    },
}
_HEADERS_MEMBER = {"webhook": "custom_http_headers", "custom_webhook": "http_headers"}
# Options that only one of the handlers has
_OWN_OPTIONS = {"webhook": ("secret", "use_secret_for_signing"), "custom_webhook": ("method", "payload", "secrets")}
_COMMON: Fields = {"description": "", "enabled": True, "project": ""}
_NO_PROJECT = "default"
# Criteria that a webhook only has with a value, as other clients write them
_OMITTED_CRITERIA = (
    *("includePatterns", "excludePatterns", "selectedBuilds", "registeredReleaseBundlesNames"),
    "selectedReleaseBundles",
)
_SECRET_HEADERS = ("authorization", "proxy-authorization", "cookie")
# Headers whose values are no credentials
_HARMLESS_HEADERS = frozenset(
    (
        *("accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "connection"),
        *("content-encoding", "content-language", "content-type", "date", "expect", "host", "pragma", "user-agent"),
    )
)
_MASK_CHARACTERS = frozenset("*\u2022\u25cf")
_SHORTEST_MASK = 3
_SCALARS = (
    *("description", "enabled", "domain", "handler", "webhook_url", "secret", "use_secret_for_signing", "proxy"),
    *("method", "payload"),
)
_RESULT = (
    *("description", "enabled", "project", "domain", "event_types", "criteria", "handler", "webhook_url"),
    *("use_secret_for_signing", "proxy", "headers", "method", "payload", "secrets"),
)


def parse_options(params: Fields) -> Fields:
    """Return the fields that the options declare.

    :raises BadOption: if an option is invalid, or does not apply to the domain or the handler
    """
    fields: Fields = {name: params[name] for name in _SCALARS if params[name] is not None}
    if params["project"] is not None:
        fields["project"] = parse_project(params["project"])
    if params["event_types"] is not None:
        fields["event_types"] = sort_unique(params["event_types"])
    if params["criteria"] is not None:
        fields["criteria"] = _parse_criteria(params["criteria"])
    if params["headers"] is not None:
        fields["headers"] = _parse_headers(params["headers"])
    if params["secrets"] is not None:
        fields["secrets"] = _parse_secrets(params["secrets"])
    if params["webhook_url"] is not None:
        _check_webhook_url(params["webhook_url"])
    if "domain" in fields:
        events.check_domain(fields["domain"], params["allow_unknown_events"])
        check_events(fields, fields["domain"], params["allow_unknown_events"])
    if "handler" in fields:
        check_handler(fields, fields["handler"])
    return fields


def check_events(declared: Fields, domain: str, may_be_unknown: bool) -> None:
    """Verify that the declared event types and criteria apply to a domain.

    :raises BadOption: if one does not apply
    """
    events.check_event_types(domain, declared.get("event_types", ()), may_be_unknown)
    events.check_criteria(domain, declared.get("criteria", {}))


def check_handler(declared: Fields, handler: str) -> None:
    """Verify that the declared options apply to a handler.

    :raises BadOption: if one does not apply, or the handler of an existing webhook is not known
    """
    if handler not in HANDLERS:
        raise BadOption("handler", f"is required, because the webhook has the unknown handler '{handler}'")
    for other, options in _OWN_OPTIONS.items():
        for option in options:
            if other != handler and option in declared:
                raise BadOption(option, f"does not apply to the handler '{handler}', only to '{other}'")


def defaults(domain: str, handler: str) -> Fields:
    """Return the fields of a new webhook whose options are not set."""
    members = {option: default for option, (_member, default) in _HANDLER_MEMBERS.get(handler, {}).items()}
    lists: Fields = {"headers": {}, **({"secrets": {}} if handler == "custom_webhook" else {})}
    return {**_COMMON, "criteria": events.get_domain(domain).default_criteria, **members, **lists}


def replace_handler(before: Fields, handler: str) -> Fields:
    """Return the fields that change with the handler: defaults of the new one, and `None` for those of the old one.

    :arg before: fields of the webhook with the old handler
    """
    fresh = defaults(before["domain"], handler)
    removed = [option for options in _OWN_OPTIONS.values() for option in options if option in before]
    return {**dict.fromkeys(removed), **{name: fresh[name] for name in _OWN_OPTIONS[handler] if name in fresh}}


def read_fields(record: Record) -> Fields:
    """Return the fields of a webhook in a response, without secrets."""
    event_filter = record.record("event_filter")
    domain = event_filter.text("domain")
    handler_record = _first_handler(record)
    kind = handler_record.text("handler_type")
    handler = next((name for name, handler_type in HANDLERS.items() if handler_type == kind), kind)
    fields: Fields = {
        "description": record.maybe_text("description") or "",
        "enabled": record.maybe_flag("enabled") is not False,
        "project": read_project(record),
        "domain": domain,
        "event_types": sort_unique(event_filter.maybe_texts("event_types")),
        "criteria": _read_members(event_filter.maybe_record("criteria"), events.get_domain(domain).criteria),
        "handler": handler,
        **_read_members(handler_record, _HANDLER_MEMBERS.get(handler, {})),
    }
    headers = handler_record.maybe_records(_HEADERS_MEMBER.get(handler, ""))
    fields["headers"] = {header.text("name"): _read_header(header) for header in headers}
    if handler == "custom_webhook":
        fields["secrets"] = {secret.text("name"): {} for secret in handler_record.maybe_records("secrets")}
    return fields


def read_secrets(record: Record) -> dict[str, str | None]:
    """Return the secrets of a webhook in a response by path, `None` for a secret that the server hides."""
    handler = _first_handler(record)
    if handler.text("handler_type") == HANDLERS["webhook"]:
        return {"secret": _read_secret(handler, "secret")}
    secrets = handler.maybe_records("secrets")
    return {f"secrets.{secret.text('name')}": _read_secret(secret, "value") for secret in secrets}


def select_secrets(declared: Fields, fields: Fields) -> Fields:
    """Return the declared secrets of the headers and secrets that a webhook has. Each request sends all of them.

    :arg fields: fields of the webhook
    """
    selected: Fields = {"secret": declared["secret"]} if declared.get("secret") is not None else {}
    for name in ("headers", "secrets"):
        entries = {
            entry: {"secret_value": values["secret_value"]}
            for entry, values in (declared.get(name) or {}).items()
            if "secret_value" in values and entry in (fields.get(name) or {})
        }
        if entries:
            selected[name] = entries
    return selected


def register_secrets(task: Task, record: Record, fields: Fields) -> None:
    """Mask the secrets of a webhook in all output.

    :arg fields: result of `read_fields`
    """
    for secret in read_secrets(record).values():
        task.register_secret(secret or "")
    for name, header in fields["headers"].items():
        if is_secret_header(name, header.get("value")):
            task.register_secret(header.get("value", ""))
    parts = split_url(fields.get("webhook_url", ""))
    task.register_secret((parts and parts.password) or "")


def to_result(key: str, fields: Fields, declared_headers: Fields | None = None) -> Fields:
    """Return a webhook in the form of the options, without secrets and without options of the other handler.

    :arg declared_headers: headers of the task, which can show their values
    """
    result = {"key": key, **{name: fields[name] for name in _RESULT if name in fields}}
    declared = declared_headers or {}
    result["headers"] = [
        {"name": name, "value": _show_value(name, header.get("value"), declared.get(name, {}))}
        for name, header in sorted(fields["headers"].items())
    ]
    if "secrets" in fields:
        result["secrets"] = [{"name": name} for name in sorted(fields["secrets"])]
    return result


def describe(task: Task, key: str, record: Record) -> Fields:
    """Return a webhook in a response in the form of the options, without secrets."""
    fields = read_fields(record)
    register_secrets(task, record, fields)
    if count_handlers(record) > 1:
        task.warn(f"Webhook '{key}' has {count_handlers(record)} handlers. Only the first one is returned.")
    return to_result(key, fields)


def count_handlers(record: Record) -> int:
    """Return the number of handlers of a webhook in a response. The server allows several."""
    return len(record.records("handlers"))


def is_secret_header(name: str, value: str | None) -> bool:
    """Return whether the value of a header is a credential, and not a template that contains one."""
    is_secret = has_secret_name(name) or name.lower() in _SECRET_HEADERS
    return is_secret and "{{" not in (value or "")


def _show_value(name: str, value: str | None, declared: Fields) -> str | None:
    """Return the value of a header, or `None` if it may be a credential.

    It may be one if the task declares it as secret, or unless the header is known to be harmless, the value is a
    template, or the task declares the same value as not secret.
    """
    if "secret_value" in declared:
        return None
    is_known = name.lower() in _HARMLESS_HEADERS or "{{" in (value or "") or declared.get("value") == value
    return value if is_known and not is_secret_header(name, value) else None


def to_body(key: str, fields: Fields, stored: Record | None, secrets: t.Mapping[str, str | None]) -> Fields:
    """Return the body of a request. Members of the API that have no option keep their value.

    :arg fields: all fields of the webhook after the change, with the secrets that are sent
    :arg stored: the existing webhook
    :arg secrets: secrets of the existing webhook by path, `None` for a hidden one
    :raises BadOption: if a secret must be sent but is not set
    """
    handler = _to_handler(key, fields, stored, secrets)
    body = {**(stored or {}), "key": key, "description": fields["description"], "enabled": fields["enabled"]}
    if fields["project"]:
        body["project_key"] = fields["project"]
    return {**body, "event_filter": _to_event_filter(fields, stored), "handlers": [handler]}


def _to_event_filter(fields: Fields, stored: Record | None) -> Fields:
    before = stored.record("event_filter") if stored else {}
    criteria: Fields = dict((before.get("criteria") or {}) if before.get("domain") == fields["domain"] else {})
    known = events.get_domain(fields["domain"]).criteria
    criteria.update({member: fields["criteria"][option] for option, (member, _default) in known.items()})
    criteria = _drop_empty(criteria, _OMITTED_CRITERIA)
    event_filter = {**before, "domain": fields["domain"], "event_types": fields["event_types"]}
    return _drop_empty({**event_filter, "criteria": criteria}, ("criteria",))


def _to_handler(key: str, fields: Fields, stored: Record | None, secrets: t.Mapping[str, str | None]) -> Fields:
    kind = fields["handler"]
    before = _first_handler(stored) if stored else {}
    handler: Fields = dict(before) if before.get("handler_type") == HANDLERS[kind] else {}
    handler["handler_type"] = HANDLERS[kind]
    for option, (member, default) in _HANDLER_MEMBERS[kind].items():
        if fields[option] != default or member in handler:
            handler[member] = fields[option]
    handler[_HEADERS_MEMBER[kind]] = [
        {"name": name, "value": _resolve_header(key, name, header)}
        for name, header in sorted(fields["headers"].items())
    ]
    if kind == "webhook":
        # also an empty one, because a missing secret may be a hidden one
        handler["secret"] = _resolve_secret(key, "secret", fields.get("secret"), {"secret": "", **secrets})
    else:
        handler["secrets"] = [
            {"name": name, "value": _resolve_secret(key, f"secrets.{name}", secret.get("secret_value"), secrets)}
            for name, secret in sorted(fields["secrets"].items())
        ]
    return _drop_empty(handler, (_HEADERS_MEMBER[kind], "secrets"))


def _drop_empty(members: Fields, names: t.Iterable[str]) -> Fields:
    """Return members without the named ones that are empty. Other clients distinguish empty from missing members."""
    return {name: value for name, value in members.items() if value or name not in names}


def _resolve_secret(key: str, option: str, declared: str | None, stored: t.Mapping[str, str | None]) -> str:
    """Return a secret as it is sent: the declared one, or the one that the server returned."""
    if declared is not None:
        return declared
    if option not in stored:
        raise BadOption(option, f"requires 'secret_value', because webhook '{key}' does not have this secret")
    value = stored[option]
    if value is None:
        advice = "Set an empty string if it has none" if option == "secret" else "Set all secrets of the webhook"
        raise BadOption(
            option,
            f"is required to change webhook '{key}': Artifactory replaces the whole webhook, but does not return its "
            f"secret. {advice}",
        )
    return value


def _resolve_header(key: str, name: str, header: Fields) -> str:
    value: str | None = header.get("secret_value", header.get("value"))
    if value is None:
        raise BadOption(
            f"headers.{name}",
            f"requires 'value' or 'secret_value', because Artifactory returns no value of it for webhook '{key}'",
        )
    return value


def _first_handler(record: Record) -> Record:
    record.convert("handlers", "a list that is not empty", _check_not_empty)
    return record.records("handlers")[0]


def _check_not_empty(value: t.Any) -> None:
    if not isinstance(value, list) or not value:
        raise ValueError


def _read_members(record: Record | None, members: dict[str, tuple[str, t.Any]]) -> Fields:
    return {
        option: default if record is None or record.get(member) is None else _read_member(record, member, default)
        for option, (member, default) in members.items()
    }


def _read_member(record: Record, member: str, default: t.Any) -> t.Any:
    """Return a normalized member. Its type is that of the default."""
    if isinstance(default, (bool, str)):
        return record.scalar(member, default)
    if isinstance(default, dict) and isinstance(record[member], dict):
        selected = record.record(member)
        return {name: sort_unique(selected.maybe_texts(name)) for name in selected}
    names = sort_unique(record.texts(member))
    return {name: [] for name in names} if isinstance(default, dict) else names


def _read_header(record: Record) -> Fields:
    value = _read_secret(record, "value")
    return {} if value is None else {"value": value}


def _read_secret(record: Record, member: str) -> str | None:
    """Return a secret as the server returns it, in clear text or encrypted, or `None` if it is missing or masked."""
    value = record.maybe_text(member)
    is_masked = bool(value) and len(str(value)) >= _SHORTEST_MASK and set(str(value)) <= _MASK_CHARACTERS
    return None if is_masked else value


def read_project(record: Record) -> str:
    """Return the key of the project of a webhook, or an empty string for a global one."""
    return parse_project(record.maybe_text("project_key") or "")


def parse_project(project: str) -> str:
    """Return the key of a project, or an empty string for global webhooks."""
    return "" if project == _NO_PROJECT else project


def _parse_criteria(criteria: Fields) -> Fields:
    parsed: Fields = {}
    for name, value in criteria.items():
        if isinstance(value, dict):
            parsed[name] = {bundle: _parse_bundle(bundle, entries) for bundle, entries in value.items()}
        elif value is not None:
            parsed[name] = sort_unique(value) if isinstance(value, list) else value
    return parsed


def _parse_bundle(name: str, entries: t.Any) -> list[str]:
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise BadOption(f"criteria.release_bundles_v2.{name}", "must be a list of strings, which may be empty")
    return sort_unique(entries)


def _parse_headers(headers: list[Fields]) -> Fields:
    parsed: Fields = {}
    for index, header in enumerate(headers):
        name, option = _parse_name(header, f"headers[{index}]", parsed), f"headers[{index}]"
        if header["value"] is not None and header["secret_value"] is not None:
            raise BadOption(f"{option}.value", "cannot be combined with 'secret_value'")
        if header["value"] is not None and is_secret_header(name, header["value"]):
            raise BadOption(f"{option}.value", f"'{name}' is the name of a credential. Use 'secret_value' instead")
        parsed[name] = {member: header[member] for member in ("value", "secret_value") if header[member] is not None}
    return parsed


def _parse_secrets(secrets: list[Fields]) -> Fields:
    parsed: Fields = {}
    for index, secret in enumerate(secrets):
        name = _parse_name(secret, f"secrets[{index}]", parsed)
        parsed[name] = {} if secret["secret_value"] is None else {"secret_value": secret["secret_value"]}
    return parsed


def _parse_name(entry: Fields, option: str, others: t.Container[str]) -> str:
    name: str | None = entry["name"]
    if not name:
        raise BadOption(f"{option}.name", "is required")
    if name in others:
        raise BadOption(f"{option}.name", f"'{name}' is listed twice")
    return name


def _check_webhook_url(url: str) -> None:
    parts = split_url(url)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadOption("webhook_url", "must be a URL such as https://host:port/path")
    if "@" in parts.netloc:
        raise BadOption("webhook_url", "must not contain a user name or password. Send them in 'headers'")
