# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Versions of the software in the tests, as substitutions of reStructuredText such as |version openai|.

They come from the locks, the build files and the sources that select them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from export import CHECKOUT

# Packages of locks in requirements/
_LOCKED = {
    "community-general": ("ansible",),
    "artifactory-cleanup": ("artifactory-cleanup",),
    "litellm": ("litellm",),
    "mitogen": ("mitogen",),
    "oldest": ("requests", "jsonschema"),
    "sarif-tools": ("sarif-tools",),
}
# Other software, the file that selects its version, and the pattern that finds it
_SELECTED = {
    "apache-maven": ("tests/support/clients/maven.py", r'^VERSION = "(.*)"'),
    "artifactory sandbox": ("extensions/sandbox/artifact/service.py", r'^ +"version": "(.*)"'),
    "artifactory-client-java": ("tests/support/clients/jfrog/pom.xml", r"^ +<version>(.*)</version>"),
    "crane": ("tests/support/clients/go/go.mod", r"go-containerregistry v(\S+)"),
    "groovy": ("tests/support/servers/groovy.py", r'^VERSION = "(.*)"'),
    "hudson": ("tests/support/servers/hudson.sh", r"^hudson=(.*)"),
    "jenkins sandbox": ("extensions/sandbox/ci/service.py", r'^ +"version": "(.*)"'),
    "jfrog-client-go": ("tests/support/clients/platform/go.mod", r"jfrog-client-go v(\S+)"),
}
_LINE_OF_TESTS = "2.19"


def list_versions() -> str:
    """Return the definitions of the substitutions."""
    return "".join(f".. |version {name}| replace:: {version}\n" for name, version in find_versions())


def find_versions() -> Iterator[tuple[str, str]]:
    """Yield the names of software and the versions that the tests use."""
    for line in list_ansible_lines():
        yield f"ansible-core {line}", read_version(f"requirements/core-{line}.txt", r"^ansible-core==(\S+)")
        yield f"python {line}", list_pythons(line)
    for package in list_clients():
        yield package, _read_locked(f"test-{_LINE_OF_TESTS}", package)
    for lock, packages in _LOCKED.items():
        yield from ((package, _read_locked(lock, package)) for package in packages)
    for name, (file, pattern) in _SELECTED.items():
        yield name, read_version(file, pattern)


def list_ansible_lines() -> list[str]:
    """Return the supported release lines of ansible-core."""
    return read_version("Makefile", r"^lines := (.*)").split()


def list_pythons(line: str) -> str:
    """Return the Python versions of a release line that the collection supports on a controller."""
    return ", ".join(read_version("Makefile", rf"^pythons-{re.escape(line)} := (.*)").split())


def list_clients() -> list[str]:
    """Return the packages with independent clients, which the contract tests use."""
    text = (CHECKOUT / "requirements/contract.in").read_text()
    return [name.lower() for name in re.findall(r"^([\w-]+)==", text, re.MULTILINE)]


def _read_locked(lock: str, package: str) -> str:
    return read_version(f"requirements/{lock}.txt", rf"^{re.escape(package)}==(\S+)")


def read_version(file: str, pattern: str) -> str:
    """Return the first match of a pattern in a file."""
    if match := re.search(pattern, (CHECKOUT / file).read_text(), re.MULTILINE):
        return match[1]
    raise SystemExit(f"{file} has no line like {pattern}")
