# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an edition or a version of Artifactory lacks is known before the write, with the same reason in both modes."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from sandbox.client import Sandbox
from support.cases import CASES, SERVICE_OF, forget, get_switches, module_of, parameters
from support.cases.form import Operation, Resource
from support.playbook import Done, run_here

# Tokens need a token, and an open-source edition is no cluster
EXCLUDED = ("access_token", "artifact_license")
WRITING = [
    case
    for case, value in CASES.items()
    if SERVICE_OF[case] == "artifact" and isinstance(value, (Operation, Resource)) and case not in EXCLUDED
]
# Whether the object exists; an operation has one state
STATES = [(case, False) for case in WRITING]
STATES += [(case, True) for case in WRITING if isinstance(CASES[case], Resource)]
SERVERS = [("4.4.2", "oss"), ("5.4.6", "oss"), ("6.20.0", "pro"), ("7.40.0", "pro"), ("7.161.5", "oss")]
# Older servers do not accept the token of the sandbox in all APIs
ACCOUNT = {"username": "admin", "password": "sandbox-admin"}
# Options that only some servers have
REMOTE = {"key": "new", "type": "remote", "package_type": "generic", "remote_url": "https://example.com"}
LOCAL = {"key": "new", "type": "local", "package_type": "generic", "project": "web"}
FEDERATED = {"key": "new", "type": "federated", "package_type": "generic"}
EAST = {"url": "https://east.example.com/artifactory/libs", "username": "replicator", "password": "s3cret-word"}
PUSH = {"repo": "generic-local", "cron": "0 0 2 * * ?"}
OIDC = {"name": "gitlab", "issuer_url": "https://gitlab.example.com", "provider_type": "generic"}
MAPPING = {"name": "main", "priority": 1, "claims": {"sub": "x"}, "scope": "applied-permissions/user"}
WEBHOOK = {"key": "new", "webhook_url": "https://example.com", "domain": "user", "event_types": ["locked"]}
BUNDLE = {"name": "web", "version": "1.0", "artifacts": [{"path": "generic-local/team/app/1.0/app-1.0.tar.gz"}]}
RUN = {"name": "new", "number": "1", "started": "2024-05-01T08:11:12.345Z"}
TOKEN = {"description": "new", "subject": "admin"}
# Module, options, edition and version of a server without them and of one with them, and the cause
OPTIONS = [
    ("repository", {**REMOTE, "disable_proxy": True}, "pro 7.41.6", "pro 7.41.7", "'disable_proxy': requires Art"),
    ("repository", LOCAL, "pro 6.20.0", "pro 7.17.4", "'project': requires Artifactory 7.17.4 or later."),
    (
        "repository",
        {**LOCAL, "environments": ["QA"]},
        "pro 7.53.0",
        "pro 7.53.1",
        "'environments': environment 'QA' req",
    ),
    (
        "repository",
        {**LOCAL, "environments": ["PROD", "DEV"]},
        "pro 7.107.0",
        "pro 7.107.1",
        "'environments': more than one environment requires Artifactory 7.107.1 or later.",
    ),
    (
        "repository",
        FEDERATED,
        "pro 7.161.5",
        "enterprise 7.161.5",
        "Managing federated repositories requires Artifactory Enterprise, but the server has a license of the type "
        "'Commercial'. Use a local repository",
    ),
    ("repository", FEDERATED, "enterprise 7.18.2", "enterprise 7.18.3", "repositories requires Artifactory 7.18.3 or"),
    (
        "replication",
        {**PUSH, "targets": [{**EAST, "include_path_prefix_pattern": "a/**"}]},
        "pro 7.24.3",
        "pro 7.24.4",
        "'targets.include_path_prefix_pattern': requires Artifactory 7.24.4 or later.",
    ),
    (
        "replication",
        {**PUSH, "targets": [EAST, {**EAST, "url": "https://west.example.com/artifactory/libs"}]},
        "pro 7.161.5",
        "enterprise 7.161.5",
        "Replication to several targets requires Artifactory Enterprise, but the server has a license of the type "
        "'Commercial'. Set one target.",
    ),
    (
        "replication",
        {**PUSH, "targets": [{**EAST, "check_binary_existence_in_filestore": True}]},
        "pro 7.161.5",
        "enterprise 7.161.5",
        "'targets.check_binary_existence_in_filestore': requires Artifactory Enterprise, but",
    ),
    (
        "oidc",
        {**OIDC, "identity_mappings": [{**MAPPING, "username_pattern": "{{sub}}"}]},
        "pro 7.94.0",
        "pro 7.95.0",
        "'identity_mappings[0].username_pattern': requires Artifactory 7.95.0 or later.",
    ),
    (
        "webhook",
        {**WEBHOOK, "handler": "custom_webhook", "method": "PUT"},
        "pro 7.79.9",
        "pro 7.80.0",
        "'method': requires Artifactory 7.80.0 or later.",
    ),
    (
        "release_bundle",
        {**BUNDLE, "name": "w" * 129},
        "enterprise 7.112.9",
        "enterprise 7.113.0",
        "'name': a text of more than 128 characters requires Artifactory 7.113.0 or later.",
    ),
    (
        "release_bundle",
        {**BUNDLE, "version": "1" * 33},
        "enterprise 7.112.9",
        "enterprise 7.113.0",
        "'version': a text of more than 32 characters requires Artifactory 7.113.0 or later.",
    ),
    (
        "build",
        {"content": RUN, "project_key": "web"},
        "pro 6.20.0",
        "pro 7.17.4",
        "'project_key': requires Artifactory",
    ),
    ("build_info", {"project_key": "web"}, "pro 6.20.0", "pro 7.17.4", "'project_key': requires Art"),
    (
        "build_promotion",
        {"build": "app", "number": "1", "status": "released", "project_key": "web"},
        "pro 6.20.0",
        "pro 7.17.4",
        "'project_key': requires Artifactory 7.17.4 or later.",
    ),
    (
        "build_retention",
        {"build": "acme/nightly of web", "count": 1, "project_key": "web"},
        "pro 6.20.0",
        "pro 7.17.4",
        "'project_key': requires Artifactory 7.17.4 or later.",
    ),
    (
        "repository_info",
        {"project": "web"},
        "pro 6.20.0",
        "pro 7.17.4",
        "'project': requires Artifactory 7.17.4 or later.",
    ),
]
READING_POSTS = ("/artifactory/api/search/aql", "/artifactory/api/security/keypair/verify")


@pytest.fixture(autouse=True)
def set_environment(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """Configure the modules with environment variables, and remove files of earlier tests."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    forget()


def run_in_both_modes(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, module: str, options: Mapping[str, object]
) -> list[Done]:
    results = []
    for check_mode in (True, False):
        monkeypatch.setattr(session, "_CONNECTIONS", {})  # connections cache version and license of the server
        results.append(run_here(sandbox, module, check_mode, **options, **ACCOUNT))
    return results


def list_writes(done: Done) -> list[str]:
    sent = [f"{request['method']} {request['path']}" for request in done.requests]
    return [text for text in sent if not text.startswith(("GET", "HEAD")) and not text.endswith(READING_POSTS)]


def describe(done: Done) -> tuple[str, bool]:
    """Return message and change. Which of several repositories is read first is not fixed."""
    return re.sub(r"repositories/[\w-]+:", "", done.result.get("msg", "")), done.result["changed"]


@pytest.mark.parametrize(("version", "edition"), SERVERS)
@pytest.mark.parametrize(("case", "exists"), STATES)
def test_refusals_are_the_same_in_both_modes_and_before_the_write(
    case: str, exists: bool, version: str, edition: str, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    sandbox.switch("artifact", **get_switches(case))
    options = parameters(case)
    if exists:
        run_here(sandbox, module_of(case), **options, **ACCOUNT)
        options = CASES[case].absent
    sandbox.switch("artifact", version=version, edition=edition)
    predicted, done = run_in_both_modes(sandbox, monkeypatch, module_of(case), options)
    assert describe(predicted) == describe(done)
    assert not (predicted.result.get("failed") and list_writes(done))


@pytest.mark.parametrize(("module", "options", "lacking", "sufficient", "cause"), OPTIONS)
def test_options_that_the_server_lacks_are_refused_before_the_write(
    module: str,
    options: dict[str, object],
    lacking: str,
    sufficient: str,
    cause: str,
    sandbox: Sandbox,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for server, is_refused in ((lacking, True), (sufficient, False)):
        edition, version = server.split()
        sandbox.switch("artifact", version=version, edition=edition)
        for check_mode in (True, False) if is_refused else (True,):
            monkeypatch.setattr(session, "_CONNECTIONS", {})
            account = {} if module == "webhook" else ACCOUNT  # the Event API accepts only tokens
            done = run_here(sandbox, f"artifact_{module}", check_mode, **options, **account)
            message = done.result.get("msg", "")
            assert (cause in message, "requires Artifactory" in message) == (is_refused, is_refused), message
            assert not list_writes(done)


IMAGE = {"repo": "docker-local", "image": "acme/web"}
PRO = "requires Artifactory Pro, but the server is the open-source edition"
PROMOTION = {"build": "app", "number": "1", "target_repo": "generic-release-local", "status": "released"}
MESSAGES = [
    ("artifact_image_info", IMAGE, f"The API for Docker repositories {PRO}"),
    (
        "artifact_image_promotion",
        {**IMAGE, "tag": "1.0.0", "target_repo": "docker-release-local"},
        f"The API for Docker repositories {PRO}",
    ),
    ("artifact_build_promotion", PROMOTION, f"Promoting builds {PRO}"),
    ("artifact_build_promotion", {**PROMOTION, "copy": True}, f"Promoting builds {PRO}"),
    (
        "artifact_file",
        {"repo": "nope-local", "path": "a.txt", "content": "x"},
        "Repository 'nope-local' does not exist, or the account has no Read permission on it.",
    ),
    ("access_token", TOKEN, "Managing access tokens requires Artifactory 7.21.1 or later. Tokens of earlier versions"),
    ("artifact_user", {"name": "carol", "email": "carol@example.com", "user_password": "Carols-0wn"}, PRO),
    ("artifact_group", {"name": "web"}, PRO),
    ("artifact_permission", {"name": "web", "repositories": {"targets": {"generic-local": {}}}}, PRO),
    ("artifact_project", {"key": "web", "display_name": "Web"}, PRO),
    ("artifact_webhook", WEBHOOK, PRO),
]


@pytest.mark.parametrize("version", ["4.4.2", "5.4.6"])
@pytest.mark.parametrize(("module", "options", "message"), MESSAGES)
def test_open_source_edition_is_refused_with_the_true_reason(
    module: str,
    options: dict[str, object],
    message: str,
    version: str,
    sandbox: Sandbox,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sandbox.switch("artifact", version=version, edition="oss")
    for done in run_in_both_modes(sandbox, monkeypatch, module, options):
        assert message in done.result["msg"]
        for advice in ("page_size", "credential", "Access API"):
            assert advice not in done.result["msg"]
