# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from typing import Any

import pytest

from support.advice import PREDICT_MISSING
from support.conversation import Call, call, conversation
from support.running import run

LIST = "/event/api/v1/subscriptions"
KEY = "deploy"
ADDRESS = f"{LIST}/{KEY}"
URL = "https://deploy.example.com/hook"
VERSION = call("GET", "/artifactory/api/system/version", json={"version": "7.98.4", "license": "Pro"})
NOT_FOUND = {"errors": [{"code": "NOT_FOUND", "message": "Subscription with key deploy not found"}]}
MASK = "********"
CRITERIA = {
    "anyLocal": True,
    "anyRemote": False,
    "anyFederated": False,
    "repoKeys": [],
}
TASK: dict[str, Any] = {
    "key": KEY,
    "domain": "artifact",
    "event_types": ["deployed"],
    "criteria": {"any_local": True},
    "webhook_url": URL,
}
SECRET = {"secret": "s3cret-word"}
EVENT_FILTER = {"domain": "artifact", "event_types": ["deployed"], "criteria": CRITERIA}
# As JFrog's Terraform provider writes it: without members that are empty, except the secret, which tells that there is
# none
HANDLER = {"handler_type": "webhook", "url": URL, "secret": ""}
CUSTOM_HANDLER = {"handler_type": "custom-webhook", "url": URL, "secrets": [{"name": "token", "value": MASK}]}
BODY = {"key": KEY, "description": "", "enabled": True, "event_filter": EVENT_FILTER, "handlers": [HANDLER]}
RESULT = {
    "key": KEY,
    "description": "",
    "enabled": True,
    "project": "",
    "domain": "artifact",
    "event_types": ["deployed"],
    "criteria": {
        "any_local": True,
        "any_remote": False,
        "any_federated": False,
        "repositories": [],
        "include_patterns": [],
        "exclude_patterns": [],
    },
    "handler": "webhook",
    "webhook_url": URL,
    "use_secret_for_signing": False,
    "proxy": "",
    "headers": [],
}


def with_handler(**members: Any) -> dict[str, Any]:
    """Return a webhook as the API has it, with members of its handler."""
    return {**BODY, "handlers": [{**HANDLER, **members}]}


def with_events(domain: str, event_type: str, **criteria: Any) -> dict[str, Any]:
    """Return a webhook as the API has it, with other events."""
    members = {"criteria": criteria} if criteria else {}
    return {**BODY, "event_filter": {"domain": domain, "event_types": [event_type], **members}}


def custom(**members: Any) -> dict[str, Any]:
    """Return a custom webhook as the API has it."""
    return {**BODY, "handlers": [{**CUSTOM_HANDLER, **members}]}


def has(webhook: dict[str, Any] | None) -> Call:
    """Return the read of the webhook."""
    return call("GET", ADDRESS, json=webhook) if webhook else call("GET", ADDRESS, 404, json=NOT_FOUND)


def created(body: dict[str, Any], status: int = 201, **response: Any) -> Call:
    return call("POST", LIST, status, sent_json=body, **response)


def replaced(body: dict[str, Any], status: int = 204, **response: Any) -> Call:
    return call("PUT", ADDRESS, status, sent_json=body, **response)


def replacement(before: dict[str, Any], body: dict[str, Any], after: dict[str, Any]) -> tuple[Call, ...]:
    """Return the change of a webhook, which is disabled meanwhile."""
    if not body["enabled"]:
        return has(before), has(before), replaced(body), has(after)
    disabled = {**after, "enabled": False}
    enabling = (has(disabled), replaced(body), has(after))
    return has(before), has(before), replaced({**body, "enabled": False}), has(disabled), *enabling


def manage(server: Any, **options: Any) -> dict[str, Any]:
    return run("artifact_webhook", url=server.url, **{"token": "t0ken-of-mine", **TASK, **options})


@pytest.mark.parametrize(
    "stored",
    [
        BODY,
        {**BODY, "description": None, "project_key": "default", "debug": False},
        {**BODY, "event_filter": {**EVENT_FILTER, "criteria": {"anyLocal": True}}},
        {
            "key": KEY,
            "event_filter": {**EVENT_FILTER, "criteria": {"anyLocal": True, "repoKeys": None}},
            "handlers": [{"handler_type": "webhook", "url": URL}],
        },
    ],
)
def test_unchanged_webhook_costs_one_request(stored: dict[str, Any]) -> None:
    with conversation(has(stored)) as server:
        result = manage(server, description="", enabled=True, project="", proxy="", headers=[], **SECRET)
    assert result == {"changed": False, "webhook": RESULT}


def test_lists_are_compared_as_sets() -> None:
    criteria = {**CRITERIA, "repoKeys": ["b", "a"], "includePatterns": ["y/**", "x/**"]}
    stored = {
        **with_handler(custom_http_headers=[{"name": "B", "value": "2"}, {"name": "A", "value": "1"}]),
        "event_filter": {"domain": "artifact", "event_types": ["moved", "deployed"], "criteria": criteria},
    }
    with conversation(has(stored)) as server:
        result = manage(
            server,
            event_types=["deployed", "moved", "moved"],
            criteria={"repositories": ["a", "b", "a"], "include_patterns": ["x/**", "y/**"]},
            headers=[{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
        )
    assert not result["changed"]


def test_unchanged_webhooks_cost_one_request_in_total() -> None:
    with conversation(call("GET", LIST, json=[{**BODY, "key": key} for key in ("bb", "aa", "cc")])) as server:
        items = [{"key": "aa"}, {"key": "bb"}, {"key": "gone", "state": "absent"}]
        result = manage(server, key=None, items=items, undeclared="report")
    assert (result["changed"], result["counts"]["ok"], result["undeclared"]) == (False, 3, ["cc"])


def test_undeclared_webhooks_are_deleted() -> None:
    unknown = {**BODY, "key": "old", "event_filter": {"domain": "newer", "event_types": ["x"]}}
    gone = call("GET", f"{LIST}/old", 404, json=NOT_FOUND)
    with conversation(
        call("GET", LIST, json=[BODY, unknown]), call("DELETE", f"{LIST}/old", 204), gone, VERSION
    ) as server:
        options = {name: value for name, value in TASK.items() if name not in ("key", "domain")}
        items = [{"key": KEY, "domain": "artifact"}]
        result = run("artifact_webhook", url=server.url, token="t0ken", **options, items=items, undeclared="remove")
    assert (result["changed"], result["undeclared"]) == (True, ["old"])


def test_missing_webhook_is_created() -> None:
    body = with_handler(secret="s3cret-word", custom_http_headers=[{"name": "X-Team", "value": "web"}])
    headers = [{"name": "X-Team", "value": "web"}]
    masked = with_handler(secret=MASK, custom_http_headers=headers)
    with conversation(has(None), VERSION, created(body, json=masked), has(masked)) as server:
        result = manage(server, **SECRET, headers=headers, diff_mode=True)
    shown_headers = [{"name": "X-Team", "value": "web"}]
    assert result["webhook"] == {**RESULT, "headers": shown_headers}
    assert result["diff"]["before"] == {"state": "absent"}
    assert "s3cret-word" not in json.dumps(result)


def test_check_mode_predicts_the_new_webhook() -> None:
    with conversation(has(None), VERSION) as server:
        result = manage(server, check_mode=True, test_event=True, **SECRET)
    assert result == {"changed": True, "webhook": RESULT}


@pytest.mark.parametrize(
    ("key", "encoded"), [("a%2F;b=ü", "a%252F%3Bb%3D%C3%BC"), ("a?b#c&+", "a%3Fb%23c%26%2B"), ("test", "test")]
)
def test_special_characters_in_the_key_are_encoded(key: str, encoded: str) -> None:
    stored = {**BODY, "key": key, "enabled": False}
    address = f"{LIST}/{encoded}"
    missing = call("GET", address, 404, json=NOT_FOUND)
    with conversation(missing, VERSION, created(stored), call("GET", address, json=stored)) as server:
        assert manage(server, key=key, enabled=False)["webhook"]["key"] == key


def test_webhook_of_a_project_is_created() -> None:
    body = {**BODY, "project_key": "web"}
    with conversation(has(None), VERSION, created(body), has(body)) as server:
        assert manage(server, project="web")["webhook"]["project"] == "web"


def test_custom_webhook_is_created() -> None:
    handler = {
        **CUSTOM_HANDLER,
        "method": "PUT",
        "payload": "{{ .data.path }}\n",
        "http_headers": [{"name": "Authorization", "value": "Bearer {{.secrets.token}}"}],
        "secrets": [{"name": "token", "value": "t0ken-word"}],
    }
    stored = {**BODY, "handlers": [{**handler, "secrets": [{"name": "token"}]}]}
    with conversation(has(None), VERSION, created({**BODY, "handlers": [handler]}), has(stored)) as server:
        result = manage(
            server,
            handler="custom_webhook",
            method="PUT",
            payload="{{ .data.path }}\n",
            headers=[{"name": "Authorization", "value": "Bearer {{.secrets.token}}"}],
            secrets=[{"name": "token", "secret_value": "t0ken-word"}],
        )
    assert result["webhook"] == {
        **{name: value for name, value in RESULT.items() if name != "use_secret_for_signing"},
        "handler": "custom_webhook",
        "method": "PUT",
        "payload": "{{ .data.path }}\n",
        "headers": [{"name": "Authorization", "value": "Bearer {{.secrets.token}}"}],
        "secrets": [{"name": "token"}],
    }


@pytest.mark.parametrize(
    ("domain", "event_type", "criteria", "members"),
    [
        ("artifact_property", "added", {"any_remote": True}, {**CRITERIA, "anyLocal": False, "anyRemote": True}),
        ("docker", "pushed", {"any_federated": True}, {**CRITERIA, "anyLocal": False, "anyFederated": True}),
        (
            "build",
            "uploaded",
            {"builds": ["b", "a"], "exclude_patterns": ["x*"]},
            {"anyBuild": False, "selectedBuilds": ["a", "b"], "excludePatterns": ["x*"]},
        ),
        *(
            (
                domain,
                event_type,
                {"release_bundles": ["web"]},
                {"anyReleaseBundle": False, "registeredReleaseBundlesNames": ["web"]},
            )
            for domain, event_type in (
                ("release_bundle", "signed"),
                ("distribution", "distribute_aborted"),
                ("destination", "received"),
                ("artifactory_release_bundle", "delete_failed"),
            )
        ),
        (
            "release_bundle_v2",
            "release_bundle_v2_completed",
            {"release_bundles_v2": {"web": ["b", "a"], "app": []}},
            {"anyReleaseBundle": False, "selectedReleaseBundles": {"web": ["a", "b"], "app": []}},
        ),
        (
            "release_bundle_v2_promotion",
            "release_bundle_v2_promotion_failed",
            {"environments": ["PROD"]},
            {"selectedEnvironments": ["PROD"]},
        ),
        ("artifact_lifecycle", "archive", {}, {}),
        ("user", "locked", None, {}),
    ],
)
def test_each_domain_has_its_criteria(
    domain: str, event_type: str, criteria: dict[str, Any] | None, members: dict[str, Any]
) -> None:
    body = with_events(domain, event_type, **members)
    task = {"domain": domain, "event_types": [event_type]}
    task = {**TASK, **task, "criteria": criteria} if criteria is not None else {**TASK, **task}
    if criteria is None:
        del task["criteria"]
    with conversation(has(None), VERSION, created(body), has(body), has(body)) as server:
        options = {"url": server.url, "token": "t0ken-of-mine", **task}
        assert run("artifact_webhook", **options)["changed"]
        assert not run("artifact_webhook", **options)["changed"]


def test_release_bundles_in_a_list_are_equal() -> None:
    stored = with_events("release_bundle_v2", "release_bundle_v2_failed", selectedReleaseBundles=["web"])
    task = {"domain": "release_bundle_v2", "event_types": ["release_bundle_v2_failed"]}
    with conversation(has(stored)) as server:
        assert not manage(server, **task, criteria={"release_bundles_v2": {"web": []}})["changed"]


def test_null_instead_of_selected_builds_is_equal() -> None:
    stored = with_events("build", "uploaded", anyBuild=True, selectedBuilds=None)
    task = {"domain": "build", "event_types": ["uploaded"]}
    with conversation(has(stored)) as server:
        assert not manage(server, **task, criteria={"any_build": True, "builds": []})["changed"]


def test_change_keeps_members_without_an_option() -> None:
    handler = {**HANDLER, "timeout": 5, "proxy": "", "use_secret_for_signing": False}
    event_filter = {**EVENT_FILTER, "criteria": {**CRITERIA, "newer": ["x"]}}
    stored = {**BODY, "debug": True, "event_filter": event_filter, "handlers": [handler]}
    body = {**stored, "enabled": False}
    with conversation(*replacement(stored, body, after=body)) as server:
        result = run("artifact_webhook", url=server.url, key=KEY, enabled=False, diff_mode=True)
    assert result["diff"] == {
        "before": {"state": "present", "enabled": True},
        "after": {"state": "present", "enabled": False},
    }


def test_lists_are_replaced_and_other_criteria_are_kept() -> None:
    criteria = {**CRITERIA, "repoKeys": ["a"], "excludePatterns": ["x/**"]}
    stored = {
        **with_handler(custom_http_headers=[{"name": "Old", "value": "1"}]),
        "event_filter": {**EVENT_FILTER, "criteria": criteria},
    }
    body = {
        **with_handler(custom_http_headers=[{"name": "New", "value": "2"}]),
        "event_filter": {**EVENT_FILTER, "criteria": {**criteria, "repoKeys": ["b"]}},
    }
    with conversation(*replacement(stored, body, after=body)) as server:
        result = manage(server, criteria={"repositories": ["b"]}, headers=[{"name": "New", "value": "2"}])
    assert result["webhook"]["criteria"]["exclude_patterns"] == ["x/**"]


def test_webhook_that_another_client_disables_stays_disabled() -> None:
    disabled = {**BODY, "enabled": False}
    body = {**disabled, "description": "x"}
    with conversation(has(BODY), has(disabled), has(disabled), replaced(body), has(body)) as server:
        result = run("artifact_webhook", url=server.url, key=KEY, description="x")
    assert (result["changed"], result["webhook"]["enabled"]) == (True, False)
    assert "Another client changed the webhook while the task was running" in result["warnings"][0]


def test_webhook_stays_disabled_when_the_server_stores_other_criteria_than_were_sent() -> None:
    body = {**BODY, "enabled": False, "description": "x"}
    stored = {**body, "event_filter": {**EVENT_FILTER, "criteria": {**CRITERIA, "anyRemote": True}}}
    with conversation(has(BODY), has(BODY), replaced(body), has(stored)) as server:
        result = run("artifact_webhook", url=server.url, key=KEY, description="x")
    assert (result["failed"], result["changed"], result["webhook"]["enabled"]) == (True, True, False)
    assert result["msg"] == (
        "The server accepted the change, but these fields of the webhook do not have the requested values: criteria "
        "(any_remote). The webhook is disabled now."
    )


def test_domain_and_handler_are_changed() -> None:
    stored = with_handler(secret=MASK, use_secret_for_signing=True)
    handler = {"handler_type": "custom-webhook", "url": URL}
    event_filter = with_events("build", "uploaded", anyBuild=True)["event_filter"]
    body = {**BODY, "event_filter": event_filter, "handlers": [handler]}
    task = {"domain": "build", "event_types": ["uploaded"], "criteria": {"any_build": True}}
    with conversation(has(stored), *replacement(stored, body, after=body)) as server:
        predicted = manage(server, **task, handler="custom_webhook", check_mode=True)
        result = manage(server, **task, handler="custom_webhook")
    assert predicted["webhook"] == result["webhook"]
    assert "use_secret_for_signing" not in result["webhook"]


# Secrets


@pytest.mark.parametrize("secret", ["s3cret-word", "AM.encrypted-text"])
def test_secret_that_the_server_returns_is_sent_back(secret: str) -> None:
    stored = with_handler(secret=secret)
    body = {**stored, "enabled": False}
    with conversation(*replacement(stored, body, after=body)) as server:
        result = manage(server, enabled=False)
    assert result["changed"]
    assert secret not in json.dumps(result)


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("secret", [MASK, "•••", None])
def test_change_that_would_destroy_a_hidden_secret_is_refused(secret: str | None, check_mode: bool) -> None:
    with conversation(has(with_handler(secret=secret))) as server:
        result = manage(server, enabled=False, check_mode=check_mode)
    assert not result["changed"]
    assert "Option 'secret': is required to change webhook 'deploy': Artifactory replaces" in result["msg"]


@pytest.mark.parametrize(("secret", "stored"), [("s3cret-word", MASK), ("", "")])
def test_hidden_secret_is_written_again_with_another_change(secret: str, stored: str) -> None:
    after = {**with_handler(secret=stored), "enabled": False}
    body = {**with_handler(secret=secret), "enabled": False}
    with conversation(*replacement(with_handler(secret=MASK), body, after=after)) as server:
        result = manage(server, enabled=False, secret=secret, diff_mode=True)
    assert (result["diff"]["before"]["enabled"], result["diff"]["after"]["enabled"]) == (True, False)
    assert result["diff"]["after"]["updated_secrets"] == ["secret"]


def test_secret_is_sent_again_when_requested() -> None:
    stored = with_handler(secret=MASK)
    with conversation(*replacement(stored, with_handler(**SECRET), after=stored)) as server:
        result = manage(server, **SECRET, update_secret="always", diff_mode=True)
    assert result["changed"]
    assert result["diff"]["after"]["updated_secrets"] == ["secret"]


def test_secret_headers_are_not_compared_or_returned() -> None:
    headers = [{"name": "Authorization", "secret_value": "Bearer new-word"}, {"name": "X-Team", "secret_value": "web"}]
    stored = with_handler(
        custom_http_headers=[{"name": "Authorization", "value": "Bearer old-word"}, {"name": "X-Team", "value": "abc"}]
    )
    sent = [{"name": header["name"], "value": header["secret_value"]} for header in headers]
    body = {**with_handler(custom_http_headers=sent), "enabled": False}
    with conversation(has(stored), *replacement(stored, body, after=body)) as server:
        unchanged = manage(server, headers=headers)
        changed = manage(server, headers=headers, enabled=False, diff_mode=True)
    hidden = [{"name": "Authorization", "value": None}, {"name": "X-Team", "value": None}]
    assert (unchanged["changed"], unchanged["webhook"]["headers"]) == (False, hidden)
    assert changed["diff"]["after"]["updated_secrets"] == [
        "headers.Authorization.secret_value",
        "headers.X-Team.secret_value",
    ]
    assert "word" not in json.dumps([unchanged, changed])


def test_value_that_a_header_had_before_is_not_shown() -> None:
    before, after = (
        with_handler(custom_http_headers=[{"name": "X-Team", "value": value}, {"name": "X-Other", "value": "its-word"}])
        for value in ("old-word", "web")
    )
    headers = [{"name": "X-Other"}, {"name": "X-Team", "value": "web"}]
    sent = sorted(after["handlers"][0]["custom_http_headers"], key=lambda header: header["name"])
    body = with_handler(custom_http_headers=sent)
    with conversation(*replacement(before, body, after=after)) as server:
        result = manage(server, headers=headers, diff_mode=True)
    old, new = ([header["value"] for header in result["diff"][side]["headers"]] for side in ("before", "after"))
    assert (result["changed"], old, new) == (True, [None, None], [None, "web"])
    assert "word" not in json.dumps(result)


def test_header_without_value_keeps_its_value() -> None:
    stored = with_handler(custom_http_headers=[{"name": "Authorization", "value": "Bearer old-word"}])
    body = {**stored, "enabled": False}
    headers = [{"name": "Authorization"}]
    with conversation(has(stored), *replacement(stored, body, after=body)) as server:
        assert not manage(server, headers=headers)["changed"]
        assert manage(server, headers=headers, enabled=False)["changed"]


@pytest.mark.parametrize("stored", [[], [{"name": "Authorization"}], [{"name": "Authorization", "value": MASK}]])
def test_header_without_known_value_is_refused(stored: list[dict[str, str]]) -> None:
    with conversation(has(with_handler(custom_http_headers=stored))) as server:
        result = manage(server, headers=[{"name": "Authorization"}], enabled=False)
    assert "Option 'headers.Authorization': requires 'value' or 'secret_value'" in result["msg"]


def test_secrets_of_custom_webhooks_are_kept_replaced_and_removed() -> None:
    secrets = [{"name": name, "value": f"{name}-word"} for name in ("kept", "old", "rotated")]
    stored = custom(secrets=secrets)
    values = {"kept": "kept-word", "new": "new-word", "rotated": "rotated-again"}
    body = custom(secrets=[{"name": name, "value": value} for name, value in values.items()])
    task = {"handler": "custom_webhook"}
    declared = [
        {"name": "kept"},
        {"name": "rotated", "secret_value": "rotated-again"},
        {"name": "new", "secret_value": "new-word"},
    ]
    with conversation(*replacement(stored, body, after=body)) as server:
        result = manage(server, **task, secrets=declared, diff_mode=True)
    assert result["diff"]["after"]["updated_secrets"] == ["secrets.rotated.secret_value", "secrets.new.secret_value"]
    assert result["webhook"]["secrets"] == [{"name": "kept"}, {"name": "new"}, {"name": "rotated"}]
    assert "word" not in json.dumps(result)


def test_hidden_secrets_of_custom_webhooks_are_not_destroyed() -> None:
    with conversation(has(custom())) as server:
        result = manage(server, payload="x")
    assert "Option 'secrets.token': is required to change webhook 'deploy'" in result["msg"]
    with conversation(has(custom())) as server:
        result = manage(server, secrets=[{"name": "token"}, {"name": "new"}])
    assert "Option 'secrets.new': requires 'secret_value', because webhook 'deploy'" in result["msg"]


# Refusals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"domain": "artefact"},
            "Option 'domain': 'artefact' is unknown. Did you mean 'artifact'? Known are artifact, ",
        ),
        (
            {"event_types": ["deploy"]},
            "Option 'event_types': 'deploy' does not exist in domain 'artifact'. Did you mean 'deployed'? It has ",
        ),
        ({"criteria": {"any_build": True}}, "Option 'criteria.any_build': does not apply to domain 'artifact'. It has"),
        (
            {"domain": "user", "event_types": ["locked"]},
            "Option 'criteria.any_local': does not apply to domain 'user'. It has no criteria",
        ),
        (
            {"handler": "webhook", "payload": "x"},
            "Option 'payload': does not apply to the handler 'webhook', only to 'custom_webhook'",
        ),
        (
            {"handler": "custom_webhook", **SECRET},
            "Option 'secret': does not apply to the handler 'custom_webhook', only to 'webhook'",
        ),
        ({"webhook_url": "ftp://x"}, "Option 'webhook_url': must be a URL such as"),
        ({"webhook_url": "https://a b"}, "Option 'webhook_url': must be a URL without spaces"),
        ({"webhook_url": "https://me:w0rd@x"}, "Option 'webhook_url': must not contain a user name or password"),
        ({"key": "a"}, "Option 'key': must be 2 to 200 characters without spaces"),
        ({"key": ".."}, "Option 'key': '..' is not a valid part of a path"),
        ({"headers": [{"value": "x"}]}, "Option 'headers[0].name': is required"),
        ({"headers": [{"name": "A", "value": "1"}] * 2}, "Option 'headers[1].name': 'A' is listed twice"),
        (
            {"headers": [{"name": "X-Token", "value": "x"}]},
            "Option 'headers[0].value': 'X-Token' is the name of a credential. Use 'secret_value' instead",
        ),
        (
            {"headers": [{"name": "A", "value": "x", "secret_value": "y"}]},
            "Option 'headers[0].value': cannot be combined with 'secret_value'",
        ),
        ({"event_types": []}, "Option 'event_types': must not be empty"),
        ({"criteria": None}, "Option 'criteria': must not be null"),
        ({"criteria": {"include_patterns": None}}, "Option 'criteria.include_patterns': must not be null"),
        (
            {"criteria": {"release_bundles_v2": {"web": "x"}}},
            "Option 'criteria.release_bundles_v2.web': must be a list of strings, which may be empty",
        ),
    ],
)
def test_options_are_refused_before_the_first_request(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        result = manage(server, **options)
    assert result["msg"].startswith(message)
    assert "w0rd" not in json.dumps(result)


@pytest.mark.parametrize("option", ["domain", "event_types", "webhook_url"])
def test_options_are_required_for_a_new_webhook(option: str) -> None:
    task = {name: value for name, value in TASK.items() if name != option}
    with conversation(has(None), VERSION) as server:
        result = run("artifact_webhook", url=server.url, **task)
    assert result["msg"] == f"Option '{option}': is required, because webhook 'deploy' does not exist."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"event_types": ["pushed"]}, "'pushed' does not exist in domain 'artifact'"),
        ({"criteria": {"any_build": True}}, "does not apply to domain 'artifact'"),
        ({"payload": "x"}, "does not apply to the handler 'webhook'"),
        (
            {"criteria": {"any_local": False}},
            "Option 'criteria': must select something. Set at least one of any_federa",
        ),
        ({"domain": "docker"}, "Option 'event_types': is required to change the domain of webhook 'deploy'"),
        ({"project": "web"}, "The project of webhook 'deploy' cannot be changed from '' to 'web'."),
    ],
)
def test_options_that_do_not_fit_the_existing_webhook_are_refused(options: dict[str, Any], message: str) -> None:
    with conversation(has(BODY)) as server:
        result = run("artifact_webhook", url=server.url, key=KEY, **options)
    assert message in result["msg"]
    assert not result["changed"]


def test_unknown_events_are_allowed_on_request() -> None:
    body = with_events("artifact", "restored", **CRITERIA)
    with conversation(has(None), VERSION, created(body), has(body)) as server:
        assert manage(server, event_types=["restored"], allow_unknown_events=True)["changed"]
    body = with_events("newer", "x")
    with conversation(has(None), VERSION, created(body), has(body)) as server:
        task = {"key": KEY, "domain": "newer", "event_types": ["x"], "webhook_url": URL}
        assert run("artifact_webhook", url=server.url, **task, allow_unknown_events=True)["changed"]


def test_event_types_of_an_unknown_domain_must_be_allowed() -> None:
    with conversation(has(with_events("newer", "x"))) as server:
        result = run("artifact_webhook", url=server.url, key=KEY, event_types=["y"])
    assert result["msg"] == (
        "Option 'event_types': domain 'newer' is unknown. Set 'allow_unknown_events: true' to change its event types."
    )


def test_webhook_with_unknown_events_is_changed_without_them() -> None:
    stored = with_events("newer", "x", severity="high")
    body = {**stored, "enabled": False}
    with conversation(*replacement(stored, body, after=body)) as server:
        result = run("artifact_webhook", url=server.url, key=KEY, enabled=False)
    assert (result["webhook"]["domain"], result["webhook"]["criteria"]) == ("newer", {})


def test_unknown_handler_is_not_replaced_unless_requested() -> None:
    stored = with_handler(handler_type="newer")
    with conversation(has(stored)) as server:
        result = manage(server, enabled=False)
    assert "Option 'handler': is required, because the webhook has the unknown handler 'newer'" in result["msg"]


def test_webhook_with_several_handlers_is_not_changed() -> None:
    stored = {**BODY, "handlers": [HANDLER, HANDLER]}
    with conversation(has(stored)) as server:
        assert "Webhook 'deploy' has 2 handlers" in manage(server)["msg"]
    with conversation(has(stored), call("DELETE", ADDRESS, 204), has(None), VERSION) as server:
        assert manage(server, state="absent")["changed"]


# Prediction

REPOSITORIES = call("GET", "/artifactory/api/repositories", json=[{"key": "libs", "type": "LOCAL"}])
CONFIGURATION = "<config><proxies><proxy><key>corporate</key></proxy></proxies></config>"


def test_missing_repositories_are_predicted() -> None:
    with conversation(has(BODY), REPOSITORIES) as server:
        result = manage(server, criteria={"repositories": ["nope", "libs"]}, check_mode=True)
    assert result["msg"] == "Option 'criteria.repositories': these repositories do not exist: nope." + PREDICT_MISSING
    with conversation(has(BODY)) as server:
        options = {"check_mode": True, "predict_missing": True}
        assert manage(server, criteria={"repositories": ["nope"]}, **options)["changed"]


def test_repositories_that_the_webhook_has_are_not_verified() -> None:
    stored = with_events("artifact", "deployed", **{**CRITERIA, "repoKeys": ["gone"]})
    with conversation(has(stored)) as server:
        assert manage(server, criteria={"repositories": ["gone"]}, enabled=False, check_mode=True)["changed"]


def test_missing_project_is_predicted() -> None:
    error = {"errors": [{"code": "NOT_FOUND", "message": "HTTP 404"}]}
    project = "/access/api/v1/projects/nope"
    with conversation(has(None), VERSION, call("GET", project, 404, json=error)) as server:
        result = manage(server, project="nope", check_mode=True)
    assert result["msg"] == "Option 'project': 'nope' does not exist on this server." + PREDICT_MISSING
    with conversation(has(None), VERSION, call("GET", project, 403, json=error)) as server:
        assert manage(server, project="nope", check_mode=True)["changed"]


def test_missing_proxy_is_predicted() -> None:
    configuration = call("GET", "/artifactory/api/system/configuration", text=CONFIGURATION)
    with conversation(has(BODY), configuration, has(BODY), configuration) as server:
        assert manage(server, proxy="corporate", check_mode=True)["changed"]
        result = manage(server, proxy="nope", check_mode=True)
    assert result["msg"] == "Option 'proxy': 'nope' does not exist on this server." + PREDICT_MISSING


# Test event


def event_sent(body: dict[str, Any], status: int = 200, **response: Any) -> Call:
    return call("POST", f"{LIST}/test", status, sent_json=body, **response)


def test_test_event_is_sent_before_a_change() -> None:
    passed = event_sent(BODY, json={"result": "success", "message": "Test is successful"})
    with conversation(has(None), VERSION, passed, created(BODY), has(BODY), has(BODY)) as server:
        assert manage(server, test_event=True)["changed"]
        assert not manage(server, test_event=True)["changed"]


@pytest.mark.parametrize(
    ("response", "message"),
    [
        (
            {"json": {"result": "failure", "message": "responded with 503."}},
            "The test event failed: responded with 503. The webhook 'deploy' was not written. Check 'webhook_url'",
        ),
        ({"json": {"result": "FAILED"}}, "The test event failed: no reason given. The webhook"),
        ({"text": "<html>"}, "The result of the test event is unknown: "),
        ({"drop": True}, "The result of the test event is unknown: "),
        ({"status": 405}, "Cannot send a test event: this version of Artifactory does not support it."),
    ],
)
def test_webhook_is_not_written_when_the_test_event_fails(response: dict[str, Any], message: str) -> None:
    with conversation(has(None), VERSION, event_sent(BODY, **response)) as server:
        result = manage(server, test_event=True)
    assert result["msg"].startswith(message)
    assert "was not written" in result["msg"]
    assert not result["changed"]


# Failures of the server


@pytest.mark.parametrize("status", [409, 400])
def test_webhook_that_another_client_has_created_is_compared_again(status: int) -> None:
    error = {"errors": [{"code": "CONFLICT", "message": "Subscription with key deploy already exists"}]}
    with conversation(has(None), VERSION, created(BODY, status, json=error), has(BODY)) as server:
        result = manage(server)
    assert not result["changed"]
    assert "compared again" in result["warnings"][0]


def test_lost_responses_are_resolved_by_reading_back() -> None:
    with conversation(has(None), VERSION, created(BODY, drop=True), has(BODY)) as server:
        assert manage(server)["changed"]
    disabled = {**BODY, "enabled": False}
    with conversation(has(BODY), has(BODY), replaced(disabled, drop=True), has(disabled)) as server:
        assert manage(server, enabled=False, retries=0)["changed"]


def test_change_without_effect_is_reported() -> None:
    with conversation(*replacement(BODY, {**BODY, "enabled": False}, after=BODY)) as server:
        result = manage(server, enabled=False)
    assert "The server accepted the change, but these fields of the webhook do not have" in result["msg"]


def test_webhook_is_deleted() -> None:
    with conversation(has(BODY), call("DELETE", ADDRESS, 204), has(None), VERSION) as server:
        result = manage(server, state="absent", diff_mode=True)
    assert (result["changed"], result["webhook"]) == (True, None)
    assert (result["diff"]["before"]["webhook_url"], result["diff"]["after"]) == (URL, {"state": "absent"})


@pytest.mark.parametrize(
    ("response", "message"),
    [
        (call("GET", ADDRESS, 404, text="<html>"), "404, but not from the Event API. Check that 'url' is the root"),
        (call("GET", ADDRESS, json=[]), "GET "),
        (call("GET", ADDRESS, json={**BODY, "handlers": []}), "handlers"),
        (call("GET", ADDRESS, 403, json={"errors": [{"code": "FORBIDDEN", "message": "Forbidden"}]}), "Forbidden"),
    ],
)
def test_unexpected_response_is_reported(response: Call, message: str) -> None:
    following = [VERSION] if response.status in (403, 404) else []
    with conversation(response, *following) as server:
        result = manage(server)
    assert message in result["msg"]
    assert "defect" not in result["msg"]


def test_open_source_edition_is_reported() -> None:
    version = call("GET", "/artifactory/api/system/version", json={"version": "7.77.3", "license": "OSS"})
    with conversation(has(None), version) as server:
        assert manage(server)["msg"].startswith("Managing webhooks requires Artifactory Pro")


def test_refused_password_is_explained() -> None:
    error = {"errors": [{"code": "UNAUTHORIZED", "message": "Token validation failed"}]}
    with conversation(call("GET", LIST, 401, json=error)) as server:
        result = run("artifact_webhook_info", url=server.url, username="admin", password="secret-of-admin")
    assert result["msg"].endswith("The Event API may accept only access tokens.")


# Information


def test_information_has_the_form_of_the_options_without_secrets() -> None:
    second = {
        **custom(
            secrets=[{"name": "token", "value": "t0ken-word"}],
            http_headers=[
                {"name": "Authorization", "value": "Bearer other-word"},
                {"name": "X-Auth", "value": "{{.secrets.token}}"},
                {"name": "X-Custom", "value": "another-word"},
                {"name": "content-type", "value": "text/plain"},
            ],
        ),
        "key": "scan",
    }
    with conversation(call("GET", LIST, json=[second, with_handler(secret="s3cret-word")])) as server:
        result = run("artifact_webhook_info", url=server.url)
    first, scan = result["webhooks"]
    assert first == RESULT
    assert scan["headers"] == [
        {"name": "Authorization", "value": None},
        {"name": "X-Auth", "value": "{{.secrets.token}}"},
        {"name": "X-Custom", "value": None},
        {"name": "content-type", "value": "text/plain"},
    ]
    assert scan["secrets"] == [{"name": "token"}]
    assert "word" not in json.dumps(result)
    with conversation(call("GET", LIST, json=[second, with_handler(secret="s3cret-word")])) as server:
        again = run("artifact_webhook", url=server.url, items=result["webhooks"])
    assert not again["changed"]


def test_information_about_one_webhook_or_none() -> None:
    with conversation(has({**BODY, "handlers": [HANDLER, HANDLER]}), has(None), VERSION) as server:
        one = run("artifact_webhook_info", url=server.url, key=KEY)
        none = run("artifact_webhook_info", url=server.url, key=KEY)
    assert (one["webhooks"], none["webhooks"]) == ([RESULT], [])
    assert one["warnings"] == ["Webhook 'deploy' has 2 handlers. Only the first one is returned."]
