# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import importlib
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils import _reconcile
from sandbox.client import Sandbox
from support.artifact_edition import newest_version
from support.conversation import Call, call, conversation
from support.running import run

REPOSITORIES = "/artifactory/api/repositories"
BATCH = "/artifactory/api/v2/repositories/batch"
LOCAL = {"key": "npm-local", "type": "local", "package_type": "npm"}
REMOTE = {"key": "npm-remote", "type": "remote", "package_type": "npm", "remote_url": "https://registry.npmjs.org"}
STORED = {
    "key": "npm-local",
    "rclass": "local",
    "packageType": "npm",
    "description": "",
    "includesPattern": "**/*",
    "repoLayoutRef": "npm-default",
    "somethingNew": {"of": "a later version"},
}
BODY = {"key": "npm-local", "rclass": "local", "packageType": "npm"}
VERSION = "/artifactory/api/system/version"


def manage(server: Any, **options: Any) -> dict[str, Any]:
    return run("artifact_repository", url=server.url, visibility_timeout=0, diff_mode=True, **options)


def error(status: int, message: str) -> dict[str, Any]:
    return {"errors": [{"status": status, "message": message}]}


def has(key: str = "npm-local", **members: Any) -> Call:
    return call("GET", f"{REPOSITORIES}/{key}", json={**STORED, "key": key, **members})


def lacks(key: str = "npm-local", status: int = 400) -> Call:
    return call("GET", f"{REPOSITORIES}/{key}", status, json=error(status, "Bad Request"))


def listed(*configurations: dict[str, Any]) -> Call:
    groups: dict[str, list[dict[str, Any]]] = {}
    for configuration in configurations:
        groups.setdefault(configuration["rclass"].upper(), []).append(configuration)
    return call("GET", f"{REPOSITORIES}/configurations", json=groups)


def version(text: str) -> Call:
    return call("GET", VERSION, json={"version": text, "revision": "1", "license": "Pro"})


def stored(key: str, **members: Any) -> dict[str, Any]:
    return {**STORED, "key": key, **members}


def new(key: str) -> dict[str, Any]:
    return {**BODY, "key": key, "repoLayoutRef": "npm-default"}


def test_second_run_sends_one_read_when_nothing_changed() -> None:
    with conversation(has(excludesPattern="a/**,b/**", propertySets=["b", "a"])) as server:
        result = manage(server, excludes_pattern="a/**, b/**", property_sets=["a", "b"], **LOCAL)
    assert not result["changed"]


@pytest.mark.parametrize("status", [400, 404])
def test_new_repository_gets_the_layout_of_its_package_type(status: int) -> None:
    create = call("PUT", f"{REPOSITORIES}/npm-local", text="Successfully created", sent_json=new("npm-local"))
    with conversation(lacks(status=status), create, has()) as server:
        result = manage(server, **LOCAL)
    assert result["diff"]["before"] == {"state": "absent"}
    assert result["diff"]["after"] == {"state": "present", **LOCAL, "layout": "npm-default"}


def test_only_changed_members_are_sent() -> None:
    update = call("POST", f"{REPOSITORIES}/npm-local", sent_json={**BODY, "description": "New"})
    with conversation(has(notes="kept"), update, has(notes="kept", description="New")) as server:
        result = manage(server, description="New", blacked_out=False, **LOCAL)
    assert result["repository"]["notes"] == "kept"


@pytest.mark.parametrize("declared", ["Ours", "Ours (local file cache)"])
def test_suffix_of_the_description_is_not_a_difference(declared: str) -> None:
    remote = {"rclass": "remote", "url": "https://registry.npmjs.org", "description": "Ours (local file cache)"}
    with conversation(has("npm-remote", **remote)) as server:
        result = manage(server, description=declared, **REMOTE)
    assert not result["changed"]
    assert result["repository"]["description"] == "Ours"


@pytest.mark.parametrize(("update_secret", "writes"), [("on_create", False), ("always", True)])
def test_password_is_sent_to_an_existing_repository_when_required(update_secret: str, writes: bool) -> None:
    current = has("npm-remote", rclass="remote", url="https://registry.npmjs.org", password="AM.x")
    body = {"key": "npm-remote", "rclass": "remote", "packageType": "npm", "password": "s3cret-of-npm"}
    update = [call("POST", f"{REPOSITORIES}/npm-remote", sent_json=body), current] if writes else []
    with conversation(current, *update) as server:
        result = manage(server, remote_password="s3cret-of-npm", update_secret=update_secret, **REMOTE)
    assert result["changed"] is writes
    assert "s3cret" not in str(result)
    assert "AM.x" not in str(result)


def test_default_deployment_repository_is_cleared_with_a_name_that_does_not_exist() -> None:
    virtual = {"key": "npm", "type": "virtual", "package_type": "npm", "default_deployment_repo": ""}
    body = {"key": "npm", "rclass": "virtual", "packageType": "npm"}
    update = call(
        "POST",
        f"{REPOSITORIES}/npm",
        sent_json={**body, "defaultDeploymentRepo": "no-default-deployment-repository"},
    )
    current = has("npm", rclass="virtual", defaultDeploymentRepo="npm-local")
    with conversation(current, update, has("npm", rclass="virtual")) as server:
        assert manage(server, **virtual)["changed"]


# Members that JFrog's Terraform provider writes, by class and package type
PROVIDER_MEMBERS: dict[tuple[str, str], dict[str, Any]] = {
    ("virtual", "ansible"): {"virtualRetrievalCachePeriodSecs": 7200},
    ("virtual", "chef"): {"virtualRetrievalCachePeriodSecs": 7200},
    ("virtual", "conan"): {
        "virtualRetrievalCachePeriodSecs": 7200,
        "enableConanSupport": True,
        "forceConanAuthentication": True,
    },
    ("virtual", "npm"): {"externalDependenciesEnabled": False, "externalDependenciesPatterns": []},
    ("remote", "gems"): {"propagateQueryParams": True, "retrieveSha256FromServer": True},
    ("remote", "go"): {"propagateQueryParams": True, "retrieveSha256FromServer": True},
    ("remote", "pypi"): {"curated": True, "passThrough": True},
}


@pytest.mark.parametrize(("rclass", "package_type"), PROVIDER_MEMBERS)
def test_members_of_other_clients_can_be_declared(rclass: str, package_type: str) -> None:
    members = PROVIDER_MEMBERS[rclass, package_type]
    options = {"type": rclass, "package_type": package_type, "settings": members, "remote_url": None}
    stored_members = {name: value for name, value in members.items() if value != []}  # omitted while it is empty
    if rclass == "remote":
        options["remote_url"] = stored_members["url"] = "https://example.com"
    with conversation(has("tf", rclass=rclass, packageType=package_type, **stored_members)) as server:
        assert not manage(server, key="tf", **options)["changed"]


def test_order_of_the_options_is_sent_when_other_clients_compare_it() -> None:
    debian = {"key": "apt", "type": "virtual", "package_type": "debian", "debian_default_architectures": "i386,amd64"}
    sent = {"key": "apt", "rclass": "virtual", "packageType": "debian", "debianDefaultArchitectures": "i386,amd64"}
    identity = {"rclass": "virtual", "packageType": "debian"}
    update = call("POST", f"{REPOSITORIES}/apt", sent_json=sent)
    current = has("apt", debianDefaultArchitectures="amd64", **identity)
    with conversation(current, update, has("apt", debianDefaultArchitectures="i386,amd64", **identity)) as server:
        assert manage(server, **debian)["changed"]


def test_order_of_members_is_significant_in_virtual_repositories() -> None:
    virtual = {"key": "npm", "type": "virtual", "package_type": "npm"}
    with conversation(has("npm", rclass="virtual", repositories=["a", "b"])) as server:
        assert not manage(server, repositories=["a", "b"], **virtual)["changed"]
    current = has("npm", rclass="virtual", repositories=["a", "b"])
    update = call("POST", f"{REPOSITORIES}/npm")
    with conversation(current, update, has("npm", rclass="virtual", repositories=["b", "a"])) as server:
        assert manage(server, repositories=["b", "a"], **virtual)["changed"]


@pytest.mark.parametrize("own", ["{url}/artifactory/npm-fed", "https://base.example.com/artifactory/npm-fed"])
def test_own_federated_member_is_not_a_difference(own: str) -> None:
    other = "https://eu.example.com/artifactory/npm-fed"
    federated = {"key": "npm-fed", "type": "federated", "package_type": "npm", "members": [{"url": other}]}
    with conversation() as server:
        current = [{"url": own.format(url=server.url), "enabled": True}, {"url": other, "enabled": True}]
        server.calls.append(has("npm-fed", rclass="federated", members=current))
        assert not manage(server, **federated)["changed"]


def test_declared_own_federated_member_is_sent_and_not_compared() -> None:
    identity = {"key": "npm-fed", "type": "federated", "package_type": "npm"}
    with conversation() as server:
        own, other = f"{server.url}/artifactory/npm-fed", "https://eu.example.com/artifactory/npm-fed"
        urls = [{"url": own}, {"url": other}]
        both = [{"url": url, "enabled": True} for url in (own, other)]
        sent = {"key": "npm-fed", "rclass": "federated", "packageType": "npm", "members": both}
        server.calls += [
            has("npm-fed", rclass="federated", members=both[:1]),
            newest_version(),
            call("GET", "/artifactory/api/system/licenses", json={"type": "Enterprise Plus"}),
            call("POST", f"{REPOSITORIES}/npm-fed", sent_json=sent),
            has("npm-fed", rclass="federated", members=both),
            has("npm-fed", rclass="federated", members=both),
        ]
        assert manage(server, members=urls, **identity)["changed"]
        assert not manage(server, members=urls, **identity)["changed"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rclass": "federated"}, "The class of repository 'npm-local' cannot be changed from 'federated' to 'local'"),
        ({"packageType": "pypi"}, "The package type of repository 'npm-local' cannot be changed from 'pypi' to 'npm'"),
    ],
)
def test_class_and_package_type_are_never_changed(change: dict[str, str], words: str) -> None:
    with conversation(has(**change)) as server:
        result = manage(server, **LOCAL)
    assert words in result["msg"]
    assert not result["changed"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"type": "virtual", "package_type": "cargo"}, "Option 'type': 'virtual' does not exist for cargo."),
        ({"package_type": "nmp"}, "Option 'package_type': 'nmp' is not a package type. Did you mean 'npm'?"),
        ({"handle_releases": True}, "Option 'handle_releases': does not apply to local npm repositories."),
        ({"settings": {"xrayDataTTL": 3}}, "is not a member of local npm repositories. Did you mean 'xrayDataTtl'?"),
        ({"settings": {"xrayDataTtl": "3"}}, "Option 'settings.xrayDataTtl': must be a whole number"),
        ({"settings": {"xrayDataTtl": None}}, "Option 'settings.xrayDataTtl': must not be null."),
        ({"settings": {"rclass": "local"}}, "Option 'settings.rclass': must be set with the option 'type'."),
        ({"settings": {"notes": "a"}, "notes": "b"}, "Option 'settings.notes': is set by the option 'notes' as well."),
        ({"type": "remote"}, "Option 'remote_url': is required for remote repositories."),
        ({"type": None}, "Option 'type': is required if the repository should exist."),
        ({"package_type": "terraform"}, "Option 'terraform_type': is required for local Terraform repositories."),
    ],
)
@pytest.mark.parametrize("check_mode", [False, True])
def test_invalid_options_are_refused_before_the_first_request(
    options: dict[str, Any], message: str, check_mode: bool
) -> None:
    item = {name: value for name, value in {**LOCAL, **options}.items() if value is not None}
    with conversation() as server:
        single = run("artifact_repository", url=server.url, check_mode=check_mode, **item)
        several = run("artifact_repository", url=server.url, check_mode=check_mode, items=[item])
    assert message in single["msg"]
    assert message.replace("Option '", "Option 'items[0].") in several["msg"]


@pytest.mark.parametrize(
    ("host", "options"),
    [
        ("galaxy.ansible.com", {"package_type": "ansible", "remote_url": "https://galaxy.ansible.com"}),
        (
            "registry.opentofu.org",
            {
                "package_type": "terraform",
                "remote_url": "https://github.com",
                "settings": {"terraformRegistryUrl": "https://registry.opentofu.org"},
            },
        ),
    ],
)
def test_head_requests_to_registries_without_them_are_refused(host: str, options: dict[str, Any]) -> None:
    with conversation() as server:
        result = manage(server, key="tf", type="remote", bypass_head_requests=False, **options)
    message = f"Option 'bypass_head_requests': must be true for {host}, because Artifactory always enables it."
    assert result["msg"] == message


def test_value_and_secret_value_of_a_header_are_refused_together() -> None:
    remote = {"key": "files", "type": "remote", "package_type": "generic", "remote_url": "https://example.com"}
    header = {"name": "X-A", "value": "plain", "secret_value": "hidden"}
    with conversation() as server:
        result = run("artifact_repository", url=server.url, **remote, custom_http_headers=[header])
    assert "Option 'custom_http_headers[0].value': cannot be combined with 'secret_value'." in result["msg"]


def test_public_part_of_a_configuration_is_never_compared() -> None:
    partial = {"key": "npm-local", "rclass": "local", "packageType": "npm", "description": ""}
    with conversation(call("GET", f"{REPOSITORIES}/npm-local", json=partial)) as server:
        result = manage(server, includes_pattern="a/**", **LOCAL)
    assert "the account has no administrator permission" in result["msg"]


def test_open_source_edition_is_not_an_absent_repository() -> None:
    message = "This REST API is available only in Artifactory Pro"
    with conversation(call("GET", f"{REPOSITORIES}/npm-local", 400, json=error(400, message))) as server:
        result = manage(server, **LOCAL)
    assert "This requires Artifactory Pro" in result["msg"]


def test_deletion_of_artifacts_must_be_allowed() -> None:
    virtuals = call("GET", f"{REPOSITORIES}/configurations?repoType=virtual", json={})
    root = {"repo": "npm-local", "path": "/", "children": [{"uri": "/left-pad", "folder": True}]}
    summary = {
        "binariesSummary": {"binariesCount": "1", "binariesSize": "1 GB", "artifactsSize": "1 GB", "itemsCount": "5",
                            "artifactsCount": "5", "optimization": "100%"},
        "fileStoreSummary": {"storageType": "fs", "storageDirectory": "x", "totalSpace": "1 GB", "usedSpace": "1 GB",
                             "freeSpace": "1 GB"},
        "repositoriesSummaryList": [
            {"repoKey": "npm-local", "repoType": "LOCAL", "foldersCount": 2, "filesCount": 1234, "itemsCount": 1236,
             "usedSpace": "5 KB", "usedSpaceInBytes": 5120, "percentage": "1%"},
        ],
    }  # fmt: skip
    calls = [
        has(),
        virtuals,
        call("GET", "/artifactory/api/storage/npm-local", json=root),
        call("GET", "/artifactory/api/storageinfo", json=summary),
    ]
    with conversation(*calls) as server:
        result = manage(server, key="npm-local", state="absent")
    assert result["msg"] == (
        "Repository 'npm-local' has artifacts: 1,234 files with 5,120 bytes at the last storage calculation. "
        "To delete them with the repository, set 'allow_delete_content'."
    )
    deletion = call("DELETE", f"{REPOSITORIES}/npm-local", text="removed")
    with conversation(has(), virtuals, deletion, lacks()) as server:
        assert manage(server, key="npm-local", state="absent", allow_delete_content=True)["changed"]


def test_repository_is_kept_when_its_content_cannot_be_listed() -> None:
    virtuals = call("GET", f"{REPOSITORIES}/configurations?repoType=virtual", json={})
    refused = call("GET", "/artifactory/api/storage/npm-local", 403, json=error(403, "Forbidden"))
    with conversation(has(), virtuals, refused) as server:
        result = manage(server, key="npm-local", state="absent")
    assert "Cannot verify that repository 'npm-local' has no artifacts" in result["msg"]


def test_member_of_a_virtual_repository_is_not_deleted() -> None:
    virtual = stored("npm", rclass="virtual", repositories=["npm-local"])
    virtuals = call("GET", f"{REPOSITORIES}/configurations?repoType=virtual", json={"VIRTUAL": [virtual]})
    with conversation(has(), virtuals) as server:
        result = manage(server, key="npm-local", state="absent", allow_delete_content=True)
    assert "is a member of virtual repositories: 'npm'" in result["msg"]


def test_items_are_created_in_one_batch_and_read_back_together() -> None:
    batch = call("PUT", BATCH, 201, sent_json=[new("a"), new("b")])
    calls = [listed(), version("7.90.0"), batch, listed(stored("a"), stored("b"))]
    with conversation(*calls) as server:
        result = manage(server, type="local", package_type="npm", items=[{"key": "a"}, {"key": "b"}])
    assert result["counts"]["changed"] == 2


@pytest.mark.parametrize(("number", "method"), [("7.84.2", "PUT"), ("7.90.0", "POST")])
def test_items_are_written_one_by_one_when_the_version_has_no_batches(number: str, method: str) -> None:
    before = [] if method == "PUT" else [stored("a", notes="old"), stored("b", notes="old")]
    body: dict[str, Any] = {"notes": "new"} if method == "POST" else {"notes": "new", "repoLayoutRef": "npm-default"}
    writes = [call(method, f"{REPOSITORIES}/{key}", sent_json={**BODY, "key": key, **body}) for key in "ab"]
    after = listed(stored("a", notes="new"), stored("b", notes="new"))
    with conversation(listed(*before), version(number), *writes, after) as server:
        result = manage(server, type="local", package_type="npm", notes="new", items=[{"key": "a"}, {"key": "b"}])
    assert result["counts"]["changed"] == 2


def test_each_item_has_its_own_outcome_when_the_batch_is_refused() -> None:
    refused = error(400, "Unable to find repository layout by the name: nope")
    batch = call("PUT", BATCH, 400, json=refused)
    single = call("PUT", f"{REPOSITORIES}/bad", 400, json=refused)
    good = call("PUT", f"{REPOSITORIES}/good")
    calls = [listed(), version("7.90.0"), batch, listed(), good, single, listed(stored("good"))]
    with conversation(*calls) as server:
        result = manage(
            server, type="local", package_type="npm", items=[{"key": "good"}, {"key": "bad", "layout": "nope"}]
        )
    assert [outcome["status"] for outcome in result["outcomes"]] == ["failed", "changed"]
    assert "Unable to find repository layout by the name: nope" in result["msg"]


def test_half_of_a_refused_batch_is_not_sent_again_when_it_took_effect() -> None:
    batch = call("PUT", BATCH, 500, json=error(500, "Internal error"))
    calls = [listed(), version("7.90.0"), batch, listed(stored("a")), call("PUT", f"{REPOSITORIES}/b")]
    with conversation(*calls, listed(stored("a"), stored("b"))) as server:
        result = manage(server, type="local", package_type="npm", items=[{"key": "a"}, {"key": "b"}])
    assert result["counts"]["changed"] == 2


def test_lost_batch_is_resolved_by_reading_back() -> None:
    batch = call("PUT", BATCH, drop=True)
    with conversation(listed(), version("7.90.0"), batch, listed(stored("a"))) as server:
        result = manage(server, type="local", package_type="npm", items=[{"key": "a"}, {"key": "b"}])
    assert [outcome["status"] for outcome in result["outcomes"]] == ["unknown", "changed"]


def test_virtual_repositories_are_created_after_their_members() -> None:
    virtual = {"rclass": "virtual", "packageType": "npm", "repoLayoutRef": "npm-default"}
    inner, outer = (
        {"key": "inner", **virtual, "repositories": ["a"]},
        {"key": "x", **virtual, "repositories": ["inner"]},
    )
    writes = [call("PUT", f"{REPOSITORIES}/{body['key']}", sent_json=body) for body in (new("a"), inner, outer)]
    items = [
        {"key": "x", "type": "virtual", "repositories": ["inner"]},
        {"key": "inner", "type": "virtual", "repositories": ["a"]},
        {"key": "a", "type": "local"},
    ]
    after = listed(stored("a"), {**STORED, **inner}, {**STORED, **outer})
    with conversation(listed(), *writes, after) as server:
        assert manage(server, package_type="npm", items=items)["counts"]["changed"] == 3


def test_repositories_are_deleted_after_the_virtual_ones_that_contain_them() -> None:
    current = [stored("a"), stored("b"), stored("npm", rclass="virtual", repositories=["a", "b"])]
    items = [
        {"key": "a", "state": "absent"},
        {"key": "npm", "type": "virtual", "package_type": "npm", "repositories": ["b"]},
    ]
    body = {"key": "npm", "rclass": "virtual", "packageType": "npm", "repositories": ["b"]}
    writes = [call("POST", f"{REPOSITORIES}/npm", sent_json=body), call("DELETE", f"{REPOSITORIES}/a")]
    after = listed(stored("b"), stored("npm", rclass="virtual", repositories=["b"]))
    with conversation(listed(*current), *writes, after) as server:
        result = manage(server, allow_delete_content=True, items=items)
    assert result["counts"]["changed"] == 2


def test_member_is_kept_when_its_virtual_repository_cannot_be_changed() -> None:
    current = [stored("a"), stored("npm", rclass="virtual", repositories=["a"])]
    items = [
        {"key": "a", "state": "absent"},
        {"key": "npm", "type": "virtual", "package_type": "npm", "repositories": []},
    ]
    refused = call("POST", f"{REPOSITORIES}/npm", 409, json=error(409, "No"))
    with conversation(listed(*current), refused, listed(*current)) as server:
        result = manage(server, allow_delete_content=True, items=items)
    assert [outcome["status"] for outcome in result["outcomes"]] == ["failed", "failed"]


def test_each_declared_repository_is_read_when_the_server_cannot_list_configurations() -> None:
    none = call("GET", f"{REPOSITORIES}/configurations", 400, json=error(400, "Bad Request"))
    entry = {"key": "a", "type": "LOCAL", "url": "http://host/artifactory/a"}
    with conversation(none, call("GET", REPOSITORIES, json=[entry]), has("a")) as server:
        result = manage(server, items=[{**LOCAL, "key": "a"}])
    assert result["counts"]["ok"] == 1


@pytest.fixture
def server_environment(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> Sandbox:
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    return sandbox


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ({"layout": "nope"}, "Repository 'x': the layout 'nope' does not exist."),
        ({"property_sets": ["nope"]}, "Repository 'x': the property set 'nope' does not exist."),
        ({"type": "virtual", "repositories": ["nope"]}, "Repository 'x': the member 'nope' does not exist."),
        ({"type": "virtual", "repositories": ["docker-local"]}, "has the package type docker instead of npm."),
    ],
)
def test_check_mode_predicts_refusals(item: dict[str, Any], words: str, server_environment: Sandbox) -> None:
    options = {"key": "x", "type": "local", "package_type": "npm", **item}
    assert words in run("artifact_repository", check_mode=True, **options)["msg"]
    assert words in run("artifact_repository", check_mode=True, items=[options])["msg"]
    assert run("artifact_repository", check_mode=True, predict_missing=True, **options)["changed"]


@pytest.mark.parametrize("key", ["x", "npm-of-nobody"])
def test_repositories_have_environments_without_a_project(key: str, server_environment: Sandbox) -> None:
    repository = {"key": key, "type": "local", "package_type": "npm"}
    run("artifact_repository", **{**repository, "key": "npm-of-nobody"})
    options = {**repository, "environments": ["DEV"]}
    changes = [run("artifact_repository", check_mode=mode, **options)["changed"] for mode in (True, False, False)]
    assert changes == [True, True, False]
    run("artifact_project", key="web", display_name="Web", repositories=[key])
    assert run("artifact_repository", **options)["repository"]["project"] == "web"


@pytest.mark.parametrize("member", [{}, {"environments": []}])
def test_task_fails_when_the_server_ignores_environments(member: dict[str, Any]) -> None:
    stored = has("npm", **member)
    with conversation(stored, newest_version(), call("POST", f"{REPOSITORIES}/npm"), stored) as server:
        result = manage(server, key="npm", type="local", package_type="npm", environments=["DEV"])
    assert "do not have the requested values: environments" in result["msg"]


def test_check_mode_predicts_that_a_key_exists_in_another_case(server_environment: Sandbox) -> None:
    options = {**LOCAL, "key": "Generic-Local"}
    assert "'generic-local' exists" in run("artifact_repository", check_mode=True, **options)["msg"]
    assert "already exists" in run("artifact_repository", **options)["msg"]


def test_virtual_repository_must_not_contain_itself(server_environment: Sandbox) -> None:
    result = run("artifact_repository", key="v", type="virtual", package_type="npm", repositories=["v"])
    assert result["msg"] == "Option 'repositories': must not contain the repository itself."


def test_check_mode_knows_the_repositories_that_the_same_task_creates(server_environment: Sandbox) -> None:
    items = [{"key": "v", "type": "virtual", "repositories": ["l"]}, {"key": "l", "type": "local"}]
    result = run("artifact_repository", check_mode=True, package_type="npm", items=items)
    assert result["counts"]["changed"] == 2


def test_check_mode_predicts_the_open_source_edition(server_environment: Sandbox) -> None:
    server_environment.switch("artifact", edition="oss")
    assert "Artifactory Pro" in run("artifact_repository", check_mode=True, **LOCAL)["msg"]


def test_repository_that_is_not_visible_yet_is_read_again(
    server_environment: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_reconcile, "_pause", lambda seconds: server_environment.clock(advance=seconds))
    server_environment.switch("artifact", repository_visibility_seconds=1)
    items = [{**LOCAL, "key": "new-a"}, {**LOCAL, "key": "new-b"}]
    result = run("artifact_repository", items=items, visibility_timeout=30)
    assert result["counts"]["changed"] == 2


def test_merge_refusal_is_retried(server_environment: Sandbox) -> None:
    server_environment.switch("artifact", merge_refusals=1, merge_refusal_status=500)
    assert run("artifact_repository", **{**LOCAL, "key": "merged-local"})["changed"]


def test_connection_of_a_remote_repository_is_tested(server_environment: Sandbox) -> None:
    options = {**REMOTE, "key": "tested-remote", "test_connection": True}
    assert run("artifact_repository", **options)["connection"] == "Successfully connected to server"
    server_environment.switch("artifact", remote_connection_failure="Error 404: Not Found")
    result = run("artifact_repository", **options)
    assert "Connection failed: Error 404: Not Found. Check 'remote_url'" in result["msg"]
    assert not result["changed"]


def test_repositories_of_artifactory_itself_are_not_undeclared(server_environment: Sandbox) -> None:
    items = [{"key": "generic-local", "type": "local", "package_type": "generic"}]
    result = run("artifact_repository", items=items, undeclared="report")
    assert result["undeclared"]
    assert "generic-local" not in result["undeclared"]
    assert not [key for key in result["undeclared"] if key.endswith("build-info")]


def test_result_of_the_information_module_changes_nothing(server_environment: Sandbox) -> None:
    found = run("artifact_repository_info", configuration=True)["repositories"]
    result = run("artifact_repository", items=found)
    assert not result.get("failed"), result["msg"]
    assert result["counts"]["ok"] == len(found)


def test_nothing_is_written_when_too_many_items_fail_before(server_environment: Sandbox) -> None:
    items = [{**LOCAL, "key": "new-local"}, {"key": "docker-local", "state": "absent"}]
    server_environment.clear_journal()
    result = run("artifact_repository", items=items, max_failures=1)
    assert (result["counts"]["failed"], result["counts"]["skipped"]) == (1, 1)
    assert not [entry for entry in server_environment.journal() if entry["effect"] == "write"]


def test_secret_members_of_settings_are_secrets() -> None:
    code = importlib.import_module("ansible_collections.buildworks.toolchain.plugins.modules.artifact_repository")
    settings = {"password": "s3cret-of-theirs", "nested": {"apiToken": "t0ken-of-theirs"}, "url": "http://a.example"}
    secrets = code.SPEC.secrets(
        {"key": "a", "settings": settings, "items": [{"key": "b", "settings": {"password": "pw-b"}}]}
    )
    assert {"s3cret-of-theirs", "t0ken-of-theirs", "pw-b"} <= set(secrets)
