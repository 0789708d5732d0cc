# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all calls of the container registry share: addresses, rights, names and refusals.

The registry of a repository is at /artifactory/api/docker/{repo}/v2/, and at /v2/{repo}/, where clients look for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..access.accounts import CHALLENGE
from ..call import Call
from ..items.tree import Item
from ..protocol.errors import DockerError
from ..repositories.repositories import Repository

# The registry sends callers without credentials for a token: it has a challenge of its own.
REGISTRY = "registry"
BASE = "/api/docker/{repo}/v2"
ROOT = "/v2"
# The repository of requests that are for none in particular, as reverse proxies write it
NO_REPOSITORY = "null"
VERSION_HEADER = {"Docker-Distribution-Api-Version": "registry/2.0"}
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
TAG = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")
PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
IMAGE = re.compile(rf"{PART}(?:/{PART})*")
LONGEST_IMAGE = 255
# The names of RFC 6838, so that it can be sent in a header
MEDIA_TYPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}")


def to_artifactory_path(path: str) -> str:
    """Return the path below /artifactory that a request at the root of the server stands for."""
    repo, _slash, rest = path.removeprefix(ROOT).strip("/").partition("/")
    if repo in ("", "token", "_catalog"):
        return f"{BASE.format(repo=NO_REPOSITORY)}/{repo}"
    return f"{BASE.format(repo=repo)}/{rest}"


def is_at_root(call: Call) -> bool:
    """Return whether the client talks to the registry at the root of the server."""
    return bool(call.request.scope["raw_path"].startswith(ROOT.encode()))


def client_image_name(call: Call, repo: str, image: str) -> str:
    """Return the image's name as the client has it."""
    return f"{repo}/{image}" if is_at_root(call) else image


def address(call: Call, repo: str, rest: str) -> str:
    """Return an address of the registry, in the form in which the client asked."""
    if is_at_root(call):
        return f"{call.base.removesuffix('/artifactory')}{ROOT}/{repo}/{rest}"
    return f"{call.base}{BASE.format(repo=repo)}/{rest}"


def registry_storages(call: Call, repo: str) -> list[str]:
    """Return the storages of a repository of images; none when it is of anything else, or blacked out."""
    repository = call.repositories.resolve(repo)
    if repository is None or not repository.is_registry or repository.is_blacked_out:
        return []
    return call.repositories.list_storages(repo)


def readable(call: Call, repo: str, scope: str = "") -> list[str]:
    """Return the storages of the repository that the caller may read; the scope is what a token is needed for."""
    call.require_pro()
    storages = registry_storages(call, repo)
    found = [storage for storage in storages if call.principal.may_anywhere("r", storage)]
    if found:
        return found
    require_caller(call, repo, scope)
    if not storages or call.get_switch("hide_unauthorized"):
        raise unknown_name_error(repo)
    raise denied_error(repo)


def select_readable(call: Call, repo: str, image: str, manifests: Iterable[Item]) -> list[Item]:
    """Return the manifests of an image that the caller may read; refuse the call if there are only others."""
    found = list(manifests)
    selected = [item for item in found if call.principal.may("r", item.repo, item.path)]
    if found and not selected:
        require_caller(call, repo, token_scope(call, repo, image, "pull"))
        if not call.get_switch("hide_unauthorized"):
            raise denied_error(image)
    return selected


def writable(call: Call, repo: str, image: str) -> Repository:
    """Return the local repository that a push of the image ends up in."""
    call.require_pro()
    check_image(image)
    repository = call.repositories.find(repo)
    if repository and repository.rclass == "virtual":
        repository = call.repositories.find(repository.configuration.get("defaultDeploymentRepo") or "")
    storages = registry_storages(call, repository.key) if repository else []
    if repository is None or storages != [repository.key]:
        readable(call, repo, token_scope(call, repo, image, "pull,push"))
        raise DockerError(405, "UNSUPPORTED", "The operation is unsupported.", {"name": repo})
    permit(call, "w", repository.key, image, repo)
    return repository


def permit(call: Call, action: str, storage: str, path: str, repo: str) -> None:
    """Refuse the call unless the caller may do this in a storage of the repository."""
    if not call.principal.may(action, storage, path):
        require_caller(call, repo, token_scope(call, repo, path, "pull,push"))
        raise denied_error(path)


def require_caller(call: Call, repo: str, scope: str) -> None:
    """Send callers without credentials for a token."""
    if call.principal.anonymous:
        headers = {"Www-Authenticate": challenge(call, repo, scope)}
        raise DockerError(401, "UNAUTHORIZED", "authentication required", None, headers)


def challenge(call: Call, repo: str, scope: str) -> str:
    """Return where the client gets a token, and for what."""
    parameters = {"realm": f"{call.base}{BASE.format(repo=repo)}/token", "service": call.request.url.netloc}
    if scope:
        parameters["scope"] = scope
    return "Bearer " + ",".join(f'{name}="{value}"' for name, value in parameters.items())


def token_scope(call: Call, repo: str, image: str, actions: str) -> str:
    """Return the scope of a token with which these actions on an image are allowed."""
    return f"repository:{client_image_name(call, repo, image)}:{actions}"


def check_image(image: str) -> None:
    """Refuse the name of an image that no registry takes."""
    if len(image) > LONGEST_IMAGE or not IMAGE.fullmatch(image):
        raise DockerError(400, "NAME_INVALID", "invalid repository name", {"name": image})


def parse_digest(digest: str) -> str:
    """Return the checksum in a digest; other algorithms than SHA-256 are refused."""
    if not DIGEST.fullmatch(digest):
        raise invalid_digest_error(digest)
    return digest.removeprefix("sha256:")


def image_name(manifest: Item) -> str:
    """Return the image that a manifest is of."""
    return (manifest.parent or "").rpartition("/")[0]


def invalid_digest_error(digest: Any) -> DockerError:
    """Return the refusal of content with another digest, or of an invalid digest."""
    return DockerError(400, "DIGEST_INVALID", "provided digest did not match uploaded content", {"digest": str(digest)})


def invalid_credentials_error(message: str) -> DockerError:
    """Return the refusal of credentials that are not valid."""
    return DockerError(401, "UNAUTHORIZED", message, None, CHALLENGE)


def unknown_name_error(name: str) -> DockerError:
    """Return the refusal of an image or a repository that does not exist."""
    return DockerError(404, "NAME_UNKNOWN", "Repository name not known to registry.", {"name": name})


def unknown_manifest_error(reference: str) -> DockerError:
    """Return the refusal of a tag or a digest that does not exist."""
    text = "The named manifest is not known to the registry."
    return DockerError(404, "MANIFEST_UNKNOWN", text, {"manifest": reference})


def denied_error(name: str) -> DockerError:
    """Return the refusal of a request for which the caller lacks the right."""
    return DockerError(403, "DENIED", "requested access to the resource is denied", {"name": name})
