# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The official OpenAI SDK administers an organization of the sandbox, and each response is valid.

All tests are for both of its clients: the one that waits, and the asynchronous one.
"""

from __future__ import annotations

from typing import Any

import openai
import pytest
from openai import BaseModel

from support.openai_clients import Connect


@pytest.fixture
def admin(connect: Connect) -> Any:
    return connect().admin.organization


def valid(answer: Any) -> Any:
    """Validate a response, since the SDK accepts any response."""
    assert isinstance(answer, BaseModel)
    type(answer).model_validate(answer.model_dump(), strict=True)
    return answer


def all_of(page: Any) -> list[Any]:
    return [valid(entry) for entry in page]


def test_users(admin: Any) -> None:
    people = all_of(admin.users.list(limit=1))
    assert [user.name for user in people] == ["Olivia Owner", "Alice Adams", "Bob Brown"]
    assert valid(admin.users.retrieve(people[1].id)) == people[1]
    assert valid(admin.users.update(people[1].id, role="owner")).role == "owner"
    assert valid(admin.users.delete(people[1].id)).deleted
    assert len(all_of(admin.users.list())) == 2
    assert [user.id for user in admin.users.list(emails=["BOB@sandbox.example"])] == ["user-sandbox-bob"]


def test_invites(admin: Any) -> None:
    invite = valid(admin.invites.create(email="dora@sandbox.example", role="reader", projects=[]))
    assert valid(admin.invites.retrieve(invite.id)) == invite
    assert invite in all_of(admin.invites.list(limit=1))
    assert valid(admin.invites.delete(invite.id)).deleted


def test_projects(admin: Any) -> None:
    created = [valid(admin.projects.create(name=f"P{number}")) for number in range(3)]
    assert [project.name for project in all_of(admin.projects.list(limit=2))][2:] == ["P0", "P1", "P2"]
    assert valid(admin.projects.update(created[0].id, name="First")).name == "First"
    assert valid(admin.projects.archive(created[0].id)).status == "archived"
    assert len(all_of(admin.projects.list(include_archived=True))) == 6
    assert valid(admin.projects.retrieve(created[1].id)) == created[1]
    with pytest.raises(openai.BadRequestError, match="First is archived"):
        admin.projects.archive(created[0].id)


def test_users_of_a_project(admin: Any) -> None:
    users = admin.projects.users
    bob = valid(users.create("proj_sandbox", user_id="user-sandbox-bob", role="member"))
    assert bob in all_of(users.list("proj_sandbox", limit=1))
    assert valid(users.retrieve(bob.id, project_id="proj_sandbox")) == bob
    assert valid(users.update(bob.id, project_id="proj_sandbox", role="owner")).role == "owner"
    assert valid(users.delete(bob.id, project_id="proj_sandbox")).deleted


def test_service_accounts_and_keys(admin: Any, connect: Connect) -> None:
    accounts, keys = admin.projects.service_accounts, admin.projects.api_keys
    robot = valid(accounts.create("proj_sandbox", name="robot"))
    assert connect(api_key=robot.api_key.value).models.retrieve("gpt-4o").id == "gpt-4o"
    assert robot.id in [account.id for account in all_of(accounts.list("proj_sandbox", limit=1))]
    assert valid(accounts.retrieve(robot.id, project_id="proj_sandbox")).name == "robot"
    assert valid(accounts.update(robot.id, project_id="proj_sandbox", name="arm", role="owner")).name == "arm"
    more = valid(accounts.api_keys.create(robot.id, project_id="proj_sandbox", name="second", scopes=["model.request"]))
    with pytest.raises(openai.AuthenticationError, match=r"Missing scopes: api\.model\.read"):
        connect(api_key=more.value).models.retrieve("gpt-4o")
    account_keys = [key for key in all_of(keys.list("proj_sandbox", limit=1)) if key.id in (robot.api_key.id, more.id)]
    assert [key.name for key in account_keys] == ["Secret Key", "second"]
    assert valid(keys.retrieve(more.id, project_id="proj_sandbox")) == account_keys[1]
    with pytest.raises(openai.BadRequestError, match="please delete the service account"):
        keys.delete(more.id, project_id="proj_sandbox")
    assert valid(accounts.delete(robot.id, project_id="proj_sandbox")).deleted
    assert valid(keys.delete("key_alice", project_id="proj_sandbox")).deleted


def test_rate_limits(admin: Any) -> None:
    limits = admin.projects.rate_limits
    before = {limit.model: limit for limit in all_of(limits.list_rate_limits("proj_sandbox", limit=7))}
    assert before["gpt-4o"].max_requests_per_1_minute == 500
    changed = valid(
        limits.update_rate_limit(before["gpt-4o"].id, project_id="proj_sandbox", max_requests_per_1_minute=7)
    )
    assert changed.max_requests_per_1_minute == 7
    with pytest.raises(openai.NotFoundError, match="The project nope was not found"):
        limits.list_rate_limits("nope")


def test_admin_keys(admin: Any) -> None:
    keys = admin.admin_api_keys
    created = valid(keys.create(name="short", expires_in_seconds=60))
    assert created.value.startswith("sk-admin-")
    assert [key.id for key in all_of(keys.list(limit=1, order="desc"))] == [created.id, "key_admin"]
    assert valid(keys.retrieve(created.id)).expires_at == created.created_at + 60
    assert valid(keys.delete(created.id)).deleted


@pytest.mark.parametrize(
    "query", [{"limit": 0}, {"limit": 101}, {"after": "nope"}, {"after": ""}, {"after": "PROJ_SANDBOX"}]
)
def test_unusual_page_parameters_are_accepted(admin: Any, query: dict[str, Any]) -> None:
    with pytest.raises(openai.BadRequestError) as caught:
        admin.projects.list(**query)
    assert caught.value.param == next(iter(query))


def test_page_after_the_last_is_empty(admin: Any) -> None:
    assert all_of(admin.projects.list(after="proj_sandbox")) == []


def test_only_admin_keys_administer_the_organization(connect: Connect, sandbox: Any) -> None:
    mistaken = connect(admin_api_key=sandbox.environment["OPENAI_API_KEY"])
    with pytest.raises(openai.AuthenticationError, match=r"Missing scopes: api\.management\.read") as caught:
        mistaken.admin.organization.users.list()
    assert caught.value.code is None
    with pytest.raises(openai.AuthenticationError, match="Incorrect API key provided: sk-admin"):
        connect(admin_api_key="sk-admin-of-nobody-at-all").admin.organization.users.list()


def test_read_only_admin_key_cannot_write(connect: Connect, sandbox: Any) -> None:
    reader = {"key": "sk-admin-reader", "organization": "org-sandbox", "scopes": ["api.management.read"]}
    sandbox.seed({"inference": {"keys": [reader]}})
    projects = connect(admin_api_key="sk-admin-reader").admin.organization.projects
    assert len(all_of(projects.list())) == 2
    with pytest.raises(openai.AuthenticationError, match=r"Missing scopes: api\.management\.write"):
        projects.create(name="x")


def test_errors_have_three_formats(connect: Connect, sandbox: Any) -> None:
    client, mistaken = connect(), connect(api_key=sandbox.environment["OPENAI_ADMIN_KEY"])
    for bare in (False, True):
        sandbox.switch("inference", bare_admin_errors=bare, bare_scope_errors=bare)
        with pytest.raises(openai.NotFoundError) as refused:
            client.admin.organization.projects.retrieve("nope")
        assert refused.value.body["message"] == "The project nope was not found"
        with pytest.raises(openai.AuthenticationError) as refused:
            mistaken.models.retrieve("gpt-4o")
        # the message of the SDK does not contain an error that is a string
        assert ("Missing scopes: api.model.read" in refused.value.message) is not bare
        assert "Missing scopes: api.model.read" in refused.value.response.text


def test_requests_are_rejected_when_they_exceed_the_rate_limit(admin: Any, sandbox: Any) -> None:
    sandbox.switch("inference", admin_calls_per_minute=7)
    sandbox.clock(frozen=True)
    for _number in range(7):
        admin.users.retrieve("user-sandbox-bob")
    with pytest.raises(openai.RateLimitError) as caught:
        admin.users.retrieve("user-sandbox-bob")
    assert not [name for name in caught.value.response.headers if name.startswith(("x-ratelimit", "retry-after"))]
    sandbox.clock(advance=60)
    assert valid(admin.users.retrieve("user-sandbox-bob"))


def test_usage_and_costs(admin: Any, connect: Connect, sandbox: Any) -> None:
    start = int(sandbox.clock()["now"])
    connect().chat.completions.create(model="gpt-4o-mini", messages=[{"role": "user", "content": "Hello"}])
    (usage,) = valid(admin.usage.completions(start_time=start, bucket_width="1d", group_by=["model"])).data
    (result,) = usage.results
    assert (result.model, result.num_model_requests) == ("gpt-4o-mini", 1)
    cost = {"organization": "org-sandbox", "project": "proj_sandbox", "line_item": "gpt-4o, input", "ago": 0}
    sandbox.seed({"inference": {"costs": [{**cost, "amount": 1.5}]}})
    (costs,) = valid(admin.usage.costs(start_time=start, group_by=["line_item"])).data
    assert [(cost.line_item, cost.amount.value) for cost in costs.results] == [("gpt-4o, input", 1.5)]


def test_groups_and_their_roles(admin: Any) -> None:
    group = valid(admin.groups.create(name="Platform"))
    assert valid(admin.groups.update(group.id, name="Platform team")).name == "Platform team"
    assert [entry.id for entry in all_of(admin.groups.list(limit=1))] == [group.id]
    assert valid(admin.groups.users.create(group.id, user_id="user-sandbox-bob")).user_id == "user-sandbox-bob"
    assert [user.id for user in all_of(admin.groups.users.list(group.id))] == ["user-sandbox-bob"]
    role = valid(admin.roles.create(role_name="Reader", permissions=["api.groups.read"]))
    assert valid(admin.roles.update(role.id, description="Reads groups")).description == "Reads groups"
    assert valid(admin.groups.roles.create(group.id, role_id=role.id)).role.id == role.id
    assert [entry.id for entry in all_of(admin.groups.roles.list(group.id))] == [role.id]
    assert valid(admin.users.roles.create("user-sandbox-bob", role_id=role.id)).role.id == role.id
    assert role.id in [entry.id for entry in all_of(admin.users.roles.list("user-sandbox-bob"))]
    assert valid(admin.groups.users.delete("user-sandbox-bob", group_id=group.id)).deleted
    assert valid(admin.groups.roles.delete(role.id, group_id=group.id)).deleted
    assert valid(admin.groups.delete(group.id)).deleted
    assert valid(admin.users.roles.delete(role.id, user_id="user-sandbox-bob")).deleted
    assert valid(admin.roles.delete(role.id)).deleted


def test_groups_and_roles_of_a_project(admin: Any) -> None:
    project, group = "proj_sandbox", valid(admin.groups.create(name="Platform")).id
    role = valid(admin.projects.roles.create(project, role_name="Caller", permissions=["api.model.request"]))
    assert role in all_of(admin.projects.roles.list(project))
    assert valid(admin.projects.groups.create(project, group_id=group, role=role.id)).group_id == group
    assert [entry.group_id for entry in all_of(admin.projects.groups.list(project))] == [group]
    assert valid(admin.projects.groups.roles.create(group, project_id=project, role_id=role.id)).group.id == group
    assert [entry.id for entry in all_of(admin.projects.groups.roles.list(group, project_id=project))] == [role.id]
    assert valid(admin.projects.groups.delete(group, project_id=project)).deleted
    assert valid(admin.projects.roles.delete(role.id, project_id=project)).deleted


AMOUNT: dict[str, Any] = {"currency": "USD", "interval": "month", "threshold_amount": 500}
EMAIL: dict[str, Any] = {"type": "email", "recipients": ["ops@sandbox.example"]}


def test_spending(admin: Any) -> None:
    alert = valid(admin.spend_alerts.create(**AMOUNT, notification_channel=EMAIL))
    changed = {**AMOUNT, "threshold_amount": 700}
    assert valid(admin.spend_alerts.update(alert.id, **changed, notification_channel=EMAIL)).threshold_amount == 700
    assert [entry.id for entry in all_of(admin.spend_alerts.list())] == [alert.id]
    assert valid(admin.spend_alerts.delete(alert.id)).deleted
    assert all_of(admin.projects.spend_alerts.list("proj_sandbox")) == []
    for limits, scope in ((admin.spend_limit, ()), (admin.projects.spend_limit, ("proj_sandbox",))):
        with pytest.raises(openai.NotFoundError):
            limits.retrieve(*scope)
        assert valid(limits.update(*scope, **AMOUNT)).threshold_amount == 500
        assert valid(limits.retrieve(*scope)).threshold_amount == 500
        assert valid(limits.delete(*scope)).deleted


def test_settings(admin: Any) -> None:
    project = "proj_sandbox"
    with pytest.raises(openai.NotFoundError):
        admin.data_retention.retrieve()
    kept = valid(admin.data_retention.update(retention_type="modified_abuse_monitoring"))
    assert valid(admin.data_retention.retrieve()) == kept
    assert valid(admin.projects.data_retention.retrieve(project)).type == "organization_default"
    retention = admin.projects.data_retention.update(project, retention_type="zero_data_retention")
    assert valid(retention).type == "zero_data_retention"
    models = admin.projects.model_permissions.update(project, mode="allow_list", model_ids=["gpt-4o"])
    assert valid(models) == valid(admin.projects.model_permissions.retrieve(project))
    assert valid(admin.projects.model_permissions.delete(project)).deleted
    tools = admin.projects.hosted_tool_permissions.update(project, web_search={"enabled": False})
    assert not valid(tools).web_search.enabled
    assert tools.mcp.enabled


def test_unsupported_endpoints_respond_with_501(admin: Any) -> None:
    calls = [
        admin.audit_logs.list,
        lambda: admin.certificates.activate(certificate_ids=["cert_1"]),
        lambda: admin.projects.certificates.list("proj_sandbox"),
    ]
    for call in calls:
        with pytest.raises(openai.InternalServerError, match="The sandbox does not serve this call yet"):
            call()
