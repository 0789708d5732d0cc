# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.advice import PREDICT_MISSING
from support.conversation import Call, call, conversation
from support.running import run

REPO = "libs-release-local"
ADDRESS = f"/artifactory/api/replications/{REPO}"
MULTIPLE = f"/artifactory/api/replications/multiple/{REPO}"
VERSION = call("GET", "/artifactory/api/system/version", json={"version": "7.98.4", "license": "Pro"})
REPOSITORY = f"/artifactory/api/repositories/{REPO}"
EAST, WEST = (f"https://{site}.example.com/artifactory/libs" for site in ("east", "west"))
CRON = "0 0 2 * * ?"
TASK = {"repo": REPO, "token": "t0ken-of-mine", "visibility_timeout": 0}
TARGET = {"url": EAST, "username": "replicator", "password": "s3cret-word"}
NAMED, ENABLED = {"username": "replicator"}, {"enabled": True}
SCHEDULE = {"cronExp": "0 0 3 * * ?", "enableEventReplication": False}
# What a new target is sent with
CREATED = {**TARGET, "repoKey": REPO, "cronExp": CRON, "enabled": True, "syncDeletes": False}


def stored(url: str = EAST, **members: Any) -> dict[str, Any]:
    """Return a target as the server returns it."""
    return {
        "url": url,
        "username": "replicator",
        "password": "AM.other-each-time",
        "cronExp": CRON,
        "enableEventReplication": False,
        "enabled": True,
        "syncDeletes": False,
        "syncProperties": True,
        "replicationKey": "libs_https_0123456789",
        "replicationType": "PUSH",
        **members,
    }


def edition(license_type: str = "Enterprise", status: int = 200) -> list[Call]:
    """Return the reads of version and license."""
    return [VERSION, call("GET", "/artifactory/api/system/licenses", status, json={"type": license_type})]


def has(*targets: dict[str, Any], as_list: bool = True) -> Call:
    """Return the read of a repository with these targets."""
    if not targets:
        return call("GET", ADDRESS, 404, json={"errors": [{"status": 404, "message": "Could not find replication"}]})
    return call("GET", ADDRESS, json=list(targets) if as_list else targets[0])


def of_class(rclass: str) -> Call:
    """Return the read of the repository."""
    return call("GET", REPOSITORY, json={"key": REPO, "rclass": rclass})


def delete(url: str) -> Call:
    return call("DELETE", f"{ADDRESS}?url={url.replace(':', '%3A').replace('/', '%2F')}", 204)


def replicate(server: Any, **options: Any) -> dict[str, Any]:
    return run("artifact_replication", url=server.url, **{**TASK, **options})


@pytest.mark.parametrize("as_list", [True, False])
def test_second_run_sends_one_read_when_nothing_changed(as_list: bool) -> None:
    with conversation(has(stored(), as_list=as_list)) as server:
        result = replicate(server, cron=CRON, targets=[TARGET])
    assert result == {
        "changed": False,
        "replication": {
            "repo": REPO,
            "type": "push",
            "cron": CRON,
            "event_replication": False,
            "targets": [
                {
                    "url": EAST,
                    "username": "replicator",
                    "enabled": True,
                    "sync_deletes": False,
                    "sync_properties": True,
                    "sync_statistics": False,
                    "include_path_prefix_pattern": "",
                    "exclude_path_prefix_pattern": "",
                    "socket_timeout_millis": 15000,
                    "proxy": "",
                    "disable_proxy": False,
                    "check_binary_existence_in_filestore": False,
                }
            ],
        },
    }


@pytest.mark.parametrize(
    ("current", "options"),
    [
        (stored(proxyRef="corporate"), {"proxy": "corporate"}),
        (stored(proxy=""), {"proxy": ""}),
        (stored(), {"socket_timeout_millis": 15000, "sync_statistics": False, "include_path_prefix_pattern": ""}),
        (stored(url=f"{EAST}/"), {}),
        (stored(syncDeletes=True, username="another"), {"username": None}),
    ],
)
def test_equal_values_are_not_written(current: dict[str, Any], options: dict[str, Any]) -> None:
    with conversation(has(current)) as server:
        assert not replicate(server, targets=[{**TARGET, **options}])["changed"]


def test_cron_is_compared_without_case_and_spaces() -> None:
    with conversation(has(stored(cronExp="0 0 2 ? * mon-fri"))) as server:
        assert not replicate(server, cron=" 0 0 2  ? * MON-FRI", targets=[TARGET])["changed"]


def test_new_replication_is_enabled_and_does_not_delete() -> None:
    conversing = conversation(
        has(), of_class("local"), call("PUT", ADDRESS, 201, sent_json=CREATED), has(stored(), as_list=False)
    )
    with conversing as server:
        result = replicate(server, cron=CRON, targets=[TARGET], diff_mode=True)
    assert result["changed"]
    assert result["diff"]["before"] == {"state": "absent"}
    assert "s3cret-word" not in str(result)


def test_several_targets_are_created_with_one_request() -> None:
    body = {
        "cronExp": CRON,
        "enableEventReplication": True,
        "replications": [
            {**CREATED, "enableEventReplication": True},
            {**CREATED, "url": WEST, "enableEventReplication": True},
        ],
    }
    after = has(*(stored(url, enableEventReplication=True) for url in (EAST, WEST)))
    with conversation(
        has(), of_class("local"), *edition(), call("PUT", MULTIPLE, 201, sent_json=body), after
    ) as server:
        result = replicate(server, cron=CRON, event_replication=True, targets=[TARGET, {**TARGET, "url": WEST}])
    assert [target["url"] for target in result["replication"]["targets"]] == [EAST, WEST]


def test_changed_target_is_merged() -> None:
    body = {"url": EAST, "repoKey": REPO, "cronExp": CRON, "enableEventReplication": False, **NAMED, **ENABLED}
    written = call("POST", ADDRESS, sent_json={**body, "syncStatistics": True})
    with conversation(has(stored()), has(stored()), written, has(stored(syncStatistics=True))) as server:
        result = replicate(server, targets=[{**TARGET, "sync_statistics": True}], diff_mode=True)
    assert result["changed"]
    assert [target["sync_statistics"] for target in result["diff"]["after"]["targets"]] == [True]


def test_target_that_deletes_artifacts_is_verified_before_it_is_enabled() -> None:
    body = {"url": EAST, "repoKey": REPO, "cronExp": CRON, "enableEventReplication": False, **NAMED, **ENABLED}
    deleting = {**body, "syncDeletes": True}
    calls = (
        *(has(stored()), has(stored()), call("POST", ADDRESS, sent_json={**deleting, "enabled": False})),
        *(has(stored(enabled=False, syncDeletes=True)), call("POST", ADDRESS, sent_json=deleting)),
        has(stored(syncDeletes=True)),
    )
    with conversation(*calls) as server:
        assert replicate(server, targets=[{**TARGET, "sync_deletes": True}])["changed"]


def test_new_target_that_deletes_artifacts_is_enabled_when_a_gateway_fails_after_the_first_write() -> None:
    disabled, enabled = stored(enabled=False, syncDeletes=True), stored(syncDeletes=True)
    failed = call("PUT", ADDRESS, 504)
    with conversation(has(), of_class("local"), failed, has(disabled), call("POST", ADDRESS), has(enabled)) as server:
        result = replicate(server, cron=CRON, targets=[{**TARGET, "sync_deletes": True}])
    assert (result["changed"], result.get("failed", False)) == (True, False)


def test_target_that_deletes_artifacts_stays_disabled_when_the_server_stores_something_else() -> None:
    wider = stored(enabled=False, syncDeletes=True)
    with conversation(has(), of_class("local"), VERSION, call("PUT", ADDRESS, 201), has(wider)) as server:
        target = {**TARGET, "sync_deletes": True, "exclude_path_prefix_pattern": "a/**"}
        result = replicate(server, cron=CRON, targets=[target])
    assert (result["changed"], result["msg"]) == (
        True,
        f"Waited 0 s, but the server stored other values in these fields of target '{EAST}': "
        "exclude_path_prefix_pattern. The target is disabled now.",
    )


def test_added_target_leaves_the_others_unchanged() -> None:
    other = {
        "url": WEST,
        "repoKey": REPO,
        "cronExp": CRON,
        "enableEventReplication": False,
        "username": "replicator",
        "enabled": True,
        "syncStatistics": True,
        "proxy": "corporate",
    }
    body = {
        "cronExp": CRON,
        "enableEventReplication": False,
        "replications": [other, {**CREATED, "enableEventReplication": False}],
    }
    west = stored(WEST, syncStatistics=True, proxyRef="corporate")
    written = call("POST", MULTIPLE, sent_json=body)
    with conversation(has(west), *edition(), has(west), written, has(west, stored())) as server:
        result = replicate(server, targets=[TARGET])
    assert len(result["replication"]["targets"]) == 2


def test_schedule_changes_without_targets() -> None:
    body = {"url": EAST, "repoKey": REPO, "cronExp": "0 0 3 * * ?", "username": "replicator", "enabled": True}
    after = has(stored(cronExp="0 0 3 * * ?"))
    sent = call("POST", ADDRESS, sent_json={**body, "enableEventReplication": False})
    with conversation(has(stored()), has(stored()), sent, after) as server:
        assert replicate(server, cron="0 0 3 * * ?")["changed"]


def test_different_schedules_of_targets_are_unified() -> None:
    current = has(stored(cronExp="0 0 1 * * ?"), stored(WEST))
    with conversation(current, current, call("POST", MULTIPLE), has(stored(), stored(WEST))) as server:
        result = replicate(server, cron=CRON)
    assert (result["changed"], result["replication"]["cron"]) == (True, CRON)


def test_purge_deletes_other_targets_after_the_change() -> None:
    third = "https://third.example.com/artifactory/libs"
    both = stored(), stored(WEST)
    added = call("POST", MULTIPLE)
    with conversation(has(*both), has(*both), added, delete(WEST), has(stored(), stored(third))) as server:
        targets = [TARGET, {**TARGET, "url": third}]
        assert replicate(server, targets=targets, purge=True)["changed"]


def test_surplus_target_that_only_the_read_back_shows_is_deleted() -> None:
    third = "https://third.example.com/artifactory/libs"
    before, after = has(stored(), stored(WEST)), has(stored(), stored(third))
    calls = before, before, delete(WEST), after, after, delete(third), has(stored())
    with conversation(*calls) as server:
        assert replicate(server, targets=[TARGET], purge=True)["changed"]


def test_purge_only_deletes_when_the_other_targets_are_unchanged() -> None:
    before = has(stored(), stored(WEST))
    with conversation(before, before, delete(WEST), has(stored())) as server:
        assert replicate(server, targets=[TARGET], purge=True)["changed"]


@pytest.mark.parametrize("replaces", [True, False])
def test_target_is_replaced_without_the_enterprise_edition(replaces: bool) -> None:
    put = call("PUT", ADDRESS, 200, sent_json={**CREATED, "enableEventReplication": False})
    after_put = [has(stored())] if replaces else [has(stored(WEST), stored()), delete(WEST)]
    with conversation(has(stored(WEST)), has(stored(WEST)), put, *after_put, has(stored())) as server:
        assert replicate(server, targets=[TARGET], purge=True)["changed"]


def test_next_run_repairs_a_change_whose_second_request_was_refused() -> None:
    third = {**TARGET, "url": "https://third.example.com/artifactory/libs"}
    after = has(stored(), stored(WEST), stored(third["url"]))
    with conversation(
        *(has(stored(), stored(WEST)), has(stored(), stored(WEST)), call("POST", MULTIPLE)),
        *(call("DELETE", f"{ADDRESS}?url=https%3A%2F%2Fwest.example.com%2Fartifactory%2Flibs", 500), after),
        *(after, after, delete(WEST), has(stored(), stored(third["url"]))),
    ) as server:
        failed = replicate(server, targets=[TARGET, third], purge=True)
        repaired = replicate(server, targets=[TARGET, third], purge=True)
    assert (failed["failed"], failed["changed"]) == (True, True)
    assert (repaired["changed"], len(repaired["replication"]["targets"])) == (True, 2)


def test_target_that_another_client_disables_stays_disabled() -> None:
    disabled = stored(WEST, enabled=False)
    body = [
        {"url": WEST, "repoKey": REPO, "cronExp": "0 0 3 * * ?", "enableEventReplication": False, **NAMED},
        {"url": EAST, "repoKey": REPO, "cronExp": "0 0 3 * * ?", "enableEventReplication": False, **NAMED, **ENABLED},
    ]
    written = call("POST", MULTIPLE, sent_json={**SCHEDULE, "replications": body})
    after = has(*(target | {"cronExp": "0 0 3 * * ?"} for target in (disabled, stored())))
    read_again = has(disabled, stored())
    with conversation(has(stored(WEST), stored()), read_again, read_again, written, after) as server:
        result = replicate(server, cron="0 0 3 * * ?")
    assert result["changed"]
    assert result["warnings"] == [
        "Another client changed the replication while the task was running. The replication was compared again, "
        "because another client may have changed it."
    ]


def test_target_that_the_server_stores_otherwise_is_noticed_although_it_is_not_declared() -> None:
    before = has(stored(), stored(WEST))
    after = has(stored(syncStatistics=True), stored(WEST, syncDeletes=True))
    with conversation(before, before, call("POST", MULTIPLE), after) as server:
        result = replicate(server, targets=[{**TARGET, "sync_statistics": True}])
    assert (result["changed"], result["msg"]) == (
        True,
        "The server accepted the change, but these fields of the replication do not have the requested values: "
        f"targets ({WEST}).",
    )


def test_member_that_the_server_stores_otherwise_is_noticed_when_targets_are_exact() -> None:
    after = has(stored(syncDeletes=True, cronExp="0 0 3 * * ?"))
    with conversation(has(stored()), has(stored()), call("POST", ADDRESS), after) as server:
        result = replicate(server, cron="0 0 3 * * ?", targets=[TARGET], purge=True)
    assert (result["changed"], result.get("failed")) == (True, True)


def test_several_targets_are_refused_with_a_remedy_without_the_enterprise_edition() -> None:
    text = "This REST API is available only in Artifactory Enterprise"
    refused = call("PUT", MULTIPLE, 400, json={"errors": [{"status": 400, "message": text}]})
    with conversation(has(), of_class("local"), *edition(status=403), refused) as server:
        result = replicate(server, cron=CRON, targets=[TARGET, {**TARGET, "url": WEST}])
    assert not result["changed"]
    assert f"Cannot replicate '{REPO}' to 2 targets: " in result["msg"]
    assert "requires an Enterprise license" in result["msg"]


def test_password_is_sent_again_when_requested() -> None:
    body = {
        "url": EAST,
        "repoKey": REPO,
        "cronExp": CRON,
        "enableEventReplication": False,
        "username": "replicator",
        "enabled": True,
        "password": "s3cret-word",
    }
    sent = call("POST", ADDRESS, sent_json=body)
    with conversation(has(stored()), has(stored()), sent, has(stored())) as server:
        result = replicate(server, targets=[TARGET], update_secret="always", diff_mode=True)
    assert result["changed"]
    assert result["diff"]["after"]["updated_secrets"] == [f"targets.{EAST}.password"]
    assert "s3cret-word" not in str(result)


def test_pull_replication_is_created_and_updated() -> None:
    pull = {"cronExp": CRON, "enabled": True, "replicationType": "PULL"}
    created = {"repoKey": REPO, "cronExp": CRON, "enabled": True, "syncDeletes": False}
    updated = {"repoKey": REPO, "cronExp": CRON, "enableEventReplication": False, "syncProperties": False}
    with conversation(
        *(has(), of_class("remote"), call("PUT", ADDRESS, 201, sent_json=created), call("GET", ADDRESS, json=pull)),
        *(call("GET", ADDRESS, json=[pull]), call("GET", ADDRESS, json=[pull])),
        call("POST", ADDRESS, sent_json=updated),
        call("GET", ADDRESS, json=[{**pull, "syncProperties": False}]),
    ) as server:
        assert replicate(server, cron=CRON)["changed"]
        result = replicate(server, sync_properties=False)
    assert result["replication"] == {
        "repo": REPO,
        "type": "pull",
        "cron": CRON,
        "event_replication": False,
        "enabled": True,
        "sync_deletes": False,
        "sync_properties": False,
        "include_path_prefix_pattern": "",
        "exclude_path_prefix_pattern": "",
        "check_binary_existence_in_filestore": False,
    }


@pytest.mark.parametrize("answer", [[], {"errors": [{"message": "Try later"}]}, [{}]])
def test_nothing_is_deleted_when_the_response_is_not_a_replication(answer: Any) -> None:
    with conversation(call("GET", ADDRESS, json=answer)) as server:
        result = replicate(server, state="absent")
    assert "instead of at least one replication" in result["msg"]


def test_missing_user_of_the_remote_repository_is_explained() -> None:
    text = "Pull replication requires non-anonymous authentication to the remote repository."
    refused = call("PUT", ADDRESS, 401, json={"errors": [{"status": 401, "message": text}]})
    message = (
        f"Cannot replicate '{REPO}': the remote repository has no user name. Set user name and password of the remote "
        "repository."
    )
    with conversation(has(), of_class("remote"), refused) as server:
        assert replicate(server, cron=CRON)["msg"] == message
    version = call("GET", "/artifactory/api/system/version", json={"version": "5.4.6"})
    with conversation(has(), of_class("remote"), version) as server:
        assert replicate(server, cron=CRON, check_mode=True)["msg"] == message


def test_check_mode_predicts_a_pull_replication_without_a_credential_since_version_6() -> None:
    version = call("GET", "/artifactory/api/system/version", json={"version": "6.0"})
    with conversation(has(), of_class("remote"), version) as server:
        assert replicate(server, cron=CRON, check_mode=True)["changed"]


@pytest.mark.parametrize("credential", ["username", "clientTlsCertificate"])
def test_check_mode_predicts_a_pull_replication_with_a_credential(credential: str) -> None:
    remote = {"key": REPO, "rclass": "remote", credential: "replicator"}
    with conversation(has(), call("GET", f"/artifactory/api/repositories/{REPO}", json=remote)) as server:
        assert replicate(server, cron=CRON, check_mode=True)["changed"]


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    ("rclass", "options", "message"),
    [
        (
            "remote",
            {"cron": CRON, "targets": [TARGET]},
            "Option 'targets': 'libs-release-local' is a remote repository",
        ),
        ("local", {"cron": CRON}, "Option 'targets': is required, because 'libs-release-local' is a local repository."),
        ("virtual", {"cron": CRON}, "Option 'repo': 'libs-release-local' is virtual."),
        ("local", {"targets": [TARGET]}, "Option 'cron': is required"),
        ("local", {"cron": CRON, "targets": [{"url": EAST}]}, "Option 'targets': 'username' is required"),
    ],
)
def test_new_replication_is_refused_before_a_write(
    rclass: str, options: dict[str, Any], message: str, check_mode: bool
) -> None:
    with conversation(has(), of_class(rclass)) as server:
        result = replicate(server, check_mode=check_mode, **options)
    assert result["msg"].startswith(message)
    assert not result["changed"]


def test_missing_repository_is_refused_unless_an_earlier_task_creates_it() -> None:
    missing = call("GET", ADDRESS, 400, json={"errors": [{"status": 400, "message": "Could not find repository"}]})
    unknown = call("GET", REPOSITORY, 400), call("GET", "/artifactory/api/repositories", json=[])
    with conversation(*(missing, *unknown) * 2) as server:
        options = {"cron": CRON, "targets": [TARGET], "check_mode": True}
        refused = replicate(server, **options)
        predicted = replicate(server, **options, predict_missing=True)
    assert refused["msg"] == f"Option 'repo': repository '{REPO}' does not exist." + PREDICT_MISSING
    assert predicted["replication"]["targets"][0]["enabled"] is True


def test_type_cannot_change() -> None:
    with conversation(has(stored()), has(stored())) as server:
        assert "cannot change from push to pull" in replicate(server, type="pull")["msg"]
        assert "Set this option in 'targets'" in replicate(server, sync_deletes=True)["msg"]


def test_check_mode_predicts_the_replication() -> None:
    with conversation(has(stored(), stored(WEST))) as server:
        result = replicate(server, cron="0 0 4 * * ?", targets=[TARGET], purge=True, check_mode=True)
    assert result["replication"]["cron"] == "0 0 4 * * ?"
    assert [target["url"] for target in result["replication"]["targets"]] == [EAST]


def test_replication_is_deleted() -> None:
    with conversation(has(stored()), call("DELETE", ADDRESS, 200), has(), has()) as server:
        result = replicate(server, state="absent")
        again = replicate(server, state="absent")
    assert result == {"changed": True, "replication": None}
    assert again == {"changed": False, "replication": None}


def test_named_targets_are_deleted() -> None:
    with conversation(
        *(has(stored(), stored(WEST)), delete(WEST), has(stored()), has(stored())),
        *(has(stored()), delete(EAST), has(), has()),
    ) as server:
        options: dict[str, Any] = {"targets": [{"url": WEST}], "state": "absent"}
        assert len(replicate(server, **options)["replication"]["targets"]) == 1
        assert not replicate(server, **options)["changed"]
        last = {"targets": [{"url": EAST}], "state": "absent"}
        assert replicate(server, **last) == {"changed": True, "replication": None}
        assert replicate(server, **last) == {"changed": False, "replication": None}


def test_targets_of_a_pull_replication_are_not_deleted() -> None:
    with conversation(call("GET", ADDRESS, json={"cronExp": CRON, "replicationType": "PULL"})) as server:
        result = replicate(server, targets=[{"url": EAST}], state="absent")
    assert "has a pull replication" in result["msg"]


@pytest.mark.parametrize("status", [400, 401, 403, 500])
def test_refused_read_is_not_taken_for_a_missing_replication(status: int) -> None:
    with conversation(call("GET", ADDRESS, status, json={"errors": [{"status": status, "message": "no"}]})) as server:
        assert replicate(server, state="absent", retries=0)["failed"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cron": "0 2 * * *"}, "must be a Quartz cron expression with 6 or 7 fields that starts with seconds"),
        ({"cron": ""}, "not 0 fields"),
        ({"cron": "0 0 2 * * *"}, "must have '?' as either the day of month or the day of week"),
        ({"cron": "0 0 24 * * ?"}, "'24' is not a valid hour"),
        ({"cron": "0 0 2 ? * 8"}, "'8' is not a valid day of week"),
        ({"cron": "0 0 2 ? FOO 1"}, "'FOO' is not a valid month"),
        ({"targets": []}, "Option 'targets': must not be empty"),
        ({"targets": None}, "Option 'targets'"),
        ({"targets": [{**TARGET, "sync_deletes": None}]}, "Option 'targets[0].sync_deletes'"),
        ({"targets": [TARGET, {"url": f"{EAST}/"}]}, "Option 'targets[1].url': is the URL of another target"),
        ({"targets": [{"url": "east"}]}, "Option 'targets[0].url': must be a URL"),
        ({"targets": [TARGET], "sync_deletes": True}, "Option 'sync_deletes': cannot be combined with 'targets'"),
        ({"targets": [TARGET], "type": "pull"}, "Option 'targets': cannot be combined with 'type: pull'"),
        ({"purge": True}, "Option 'purge': requires 'targets'"),
        ({"purge": True, "targets": [TARGET], "state": "absent"}, "Option 'purge': requires 'targets'"),
    ],
)
def test_invalid_options_are_refused_before_the_first_request(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        assert message in replicate(server, **options)["msg"]


@pytest.mark.parametrize(
    "cron", ["0 0/5 * ? * MON-FRI", "0 0 /4 * * ?", "0 0 0 LW * ? 2030-2035", "0 0 0 ? * 6#3", "0,30 5-10 8 1,15W * ?"]
)
def test_quartz_expressions_are_accepted(cron: str) -> None:
    with conversation(has(stored(cronExp=cron))) as server:
        assert not replicate(server, cron=cron)["changed"]


def test_items_are_processed_one_by_one() -> None:
    other = "/artifactory/api/replications/other"
    with conversation(has(stored()), call("GET", other, json=[stored()])) as server:
        items = [{"repo": REPO, "targets": [TARGET]}, {"repo": "other", "targets": [TARGET]}]
        result = run("artifact_replication", url=server.url, token="t", cron=CRON, items=items, workers=1)
    assert result["counts"]["ok"] == 2
    assert "s3cret-word" not in str(result)


def test_undeclared_replications_are_deleted_with_all_targets() -> None:
    old = "/artifactory/api/replications/old"
    listed = [stored(repoKey=repo, url=url) for repo, url in ((REPO, EAST), ("old", EAST), ("old", WEST))]
    with conversation(
        call("GET", "/artifactory/api/replications", json=listed),
        *(call("GET", old, json=listed[1:]), call("DELETE", old, 204)),
        call("GET", old, 404, json={"errors": [{"status": 404, "message": "Could not find replication"}]}),
        has(stored()),
    ) as server:
        options = {"token": "t", "undeclared": "remove", "workers": 1}
        result = run("artifact_replication", url=server.url, items=[{"repo": REPO, "cron": CRON}], **options)
    assert (result["undeclared"], result["counts"]["changed"]) == (["old"], 1)


@pytest.mark.parametrize(("option", "value"), [("targets", [TARGET]), ("purge", True)])
def test_default_that_limits_deletions_is_refused_with_undeclared_replications(option: str, value: Any) -> None:
    with conversation() as server:
        options = {**TASK, "repo": None, "items": [{"repo": REPO}], "undeclared": "remove", option: value}
        result = run("artifact_replication", url=server.url, **options)
    assert result["msg"] == f"Option '{option}': cannot be combined with 'undeclared: remove'. Set it in 'items'."


def test_password_of_one_item_is_sent_again_when_requested() -> None:
    other = "/artifactory/api/replications/other"
    unchanged = call("GET", other, json=[stored()])
    sent = {**TARGET, "repoKey": REPO, "cronExp": CRON, "enableEventReplication": False, "enabled": True}
    changed = call("POST", ADDRESS, sent_json=sent)
    with conversation(has(stored()), has(stored()), changed, has(stored()), unchanged) as server:
        items = [{"repo": REPO, "update_secret": "always"}, {"repo": "other"}]
        options = {"token": "t", "targets": [TARGET], "workers": 1}
        result = run("artifact_replication", url=server.url, items=items, **options)
    assert result["counts"]["changed"] == 1


def test_info_lists_replications_of_all_repositories() -> None:
    listed = [
        stored(repoKey="b"),
        {"cronExp": CRON, "repoKey": "a", "replicationType": "PULL"},
        stored(WEST, repoKey="b"),
    ]
    with conversation(call("GET", "/artifactory/api/replications", json=listed)) as server:
        result = run("artifact_replication_info", url=server.url, token="t")
    assert [(entry["repo"], len(entry.get("targets", []))) for entry in result["replications"]] == [("a", 0), ("b", 2)]
    assert "AM.other" not in str(result)


def test_info_reads_each_repository_when_the_server_cannot_list_replications() -> None:
    repositories = [{"key": key, "type": kind} for key, kind in ((REPO, "LOCAL"), ("x", "VIRTUAL"), ("y", "REMOTE"))]
    none = {"errors": [{"status": 404, "message": "Could not find replication"}]}
    with conversation(
        call("GET", "/artifactory/api/replications", 404, json={"errors": [{"status": 404, "message": "Not Found"}]}),
        call("GET", "/artifactory/api/repositories", json=repositories),
        *(has(stored()), call("GET", "/artifactory/api/replications/y", 404, json=none)),
    ) as server:
        result = run("artifact_replication_info", url=server.url, token="t")
    assert [entry["repo"] for entry in result["replications"]] == [REPO]
