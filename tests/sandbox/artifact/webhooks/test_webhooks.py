# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of webhooks in the event service."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from support.session import Session

SUBSCRIPTIONS = "/event/api/v1/subscriptions"
DEPLOY = f"{SUBSCRIPTIONS}/deploy"
HANDLER = {"handler_type": "webhook", "url": "https://deploy.example.com/hook", "secret": "s3cret"}
EVENTS = {"domain": "artifact", "event_types": ["deployed"], "criteria": {"anyLocal": True}}
WEBHOOK: dict[str, Any] = {"key": "deploy", "event_filter": EVENTS, "handlers": [HANDLER]}
CUSTOM = {
    "handler_type": "custom-webhook",
    "url": "https://deploy.example.com/hook",
    "secrets": [{"name": "token", "value": "t0ken"}],
    "payload": "{{ .data.path }}",
}


@pytest.fixture
def platform(sandbox) -> Session:
    """Return a session of an administrator for the platform."""
    return Session(sandbox.url, sandbox.environment["JFROG_ACCESS_TOKEN"])


def error_of(response: requests.Response) -> tuple[int, str, str]:
    """Return status, code and message of an error response of the event service."""
    assert response.headers["Content-Type"] == "application/json"
    (error,) = response.json()["errors"]
    return response.status_code, error["code"], error["message"]


def test_webhook_is_created_replaced_and_deleted(platform):
    assert platform.post(SUBSCRIPTIONS, json=WEBHOOK).status_code == 201
    expected = {
        "key": "deploy",
        "description": "",
        "enabled": True,
        "event_filter": EVENTS,
        "handlers": [{**HANDLER, "secret": "********"}],
    }
    assert platform.get(DEPLOY).json() == expected
    assert platform.get(SUBSCRIPTIONS).json() == [expected]
    replaced = platform.put(DEPLOY, json={**WEBHOOK, "enabled": False, "description": "x"})
    assert (replaced.status_code, replaced.content) == (204, b"")
    changed = platform.get(DEPLOY).json()
    assert (changed["enabled"], changed["description"]) == (False, "x")
    assert platform.delete(DEPLOY).status_code == 204
    assert error_of(platform.get(DEPLOY)) == (404, "NOT_FOUND", "Subscription with key deploy not found")
    assert platform.delete(DEPLOY).status_code == 404
    assert platform.put(DEPLOY, json=WEBHOOK).status_code == 404


def test_responses_contain_the_members_of_each_handler_that_were_sent(platform):
    url = {"url": "https://a.example.com"}
    handlers = [
        {"handler_type": "webhook", **url},
        {"handler_type": "webhook", **url, "use_secret_for_signing": False, "proxy": "", "custom_http_headers": []},
        {"handler_type": "custom-webhook", **url, "secrets": [{"name": "token", "value": "t0ken"}]},
        {"handler_type": "custom-webhook", **url, "method": "PUT", "payload": ""},
    ]
    assert platform.post(SUBSCRIPTIONS, json={**WEBHOOK, "handlers": handlers}).status_code == 201
    handlers[2]["secrets"] = [{"name": "token", "value": "********"}]
    assert platform.get(DEPLOY).json()["handlers"] == handlers


def read_secrets(platform: Session) -> tuple[Any, Any]:
    """Return the secrets of the webhook and of the custom webhook in responses."""
    (handler,) = platform.get(DEPLOY).json()["handlers"]
    (custom,) = platform.get(f"{SUBSCRIPTIONS}/custom").json()["handlers"]
    return handler.get("secret"), custom["secrets"][0].get("value")


@pytest.mark.parametrize(
    ("mode", "expected"), [("stored", ("s3cret", "t0ken")), ("masked", ("*" * 8, "*" * 8)), ("absent", (None, None))]
)
def test_secrets_are_returned_as_the_switch_says(platform, sandbox, mode, expected):
    sandbox.switch("artifact", webhook_secrets=mode)
    platform.post(SUBSCRIPTIONS, json=WEBHOOK)
    platform.post(SUBSCRIPTIONS, json={**WEBHOOK, "key": "custom", "handlers": [CUSTOM]})
    assert read_secrets(platform) == expected


@pytest.mark.parametrize("mode", ["masked", "encrypted", "stored"])
def test_secrets_that_are_sent_back_are_kept_and_missing_ones_are_removed(platform, sandbox, mode):
    sandbox.switch("artifact", webhook_secrets=mode)
    platform.post(SUBSCRIPTIONS, json=WEBHOOK)
    platform.post(SUBSCRIPTIONS, json={**WEBHOOK, "key": "custom", "handlers": [CUSTOM]})
    for address in (DEPLOY, f"{SUBSCRIPTIONS}/custom"):
        platform.put(address, json=platform.get(address).json())
    sandbox.switch("artifact", webhook_secrets="stored")
    assert read_secrets(platform) == ("s3cret", "t0ken")
    platform.put(DEPLOY, json={**WEBHOOK, "handlers": [{**HANDLER, "secret": None}]})
    assert read_secrets(platform)[0] is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"project_key": "nope"}, "project nope not found"),
        ({"event_filter": {**EVENTS, "criteria": {"repoKeys": ["nope"]}}}, "repository nope not found"),
    ],
)
def test_missing_names_are_refused_unless_the_switch_is_off(platform, sandbox, changes, message):
    webhook = {**WEBHOOK, **changes}
    assert error_of(platform.post(SUBSCRIPTIONS, json=webhook)) == (
        400,
        "BAD_REQUEST",
        f"Invalid subscription: {message}",
    )
    sandbox.switch("artifact", webhook_checks_names=False)
    assert platform.post(SUBSCRIPTIONS, json=webhook).status_code == 201


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"key": "a"}, "key must have 2 to 200 characters without spaces"),
        ({"key": "a b"}, "key must have 2 to 200 characters without spaces"),
        ({"description": "x" * 1001}, "description must have at most 1000 characters"),
        ({"handlers": []}, "handlers must have at least one element"),
        ({"handlers": [{**HANDLER, "handler_type": "x"}]}, "handler_type must be one of webhook, custom-webhook"),
        ({"handlers": [{**HANDLER, "url": "x"}]}, "url must be an http or https URL"),
        ({"handlers": [{**HANDLER, "proxy": "nope"}]}, "proxy with key 'nope' not found"),
        ({"handlers": [{**CUSTOM, "method": "HEAD"}]}, "method must be one of POST, PUT, GET, PATCH, DELETE"),
        ({"handlers": [{**CUSTOM, "secrets": ["x"]}]}, "secrets must be a list of names and values"),
        (
            {"event_filter": {**EVENTS, "event_types": ["pushed"]}},
            "event type pushed is not supported in domain artifact",
        ),
        ({"event_filter": {**EVENTS, "event_types": []}}, "event_filter.event_types must not be empty"),
        (
            {"event_filter": {**EVENTS, "criteria": {"repoKeys": "x"}}},
            "event_filter.criteria.repoKeys must be a list of texts",
        ),
        ({"event_filter": {**EVENTS, "criteria": 1}}, "event_filter.criteria must be an object"),
    ],
)
def test_invalid_webhook_is_refused(platform, changes, message):
    response = platform.post(SUBSCRIPTIONS, json={**WEBHOOK, **changes})
    assert error_of(response) == (400, "BAD_REQUEST", f"Invalid subscription: {message}")
    assert platform.get(SUBSCRIPTIONS).json() == []


def test_unknown_domain_is_refused(platform):
    response = platform.post(SUBSCRIPTIONS, json={**WEBHOOK, "event_filter": {"domain": "x"}})
    assert error_of(response)[2].startswith("Invalid subscription: event_filter.domain must be one of artifact, ")


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "10.1.2.3", "192.168.0.7", "[::1]"])
def test_private_target_is_refused_unless_the_policy_is_relaxed(platform, sandbox, host):
    webhook = {**WEBHOOK, "handlers": [{**HANDLER, "url": f"http://{host}:8080/hook"}]}
    assert error_of(platform.post(SUBSCRIPTIONS, json=webhook))[0] == 400
    sandbox.switch("artifact", url_strict_policy=False)
    assert platform.post(SUBSCRIPTIONS, json=webhook).status_code == 201


@pytest.mark.parametrize("status", [409, 400])
def test_existing_key_is_refused(platform, sandbox, status):
    sandbox.switch("artifact", webhook_conflict_status=status)
    platform.post(SUBSCRIPTIONS, json=WEBHOOK)
    assert error_of(platform.post(SUBSCRIPTIONS, json=WEBHOOK))[0] == status


def test_selected_builds_are_null_when_any_build_matches(platform):
    criteria = {"anyBuild": True, "selectedBuilds": ["app"]}
    event_filter = {"domain": "build", "event_types": ["uploaded"], "criteria": criteria}
    platform.post(SUBSCRIPTIONS, json={**WEBHOOK, "event_filter": event_filter})
    assert platform.get(DEPLOY).json()["event_filter"]["criteria"] == {"anyBuild": True, "selectedBuilds": None}


@pytest.mark.parametrize("changes", [{"key": "other"}, {"project_key": "other"}])
def test_key_and_project_cannot_be_changed(platform, changes):
    platform.post(SUBSCRIPTIONS, json=WEBHOOK)
    assert error_of(platform.put(DEPLOY, json={**WEBHOOK, **changes}))[0] == 400


def test_key_is_optional_in_the_body_of_a_replacement(platform):
    platform.post(SUBSCRIPTIONS, json=WEBHOOK)
    without_key = {name: value for name, value in WEBHOOK.items() if name != "key"}
    assert platform.put(DEPLOY, json=without_key).status_code == 204


def test_subscription_is_tested_without_being_stored(platform, sandbox):
    message = "https://deploy.example.com/hook responded with status"
    assert platform.post(f"{SUBSCRIPTIONS}/test", json=WEBHOOK).json() == {
        "result": "success",
        "message": f"{message} 200",
    }
    sandbox.switch("artifact", webhook_test_fails=True)
    failed = platform.post(f"{SUBSCRIPTIONS}/test", json=WEBHOOK)
    assert (failed.status_code, failed.json()["result"]) == (200, "failure")
    assert platform.get(SUBSCRIPTIONS).json() == []
    assert [entry["effect"] for entry in sandbox.journal("artifact")] == ["read"] * 3


def test_webhooks_require_the_token_of_an_administrator(sandbox):
    assert error_of(Session(sandbox.url).get(SUBSCRIPTIONS))[0] == 401
    assert error_of(Session(sandbox.url, ("admin", "sandbox-admin")).get(SUBSCRIPTIONS))[0] == 401
    sandbox.switch("artifact", events_accept_passwords=True)
    assert Session(sandbox.url, ("admin", "sandbox-admin")).get(SUBSCRIPTIONS).status_code == 200
    assert error_of(Session(sandbox.url, ("reader", "sandbox-reader")).get(SUBSCRIPTIONS))[0] == 403


def test_event_service_is_missing_in_the_open_source_edition(platform, sandbox):
    sandbox.switch("artifact", edition="oss")
    assert error_of(platform.get(SUBSCRIPTIONS))[0] == 404


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null"])
def test_malformed_body_is_refused(platform, body):
    assert error_of(platform.post(SUBSCRIPTIONS, data=body))[0] == 400
