# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The environment of a rehearsal: variables and programs that lead to the sandbox instead of to production."""

from __future__ import annotations

import json
import os
import pathlib
from collections.abc import Mapping
from urllib.parse import urlsplit

from .. import client
from . import isolation

SERVICES = ("artifact", "ci", "review", "inference")
# Host variables that are set to exports of the sandbox
EXPORTED_VARIABLES = {
    "toolchain_artifact_url": "JFROG_URL",
    "toolchain_artifact_token": "JFROG_ACCESS_TOKEN",
    "toolchain_ci_url": "JENKINS_URL",
    "toolchain_ci_username": "JENKINS_USER_ID",
    "toolchain_ci_api_token": "JENKINS_API_TOKEN",
    "toolchain_review_url": "KLOCWORK_URL",
    "toolchain_review_ltoken_file": "KLOCWORK_LTOKEN",
    "toolchain_inference_url": "OPENAI_BASE_URL",
    "toolchain_inference_api_key": "OPENAI_API_KEY",
    "toolchain_inference_admin_key": "OPENAI_ADMIN_KEY",
    "toolchain_inference_session_token": "SANDBOX_SESSION_TOKEN",
    "toolchain_inference_admin_requests_per_minute": "TOOLCHAIN_INFERENCE_ADMIN_REQUESTS_PER_MINUTE",
}
# Other connection options, whose host variables are set to null
UNUSED_OPTIONS = {
    "artifact": ("username", "password", "api_key", "netrc_file"),
    "ci": ("password", "netrc_file"),
    "review": ("username", "ltoken"),
    "inference": ("organization", "project", "user_id", "group_id"),
}
UNUSED_TLS_OPTIONS = ("ca_path", "client_cert", "client_key")
# Prefixes of environment variables that are not inherited
EXCLUDED_PREFIXES = (
    "JFROG_",
    "JF_",
    "JENKINS_",
    "KLOCWORK_",
    "OPENAI_",
    "NETRC",
    "ALL_PROXY",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
)
SSH_PROGRAMS = ("ssh", "scp", "sftp")
DEAD_PROXY = "http://127.0.0.1:9"  # No server listens there.
REFUSING_PROGRAM = "#!/bin/sh\necho 'SSH connections are disabled during a rehearsal.' >&2\nexit 255\n"


def filter_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables without those of services and proxies."""
    return {name: value for name, value in environment.items() if not name.upper().startswith(EXCLUDED_PREFIXES)}


def join_values(*values: str | None) -> str:
    """Join the values that are set with the separator of search paths."""
    return os.pathsep.join(value for value in values if value)


def create_environment(sandbox: client.Sandbox, scratch: pathlib.Path) -> tuple[pathlib.Path, dict[str, str]]:
    """Create the files of a rehearsal.

    :arg scratch: empty directory for them
    :returns: a file with extra variables for ansible-playbook, and environment variables
    """
    programs, python = create_programs(sandbox, scratch / "programs"), scratch / "python"
    variables, copies, temporary = scratch / "sandbox.json", scratch / "files", scratch / "tmp"
    for directory in (python, copies, temporary):
        directory.mkdir()
    (python / "sitecustomize.py").symlink_to(isolation.__file__)
    ssh_variables = {f"ansible_{name}_executable": str(programs / name) for name in SSH_PROGRAMS}
    ssh_variables["ansible_paramiko_proxy_command"] = str(programs / "ssh")
    extra_variables = {
        **host_variables(sandbox),
        **ssh_variables,
        "ansible_become": False,  # Another account would not inherit the environment.
        "ansible_remote_tmp": str(temporary),
    }
    variables.write_text(json.dumps(extra_variables))
    settings = {
        "PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "TOOLCHAIN_REHEARSAL_URL": sandbox.url,
        "TOOLCHAIN_REHEARSAL_FILES": str(copies),
        "TMPDIR": str(temporary),  # Files that modules move from here to their destination become copies.
        "TOOLCHAIN_REHEARSAL_ADDRESSES": " ".join(sorted(allowed_addresses(sandbox))),
        "PYTHONPATH": join_values(str(python), os.environ.get("PYTHONPATH")),
        "ANSIBLE_CALLBACKS_ENABLED": "recap,rehearsal",
        **dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), DEAD_PROXY),
    }
    return variables, settings


def create_programs(sandbox: client.Sandbox, directory: pathlib.Path) -> pathlib.Path:
    """Create a directory for `PATH` with replacements for kwadmin and the SSH clients."""
    directory.mkdir()
    (directory / "kwadmin").symlink_to(sandbox.environment["SANDBOX_KWADMIN"])
    for name in SSH_PROGRAMS:
        (directory / name).write_text(REFUSING_PROGRAM)
        (directory / name).chmod(0o700)
    return directory


def host_variables(sandbox: client.Sandbox) -> dict[str, str | bool | None]:
    """Return extra variables, which override those of all hosts, with the connection options of the sandbox."""
    unused = [
        f"toolchain_{service}_{option}"
        for service in SERVICES
        for option in (*UNUSED_OPTIONS[service], *UNUSED_TLS_OPTIONS)
    ]
    return {
        **dict.fromkeys(unused),
        **{f"toolchain_{service}_use_proxy": False for service in SERVICES},
        **{variable: sandbox.environment.get(name) for variable, name in EXPORTED_VARIABLES.items()},
    }


def allowed_addresses(sandbox: client.Sandbox) -> set[str]:
    """Return the addresses to which programs may connect: the ports of the sandbox, and the dead proxy."""
    urls = (urlsplit(url) for url in (DEAD_PROXY, *sandbox.environment.values()) if url.startswith("http"))
    return {f"{url.hostname}:{url.port}" for url in urls}
