# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes of a release bundle: creation, promotion and deletion."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features, times
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.release_bundles import (
    bundles,
    prediction,
    sources,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.release_bundles.bundles import (
    COMPLETED,
    DELETING,
    FAILED,
    RUNNING,
    State,
    Version,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError, join_names
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import (
    Fields,
    find_differences,
    recover_write,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, wait_for

_PROMOTION_OPTIONS = ("included_repository_keys", "excluded_repository_keys", "overwrite_existing_artifacts")


def identify(params: Fields) -> Version:
    """Return the version that the options select."""
    return Version(params["name"], params["version"], params["project"] or "")


class ManagedReleaseBundle:
    """The release bundle that a task manages.

    Its fields are `status`, the declared source and, as far as they are needed, the `environments` to which it has been
    promoted.
    """

    def __init__(self, task: Task, artifact: ArtifactService) -> None:
        self._task, self._artifact = task, artifact
        self._version = identify(task.params)
        self._source = {} if task.params["state"] == "absent" else sources.parse_options(task.params)
        self._environment: str | None = task.params["environment"]
        self._promotions: list[Record] = []
        self._exists = self._has_created = False

    def find(self) -> Fields | None:
        """Return the release bundle, or `None` if it does not exist. Wait for operations in progress.

        :raises ToolchainError: if its creation failed and it should be present
        """
        state = self._read_state()
        self._exists = state is not None and state.status != DELETING
        if state is None or state.status == DELETING:
            return None
        fields: Fields = {"status": state.status}
        if self._task.params["state"] == "absent":
            return {**fields, "environments": self._read_environments()}
        self._check_usable(state)
        fields.update(self._source)
        if state.status == COMPLETED:
            contents = bundles.find_contents(self._artifact, self._version)
            if contents is None:  # deleted since its status was read
                self._exists = False
                return None
            fields["created"] = times.get_optional_time(contents, "created")
            fields["created_by"] = contents.maybe_text("created_by")
            skips_layers = bool(self._task.params["skip_docker_manifest_resolution"])
            fields.update(sources.read_source(self._source, contents, skips_layers))
        if self._environment is not None:
            fields["environments"] = self._read_environments()
        return fields

    def desired(self, before: Fields | None) -> Fields:
        """Return the fields to compare.

        :raises ToolchainError: if the release bundle must be created, but no source is declared
        """
        if before is None and not self._source:
            options = ", ".join(f"'{name}'" for name in sources.SOURCES)
            raise ToolchainError(f"{self._version.title} does not exist. To create it, set one of {options}.")
        return {**self._source, **({"environments": {self._environment: True}} if self._environment else {})}

    def check(self, before: Fields | None, fields: Fields | None) -> None:
        """Refuse changes of contents, and the deletion of promoted release bundles.

        :arg fields: the fields to write; `None` for a deletion
        :raises ToolchainError: if the change is refused
        """
        if fields is None:
            promoted = list((before or {}).get("environments") or ())
            if promoted and not self._task.params["allow_delete_promoted"]:
                raise ToolchainError(
                    f"{self._version.title} has been promoted to {join_names(promoted)} and is not deleted, because it "
                    "could not be restored. To delete it nevertheless, set 'allow_delete_promoted: true'."
                )
            return
        if before is None:
            self._check_length()
        else:
            self._check_contents(before)
        # a release bundle that was created before its promotion is refused could not be changed
        prediction.check_environment(self._task, self._artifact, self._version)

    def _check_length(self) -> None:
        for option, longest in features.LONGEST_RELEASE_BUNDLES.items():
            is_long = len(self._task.params[option]) > longest
            if is_long and (lack := editions.find_lack(self._artifact, features.LONG_RELEASE_BUNDLES)):
                raise BadOption(option, f"a text of more than {longest} characters {lack}")

    def predict_refusal(self) -> None:
        """Predict whether the server would refuse the change, as far as the account can read it.

        :raises ToolchainError: if it would
        """
        prediction.check(self._task, self._artifact, self._version, {} if self._exists else self._source)

    def create(self, fields: Fields) -> None:
        """Create the release bundle, and promote it if this is declared.

        :raises ToolchainError: if the creation or the promotion fails
        """
        body = sources.to_request(self._source)
        if self._task.params["skip_docker_manifest_resolution"] is not None:
            body["skip_docker_manifest_resolution"] = self._task.params["skip_docker_manifest_resolution"]
        key = self._task.params["signing_key"]
        recover_write(
            self._task,
            lambda: bundles.create(self._artifact, self._version, body, key),
            lambda: True if bundles.find_state(self._artifact, self._version) else None,
        )
        self._has_created = True
        current = self.find()
        if current is not None and "environments" in fields:
            self._check_contents(current)
            self._promote()

    def update(self, _fields: Fields) -> None:
        """Promote the release bundle."""
        self._promote()

    def delete(self) -> None:
        """Delete the release bundle."""
        bundles.delete(self._artifact, self._version)

    def to_result(self, fields: Fields) -> Fields:
        """Return the release bundle as the module returns it, a predicted one without time and creator."""
        version = self._version
        result = {
            "name": version.name,
            "version": version.version,
            "project": version.project,
            "status": fields.get("status") or (COMPLETED if self._task.params["wait"] else "PROCESSING"),
            "created": fields.get("created"),
            "created_by": fields.get("created_by"),
            **{name: fields[name] for name in self._source},
        }
        return {**result, "environments": sorted(fields["environments"])} if "environments" in fields else result

    def _read_state(self) -> State | None:
        """Return the status, after operations in progress if the task waits for them."""

        def probe() -> State | None:
            state = bundles.find_state(self._artifact, self._version)
            if state and state.status in RUNNING and self._may_wait:
                raise NotReady(f"{self._version} has the status {state.status}")
            return state

        return self._wait(probe)

    def _read_environments(self) -> dict[str, bool]:
        """Return the environments to which the release bundle has been promoted, after promotions in progress.

        If the task does not wait, promotions in progress count as complete.

        :raises ToolchainError: if it is unknown whether the release bundle has been promoted to the declared one
        """

        def probe() -> list[Record]:
            promotions = bundles.list_promotions(self._artifact, self._version)
            running = [promotion for promotion in promotions if promotion.text("status") in RUNNING]
            if running and self._may_wait:
                environment = running[0].text("environment")
                raise NotReady(
                    f"the promotion of {self._version} to '{environment}' has the status {running[0].text('status')}"
                )
            return promotions

        self._promotions = self._wait(probe)
        statuses = {one.text("status") for one in self._promotions if one.text("environment") == self._environment}
        if COMPLETED not in statuses and (unknown := sorted(statuses - {*FAILED, *RUNNING})):
            raise ToolchainError(
                f"The promotion of {self._version} to '{self._environment}' has the unknown status '{unknown[0]}'."
            )
        return {
            promotion.text("environment"): True
            for promotion in self._promotions
            if promotion.text("status") not in FAILED
        }

    def _promote(self) -> None:
        """Promote the release bundle, and follow the promotion until it is complete.

        A promotion whose response is lost is found by its record. It is never requested twice.

        :raises ToolchainError: if the promotion fails
        """
        known = {promotion.integer("created_millis") for promotion in self._promotions}
        options = self._task.select_provided(*_PROMOTION_OPTIONS)
        key = self._task.params["signing_key"]
        recover_write(
            self._task,
            lambda: bundles.promote(self._artifact, self._version, {"environment": self._environment, **options}, key),
            lambda: self._find_promotion(known),
        )
        promotion = self._find_promotion(known)
        if promotion is None:
            raise ToolchainError(
                f"The server accepted the promotion of {self._version} to '{self._environment}', but its promotion "
                "records do not contain it."
            )
        state = bundles.parse_state(promotion)
        if state.status in FAILED:
            raise ToolchainError(
                f"The promotion of {self._version} to '{self._environment}' failed: {state.explain()}."
            )

    def _find_promotion(self, known: t.Collection[int]) -> Record | None:
        """Return the newest promotion to the environment besides the known ones, after promotions in progress."""
        self._read_environments()
        promotions = (one for one in self._promotions if one.text("environment") == self._environment)
        return next((one for one in promotions if one.integer("created_millis") not in known), None)

    def _check_contents(self, current: Fields) -> None:
        """Verify that the existing release bundle has the declared source, as far as it can be compared."""
        if find_differences(current, self._source):
            raise ToolchainError(
                f"{self._version.title} exists with other contents: "
                f"{sources.explain_difference(self._source, current)}. Release bundles cannot be changed. Use another "
                "version."
            )

    def _check_usable(self, state: State) -> None:
        if state.status in FAILED:
            failure = (
                f"The creation of {self._version} failed"
                if self._has_created
                else f"{self._version.title} exists, but its creation failed"
            )
            raise ToolchainError(
                f"{failure}: {state.explain()}. Correct the cause, delete the release bundle with 'state: absent', and "
                "create it again."
            )
        if state.status not in (COMPLETED, *RUNNING):
            raise ToolchainError(f"{self._version.title} has the unknown status '{state.status}'.")

    @property
    def _may_wait(self) -> bool:
        return bool(self._task.params["wait"]) and not self._task.check_mode

    def _wait(self, probe: t.Callable[[], t.Any]) -> t.Any:
        if not self._may_wait:
            return probe()
        return wait_for(
            self._task,
            probe,
            timeout=self._task.params["wait_timeout"],
            delay=self._task.params["wait_delay"],
            start_fast=True,
            on_interrupt=lambda: [f"interrupted: operations on {self._version} continue on the server"],
        )
