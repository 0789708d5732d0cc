# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands of the command-line interface."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from ...parsing.integers import parse_integer_or_none
from ..access.permissions import ADMINISTER, JOB_BUILD, JOB_CONFIGURE, MANAGE, READ
from ..builds import build_api, logs
from ..configuration.configuration import PLUGIN as JCASC
from ..controller import Controller
from ..jobs import configuration
from ..jobs.item_kinds import FOLDER
from ..scripts import script_answers
from ..storage import Build, Item, Job
from . import jcasc, jobs
from .session import (
    UNEXPECTED,
    BadUsage,
    CommandAborted,
    CommandError,
    ObjectNotFound,
    PermissionDenied,
    Session,
    WrongState,
    find_nearest,
)
from .usage import Argument, Arguments, Option, Usage

RESULTS = ("SUCCESS", "UNSTABLE", "FAILURE", "NOT_BUILT", "ABORTED")
INTERRUPTED = 125
MUST_LOG_IN = """You must authenticate to access this Jenkins.
Jenkins CLI
Usage: java -jar jenkins-cli.jar [-s URL] command [opts...] args...
Options:
 -s URL              : the server URL (defaults to the JENKINS_URL env var)
 -webSocket          : connect using WebSocket (the default; works well with most reverse proxies; requires Jetty)
 -http               : use a pair of HTTP(S) connections rather than WebSocket
"""
Run = Callable[[Session, Arguments], Awaitable[int]]


@dataclass(frozen=True)
class Command:
    """A command. `open` ones require no permission, others Overall/Read. It exists if one of its plugins is active."""

    name: str
    about: str
    run: Run
    usage: Usage = field(default_factory=Usage)
    open: bool = False
    reads: bool = False
    plugins: tuple[str, ...] = ()

    def help(self, details: bool = True) -> str:
        """Return the usage."""
        head = f"java -jar jenkins-cli.jar {self.name}{self.usage.line()}\n{self.about}\n"
        return head + (self.usage.details() if details else "")


def list_commands(controller: Controller) -> dict[str, Command]:
    """Return the commands of the server by name."""
    return {name: command for name, command in COMMANDS.items() if controller.plugins.have(command.plugins)}


async def execute(session: Session) -> int:
    """Run the command of a session."""
    if not session.arguments:
        await session.print_error("Connection closed before arguments received\n")
        return BadUsage.code
    name, *words = session.arguments
    command = list_commands(session.controller).get(name)
    if not command:
        await session.print_error(f"No such command {name}\n")
        return BadUsage.code
    session.settle()
    if not command.open:
        session.require(READ)
    try:
        return await command.run(session, command.usage.parse(words))
    except BadUsage as error:
        await session.print_error(f"\nERROR: {error}\n{command.help()}")
        return error.code


async def _help(session: Session, arguments: Arguments) -> int:
    if not session.principal.may(READ):
        raise PermissionDenied(MUST_LOG_IN.rstrip("\n"))
    name = arguments.word(0)
    commands = list_commands(session.controller)
    if name in commands:
        await session.print_error(commands[name].help())
        return 0
    for command in commands.values():
        await session.print_error(f"  {command.name}\n    {command.about}\n")
    if name:
        raise CommandAborted(f"No such command {name}. Available commands are above. ")
    return 0


async def _version(session: Session, _arguments: Arguments) -> int:
    await session.print_line(f"{session.controller.switch('version')}\n")
    return 0


async def _session_id(session: Session, _arguments: Arguments) -> int:
    await session.print_line(f"{session.storage.setting('session')}\n")
    return 0


async def _who_am_i(session: Session, _arguments: Arguments) -> int:
    await session.print_line(f"Authenticated as: {session.principal.name}\nAuthorities:\n")
    for authority in session.principal.authorities:
        await session.print_line(f"  {authority}\n")
    return 0


async def _list_plugins(session: Session, arguments: Arguments) -> int:
    session.require(ADMINISTER)
    name = arguments.word(0)
    plugins = [plugin for plugin in session.controller.plugins.list_loaded() if name in (None, plugin["name"])]
    if name and not plugins:
        raise ObjectNotFound(f"No plugin with the name '{name}' found")
    titles = [str(plugin.get("long_name", plugin["name"])) for plugin in plugins]
    first = max((len(plugin["name"]) for plugin in plugins), default=1)
    second = max(map(len, titles), default=1)
    for plugin, long_name in zip(plugins, titles, strict=True):
        await session.print_line(f"{plugin['name']:{first}} {long_name:{second}} {plugin['version']}\n")
    return 0


async def _get_job(session: Session, arguments: Arguments) -> int:
    job = session.job(arguments.words[0])
    session.require(JOB_CONFIGURE)
    await session.print_line(job.config)
    return 0


async def _groovy(session: Session, arguments: Arguments) -> int:
    """Run a script from standard input with the scripted answers. Its value is not printed."""
    session.require(ADMINISTER)
    if arguments.word(0) != "=":
        raise BadUsage("No script is specified" if arguments.word(0) is None else "Only = is supported, for stdin")
    code = await session.read()
    ending = await script_answers.find_answer(session.controller, code, "")
    ending = ending or script_answers.to_result(script_answers.UNKNOWN if code.strip() else {})
    await asyncio.sleep(ending.seconds)
    await session.print_line(ending.output)
    if not ending.error:
        return 0
    cause = ": ".join(filter(None, (ending.error["type"], ending.error["message"])))
    await session.print_error(f"\n{UNEXPECTED.format('groovy')}\n{cause}\n")
    await session.print_error(f"\tat RemoteClass.run(RemoteClass:{ending.error['line']})\n")
    return CommandError.code


async def _list_jobs(session: Session, arguments: Arguments) -> int:
    name = arguments.word(0)
    folder = session.storage.job(name) if name and name != "all" else None
    if name not in (None, "all") and not (folder and configuration.parse_configuration(folder.config).kind is FOLDER):
        raise ObjectNotFound(f"No view or item group with the given name '{name}' found.")
    for job in session.visible_jobs(folder.name if folder else ""):
        await session.print_line(f"{job.leaf}\n")
    return 0


async def _build(session: Session, arguments: Arguments) -> int:
    job = session.job(arguments.words[0])
    session.require(JOB_BUILD)
    definition = configuration.parse_configuration(job.config)
    values = _parameters(session, job, definition, arguments.pairs)
    if definition.disabled:
        raise WrongState(
            f"Cannot build {configuration.full_display_name(session.storage, job.name)} because it is disabled."
        )
    with session.controller.runtime.transaction():
        item, _waited = session.scheduler.schedule(job, session.now, values, _cause(session), session.now)
    session.settle()
    if not ("-w" in arguments or "-s" in arguments or "-f" in arguments):
        return 0
    build = await session.wait_until(lambda: _find_build_of_item(session, item))
    name = f"{configuration.full_display_name(session.storage, build.job)} #{build.number}"
    await session.print_line(f"Started {name}\n")
    if not ("-s" in arguments or "-f" in arguments):
        return 0
    try:
        if "-v" in arguments:
            await _follow(session, build)
        build = await session.wait_until(lambda: _when_finished(session, build))
    except asyncio.CancelledError:
        if "-f" in arguments:
            return INTERRUPTED
        with session.controller.runtime.transaction():
            session.scheduler.stop(build, session.principal.name, session.now)
        raise CommandAborted("null") from None
    await session.print_line(f"Completed {name} : {build.outcome}\n")
    return RESULTS.index(build.outcome)


def _parameters(
    session: Session, job: Job, definition: configuration.Definition, arguments: dict[str, str]
) -> list[dict[str, Any]] | None:
    if not definition.parameters:
        if arguments:
            display_name = configuration.full_display_name(session.storage, job.name)
            raise WrongState(f"{display_name} is not parameterized but the -p option was specified.")
        return None
    for name in arguments:
        if not definition.parameter(name):
            closest = find_nearest(name, [parameter.name for parameter in definition.parameters])
            raise BadUsage(f"'{name}' is not a valid parameter. Did you mean {closest}?")
    return [_value(session, parameter, arguments) for parameter in definition.parameters]


def _value(session: Session, parameter: configuration.Parameter, arguments: dict[str, str]) -> dict[str, Any]:
    try:
        if parameter.name in arguments:
            value: dict[str, Any] | None = parameter.value(arguments[parameter.name])
        else:
            value = configuration.default_value(session.storage, parameter)
    except ValueError as error:
        raise CommandError(f"Illegal choice for parameter {parameter.name}: {error}") from None
    if value is None:
        raise BadUsage(f"No default value for the parameter '{parameter.name}'.")
    return value


def _cause(session: Session) -> dict[str, Any]:
    user = session.storage.user(session.principal.name)
    name = user.full_name if user else session.principal.name
    return {
        "_class": "hudson.cli.BuildCommand$CLICause",
        "shortDescription": f"Started from command line by {name}",
        "userId": user.name if user else None,
        "userName": name,
    }


def _find_build_of_item(session: Session, item: Item) -> Build | None:
    found = session.storage.item(item.id)
    if found and found.cancelled:
        raise CommandAborted("null")
    return session.storage.build(found.job, found.number) if found and found.number is not None else None


def _when_finished(session: Session, build: Build) -> Build | None:
    current = session.storage.build(build.job, build.number)
    return current if current and not current.running(session.now) else None


async def _console(session: Session, arguments: Arguments) -> int:
    job = session.job(arguments.words[0])
    build = _find_build(session, job, arguments.word(1, "lastBuild") or "")
    lines = arguments.number("-n", -1)
    if "-f" in arguments:
        await _follow(session, build)
        return 0
    text = logs.read_log(build, session.now, notes=True)
    await session.print_line("".join(text.splitlines(keepends=True)[-lines:] if lines > 0 else [text]))
    return 0


async def _follow(session: Session, build: Build) -> None:
    """Write the log of a build as it grows."""
    written, ended = 0, False
    while not ended:
        text, ended = await session.wait_until(partial(_read_growth, session, build, written))
        await session.print_line(text[written:])
        written = len(text)


def _read_growth(session: Session, build: Build, written: int) -> tuple[str, bool] | None:
    """Return the log if it has grown, and whether it is complete."""
    current = session.storage.build(build.job, build.number) or build
    text, ended = logs.read_log(current, session.now, notes=True), not current.running(session.now)
    return (text, ended) if ended or len(text) > written else None


def _find_build(session: Session, job: Job, name: str) -> Build:
    number = parse_integer_or_none(name)
    if number is not None and number >= 0:
        build = session.storage.build(job.name, number)
        if not build:
            raise ObjectNotFound(f"No such build #{number}")
        return build
    if name not in build_api.ALIASES:
        raise ObjectNotFound(
            f'Not sure what you meant by "{name}". Did you mean "{find_nearest(name, list(build_api.ALIASES))}"?'
        )
    for build in session.storage.builds(job.name):
        if build_api.ALIASES[name](build, build.running(session.now)):
            return build
    raise WrongState(f"Permalink {name} produced no build")


async def _quiet_down(session: Session, arguments: Arguments) -> int:
    session.require(MANAGE)
    seconds = arguments.number("-timeout", 0) / 1000
    with session.controller.runtime.transaction():
        session.lifecycle.quiet_down(arguments.values.get("-reason"), session.now)
    if "-block" in arguments:
        deadline = session.now + seconds if seconds else math.inf
        await session.wait_until(lambda: _when_quiet(session, deadline))
    return 0


def _when_quiet(session: Session, deadline: float) -> bool | None:
    waits = session.lifecycle.quieting and session.scheduler.running(session.now) and session.now < deadline
    return None if waits else True


async def _cancel_quiet_down(session: Session, _arguments: Arguments) -> int:
    session.require(MANAGE)
    with session.controller.runtime.transaction():
        session.lifecycle.cancel()
    return 0


async def _safe_restart(session: Session, arguments: Arguments) -> int:
    session.require(MANAGE)
    if not session.controller.switch("restart_supported"):
        raise CommandError(UNEXPECTED.format("safe-restart").removeprefix("ERROR: "))
    with session.controller.runtime.transaction():
        session.lifecycle.quiet_down(arguments.values.get("-message"), session.now, then="restart")
    return 0


_JOB = Argument("JOB", "Name of the job", required=True)
_NAME = Argument("NAME", "Job name", required=True)
_COMMANDS = (
    Command(
        "apply-configuration",
        "Apply YAML configuration to instance",
        jcasc.apply_configuration,
        plugins=JCASC,
    ),
    Command(
        "build",
        "Builds a job, and optionally waits until its completion.",
        _build,
        Usage(
            (_JOB,),
            (
                Option("-f", "Follow the build progress. An interrupt leaves the build alone."),
                Option("-p", "Specify the build parameters in the key=value format.", pairs=True),
                Option("-r", "Tries to find the log of the build", value="N"),
                Option("-s", "Wait until the build has ended. An interrupt stops the build."),
                Option("-v", "Prints out the console output of the build. Use with -s"),
                Option("-w", "Wait until the build has started"),
            ),
        ),
    ),
    Command("cancel-quiet-down", 'Cancel the effect of the "quiet-down" command.', _cancel_quiet_down),
    Command(
        "check-configuration",
        "Check YAML configuration to instance",
        jcasc.check_configuration,
        plugins=JCASC,
    ),
    Command(
        "console",
        "Retrieves console output of a build.",
        _console,
        Usage(
            (_JOB, Argument("BUILD", "Build number or permalink, the last build by default")),
            (
                Option("-f", "Stay as long as the build runs"),
                Option("-n", "Display the last N lines", value="N"),
            ),
        ),
        reads=True,
    ),
    Command(
        "create-job",
        "Creates a new job by reading stdin as a configuration XML file.",
        jobs.create_job,
        Usage((Argument("NAME", "Name of the job to create", required=True),)),
    ),
    Command(
        "delete-job",
        "Deletes job(s).",
        jobs.delete_job,
        Usage((Argument("JOB", "Name of the job(s) to delete", required=True, many=True),)),
    ),
    Command("disable-job", "Disables a job.", jobs.disable_job, Usage((_NAME,))),
    Command("enable-job", "Enables a job.", jobs.enable_job, Usage((_NAME,))),
    Command(
        "export-configuration",
        "Export jenkins configuration as YAML",
        jcasc.export_configuration,
        reads=True,
        plugins=JCASC,
    ),
    Command("get-job", "Dumps the job definition XML to stdout.", _get_job, Usage((_JOB,)), reads=True),
    Command(
        "groovy",
        "Executes the specified Groovy script.",
        _groovy,
        Usage(
            (
                Argument("SCRIPT", "Script to be executed. Only '=' (to represent stdin) is supported."),
                Argument("ARGUMENTS", "Command line arguments to pass into script.", many=True),
            )
        ),
    ),
    Command(
        "help",
        "Lists all the available commands or a detailed description of single command.",
        _help,
        Usage((Argument("COMMAND", "Name of the command"),)),
        open=True,
        reads=True,
    ),
    Command(
        "list-jobs",
        "Lists all jobs in a specific view or item group.",
        _list_jobs,
        Usage((Argument("NAME", "Name of the view"),)),
        reads=True,
    ),
    Command(
        "list-plugins",
        "Outputs a list of installed plugins.",
        _list_plugins,
        Usage((Argument("NAME", "Name of a specific plugin"),)),
        reads=True,
    ),
    Command(
        "quiet-down",
        "Quiet down Jenkins, in preparation for a restart. Don\u2019t start any builds.",
        _quiet_down,
        Usage(
            (),
            (
                Option("-block", "Block until the system really quiets down and no builds are running"),
                Option("-reason", "Reason for quiet down that will be visible to users", value="VALUE"),
                Option("-timeout", "If non-zero, only block up to the specified number of milliseconds", value="N"),
            ),
        ),
    ),
    Command(
        "reload-jcasc-configuration",
        "Reload JCasC YAML configuration",
        jcasc.reload_configuration,
        plugins=JCASC,
    ),
    Command(
        "safe-restart",
        "Safe Restart Jenkins. Don\u2019t start any builds.",
        _safe_restart,
        Usage((), (Option("-message", "Message for safe restart that will be visible to users", value="VALUE"),)),
    ),
    Command(
        "session-id", "Outputs the session ID, which changes every time Jenkins restarts.", _session_id, reads=True
    ),
    Command("version", "Outputs the current version.", _version, reads=True),
    Command("who-am-i", "Reports your credential and permissions.", _who_am_i, open=True, reads=True),
)
COMMANDS = {command.name: command for command in _COMMANDS}
