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


def run_marked(sandbox: Sandbox, role: str, folder: Path, *options: str) -> tuple[str, bool]:
    """Run a role with secrets in all options; return all that was written to the screen and to files, and success."""
    written = folder / "written"
    written.mkdir(exist_ok=True)
    variables = {
        **(SECRET_VARIABLES.get(role) or molecule_variables(role)),
        "written": str(written),
        "sandbox_folder": str(written),
        "ansible_python_interpreter": "{{ ansible_playbook_python }}",
        "overview_services": SERVICES,
        "snapshot_services": SERVICES,
    }
    task = {"name": "Run the role", "ansible.builtin.include_role": {"name": f"buildworks.toolchain.{role}"}}
    play = {"hosts": "marked", "gather_facts": False, "connection": "local", "tasks": [task]}
    playbook, inventory, host = folder / "play.yml", folder / "hosts.ini", folder / "host_vars" / "marked.yml"
    host.parent.mkdir(exist_ok=True)
    host.write_text(yaml.safe_dump(variables))
    inventory.write_text("marked")
    playbook.write_text(yaml.safe_dump([play]))
    for name in ("prompts.jsonl", "tasks"):
        file = ROOT / "extensions/molecule" / role / name
        if file.exists() and not (folder / name).exists():
            (folder / name).symlink_to(file)
    settings = environment(
        sandbox,
        ANSIBLE_CALLBACK_PLUGINS=str(SUPPORT / "callback_plugins"),
        ANSIBLE_CALLBACKS_ENABLED="record,junit",
        # Complete results, as the callback ansible.posix.json prints them
        RECORD_FILE=str(written / "results.jsonl"),
        JUNIT_OUTPUT_DIR=str(written),
    )
    output, status = run_playbook([playbook, "-i", inventory, *options], settings)
    files = [path for path in written.rglob("*") if path.is_file() and path.name not in ISSUED]
    assert {".jsonl", ".xml"} <= {path.suffix for path in files}, output
    issued = [written / name for name in ISSUED if (written / name).exists()]
    texts = [output, *(path.read_text(errors="replace") for path in files)]
    secrets = {path.read_text().strip() for path in issued} | {sandbox.environment[name] for name in SECRETS}
    everything = "\n".join(texts)
    assert not [secret for secret in secrets if secret in everything]
    return everything, status == 0


@pytest.mark.parametrize("role", [role for role in ROLES if role in SECRET_VARIABLES])
def test_every_secret_option_has_a_marker(role: str) -> None:
    paths = {path for mirror in MIRRORS if mirror.role == role for path in secret_options(mirror)}
    assert not [path for path in sorted(paths) if not has_value(SECRET_VARIABLES[role], path)]


def test_roles_without_markers_have_no_secret_options() -> None:
    others = [mirror for mirror in MIRRORS if mirror.role not in SECRET_VARIABLES]
    assert not [path for mirror in others for path in secret_options(mirror)]


VERBOSE = ("-vvv", "--diff")


@pytest.mark.parametrize(
    ("role", "options"),
    [*((role, VERBOSE) for role in ROLES), *((role, ()) for role in SECRET_VARIABLES)],
    ids=lambda value: value if isinstance(value, str) else "verbose" if value else "quiet",
)
def test_secrets_of_roles_are_not_in_the_output(
    role: str, options: tuple[str, ...], sandbox: Sandbox, tmp_path: Path
) -> None:
    if role in SECRET_VARIABLES:
        sandbox.seed({"ci": {"jobs": [MARKED_JOB], "scripts": SCRIPTS}})
        sandbox.switch("artifact", version="7.111.4", edition="enterprise")
    secrets = markers(SECRET_VARIABLES.get(role, {})) | KEY_LINES
    good, succeeded = run_marked(sandbox, role, tmp_path, *options)
    assert not [secret for secret in secrets if secret in good]
    sandbox.reset()
    sandbox.fault(kind="status", status=403, effect="write", body="no right", times=0)
    failed, _succeeded = run_marked(sandbox, role, tmp_path, *options)
    assert not [secret for secret in secrets if secret in failed]
    assert succeeded or role not in SECRET_VARIABLES, good
