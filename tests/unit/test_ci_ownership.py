# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Members that configuration sources of Jenkins set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration import ownership
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.ownership import SharedSources
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, validate_parameters
from sandbox.client import Sandbox
from support.running import run

SOURCES = {
    "/casc/base.yaml": """\
jenkins:
  crumbIssuer:
    standard: {}
  nodes:
  - permanent:
      name: n1
  securityRealm:
""",
    "/casc/url.yaml": "unclassified:\n  location:\n    url: http://ci/\nx-anchors: 1\n",
}


def connect(sandbox: Sandbox, user: str = "admin") -> CiService:
    """Return a connection with the password of a user."""
    options = {"url": sandbox.environment["JENKINS_URL"], "username": user, "password": f"sandbox-{user}"}
    return CiService(Task(validate_parameters(CI, "test", options)))


@pytest.fixture
def owned(sandbox: Sandbox) -> Sandbox:
    """Return the sandbox with sources."""
    sandbox.seed({"ci": {"configuration": {"sources": SOURCES}}})
    return sandbox


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (("jenkins", "nodes"), "/casc/base.yaml"),
        (("jenkins", "nodes", "permanent"), "/casc/base.yaml"),
        (("jenkins",), "/casc/base.yaml"),
        (("jenkins", "crumbIssuer"), "/casc/base.yaml"),
        (("unclassified", "location", "url"), "/casc/url.yaml"),
        (("unclassified", "location", "adminAddress"), None),
        (("jenkins", "views"), None),
        (("jenkins", "securityRealm"), None),
        (("jenkins", "node"), None),
        (("credentials", "system", "domainCredentials"), None),
    ],
)
def test_member_of_a_source_is_refused(owned: Sandbox, path: tuple[str, ...], source: str | None) -> None:
    ci, sources = connect(owned), SharedSources()
    if source is None:
        sources.refuse_owned(ci, path, "it")
        return
    with pytest.raises(ToolchainError) as refusal:
        sources.refuse_owned(ci, path, "node 'n2'")
    message = f"Cannot change node 'n2': the configuration source '{source}' of Jenkins sets '{'.'.join(path)}', so"
    assert str(refusal.value).startswith(message)


def test_sources_are_read_once(owned: Sandbox) -> None:
    ci, sources = connect(owned), SharedSources()
    for name in ("views", "quietPeriod"):
        sources.refuse_owned(ci, ("jenkins", name), "it")
    assert [entry["effect"] for entry in owned.journal("ci") if entry["label"] == "script"] == ["read"]


def test_account_without_administer_passes(owned: Sandbox) -> None:
    SharedSources().refuse_owned(connect(owned, "builder"), ("jenkins", "nodes"), "it")


def test_nothing_is_owned_without_the_plugin(owned: Sandbox) -> None:
    owned.seed({"ci": {"plugins": [{"name": "configuration-as-code", "version": "1", "active": False}]}})
    SharedSources().refuse_owned(connect(owned), ("jenkins", "nodes"), "it")


@pytest.mark.usefixtures("sandbox_environment")
def test_configuration_of_a_source_is_not_applied(owned: Sandbox) -> None:
    declared: dict[str, Any] = {"jenkins": {"nodes": [{"permanent": {"name": "n2"}}]}}
    for check_mode in (True, False):
        result = run("ci_configuration", configuration=declared, allow_removals=True, check_mode=check_mode)
        assert "the configuration source '/casc/base.yaml' of Jenkins sets 'jenkins.nodes'" in result["msg"]
        assert not result["changed"]
    assert [entry for entry in owned.journal("ci") if entry["effect"] == "write"] == []


USERS = "jenkins:\n  securityRealm:\n    local:\n      allowsSignup: false\n      users:\n"
NODES = "jenkins:\n  nodes:\n  - permanent:\n      name: linux-1\n      remoteFS: /j\n      launcher: inbound\n"
OBJECTS = {
    NODES: [
        ("ci_node", {"name": "new", "remote_root": "/var/jenkins"}, "node 'new'"),
        ("ci_node", {"name": "linux-1", "state": "absent"}, "node 'linux-1'"),
        ("ci_authorization", {"node": "linux-1", "users": {"ann": ["Agent/Build"]}}, "node 'linux-1'"),
    ],
    "jenkins:\n  mode: NORMAL\n": [
        ("ci_node", {"name": "built-in", "usage": "exclusive"}, "'usage' of the built-in node"),
    ],
    "jenkins:\n  views:\n  - all:\n      name: all\n": [
        ("ci_view", {"name": "new"}, "view 'new'"),
    ],
    "credentials:\n  system:\n    domainCredentials: []\n": [
        ("ci_credential", {"id": "new", "type": "secret_text", "secret": "xyzzy"}, "credential 'new'"),
        ("ci_credential_domain", {"name": "new"}, "domain 'new'"),
    ],
    f"{USERS}      - id: Reader\n      - id: ${{NAME:-builder}}\n": [
        ("ci_user", {"name": "reader", "full_name": "New name"}, "user 'reader'"),
        ("ci_user", {"name": "builder", "state": "absent"}, "user 'builder'"),
    ],
}
REFUSED = [(text, *refused) for text, objects in OBJECTS.items() for refused in objects]


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(("text", "module", "options", "name"), REFUSED)
def test_object_of_a_source_is_refused(
    sandbox: Sandbox, text: str, module: str, options: dict[str, Any], name: str, check_mode: bool
) -> None:
    sandbox.seed({"ci": {"configuration": {"sources": {"/casc/base.yaml": text}}}})
    result = run(module, **options, check_mode=check_mode)
    assert result["msg"].startswith(f"Cannot change {name}: the configuration source '/casc/base.yaml' of Jenkins sets")
    assert not result["changed"]
    assert [entry for entry in sandbox.journal("ci") if entry["effect"] == "write"] == []


NOT_OWNED = [
    (NODES, "ci_node", {"name": "built-in", "usage": "exclusive"}),
    ("jenkins:\n  mode: NORMAL\n", "ci_node", {"name": "built-in", "labels": ["fast"]}),
    ("jenkins:\n  views: []\n", "ci_view", {"name": "new", "folder": "team"}),
    (
        "credentials:\n  system:\n    domainCredentials: []\n",
        "ci_credential",
        {"id": "new", "type": "secret_text", "secret": "xyzzy", "folder": "team"},
    ),
    (USERS.replace("users:", "enableCaptcha: false"), "ci_user", {"name": "reader", "full_name": "New name"}),
    (f"{USERS}      - id: admin\n", "ci_user", {"name": "reader", "full_name": "New name"}),
    (f"{USERS}        []\n", "ci_user", {"name": "reader", "full_name": "New name"}),
    ("jenkins:\n  securityRealm: local\n", "ci_user", {"name": "reader", "full_name": "New name"}),
]


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize(("text", "module", "options"), NOT_OWNED)
def test_other_object_is_changed(sandbox: Sandbox, text: str, module: str, options: dict[str, Any]) -> None:
    sandbox.seed({"ci": {"configuration": {"sources": {"/casc/base.yaml": text}}}})
    if "folder" in options:
        run("ci_folder", name="team")
    result = run(module, **options)
    assert result["changed"]
    assert not result.get("failed")


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch) -> list[CiService]:
    """Record the connections that have requested the sources."""
    recorded: list[CiService] = []
    fetch_sources = ownership.fetch_sources

    def fetch(ci: CiService) -> list[ownership.Source]:
        recorded.append(ci)
        return fetch_sources(ci)

    monkeypatch.setattr(ownership, "fetch_sources", fetch)
    return recorded


ITEMS: list[tuple[str, list[dict[str, Any]]]] = [
    ("ci_node", [{"name": name, "remote_root": "/j"} for name in "ab"]),
    ("ci_view", [{"name": name} for name in "ab"]),
    ("ci_credential", [{"id": name, "type": "secret_text", "secret": "xyzzy"} for name in "ab"]),
    ("ci_credential_domain", [{"name": name} for name in "ab"]),
    ("ci_user", [{"name": f"new{name}", "password": "xyzzy"} for name in "ab"]),
    ("ci_lockable_resource", [{"name": name} for name in "ab"]),
    ("ci_script_approval", [{"signature": f"method java.util.List {name}"} for name in "ab"]),
]


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize(("module", "items"), ITEMS)
def test_sources_are_requested_once_and_only_before_changes(
    requests: list[CiService], module: str, items: list[dict[str, Any]]
) -> None:
    for check_mode, is_changed in ((True, True), (False, True), (False, False)):
        requests.clear()
        assert run(module, items=items, check_mode=check_mode)["changed"] is is_changed
        assert len(requests) == is_changed


NOT_READ: list[tuple[str, dict[str, Any]]] = [
    ("ci_view", {"name": "new", "folder": "team"}),
    ("ci_credential", {"id": "new", "type": "secret_text", "secret": "xyzzy", "folder": "team"}),
    ("ci_credential_domain", {"name": "new", "folder": "team"}),
]


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize(("module", "options"), NOT_READ)
def test_sources_are_not_requested_for_folders(requests: list[CiService], module: str, options: dict[str, Any]) -> None:
    run("ci_folder", name="team")
    assert run(module, **options)["changed"]
    assert requests == []


@pytest.mark.usefixtures("sandbox_environment")
def test_sources_are_not_requested_for_the_file_with_the_secret(requests: list[CiService], tmp_path: Path) -> None:
    assert run("ci_node", name="a", remote_root="/j")["changed"]
    requests.clear()
    assert run("ci_node", name="a", secret_file=str(tmp_path / "secret"))["changed"]
    assert requests == []


@pytest.mark.usefixtures("sandbox_environment")
def test_users_of_a_source_are_not_deleted(sandbox: Sandbox) -> None:
    text = f"{USERS}      - id: reader\n"
    sandbox.seed({"ci": {"configuration": {"sources": {"/casc/base.yaml": text}}}})
    result = run("ci_user", items=[{"name": "builder"}], undeclared="remove")
    assert "reader" not in result["undeclared"]
    assert not result.get("failed")
    assert run("ci_user_info", name="reader")["users"]


GONE, NEW = {"/casc/gone.yaml": None}, {"/home/jenkins.yaml": "jenkins:\n  nodes: []\n"}
BROKEN = {"/casc/broken.yaml": "jenkins: [1\n"}
DECLARED = {"configuration": {"jenkins": {"systemMessage": "a"}}}
AUTHORIZATION = {"strategy": "project_matrix", "users": {"admin": ["Overall/Administer"]}}
NODE = {"name": "new", "remote_root": "/j"}
REFUSED_GONE = (
    "Cannot apply configuration: the configuration source '/casc/gone.yaml' of Jenkins does not exist, so Jenkins "
    "refuses each change and does not start again. Restore the file, or remove it from CASC_JENKINS_CONFIG."
)
REFUSED_NEW = (
    "Cannot change node 'new': the configuration source '/home/jenkins.yaml' of Jenkins sets 'jenkins.nodes', so"
)
REFUSED_BROKEN = "Cannot read the configuration source '/casc/broken.yaml' of Jenkins: "
VERSIONS = ["2050.v1", "2116.v98dde145b_dce"]


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    ("sources", "module", "options", "message"),
    [
        (GONE, "ci_configuration", DECLARED, REFUSED_GONE),
        (GONE, "ci_authorization", AUTHORIZATION, REFUSED_GONE),
        (GONE, "ci_node", NODE, None),
        (GONE, "ci_view", {"name": "new"}, None),
        (GONE, "ci_user", {"name": "reader", "full_name": "New name"}, None),
        (GONE, "ci_credential", {"id": "new", "type": "secret_text", "secret": "xyzzy"}, None),
        (NEW, "ci_configuration", DECLARED, None),
        (NEW, "ci_node", NODE, REFUSED_NEW),
        (BROKEN, "ci_configuration", DECLARED, REFUSED_BROKEN),
        (BROKEN, "ci_user", {"name": "reader", "full_name": "New name"}, REFUSED_BROKEN),
    ],
)
def test_source_that_jenkins_has_not_read_is_handled(
    sandbox: Sandbox, version: str, sources: dict[str, Any], module: str, options: dict[str, Any], message: str | None
) -> None:
    plugin = {"name": "configuration-as-code", "version": version}
    sandbox.seed({"ci": {"plugins": [plugin], "configuration": {"new_sources": sources}}})
    for check_mode in (True, False):
        result = run(module, **options, check_mode=check_mode)
        assert result["changed"] is (message is None)
        assert result.get("msg", "").startswith(message or "")
    if message:
        assert [entry for entry in sandbox.journal("ci") if entry["effect"] == "write"] == []


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize("content", ["jenkins:\n  systemMessage: a\n", "jenkins: [1\n", None])
def test_source_file_that_jenkins_has_not_loaded_is_reloaded(
    sandbox: Sandbox, tmp_path: Path, content: str | None
) -> None:
    file = tmp_path / "jenkins.yaml"
    sandbox.seed({"ci": {"configuration": {"new_sources": {str(file): content}}}})
    is_valid = content is not None and "[" not in content
    result = run("ci_configuration", **DECLARED, source_file=str(file))
    assert file.read_text() == "jenkins:\n  systemMessage: a\n"
    writes = [entry["label"] for entry in sandbox.journal("ci") if entry["effect"] == "write"]
    assert writes == ["reload_configuration"]
    # Jenkins in the sandbox does not read the file of this machine
    assert result.get("failed", False) is not is_valid
    if is_valid:
        assert not run("ci_configuration", **DECLARED, source_file=str(file))["changed"]


def test_undeclared_users_are_not_determined_while_a_source_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [ownership.Source("/casc/a.yaml", users=frozenset(("ann",)))]
    monkeypatch.setattr(ownership, "fetch_sources", lambda _ci: found)
    assert SharedSources().list_users(None) == {"ann"}  # type: ignore[arg-type]
    found.append(ownership.Source("/casc/b.yaml", is_missing=True))
    with pytest.raises(ToolchainError) as raised:
        SharedSources().list_users(None)  # type: ignore[arg-type]
    assert str(raised.value) == (
        "Cannot determine the undeclared users: the configuration source '/casc/b.yaml' of Jenkins does not exist, so "
        "its users are not known. Restore the file, or remove it from CASC_JENKINS_CONFIG."
    )
