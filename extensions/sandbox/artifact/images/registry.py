# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that all calls of the Docker registry API share: addresses, permissions, names, errors.

The registry of a repository is served at /artifactory/api/docker/{repo}/v2/ and at /v2/{repo}/, where clients expect
it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..access.accounts import CHALLENGE
from ..call import Call
from ..items.tree import Item
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError, DockerError
from ..repositories.repositories import Repository

# Scope of registry calls, which have their own challenge for callers without credentials.
REGISTRY = "registry"
BASE = "/api/docker/{repo}/v2"
ROOT = "/v2"
# The repository in the paths of requests without a repository, as reverse proxies write it.
NO_REPOSITORY = "null"
VERSION_HEADER = {"Docker-Distribution-Api-Version": "registry/2.0"}
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
NAME_COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
IMAGE = re.compile(rf"{NAME_COMPONENT}(?:/{NAME_COMPONENT})*")
MAX_IMAGE_LENGTH = 255
# Type names according to RFC 6838, so that the value is valid in a header.
MEDIA_TYPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}")


def to_artifactory_path(path: str) -> str:
    """Return the path below /artifactory for a registry path at the root of the server."""
    repo, _slash, rest = path.removeprefix(ROOT).strip("/").partition("/")
    if repo in ("", "token", "_catalog"):
        return f"{BASE.format(repo=NO_REPOSITORY)}/{repo}"
    return f"{BASE.format(repo=repo)}/{rest}"


def is_at_root(call: Call) -> bool:
    """Return whether the client uses the registry at the root of the server."""
    return bool(call.request.scope["raw_path"].startswith(ROOT.encode()))


def client_image_name(call: Call, repo: str, image: str) -> str:
    """Return the name of an image as the client addresses it."""
    return f"{repo}/{image}" if is_at_root(call) else image


def registry_url(call: Call, repo: str, rest: str) -> str:
    """Return a URL of the registry in the form that the client uses."""
    if is_at_root(call):
        return f"{call.base.removesuffix('/artifactory')}{ROOT}/{repo}/{rest}"
    return f"{call.base}{BASE.format(repo=repo)}/{rest}"


def registry_storages(call: Call, repo: str) -> list[str]:
    """Return the storages of an image repository; nothing if it has another type or is blacked out."""
    repository = call.repositories.resolve(repo)
    if repository is None or not repository.is_registry or repository.is_blacked_out:
        return []
    return call.repositories.list_storages(repo)


def require_registry(call: Call) -> None:
    """Fail if the server has no container registries."""
    if call.is_oss and not call.supports(feature_versions.REGISTRIES_REQUIRE_PRO):
        if not call.supports(feature_versions.REGISTRIES_REQUIRE_LOGIN):
            raise ArtifactError(404)
        raise ArtifactError(401, "Authentication is required", CHALLENGE)
    call.require_pro()


def require_readable(call: Call, repo: str, scope: str = "") -> list[str]:
    """Return the storages that the caller may read. Without credentials, the challenge contains `scope`."""
    require_registry(call)
    storages = registry_storages(call, repo)
    readable = [storage for storage in storages if call.principal.may_anywhere("r", storage)]
    if readable:
        return readable
    require_caller(call, repo, scope)
    if not storages or call.get_switch("hide_unauthorized"):
        raise unknown_name_error(repo)
    raise denied_error(repo)


def select_readable(call: Call, repo: str, image: str, manifests: Iterable[Item]) -> list[Item]:
    """Return the manifests that the caller may read, or fail if all manifests are unreadable."""
    all_manifests = list(manifests)
    selected = [item for item in all_manifests if call.principal.may("r", item.repo, item.path)]
    if all_manifests and not selected:
        require_caller(call, repo, token_scope(call, repo, image, "pull"))
        if not call.get_switch("hide_unauthorized"):
            raise denied_error(image)
    return selected


def require_writable(call: Call, repo: str, image: str) -> Repository:
    """Return the local repository that a push is stored in, or fail if the caller may not push."""
    require_registry(call)
    validate_image_name(image)
    repository = call.repositories.find(repo)
    if repository and repository.rclass == "virtual":
        repository = call.repositories.find(repository.configuration.get("defaultDeploymentRepo") or "")
    storages = registry_storages(call, repository.key) if repository else []
    if repository is None or storages != [repository.key]:
        require_readable(call, repo, token_scope(call, repo, image, "pull,push"))
        raise DockerError(405, "UNSUPPORTED", "The operation is unsupported.", {"name": repo})
    require_registry_permission(call, "w", repository.key, image, repo)
    return repository


def require_registry_permission(call: Call, action: str, storage: str, path: str, repo: str) -> None:
    """Fail unless the caller has a permission."""
    if not call.principal.may(action, storage, path):
        require_caller(call, repo, token_scope(call, repo, path, "pull,push"))
        raise denied_error(path)


def require_caller(call: Call, repo: str, scope: str) -> None:
    """Fail with a challenge if the caller has no credentials."""
    if call.principal.anonymous:
        headers = {"Www-Authenticate": build_challenge(call, repo, scope)}
        raise DockerError(401, "UNAUTHORIZED", "authentication required", None, headers)


def build_challenge(call: Call, repo: str, scope: str) -> str:
    """Return the WWW-Authenticate challenge: where to get a token, and its scope."""
    parameters = {"realm": f"{call.base}{BASE.format(repo=repo)}/token", "service": call.request.url.netloc}
    if scope:
        parameters["scope"] = scope
    return "Bearer " + ",".join(f'{name}="{value}"' for name, value in parameters.items())


def token_scope(call: Call, repo: str, image: str, actions: str) -> str:
    """Return the token scope for actions on an image."""
    return f"repository:{client_image_name(call, repo, image)}:{actions}"


def validate_image_name(image: str) -> None:
    """Fail if the name of an image is invalid."""
    if len(image) > MAX_IMAGE_LENGTH or not IMAGE.fullmatch(image):
        raise DockerError(400, "NAME_INVALID", "invalid repository name", {"name": image})


def parse_digest(digest: str) -> str:
    """Return the SHA-256 checksum in a digest, or fail if it has another algorithm or format."""
    if not DIGEST.fullmatch(digest):
        raise invalid_digest_error(digest)
    return digest.removeprefix("sha256:")


def image_name(manifest: Item) -> str:
    """Return the name of a manifest's image."""
    return (manifest.parent or "").rpartition("/")[0]


def invalid_digest_error(digest: Any) -> DockerError:
    """Return the error for an invalid or mismatching digest."""
    return DockerError(400, "DIGEST_INVALID", "provided digest did not match uploaded content", {"digest": str(digest)})


def invalid_credentials_error(message: str) -> DockerError:
    """Return the error for invalid credentials."""
    return DockerError(401, "UNAUTHORIZED", message, None, CHALLENGE)


def unknown_name_error(name: str) -> DockerError:
    """Return the error for an unknown image or repository."""
    return DockerError(404, "NAME_UNKNOWN", "Repository name not known to registry.", {"name": name})


def unknown_manifest_error(reference: str) -> DockerError:
    """Return the error for an unknown tag or digest."""
    text = "The named manifest is not known to the registry."
    return DockerError(404, "MANIFEST_UNKNOWN", text, {"manifest": reference})


def denied_error(name: str | None) -> DockerError:
    """Return the error for a missing permission, without a detail if the name is null."""
    detail = {"name": name} if name is not None else None
    return DockerError(403, "DENIED", "requested access to the resource is denied", detail)
