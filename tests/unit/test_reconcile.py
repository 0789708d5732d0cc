# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    OutcomeUnknown,
    ServerFailure,
    ServerRefusal,
    ServerUnreachable,
    ToolchainError,
    UnexpectedResponse,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import (
    Fields,
    add_removals,
    find_differences,
    operate,
    reconcile,
    recover_write,
    run_or_predict,
    sort_unique,
    summarize_plan,
    verify_write,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

LOST = "PUT http://host/role: Connection reset."
NOT_KNOWN = "Whether the request had its effect is not known."


class Server:
    """A server with one role, which records its requests."""

    def __init__(self, role: Fields | None) -> None:
        self.role = role
        self.calls: list[Any] = []

    def read(self) -> Fields | None:
        self.calls.append("read")
        return self.role

    def create(self, fields: Fields) -> None:
        self.calls.append(("create", fields))
        self.role = dict(fields)

    def update(self, fields: Fields) -> None:
        self.calls.append(("update", fields))
        self.role = {**(self.role or {}), **fields}

    def delete(self) -> None:
        self.calls.append("delete")
        self.role = None


def run_reconcile(
    server: Server, desired: Fields | Callable[[Fields | None], Fields], state: str = "present", **how: bool
) -> Task:
    """Return the task that reconciled the role."""
    task = Task({"state": state, "visibility_timeout": 0}, diff_mode=True, **how)
    reconcile(
        task,
        "role",
        read=server.read,
        desired=desired,
        create=server.create,
        update=server.update,
        delete=server.delete,
    )
    return task


def test_resource_is_only_read_when_it_is_as_desired() -> None:
    server = Server({"a": 1, "b": 2})
    task = run_reconcile(server, {"a": 1})
    assert server.calls == ["read"]
    assert task.build_result() == {
        "changed": False,
        "role": {"a": 1, "b": 2},
        "diff": {"before": {"state": "present", "a": 1}, "after": {"state": "present", "a": 1}},
    }


def test_resource_is_created_with_all_fields_when_it_is_missing() -> None:
    server = Server(None)
    task = run_reconcile(server, {"a": 1, "b": []})
    assert server.calls == ["read", ("create", {"a": 1, "b": []}), "read"]
    assert task.build_result() == {
        "changed": True,
        "role": {"a": 1, "b": []},
        "diff": {"before": {"state": "absent"}, "after": {"state": "present", "a": 1, "b": []}},
    }


def test_only_differing_fields_are_updated() -> None:
    server = Server({"a": 1, "b": 2, "c": 3})
    task = run_reconcile(server, {"a": 1, "b": 9})
    assert server.calls == ["read", ("update", {"b": 9}), "read"]
    assert task.build_result()["diff"] == {
        "before": {"state": "present", "a": 1, "b": 2},
        "after": {"state": "present", "a": 1, "b": 9},
    }


def test_task_fails_when_another_client_changes_a_field() -> None:
    server = Server({"a": 1, "b": 2})

    def update(fields: Fields) -> None:
        server.update({**fields, "a": 7})

    task = Task({"visibility_timeout": 0})
    with pytest.raises(ToolchainError, match="these fields of the role do not have the requested values: a"):
        reconcile(task, "role", read=server.read, desired={"a": 1, "b": 9}, update=update)
    assert task.build_result()["role"] == {"a": 7, "b": 9}


def test_desired_fields_can_depend_on_the_current_state() -> None:
    server = Server({"a": 1, "b": 2})
    run_reconcile(server, lambda before: {"a": before["b"] if before else 0})
    assert server.calls[1] == ("update", {"a": 2})


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    ("before", "state", "check"),
    [
        (None, "present", (None, {"a": 1})),
        ({"a": 0, "b": 2}, "present", ({"a": 0, "b": 2}, {"a": 1})),
        ({"a": 1}, "present", None),
        ({"a": 1}, "absent", ({"a": 1}, None)),
        (None, "absent", None),
    ],
)
def test_refusal_is_predicted_before_a_write(before: Fields | None, state: str, check: Any, check_mode: bool) -> None:
    server, checks = Server(before), []

    def refuse(*how: Fields | None) -> None:
        checks.append(how)
        raise ToolchainError("No.")

    def reconcile_role() -> None:
        task = Task({"state": state, "visibility_timeout": 0}, check_mode=check_mode)
        methods = {"create": server.create, "update": server.update, "delete": server.delete}
        reconcile(task, "role", read=server.read, desired={"a": 1}, check=refuse, **methods)

    if check:
        with pytest.raises(ToolchainError, match=r"No\."):
            reconcile_role()
    else:
        reconcile_role()
    assert checks == ([check] if check else [])
    assert server.calls == ["read"]


def test_resource_is_deleted_when_it_should_be_absent() -> None:
    server = Server({"a": 1, "b": {"c": 2}})
    task = run_reconcile(server, {}, state="absent")
    assert server.calls == ["read", "delete", "read"]
    assert task.build_result() == {
        "changed": True,
        "role": None,
        "diff": {"before": {"state": "present", "a": 1, "b": {"c": 2}}, "after": {"state": "absent"}},
    }


def test_resource_is_only_read_when_it_is_already_absent() -> None:
    server = Server(None)
    assert run_reconcile(server, {}, state="absent").build_result()["changed"] is False
    assert server.calls == ["read"]


@pytest.mark.parametrize(
    ("before", "desired", "state"),
    [
        (None, {"a": 1, "inner": {"x": 1}}, "present"),
        ({"a": 1, "b": 2}, {"a": 9}, "present"),
        ({"a": 1}, {"a": 1}, "present"),
        ({"a": 1}, {}, "absent"),
        (None, {}, "absent"),
    ],
)
def test_check_mode_predicts_the_change(before: Fields | None, desired: Fields, state: str) -> None:
    predicting, doing = Server(before), Server(before)
    predicted = run_reconcile(predicting, desired, state, check_mode=True)
    done = run_reconcile(doing, desired, state)
    assert predicting.calls == ["read"]
    assert predicted.build_result() == done.build_result()


def test_check_mode_predicts_nested_fields() -> None:
    server = Server({"rights": {"read": True, "write": True}, "gone": 1})
    task = run_reconcile(server, {"rights": {"write": False}, "gone": None}, check_mode=True)
    assert task.build_result() == {
        "changed": True,
        "role": {"rights": {"read": True, "write": False}},
        "diff": {
            "before": {"state": "present", "rights": {"write": True}, "gone": 1},
            "after": {"state": "present", "rights": {"write": False}},
        },
    }
    assert server.calls == ["read"]


def test_prediction_has_the_members_of_the_real_result() -> None:
    def show(role: Fields) -> Fields:
        return {"id": None, **role, "shown": True}

    results = []
    for check_mode in (True, False):
        server, task = (
            Server(None),
            Task({"state": "present", "visibility_timeout": 0}, check_mode=check_mode, diff_mode=True),
        )
        reconcile(task, "role", read=server.read, desired={"a": 1}, create=server.create, to_result=show)
        results.append(task.build_result())
    assert results[0] == results[1]
    assert results[0]["role"] == {"id": None, "a": 1, "shown": True}
    assert results[0]["diff"]["after"] == {"state": "present", "a": 1}


class SecretServer(Server):
    """A server that replaces its secret, or reports that it did."""

    def __init__(self, expires: int, next_expires: int) -> None:
        super().__init__({"name": "n", "id": 1, "expires": expires})
        self.next = {"name": "n", "id": 2, "expires": next_expires}

    def replace(self, fields: Fields) -> None:
        self.calls.append(("replace", fields))
        self.role = self.next

    def replace_secret(self, **how: bool) -> Task:
        task = Task({"state": "present", "visibility_timeout": 0}, diff_mode=True, **how)
        reconcile(
            task,
            "secret",
            read=self.read,
            desired={"name": "n"},
            replace_reason=lambda secret: "it expires soon" if secret["expires"] < 5 else None,
            replace=self.replace,
            to_result=lambda secret: {"id": None, "expires": None, **secret},
        )
        return task


def test_secret_is_not_replaced_when_it_is_current() -> None:
    server = SecretServer(9, 9)
    assert not server.replace_secret().build_result()["changed"]
    assert server.calls == ["read"]


def test_secret_is_replaced_and_read_back_when_it_is_stale() -> None:
    server = SecretServer(1, 9)
    assert server.replace_secret().build_result() == {
        "changed": True,
        "secret": {"name": "n", "id": 2, "expires": 9},
        "diff": {
            "before": {"state": "present", "name": "n", "replaced": "it expires soon"},
            "after": {"state": "present", "name": "n"},
        },
    }
    assert server.calls == ["read", ("replace", {"name": "n"}), "read"]


def test_check_mode_predicts_a_replacement_with_unknown_values() -> None:
    server, doing = SecretServer(1, 9), SecretServer(1, 9)
    predicted, done = server.replace_secret(check_mode=True).build_result(), doing.replace_secret().build_result()
    assert server.calls == ["read"]
    assert predicted["secret"] == {"name": "n", "id": None, "expires": None}
    assert predicted["diff"] == done["diff"]


def test_task_fails_when_the_replacement_is_stale() -> None:
    with pytest.raises(ToolchainError, match="the secret must still be replaced: it expires soon"):
        SecretServer(1, 2).replace_secret()


def test_update_is_verified_when_the_response_is_lost() -> None:
    server = Server({"a": 1})

    def update(fields: Fields) -> None:
        server.role = fields
        raise OutcomeUnknown(LOST)

    task = Task({"state": "present", "visibility_timeout": 0})
    reconcile(task, "role", read=server.read, desired={"a": 2}, update=update)
    assert task.build_result() == {"changed": True, "role": {"a": 2}}
    assert task.collect_warnings() == [f"{LOST} Reading back shows that the request had its effect."]


def test_deletion_is_verified_when_the_response_is_lost() -> None:
    server = Server({"a": 1})

    def delete() -> None:
        server.role = None
        raise OutcomeUnknown(LOST)

    task = Task({"state": "absent", "visibility_timeout": 0})
    reconcile(task, "role", read=server.read, desired={}, delete=delete)
    assert task.build_result() == {"changed": True, "role": None}


def lose(_fields: Fields) -> None:
    raise OutcomeUnknown(LOST)


def test_outcome_is_unknown_when_a_lost_response_has_no_effect_yet() -> None:
    server = Server({"a": 1})
    task = Task({"state": "present", "visibility_timeout": 0})
    with pytest.raises(OutcomeUnknown, match=f"^{LOST} {NOT_KNOWN}$"):
        reconcile(task, "role", read=server.read, desired={"a": 2}, update=lose)
    assert server.calls == ["read", "read"]
    assert not task.changed


def test_outcome_is_unknown_when_reading_back_fails() -> None:
    answers = iter([{"a": 1}])

    def read() -> Fields:
        for answer in answers:
            return answer
        raise ServerUnreachable("GET http://host/role: Connection refused.")

    with pytest.raises(OutcomeUnknown) as error:
        reconcile(Task({"state": "present", "visibility_timeout": 0}), "role", read=read, desired={"a": 2}, update=lose)
    assert str(error.value) == (
        f"{LOST} Reading back failed as well: GET http://host/role: Connection refused. {NOT_KNOWN}"
    )


def nothing(*_fields: Fields) -> None:
    pass


def test_replacement_without_an_effect_is_no_change() -> None:
    task = Task({"visibility_timeout": 0}, diff_mode=True)
    read, reason = (lambda: {"name": "n"}), (lambda _secret: "it expires soon")
    with pytest.raises(OutcomeUnknown):
        reconcile(task, "secret", read=read, desired={"name": "m"}, replace_reason=reason, replace=lose)
    assert not task.build_result("failed")["changed"]


@pytest.mark.parametrize(
    ("before", "desired", "state", "complaint"),
    [
        (None, {"a": 1}, "present", "the role does not exist"),
        (
            {"a": 1, "b": 2},
            {"b": 3, "a": 2},
            "present",
            "these fields of the role do not have the requested values: a, b",
        ),
        (
            {"a": {"x": 1}},
            {"a": {"x": 2}},
            "present",
            "these fields of the role do not have the requested values: a (x)",
        ),
        ({"a": 1}, {}, "absent", "the role still exists"),
    ],
)
def test_task_fails_when_an_accepted_write_has_no_effect(
    before: Fields | None, desired: Fields, state: str, complaint: str
) -> None:
    task = Task({"state": state, "visibility_timeout": 0})
    with pytest.raises(ToolchainError) as error:
        reconcile(
            task,
            "role",
            read=lambda: before,
            desired=desired,
            create=nothing,
            update=nothing,
            delete=nothing,
        )
    assert str(error.value) == f"The server accepted the change, but {complaint}."


def test_task_fails_with_a_change_when_a_write_has_a_partial_effect() -> None:
    server = Server({"a": 1, "b": 1})

    def update(fields: Fields) -> None:
        server.role = {"a": fields["a"], "b": 1}

    task = Task({"state": "present", "visibility_timeout": 0})
    with pytest.raises(ToolchainError, match="do not have the requested values: b"):
        reconcile(task, "role", read=server.read, desired={"a": 2, "b": 2}, update=update)
    assert task.build_result("failed")["changed"]


def test_refusal_is_reported_without_reading_back() -> None:
    server = Server({"a": 1})

    def refuse(_fields: Fields) -> None:
        raise ServerRefusal("PUT http://host/role: 403 Forbidden.", 403, "")

    with pytest.raises(ServerRefusal, match="403"):
        reconcile(
            Task({"state": "present", "visibility_timeout": 0}),
            "role",
            read=server.read,
            desired={"a": 2},
            update=refuse,
        )
    assert server.calls == ["read"]


class RivalServer(Server):
    """A server on which another client changes the role before the first write, which is then refused."""

    def __init__(self, before: Fields | None, meanwhile: Fields | None, status: int) -> None:
        super().__init__(before)
        self._meanwhile = [meanwhile]
        self._refusal = ServerRefusal(f"POST http://host/role: {status} Conflict.", status, "")

    def create(self, fields: Fields) -> None:
        self._meet_rival()
        super().create(fields)

    def update(self, fields: Fields) -> None:
        self._meet_rival()
        super().update(fields)

    def delete(self) -> None:
        self._meet_rival()
        super().delete()

    def _meet_rival(self) -> None:
        if self._meanwhile:
            self.role = self._meanwhile.pop()
            raise self._refusal


COMPARED = "Conflict. The role was compared again, because another client may have changed it."


def to_result(role: Fields | None) -> Fields:
    return {"state": "absent"} if role is None else {"state": "present", **role}


@pytest.mark.parametrize(
    ("before", "meanwhile", "state", "status", "after"),
    [
        (None, {"a": 1}, "present", 409, {"a": 1}),
        (None, {"a": 1}, "present", 400, {"a": 1}),
        (None, {"a": 7}, "present", 409, {"a": 1}),
        ({"a": 2}, None, "present", 404, {"a": 1}),
        ({"a": 2}, {"a": 1}, "present", 409, {"a": 1}),
        ({"a": 2}, None, "absent", 404, None),
    ],
    ids=["created", "created-400", "created-otherwise", "deleted", "updated", "deleted-twice"],
)
def test_resource_is_compared_again_when_another_client_causes_a_refusal(
    before: Fields | None, meanwhile: Fields | None, state: str, status: int, after: Fields | None
) -> None:
    server = RivalServer(before, meanwhile, status)
    task = run_reconcile(server, {"a": 1}, state)
    assert server.role == after
    assert task.build_result() == {
        "changed": meanwhile != after,
        "role": after,
        "diff": {"before": to_result(meanwhile), "after": to_result(after)},
    }
    assert task.collect_warnings() == [f"POST http://host/role: {status} {COMPARED}"]


@pytest.mark.parametrize("status", [401, 403, 409])
def test_refusal_is_reported_when_the_resource_is_as_it_was(status: int) -> None:
    server = RivalServer(None, None, status)
    with pytest.raises(ServerRefusal, match=str(status)):
        run_reconcile(server, {"a": 1})
    assert server.calls == ["read", "read"] if status == 409 else ["read"]


class FailingServer(Server):
    """A server that answers each write with an error.

    :arg has_effect: whether the write has its effect nevertheless
    """

    def __init__(self, role: Fields | None, status: int, has_effect: bool) -> None:
        super().__init__(role)
        self._failure = ServerFailure(ServerRefusal(f"POST http://host/role: {status} Error.", status, ""))
        self._has_effect = has_effect

    def create(self, fields: Fields) -> None:
        self._fail(lambda: super(FailingServer, self).create(fields))

    def update(self, fields: Fields) -> None:
        self._fail(lambda: super(FailingServer, self).update(fields))

    def delete(self) -> None:
        self._fail(super().delete)

    def _fail(self, write: Callable[[], None]) -> None:
        if self._has_effect:
            write()
        raise self._failure


WRITES = pytest.mark.parametrize(
    ("before", "state", "after"),
    [(None, "present", {"a": 1}), ({"a": 2}, "present", {"a": 1}), ({"a": 1}, "absent", None)],
    ids=["create", "update", "delete"],
)


@WRITES
@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_change_is_read_back_when_the_server_fails_after_it(
    before: Fields | None, state: str, after: Fields | None, status: int
) -> None:
    task = run_reconcile(FailingServer(before, status, has_effect=True), {"a": 1}, state)
    assert task.build_result()["changed"]
    assert task.result["role"] == after
    assert task.warnings == [
        f"POST http://host/role: {status} Error. Reading back shows that the request had its effect."
    ]


@WRITES
@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_failure_is_reported_when_reading_back_shows_no_effect(
    before: Fields | None, state: str, after: Fields | None, status: int
) -> None:
    server = FailingServer(before, status, has_effect=False)
    with pytest.raises(ServerRefusal, match=rf"^POST http://host/role: {status} Error\.$"):
        run_reconcile(server, {"a": 1}, state)
    assert server.role == before


def test_creation_is_completed_when_the_server_fails_in_the_middle() -> None:
    server = Server(None)

    def create(_fields: Fields) -> None:
        server.role = {"a": 0}
        raise ServerFailure(ServerRefusal("POST http://host/role: 500 Error.", 500, ""))

    task = Task({"visibility_timeout": 0})
    reconcile(task, "role", read=server.read, desired={"a": 1, "b": 2}, create=create, update=server.update)
    assert server.role == {"a": 1, "b": 2}
    assert task.changed


def replace_role(server: Server, desired: Fields | Callable[[Fields | None], Fields], **how: Any) -> Task:
    """Return the task that reconciled a role whose update replaces it as a whole."""
    task = Task({"state": "present", "visibility_timeout": 0}, diff_mode=True)
    reconcile(task, "role", read=server.read, desired=desired, create=server.create, update=server.update, **how)
    return task


class SharedServer(Server):
    """A server on which another client changes the role after the first read."""

    def __init__(self, role: Fields, foreign: Fields | None) -> None:
        super().__init__(role)
        self._foreign = foreign

    def read(self) -> Fields | None:
        current = super().read()
        if len(self.calls) == 1:
            self.role = self._foreign
        return current


def test_foreign_change_is_kept_when_the_update_replaces_the_resource() -> None:
    server = SharedServer({"a": 1, "b": 1}, {"a": 1, "b": 7})
    sent: list[Fields] = []

    def update(fields: Fields) -> None:
        sent.append(fields)
        server.update(fields)

    task = Task({"visibility_timeout": 0}, diff_mode=True)
    reconcile(task, "role", read=server.read, desired={"a": 2}, update=update, replaces=True)
    assert server.role == {"a": 2, "b": 7}
    assert server.calls == ["read", "read", "read", ("update", {"a": 2}), "read"]
    assert task.warnings == [
        "Another client changed the role while the task was running. "
        "The role was compared again, because another client may have changed it."
    ]


def test_task_is_unchanged_when_another_client_makes_the_change() -> None:
    server = SharedServer({"a": 1}, {"a": 2})
    task = replace_role(server, {"a": 2}, replaces=True)
    assert not task.build_result()["changed"]
    assert server.calls == ["read", "read"]


def test_resource_is_created_when_another_client_deletes_it_before_the_update() -> None:
    server = SharedServer({"a": 1}, None)
    assert replace_role(server, {"a": 2}, replaces=True).changed
    assert server.role == {"a": 2}


def test_task_fails_when_a_replaced_resource_has_other_unmanaged_fields() -> None:
    server = Server({"a": 1, "b": 1})

    def update(_fields: Fields) -> None:
        server.role = {"a": 2, "b": 7}

    task = Task({"visibility_timeout": 0})
    with pytest.raises(ToolchainError, match="do not have the requested values: b"):
        reconcile(task, "role", read=server.read, desired={"a": 2}, update=update, replaces=True)
    assert task.changed


ENABLE = {"replaces": True, "enable_last": "enabled"}


def test_dangerous_resource_is_changed_while_it_is_disabled() -> None:
    server = Server({"a": 1, "enabled": True})
    task = replace_role(server, {"a": 2}, **ENABLE)
    assert [write for write in server.calls if write != "read"] == [
        ("update", {"a": 2, "enabled": False}),
        ("update", {"enabled": True}),
    ]
    assert server.role == {"a": 2, "enabled": True}
    assert task.result["diff"]["after"]["a"] == 2


def test_dangerous_resource_is_created_disabled_and_then_enabled() -> None:
    server = Server(None)
    replace_role(server, {"a": 2, "enabled": True}, **ENABLE)
    assert [write for write in server.calls if write != "read"] == [
        ("create", {"a": 2, "enabled": False}),
        ("update", {"enabled": True}),
    ]


@pytest.mark.parametrize(
    ("before", "desired", "update"),
    [
        ({"a": 1, "enabled": False}, {"a": 2}, {"a": 2}),
        ({"a": 1, "enabled": True}, {"a": 2, "enabled": False}, {"a": 2, "enabled": False}),
        ({"a": 1, "enabled": False}, {"enabled": True}, {"enabled": True}),
    ],
)
def test_one_write_suffices_when_the_resource_is_disabled_or_only_enabled(
    before: Fields, desired: Fields, update: Fields
) -> None:
    server = Server(before)
    replace_role(server, desired, **ENABLE)
    assert [write for write in server.calls if write != "read"] == [("update", update)]


def test_dangerous_resource_is_reported_as_disabled_when_another_client_changes_it_meanwhile() -> None:
    server = Server({"a": 1, "b": 1, "enabled": True})

    def read() -> Fields:
        if server.calls.count("read") == 3:  # before it is enabled
            server.role = {**(server.role or {}), "b": 9}
        return dict(server.read() or {})

    def update(fields: Fields) -> None:
        server.update(fields)
        task.has_written = True

    task = Task({"visibility_timeout": 0})
    with pytest.raises(ToolchainError, match=r"Another client changed the role.* The role is disabled now\."):
        reconcile(task, "role", read=read, desired={"a": 2}, update=update, **ENABLE)
    assert server.role == {"a": 2, "b": 9, "enabled": False}


def test_dangerous_resource_is_changed_in_place_when_it_must_not_be_disabled() -> None:
    server = Server({"a": 1, "enabled": True})
    replace_role(server, {"a": 2}, may_disable=lambda _fields: False, **ENABLE)
    assert [write for write in server.calls if write != "read"] == [("update", {"a": 2})]


def test_members_of_dictionaries_are_verified_when_the_resource_is_replaced() -> None:
    server = Server({"d": {"a": 1, "b": 1}})

    def update(_fields: Fields) -> None:
        server.role = {"d": {"a": 2, "b": 99}}

    task = Task({"visibility_timeout": 0})
    with pytest.raises(ToolchainError, match=r"do not have the requested values: d \(b\)"):
        reconcile(task, "role", read=server.read, desired={"d": {"a": 2}}, update=update, replaces=True)


def test_dangerous_resource_stays_disabled_when_the_server_stores_other_values() -> None:
    server = Server({"a": 1, "enabled": True})

    def update(fields: Fields) -> None:
        server.role = {"a": 99, "enabled": fields["enabled"]}

    task = Task({"visibility_timeout": 0})
    with pytest.raises(ToolchainError, match=r"requested values: a\..* The role is disabled now\."):
        reconcile(task, "role", read=server.read, desired={"a": 2}, update=update, **ENABLE)
    assert server.role == {"a": 99, "enabled": False}
    assert task.changed


def test_refusal_is_reported_when_conflicts_do_not_end() -> None:
    server, values = Server({"a": 1}), iter(range(2, 99))

    def update(_fields: Fields) -> None:
        server.role = {"a": next(values)}
        raise ServerRefusal("PUT http://host/role: 409 Conflict.", 409, "")

    with pytest.raises(ServerRefusal, match="409 Conflict"):
        reconcile(Task({"visibility_timeout": 0}), "role", read=server.read, desired={"a": 0}, update=update)
    assert server.calls == ["read"] * 5


def members(server: Server, overwrite: list[list[str] | None]) -> Task:
    """Add `own` to a group, whose members another client overwrites after each write."""

    def desired(before: Fields | None) -> Fields:
        return {"users": sort_unique([*(before or {"users": []})["users"], "own"])}

    def update(fields: Fields) -> None:
        users = overwrite.pop(0) if overwrite else None
        server.update(fields if users is None else {"users": users})

    task = Task({"visibility_timeout": 0}, diff_mode=True)
    reconcile(task, "group", read=server.read, desired=desired, update=update, cumulative=True)
    return task


def test_addition_is_written_again_when_another_client_overwrites_it() -> None:
    server = Server({"users": ["x"]})
    task = members(server, [["other", "x"]])
    assert server.calls[1::2] == [("update", {"users": users}) for users in (["other", "x"], ["other", "own", "x"])]
    assert task.build_result() == {
        "changed": True,
        "group": {"users": ["other", "own", "x"]},
        "diff": {"before": {"users": ["x"]}, "after": {"users": ["other", "own", "x"]}},
    }


def test_addition_is_complete_when_another_client_adds_more() -> None:
    server = Server({"users": ["x"]})
    assert members(server, [["other", "own", "x"]]).build_result()["changed"]
    assert server.calls.count("read") == 2


def test_task_fails_when_another_client_overwrites_each_addition() -> None:
    server = Server({"users": ["x"]})
    with pytest.raises(ToolchainError, match="these fields of the group do not have the requested values: users"):
        members(server, [["other"]] * 9)
    assert server.role == {"users": ["other"]}


def test_result_shows_the_existing_part_when_a_response_is_lost() -> None:
    server = Server({"a": 1, "b": 1})

    def update(fields: Fields) -> None:
        server.role = {"a": fields["a"], "b": 1}
        raise OutcomeUnknown(LOST)

    task = Task({"visibility_timeout": 0})
    shortfall = "these fields of the role do not have the requested values: b."
    part = f"{LOST} Reading back shows a part of the change, but {shortfall}"
    with pytest.raises(ToolchainError) as error:
        reconcile(task, "role", read=server.read, desired={"a": 2, "b": 2}, update=update)
    assert str(error.value) == part
    assert task.build_result(part)["changed"]


UNEXPECTED_RESPONSE = "PUT http://host/role: 200, but the response is HTML, not JSON."


@pytest.mark.parametrize("has_effect", [True, False])
def test_resource_is_read_back_when_the_response_to_a_write_is_unexpected(has_effect: bool) -> None:
    server, task = Server({"a": 1}), Task({"visibility_timeout": 0})

    def update(fields: Fields) -> None:
        task.has_written = True
        if has_effect:
            server.update(fields)
        raise UnexpectedResponse(UNEXPECTED_RESPONSE)

    def reconcile_role() -> None:
        reconcile(task, "role", read=server.read, desired={"a": 2}, update=update)

    if has_effect:
        reconcile_role()
        assert task.build_result() == {"changed": True, "role": {"a": 2}}
        assert task.collect_warnings() == [f"{UNEXPECTED_RESPONSE} Reading back shows that the request had its effect."]
    else:
        with pytest.raises(UnexpectedResponse, match=f"^{UNEXPECTED_RESPONSE}$"):
            reconcile_role()
        assert not task.build_result(UNEXPECTED_RESPONSE)["changed"]


@pytest.mark.parametrize("error", [UnexpectedResponse(UNEXPECTED_RESPONSE), OutcomeUnknown(UNEXPECTED_RESPONSE)])
def test_operation_succeeds_when_its_effect_is_verified_after_an_unexpected_response(error: ToolchainError) -> None:
    task = Task({"visibility_timeout": 0})

    def write() -> None:
        raise error

    verify_write(task, write, lambda: None)
    assert task.has_written
    assert task.collect_warnings() == [f"{UNEXPECTED_RESPONSE} Reading back shows that the request had its effect."]

    def prove() -> None:
        raise ToolchainError("It is missing.")

    with pytest.raises(type(error), match=UNEXPECTED_RESPONSE):
        verify_write(task, write, prove)


def test_effect_of_a_lost_write_is_its_result() -> None:
    task = Task({"visibility_timeout": 0})

    def write() -> int:
        raise OutcomeUnknown(LOST)

    assert recover_write(task, write, lambda: 7) == 7
    assert task.has_written
    assert task.collect_warnings() == [f"{LOST} Reading back shows that the request had its effect."]


def test_lost_write_without_an_effect_fails() -> None:
    task = Task({"visibility_timeout": 0})

    def write() -> int:
        raise OutcomeUnknown(LOST)

    with pytest.raises(OutcomeUnknown, match=f"^{LOST} {NOT_KNOWN}$"):
        recover_write(task, write, lambda: None)
    assert not task.has_written
    assert not task.collect_warnings()


def test_effect_is_not_searched_if_the_response_arrived() -> None:
    def find_effect() -> int:
        raise AssertionError

    assert recover_write(Task({"visibility_timeout": 0}), lambda: 1, find_effect) == 1


@pytest.mark.parametrize(("check_mode", "result"), [(False, "run"), (True, "predicted")])
def test_step_is_predicted_in_check_mode(check_mode: bool, result: str) -> None:
    assert (
        run_or_predict(Task({"visibility_timeout": 0}, check_mode=check_mode), lambda: "run", lambda: "predicted")
        == result
    )


def test_accepted_write_is_not_denied_when_its_effect_is_not_visible() -> None:
    task = Task({"visibility_timeout": 0})

    def update(_fields: Fields) -> None:
        task.has_written = True

    with pytest.raises(ToolchainError, match="do not have the requested values: a"):
        reconcile(task, "role", read=lambda: {"a": 1}, desired={"a": 2}, update=update)
    assert task.build_result("failed")["changed"]


@pytest.mark.parametrize(
    ("before", "desired", "changes"),
    [
        ({"a": 1}, {"a": 1}, {}),
        ({"a": 1, "b": 2}, {}, {}),
        ({"a": 1}, {"a": "1"}, {"a": "1"}),
        ({}, {"a": []}, {"a": []}),
        ({"a": ["x"]}, {"a": []}, {"a": []}),
        ({"a": "x"}, {"a": ""}, {"a": ""}),
        ({}, {"a": None}, {}),
        ({"a": 1}, {"a": None}, {"a": None}),
        ({"a": {"x": 1, "y": 2}}, {"a": {"x": 1}}, {}),
        ({"a": {"x": 1, "y": 2}}, {"a": {"x": 3, "y": 2}}, {"a": {"x": 3}}),
        ({"a": {"x": {"p": 1, "q": 2}}}, {"a": {"x": {"q": 3}}}, {"a": {"x": {"q": 3}}}),
        ({"a": {"x": 1}}, {"a": {"x": None}}, {"a": {"x": None}}),
        ({"a": None}, {"a": {"x": 1}}, {"a": {"x": 1}}),
        ({"a": {"x": 1}}, {"a": "text"}, {"a": "text"}),
    ],
)
def test_differences_are_found(before: Fields, desired: Fields, changes: Fields) -> None:
    assert find_differences(before, desired) == changes


def test_add_removals_includes_undesired_entries() -> None:
    assert add_removals({"a": 1, "b": 2}, {"b": 3, "c": 4}) == {"a": None, "b": 3, "c": 4}
    assert add_removals(None, {"b": 3}) == {"b": 3}


def test_sort_unique_sorts_and_removes_duplicates() -> None:
    assert sort_unique(["b", "a", "b"]) == ["a", "b"]


def test_operation_is_skipped_when_nothing_needs_to_change() -> None:
    task = Task({"visibility_timeout": 0})
    operate(task, None, lambda: pytest.fail("it acted"))
    assert task.build_result() == {"changed": False, "plan": None}


@pytest.mark.parametrize("changes_state", [True, False])
def test_operation_returns_only_its_plan_in_check_mode(changes_state: bool) -> None:
    task = Task({"visibility_timeout": 0}, check_mode=True)
    operate(task, {"restart": True}, lambda: pytest.fail("it acted"), changes_state=changes_state)
    assert task.build_result() == {"changed": changes_state, "plan": {"restart": True}}


@pytest.mark.parametrize("wrote", [True, False])
def test_operation_reports_a_change_when_it_has_written(wrote: bool) -> None:
    task = Task({"visibility_timeout": 0})

    def act() -> Fields:
        task.has_written = wrote
        return {"seconds": 3}

    operate(task, {"restart": True}, act)
    assert task.build_result() == {"changed": wrote, "plan": {"restart": True}, "seconds": 3}


def test_plan_has_counts_and_first_items_when_there_are_many() -> None:
    steps = (("delete" if number % 3 else "keep", {"path": f"a/{number}"}) for number in range(1000))
    assert summarize_plan(steps, max_items=2) == {
        "counts": {"keep": 334, "delete": 666},
        "first": [{"action": "keep", "path": "a/0"}, {"action": "delete", "path": "a/1"}],
    }


def test_plan_is_null_when_there_are_no_items() -> None:
    assert summarize_plan([]) is None


class SlowServer(Server):
    """A server that returns a change only after some reads.

    :arg reads: number of reads after a write that still return the previous role
    """

    def __init__(self, role: Fields | None, reads: int) -> None:
        super().__init__(role)
        self._previous = role
        self._hidden_reads = reads

    def read(self) -> Fields | None:
        current = super().read()
        if len(self.calls) == 1 or self.calls.count("read") > self._hidden_reads + 1:
            return current
        return self._previous


def write_slowly(server: Server, state: str, timeout: float) -> Task:
    """Return the task that reconciled a role on a server whose changes become visible with a delay."""
    task = Task({"state": state, "visibility_timeout": timeout})
    reconcile(
        task,
        "role",
        read=server.read,
        desired={"a": 1},
        create=server.create,
        update=server.update,
        delete=server.delete,
    )
    return task


@pytest.mark.parametrize(("before", "state"), [(None, "present"), ({"a": 2}, "present"), ({"a": 1}, "absent")])
def test_role_is_read_again_when_a_change_is_not_visible_immediately(
    before: Fields | None, state: str, delays: list[float]
) -> None:
    server = SlowServer(before, reads=2)
    assert write_slowly(server, state, timeout=10).changed
    assert server.calls.count("read") == 4
    assert len(delays) == 2


def test_task_fails_when_a_change_does_not_become_visible_in_time(delays: list[float]) -> None:
    server = SlowServer(None, reads=10**9)
    with pytest.raises(ToolchainError) as failure:
        write_slowly(server, "present", timeout=10)
    assert str(failure.value) == (
        "The server accepted the change, but the role does not exist. It was read again for 10 s. "
        "Increase 'visibility_timeout' if the server needs more time."
    )
    assert delays == [0.25, 0.5, 1.0, 2.0, 4.0, 2.25]


class LaggingServer(Server):
    """A server whose first response after a write is an error.

    :arg times: how often it is
    """

    def __init__(self, error: ToolchainError, times: int = 1) -> None:
        super().__init__(None)
        self.error = error
        self.times = times

    def read(self) -> Fields | None:
        current = super().read()
        if current is not None and self.calls.count("read") <= 1 + self.times:
            raise self.error
        return current


def refuse(status: int) -> ServerRefusal:
    return ServerRefusal(f"GET http://host/role: {status}.", status, "", "token" if status == 401 else None)


READ_BACK_ERRORS = (
    UnexpectedResponse("GET http://host/role: 200, but the response is empty."),
    refuse(404),
    refuse(502),
    ToolchainError("The role of this name does not exist."),
)


@pytest.mark.parametrize("error", READ_BACK_ERRORS)
def test_role_is_read_again_when_reading_back_fails_once(delays: list[float], error: ToolchainError) -> None:
    server = LaggingServer(error)
    task = Task({"visibility_timeout": 10})
    reconcile(task, "role", read=server.read, desired={"a": 1}, create=server.create, update=server.update)
    assert task.result["role"] == {"a": 1}
    assert delays == [0.25]


@pytest.mark.parametrize(("status", "expected_delays"), [(404, [0.25, 0.5, 1.0, 2.0, 4.0, 2.25]), (401, []), (403, [])])
def test_failure_says_that_the_write_was_accepted_when_reading_back_fails(
    delays: list[float], status: int, expected_delays: list[float]
) -> None:
    server = LaggingServer(refuse(status), times=99)
    with pytest.raises(ServerRefusal) as failure:
        reconcile(Task({"visibility_timeout": 10}), "role", read=server.read, desired={"a": 1}, create=server.create)
    assert str(failure.value) == (
        f"The server accepted the change, but reading back failed: GET http://host/role: {status}."
    )
    assert failure.value.credential == ("token" if status == 401 else None)
    assert delays == expected_delays


def test_effect_of_an_operation_is_unknown_when_reading_back_fails() -> None:
    def fail() -> None:
        raise OutcomeUnknown("POST http://host/run: no response.")

    def verify() -> None:
        raise refuse(503)

    with pytest.raises(OutcomeUnknown) as unknown:
        verify_write(Task({}), fail, verify)
    assert str(unknown.value) == (
        "POST http://host/run: no response. Reading back failed as well: GET http://host/role: 503. Whether the "
        "request had its effect is not known."
    )
    with pytest.raises(ServerRefusal) as failure:
        verify_write(Task({}), lambda: None, verify)
    assert str(failure.value) == "The server accepted the change, but reading back failed: GET http://host/role: 503."
