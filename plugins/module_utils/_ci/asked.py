# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Builds that are known by no more than what was asked for."""

from __future__ import annotations

import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import builds, history, parameters, queue
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

_PARAMETERS = "actions[parameters[name,value]]"
_TRACES = "actions[parameters[name,value],causes[userId]]"


class Place(t.NamedTuple):
    """Where a build is: its item in the queue, and its number once it has one. An old server numbers no items."""

    item: int | None
    number: int | None


class Asked(t.NamedTuple):
    """What was asked for.

    :ivar job: full name
    :ivar wanted: the parameters, see `parameters.predict_stored`
    :ivar user: who asked, if that is known
    :ivar first: the number that the next build was to get before
    """

    job: str
    wanted: parameters.Stored
    user: str | None
    first: int

    def found(self, ci: CiService) -> Place | None:
        """The build that can be the one, in the queue or as such; `None` when there is none (yet).

        :raises ToolchainError: when there are several, so that nobody can tell which it is
        """
        places: dict[t.Any, Place] = {}
        for build in history.numbered(ci, self.job, f"number,queueId,{_TRACES}", first=self.first):
            if self._fits(build):
                place = Place(build.maybe_integer("queueId"), build.integer("number"))
                places[place.item or f"#{place.number}"] = place
        for item in queue.waiting(ci, self.job, _TRACES):
            if self._fits(item):
                place = Place(item.maybe_integer("id"), None)
                places.setdefault(place.item, place)
        if len(places) > 1:
            known = ", ".join(sorted(f"#{one.number}" if one.number else f"item {one.item}" for one in places.values()))
            raise ToolchainError(
                f"Several builds of '{self.job}' were asked for alike, {known}: which is ours is not known."
            )
        return next(iter(places.values()), None)

    def _fits(self, found: Record) -> bool:
        """Whether a build or an item has the parameters, and was asked for by this account, as far as that is told."""
        users = {cause.get("userId") for action in found.maybe_records("actions") for cause in _causes(action)}
        known = {user for user in users if user}
        if self.user and known and self.user.lower() not in {str(user).lower() for user in known}:
            return False
        return parameters.same(self.wanted, builds.parameters_of(found))


def _causes(action: Record) -> list[Record]:
    return action.maybe_records("causes")


def recent(
    ci: CiService, job: str, wanted: parameters.Stored, results: t.Container[str], within: float | None
) -> int | None:
    """The number of the newest build with these parameters and one of these results, or `None` when there is none.

    :arg within: seconds since its end at most
    """
    now = time.time()
    for build in history.numbered(ci, job, f"number,duration,result,timestamp,{_PARAMETERS}"):
        ended = ((build.maybe_integer("timestamp") or 0) + (build.maybe_integer("duration") or 0)) / 1000
        fits = build.maybe_text("result") in results and (within is None or now - ended <= within)
        if fits and parameters.same(wanted, builds.parameters_of(build)):
            return build.integer("number")
    return None
