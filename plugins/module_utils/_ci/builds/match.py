# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Find a build by its job, parameters and account, if the server did not name it."""

from __future__ import annotations

import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds import builds, history, parameters, queue
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

_PARAMETERS = "actions[parameters[name,value]]"
_PARAMETERS_AND_USERS = "actions[parameters[name,value],causes[userId]]"


class BuildLocation(t.NamedTuple):
    """The queue item of a build and, after its start, its number. Very old servers have no item IDs."""

    item: int | None
    number: int | None


class BuildRequest(t.NamedTuple):
    """A request for a build.

    :ivar job: full name
    :ivar parameters: see `parameters.predict_stored`
    :ivar user: the account that sent the request, if known
    :ivar first_number: `nextBuildNumber` of the job before the request
    """

    job: str
    parameters: parameters.StoredValues
    user: str | None
    first_number: int

    def find_build(self, ci: CiService) -> BuildLocation | None:
        """Return the only build or queue item that can result from the request, or `None` if none exists yet.

        :raises ToolchainError: if there are several
        """
        locations: dict[t.Any, BuildLocation] = {}
        members = f"number,queueId,{_PARAMETERS_AND_USERS}"
        for build in history.iterate_builds(ci, self.job, members, first=self.first_number):
            if self._matches(build):
                location = BuildLocation(build.maybe_integer("queueId"), build.integer("number"))
                locations[location.item or f"#{location.number}"] = location
        for item in queue.list_items(ci, self.job, _PARAMETERS_AND_USERS):
            if self._matches(item):
                location = BuildLocation(item.maybe_integer("id"), None)
                locations.setdefault(location.item, location)
        if len(locations) > 1:
            names = ", ".join(
                sorted(
                    f"#{location.number}" if location.number else f"queue item {location.item}"
                    for location in locations.values()
                )
            )
            raise ToolchainError(
                f"Cannot identify the build of '{self.job}': {names} have the same parameters and account. "
                "Check them in Jenkins."
            )
        return next(iter(locations.values()), None)

    def _matches(self, build_or_item: Record) -> bool:
        """Return whether the parameters match and, if the users are known, the account is one of them."""
        actions = build_or_item.maybe_records("actions")
        users = {cause.get("userId") for action in actions for cause in action.maybe_records("causes")}
        user_names = {str(user).lower() for user in users if user}
        if self.user and user_names and self.user.lower() not in user_names:
            return False
        return parameters.matches(self.parameters, builds.read_parameters(build_or_item))


def find_recent_build(
    ci: CiService, job: str, stored: parameters.StoredValues, results: t.Container[str], max_age: float | None
) -> int | None:
    """Return the number of the newest build with these parameters and one of these results, or `None`.

    :arg max_age: maximum time since its end, in seconds
    """
    now = time.time()
    for build in history.iterate_builds(ci, job, f"number,duration,result,timestamp,{_PARAMETERS}"):
        end = ((build.maybe_integer("timestamp") or 0) + (build.maybe_integer("duration") or 0)) / 1000
        is_accepted = build.maybe_text("result") in results and (max_age is None or now - end <= max_age)
        if is_accepted and parameters.matches(stored, builds.read_parameters(build)):
            return build.integer("number")
    return None
