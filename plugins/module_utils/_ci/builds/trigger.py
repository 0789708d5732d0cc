# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Trigger a build and find its queue item."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import jobs
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds import builds, match, parameters, queue
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.match import BuildLocation, BuildRequest
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.versions import is_older
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.restarts.tolerance import tolerate_restart
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import LocalFile, check_readable
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import RequestOptions
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.multipart import Multipart
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import recover_write
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, WaitTimeout, wait_for

_JOB = f"buildable,fullName,nextBuildNumber,queueItem[id],{parameters.TREE}"
# Jenkins interprets form fields with these names itself
_RESERVED_FIELDS = ("delay", "token")
_VALUE_OPTIONS = ("parameters", "secret_parameters")
_SEARCH_TIMEOUT = 5.0
# Older releases may start a build for a GET with an API token
_GET_IS_SAFE_SINCE = "2.579"
_MATCHED_BY_PARAMETERS = (
    "The server did not name the build. The only build with the same job, parameters and account was used. It can "
    "belong to another client if this request failed."
)


class TriggeredBuild(t.NamedTuple):
    """The build that a request resulted in.

    :ivar location: queue item and number
    :ivar is_merged: whether Jenkins merged the request with an existing queue item
    :ivar is_named: whether the response named the queue item; otherwise the build was found by its parameters
    :ivar is_lost: whether the response was lost, so that the build may be another client's
    """

    location: BuildLocation
    is_merged: bool
    is_named: bool
    is_lost: bool = False


class BuildTrigger:
    """A request for a build, validated against the definition of the job.

    :ivar job: full name as returned by the server
    :ivar first_number: `nextBuildNumber` of the job before the request
    """

    def __init__(self, task: Task, ci: CiService) -> None:
        self._task = task
        self._ci = ci
        values = {option: parameters.to_strings(task.params[option] or {}, option) for option in _VALUE_OPTIONS}
        self._files = _local_files(task.params["files"] or {})
        _check_duplicates(*values.values(), self._files)
        response = ci.view(jobs.job_path(task.params["job"]), _JOB, accept=(200, 404))
        if response.status == 404:
            raise jobs.job_not_found(task.params["job"])
        job = response.record()
        self.job = job.maybe_text("fullName") or task.params["job"]
        self._path = jobs.job_path(self.job)
        if not job.maybe_flag("buildable"):
            raise ToolchainError(
                f"Job '{self.job}' cannot be built: it is disabled, it is a folder, or it is a copy that was never "
                "saved. Enable the job, or save the copy with ci_job and 'copy_from'."
            )
        self.first_number = job.integer("nextBuildNumber")
        self._waiting_item = job.maybe_record("queueItem")
        self._version = response.headers.get("X-Jenkins")
        self._definitions = parameters.read_definitions(job)
        self._values = self._validate(values)
        self._parameters = {
            definition.name: self._values.get(definition.name, definition.default)
            for definition in self._definitions.values()
        }
        self._stored = parameters.predict_stored(self._definitions, self._parameters)
        self._check_json_form()

    def _validate(self, values: dict[str, dict[str, str]]) -> dict[str, str]:
        """Return the validated values of all options."""
        parameters.check_files(self._definitions, self._files, self.job)
        validated: dict[str, str] = {}
        for option, texts in values.items():
            validated.update(parameters.validate_values(self._definitions, texts, option, self.job))
        parameters.check_required(self._definitions, {*validated, *self._files}, self.job)
        for name in filter(self._definitions.__contains__, _RESERVED_FIELDS):
            if self._task.params["form"] == "fields" and (name in validated or self._task.params[name] is not None):
                raise BadOption("form", f"must be 'json', because '{self.job}' has a parameter called '{name}'")
        for definition in self._definitions.values():
            if definition.kind == "Password" and definition.name in validated:
                self._task.register_secret(validated[definition.name])
        return validated

    def _check_json_form(self) -> None:
        """Check that all values are known, because the server adds no defaults to a JSON document."""
        if self._task.params["form"] != "json":
            return
        for definition in self._definitions.values():
            if self._parameters[definition.name] is None and not definition.is_file:
                raise BadOption(
                    "secret_parameters",
                    f"must have a value for '{definition.name}': the server does not return its default, which 'form: "
                    "json' requires",
                )

    def find_recent(self, results: t.Container[str], max_age: float | None) -> dict[str, t.Any] | None:
        """Return the newest build with the same parameters and one of these results, or `None`.

        :arg max_age: maximum time since its end, in seconds
        """
        number = match.find_recent_build(self._ci, self.job, self._stored, results, max_age)
        return None if number is None else builds.fetch_build(self._ci, self.job, number)

    def find_identical_item(self) -> int | None:
        """Return the queue item with which the server would merge the request, or `None`."""
        if self._waiting_item is None or self._files:
            return None
        for item in queue.list_items(self._ci, self.job, "actions[parameters[name,value]]"):
            if parameters.matches(self._stored, builds.read_parameters(item)):
                return item.maybe_integer("id")
        return None

    def check_permission(self) -> None:
        """Send a GET request, for which Jenkins checks the permission before it rejects the method.

        The token of the job is never sent, because a GET request with it starts a build.

        :raises ServerRefusal: if the account lacks the Job/Build permission
        """
        is_safe = self._version is not None and not is_older(self._version, _GET_IS_SAFE_SINCE)
        if is_safe and self._task.params["token"] is None:
            action = "buildWithParameters" if self._definitions else "build"
            self._ci.http.read("GET", f"{self._path}/{action}", accept=(405,))

    def parameters_result(self) -> dict[str, t.Any]:
        """Return the parameters of the build for the result; file parameters have the path of the local file."""
        return {**self._parameters, **{name: file.path for name, file in self._files.items()}}

    def send(self) -> TriggeredBuild:
        """Request the build.

        :raises OutcomeUnknown: if the response was lost and the build cannot be found
        :raises ToolchainError: if the server refuses the request, or the build cannot be identified
        """
        triggered = recover_write(self._task, self._post, self._find_after_lost_response)
        self._task.has_written = not triggered.is_merged
        return triggered

    def _post(self) -> TriggeredBuild:
        response = self._ci.post(f"{self._path}/{self._action}", changes_state=False, **self._request_options())
        item = queue.parse_item_url(response.headers.get("Location"))
        is_merged = self._was_merged(response, item)
        if item is not None:
            return TriggeredBuild(BuildLocation(item, None), is_merged, is_named=True)
        self._task.has_written = response.status == 201 and not is_merged  # even if the build cannot be identified
        location = self._find_unnamed(response)
        if not is_merged:
            self._task.warn(_MATCHED_BY_PARAMETERS)
        return TriggeredBuild(location, is_merged, is_named=False)

    @property
    def _action(self) -> str:
        sends_fields = self._definitions and self._task.params["form"] == "fields"
        return "buildWithParameters" if sends_fields else "build"

    def _request_options(self) -> RequestOptions:
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
            fields["json"] = self._to_json(parts)
            files = {parts[name]: file for name, file in self._files.items()}
        accept = (201, 302, 303)
        return {"accept": accept, "data": Multipart(fields, files)} if files else {"accept": accept, "form": fields}

    def _to_json(self, parts: dict[str, str]) -> str:
        """Return the JSON document that the web interface sends, with all defaults.

        Without `redirectTo`, the server redirects to the job and does not name the queue item.
        """
        values = [{"name": name, "value": value} for name, value in self._parameters.items() if name not in parts]
        files = [{"name": name, "file": part} for name, part in parts.items()]
        document = {"parameter": [*values, *files], "redirectTo": self._ci.http.base_url}
        return json.dumps(document, ensure_ascii=False)

    def _was_merged(self, response: Response, item: int | None) -> bool:
        """Return whether the server merged the request with an existing queue item."""
        if response.status == 303:
            return True
        if response.status == 302 and self._version is not None:
            return self._task.params["form"] == "json"  # for fields, a redirect means that the request was refused
        if item is None or self._waiting_item is None:
            return False
        return self._was_waiting(item) or self._has_other_causes(item)

    def _was_waiting(self, item: int | None) -> bool:
        """Return whether this is the queue item that the job had before the request."""
        if self._waiting_item is None or item is None:
            return False
        return item == self._waiting_item.maybe_integer("id")

    def _has_other_causes(self, item: int) -> bool:
        """Return whether others requested the item, too. Before 2.308, responses for new and merged items are equal."""
        try:
            return queue.count_causes(self._ci, f"/queue/item/{item}") > 1
        except ToolchainError:  # the build itself is not affected
            return False

    def _find_unnamed(self, response: Response) -> BuildLocation:
        """Find the build if the response does not name it."""
        try:
            return self.find_build()
        except WaitTimeout:
            raise ToolchainError(
                f"Cannot find the build of '{self.job}': the server returned {response.status} without naming it, and "
                "neither the queue nor the job contains a matching build. The request may have been refused, or the "
                "account lacks a permission."
            ) from None

    def _find_after_lost_response(self) -> TriggeredBuild:
        """Find the build if the response was lost."""
        self._wait_for_server()
        location = self.find_build()
        return TriggeredBuild(location, self._was_waiting(location.item), is_named=False, is_lost=True)

    def _wait_for_server(self) -> None:
        """Wait until the server responds, because the response may have been lost in a restart."""

        def probe() -> None:
            with tolerate_restart():
                self._ci.view(self._path, "nextBuildNumber", no_retry=True)

        params = self._task.params
        wait_for(self._task, probe, timeout=params["wait_timeout"], delay=params["wait_delay"], start_fast=True)

    def find_build(self) -> BuildLocation:
        """Find the build by its job, parameters and account.

        :raises WaitTimeout: if no build matches
        """
        params = self._task.params
        user = None if params["token"] else params["username"]
        request = BuildRequest(self.job, self._stored, user, self.first_number)

        def probe() -> BuildLocation:
            location = request.find_build(self._ci)
            if location is None:
                raise NotReady("no matching build exists")
            return location

        return wait_for(self._task, probe, timeout=_SEARCH_TIMEOUT, delay=params["wait_delay"], start_fast=True)


def _local_files(paths: dict[str, t.Any]) -> dict[str, LocalFile]:
    """Return the files to upload.

    :raises BadOption: if one cannot be read
    """
    files = {}
    for name, path in paths.items():
        if not isinstance(path, str):
            raise BadOption(f"files.{name}", "must be a path")
        check_readable(path, f"files.{name}")
        files[name] = LocalFile.from_path_unhashed(path)
    return files


def _check_duplicates(*options: t.Iterable[str]) -> None:
    names = [name for option in options for name in option]
    duplicates = [name for name in names if names.count(name) > 1]
    if duplicates:
        raise BadOption(
            "parameters", f"'{duplicates[0]}' is set in more than one of parameters, secret_parameters and files"
        )
