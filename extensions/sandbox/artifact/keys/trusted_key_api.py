# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of trusted public keys."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..protocol.errors import ArtifactError
from ..protocol.json_response import json_response
from ..protocol.request_body import read_json_object
from .key_texts import format_day
from .trusted_keys import TrustedKey, list_trusted_keys, parse_trusted_key, save_trusted_key


async def list_all(call: Call) -> Response:
    """Handle `GET /api/security/keys/trusted`."""
    _require_admin(call)
    return json_response({"keys": [_render(call, key) for key in list_trusted_keys(call.state)]})


async def add_trusted_key(call: Call) -> Response:
    """Handle `POST /api/security/keys/trusted`. The key is in `public_key`, as clients of the vendor send it."""
    _require_admin(call)
    body = await read_json_object(call)
    key = parse_trusted_key(body.get("alias"), body.get("public_key", body.get("key")))
    for existing in list_trusted_keys(call.state):
        if existing.fingerprint == key.fingerprint:
            status = call.get_switch("trusted_key_conflict_status")
            raise ArtifactError(status, f"The key already exists with the alias '{existing.alias}'")
        if existing.alias == key.alias:
            raise ArtifactError(call.get_switch("trusted_key_conflict_status"), f"Alias '{key.alias}' already exists")
    save_trusted_key(call.state, key)
    return json_response(_render(call, key), 201)


async def delete_trusted_key(call: Call, kid: str) -> Response:
    """Handle `DELETE /api/security/keys/trusted/{kid}`."""
    _require_admin(call)
    deleted = call.runtime.db.execute("DELETE FROM artifact_trusted_keys WHERE kid = ?", (kid,))
    if not deleted.rowcount:
        raise ArtifactError(404, f"Key '{kid}' not found")
    return Response(status_code=204)


def _render(call: Call, key: TrustedKey) -> dict[str, Any]:
    issued_on = {} if key.issued_on is None else {"issued_on": format_day(key.issued_on)}
    text = {"key": key.key} if call.get_switch("trusted_keys_have_text") else {}
    return {
        "kid": key.kid,
        "alias": key.alias,
        "fingerprint": key.fingerprint,
        **text,
        **issued_on,
        "issued_by": key.issued_by,
        "valid_until": "",
    }


def _require_admin(call: Call) -> None:
    """Fail unless the caller is an administrator, and the edition has trusted keys.

    The documentation says that this is Enterprise+. Whether the API of other editions refuses them is not known.
    """
    if call.get_switch("trusted_keys_require_enterprise"):
        call.require_enterprise()
    call.require_pro()
    call.require_admin()


TRUSTED_KEYS = "/api/security/keys/trusted"
ROUTES = (
    Route("GET", TRUSTED_KEYS, list_all, "list_trusted_keys"),
    Route("POST", TRUSTED_KEYS, add_trusted_key, "add_trusted_key"),
    Route("DELETE", f"{TRUSTED_KEYS}/{{kid}}", delete_trusted_key, "delete_trusted_key"),
)
