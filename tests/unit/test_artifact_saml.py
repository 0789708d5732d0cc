# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.running import run

LIST = "/access/api/v1/saml"
ADDRESS = f"{LIST}/okta"
VERSION = "/artifactory/api/system/version"
CERTIFICATE = (
    "MIIBizCCATGgAwIBAgIUf3Nm33ID38g5FnQA1aUvJCPOeEMwCgYIKoZIzj0EAwIwGjEYMBYGA1UEAwwPaWRwLmV4YW1wbGUuY29tMCAXDTI2MTE"
    "yNzA3MDYwNVoYDzIxMjYxMTAzMDcwNjA1WjAaMRgwFgYDVQQDDA9pZHAuZXhhbXBsZS5jb20wWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR4OQ"
    "AHY+Gh7JflxyE4JRhLba+s1tfVPYLn85ksYzpNYX78sTznM6SMJhNC0HbvZk0E6g5XFeY3gvaT8teVe4IIo1MwUTAdBgNVHQ4EFgQU7YwhfSRBr"
    "s87RIic29FKciddYUcwHwYDVR0jBBgwFoAU7YwhfSRBrs87RIic29FKciddYUcwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAz"
    "P8KHIfNN7/kh3AXfqnDNcDHw91E8rxzMQCPf7NQrnAIhAPzbG+MxQIYO/WAao3uIs6bTkAwHr0hETTXjtsBhF+vp"
)
PEM = "\n".join(["-----BEGIN CERTIFICATE-----", *textwrap.wrap(CERTIFICATE, 64), "-----END CERTIFICATE-----", ""])
NOT_FOUND = {"errors": [{"code": "NOT_FOUND", "message": "SAML setting with name okta not found"}]}
KEY = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49\n-----END PRIVATE KEY-----\n"
TASK: dict[str, Any] = {
    "name": "okta",
    "login_url": "https://idp.example.com/login",
    "logout_url": "https://idp.example.com/logout",
    "service_provider_name": "https://repo.example.com",
    "certificate": PEM,
}
STORED: dict[str, Any] = {
    **TASK,
    "certificate": CERTIFICATE,
    "enable_integration": True,
    "verify_audience_restriction": True,
    "use_encrypted_assertion": False,
    "auto_user_creation": True,
    "allow_user_to_access_profile": False,
    "auto_redirect": False,
    "sync_groups": False,
    "group_attribute": "",
    "email_attribute": "",
    "name_id_attribute": "",
}
RESULT = {
    **{name: value for name, value in STORED.items() if name != "enable_integration"},
    "enabled": True,
    "ldap_group_settings": [],
}
DECLARED = {**{name: value for name, value in TASK.items() if name != "name"}, "certificate": CERTIFICATE}
DISABLE = {"name": "okta", "enabled": False}
DELETE = {"name": "okta", "state": "absent"}
ADMIN = {"username": "ada", "password": "s3cret-word"}


def listed(*settings: dict[str, Any]) -> Call:
    """Return the read of all settings."""
    return call("GET", LIST, json=list(settings))


def has(setting: dict[str, Any] | None = STORED) -> Call:
    """Return the read of the setting."""
    return call("GET", ADDRESS, json=setting) if setting else call("GET", ADDRESS, 404, json=NOT_FOUND)


def created(body: dict[str, Any] = STORED, status: int = 201, **response: Any) -> Call:
    return call("POST", LIST, status, sent_json=body, **response)


def replaced(body: dict[str, Any], status: int = 200, **response: Any) -> Call:
    return call("PUT", ADDRESS, status, sent_json=body, **response)


def rewritten(before: dict[str, Any], after: dict[str, Any], body: dict[str, Any] | None = None) -> tuple[Call, ...]:
    """Return the requests that disable a setting, change it, and enable it again."""
    off = {"enable_integration": False}
    stored_off, body = {**after, **off}, body or after
    verify = has_realm("internal"), has(before)
    return *verify, replaced({**body, **off}), has(stored_off), has(stored_off), replaced(body), has(after)


def version(number: str, license_type: str = "Pro") -> Call:
    return call("GET", VERSION, json={"version": number, "license": license_type})


def has_realm(realm: str) -> Call:
    """Return the read of the account of the task."""
    return call("GET", "/access/api/v2/users/ada", json={"username": "ada", "realm": realm, "groups": []})


def manage(server: Any, **options: Any) -> dict[str, Any]:
    return run("artifact_saml", url=server.url, **{"token": "t0ken-of-mine", **options})


@pytest.mark.parametrize(
    "stored",
    [
        STORED,
        {**TASK, "certificate": CERTIFICATE},
        {**STORED, "certificate": PEM, "ldap_group_settings": []},
        {**STORED, "certificate": "\r\n".join(textwrap.wrap(CERTIFICATE, 76)), "group_attribute": None},
    ],
)
@pytest.mark.parametrize("certificate", [PEM, CERTIFICATE, PEM.replace("\n", "\r\n"), f"Subject: CN\n{PEM}"])
def test_unchanged_setting_costs_one_request(stored: dict[str, Any], certificate: str) -> None:
    with conversation(has(stored)) as server:
        result = manage(server, **{**TASK, "certificate": certificate}, enabled=True, sync_groups=False)
    assert (result["changed"], result["setting"]) == (False, RESULT)


def test_unchanged_settings_cost_one_request_in_total() -> None:
    items = [TASK, {**TASK, "name": "entra"}]
    with conversation(listed(STORED, {**STORED, "name": "entra"})) as server:
        result = manage(server, items=items)
    assert (result["changed"], result["counts"]["ok"]) == (False, 2)


def test_single_setting_of_an_old_version_is_an_object() -> None:
    with conversation(has(None), call("GET", LIST, json=STORED)) as server:
        assert not manage(server, **TASK)["changed"]


@pytest.mark.parametrize("status", [200, 201])
def test_missing_setting_is_created(status: int) -> None:
    with conversation(has(None), listed(), created(status=status), has()) as server:
        result = manage(server, diff_mode=True, **TASK)
    assert (result["changed"], result["setting"]) == (True, RESULT)
    assert result["diff"]["before"] == {"state": "absent"}
    assert result["diff"]["after"] == {"state": "present", **DECLARED}


def test_only_differing_options_are_changed_and_unknown_members_are_kept() -> None:
    stored = {**STORED, "future_member": {"a": 1}, "audience": None}
    after = {**stored, "auto_redirect": True, "group_attribute": "groups"}
    body = {name: value for name, value in after.items() if value is not None}
    with conversation(has(stored), *rewritten(stored, after, body)) as server:
        result = manage(server, **ADMIN, diff_mode=True, name="okta", auto_redirect=True, group_attribute="groups")
    assert result["diff"] == {
        "before": {"state": "present", "auto_redirect": False, "group_attribute": ""},
        "after": {"state": "present", "auto_redirect": True, "group_attribute": "groups"},
    }


def test_setting_is_deleted() -> None:
    deleted = call("DELETE", ADDRESS, 204)
    with conversation(has({**STORED, "enable_integration": False}), deleted, has(None), listed()) as server:
        result = manage(server, **DELETE)
    assert (result["changed"], result["setting"]) == (True, None)
    with conversation(has(None), listed()) as server:
        assert not manage(server, **DELETE)["changed"]


def test_undeclared_settings_are_deleted() -> None:
    other = {**STORED, "name": "old", "enable_integration": False}
    deleted = call("DELETE", f"{LIST}/old", 204)
    with conversation(listed(STORED, other), deleted, call("GET", f"{LIST}/old", 404), listed(STORED)) as server:
        result = manage(server, items=[TASK], undeclared="remove")
    assert (result["changed"], result["undeclared"]) == (True, ["old"])


@pytest.mark.parametrize("options", [DISABLE, DELETE])
def test_own_login_is_not_removed(options: dict[str, Any]) -> None:
    with conversation(has(), has_realm("saml")) as server:
        result = run("artifact_saml", url=server.url, **ADMIN, **options)
    assert result["msg"] == (
        "The change would lock out 'ada', the account of this task: it could no longer log in with SAML. Set "
        "'allow_lockout: true' to allow this."
    )


@pytest.mark.parametrize("options", [DISABLE, DELETE])
def test_own_login_is_protected_if_the_account_is_unknown(options: dict[str, Any]) -> None:
    with conversation(has()) as server:
        result = run("artifact_saml", url=server.url, api_key="an-api-key-of-mine", check_mode=True, **options)
    assert "Cannot verify that the account of this task is not affected" in result["msg"]


@pytest.mark.parametrize("options", [DISABLE, DELETE])
@pytest.mark.parametrize("status", [403, 404])
def test_own_login_is_protected_if_its_realm_is_unknown(options: dict[str, Any], status: int) -> None:
    own = call("GET", "/access/api/v2/users/ada", status, json={"errors": [{"code": "X", "message": "refused"}]})
    version = call("GET", "/artifactory/api/system/version", json={"version": "7.111.4", "license": "Pro"})
    with conversation(has(), own, *([version] if status == 404 else [])) as server:
        result = run("artifact_saml", url=server.url, **ADMIN, **options)
    assert "Cannot verify that the account of this task does not log in with SAML" in result["msg"]
    assert "allow_lockout: true" in result["msg"]


def test_groups_of_the_own_account_are_kept() -> None:
    with conversation(has({**STORED, "sync_groups": True}), has_realm("saml")) as server:
        result = run("artifact_saml", url=server.url, name="okta", sync_groups=False, check_mode=True, **ADMIN)
    assert "it could lose the groups that make it an administrator" in result["msg"]


def test_setting_is_disabled_for_other_accounts_or_if_allowed() -> None:
    disabled = {**STORED, "enable_integration": False}
    with conversation(has(), has_realm("internal"), has(), replaced(disabled), has(disabled)) as server:
        assert run("artifact_saml", url=server.url, **ADMIN, **DISABLE)["changed"]
    with conversation(has(), has(), replaced(disabled), has(disabled)) as server:
        assert run("artifact_saml", url=server.url, **ADMIN, **DISABLE, allow_lockout=True)["changed"]
    with conversation(has(disabled), call("DELETE", ADDRESS, 204), has(None), listed()) as server:
        assert run("artifact_saml", url=server.url, **ADMIN, **DELETE)["changed"]


@pytest.mark.parametrize("name", ["login_url", "logout_url", "service_provider_name", "certificate"])
def test_option_of_a_new_setting_is_required(name: str) -> None:
    options = {key: value for key, value in TASK.items() if key != name}
    with conversation(has(None), listed()) as server:
        result = manage(server, check_mode=True, **options)
    assert result["msg"] == f"Option '{name}': is required, because the SAML setting 'okta' does not exist."


def test_check_mode_predicts_the_values_of_a_new_setting() -> None:
    with conversation(has(None), listed()) as server:
        result = manage(server, check_mode=True, **TASK)
    assert (result["changed"], result["setting"]) == (True, RESULT)


@pytest.mark.parametrize(
    ("certificate", "problem"),
    [
        ("", "must not be empty"),
        (PEM + KEY, "must not contain a private key"),
        (PEM * 2, "must contain one certificate, not 2"),
        ("no certificate", "must be an X.509 certificate"),
        ("TUlJQgo=", "must be an X.509 certificate"),
        (CERTIFICATE[:-8], "must be an X.509 certificate"),
        (f"{CERTIFICATE}AAAA", "must be an X.509 certificate"),
        (f"MIAB{CERTIFICATE}", "must be an X.509 certificate"),
        ("MAA=", "must be an X.509 certificate"),
        ("é", "must be an X.509 certificate"),
    ],
)
def test_invalid_certificate_is_refused_before_the_first_request(certificate: str, problem: str) -> None:
    with conversation() as server:
        result = manage(server, **{**TASK, "certificate": certificate})
    assert result["msg"].startswith(f"Option 'certificate': {problem}")
    assert "MIGHAgEAMBMGByqGSM49" not in str(result)


@pytest.mark.parametrize("name", ["login_url", "logout_url"])
@pytest.mark.parametrize(
    "url", ["", "idp.example.com", "ftp://idp.example.com", "https://", "https://u:p@idp.example.com"]
)
def test_invalid_url_is_refused_before_the_first_request(name: str, url: str) -> None:
    with conversation() as server:
        result = manage(server, **{**TASK, name: url})
    assert result["msg"].startswith(f"Option '{name}': must ")


def test_url_may_start_with_a_placeholder() -> None:
    stored = {**STORED, "logout_url": "{baseUrl}/ui/login"}
    with conversation(has(stored)) as server:
        assert not manage(server, **{**TASK, "logout_url": "{baseUrl}/ui/login"})["changed"]


def test_ldap_groups_require_a_new_version() -> None:
    options = {**TASK, **ADMIN, "ldap_group_settings": ["staff"]}
    with conversation(has(), version("7.83.1")) as server:
        result = manage(server, **options)
    assert result["msg"] == "Option 'ldap_group_settings': requires Artifactory 7.98.0 or later."
    after = {**STORED, "ldap_group_settings": ["staff"]}
    with conversation(has(), version("7.98.4"), *rewritten(STORED, after)) as server:
        assert manage(server, **options)["changed"]


@pytest.mark.parametrize(
    ("response", "message"),
    [
        (version("7.77.3"), "Managing SAML settings requires Artifactory 7.83.1 or later."),
        (version("7.98.4"), "not from the Access API. Check that 'url'"),
        (
            version("7.98.4", "OSS"),
            "Managing SAML settings requires Artifactory Pro, but the server is the open-source",
        ),
    ],
)
@pytest.mark.parametrize("module", ["artifact_saml", "artifact_saml_info"])
def test_server_without_the_api_is_reported(module: str, response: Call, message: str) -> None:
    with conversation(has(None), call("GET", LIST, 404, text="<html>"), response) as server:
        result = run(module, url=server.url, token="t0ken-of-mine", name="okta")
    assert message in result["msg"]


@pytest.mark.parametrize("content", [dict(text="<html>"), dict(json={}), dict(json={"errors": []}), dict(json=[{}])])
def test_response_of_another_server_is_not_trusted(content: dict[str, Any]) -> None:
    with conversation(call("GET", LIST, **content)) as server:
        result = manage(server, items=[TASK], undeclared="remove")
    assert (result["failed"], result["changed"]) == (True, False)
    with conversation(call("GET", ADDRESS, **content)) as server:
        assert manage(server, **DELETE)["failed"]


def test_lost_response_is_resolved_by_reading() -> None:
    with conversation(has(None), listed(), created(drop=True), has()) as server:
        result = manage(server, retries=0, **TASK)
    assert result["changed"]
    assert "Reading back shows that the request had its effect" in result["warnings"][0]


def test_page_instead_of_a_response_is_not_trusted() -> None:
    with conversation(has(None), listed(), created(status=200, text="<html>"), has(None), listed()) as server:
        result = manage(server, **TASK)
    assert result["failed"]


def test_change_without_effect_is_reported() -> None:
    after = {**STORED, "enable_integration": False}
    with conversation(has(after), has(after), replaced(STORED), has(after)) as server:
        result = manage(server, name="okta", enabled=True)
    assert "these fields of the setting do not have the requested values: enabled" in result["msg"]


def test_field_that_the_server_changes_although_it_was_sent_is_noticed() -> None:
    sent = {**STORED, "auto_redirect": True, "enable_integration": False}
    after = has({**sent, "verify_audience_restriction": False})
    with conversation(has(), has_realm("internal"), has(), replaced(sent), after) as server:
        result = manage(server, **ADMIN, name="okta", auto_redirect=True)
    assert (result["failed"], result["changed"]) == (True, True)
    assert "do not have the requested values: verify_audience_restriction." in result["msg"]
    assert result["msg"].endswith("The setting is disabled now.")


def test_setting_with_which_the_own_account_logs_in_is_changed_while_it_is_enabled() -> None:
    after = {**STORED, "auto_redirect": True}
    with conversation(has(), has_realm("saml"), has(), replaced(after), has(after)) as server:
        result = manage(server, **ADMIN, name="okta", auto_redirect=True)
    assert result["warnings"] == [
        "SAML setting 'okta' was changed while it was enabled, because the account of this task may log in with SAML."
    ]
    assert result["changed"]


def test_state_is_not_guessed_if_it_cannot_be_read_after_the_setting_was_enabled() -> None:
    on = {**STORED, "auto_redirect": True}
    off = {**on, "enable_integration": False}
    forbidden = call("GET", ADDRESS, 403, json={"errors": [{"message": "Forbidden"}]})
    with conversation(
        *(has(), has_realm("internal"), has(), replaced(off), has(off), has(off), replaced(on)),
        *(forbidden, version("7.98.4")),
    ) as server:
        result = manage(server, **ADMIN, name="okta", auto_redirect=True)
    assert result["changed"]
    assert "The server accepted the change, but reading back failed" in result["msg"]
    assert "disabled now" not in result["msg"]


def test_failure_to_enable_says_that_the_setting_is_disabled() -> None:
    on = {**STORED, "auto_redirect": True}
    off = {**on, "enable_integration": False}
    refused = replaced(on, 403, json={"errors": [{"message": "Forbidden"}]})
    with conversation(
        *(has(), has_realm("internal"), has(), replaced(off), has(off), has(off), refused, has(off))
    ) as server:
        result = manage(server, **ADMIN, name="okta", auto_redirect=True)
    assert (result["changed"], result["setting"]["enabled"]) == (True, False)
    assert result["msg"].endswith("The setting is disabled now.")


def test_setting_that_another_client_created_is_compared_again() -> None:
    error = {"errors": [{"code": "CONFLICT", "message": "exists"}]}
    with conversation(has(None), listed(), created(status=409, json=error), has()) as server:
        result = manage(server, **TASK)
    assert not result.get("failed")
    assert not result["changed"]


def test_information_has_the_form_of_the_options() -> None:
    other = {**STORED, "name": "entra"}
    with conversation(listed(STORED, other)) as server:
        result = run("artifact_saml_info", url=server.url)
    assert result["settings"] == [{**RESULT, "name": "entra"}, RESULT]
    with conversation(has()) as server:
        assert run("artifact_saml_info", url=server.url, name="okta")["settings"] == [RESULT]
    with conversation(has(None), listed()) as server:
        assert run("artifact_saml_info", url=server.url, name="okta")["settings"] == []
    with conversation(listed(STORED, other)) as server:
        assert not manage(server, items=result["settings"])["changed"]
