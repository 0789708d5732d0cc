# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JSON schemas of the responses of the inference API, by the label of the call.

Members, types and values are those of the public description of the API. Objects must not have other members.
"""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import requests

from sandbox.inference.service import ROUTES

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
COUNT: Schema = {"type": "integer", "minimum": 0}
FLAG: Schema = {"type": "boolean"}
# Seconds since the epoch; higher values would be milliseconds
MOMENT: Schema = {"type": "integer", "minimum": 1_000_000_000, "maximum": 9_999_999_999}


def one_of(*values: str) -> Schema:
    return {"enum": list(values)}


def maybe(schema: Schema) -> Schema:
    """Allow null."""
    return {"anyOf": [schema, {"type": "null"}]}


def many(schema: Schema) -> Schema:
    return {"type": "array", "items": schema}


def record(optional: Schema | None = None, /, **needed: Schema) -> Schema:
    """An object with these members. Those in `optional` may be missing."""
    return {
        "type": "object",
        "properties": {**needed, **(optional or {})},
        "required": list(needed),
        "additionalProperties": False,
    }


def kind(name: str) -> Schema:
    return {"const": name}


def unpaged_list(entry: Schema) -> Schema:
    """A list without pages."""
    return record(object=kind("list"), data=many(entry))


def buckets(result: Schema) -> Schema:
    """A page of time buckets."""
    bucket = record(object=kind("bucket"), start_time=MOMENT, end_time=MOMENT, results=many(result))
    return record(object=kind("page"), data=many(bucket), has_more=FLAG, next_page=maybe(TEXT))


def page_of(entry: Schema) -> Schema:
    """A page of a list."""
    cursors = {"first_id": maybe(TEXT), "last_id": maybe(TEXT)}
    return record(cursors, object=kind("list"), data=many(entry), has_more=FLAG)


def page_by_cursor(entry: Schema) -> Schema:
    """A page of a list that names the next one."""
    return record(object=kind("list"), data=many(entry), has_more=FLAG, next=maybe(TEXT))


def bare_deletion(name: str) -> Schema:
    """The response to the deletion of what has no id of its own."""
    return record(object=kind(name), deleted={"const": True})


def deletion(name: str) -> Schema:
    return record(object=kind(name), id=TEXT, deleted={"const": True})


def extend_record(schema: Schema, **needed: Schema) -> Schema:
    """A schema with more members."""
    return record(**{**schema["properties"], **needed})


LOGPROB = {"token": TEXT, "logprob": {"type": "number"}, "bytes": maybe(many(COUNT))}
LOGPROBS = maybe(many(record(**LOGPROB, top_logprobs=many(record(**LOGPROB)))))
FINISH = one_of("stop", "length", "tool_calls", "content_filter", "function_call")
FUNCTION = record(name=TEXT, arguments=TEXT)
USAGE = record(
    {
        "prompt_tokens_details": record(dict.fromkeys(("cached_tokens", "audio_tokens", "cache_write_tokens"), COUNT)),
        "completion_tokens_details": record(
            dict.fromkeys(
                ("reasoning_tokens", "audio_tokens", "accepted_prediction_tokens", "rejected_prediction_tokens"), COUNT
            )
        ),
    },
    prompt_tokens=COUNT,
    completion_tokens=COUNT,
    total_tokens=COUNT,
)
SERVED_BY = {
    "service_tier": maybe(one_of("auto", "default", "flex", "scale", "priority", "fast")),
    "system_fingerprint": TEXT,
}
MESSAGE = record(
    {
        "tool_calls": many(record(id=TEXT, type=kind("function"), function=FUNCTION)),
        "function_call": FUNCTION,
        "annotations": {"type": "array", "maxItems": 0},
    },
    role=kind("assistant"),
    content=maybe(TEXT),
    refusal=maybe(TEXT),
)
CHOICE = record(
    index=COUNT,
    message=MESSAGE,
    logprobs=maybe(record(content=LOGPROBS, refusal=LOGPROBS)),
    finish_reason=FINISH,
)
COMPLETION = record(
    {"usage": USAGE, **SERVED_BY},
    id=TEXT,
    object=kind("chat.completion"),
    created=MOMENT,
    model=TEXT,
    choices={**many(CHOICE), "minItems": 1},
)
CALL_PIECE = {"id": TEXT, "type": kind("function"), "function": record({"name": TEXT, "arguments": TEXT})}
DELTA = record(
    {
        "role": kind("assistant"),
        "content": maybe(TEXT),
        "refusal": maybe(TEXT),
        "tool_calls": many(record(CALL_PIECE, index=COUNT)),
        "function_call": CALL_PIECE["function"],
    }
)
CHUNK = record(
    {"usage": maybe(USAGE), "obfuscation": TEXT, **SERVED_BY},
    id=TEXT,
    object=kind("chat.completion.chunk"),
    created=MOMENT,
    model=TEXT,
    choices=many(
        record({"logprobs": CHOICE["properties"]["logprobs"]}, index=COUNT, delta=DELTA, finish_reason=maybe(FINISH))
    ),
)

MODEL = record(
    {"shutdown_date": maybe({"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"})},
    id=TEXT,
    object=kind("model"),
    created=MOMENT,
    owned_by=TEXT,
)
TUNING = record(
    id=TEXT, curr_pending_jobs=COUNT, max_pending_jobs=COUNT, jobs_so_far_today=COUNT, max_jobs_per_day=COUNT
)

USER = record(
    {
        "name": maybe(TEXT),
        "email": maybe(TEXT),
        "role": maybe(one_of("owner", "reader")),
        "technical_level": maybe(TEXT),
        "developer_persona": maybe(TEXT),
    },
    object=kind("organization.user"),
    id=TEXT,
    added_at=MOMENT,
)
PROJECT_ROLE = one_of("owner", "member")
INVITE = record(
    {"expires_at": maybe(MOMENT), "accepted_at": maybe(MOMENT)},
    object=kind("organization.invite"),
    id=TEXT,
    email=TEXT,
    role=one_of("owner", "reader"),
    status=one_of("accepted", "expired", "pending"),
    created_at=MOMENT,
    projects=many(record(id=TEXT, role=PROJECT_ROLE)),
)
PROJECT = record(
    {
        "name": maybe(TEXT),
        "archived_at": maybe(MOMENT),
        "status": maybe(one_of("active", "archived")),
        "external_key_id": maybe(TEXT),
    },
    object=kind("organization.project"),
    id=TEXT,
    created_at=MOMENT,
)
MEMBER = record(
    {"name": maybe(TEXT), "email": maybe(TEXT)},
    object=kind("organization.project.user"),
    id=TEXT,
    role=PROJECT_ROLE,
    added_at=MOMENT,
)
ACCOUNT = record(
    object=kind("organization.project.service_account"),
    id=TEXT,
    name=TEXT,
    role=one_of("owner", "member", "none"),
    created_at=MOMENT,
)
ACCOUNT_KEY = record(
    object=kind("organization.project.service_account.api_key"), value=TEXT, name=TEXT, created_at=MOMENT, id=TEXT
)
OWNER = {"id": TEXT, "name": TEXT, "role": TEXT, "created_at": MOMENT}
PROJECT_KEY = record(
    object=kind("organization.project.api_key"),
    id=TEXT,
    name=TEXT,
    redacted_value=TEXT,
    created_at=MOMENT,
    last_used_at=maybe(MOMENT),
    owner_project_access=one_of("active", "inactive"),
    owner=record(
        {"user": record(**OWNER, email=TEXT), "service_account": record(**OWNER)},
        type=one_of("user", "service_account"),
    ),
)
ADMIN_KEY = record(
    object=kind("organization.admin_api_key"),
    id=TEXT,
    name=maybe(TEXT),
    redacted_value=TEXT,
    created_at=MOMENT,
    expires_at=maybe(MOMENT),
    last_used_at=maybe(MOMENT),
    owner=record({"type": TEXT, "object": TEXT, **OWNER}),
)
OF_MINUTE = ("max_requests_per_1_minute", "max_tokens_per_1_minute")
OF_SOME = (
    "max_images_per_1_minute",
    "max_audio_megabytes_per_1_minute",
    "max_requests_per_1_day",
    "batch_1_day_max_input_tokens",
)
RATE_LIMIT = record(
    dict.fromkeys(OF_SOME, COUNT),
    object=kind("project.rate_limit"),
    id=TEXT,
    model=TEXT,
    **dict.fromkeys(OF_MINUTE, COUNT),
)

# The private APIs have no description. These members are used by public clients.
AMOUNT: Schema = {"type": "number", "minimum": 0}
SUBSCRIPTION: Schema = {
    "type": "object",
    "properties": {
        "plan": record(id=TEXT, title=TEXT),
        "has_payment_method": FLAG,
        "access_until": maybe(MOMENT),
        **dict.fromkeys(("soft_limit_usd", "hard_limit_usd", "system_hard_limit_usd"), AMOUNT),
        "billing_mechanism": {"enum": [None, "advance", "arrears"]},
    },
    "required": ["plan", "has_payment_method", "soft_limit_usd", "hard_limit_usd"],
}
BROWSER_KEY = record({"last_use": maybe(MOMENT)}, sensitive_id=TEXT, object=kind("api_key"), name=TEXT, created=MOMENT)
PERSON = record(object=kind("user"), id=TEXT, name=maybe(TEXT), email=TEXT, picture=maybe(TEXT))
ORGANIZATION = record(
    object=kind("organization"),
    id=TEXT,
    created=MOMENT,
    title=TEXT,
    name=TEXT,
    description=TEXT,
    projects=unpaged_list(record(id=TEXT, title=TEXT)),
)

STORED = extend_record(COMPLETION, metadata={"type": "object", "additionalProperties": TEXT})
# as in the request
ASKED = record({"name": maybe(TEXT)}, id=TEXT, role=TEXT, content=maybe(TEXT), content_parts=maybe(many({})))

GROUP = record(
    object=kind("group"),
    id=TEXT,
    name=TEXT,
    created_at=MOMENT,
    is_scim_managed=FLAG,
    group_type=one_of("group", "tenant_group"),
)
ASSIGNED_GROUP = record(object=kind("group"), id=TEXT, name=TEXT, created_at=MOMENT, scim_managed=FLAG)
GROUP_USER = record(id=TEXT, name=maybe(TEXT), email=maybe(TEXT), is_service_account=FLAG, user_type=TEXT)
PROJECT_GROUP = record(
    object=kind("project.group"), project_id=TEXT, group_id=TEXT, group_name=TEXT, group_type=TEXT, created_at=MOMENT
)
ASSIGNED_ROLE = record(
    id=TEXT,
    name=TEXT,
    description=maybe(TEXT),
    permissions=many(TEXT),
    resource_type=one_of("api.organization", "api.project"),
    predefined_role=FLAG,
)
ROLE = extend_record(ASSIGNED_ROLE, object=kind("role"))
SPEND = {"threshold_amount": COUNT, "currency": one_of("USD"), "interval": one_of("month")}
ALERT = record(
    object=one_of("organization.spend_alert", "project.spend_alert"),
    id=TEXT,
    **SPEND,
    notification_channel=record({"subject_prefix": maybe(TEXT)}, type=one_of("email"), recipients=many(TEXT)),
)
SPEND_LIMIT = record(
    object=one_of("organization.spend_limit", "project.spend_limit"), **SPEND, enforcement=record(status=TEXT)
)
RETENTION = record(object=one_of("organization.data_retention", "project.data_retention"), type=TEXT)
MODEL_PERMISSIONS = record(
    object=kind("project.model_permissions"), mode=one_of("allow_list", "deny_list"), model_ids=many(TEXT)
)
TOOL_PERMISSIONS = record(
    object=kind("project.hosted_tool_permissions"),
    **dict.fromkeys(("file_search", "web_search", "image_generation", "mcp", "code_interpreter"), record(enabled=FLAG)),
)
CERTIFICATE = record(
    object=kind("certificate"),
    id=TEXT,
    name=maybe(TEXT),
    created_at=MOMENT,
    active=FLAG,
    certificate_details=record(valid_at=MOMENT, expires_at=MOMENT),
)


def calls_of(name: str, entry: Schema, page: Schema, object: str) -> dict[str, Schema]:
    """Return the schemas for the calls of a kind of objects."""
    return {
        f"list_{name}s": page,
        **dict.fromkeys((f"create_{name}", f"retrieve_{name}", f"update_{name}"), entry),
        f"delete_{name}": deletion(f"{object}.deleted"),
    }


SHAPES: dict[str, Schema] = {
    **calls_of("group", GROUP, page_by_cursor(GROUP), "group"),
    "list_group_users": page_by_cursor(GROUP_USER),
    "create_group_user": record(object=kind("group.user"), user_id=TEXT, group_id=TEXT),
    "retrieve_group_user": GROUP_USER,
    "delete_group_user": bare_deletion("group.user.deleted"),
    "list_project_groups": page_by_cursor(PROJECT_GROUP),
    "create_project_group": PROJECT_GROUP,
    "retrieve_project_group": PROJECT_GROUP,
    "delete_project_group": bare_deletion("project.group.deleted"),
    **calls_of("role", ROLE, page_by_cursor(ROLE), "role"),
    "list_user_roles": page_by_cursor(ASSIGNED_ROLE),
    "create_user_role": record(object=kind("user.role"), user=USER, role=ROLE),
    "retrieve_user_role": ASSIGNED_ROLE,
    "delete_user_role": bare_deletion("user.role.deleted"),
    "list_group_roles": page_by_cursor(ASSIGNED_ROLE),
    "create_group_role": record(object=kind("group.role"), group=ASSIGNED_GROUP, role=ROLE),
    "retrieve_group_role": ASSIGNED_ROLE,
    "delete_group_role": bare_deletion("group.role.deleted"),
    **calls_of("spend_alert", ALERT, page_of(ALERT), ""),
    "delete_spend_alert": {
        "anyOf": [deletion(f"{scope}.spend_alert.deleted") for scope in ("organization", "project")]
    },
    "retrieve_spend_limit": SPEND_LIMIT,
    "update_spend_limit": SPEND_LIMIT,
    "delete_spend_limit": {
        "anyOf": [bare_deletion(f"{scope}.spend_limit.deleted") for scope in ("organization", "project")]
    },
    "retrieve_data_retention": RETENTION,
    "update_data_retention": RETENTION,
    "retrieve_model_permissions": MODEL_PERMISSIONS,
    "update_model_permissions": MODEL_PERMISSIONS,
    "delete_model_permissions": bare_deletion("project.model_permissions.deleted"),
    "retrieve_hosted_tool_permissions": TOOL_PERMISSIONS,
    "update_hosted_tool_permissions": TOOL_PERMISSIONS,
    **calls_of("certificate", CERTIFICATE, page_of(CERTIFICATE), "certificate"),
    "chat": COMPLETION,
    "list_completions": page_of(STORED),
    "retrieve_completion": STORED,
    "update_completion": STORED,
    "delete_completion": deletion("chat.completion.deleted"),
    "list_completion_messages": page_of(ASKED),
    "list_models": unpaged_list(MODEL),
    "retrieve_model": MODEL,
    "delete_model": deletion("model"),
    "tuning_limits": unpaged_list(TUNING),
    "list_users": page_of(USER),
    "retrieve_user": USER,
    "update_user": USER,
    "delete_user": deletion("organization.user.deleted"),
    "list_invites": page_of(INVITE),
    "create_invite": INVITE,
    "retrieve_invite": INVITE,
    "delete_invite": deletion("organization.invite.deleted"),
    "list_projects": page_of(PROJECT),
    "create_project": PROJECT,
    "retrieve_project": PROJECT,
    "update_project": PROJECT,
    "archive_project": PROJECT,
    "list_project_users": page_of(MEMBER),
    "create_project_user": MEMBER,
    "retrieve_project_user": MEMBER,
    "update_project_user": MEMBER,
    "delete_project_user": deletion("organization.project.user.deleted"),
    "list_service_accounts": page_of(ACCOUNT),
    "create_service_account": extend_record(ACCOUNT, role=one_of("member", "none"), api_key=maybe(ACCOUNT_KEY)),
    "retrieve_service_account": ACCOUNT,
    "update_service_account": ACCOUNT,
    "delete_service_account": deletion("organization.project.service_account.deleted"),
    "create_service_account_key": ACCOUNT_KEY,
    "list_project_keys": page_of(PROJECT_KEY),
    "retrieve_project_key": PROJECT_KEY,
    "delete_project_key": deletion("organization.project.api_key.deleted"),
    "list_project_limits": page_of(RATE_LIMIT),
    "update_project_limit": RATE_LIMIT,
    "list_admin_keys": page_of(ADMIN_KEY),
    "create_admin_key": extend_record(ADMIN_KEY, value=TEXT),
    "retrieve_admin_key": ADMIN_KEY,
    "delete_admin_key": deletion("organization.admin_api_key.deleted"),
    "usage": buckets(
        record(
            {name: maybe(TEXT) for name in ("project_id", "user_id", "api_key_id", "model", "service_tier")},
            object=kind("organization.usage.completions.result"),
            batch=maybe(FLAG),
            **dict.fromkeys(
                (
                    *("input_tokens", "input_cached_tokens", "input_audio_tokens"),
                    *("output_tokens", "output_audio_tokens", "num_model_requests"),
                ),
                COUNT,
            ),
        )
    ),
    "costs": buckets(
        record(
            {name: maybe(TEXT) for name in ("project_id", "line_item", "api_key_id", "quantity_unit")},
            object=kind("organization.costs.result"),
            amount=record(value=AMOUNT, currency=TEXT),
            quantity=maybe(AMOUNT),
        )
    ),
    "organizations": unpaged_list(ORGANIZATION),
    "rate_limits": {
        "type": "object",
        "additionalProperties": record(dict.fromkeys((*OF_MINUTE, *OF_SOME), AMOUNT)),
    },
    "subscription": SUBSCRIPTION,
    "user_api_keys": unpaged_list(BROWSER_KEY),
    "feature_flags": record(data={"type": "array"}),
    "dashboard_project_users": unpaged_list(record(object=TEXT, role=PROJECT_ROLE, added_at=MOMENT, user=PERSON)),
}
ERROR = record(message=TEXT, type=TEXT, param=maybe(TEXT), code=maybe(TEXT))
REFUSAL: Schema = {
    "anyOf": [
        record(error=ERROR),
        record(error=TEXT),
        record(code={"type": "integer", "minimum": 400, "maximum": 599}, message=TEXT),
    ]
}


def check(answer: requests.Response, method: str, path: str) -> None:
    """Check the response to a request."""
    if answer.status_code != 200:
        validate(answer.json(), REFUSAL)
    elif answer.headers["content-type"].startswith("text/event-stream"):
        for line in answer.text.split("\n\n")[:-1]:
            check_event(line.removeprefix("data: "))
    else:
        validate(answer.json(), SHAPES[label(method, path)])


def check_event(data: str) -> None:
    """Check an event of a stream."""
    if data != "[DONE]":
        validate(json.loads(data), {"anyOf": [CHUNK, record(error=ERROR)]})


def validate(body: Any, schema: Schema) -> None:
    """Raise ValidationError if a body does not match the schema. The schema itself is not checked."""
    jsonschema.Draft202012Validator(schema).validate(body)


def label(method: str, path: str) -> str:
    """Return the label of a request."""
    route = ROUTES.find(method, path.partition("?")[0], {}).route
    assert route is not None, f"{method} {path}"
    return route.label
