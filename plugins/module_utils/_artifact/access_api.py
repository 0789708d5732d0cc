# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Responses of the Access API and the Event API, which are separate services of the JFrog Platform."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response

# Reads a page, with the query as keyword arguments. Returns `None` if the server lacks the API
ReadPage = t.Callable[..., t.Optional[Response]]
Query = t.Mapping[str, t.Union[str, list[str], None]]


def read(
    artifact: ArtifactService,
    path: str,
    feature: editions.Feature,
    service: str = "access",
    query: Query | None = None,
    accept: tuple[int, ...] = (200, 404),
) -> Response:
    """Return the response of an API, which can be 404 if something does not exist.

    :arg path: the whole path
    :arg feature: what the path belongs to
    :arg service: the API, which is the first part of its path
    :arg accept: the expected statuses
    :raises ToolchainError: if the server does not have the path
    """
    with editions.explain_refusal(artifact, feature):
        response = artifact.http.read("GET", path, accept=accept, query=query)
    if response.status != 200:
        editions.check(artifact, feature, reads_license=False)  # with Enterprise, the object may be missing
        artifact.check_version_known()
        check_origin(response, service)
    return response


def check_origin(response: Response, service: str = "access") -> None:
    """Verify that a response with an error comes from the Access API, or from another API.

    :arg service: the API, which is the first part of its path
    :raises ToolchainError: if another server at the URL has sent it
    """
    body = response.json_or_none()
    if not isinstance(body, dict) or "errors" not in body:
        raise foreign_response_error(response, service)


def foreign_response_error(response: Response, service: str = "access") -> ToolchainError:
    """Return the error for a response that does not come from the Access API, or from another API."""
    return ToolchainError(
        f"{response}, but not from the {service.title()} API. Check that 'url' is the root of the JFrog Platform and "
        f"that its reverse proxy forwards /{service}."
    )


def parse(response: Response, name: str, identity: str = "name") -> Record:
    """Return the object in a response.

    :arg identity: the member with the name of the object
    :raises UnexpectedResponse: if it has another name
    """
    record = response.record()
    if (stored := record.text(identity)) != name:
        raise response.unexpected_value(identity, f"'{name}'", stored)
    return record


def index(records: t.Iterable[Record], identity: str = "name") -> dict[str, Record]:
    """Return objects by name, sorted.

    :arg identity: the member with the name of an object
    """
    named = {record.text(identity): record for record in records}
    return {name: named[name] for name in sorted(named)}


def verify_accepted(response: Response) -> None:
    """Verify that the response to a write is empty or contains an object.

    :raises UnexpectedResponse: if it is a page of another server, which does not mean that the write had an effect
    """
    if response.text.strip():
        response.record()


def list_entries(read: ReadPage, member: str) -> list[Record] | None:
    """Return the entries of all pages of a list, or `None` if the server lacks the API.

    :arg member: the member of a page with its entries
    """
    entries: list[Record] = []
    cursor: str | None = ""
    while cursor is not None:
        response = read(**({"cursor": cursor} if cursor else {}))
        if response is None:
            return None
        page = response.record()
        entries += page.records(member)
        following = page.maybe_text("cursor") or None
        cursor = None if following == cursor else following
    return entries
