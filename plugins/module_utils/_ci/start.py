# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Asking for a build: what is sent, and which item of the queue comes of it."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import (
    asked,
    builds,
    jobs,
    parameters,
    queue,
    restarts,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.asked import Asked, Place
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.versions import is_older
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    OutcomeUnknown,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import LocalFile, check_readable
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import RequestOptions
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.multipart import Multipart
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, WaitTimeout, wait_for

_JOB = f"buildable,fullName,nextBuildNumber,queueItem[id],{parameters.TREE}"
# What the server takes for its own where parameters are fields of the form
_OWN_FIELDS = ("delay", "token")
_VALUES = ("parameters", "secret_parameters")
_SECONDS_TO_LOOK = 5.0
# Older releases may start a build for a GET with an API token
_GET_NEVER_BUILDS_SINCE = "2.579"
_NOT_NAMED = (
    "The server did not name the build. It was found by its job, parameters and account, and is the only one of them. "
    "Should somebody else have asked for the like, and this request have come to nothing, it is theirs."
)


class Sent(t.NamedTuple):
    """What came of the request.

    :ivar place: where the build is
    :ivar joined: whether an equal one waited there already, of which this is no more than another cause
    :ivar named: whether the server named it, or it was found by what was asked for
    :ivar lost: whether the response was lost, so that the build may be another client's
    """

    place: Place
    joined: bool
    named: bool
    lost: bool = False


class Start:
    """One request for a build.

    What is wrong with it by the job's own word is found before it is sent. What comes of it is an item of the queue,
    which the server names in its answer, or else is found by what was asked for.

    :ivar job: full name, as the server writes it
    :ivar first: the number that the next build was to get before
    """

    def __init__(self, task: Task, ci: CiService) -> None:
        self._task = task
        self._ci = ci
        given = {option: parameters.texts(task.params[option] or {}, option) for option in _VALUES}
        self._files = _local_files(task.params["files"] or {})
        _check_once(*given.values(), self._files)
        response = ci.view(jobs.path_of(task.params["job"]), _JOB, accept=(200, 404))
        if response.status == 404:
            raise jobs.missing(task.params["job"])
        job = response.record()
        self.job = job.maybe_text("fullName") or task.params["job"]
        self._path = jobs.path_of(self.job)
        if not job.maybe_flag("buildable"):
            raise ToolchainError(f"'{self.job}' takes no builds: it is disabled, or holds other jobs.")
        self.first = job.integer("nextBuildNumber")
        self._waiting = job.maybe_record("queueItem")
        self._version = response.headers.get("X-Jenkins")
        self._names_items = self._version is not None
        self._declared = parameters.declared(job)
        self._values = self._checked(given)
        self.wanted = self._wanted()
        self._stored = parameters.predict_stored(self._declared, self.wanted)
        self._check_json_form()

    def _checked(self, given: dict[str, dict[str, str]]) -> dict[str, str]:
        """The values to send."""
        declared, job, form = self._declared, self.job, self._task.params["form"]
        parameters.check_files(declared, self._files, job)
        values: dict[str, str] = {}
        for option, texts in given.items():
            values.update(parameters.checked(declared, texts, option, job))
        parameters.check_complete(declared, {*values, *self._files}, job)
        for name in filter(declared.__contains__, _OWN_FIELDS):
            if form == "fields" and (name in values or self._task.params[name] is not None):
                raise BadOption(
                    "form", f"has to be json, for '{job}' has a parameter '{name}', which is a field as well"
                )
        for one in declared.values():
            if one.kind == "Password" and one.name in values:
                self._task.register_secret(values[one.name])
        return values

    def _wanted(self) -> dict[str, str | None]:
        """The parameters that the build gets: those that are given, and the defaults of the others."""
        return {one.name: self._values.get(one.name, one.default) for one in self._declared.values()}

    def _check_json_form(self) -> None:
        """With it the server adds no defaults, so that they must be known."""
        unknown = [one.name for one in self._declared.values() if self.wanted[one.name] is None and not one.is_file]
        if unknown and self._task.params["form"] == "json":
            problem = "the server does not tell its default, and does not add it to a 'form' json"
            raise BadOption("secret_parameters", f"must have a value for '{unknown[0]}': {problem}")

    def recent(self, results: t.Container[str], within: float | None) -> dict[str, t.Any] | None:
        """The newest build like this one with one of these results, or `None`; see `asked.recent`."""
        number = asked.recent(self._ci, self.job, self._stored, results, within)
        return None if number is None else builds.found(self._ci, self.job, number)

    def foreseen(self) -> int | None:
        """The item of an equal build that waits already, to which the server would add this one."""
        if self._waiting is None or self._files:
            return None
        for item in queue.waiting(self._ci, self.job, "actions[parameters[name,value]]"):
            if parameters.same(self._stored, builds.parameters_of(item)):
                return item.maybe_integer("id")
        return None

    def check_permission(self) -> None:
        """Ask with GET whether the account may build, which Jenkins answers before it refuses the method.

        The job's token is never sent: with it a GET starts a build.

        :raises ServerRefusal: if the account lacks the permission Job/Build
        """
        is_safe = self._version is not None and not is_older(self._version, _GET_NEVER_BUILDS_SINCE)
        if is_safe and self._task.params["token"] is None:
            action = "buildWithParameters" if self._declared else "build"
            self._ci.http.read("GET", f"{self._path}/{action}", accept=(405,))

    def shown(self) -> dict[str, t.Any]:
        """The parameters of the build as results show them: files by their names on this machine."""
        return {**self.wanted, **{name: file.path for name, file in self._files.items()}}

    def send(self) -> Sent:
        """Ask for the build.

        :raises OutcomeUnknown: when the reply was lost, and no build can be seen that came of the request
        :raises ToolchainError: when the server refuses, or the build cannot be told from others
        """
        try:
            response = self._ci.post(f"{self._path}/{self._action}", changes_state=False, **self._request())
        except OutcomeUnknown as lost:
            place = self._found_after(lost)
            return self._sent(place, joined=self._waited(place.item), named=False, lost=True)
        item = queue.item_at(response.headers.get("Location"))
        joined = self._joined(response, item)
        if item is not None:
            return self._sent(Place(item, None), joined, named=True)
        self._task.has_written = response.status == 201 and not joined  # also when it cannot be told from others
        place = self._found(response)
        if not joined:
            self._task.warn(_NOT_NAMED)
        return self._sent(place, joined, named=False)

    def _sent(self, place: Place, joined: bool, named: bool, lost: bool = False) -> Sent:
        self._task.has_written = not joined
        return Sent(place, joined, named, lost)

    @property
    def _action(self) -> str:
        fields = self._declared and self._task.params["form"] == "fields"
        return "buildWithParameters" if fields else "build"

    def _request(self) -> RequestOptions:
        params = self._task.params
        fields: dict[str, str] = {}
        if params["delay"] is not None:
            fields["delay"] = f"{params['delay']}sec"
        if params["token"] is not None:
            fields["token"] = params["token"]
        if params["form"] == "fields":
            fields.update(self._values)
            files = self._files
        else:
            parts = {name: f"file{number}" for number, name in enumerate(self._files)}
            fields["json"] = self._json(parts)
            files = {parts[name]: file for name, file in self._files.items()}
        accept = (201, 302, 303)
        return {"accept": accept, "data": Multipart(fields, files)} if files else {"accept": accept, "form": fields}

    def _json(self, parts: dict[str, str]) -> str:
        """What the form of the server's own pages sends. It takes defaults for nothing, so they are among it.

        It names the item of the queue only to a client that asks to be led to another address than one of its own.
        """
        values = [{"name": name, "value": value} for name, value in self.wanted.items() if name not in parts]
        sent = [*values, *({"name": name, "file": part} for name, part in parts.items())]
        return json.dumps({"parameter": sent, "redirectTo": self._ci.http.base_url}, ensure_ascii=False)

    def _joined(self, response: Response, item: int | None) -> bool:
        """Whether the server only added the request to what waited already."""
        if response.status == 303:
            return True
        if response.status == 302 and self._names_items:
            return self._task.params["form"] == "json"  # else it refused, or so it seems
        if item is None or self._waiting is None:
            return False
        return self._waited(item) or self._has_other_causes(item)

    def _waited(self, item: int | None) -> bool:
        """Whether it is the item that the job had in the queue before."""
        return self._waiting is not None and item is not None and item == self._waiting.maybe_integer("id")

    def _has_other_causes(self, item: int) -> bool:
        """Whether others asked for it, too. Servers before 2.308 answer alike for a new item and one that waited."""
        try:
            return queue.count_causes(self._ci, f"/queue/item/{item}") > 1
        except ToolchainError:  # what it was does not matter to the build
            return False

    def _found(self, response: Response) -> Place:
        """The build after an answer that does not name it."""
        try:
            return self.look()
        except WaitTimeout:
            raise ToolchainError(
                f"The server answered {response.status} without naming the build, and neither its queue nor "
                f"'{self.job}' has one like it. It may have refused it, or the account may not see it."
            ) from None

    def _found_after(self, lost: OutcomeUnknown) -> Place:
        """The build after a reply that was lost."""
        try:
            self._wait_for_server()
            place = self.look()
        except ToolchainError as error:
            raise OutcomeUnknown(f"{lost.cause} Looking for the build did not tell: {error}") from None
        self._task.warn(f"{lost.cause} A build that is like it shows that the request had its effect.")
        return place

    def _wait_for_server(self) -> None:
        """Perhaps the reply was lost because it went down."""

        def answers() -> None:
            with restarts.outlasted():
                self._ci.view(self._path, "nextBuildNumber", no_retry=True)

        params = self._task.params
        wait_for(self._task, answers, timeout=params["wait_timeout"], delay=params["wait_delay"], start_fast=True)

    def look(self) -> Place:
        """Look for the build by what was asked for."""
        params = self._task.params
        user = None if params["token"] else params["username"]
        sought = Asked(self.job, self._stored, user, self.first)

        def look() -> Place:
            place = sought.found(self._ci)
            if place is None:
                raise NotReady("no build that is like it can be seen")
            return place

        return wait_for(self._task, look, timeout=_SECONDS_TO_LOOK, delay=params["wait_delay"], start_fast=True)


def _local_files(paths: dict[str, t.Any]) -> dict[str, LocalFile]:
    """The files to send.

    :raises BadOption: when one cannot be read
    """
    files = {}
    for name, path in paths.items():
        if not isinstance(path, str):
            raise BadOption(f"files.{name}", "takes a path")
        check_readable(path, f"files.{name}")
        files[name] = LocalFile.from_path_unhashed(path)
    return files


def _check_once(*given: t.Iterable[str]) -> None:
    names = [name for one in given for name in one]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise BadOption("parameters", f"'{twice[0]}' is given twice, in two of parameters, secret_parameters and files")
