# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""No output of a role and no file that it writes contains a secret, at any verbosity and with any callback."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from role_options import MIRRORS
from sandbox.client import Sandbox
from support.cases import SECRETS
from support.playbook import ROOT, SUPPORT, environment
from support.role_secrets import KEY_LINES, ROLES, SECRET_VARIABLES, has_value, markers, secret_options
from support.warm import run_playbook

SERVICES = ("artifact", "ci", "review", "inference")
MARKED_JOB = {
    "name": "marked",
    "seconds": 0.1,
    "quiet_period": 0,
    "parameters": [{"name": "PASSWORD", "type": "password", "default": "x"}],
}
SCRIPTS = [{"script": "println args.x", "output": "x"}, {"script": "false", "value": False}]
# Files of roles that contain a secret that the server created
ISSUED = ("artifact.token", "ci.token", "account.key", "admin.key")


def molecule_variables(role: str) -> dict[str, Any]:
    """Return the variables of the role's molecule scenario."""
    play = yaml.safe_load((ROOT / "extensions/molecule" / role / "converge.yml").read_text())[0]
    if "tasks" in play:
        return play["tasks"][0]["vars"]
    return {name: value for name, value in play["roles"][0].items() if name != "role"}


def run_marked(sandbox: Sandbox, roles: list[str], folder: Path, *options: str) -> tuple[str, str]:
    """Run roles with secrets in all options; return all that was written, and the output of ansible-playbook.

    Each role runs in an own play on an own host, and no failure ends the playbook: one run starts faster than many.
    """
    written = folder / "written"
    for role in roles:
        write_variables(role, folder, written / role)
    plays = [marked_play(role) for role in roles]
    playbook, inventory = folder / "play.yml", folder / "hosts.ini"
    inventory.write_text("\n".join(roles))
    playbook.write_text(yaml.safe_dump(plays))
    settings = environment(
        sandbox,
        ANSIBLE_CALLBACK_PLUGINS=str(SUPPORT / "callback_plugins"),
        ANSIBLE_CALLBACKS_ENABLED="record,junit",
        # Complete results, as the callback ansible.posix.json prints them
        RECORD_FILE=str(written / "results.jsonl"),
        JUNIT_OUTPUT_DIR=str(written),
    )
    output, _status = run_playbook([playbook, "-i", inventory, *options], settings)
    files = [path for path in written.rglob("*") if path.is_file() and path.name not in ISSUED]
    assert {".jsonl", ".xml"} <= {path.suffix for path in files}, output
    issued = [path for path in written.rglob("*") if path.name in ISSUED]
    texts = [output, *(path.read_text(errors="replace") for path in files)]
    secrets = {path.read_text().strip() for path in issued} | {sandbox.environment[name] for name in SECRETS}
    everything = "\n".join(texts)
    assert not [secret for secret in secrets if secret in everything]
    return everything, output


def write_variables(role: str, folder: Path, written: Path) -> None:
    """Write the variables of the host of a role, and link the files that they refer to."""
    written.mkdir(parents=True, exist_ok=True)
    variables = {
        **(SECRET_VARIABLES.get(role) or molecule_variables(role)),
        "written": str(written),
        "sandbox_folder": str(written),
        "ansible_connection": "local",
        "ansible_python_interpreter": "{{ ansible_playbook_python }}",
        "overview_services": SERVICES,
        "snapshot_services": SERVICES,
    }
    host = folder / "host_vars" / f"{role}.yml"
    host.parent.mkdir(exist_ok=True)
    host.write_text(yaml.safe_dump(variables))
    for name in ("prompts.jsonl", "tasks"):
        file = ROOT / "extensions/molecule" / role / name
        if file.exists() and not (folder / name).exists():
            (folder / name).symlink_to(file)


def marked_play(role: str) -> dict[str, Any]:
    """Return the play of a role, which says at its end whether the role failed."""
    include = {"name": "Run the role", "ansible.builtin.include_role": {"name": f"buildworks.toolchain.{role}"}}
    success = {"name": "Report the success", "ansible.builtin.debug": {"msg": f"{role} succeeded"}}
    failure = {"name": "Report the failure", "ansible.builtin.debug": {"msg": f"{role} failed"}}
    return {"hosts": role, "gather_facts": False, "tasks": [{"block": [include, success], "rescue": [failure]}]}


@pytest.mark.parametrize("role", [role for role in ROLES if role in SECRET_VARIABLES])
def test_every_secret_option_has_a_marker(role: str) -> None:
    paths = {path for mirror in MIRRORS if mirror.role == role for path in secret_options(mirror)}
    assert not [path for path in sorted(paths) if not has_value(SECRET_VARIABLES[role], path)]


def test_roles_without_markers_have_no_secret_options() -> None:
    others = [mirror for mirror in MIRRORS if mirror.role not in SECRET_VARIABLES]
    assert not [path for mirror in others for path in secret_options(mirror)]


VERBOSE = ("-vvv", "--diff")
SECRET_ROLES = sorted(SECRET_VARIABLES)
OTHER_ROLES = sorted(set(ROLES) - set(SECRET_VARIABLES))
# Roles that only read, so that refused writes change nothing for them
READERS = {"overview", "snapshot"}


@pytest.mark.parametrize(
    ("roles", "options"),
    [(SECRET_ROLES, VERBOSE), (SECRET_ROLES, ()), (OTHER_ROLES, VERBOSE)],
    ids=["secrets-verbose", "secrets-quiet", "others-verbose"],
)
def test_secrets_of_roles_are_not_in_the_output(
    roles: list[str], options: tuple[str, ...], sandbox: Sandbox, tmp_path: Path
) -> None:
    if roles == SECRET_ROLES:
        sandbox.seed({"ci": {"jobs": [MARKED_JOB], "scripts": SCRIPTS}})
        sandbox.switch("artifact", version="7.111.4", edition="enterprise")
    secrets = markers({role: SECRET_VARIABLES.get(role, {}) for role in roles}) | KEY_LINES
    good, output = run_marked(sandbox, roles, tmp_path, *options)
    assert not [secret for secret in secrets if secret in good]
    assert [role for role in roles if reports(output, role)] == roles, output
    if roles == SECRET_ROLES:
        assert [role for role in roles if f"{role} succeeded" in output] == roles, output
    sandbox.reset()
    sandbox.fault(kind="status", status=403, effect="write", body="no right", times=0)
    writers = [role for role in roles if role not in READERS]
    failed, output = run_marked(sandbox, writers, tmp_path, *options)
    assert not [secret for secret in secrets if secret in failed]
    assert [role for role in writers if reports(output, role)] == writers, output
    if roles == SECRET_ROLES:
        assert [role for role in roles if f"{role} failed" in output] == roles, output


def reports(output: str, role: str) -> bool:
    """Return whether a role ran to its end."""
    return f"{role} succeeded" in output or f"{role} failed" in output
