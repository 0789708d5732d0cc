# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of key pairs, and the public keys of the repositories that use them."""

from __future__ import annotations

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.json_response import json_response
from ..protocol.request_body import read_json_object
from ..repositories.repository_api import require_repository
from .keypairs import KeyPair, list_keypairs, list_users, parse_keypair, save_keypair

# Members of a repository by the name of the key pair in the API
SLOTS = {"primary": "primaryKeyPairRef", "secondary": "secondaryKeyPairRef"}


async def list_all(call: Call) -> Response:
    """Handle `GET /api/security/keypair`."""
    _require_admin(call, feature_versions.KEY_PAIR_LIST)
    return json_response([_render(pair) for pair in list_keypairs(call.state).values()])


async def get_keypair(call: Call, name: str) -> Response:
    """Handle `GET /api/security/keypair/{name}`, which needs no administrator."""
    _require_version(call, feature_versions.KEY_PAIRS)
    call.require_login()
    return json_response(_render(_require_keypair(call, name)))


async def create_keypair(call: Call) -> Response:
    """Handle `POST /api/security/keypair`.

    The documentation of the server says that an existing pair is replaced, but its own clients delete it first. The
    switch `keypair_conflict_status` decides: 0 replaces it.
    """
    _require_admin(call, feature_versions.KEY_PAIRS)
    pair = parse_keypair(await read_json_object(call))
    conflict_status = call.get_switch("keypair_conflict_status")
    if conflict_status and pair.name in list_keypairs(call.state):
        raise ArtifactError(conflict_status, f"Key pair '{pair.name}' already exists")
    call.begin_descriptor_write()
    save_keypair(call.state, pair)
    return Response(status_code=201)


async def verify_keypair(call: Call) -> Response:
    """Handle `POST /api/security/keypair/verify`, which stores nothing."""
    _require_admin(call, feature_versions.KEY_PAIRS)
    parse_keypair(await read_json_object(call))
    return Response(status_code=200)


async def delete_keypair(call: Call, name: str) -> Response:
    """Handle `DELETE /api/security/keypair/{name}`.

    The switch `keypair_deletion_checks_use` decides whether a pair that repositories use is kept.
    """
    _require_admin(call, feature_versions.KEY_PAIRS)
    _require_keypair(call, name)
    users = list_users(call.state, name)
    if users and call.get_switch("keypair_deletion_checks_use"):
        raise ArtifactError(400, f"Key pair '{name}' is used by the repositories: {', '.join(users)}")
    call.begin_descriptor_write()
    call.runtime.db.execute("DELETE FROM artifact_keypairs WHERE name = ?", (name,))
    return PlainTextResponse("OK")


async def get_repository_key(call: Call, repo: str, slot: str = "primary") -> Response:
    """Handle `GET /api/v2/repositories/{repo}/keyPairs/{slot}/public` and the older path for the primary key."""
    _require_version(call, feature_versions.KEY_PAIR_LIST)
    repository = require_repository(call, repo)
    pair = list_keypairs(call.state).get(str(repository.configuration.get(SLOTS[slot])))
    if pair is None:
        raise ArtifactError(404, f"Repository '{repo}' has no {slot} key pair")
    return PlainTextResponse(pair.public_key)


def _render(pair: KeyPair) -> dict[str, str | bool]:
    return {
        "pairName": pair.name,
        "pairType": pair.type,
        "alias": pair.alias,
        "publicKey": pair.public_key,
        "unavailable": False,
    }


def _require_version(call: Call, version: str) -> None:
    call.require_pro()
    if not call.supports(version):
        raise ArtifactError(404)


def _require_admin(call: Call, version: str) -> None:
    _require_version(call, version)
    call.require_admin()


def _require_keypair(call: Call, name: str) -> KeyPair:
    pair = list_keypairs(call.state).get(name)
    if pair is None:
        raise ArtifactError(404, f"Key pair '{name}' not found")
    return pair


KEYPAIRS = "/api/security/keypair"
ROUTES = (
    Route("GET", KEYPAIRS, list_all, "list_keypairs"),
    Route("POST", KEYPAIRS, create_keypair, "create_keypair"),
    Route("POST", f"{KEYPAIRS}/verify", verify_keypair, "verify_keypair", read_only=True),
    Route("GET", f"{KEYPAIRS}/public/repositories/{{repo}}", get_repository_key, "get_repository_key"),
    Route(
        "GET",
        "/api/v2/repositories/{repo}/keyPairs/{slot:primary|secondary}/public",
        get_repository_key,
        "get_slot_key",
    ),
    Route("GET", f"{KEYPAIRS}/{{name}}", get_keypair, "get_keypair"),
    Route("DELETE", f"{KEYPAIRS}/{{name}}", delete_keypair, "delete_keypair"),
)
