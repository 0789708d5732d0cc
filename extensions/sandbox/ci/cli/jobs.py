# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands that create, change and delete jobs, with messages and exit codes of the Jenkins source."""

from __future__ import annotations

from ..access.permissions import JOB_CONFIGURE, JOB_CREATE, JOB_DELETE, JOB_READ
from ..http.refusals import Failure
from ..jobs import configuration, stored_views
from ..jobs.config_api import check_item_name
from ..jobs.item_kinds import FOLDER
from ..storage import Job
from .session import (
    UNEXPECTED,
    BadUsage,
    CommandAborted,
    CommandError,
    ObjectNotFound,
    Session,
    WrongState,
    find_nearest,
)
from .usage import Arguments

SOME_FAILED = "Error occurred while performing this command, see previous stderr output."


async def create_job(session: Session, arguments: Arguments) -> int:
    """Create a job from the configuration on standard input."""
    name = arguments.words[0]
    if session.storage.job(name):
        raise WrongState(f"Job '{name}' already exists")
    folder, _slash, leaf = name.rpartition("/")
    if folder:
        folder = _folder_name(session, folder)
    session.require(JOB_CREATE)
    try:
        leaf = check_item_name(leaf)
        config = configuration.load_configuration(
            await session.read(), session.controller.create_writer(), session.controller.plugins
        )
    except (Failure, ValueError) as error:
        raise CommandError(f"{UNEXPECTED.removeprefix('ERROR: ').format('create-job')}\n{error}") from None
    with session.controller.runtime.transaction():
        session.storage.put_job(Job(f"{folder}/{leaf}" if folder else leaf, config))
    return 0


def _folder_name(session: Session, name: str) -> str:
    """Return the full name of a folder in the spelling of the server."""
    folder = session.storage.job(name)
    if not folder:
        raise ObjectNotFound(f"Unknown ItemGroup {name}")
    kind = configuration.parse_configuration(folder.config).kind
    if kind is not FOLDER:
        raise WrongState(f"Can't create job from CLI in class {kind.item_class}")
    return folder.name


async def delete_job(session: Session, arguments: Arguments) -> int:
    """Delete as many of the jobs and folders as possible."""
    names, failed = list(dict.fromkeys(arguments.words)), False
    for name in names:
        try:
            with session.controller.runtime.transaction():
                found = _deletable(session, name)
                session.storage.delete_job(found, session.now)
                stored_views.remove_job(session.storage, found.name)
        except CommandError as error:
            if len(names) == 1:
                raise
            await session.print_error(f"{name}: {error}\n")
            failed = True
    if failed:
        raise CommandAborted(SOME_FAILED)
    return 0


def _deletable(session: Session, name: str) -> Job:
    found = session.storage.job(name)
    if not found or not session.principal.may(JOB_READ):
        raise ObjectNotFound(f"No such job '{name}'")
    session.require(JOB_DELETE)
    return found


async def disable_job(session: Session, arguments: Arguments) -> int:
    """Disable a job."""
    return _switch(session, arguments.words[0], disabled=True)


async def enable_job(session: Session, arguments: Arguments) -> int:
    """Enable a job."""
    return _switch(session, arguments.words[0], disabled=False)


def _switch(session: Session, name: str, disabled: bool) -> int:
    try:
        job = session.job(name)
    except ObjectNotFound:
        others = [job.name for job in session.visible_jobs()]
        hint = f". Perhaps you meant \u2018{find_nearest(name, others)}\u2019?" if others else "."
        raise BadUsage(f"No such job \u2018{name}\u2019 exists{hint}") from None
    session.require(JOB_CONFIGURE)
    with session.controller.runtime.transaction():
        job.config = configuration.set_text(
            job.config, "disabled", str(disabled).lower(), session.controller.create_writer()
        )
        job.on_hold = False
        session.storage.put_job(job)
        if disabled:
            session.storage.cancel_items(job, session.now)
    return 0
