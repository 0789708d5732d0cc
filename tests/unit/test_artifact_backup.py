# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.descriptor import PATH, describe, patch, read, repositories, version
from support.running import run

pytestmark = pytest.mark.usefixtures("reported_version")

DAILY = (
    "<backup><key>backup-daily</key><enabled>true</enabled><cronExp>0 0 2 ? * MON-FRI</cronExp>"
    "<retentionPeriodHours>0</retentionPeriodHours><createArchive>false</createArchive>"
    "<excludedRepositories><repositoryRef>b</repositoryRef><repositoryRef>a</repositoryRef></excludedRepositories>"
    "<sendMailOnError>true</sendMailOnError></backup>"
)
WEEKLY = "<backup><key>weekly</key><cronExp>0 0 2 ? * SUN</cronExp></backup>"
ITEM = {"key": "weekly", "cron": "0 0 2 ? * SUN"}
TASK = {**ITEM, "visibility_timeout": 0}
RESULT = {
    "key": "weekly",
    "enabled": True,
    "cron": "0 0 2 ? * SUN",
    "retention_period_hours": 168,
    "create_archive": False,
    "excluded_repositories": [],
    "exclude_new_repositories": False,
    "send_mail_on_error": True,
    "verify_disk_space": False,
    "export_mission_control": False,
}


def backups(*elements: str) -> str:
    """Return a section with these backups."""
    return f"<backups>{''.join(elements)}</backups>"


def manage(url: str = "http://127.0.0.1:9", **options: Any) -> dict[str, Any]:
    """Run the module, which does not wait for changes to become visible."""
    return run("artifact_backup", url=url, **{"visibility_timeout": 0, **options})


@pytest.mark.parametrize(
    "options",
    [
        {"cron": "0 0 2 ? * mon-fri", "enabled": True, "retention_period_hours": 0},
        {"excluded_repositories": ["a", "b", "a"], "exclude_new_repositories": False, "verify_disk_space": False},
        {},
    ],
)
def test_unchanged_backup_costs_one_request(options: dict[str, Any]) -> None:
    with conversation(read(backups(DAILY))) as server:
        result = manage(server.url, key="backup-daily", **options)
    assert not result["changed"], result
    assert result["backup"]["excluded_repositories"] == ["a", "b"]


def test_unchanged_backups_cost_one_request_in_total() -> None:
    items = [{"key": "weekly"}, {"key": "backup-daily", "enabled": True}, {"key": "old", "state": "absent"}]
    with conversation(read(backups(DAILY, WEEKLY))) as server:
        result = manage(server.url, items=items)
    assert (result["changed"], result["counts"]["ok"]) == (False, 3)


def test_missing_backup_is_created() -> None:
    sent = {"backups": {"weekly": {"cronExp": "0 0 2 ? * SUN", "precalculate": True}}}
    stored = WEEKLY.replace("</backup>", "<precalculate>true</precalculate></backup>")
    with conversation(read(backups()), patch(sent), read(backups(stored))) as server:
        result = manage(server.url, diff_mode=True, **TASK, verify_disk_space=True)
    assert result["backup"] == {**RESULT, "verify_disk_space": True}
    assert result["diff"] == {
        "before": {"state": "absent"},
        "after": {"state": "present", "cron": "0 0 2 ? * SUN", "verify_disk_space": True},
    }


def test_only_options_that_differ_are_sent() -> None:
    sent = {"backups": {"backup-daily": {"excludedRepositories": ["c", "a", "b"], "enabled": False}}}
    stored = DAILY.replace("<enabled>true", "<enabled>false").replace(
        "<repositoryRef>b<", "<repositoryRef>c</repositoryRef><repositoryRef>b<"
    )
    with conversation(read(backups(DAILY)), repositories("a", "b", "c"), patch(sent), read(backups(stored))) as server:
        result = manage(
            server.url,
            diff_mode=True,
            key="backup-daily",
            enabled=False,
            excluded_repositories=["c", "a", "b"],
            send_mail_on_error=True,
        )
    assert result["changed"], result
    assert result["diff"]["before"]["excluded_repositories"] == ["a", "b"]


def test_list_that_the_server_merges_by_index_is_cleared_first() -> None:
    shortened = {"backups": {"backup-daily": {"excludedRepositories": ["a"]}}}
    cleared = {"backups": {"backup-daily": {"excludedRepositories": None}}}
    stored = DAILY.replace("<repositoryRef>b</repositoryRef>", "")
    with conversation(
        read(backups(DAILY)),
        patch(shortened),
        read(backups(DAILY)),
        patch(cleared),
        patch(shortened),
        read(backups(stored)),
    ) as server:
        result = manage(server.url, key="backup-daily", excluded_repositories=["a"])
    assert result["backup"]["excluded_repositories"] == ["a"]


def test_list_that_the_server_replaces_is_read_back_once() -> None:
    shortened = {"backups": {"backup-daily": {"excludedRepositories": ["a"]}}}
    stored = DAILY.replace("<repositoryRef>b</repositoryRef>", "")
    with conversation(read(backups(DAILY)), patch(shortened), read(backups(stored))) as server:
        result = manage(server.url, key="backup-daily", excluded_repositories=["a"])
    assert result["changed"], result


def test_backup_is_deleted() -> None:
    with conversation(read(backups(WEEKLY)), patch({"backups": {"weekly": None}}), read(backups())) as server:
        result = manage(server.url, key="weekly", state="absent")
    assert (result["changed"], result["backup"]) == (True, None)


def test_undeclared_backups_are_deleted_including_those_of_a_new_server() -> None:
    deleted = patch({"backups": {"backup-daily": None}})
    with conversation(read(backups(DAILY, WEEKLY)), deleted, read(backups(WEEKLY))) as server:
        result = manage(server.url, items=[ITEM], undeclared="remove", workers=1)
    assert (result["undeclared"], result["counts"]["changed"]) == (["backup-daily"], 1)


def test_object_without_a_name_is_not_deleted() -> None:
    with conversation(read(backups("<backup><key/></backup>", "<backup/>", WEEKLY))) as server:
        result = manage(server.url, items=[ITEM], undeclared="remove")
    assert (result["changed"], result["undeclared"]) == (False, [])
    with conversation(read(backups("<backup><key/></backup>", WEEKLY))) as server:
        assert len(run("artifact_backup_info", url=server.url)["backups"]) == 1


def test_values_of_an_unexpected_type_count_as_missing() -> None:
    odd = (
        "<backup><key>weekly</key><enabled>maybe</enabled><cronExp/><retentionPeriodHours>x</retentionPeriodHours>"
        "<excludedRepositories>a</excludedRepositories><createArchive><a/></createArchive></backup>"
    )
    with conversation(read(backups(odd))) as server:
        result = run("artifact_backup_info", url=server.url)
    assert result["backups"] == [{**RESULT, "cron": ""}]


def test_refused_item_does_not_affect_others() -> None:
    refused = patch({"backups": {"a": {"cronExp": "0 0 2 ? * SUN"}}}, 500, text="Failed to read object from stream.")
    created = patch({"backups": {"weekly": {"cronExp": "0 0 2 ? * SUN"}}})
    items = [{"key": "a", "cron": "0 0 2 ? * SUN"}, ITEM]
    with conversation(read(backups()), refused, read(backups()), created, read(backups(WEEKLY))) as server:
        result = manage(server.url, items=items, workers=1)
    assert result["counts"] == {"changed": 1, "ok": 0, "failed": 1, "unknown": 0, "skipped": 0}
    assert "The configuration of the server would be invalid" in result["failures"][0]["reason"]


@pytest.mark.parametrize(("stored", "changed"), [(WEEKLY, True), ("", False)])
def test_lost_response_is_resolved_by_reading_back(stored: str, changed: bool) -> None:
    lost = patch({"backups": {"weekly": {"cronExp": "0 0 2 ? * SUN"}}}, drop=True)
    with conversation(read(backups()), lost, read(backups(stored))) as server:
        result = manage(server.url, **TASK)
    assert (result["changed"], result.get("failed", False)) == (changed, not changed)


def test_value_that_the_server_does_not_store_is_an_error() -> None:
    sent = patch({"backups": {"weekly": {"createArchive": True}}})
    with conversation(read(backups(WEEKLY)), sent, read(backups(WEEKLY))) as server:
        result = manage(server.url, key="weekly", create_archive=True)
    assert "do not have the requested values: create_archive" in result["msg"]


def test_check_mode_only_reads() -> None:
    with conversation(read(backups()), repositories("a")) as server:
        result = manage(server.url, check_mode=True, **TASK, excluded_repositories=["a"])
    assert result["backup"] == {**RESULT, "excluded_repositories": ["a"]}


IN_DESCRIPTOR = "<localRepositories><localRepository><key>weekly</key></localRepository></localRepositories>"


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    ("stored", "options", "calls", "message"),
    [
        ("", {"excluded_repositories": ["x"]}, [repositories("a")], "these repositories do not exist: x"),
        (IN_DESCRIPTOR, {"key": "daily", "excluded_repositories": ["x"]}, [], "these repositories do not exist: x"),
        (IN_DESCRIPTOR, {}, [], "Cannot create backup 'weekly': a repository has this name."),
    ],
)
def test_unsuitable_repositories_are_refused_before_the_write(
    stored: str, options: dict[str, Any], calls: list[Call], message: str, check_mode: bool
) -> None:
    with conversation(read(stored + backups()), *calls) as server:
        result = manage(server.url, check_mode=check_mode, **{**TASK, **options})
    assert message in result["msg"]


def test_check_mode_assumes_missing_repositories() -> None:
    with conversation(read(backups(WEEKLY))) as server:
        result = manage(server.url, check_mode=True, **TASK, excluded_repositories=["x"], predict_missing=True)
    assert result["changed"]


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    ("section", "name"),
    [
        ("<proxies><proxy><key>weekly</key></proxy></proxies>", "proxies"),
        ("<repoLayouts><repoLayout><name>weekly</name></repoLayout></repoLayouts>", "repoLayouts"),
        ("<propertySets><propertySet><name>weekly</name></propertySet></propertySets>", "propertySets"),
        (
            "<security><ldapSettings><ldapSetting><key>weekly</key></ldapSetting></ldapSettings></security>",
            "security.ldapSettings",
        ),
    ],
)
def test_name_of_another_object_is_refused_before_the_write(section: str, name: str, check_mode: bool) -> None:
    with conversation(read(section)) as server:
        result = manage(server.url, check_mode=check_mode, **TASK)
    assert f"Cannot create backup 'weekly': the section '{name}' of the configuration has an object" in result["msg"]


def test_schedule_is_required_for_a_new_backup() -> None:
    with conversation(read(backups())) as server:
        result = manage(server.url, key="weekly", enabled=True)
    assert result["msg"] == "Option 'cron': is required, because backup 'weekly' does not exist."


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"cron": "0 2 * * *"}, "cron"),
        ({"cron": ""}, "cron"),
        ({"retention_period_hours": -1}, "retention_period_hours"),
        ({"retention_period_hours": 1.5}, "retention_period_hours"),
        ({"excluded_repositories": [""]}, "excluded_repositories"),
        ({"excluded_repositories": ["a/b"]}, "excluded_repositories"),
        ({"excluded_repositories": ["~"]}, "excluded_repositories"),
        ({"key": "a b"}, "key"),
        ({"key": "1a"}, "key"),
        ({"key": "~"}, "key"),
        ({"key": ""}, "key"),
        ({"key": None}, "key"),
    ],
)
def test_option_is_refused_before_the_first_request(options: dict[str, Any], option: str) -> None:
    with conversation() as server:
        result = manage(server.url, **{**TASK, **options})
    assert result["failed"], result
    assert option in result["msg"]


@pytest.mark.parametrize(
    "response",
    [
        call("GET", PATH, text="<html><body>Log in</body></html>", headers={"Content-Type": "text/html"}),
        call("GET", PATH, json={}),
        call("GET", PATH, json=[]),
        call("GET", PATH, json={"errors": [{"status": 500, "message": "no"}]}),
        call("GET", PATH, text=describe()[:-20]),
    ],
)
@pytest.mark.parametrize("state", ["present", "absent"])
def test_response_that_is_no_configuration_is_an_error(response: Call, state: str) -> None:
    with conversation(response) as server:
        result = manage(server.url, **TASK, state=state)
    assert result["failed"], result
    assert not result["changed"]


@pytest.mark.parametrize(
    ("expression", "warns"),
    [
        ("10/20 15 14 5-10 * ? *", False),
        ("* 5,7,9 14-16 * * ? *", False),
        ("* 5,7,9 14/2 * * WED,Sat *", True),
        ("* * * * * ? *", False),
        ("* * 14/2 * * mon/3 *", True),
        ("* 5-9 14/2 * * 1-3 *", True),
        ("*/3 */51 */12 */2 */4 ? *", False),
        ("* 5 22-23 * * Sun *", True),
        ("0/5 14,18,3-39,52 * ? JAN,MAR,SEP MON-FRI 2002-2010", False),
    ],
)
def test_schedule_that_servers_store_is_accepted(expression: str, warns: bool) -> None:
    """Terraform's provider stores them in its tests."""
    stored = f"<backup><key>weekly</key><cronExp>{expression}</cronExp></backup>"
    write = patch({"backups": {"weekly": {"cronExp": expression}}})
    with conversation(read(backups(WEEKLY)), write, read(backups(stored))) as server:
        result = manage(server.url, key="weekly", cron=expression)
    assert result["changed"]
    assert bool(result.get("warnings")) is warns


def test_old_server_is_reported() -> None:
    with conversation(read(backups()), version("5.4.6")) as server:
        result = manage(server.url, **TASK)
    assert "requires Artifactory 5.8.0 or later." in result["msg"]


def test_information_has_the_form_of_the_options() -> None:
    with conversation(read(backups(WEEKLY, DAILY))) as server:
        result = run("artifact_backup_info", url=server.url)
    assert [backup["key"] for backup in result["backups"]] == ["backup-daily", "weekly"]
    assert result["backups"][1] == RESULT
    with conversation(read(backups(WEEKLY, DAILY))) as server:
        assert not manage(server.url, items=result["backups"])["changed"]


@pytest.mark.parametrize(("key", "found"), [("weekly", ["weekly"]), ("week", [])])
def test_information_can_be_limited_to_one_backup(key: str, found: list[str]) -> None:
    with conversation(read(backups(WEEKLY, DAILY))) as server:
        result = run("artifact_backup_info", url=server.url, key=key)
    assert [backup["key"] for backup in result["backups"]] == found
