# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests for webhooks in the Event API."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import access_api, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    OutcomeUnknown,
    ToolchainError,
    UnexpectedResponse,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_ADDRESS = "/event/api/v1/subscriptions"
_SERVICE = "event"
_SUCCESS = "success"


def find(artifact: ArtifactService, key: str) -> Record | None:
    """Return a webhook, or `None` if it does not exist."""
    response = _read(artifact, _address(key))
    return response.record() if response.status == 200 else None


def list_all(artifact: ArtifactService) -> dict[str, Record]:
    """Return all webhooks that the account may manage, by key and sorted."""
    response = _read(artifact, _ADDRESS)
    if response.status == 404:
        raise access_api.foreign_response_error(response, _SERVICE)
    return access_api.index(response.records(), "key")


def create(artifact: ArtifactService, body: Fields) -> None:
    """Create a webhook."""
    response = artifact.http.write("POST", _ADDRESS, json=body, accept=(200, 201))
    access_api.verify_accepted(response)


def replace(artifact: ArtifactService, key: str, body: Fields) -> None:
    """Replace a webhook."""
    artifact.http.write("PUT", _address(key), json=body, accept=(200, 204), policy=IDEMPOTENT)


def delete(artifact: ArtifactService, key: str) -> None:
    """Delete a webhook."""
    artifact.http.write("DELETE", _address(key), accept=(200, 204))


def send_test_event(artifact: ArtifactService, body: Fields) -> None:
    """Let Artifactory send a test event as a webhook would.

    :raises ToolchainError: if the receiver does not accept it, or the result is unknown
    """
    outcome = f"The webhook '{body['key']}' was not written."
    try:
        response = artifact.http.write(
            "POST", f"{_ADDRESS}/test", json=body, accept=(200, 404, 405), changes_state=False, no_retry=True
        )
        if response.status != 200:
            raise ToolchainError(
                f"Cannot send a test event: this version of Artifactory does not support it. {outcome} "
                "Remove 'test_event'."
            )
        record = response.record()
        is_success, message = record.text("result").lower() == _SUCCESS, record.maybe_text("message")
    except (OutcomeUnknown, UnexpectedResponse) as error:
        raise ToolchainError(f"The result of the test event is unknown: {error} {outcome}") from None
    if not is_success:
        reason = (message or "no reason given").rstrip(". ")
        raise ToolchainError(
            f"The test event failed: {reason}. {outcome} Check 'webhook_url', 'proxy' and the receiver, or remove "
            "'test_event'."
        )


def _read(artifact: ArtifactService, address: str) -> Response:
    """Return the response of the Event API, which can be 404 if something does not exist."""
    return access_api.read(artifact, address, features.WEBHOOKS, _SERVICE)


def _address(key: str) -> str:
    return f"{_ADDRESS}{encode_path(key, option='key')}"
