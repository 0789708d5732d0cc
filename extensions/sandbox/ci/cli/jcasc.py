# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of the Configuration as Code plugin, with messages and exit codes of Jenkins 2.579."""

from __future__ import annotations

from collections.abc import Callable

from ..access.permissions import ADMINISTER, MANAGE
from ..configuration import configuration
from ..configuration.documents import ConfiguratorError
from .session import UNEXPECTED, CommandError, Session
from .usage import Arguments

STREAM = "java.io.BufferedInputStream@b87b539"


async def check_configuration(session: Session, _arguments: Arguments) -> int:
    """Check the document on standard input."""
    session.require(ADMINISTER)
    text = await session.read()
    return _run(session, "check-configuration", lambda: configuration.check(session.controller, text, STREAM))


async def apply_configuration(session: Session, _arguments: Arguments) -> int:
    """Apply the document on standard input."""
    session.require(ADMINISTER)
    text = await session.read()
    return _run(session, "apply-configuration", lambda: configuration.apply(session.controller, text, STREAM))


async def export_configuration(session: Session, _arguments: Arguments) -> int:
    """Print the configuration."""
    session.require(ADMINISTER)
    await session.print_line(configuration.export(session.controller))
    return 0


async def reload_configuration(session: Session, _arguments: Arguments) -> int:
    """Apply the sources."""
    session.require(MANAGE)
    return _run(session, "reload-jcasc-configuration", lambda: configuration.apply(session.controller, None, STREAM))


def _run(session: Session, command: str, act: Callable[[], None]) -> int:
    """Run an action. What it wrote before it failed stays.

    :raises CommandError: if the plugin refuses the configuration
    """
    problem = None
    with session.controller.runtime.transaction():
        try:
            act()
        except ConfiguratorError as error:
            problem = f"io.jenkins.plugins.casc.{error.kind}: {error}"
    if problem:
        raise CommandError(f"{UNEXPECTED.removeprefix('ERROR: ').format(command)}\n{problem}")
    return 0
