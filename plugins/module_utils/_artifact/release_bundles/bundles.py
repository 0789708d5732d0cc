# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests for release bundles in the Lifecycle API."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import (
    access_api,
    editions,
    features,
    times,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

COMPLETED, DELETING = "COMPLETED", "DELETING"
FAILED = ("FAILED", "REJECTED")
RUNNING = ("PROCESSING", "STARTED", "PENDING", "IN_PROGRESS", DELETING)
_API = "/lifecycle/api/v2"
_BUNDLES = f"{_API}/release_bundle"
_SUBMITTED = (200, 201, 202)
_PAGE_SIZE = 250


class State(t.NamedTuple):
    """The status of a release bundle or of a promotion.

    :ivar messages: the reasons of a failure
    """

    status: str
    messages: list[str]

    def explain(self) -> str:
        """Return the reasons of a failure as a text."""
        return "; ".join(message.rstrip(". ") for message in self.messages) or "the server gave no reason"


class Version(t.NamedTuple):
    """A version of a release bundle.

    :ivar project: key of the project, empty for a global release bundle
    """

    name: str
    version: str
    project: str = ""

    def __str__(self) -> str:
        of_project = f" of project '{self.project}'" if self.project else ""
        return f"release bundle '{self.name}' version '{self.version}'{of_project}"

    @property
    def title(self) -> str:
        """The version at the beginning of a sentence."""
        return f"R{str(self)[1:]}"

    @property
    def query(self) -> dict[str, str]:
        """The query parameters that select the project."""
        return project_query(self.project)


def project_query(project: str) -> dict[str, str]:
    """Return the query parameters that select a project."""
    return {"project": project} if project else {}


def find_state(artifact: ArtifactService, version: Version) -> State | None:
    """Return the status of a version, or `None` if it does not exist."""
    response = _read(artifact, _address("statuses", version), version.query)
    return None if response.status == 404 else parse_state(response.record())


def find_contents(artifact: ArtifactService, version: Version) -> Record | None:
    """Return the record of a completed version with all artifacts, or `None` if it does not exist.

    :raises ToolchainError: if the server does not return all artifacts
    """
    address = _address("records", version)
    pages = list(_read_pages(artifact, address, "artifacts", version.query, total="total_artifacts_count"))
    if not pages:
        return None
    record = pages[-1]
    record["artifacts"] = [entry for page in pages for entry in page.maybe_records("artifacts")]
    _check_complete(address, len(record["artifacts"]), record.maybe_integer("total_artifacts_count"))
    return record


def list_versions(artifact: ArtifactService, name: str, project: str) -> list[Record]:
    """Return the records of all versions of a release bundle, newest first."""
    address = f"{_BUNDLES}/records{encode_path(name, option='name')}"
    query = {**project_query(project), "include": "messages"}
    return [
        entry
        for page in _read_pages(artifact, address, "release_bundles", query)
        for entry in page.records("release_bundles")
    ]


def list_names(artifact: ArtifactService, project: str) -> list[Record]:
    """Return the records of the names of release bundles, of all projects if none is given."""
    response = _read(artifact, f"{_BUNDLES}/names", project_query(project))
    if response.status == 404:
        raise access_api.foreign_response_error(response, "lifecycle")
    return response.record().records("release_bundles")


def create(artifact: ArtifactService, version: Version, body: Fields, signing_key: str | None) -> None:
    """Begin the creation of a version."""
    body = {"release_bundle_name": version.name, "release_bundle_version": version.version, **body}
    _submit(artifact, _BUNDLES, version, body, signing_key)


def delete(artifact: ArtifactService, version: Version) -> None:
    """Begin the deletion of a version."""
    address = _address("records", version)
    artifact.http.write("DELETE", address, query={**version.query, "async": "true"}, accept=(200, 202, 204))


def list_promotions(artifact: ArtifactService, version: Version) -> list[Record]:
    """Return the records of all promotions of a version, newest first. Empty if the version does not exist.

    :raises ToolchainError: if the server does not return all promotions, or none although the version exists
    """
    address = _promotion_address(version)
    pages = list(_read_pages(artifact, address, "promotions", {**version.query, "include": "messages"}))
    promotions = [entry for page in pages for entry in page.records("promotions")]
    if pages:
        _check_complete(address, len(promotions), pages[-1].maybe_integer("total"))
    elif find_state(artifact, version) is not None:
        raise ToolchainError(
            f"GET {address}: the server returned 404, although {version} exists. It is unknown whether it has been "
            "promoted. Check the permissions of the account."
        )
    return sorted(promotions, key=lambda promotion: promotion.integer("created_millis"), reverse=True)


def promote(artifact: ArtifactService, version: Version, body: Fields, signing_key: str | None) -> None:
    """Begin a promotion of a version."""
    _submit(artifact, _promotion_address(version), version, body, signing_key)


def parse_state(record: Record) -> State:
    """Return the status in a record, with the reasons of a failure."""
    messages = (message.maybe_text("text") for message in record.maybe_records("messages"))
    return State(record.text("status"), [text for text in messages if text])


def describe(record: Record) -> Fields:
    """Return status and creation of a release bundle or of a promotion for the result."""
    state = parse_state(record)
    return {
        "status": state.status,
        "created": times.get_optional_time(record, "created"),
        "created_by": record.maybe_text("created_by"),
        "messages": state.messages,
    }


def _read(artifact: ArtifactService, address: str, query: t.Mapping[str, str]) -> Response:
    """Return the response of the Lifecycle API, which can be 404 if something does not exist.

    :raises ToolchainError: if the server lacks the API
    """
    return access_api.read(artifact, address, features.RELEASE_BUNDLES, "lifecycle", query)


def _submit(artifact: ArtifactService, address: str, version: Version, body: Fields, signing_key: str | None) -> None:
    """Request an operation, which the server runs in the background."""
    headers = {"X-JFrog-Signing-Key-Name": signing_key} if signing_key else {}
    query = {**version.query, "async": "true"}
    with editions.explain_refusal(artifact, features.RELEASE_BUNDLES):
        response = artifact.http.write("POST", address, query=query, json=body, headers=headers, accept=_SUBMITTED)
    access_api.verify_accepted(response)


def _read_pages(
    artifact: ArtifactService, address: str, member: str, query: t.Mapping[str, str], total: str = "total"
) -> t.Iterator[Record]:
    """Yield the pages of a list, or nothing if it does not exist.

    :arg member: the member of a page with its entries
    :arg total: the member with the number of all entries, which servers may omit
    """
    count = 0
    previous: list[Record] | None = None
    while True:
        response = _read(artifact, address, {**query, "limit": str(_PAGE_SIZE), "offset": str(count)})
        if response.status == 404:
            return
        page = response.record()
        entries = page.records(member)
        if entries and entries == previous:  # the server ignores the offset
            return
        yield page
        count += len(entries)
        previous = entries
        number = page.maybe_integer(total)
        if not entries or (len(entries) != _PAGE_SIZE if number is None else count >= number):
            return


def _check_complete(address: str, count: int, total: int | None) -> None:
    """Verify that a list is complete, because a missing entry would lead to a wrong decision."""
    if total is not None and count < total:
        raise ToolchainError(
            f"GET {address}: the server returned only {count:,} of {total:,} entries. Run the task again."
        )


def _promotion_address(version: Version) -> str:
    return f"{_API}/promotion/records{encode_path(version.name, version.version, option='name')}"


def _address(call: str, version: Version) -> str:
    return f"{_BUNDLES}/{call}{encode_path(version.name, version.version, option='name')}"
