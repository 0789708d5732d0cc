# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.running import run

LIST = "/access/api/v1/ldap/settings"
GROUPS = "/access/api/v1/ldap/groups"
KEY = "corporate"
ADDRESS = f"{LIST}/{KEY}"
URL = "ldaps://ldap.example.com:636/dc=example,dc=com"
MANAGER = "cn=artifactory,dc=example,dc=com"
PASSWORD = "s3cret-word"
NOT_FOUND = {"errors": [{"code": "NOT_FOUND", "message": "LDAP setting not found"}]}
OWN_USER = "/access/api/v2/users/admin"


def version(number: str = "7.77.3", license_text: str = "Pro") -> Call:
    return call("GET", "/artifactory/api/system/version", json={"version": number, "license": license_text})


SEARCH = {
    "search_filter": "(uid={0})",
    "search_base": "ou=people",
    "search_sub_tree": True,
    "manager_dn": MANAGER,
    "manager_password": None,
}
NO_SEARCH = {
    "search_filter": None,
    "search_base": None,
    "search_sub_tree": True,
    "manager_dn": None,
    "manager_password": None,
}
BODY: dict[str, Any] = {
    "key": KEY,
    "enabled": True,
    "ldap_url": URL,
    "user_dn_pattern": "",
    "search": SEARCH,
    "auto_create_user": True,
    "email_attribute": "mail",
    "ldap_poisoning_protection": True,
    "allow_user_to_access_profile": False,
    "paging_support_enabled": True,
}
DIRECT: dict[str, Any] = {**BODY, "user_dn_pattern": "uid={0}", "search": NO_SEARCH}
GROUP = {
    "name": "staff",
    "enabled_ldap": KEY,
    "group_base_dn": "ou=groups",
    "group_name_attribute": "cn",
    "group_member_attribute": "uniqueMember",
    "sub_tree": True,
    "force_attribute_search": False,
    "filter": "(objectClass=groupOfUniqueNames)",
    "description_attribute": "description",
    "strategy": "STATIC",
}
TASK: dict[str, Any] = {
    "ldap_url": URL,
    "search_filter": "(uid={0})",
    "search_base": "ou=people",
    "manager_dn": MANAGER,
    "manager_password": PASSWORD,
}
GROUP_TASK = {
    "name": "staff",
    "base_dn": "ou=groups",
    "name_attribute": "cn",
    "member_attribute": "uniqueMember",
    "filter": "(objectClass=groupOfUniqueNames)",
    "description_attribute": "description",
}
GROUP_RESULT = {**GROUP_TASK, "sub_tree": True, "force_attribute_search": False, "strategy": "static"}
RESULT = {
    "key": KEY,
    "ldap_url": URL,
    "enabled": True,
    "user_dn_pattern": "",
    "auto_create_user": True,
    "email_attribute": "mail",
    "ldap_poisoning_protection": True,
    "allow_user_to_access_profile": False,
    "paging_support_enabled": True,
    "search_filter": "(uid={0})",
    "search_base": "ou=people",
    "search_sub_tree": True,
    "manager_dn": MANAGER,
}


def sent(**changes: Any) -> dict[str, Any]:
    """Return the setting as it is sent, with the password."""
    search = {**SEARCH, "manager_password": PASSWORD, **changes.pop("search", {})}
    return {**BODY, "search": search, **changes}


def has(setting: dict[str, Any] | None) -> Call:
    """Return the read of the setting."""
    return call("GET", ADDRESS, json=setting) if setting else call("GET", ADDRESS, 404, json=NOT_FOUND)


def has_groups(*groups: dict[str, Any]) -> Call:
    """Return the read of all group settings."""
    return call("GET", GROUPS, json=list(groups))


def created(body: dict[str, Any], address: str = LIST, status: int = 201, **response: Any) -> Call:
    return call("POST", address, status, sent_json=body, **response)


def replaced(body: dict[str, Any], address: str = LIST, **response: Any) -> Call:
    return call("PUT", address, sent_json=body, **response)


def changed(
    before: dict[str, Any], body: dict[str, Any], after: dict[str, Any], realm: str | None = "internal"
) -> tuple[Call, ...]:
    """Return the requests that disable a setting, change it, and enable it again."""
    off, stored_off = {**body, "enabled": False}, {**after, "enabled": False}
    return owner(realm), has(before), replaced(off), has(stored_off), has(stored_off), replaced(body), has(after)


def owner(realm: str | None = "internal") -> Call:
    """Return the read of the account of the task."""
    return call("GET", OWN_USER, json={"username": "admin", "admin": True, "realm": realm, "groups": []})


def manage(server: Any, **options: Any) -> dict[str, Any]:
    return run("artifact_ldap", url=server.url, **{"username": "admin", "password": "p4ssword", "key": KEY, **options})


@pytest.mark.parametrize(
    "stored",
    [
        BODY,
        {**BODY, "email_attribute": "mail", "user_dn_pattern": None, "newer": 1},
        {**BODY, "search": {**SEARCH, "manager_password": "AM.encrypted"}},
        {"key": KEY, "ldap_url": URL, "search": {**SEARCH, "search_sub_tree": None}},
    ],
)
def test_unchanged_setting_costs_one_request(stored: dict[str, Any]) -> None:
    with conversation(has(stored)) as server:
        result = manage(server, **TASK, enabled=True, email_attribute="mail", search_sub_tree=True, user_dn_pattern="")
    assert result == {"changed": False, "setting": RESULT}


def test_unchanged_groups_cost_one_more_request() -> None:
    other = {**GROUP, "name": "other", "enabled_ldap": "partners"}
    with conversation(has(BODY), has_groups(GROUP, other)) as server:
        result = manage(server, groups=[GROUP_TASK], purge=True)
    assert result == {"changed": False, "setting": {**RESULT, "groups": [GROUP_RESULT]}}


def test_unchanged_settings_cost_two_requests_in_total() -> None:
    settings = [{**BODY, "key": key} for key in ("b", "a", "c")]
    with conversation(call("GET", LIST, json=settings), has_groups({**GROUP, "enabled_ldap": "a"})) as server:
        items = [{"key": "a", "groups": [GROUP_TASK]}, {"key": "b"}, {"key": "gone", "state": "absent"}]
        result = manage(server, key=None, workers=1, items=items, undeclared="report")
    assert (result["changed"], result["counts"]["ok"], result["undeclared"]) == (False, 3, ["c"])


def test_missing_setting_is_created() -> None:
    with conversation(has(None), version(), created(sent(), json=BODY), has(BODY)) as server:
        result = manage(server, **TASK, diff_mode=True)
    assert result["setting"] == RESULT
    assert result["diff"]["before"] == {"state": "absent"}
    assert PASSWORD not in json.dumps(result)


def test_setting_without_search_is_created() -> None:
    with conversation(has(None), version(), created(DIRECT), has(DIRECT)) as server:
        result = manage(server, ldap_url=URL, user_dn_pattern="uid={0}")
    empty = {"search_filter": "", "search_base": "", "manager_dn": ""}
    assert result["setting"] == {**RESULT, "user_dn_pattern": "uid={0}", **empty}


def test_check_mode_predicts_the_new_setting_with_its_groups() -> None:
    with conversation(has(None), version(), has_groups()) as server:
        result = manage(server, **TASK, groups=[GROUP_TASK], check_mode=True)
    assert result == {"changed": True, "setting": {**RESULT, "groups": [GROUP_RESULT]}}


def test_setting_is_created_before_its_groups() -> None:
    orphan = {**GROUP, "name": "orphan"}
    with conversation(
        *(has(None), version(), has_groups(orphan)),
        *(call("DELETE", f"{GROUPS}/orphan", 204), created(sent()), created(GROUP, GROUPS)),
        *(has(BODY), has_groups(GROUP)),
    ) as server:
        result = manage(server, **TASK, groups=[GROUP_TASK], purge=True)
    assert result["setting"]["groups"] == [GROUP_RESULT]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"search_filter": "(uid={0})"},
            "Option 'ldap_url': is required, because LDAP setting 'corporate' does not exist",
        ),
        ({"ldap_url": URL}, "Option 'user_dn_pattern': is required without 'search_filter'"),
        (
            {"ldap_url": URL, "user_dn_pattern": "{0}", "manager_dn": "cn=a"},
            "Option 'manager_dn': requires 'search_filter'",
        ),
        (
            {"ldap_url": URL, "user_dn_pattern": "{0}", "search_base": "cn=a"},
            "Option 'search_base': requires 'search_filter'",
        ),
        ({**TASK, "manager_password": None}, "Option 'manager_password': is required with 'manager_dn'"),
        ({**TASK, "manager_dn": None}, "Option 'manager_password': requires 'manager_dn'"),
    ],
)
@pytest.mark.parametrize("check_mode", [True, False])
def test_incomplete_setting_is_not_created(options: dict[str, Any], message: str, check_mode: bool) -> None:
    with conversation(has(None), version()) as server:
        result = manage(server, **options, check_mode=check_mode)
    assert message in result["msg"]


@pytest.mark.parametrize("option", ["name_attribute", "member_attribute", "filter", "description_attribute"])
@pytest.mark.parametrize("check_mode", [True, False])
def test_incomplete_group_is_not_created(option: str, check_mode: bool) -> None:
    group = {name: value for name, value in GROUP_TASK.items() if name != option}
    with conversation(has(BODY), has_groups()) as server:
        result = manage(server, groups=[group], check_mode=check_mode)
    assert f"Option 'groups.{option}': is required, because group setting 'staff' does not exist" in result["msg"]


def test_change_sends_the_whole_setting_with_the_password() -> None:
    stored = {**BODY, "newer": 1, "search": {**SEARCH, "newest": 2}}
    body = {**sent(search={"newest": 2}), "newer": 1, "email_attribute": "email"}
    after = {**body, "search": {**body["search"], "manager_password": None}}
    with conversation(has(stored), *changed(stored, body, after)) as server:
        result = manage(server, email_attribute="email", manager_password=PASSWORD, diff_mode=True)
    assert result["diff"] == {
        "before": {"state": "present", "email_attribute": "mail"},
        "after": {"state": "present", "email_attribute": "email", "updated_secrets": ["manager_password"]},
    }
    assert PASSWORD not in json.dumps(result)


@pytest.mark.parametrize("shown", [None, "", "********", "AM.encrypted"])
@pytest.mark.parametrize("check_mode", [True, False])
def test_change_that_could_delete_the_password_is_refused(shown: str | None, check_mode: bool) -> None:
    stored = {**BODY, "search": {**SEARCH, "manager_password": shown}}
    with conversation(has(stored)) as server:
        result = manage(server, email_attribute="email", check_mode=check_mode)
    assert "Option 'manager_password': is required to change LDAP setting 'corporate'" in result["msg"]
    assert "Set an empty string if it has none" in result["msg"]


def test_setting_with_which_the_own_account_logs_in_is_changed_while_it_is_enabled() -> None:
    after = {**BODY, "email_attribute": "email"}
    body = sent(email_attribute="email")
    with conversation(has(BODY), owner("ldap"), has(BODY), replaced(body), has(after)) as server:
        result = manage(server, email_attribute="email", manager_password=PASSWORD)
    assert result["warnings"] == [
        "LDAP setting 'corporate' was changed while it was enabled, because the account of this task may log in with "
        "LDAP."
    ]
    assert result["changed"]


def test_failed_change_says_that_the_setting_is_disabled() -> None:
    body = sent(email_attribute="email", enabled=False)
    partly = {**BODY, "enabled": False}
    with conversation(has(BODY), owner(), has(BODY), replaced(body), has(partly)) as server:
        result = manage(server, email_attribute="email", manager_password=PASSWORD)
    assert result["changed"]
    assert "do not have the requested values: email_attribute." in result["msg"]
    assert result["msg"].endswith("The setting is disabled now.")


def test_sub_tree_of_a_removed_filter_is_not_verified() -> None:
    before = {**BODY, "search": {**SEARCH, "search_sub_tree": False}}
    after = {**DIRECT, "search": None}
    sent_first = {**DIRECT, "enabled": False}
    off = {**after, "enabled": False}
    with conversation(
        *(has(before), owner(), has(before), replaced(sent_first), has(off), has(off), replaced(DIRECT), has(after))
    ) as server:
        assert manage(server, user_dn_pattern="uid={0}", search_filter="")["changed"]


def test_setting_without_manager_is_changed_without_a_password() -> None:
    anonymous = {**BODY, "search": {**SEARCH, "manager_dn": None}}
    body = {**anonymous, "paging_support_enabled": False}
    with conversation(has(anonymous), *changed(anonymous, body, body)) as server:
        assert manage(server, paging_support_enabled=False)["changed"]


def test_empty_password_is_sent_as_it_is() -> None:
    body = sent(search={"manager_password": ""}, auto_create_user=False)
    with conversation(has(BODY), *changed(BODY, body, {**BODY, "auto_create_user": False})) as server:
        assert manage(server, auto_create_user=False, manager_password="")["changed"]


def test_password_is_sent_on_each_run_when_requested() -> None:
    with conversation(has(BODY), *changed(BODY, sent(), BODY)) as server:
        result = manage(server, manager_password=PASSWORD, update_secret="always", diff_mode=True)
    assert result["diff"]["after"] == {"state": "present", "updated_secrets": ["manager_password"]}


def test_search_is_removed_with_its_filter() -> None:
    body = {**DIRECT, "search": {**NO_SEARCH}}
    with conversation(has(BODY), *changed(BODY, body, body)) as server:
        result = manage(server, user_dn_pattern="uid={0}", search_filter="", search_sub_tree=False)
    assert (result["setting"]["search_filter"], result["setting"]["manager_dn"]) == ("", "")


@pytest.mark.parametrize("search", [None, {}, {**NO_SEARCH, "search_sub_tree": False}])
def test_sub_tree_is_ignored_without_a_filter(search: dict[str, Any] | None) -> None:
    with conversation(has({**DIRECT, "search": search})) as server:
        result = manage(server, search_sub_tree=not (search and search["search_sub_tree"] is False), search_filter="")
    assert not result["changed"]


def test_removed_filter_without_a_pattern_is_refused() -> None:
    with conversation(has(BODY)) as server:
        result = manage(server, search_filter="")
    assert "Option 'user_dn_pattern': is required without 'search_filter'" in result["msg"]


def test_change_of_groups_does_not_replace_the_setting() -> None:
    before = {**GROUP, "newer": 1}, {**GROUP, "name": "old"}
    written = {**GROUP, "newer": 1, "strategy": "HIERARCHICAL", "sub_tree": False}
    new = {**GROUP, "name": "new", "group_base_dn": ""}
    new_task = {**GROUP_TASK, "name": "new", "base_dn": ""}
    with conversation(
        *(has(BODY), has_groups(*before), owner(), has(BODY), has_groups(*before)),
        *(call("DELETE", f"{GROUPS}/old", 204), replaced(written, GROUPS), created(new, GROUPS)),
        *(has(BODY), has_groups(new, written)),
    ) as server:
        result = manage(
            server,
            groups=[{"name": "staff", "strategy": "hierarchical"}, new_task],
            purge=True,
            manager_password=PASSWORD,
            diff_mode=True,
        )
    assert [group["name"] for group in result["setting"]["groups"]] == ["new", "staff"]
    assert [group["name"] for group in result["diff"]["before"]["groups"]] == ["old", "staff"]
    assert "updated_secrets" not in result["diff"]["after"]


def test_surplus_group_that_only_the_read_back_shows_is_deleted() -> None:
    old, late = {**GROUP, "name": "old"}, {**GROUP, "name": "late"}
    with conversation(
        *(has(BODY), has_groups(old), owner(), has(BODY), has_groups(old), call("DELETE", f"{GROUPS}/old", 204)),
        *(has(BODY), has_groups(late), owner(), has(BODY), has_groups(late), call("DELETE", f"{GROUPS}/late", 204)),
        *(has(BODY), has_groups()),
    ) as server:
        assert manage(server, groups=[], purge=True, manager_password=PASSWORD)["changed"]


def test_other_groups_are_kept_without_purge() -> None:
    with conversation(has(BODY), has_groups(GROUP)) as server:
        result = manage(server, groups=[])
    assert (result["changed"], result["setting"]["groups"]) == (False, [GROUP_RESULT])


def test_all_groups_are_deleted_when_the_list_is_empty() -> None:
    gone = call("DELETE", f"{GROUPS}/staff", 404, json=NOT_FOUND)
    before = has(BODY), has_groups(GROUP)
    with conversation(*before, owner(), *before, gone, has(BODY), has_groups()) as server:
        result = manage(server, groups=[], purge=True)
    assert (result["changed"], result["setting"]["groups"]) == (True, [])


def test_group_without_ldap_setting_is_adopted() -> None:
    free = {**GROUP, "enabled_ldap": None}
    before = has(BODY), has_groups(free)
    with conversation(*before, *before, replaced(GROUP, GROUPS), has(BODY), has_groups(GROUP)) as server:
        result = manage(server, groups=[{"name": "staff"}])
    assert (result["changed"], result["setting"]["groups"]) == (True, [GROUP_RESULT])


@pytest.mark.parametrize("check_mode", [True, False])
def test_group_of_another_setting_is_refused(check_mode: bool) -> None:
    with conversation(has(BODY), has_groups({**GROUP, "enabled_ldap": "partners"})) as server:
        result = manage(server, groups=[GROUP_TASK], check_mode=check_mode)
    assert "Group setting 'staff' belongs to LDAP setting 'partners'" in result["msg"]


def test_sub_tree_of_a_hierarchical_group_is_refused() -> None:
    with conversation(has(BODY), has_groups({**GROUP, "strategy": "HIERARCHICAL", "sub_tree": False})) as server:
        result = manage(server, groups=[{"name": "staff", "sub_tree": True}])
    assert "Option 'groups.sub_tree': must be false, because group setting 'staff' has the strategy" in result["msg"]


def test_setting_is_deleted() -> None:
    with conversation(has(BODY), has_groups(), owner(), call("DELETE", ADDRESS, 204), has(None), version()) as server:
        assert manage(server, state="absent") == {"changed": True, "setting": None}


def test_missing_setting_is_not_deleted() -> None:
    with conversation(has(None), version()) as server:
        assert manage(server, state="absent", groups=[GROUP_TASK]) == {"changed": False, "setting": None}


@pytest.mark.parametrize("check_mode", [True, False])
def test_setting_with_groups_is_not_deleted_without_purge(check_mode: bool) -> None:
    with conversation(has(BODY), has_groups(GROUP)) as server:
        result = manage(server, state="absent", check_mode=check_mode)
    assert "it has the group settings staff. Set 'purge: true' to delete them as well" in result["msg"]


def test_setting_is_deleted_after_its_groups() -> None:
    other = {**GROUP, "name": "other", "enabled_ldap": "corporate2"}
    with conversation(
        *(has(BODY), has_groups(GROUP, other), owner()),
        *(call("DELETE", f"{GROUPS}/staff", 204), has_groups(other), call("DELETE", ADDRESS, 404, json=NOT_FOUND)),
        *(has_groups(other), has(None), version()),
    ) as server:
        assert manage(server, state="absent", purge=True)["changed"]


def test_setting_is_deleted_when_a_gateway_fails_after_its_group_was_deleted() -> None:
    off = {**BODY, "enabled": False}
    gateway = call("DELETE", f"{GROUPS}/staff", 504, text="busy")
    with conversation(
        *(has(off), has_groups(GROUP), gateway, has_groups(), has_groups()),
        *(call("DELETE", ADDRESS, 204), has_groups(), has(None), version()),
    ) as server:
        result = manage(server, state="absent", purge=True)
    assert (result["changed"], result["setting"]) == (True, None)
    assert "Reading back shows that the request had its effect." in result["warnings"][0]


def test_groups_that_another_client_created_meanwhile_are_deleted() -> None:
    deleted = call("DELETE", f"{GROUPS}/staff", 204)
    with conversation(
        *(has(BODY), has_groups(GROUP), owner()),
        *(deleted, has_groups(), call("DELETE", ADDRESS, 204)),
        *(has_groups(GROUP), deleted, has(None), version()),
    ) as server:
        assert manage(server, state="absent", purge=True)["changed"]


def test_setting_is_kept_when_its_groups_are_not_deleted() -> None:
    page = call("DELETE", f"{GROUPS}/staff", text="<html>login</html>")
    reads = (has(BODY), has_groups(GROUP))
    with conversation(*reads, owner(), page, has_groups(GROUP), *reads) as server:
        result = manage(server, state="absent", purge=True)
    assert "LDAP setting 'corporate' was not deleted, because the group settings staff still exist" in result["msg"]
    assert not result["changed"]


def test_undeclared_settings_are_deleted() -> None:
    gone = call("GET", f"{LIST}/old", 404, json=NOT_FOUND)
    with conversation(
        *(call("GET", LIST, json=[BODY, {**BODY, "key": "old"}]), has_groups(), owner()),
        *(call("DELETE", f"{LIST}/old", 204), gone, version()),
    ) as server:
        result = manage(server, items=[{"key": KEY}], undeclared="remove")
    assert (result["changed"], result["undeclared"]) == (True, ["old"])


def test_undeclared_setting_with_groups_is_kept_without_purge() -> None:
    groups = has_groups({**GROUP, "enabled_ldap": "old"})
    with conversation(call("GET", LIST, json=[BODY, {**BODY, "key": "old"}]), groups) as server:
        result = manage(server, items=[{"key": KEY}], undeclared="remove")
    assert "'old': it has the group settings staff" in result["failures"][0]["reason"]


@pytest.mark.parametrize(
    ("options", "reads"),
    [({"state": "absent"}, [has_groups()]), ({"enabled": False, "manager_password": PASSWORD}, [])],
)
@pytest.mark.parametrize("check_mode", [True, False])
def test_account_that_logs_in_with_ldap_is_not_locked_out(
    options: dict[str, Any], reads: list[Call], check_mode: bool
) -> None:
    with conversation(has(BODY), *reads, owner("ldap")) as server:
        result = manage(server, **options, check_mode=check_mode)
    assert "would lock out 'admin', the account of this task: it could no longer log in with LDAP" in result["msg"]


@pytest.mark.parametrize("options", [{"email_attribute": "mail"}, {"enabled": False}, {"state": "absent"}])
def test_response_with_another_setting_is_refused(options: dict[str, Any]) -> None:
    with conversation(has({**BODY, "key": "other"})) as server:
        result = manage(server, **options)
    assert (result["changed"], result["failed"]) == (False, True)
    assert "200, but 'key' is a text instead of 'corporate'" in result["msg"]


def test_lockout_is_allowed_on_request() -> None:
    body = sent(enabled=False)
    with conversation(has(BODY), has(BODY), replaced(body), has({**BODY, "enabled": False})) as server:
        assert manage(server, enabled=False, manager_password=PASSWORD, allow_lockout=True)["changed"]


@pytest.mark.parametrize("check_mode", [True, False])
def test_groups_of_the_own_account_are_kept(check_mode: bool) -> None:
    member = call("GET", OWN_USER, json={"username": "admin", "admin": False, "realm": "ldap", "groups": ["staff"]})
    with conversation(has(BODY), has_groups(GROUP), member) as server:
        result = manage(server, groups=[], purge=True, check_mode=check_mode)
    assert (result["changed"], result["msg"]) == (
        False,
        "The change would lock out 'admin', the account of this task: it could lose the groups that make it an "
        "administrator. Set 'allow_lockout: true' to allow this.",
    )


def test_groups_are_deleted_when_the_own_account_does_not_need_them() -> None:
    before = has(BODY), has_groups(GROUP)
    gone = *before, call("DELETE", f"{GROUPS}/staff", 204), has(BODY), has_groups()
    with conversation(*before, owner("ldap"), *gone) as server:
        assert manage(server, groups=[], purge=True)["changed"]
    with conversation(*before, *gone) as server:
        assert manage(server, groups=[], purge=True, allow_lockout=True)["changed"]


def test_disabled_setting_is_deleted_without_a_look_at_the_account() -> None:
    with conversation(
        has({**BODY, "enabled": False}), has_groups(), call("DELETE", ADDRESS, 204), has(None), version()
    ) as server:
        assert manage(server, state="absent")["changed"]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (call("GET", OWN_USER, 403, json=NOT_FOUND), "403"),
        (call("GET", OWN_USER, 404, json=NOT_FOUND), "user 'admin' does not exist"),
        (call("GET", OWN_USER, text="<html>"), OWN_USER),
    ],
)
@pytest.mark.parametrize("check_mode", [True, False])
def test_setting_is_kept_if_the_realm_is_unknown(answer: Call, reason: str, check_mode: bool) -> None:
    with conversation(has(BODY), has_groups(), answer, *([version()] if answer.status == 404 else [])) as server:
        result = manage(server, state="absent", check_mode=check_mode)
    assert not result["changed"]
    assert result["msg"].startswith("Cannot verify that the account of this task does not log in with LDAP: ")
    assert reason in result["msg"]
    assert result["msg"].endswith(". Set 'allow_lockout: true' to allow the change.")


def test_setting_is_kept_if_the_account_is_unknown() -> None:
    with conversation(has(BODY), has_groups()) as server:
        result = run("artifact_ldap", url=server.url, api_key="k3y", key=KEY, state="absent")
    assert "Cannot verify that the account of this task is not affected: its name is unknown" in result["msg"]


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    ("server_version", "message"),
    [
        (version("7.57.0"), "requires Artifactory 7.57.1 or later. Use artifact_configuration with"),
        (
            version(license_text="Artifactory OSS"),
            "requires Artifactory Pro, but the server is the open-source edition",
        ),
    ],
)
def test_server_without_the_api_is_refused(server_version: Call, message: str, check_mode: bool) -> None:
    with conversation(call("GET", ADDRESS, 404, text="not found"), server_version) as server:
        result = manage(server, **TASK, check_mode=check_mode)
    assert message in result["msg"]
    assert "artifact_configuration" in result["msg"]


def test_missing_setting_with_status_400_is_looked_up_in_the_list() -> None:
    refused = call("GET", ADDRESS, 400, json=NOT_FOUND)
    with conversation(refused, version(), call("GET", LIST, json=[]), created(sent()), has(BODY)) as server:
        assert manage(server, **TASK)["changed"]


def test_list_of_keys_is_completed() -> None:
    with conversation(
        *(call("GET", LIST, json=[{"key": KEY}, {"key": "gone"}]), has(BODY)),
        *(call("GET", f"{LIST}/gone", 404, json=NOT_FOUND), version()),
    ) as server:
        result = manage(server, items=[{"key": KEY, **TASK}], undeclared="report")
    assert (result["changed"], result["undeclared"]) == (False, [])


@pytest.mark.parametrize(
    "answer",
    [
        call("GET", ADDRESS, json={}),
        call("GET", ADDRESS, json=[]),
        call("GET", ADDRESS, json={"errors": [{"message": "x"}]}),
        call("GET", ADDRESS, text="<html>login</html>"),
        call("GET", ADDRESS, json={**BODY, "search": []}),
        call("GET", ADDRESS, json={**BODY, "enabled": "yes"}),
    ],
)
@pytest.mark.parametrize("options", [TASK, {"state": "absent"}])
def test_unexpected_response_is_an_error(answer: Call, options: dict[str, Any]) -> None:
    with conversation(answer) as server:
        result = manage(server, **options)
    assert ADDRESS in result["msg"]


@pytest.mark.parametrize("answer", [{}, [{}], [{"name": 1}], ["staff"], [{**GROUP, "sub_tree": "x"}]])
def test_unexpected_list_of_groups_is_an_error(answer: Any) -> None:
    with conversation(has(BODY), call("GET", GROUPS, json=answer)) as server:
        result = manage(server, state="absent", purge=True)
    assert GROUPS in result["msg"]


def test_page_of_another_server_is_not_a_created_setting() -> None:
    page = created(sent(), status=200, text="<html>login</html>")
    with conversation(has(None), version(), page, has(None)) as server:
        result = manage(server, **TASK)
    assert "failed" in result


def test_lost_response_is_resolved_by_reading_back() -> None:
    with conversation(has(None), version(), created(sent(), drop=True), has(BODY)) as server:
        result = manage(server, **TASK)
    assert (result["changed"], result["setting"]) == (True, RESULT)
    assert "Reading back shows that the request had its effect" in result["warnings"][0]


def test_lost_creation_leaves_the_groups_to_the_next_run() -> None:
    with conversation(
        has(None), version(), has_groups(), created(sent(), drop=True), has(BODY), has_groups()
    ) as server:
        result = manage(server, **TASK, groups=[GROUP_TASK])
    assert "Reading back shows a part of the change" in result["msg"]
    with conversation(
        *(has(BODY), has_groups(), has(BODY), has_groups(), created(GROUP, GROUPS, drop=True)),
        *(has(BODY), has_groups(GROUP)),
    ) as server:
        result = manage(server, **TASK, groups=[GROUP_TASK])
    assert result["changed"]
    assert result["setting"]["groups"] == [GROUP_RESULT]


def test_refused_group_is_reported_with_what_was_written() -> None:
    refused = call("POST", GROUPS, 403, json={"errors": [{"message": "Forbidden"}]})
    with conversation(has(None), version(), has_groups(), created(sent()), refused, has(BODY), has_groups()) as server:
        result = manage(server, **TASK, groups=[GROUP_TASK])
    assert "Forbidden" in result["msg"]
    assert (result["changed"], result["setting"]) == (True, {**RESULT, "groups": []})


def test_setting_that_another_client_creates_is_compared_again() -> None:
    conflict = created(sent(), status=409, json={"errors": [{"message": "exists"}]})
    with conversation(has(None), version(), conflict, has(BODY)) as server:
        result = manage(server, **TASK)
    assert (result["changed"], result["setting"]) == (False, RESULT)


def test_ignored_change_is_an_error() -> None:
    body = sent(enabled=False)
    with conversation(has(BODY), owner(), has(BODY), replaced(body), has(BODY)) as server:
        result = manage(server, enabled=False, manager_password=PASSWORD)
    assert "these fields of the setting do not have the requested values: enabled" in result["msg"]


def test_change_of_the_descriptor_at_the_same_time_is_repeated() -> None:
    text = "Could not merge and save new descriptor [Should update revision 7]"
    refused = call("POST", LIST, 400, sent_json=sent(), json={"errors": [{"message": text}]})
    with conversation(has(None), version(), refused, created(sent()), has(BODY)) as server:
        assert manage(server, **TASK)["changed"]


def test_returned_password_is_masked() -> None:
    stored = {**BODY, "ldap_url": f"{URL}/shown-secret", "search": {**SEARCH, "manager_password": "shown-secret"}}
    with conversation(has(stored)) as server:
        result = manage(server)
    assert "shown-secret" not in json.dumps(result)


@pytest.mark.parametrize(
    ("key", "encoded"), [("a%2F;b=ü", "a%252F%3Bb%3D%C3%BC"), ("a?b#c&+", "a%3Fb%23c%26%2B"), ("a b", "a%20b")]
)
def test_special_characters_in_names_are_encoded(key: str, encoded: str) -> None:
    stored = {**BODY, "key": key}
    group = {**GROUP, "name": key, "enabled_ldap": key}
    address = f"{LIST}/{encoded}"
    with conversation(
        *(call("GET", address, json=stored), has_groups(group), owner()),
        *(call("DELETE", f"{GROUPS}/{encoded}", 204), has_groups(), call("DELETE", address, 204)),
        *(has_groups(), call("GET", address, 404, json=NOT_FOUND), version()),
    ) as server:
        assert manage(server, key=key, state="absent", purge=True)["changed"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"key": ""}, "Option 'key': must not be empty"),
        ({"key": "a/b"}, "Option 'key': must be a name without '/'"),
        ({"key": ".."}, "Option 'key': must be a name without '/'"),
        ({"key": "a\nb"}, "Option 'key': must be one line"),
        ({"ldap_url": ""}, "Option 'ldap_url': must not be empty"),
        ({"ldap_url": "http://ldap.example.com"}, "Option 'ldap_url': must be a URL such as ldap://"),
        ({"ldap_url": "ldap://user:pw@ldap.example.com"}, "Option 'ldap_url': must be a URL such as ldap://"),
        ({"user_dn_pattern": "uid=x"}, "Option 'user_dn_pattern': must be empty or contain {0}"),
        ({"search_filter": "(uid=*)"}, "Option 'search_filter': must be empty or contain {0}"),
        ({"search_filter": "", "manager_dn": "cn=x"}, "Option 'manager_dn': requires 'search_filter'"),
        ({"search_filter": "", "search_base": "ou=x"}, "Option 'search_base': requires 'search_filter'"),
        ({"search_filter": "", "manager_password": "x"}, "Option 'manager_password': requires 'search_filter'"),
        (
            {"search_filter": "", "user_dn_pattern": ""},
            "Option 'user_dn_pattern': must not be empty without 'search_filter'",
        ),
        ({"manager_dn": "", "manager_password": "x"}, "Option 'manager_password': requires 'manager_dn'"),
        ({"groups": [{"filter": "x"}]}, "Option 'groups[0].name': is required"),
        ({"groups": [{"name": "a"}, {"name": "a"}]}, "Option 'groups[1].name': 'a' is listed twice"),
        ({"groups": [{"name": "a", "filter": ""}]}, "Option 'groups[0].filter': must not be empty"),
        ({"groups": [{"name": "a", "strategy": "STATIC"}]}, "strategy"),
        (
            {"groups": [{"name": "a", "strategy": "hierarchical", "sub_tree": True}]},
            "Option 'groups[0].sub_tree': must be false with the strategy 'hierarchical'",
        ),
        ({"items": [{"key": "a"}, {"key": "a"}]}, "items[1]: duplicate of items[0]"),
        (
            {"items": [{"key": "a", "groups": [{"name": "g"}]}, {"key": "b", "groups": [{"name": "g"}]}]},
            "Option 'items[1].groups': 'g' is already declared for 'a'",
        ),
        ({"groups": [{"name": "g"}], "items": [{"key": "a"}, {"key": "b"}]}, "'g' is already declared for 'a'"),
        ({"undeclared": "remove"}, "Option 'undeclared': must be 'keep' without 'items'"),
    ],
)
def test_invalid_options_are_refused_before_the_first_request(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        result = manage(server, **options)
    assert message in result["msg"]


def test_information_has_the_form_of_the_options() -> None:
    orphan = {**GROUP, "name": "orphan", "enabled_ldap": "gone"}
    settings = call("GET", LIST, json=[{**BODY, "key": "b"}, BODY])
    with conversation(settings, has_groups(orphan, GROUP)) as server:
        result = run("artifact_ldap_info", url=server.url)
    assert result["settings"] == [
        {**RESULT, "key": "b", "groups": []},
        {**RESULT, "groups": [GROUP_RESULT]},
    ]
    assert result["unassigned_groups"] == ["orphan"]
    with conversation(call("GET", LIST, json=[{**BODY, "key": "b"}, BODY]), has_groups(orphan, GROUP)) as server:
        again = manage(server, key=None, items=result["settings"], purge=True)
    assert not again["changed"]


def test_information_about_one_setting() -> None:
    stored = {**BODY, "search": {**SEARCH, "manager_password": "shown-secret"}}
    with conversation(has(stored), has_groups(GROUP)) as server:
        result = run("artifact_ldap_info", url=server.url, key=KEY)
    assert result == {"changed": False, "settings": [{**RESULT, "groups": [GROUP_RESULT]}]}


def test_information_about_a_missing_setting() -> None:
    with conversation(has(None), version()) as server:
        assert run("artifact_ldap_info", url=server.url, key=KEY)["settings"] == []


def test_information_of_an_old_server_is_refused() -> None:
    with conversation(call("GET", LIST, 404, json=NOT_FOUND), version("7.55.1")) as server:
        result = run("artifact_ldap_info", url=server.url)
    assert "requires Artifactory 7.57.1 or later. Use artifact_configuration" in result["msg"]
