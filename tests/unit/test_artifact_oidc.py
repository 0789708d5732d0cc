# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.advice import PREDICT_MISSING
from support.conversation import Call, call, conversation
from support.running import run

LIST = "/access/api/v1/oidc"
ADDRESS = f"{LIST}/gitlab"
MAPPINGS = f"{ADDRESS}/identity_mappings"
VERSION = "/artifactory/api/system/version"
PATTERNS = ("username_pattern", "groups_pattern")  # which only newer versions have
NOT_FOUND = {"errors": [{"code": "NOT_FOUND", "message": "OIDC provider with name gitlab not found"}]}
NAMED = {"name": "gitlab"}
TASK: dict[str, Any] = {**NAMED, "issuer_url": "https://gitlab.example.com", "provider_type": "generic"}
BODY = {**TASK, "provider_type": "Generic OpenID Connect"}
STORED: dict[str, Any] = {**BODY, "use_default_proxy": False, "enable_permissive_configuration": False}
RESULT: dict[str, Any] = {
    **TASK,
    "description": "",
    "audience": "",
    "organization": "",
    "project": "",
    "token_issuer": "",
    "azure_app_id": "",
    "use_default_proxy": False,
    "enable_permissive_configuration": False,
    "identity_mappings": None,
}
GROUPS = 'applied-permissions/groups:"deployers"'
ROLES = 'applied-permissions/roles:web:"Developer"'
MAPPING: dict[str, Any] = {"name": "main", "priority": 1, "claims": {"ref": "refs/heads/main"}, "scope": GROUPS}
TOKEN = {"scope": GROUPS, "audience": "*@*", "expires_in": 60}
STORED_MAPPING: dict[str, Any] = {
    "name": "main",
    "description": "",
    "provider_name": "gitlab",
    "priority": 1,
    "claims": {"ref": "refs/heads/main"},
    "token_spec": TOKEN,
}
MAPPING_RESULT = {
    **MAPPING,
    "description": "",
    "username": "",
    "username_pattern": "",
    "groups_pattern": "",
    "audience": "*@*",
    "expires_in": 60,
}
GITHUB = {"provider_type": "github", "issuer_url": "https://token.actions.githubusercontent.com"}


def has(provider: dict[str, Any] | None = STORED) -> Call:
    """Return the read of the provider."""
    return call("GET", ADDRESS, json=provider) if provider else call("GET", ADDRESS, 404, json=NOT_FOUND)


def maps(*mappings: dict[str, Any], project: str = "") -> Call:
    """Return the read of the mappings."""
    return call("GET", f"{MAPPINGS}?project_key={project}" if project else MAPPINGS, json=list(mappings))


def created(body: dict[str, Any] = BODY, status: int = 201, **response: Any) -> Call:
    return call("POST", LIST, status, sent_json=body, **response)


def replaced(body: dict[str, Any], status: int = 200, **response: Any) -> Call:
    return call("PUT", ADDRESS, status, sent_json=body, **response)


def mapped(body: dict[str, Any] = STORED_MAPPING, query: str = "", **response: Any) -> Call:
    return call("POST", f"{MAPPINGS}{query}", 201, sent_json=body, **response)


def remapped(body: dict[str, Any], query: str = "", **response: Any) -> Call:
    return call("PUT", f"{MAPPINGS}/{body['name']}{query}", 200, sent_json=body, **response)


def unmapped(name: str, query: str = "") -> Call:
    return call("DELETE", f"{MAPPINGS}/{name}{query}", 204)


def version(number: str = "7.98.4", license_type: str = "Pro") -> Call:
    return call("GET", VERSION, json={"version": number, "license": license_type})


def manage(server: Any, **options: Any) -> dict[str, Any]:
    return run("artifact_oidc", url=server.url, **{"token": "t0ken-of-mine", **options})


def with_token(**members: Any) -> dict[str, Any]:
    """Return the mapping as the API has it, with other members of its token."""
    token = {name: value for name, value in {**TOKEN, **members}.items() if value is not None}
    return {**STORED_MAPPING, "token_spec": token}


@pytest.mark.parametrize(
    "stored",
    [
        STORED,
        BODY,
        {**STORED, "provider_type": "generic", "project_key": None, "description": None},
        {**STORED, "provider_type": "GENERIC OPENID CONNECT", "project_key": ""},
    ],
)
def test_unchanged_provider_costs_one_request(stored: dict[str, Any]) -> None:
    with conversation(has(stored)) as server:
        result = manage(server, **TASK, description="", use_default_proxy=False, project="")
    assert (result["changed"], result["provider"]) == (False, RESULT)


@pytest.mark.parametrize(
    "stored",
    [
        STORED_MAPPING,
        {**STORED_MAPPING, "description": None, "project_key": None},
        with_token(username=None, self_revocable=False, username_pattern=""),
        with_token(audience=None, expires_in=None),
    ],
)
def test_unchanged_mapping_costs_one_more_request(stored: dict[str, Any]) -> None:
    with conversation(has(), maps(stored)) as server:
        result = manage(server, **TASK, identity_mappings=[MAPPING], purge=True)
    assert (result["changed"], result["provider"]["identity_mappings"]) == (False, [MAPPING_RESULT])


def test_unchanged_providers_are_read_with_one_request() -> None:
    items = [{**TASK, "description": "x"}, {**TASK, "name": "ci"}]
    with conversation(call("GET", LIST, json=[{**STORED, "description": "x"}, {**STORED, "name": "ci"}])) as server:
        result = manage(server, items=items)
    assert (result["changed"], result["counts"]["ok"]) == (False, 2)


@pytest.mark.parametrize(
    ("declared", "stored", "outcome"),
    [
        ({"audience": "artifactory"}, {"audience": "artifactory"}, "ok"),
        ({"enable_permissive_configuration": False}, {"enable_permissive_configuration": True}, "changed"),
    ],
)
def test_provider_is_read_if_the_list_lacks_a_member(
    declared: dict[str, Any], stored: dict[str, Any], outcome: str
) -> None:
    listed = {name: value for name, value in STORED.items() if name not in declared}
    with conversation(call("GET", LIST, json=[listed]), has({**STORED, **stored})) as server:
        result = manage(server, check_mode=True, items=[{**TASK, **declared}])
    assert result["counts"][outcome] == 1


@pytest.mark.parametrize("status", [200, 201])
def test_missing_provider_is_created_with_its_mappings(status: int) -> None:
    requests = (has(None), version(), created(status=status), mapped(), has(), maps(STORED_MAPPING))
    with conversation(*requests) as server:
        result = manage(server, diff_mode=True, **TASK, identity_mappings=[MAPPING])
    assert result["provider"] == {**RESULT, "identity_mappings": [MAPPING_RESULT]}
    assert result["diff"] == {
        "before": {"state": "absent"},
        "after": {
            "state": "present",
            "issuer_url": "https://gitlab.example.com",
            "provider_type": "generic",
            "identity_mappings": [MAPPING_RESULT],
        },
    }


@pytest.mark.parametrize(
    ("option", "written", "read"),
    [
        ("github", "GitHub", "GitHub"),
        ("github_enterprise", "GitHub Enterprise", "GitHubEnterprise"),
        ("azure", "Azure", "azure"),
        ("generic", "Generic OpenID Connect", "generic"),
    ],
)
def test_provider_type_is_mapped(option: str, written: str, read: str) -> None:
    task = {**NAMED, **GITHUB, "provider_type": option}
    body = {**task, "provider_type": written}
    with conversation(has(None), version(), created(body), has({**body, "provider_type": read})) as server:
        assert manage(server, **task)["provider"]["provider_type"] == option


def test_only_differing_options_are_changed_and_unknown_members_are_kept() -> None:
    stored = {**STORED, "description": "x", "future_member": [1], "organization": None}
    body = {name: value for name, value in stored.items() if value is not None}
    after = {**body, "description": "", "audience": "artifactory"}
    with conversation(has(stored), has(stored), replaced(after), has(after)) as server:
        result = manage(server, diff_mode=True, name="gitlab", description="", audience="artifactory")
    assert result["diff"] == {
        "before": {"state": "present", "description": "x", "audience": ""},
        "after": {"state": "present", "description": "", "audience": "artifactory"},
    }


def test_only_differing_mappings_are_written() -> None:
    same, old = {**STORED_MAPPING, "name": "same"}, {**STORED_MAPPING, "name": "old"}
    stored = {**STORED_MAPPING, "future": 1, "token_spec": {**TOKEN, "self_revocable": True}}
    changed = {**stored, "priority": 2, "token_spec": {**TOKEN, "self_revocable": True, "expires_in": 600}}
    new = {**STORED_MAPPING, "name": "new", "priority": 3}
    declared = [
        {**MAPPING, "name": "new", "priority": 3},
        {"name": "main", "priority": 2, "expires_in": 600},
        {**MAPPING, "name": "same"},
    ]
    provider = {**STORED, "audience": "x"}
    requests = (
        has(),
        maps(stored, same, old),
        has(),
        maps(stored, same, old),
        unmapped("old"),
        replaced(provider),
        remapped(changed),
        mapped(new),
        has(provider),
        maps(changed, new, same),
    )
    with conversation(*requests) as server:
        result = manage(server, **NAMED, audience="x", identity_mappings=declared, purge=True)
    assert [mapping["name"] for mapping in result["provider"]["identity_mappings"]] == ["main", "new", "same"]


def test_mappings_are_narrowed_before_anything_is_widened() -> None:
    first, second, third = ({**STORED_MAPPING, "name": name} for name in ("first", "second", "third"))
    claims = {**first["claims"], "environment": "prod"}
    wide, narrow = {**first, "claims": {"environment": "prod"}}, {**second, "claims": claims}
    declared = [
        {"name": "first", "claims": wide["claims"]},
        {"name": "second", "claims": claims},
        {"name": "third"},
    ]
    provider = {**STORED, "audience": "x"}
    before = has(), maps(first, second, third)
    requests = *before, *before, remapped(narrow), replaced(provider), remapped(wide), has(provider)
    with conversation(*requests, maps(wide, narrow, third)) as server:
        assert manage(server, **NAMED, audience="x", identity_mappings=declared)["changed"]


def test_surplus_mapping_that_only_the_read_back_shows_is_removed() -> None:
    old, late = ({**STORED_MAPPING, "name": name} for name in ("old", "late"))
    first, second = (has(), maps(old)), (has(), maps(late))
    requests = *first, *first, unmapped("old"), *second, *second, unmapped("late"), has(), maps()
    with conversation(*requests) as server:
        assert manage(server, **NAMED, identity_mappings=[], purge=True)["changed"]


def test_other_mappings_are_kept_without_purge() -> None:
    other = {**STORED_MAPPING, "name": "other"}
    with conversation(has(), maps(other, STORED_MAPPING)) as server:
        assert not manage(server, **NAMED, identity_mappings=[MAPPING])["changed"]
    with conversation(has(), maps(other)) as server:
        assert not manage(server, **NAMED, identity_mappings=[])["changed"]


def test_claims_are_compared_as_a_whole() -> None:
    stored = {**STORED_MAPPING, "claims": {"ref": "refs/heads/main", "project": {"id": 1, "groups": ["a", "b"]}}}
    before = has(), maps(stored)
    with conversation(*before, *before, remapped(STORED_MAPPING), has(), maps(STORED_MAPPING)) as server:
        assert manage(server, **NAMED, identity_mappings=[MAPPING])["changed"]
    with conversation(has(), maps(stored)) as server:
        entry = {"name": "main", "claims": {"project": {"groups": ["a", "b"], "id": 1}, "ref": "refs/heads/main"}}
        assert not manage(server, **NAMED, identity_mappings=[entry])["changed"]


@pytest.mark.parametrize(
    ("before", "declared", "after"),
    [
        ({"username": "ci"}, {"username_pattern": "{{actor}}"}, {"username_pattern": "{{actor}}"}),
        ({"username_pattern": "{{actor}}"}, {"username": "ci"}, {"username": "ci"}),
        ({"groups_pattern": "x"}, {"groups_pattern": ""}, {}),
    ],
)
def test_identity_is_replaced(before: dict[str, Any], declared: dict[str, Any], after: dict[str, Any]) -> None:
    entry = {"name": "main", **declared}
    changed = with_token(**after)
    read = has(), maps(with_token(**before))
    versions = [version()] if any(name in declared and declared[name] for name in PATTERNS) else []
    with conversation(*read, *versions, *read, remapped(changed), has(), maps(changed)) as server:
        assert manage(server, **NAMED, identity_mappings=[entry])["changed"]
    with conversation(has(), maps(changed)) as server:
        assert not manage(server, **NAMED, identity_mappings=[entry])["changed"]


def test_mapping_with_roles_belongs_to_the_project() -> None:
    entry = {**MAPPING, "scope": ROLES}
    stored = {**with_token(scope=ROLES), "project_key": "web"}
    before = has(), maps(), maps(project="web")
    requests = *before, *before, mapped(with_token(scope=ROLES), "?project_key=web"), has(), maps()
    with conversation(*requests, maps(stored, project="web")) as server:
        assert manage(server, **NAMED, identity_mappings=[entry])["changed"]
    changed = {**stored, "priority": 2}
    before = has(), maps(), maps(stored, project="web")
    after = has(), maps(), maps(changed, project="web")
    requests = *before, *before, remapped(changed, "?project_key=web"), *after
    with conversation(*requests) as server:
        assert manage(server, **NAMED, identity_mappings=[{**entry, "priority": 2}])["changed"]


def test_mappings_of_a_provider_in_a_project_belong_to_the_project() -> None:
    provider = {**STORED, "project_key": "web"}
    stored = {**STORED_MAPPING, "project_key": "web"}
    before = has(provider), maps(stored, project="web")
    requests = *before, *before, unmapped("main", "?project_key=web"), has(provider)
    with conversation(*requests, maps(project="web")) as server:
        assert manage(server, **NAMED, identity_mappings=[], purge=True)["changed"]


@pytest.mark.parametrize(
    ("stored", "declared", "written"),
    [
        (None, "jfrt@* jfac@*", "jfrt@* jfac@*"),
        ("jfac@* jfrt@*", "jfrt@* jfac@*", "jfac@* jfrt@*"),
        ("jfac@*", "jfrt@* jfac@*", "jfrt@* jfac@*"),
    ],
)
def test_order_of_the_audience_is_kept(stored: str | None, declared: str, written: str) -> None:
    before = [] if stored is None else [{**STORED_MAPPING, "token_spec": {**TOKEN, "audience": stored}}]
    after = {**STORED_MAPPING, "description": "new", "token_spec": {**TOKEN, "audience": written}}
    write = remapped(after) if before else mapped(after)
    mapping = {**MAPPING, "description": "new", "audience": declared}
    reads = has(), maps(*before)
    with conversation(*reads, *reads, write, has(), maps(after)) as server:
        assert manage(server, **TASK, identity_mappings=[mapping])["changed"]
    with conversation(has(), maps(after)) as server:
        assert not manage(server, **TASK, identity_mappings=[mapping])["changed"]


def test_slash_at_the_end_of_the_issuer_is_reported() -> None:
    issuer = "https://gitlab.example.com/"
    stored = {**STORED, "issuer_url": issuer}
    missing = call("GET", ADDRESS, 404, json=NOT_FOUND)
    with conversation(missing, version(), created({**BODY, "issuer_url": issuer}), has(stored)) as server:
        result = manage(server, **{**TASK, "issuer_url": issuer})
    assert "Option 'issuer_url': ends with '/'" in result["warnings"][0]
    github = {**GITHUB, "issuer_url": f"{GITHUB['issuer_url']}/"}
    result = run("artifact_oidc", url="http://127.0.0.1:1", **{**TASK, **github})
    assert result["msg"] == (
        "Option 'issuer_url': must not end with '/', because the tokens of GitHub name "
        "https://token.actions.githubusercontent.com."
    )


def test_provider_is_deleted() -> None:
    deleted = call("DELETE", ADDRESS, 204)
    with conversation(has(), deleted, has(None), version()) as server:
        result = manage(server, **NAMED, state="absent", identity_mappings=[MAPPING])
    assert (result["changed"], result["provider"]) == (True, None)
    with conversation(has(None), version()) as server:
        assert not manage(server, **NAMED, state="absent")["changed"]


def test_undeclared_providers_are_deleted() -> None:
    other = {**STORED, "name": "old"}
    missing = call("GET", f"{LIST}/old", 404, json=NOT_FOUND)
    requests = (call("GET", LIST, json=[STORED, other]), call("DELETE", f"{LIST}/old", 204), missing, version())
    with conversation(*requests) as server:
        result = manage(server, items=[TASK], undeclared="remove", workers=1)
    assert (result["changed"], result["undeclared"]) == (True, ["old"])


@pytest.mark.parametrize(
    ("options", "old", "new"),
    [({"provider_type": "azure"}, "generic", "azure"), ({"project": "web"}, "", "web")],
)
def test_fixed_option_cannot_be_changed(options: dict[str, Any], old: str, new: str) -> None:
    with conversation(has()) as server:
        result = manage(server, check_mode=True, **NAMED, **options)
    [name] = options
    assert result["msg"] == (
        f"The option '{name}' of OIDC provider 'gitlab' cannot be changed from '{old}' to '{new}'. Delete the provider "
        "and create it again."
    )


@pytest.mark.parametrize("name", ["issuer_url", "provider_type"])
def test_option_of_a_new_provider_is_required(name: str) -> None:
    with conversation(has(None), version()) as server:
        result = manage(server, check_mode=True, **{key: value for key, value in TASK.items() if key != name})
    assert result["msg"] == f"Option '{name}': is required, because OIDC provider 'gitlab' does not exist."


@pytest.mark.parametrize("name", ["priority", "claims"])
def test_option_of_a_new_mapping_is_required(name: str) -> None:
    entry = {key: value for key, value in MAPPING.items() if key != name}
    with conversation(has(), maps()) as server:
        result = manage(server, check_mode=True, **NAMED, identity_mappings=[entry])
    assert result["msg"] == (
        f"Option 'identity_mappings': 'main' requires '{name}', because the mapping does not exist."
    )


def test_mapping_requires_an_identity() -> None:
    entry = {key: value for key, value in MAPPING.items() if key != "scope"}
    with conversation(has(), maps()) as server:
        result = manage(server, **NAMED, identity_mappings=[entry])
    assert "'main' must have at least one of username, username_pattern, groups_pattern, scope" in result["msg"]
    with conversation(has(), maps(STORED_MAPPING)) as server:
        result = manage(server, **NAMED, identity_mappings=[{"name": "main", "scope": ""}])
    assert "'main' must have at least one of username, username_pattern, groups_pattern, scope" in result["msg"]


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"iss": "https://gitlab.example.com"},
        {"aud": "artifactory", "iss": "x"},
        {"sub": "*"},
        {"sub": "**", "ref": ""},
        {"sub": []},
        {"sub": ["refs/heads/main", "*"]},
        {"sub": {"a": "*"}},
    ],
)
def test_mapping_that_accepts_each_token_is_refused(claims: dict[str, Any]) -> None:
    entry = {**MAPPING, "claims": claims}
    with conversation() as server:
        result = manage(server, **NAMED, identity_mappings=[entry])
    assert result["msg"].startswith("Option 'identity_mappings[0].claims': must restrict the tokens")
    stored = {**STORED_MAPPING, "claims": claims}
    with conversation(has(), maps(stored)) as server:
        assert not manage(server, **NAMED, identity_mappings=[entry], allow_any_token=True)["changed"]
    with conversation(has(), maps(stored)) as server:
        result = manage(server, **NAMED, identity_mappings=[{"name": "main", "priority": 2}])
    assert result["msg"].startswith("Option 'identity_mappings[0].claims': must restrict the tokens")


@pytest.mark.parametrize(
    ("issuer", "claims", "is_safe"),
    [
        (GITHUB["issuer_url"], {"ref": "refs/heads/main"}, False),
        (GITHUB["issuer_url"], {"ref": "refs/heads/main", "repository": "*/shop"}, False),
        (GITHUB["issuer_url"], {"sub": "repo:*:ref:refs/heads/main"}, False),
        (GITHUB["issuer_url"], {"sub": "repo:acme/shop:*"}, True),
        (GITHUB["issuer_url"], {"repository_owner_id": 7}, True),
        (f"{GITHUB['issuer_url']}/", {"ref": "refs/heads/main"}, False),
        (f"{GITHUB['issuer_url']}/acme", {"ref": "refs/heads/main"}, True),
        ("https://gitlab.com", {"ref": "main"}, False),
        ("https://gitlab.com", {"sub": "project_path:*"}, False),
        ("https://gitlab.com", {"ref": "main", "namespace_path": "acme"}, True),
    ],
)
def test_mapping_of_a_public_provider_names_the_owner(issuer: str, claims: dict[str, Any], is_safe: bool) -> None:
    options = {**TASK, "issuer_url": issuer, "identity_mappings": [{**MAPPING, "claims": claims}]}
    with conversation(has(None), version()) as server:
        result = manage(server, check_mode=True, **options)
    assert result.get("failed", False) is not is_safe
    assert is_safe or "claims': must name the owner of the pipelines in one of " in result["msg"]
    with conversation(has(None), version()) as server:
        assert manage(server, check_mode=True, allow_any_token=True, **options)["changed"]


def test_organization_limits_the_pipelines_unless_the_provider_is_permissive() -> None:
    options = {**NAMED, "identity_mappings": [MAPPING]}
    stored = {**STORED, "provider_type": "GitHub", "issuer_url": GITHUB["issuer_url"], "organization": "acme"}
    with conversation(has(stored), maps()) as server:
        assert manage(server, check_mode=True, **options)["changed"]
    with conversation(has(stored), maps()) as server:
        result = manage(server, check_mode=True, enable_permissive_configuration=True, **options)
    assert "must name the owner of the pipelines" in result["msg"]


@pytest.mark.parametrize("change", [{"organization": ""}, {"enable_permissive_configuration": True}])
@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({}, "identity_mappings['main'].claims"),
        ({"identity_mappings": [MAPPING]}, "identity_mappings[0].claims"),
        ({"identity_mappings": [{**MAPPING, "name": "other", "claims": {"sub": "acme"}}]}, "identity_mappings['main']"),
    ],
)
def test_existing_mappings_are_verified_when_the_limit_to_an_organization_is_removed(
    change: dict[str, Any], check_mode: bool, options: dict[str, Any], option: str
) -> None:
    stored = {**STORED, **GITHUB, "provider_type": "GitHub", "organization": "acme"}
    with conversation(has(stored), maps(STORED_MAPPING)) as server:
        result = manage(server, check_mode=check_mode, **NAMED, **change, **options)
    assert (result["changed"], option in result["msg"]) == (False, True)
    assert "must name the owner of the pipelines" in result["msg"]


@pytest.mark.parametrize(
    ("options", "mapping"),
    [
        ({"allow_any_token": True}, None),
        ({}, {**STORED_MAPPING, "claims": {"repository_owner": "acme"}}),
        ({"identity_mappings": [], "purge": True}, STORED_MAPPING),
    ],
)
def test_limit_to_an_organization_is_removed_if_no_mapping_needs_it(
    options: dict[str, Any], mapping: dict[str, Any] | None
) -> None:
    stored = {**STORED, **GITHUB, "provider_type": "GitHub", "organization": "acme"}
    with conversation(has(stored), *([maps(mapping)] if mapping else [])) as server:
        assert manage(server, check_mode=True, **NAMED, organization="", **options)["changed"]


@pytest.mark.parametrize("issuer", ["https://gitlab.com", GITHUB["issuer_url"]])
def test_organization_does_not_limit_the_pipelines_of_other_provider_types(issuer: str) -> None:
    options = {**TASK, "issuer_url": issuer, "organization": "acme", "identity_mappings": [MAPPING]}
    with conversation(has(None), version()) as server:
        result = manage(server, check_mode=True, **options)
    assert "must name the owner of the pipelines" in result["msg"]


@pytest.mark.parametrize("claims", [{"admin": True}, {"id": 0}, {"sub": "repo:acme/*"}, {"sub": ["a"], "ref": "*"}])
def test_mapping_that_restricts_tokens_is_accepted(claims: dict[str, Any]) -> None:
    with conversation(has(), maps({**STORED_MAPPING, "claims": claims})) as server:
        assert not manage(server, **NAMED, identity_mappings=[{**MAPPING, "claims": claims}])["changed"]


@pytest.mark.parametrize(
    "scope",
    ["applied-permissions/admin", "applied-permissions/user applied-permissions/ADMIN", "applied-permissions/admin "],
)
def test_scope_of_administrators_is_refused(scope: str) -> None:
    entry = {**MAPPING, "scope": scope.strip()}
    with conversation() as server:
        result = manage(server, **NAMED, identity_mappings=[entry])
    assert result["msg"].startswith("Option 'identity_mappings[0].scope': grants administration of the platform")
    with conversation(has(), maps(with_token(scope=scope.strip()))) as server:
        assert not manage(server, **NAMED, identity_mappings=[entry], allow_admin_scope=True)["changed"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "GitLab"}, "Option 'name': must be 2 to 255 lowercase letters"),
        ({"name": "g"}, "Option 'name': must be 2 to 255 lowercase letters"),
        ({"issuer_url": "http://gitlab.example.com"}, "Option 'issuer_url': must be a URL such as https://"),
        ({"issuer_url": "https://u:p@gitlab.example.com"}, "Option 'issuer_url': must not contain a user name"),
        ({"provider_type": "okta"}, "value of provider_type must be one of"),
        (
            {"provider_type": "github"},
            "Option 'issuer_url': must start with https://token.actions.githubusercontent.com",
        ),
        ({**GITHUB, "token_issuer": "x"}, "Option 'token_issuer': does not apply to the provider type 'github'"),
        ({"azure_app_id": "x"}, "Option 'azure_app_id': does not apply to the provider type 'generic', only to azure"),
        (
            {"enable_permissive_configuration": True},
            "Option 'enable_permissive_configuration': does not apply to the provider type 'generic', only to github",
        ),
        ({"identity_mappings": [MAPPING, MAPPING]}, "Option 'identity_mappings[1].name': 'main' is listed twice"),
        ({"identity_mappings": [{}]}, "Option 'identity_mappings[0].name': is required"),
        (
            {"identity_mappings": [{**MAPPING, "name": "a b"}]},
            "identity_mappings[0].name': must be 1 to 255 characters",
        ),
        ({"identity_mappings": [{**MAPPING, "name": ".."}]}, "identity_mappings[0].name': must be 1 to 255 characters"),
        ({"identity_mappings": [{**MAPPING, "priority": 0}]}, "identity_mappings[0].priority': must be 1 to"),
        ({"identity_mappings": [{**MAPPING, "expires_in": 59}]}, "identity_mappings[0].expires_in': must be 60 to"),
        ({"identity_mappings": [{**MAPPING, "scope": "admin"}]}, "identity_mappings[0].scope': must start with"),
        (
            {"identity_mappings": [{**MAPPING, "claims": {"a": None}}]},
            "identity_mappings[0].claims.a': must not be null",
        ),
        (
            {"identity_mappings": [{**MAPPING, "claims": {"a": [1.1]}}]},
            "claims.a[0]': must be a string, not a number with",
        ),
        ({"identity_mappings": [{**MAPPING, "username": "a", "username_pattern": "b"}]}, "must not be set together"),
    ],
)
def test_invalid_option_is_refused_before_the_first_request(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        result = manage(server, **{**TASK, **options})
    assert message in result["msg"]


def test_option_that_does_not_apply_to_the_existing_type_is_refused() -> None:
    with conversation(has()) as server:
        result = manage(server, **NAMED, azure_app_id="x")
    assert result["msg"].startswith("Option 'azure_app_id': does not apply to the provider type 'generic'")


def test_check_mode_verifies_the_project() -> None:
    options = {**TASK, "project": "web"}
    missing = call("GET", "/access/api/v1/projects/web", 404, json=NOT_FOUND)
    with conversation(has(None), version(), missing) as server:
        result = manage(server, check_mode=True, **options)
    assert result["msg"] == "Option 'project': 'web' does not exist on this server." + PREDICT_MISSING
    with conversation(has(None), version()) as server:
        result = manage(server, check_mode=True, predict_missing=True, **options)
    assert (result["changed"], result["provider"]) == (True, {**RESULT, "project": "web"})


def test_provider_is_created_in_a_project() -> None:
    body = {**BODY, "project_key": "web"}
    requests = (has(None), version(), created(body), mapped(query="?project_key=web"), has(body))
    with conversation(*requests, maps(STORED_MAPPING, project="web")) as server:
        result = manage(server, **TASK, project="web", identity_mappings=[MAPPING])
    assert result["provider"]["project"] == "web"


@pytest.mark.parametrize(
    ("response", "message"),
    [
        (version("7.72.0"), "Managing OIDC providers requires Artifactory 7.73.1 or later."),
        (version("7.98.4"), "not from the Access API. Check that 'url'"),
        (
            version("7.98.4", "OSS"),
            "Managing OIDC providers requires Artifactory Enterprise, but the server is the open-",
        ),
    ],
)
@pytest.mark.parametrize("module", ["artifact_oidc", "artifact_oidc_info"])
def test_server_without_the_api_is_reported(module: str, response: Call, message: str) -> None:
    with conversation(call("GET", ADDRESS, 404, text="<html>"), response) as server:
        result = run(module, url=server.url, token="t0ken-of-mine", **NAMED)
    assert message in result["msg"]


def test_refusal_names_the_required_edition() -> None:
    error = {"errors": [{"code": "FORBIDDEN", "message": "Forbidden"}]}
    license_type = call("GET", "/artifactory/api/system/licenses", json={"type": "Commercial"})
    with conversation(call("GET", ADDRESS, 403, json=error), version(), license_type) as server:
        result = manage(server, check_mode=True, **TASK)
    assert result["msg"] == (
        "Managing OIDC providers requires Artifactory Enterprise, but the server has a license of the type "
        "'Commercial'. Let pipelines use access tokens of the module access_token instead."
    )


@pytest.mark.parametrize("content", [dict(text="<html>"), dict(json={}), dict(json={"errors": []}), dict(json=[{}])])
def test_response_of_another_server_is_not_trusted(content: dict[str, Any]) -> None:
    with conversation(call("GET", LIST, **content)) as server:
        result = manage(server, items=[TASK], undeclared="remove")
    assert (result["failed"], result["changed"]) == (True, False)
    with conversation(call("GET", ADDRESS, **content)) as server:
        assert manage(server, **TASK)["failed"]
    with conversation(has(), call("GET", MAPPINGS, **content)) as server:
        assert manage(server, **NAMED, identity_mappings=[], purge=True)["failed"]


def test_lost_response_is_resolved_by_reading() -> None:
    with conversation(has(None), version(), created(drop=True), has()) as server:
        result = manage(server, retries=0, **TASK)
    assert result["changed"]
    assert "Reading back shows that the request had its effect" in result["warnings"][0]


def test_next_run_writes_the_mappings_after_a_lost_response() -> None:
    options = {**TASK, "identity_mappings": [MAPPING]}
    with conversation(has(None), version(), created(drop=True), has(), maps()) as server:
        result = manage(server, retries=0, **options)
    assert "Reading back shows a part of the change" in result["msg"]
    with conversation(has(), maps(), has(), maps(), mapped(), has(), maps(STORED_MAPPING)) as server:
        assert manage(server, **options)["changed"]


def test_refused_mapping_is_reported_with_the_changed_provider() -> None:
    error = {"errors": [{"code": "BAD_REQUEST", "message": "expires_in is too long"}]}
    refused = call("POST", MAPPINGS, 400, json=error)
    requests = (has(None), version(), created(), refused, call("GET", "/artifactory/api/system/licenses", 403))
    with conversation(*requests, has(), maps()) as server:
        result = manage(server, **TASK, identity_mappings=[MAPPING])
    assert (result["changed"], "expires_in is too long" in result["msg"]) == (True, True)
    assert result["provider"]["identity_mappings"] == []


def test_mapping_without_effect_is_reported() -> None:
    after = {**STORED_MAPPING, "priority": 2}
    before = has(), maps(STORED_MAPPING)
    with conversation(*before, *before, remapped(after), *before) as server:
        result = manage(server, **NAMED, identity_mappings=[{"name": "main", "priority": 2}])
    assert "these fields of the provider do not have the requested values: identity_mappings (main)" in result["msg"]


def test_information_has_the_form_of_the_options() -> None:
    other = {**STORED, "name": "azure", "provider_type": "Something new", "project_key": "web"}
    empty = call("GET", f"{LIST}/azure/identity_mappings?project_key=web", json=[])
    with conversation(call("GET", LIST, json=[STORED, other]), empty, maps(STORED_MAPPING)) as server:
        result = run("artifact_oidc_info", url=server.url, workers=1)
    described = {**RESULT, "identity_mappings": [MAPPING_RESULT]}
    assert result["providers"] == [
        {**RESULT, "name": "azure", "provider_type": "Something new", "project": "web", "identity_mappings": []},
        described,
    ]
    with conversation(has(), maps(STORED_MAPPING)) as server:
        assert run("artifact_oidc_info", url=server.url, **NAMED)["providers"] == [described]
    with conversation(has(None), version()) as server:
        assert run("artifact_oidc_info", url=server.url, **NAMED)["providers"] == []
    with conversation(call("GET", LIST, json=[STORED]), maps(STORED_MAPPING)) as server:
        assert not manage(server, items=[described], purge=True)["changed"]
