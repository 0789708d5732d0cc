# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No output of Ansible contains a secret, at any verbosity."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from sandbox.client import Sandbox
from support import running
from support.cases import MODULES, RESOURCES, SECRETS, SERVICE_OF, SERVICES, forget, logins, parameters, task
from support.playbook import run_tasks

SECRET_FILES = {module: resource.secret_file for module, resource in RESOURCES.items() if resource.secret_file}
WRONG_SECRET = "s3cret-of-mine"
# Modules with a credential option: Klocwork reads a file, and the dashboard uses a session key
WITH_CREDENTIALS = [
    module for module in MODULES if SERVICES[SERVICE_OF[module]].credentials and module != "inference_dashboard_info"
]
ONE_PER_SERVICE = [
    next(module for module in WITH_CREDENTIALS if SERVICE_OF[module] == name)
    for name in dict.fromkeys(SERVICE_OF[module] for module in WITH_CREDENTIALS)
]
DAY = 86400
# A token of another Artifactory, which the modules refuse to replace
PRODUCTION = "e30.{}.".format(base64.urlsafe_b64encode(b'{"iss": "jfac@production", "jti": "1"}').decode().rstrip("="))
WAYS = {"in process": True, "as a module": False}


def plan_tasks(modules: Iterable[str], files: dict[str, Path], way: str, prefix: str = "") -> list[dict[str, Any]]:
    """Return tasks that log in by options and write the secrets that they create to files.

    :arg prefix: of the environment variables that hold the credentials
    """
    options = {module: {SECRET_FILES[module]: str(path)} for module, path in files.items()}
    keywords = {"module_defaults": logins(prefix), "vars": {"toolchain_in_process": WAYS[way]}}
    return [task(module, way, {**parameters(module), **options.get(module, {})}, **keywords) for module in modules]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Return the file for the secret that each module creates."""
    return {module: tmp_path / module for module in SECRET_FILES}


@pytest.mark.parametrize("way", WAYS)
def test_new_secrets_are_not_in_the_output(way: str, sandbox: Sandbox, files: dict[str, Path]) -> None:
    forget()
    output = run_tasks(sandbox, plan_tasks(files, files, way), "-vvvv", name="secrets").output
    secrets = [*(path.read_text().strip() for path in files.values()), *map(sandbox.environment.get, SECRETS)]
    assert not [secret for secret in secrets if secret in output]


@pytest.mark.ansible_core
@pytest.mark.parametrize("way", WAYS)
def test_task_warns_when_a_secret_is_in_the_result(way: str, sandbox: Sandbox) -> None:
    forget()
    variables = {"vars": {"toolchain_in_process": WAYS[way]}, "check_mode": True}
    tasks = [task(module, "shown", parameters(module), **variables) for module in SECRET_FILES]
    output = re.sub(r"\s+", " ", run_tasks(sandbox, tasks, name="shown").output)
    for noun in ("token", "admin key", "service account"):
        assert f"the secret of a new {noun} is in the result" in output
    tasks = [task(module, "hidden", parameters(module), no_log=True, **variables) for module in SECRET_FILES]
    assert "is in the result" not in re.sub(r"\s+", " ", run_tasks(sandbox, tasks, name="hidden").output)


def test_refused_secret_is_not_in_the_output(
    sandbox: Sandbox, files: dict[str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in SECRETS:
        monkeypatch.setenv(f"WRONG_{name}", WRONG_SECRET)
    forget()
    tasks = plan_tasks(dict.fromkeys([*ONE_PER_SERVICE, *files]), files, "in process", "WRONG_") + plan_tasks(
        ONE_PER_SERVICE, files, "as a module", "WRONG_"
    )
    run = run_tasks(sandbox, tasks, "-vvvv", name="refused")
    assert {step.status for step in run.done} == {"failed"}
    assert not [path for path in files.values() if path.exists()]
    assert WRONG_SECRET not in run.output


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize("module", WITH_CREDENTIALS)
def test_refused_secret_is_not_in_the_result(module: str) -> None:
    forget()
    login = dict.fromkeys(SERVICES[SERVICE_OF[module]].credentials, WRONG_SECRET)
    result = running.run(module, diff_mode=True, **{**parameters(module), **login})
    assert result.get("failed")
    assert WRONG_SECRET not in str(result)


PASSWORD = "s3cret of+mine"
USERINFO = f"bob:{quote(PASSWORD)}"
SECRET_FORMS = [
    *(PASSWORD, quote(PASSWORD), quote_plus(PASSWORD)),
    *(base64.b64encode(text.encode()).decode() for text in (PASSWORD, USERINFO, f"bob:{PASSWORD}")),
]


@pytest.mark.ansible_core
@pytest.mark.parametrize("way", WAYS)
def test_password_is_not_in_the_output_when_a_url_with_it_is_refused(
    way: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    address, connection = f"http://{USERINFO}@localhost:1", {"url": "{{ address }}"}
    variables = {"vars": {"toolchain_in_process": WAYS[way]}}
    tasks = [task(module, way, {**parameters(module), **connection}, **variables) for module in ONE_PER_SERVICE]
    tasks += [task(module, "wrong", {**connection, "retries": "many"}, **variables) for module in ONE_PER_SERVICE]
    tasks += [task("ci_info", "host", {}, vars={**variables["vars"], "toolchain_ci_url": "{{ address }}"})]
    tasks += [task("artifact_repository_info", "environment", {}, **variables)]
    # The URL is in a file, because ansible-core prints the command line and the lines before a failed task
    values = tmp_path / "address.json"
    values.write_text(json.dumps({"address": address}))
    options = ("-vvvv", "--diff", "-e", f"@{values}")
    run = run_tasks(sandbox, tasks, *options, name="addresses", settings={"JFROG_URL": address})
    assert {done.status for done in run.done} == {"failed"}
    assert "must be a URL without user name, password, query and fragment" in run.output
    assert not [secret for secret in SECRET_FORMS if secret in run.output]


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize("module", SECRET_FILES)
def test_two_hosts_keep_their_secrets_when_they_use_the_same_name(module: str, tmp_path: Path) -> None:
    hosts = [{**parameters(module), SECRET_FILES[module]: str(tmp_path / name)} for name in ("one", "two")]
    assert [running.run(module, **host)["changed"] for host in hosts * 2] == [True, True, False, False]


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize("module", SECRET_FILES)
def test_rehearsal_does_not_change_the_secret_of_production(
    module: str, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, copies = tmp_path / "secret", tmp_path / "copies"
    copies.mkdir()
    file.write_text(f"{PRODUCTION}\n")
    before = file.stat().st_mtime_ns
    monkeypatch.setenv("TOOLCHAIN_REHEARSAL_URL", sandbox.url)
    monkeypatch.setenv("TOOLCHAIN_REHEARSAL_FILES", str(copies))
    options = {**parameters(module), SECRET_FILES[module]: str(file)}
    predicted = running.run(module, check_mode=True, **options)
    results = [running.run(module, **options) for _run in range(2)]
    assert [result.get("changed") for result in (predicted, *results)] == [True, True, False], results
    assert file.read_text() == f"{PRODUCTION}\n"
    assert file.stat().st_mtime_ns == before
    assert (copies / file.relative_to("/")).read_text() not in ("", f"{PRODUCTION}\n")


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize("module", SECRET_FILES)
def test_task_warns_when_other_users_can_access_the_file_of_a_new_secret(
    module: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    folder, file = tmp_path / "folder", tmp_path / "folder" / "secret"
    folder.mkdir(mode=0o700)
    options = {**parameters(module), SECRET_FILES[module]: str(file)}

    def list_warnings(folder_mode: int, **options_of_run: Any) -> list[str]:
        """Return the warnings about a new secret, which check mode predicts."""
        sandbox.reset()
        file.write_text("")
        file.chmod(0o640)
        folder.chmod(folder_mode)
        results = [running.run(module, check_mode=check, **options, **options_of_run) for check in (True, False, False)]
        assert [result["changed"] for result in results] == [True, True, False]
        predicted, actual, repeated = (result.get("warnings", []) for result in results)
        assert (predicted, repeated) == (actual, [])
        return actual

    readable = f"Other users can access the secret in '{file}', which has mode 0640"
    replaceable = f"Other users can replace '{file}', because its directory has mode 0777"
    assert [text.partition(":")[0] for text in list_warnings(0o777)] == [readable, replaceable]
    assert [text.partition(":")[0] for text in list_warnings(0o700)] == [readable]
    assert list_warnings(0o1777, mode="0600") == []
    assert file.stat().st_mode & 0o777 == 0o600
    assert list_warnings(0o700, mode="0644") == []


ROTATIONS: dict[str, dict[str, Any]] = {
    "access_token": {"expires_in": 100 * DAY, "rotate_before": 10 * DAY},
    "ci_api_token": {"expires_in": 100 * DAY, "rotate_before": 10 * DAY},
    "inference_admin_key": {"expires_in": 100 * DAY, "rotate_before": 10 * DAY},
    "inference_service_account": {"rotate_after": 90 * DAY},
}


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize("module", SECRET_FILES)
def test_secret_is_rotated_when_the_clock_of_the_sandbox_is_advanced(
    module: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    options = {**parameters(module), **ROTATIONS[module], SECRET_FILES[module]: str(tmp_path / "secret")}
    changes = []
    for days in (0, 0, 80, 15, 0):
        sandbox.clock(advance=days * DAY)
        changes.append(running.run(module, **options)["changed"])
    assert changes == [True, False, False, True, False]
