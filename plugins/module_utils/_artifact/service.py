# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Connection to Artifactory: options, addresses, authentication and error responses."""

from __future__ import annotations

import functools
import itertools
import re
import threading
import typing as t

from ansible.module_utils.basic import env_fallback

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import token_secret
from ansible_collections.buildworks.toolchain.plugins.module_utils._credential import (
    CHECKED_IN_HEADER,
    NETRC_FILE,
    Credential,
    basic_auth,
    check_header_value,
    credential_from_account,
    credential_from_netrc,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    MissingObject,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import HttpClient, RequestOptions
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.session import service_options
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import check_url, encode_path

ARTIFACT = service_options(
    "artifact",
    dict(
        url=dict(type="str", address=True, one_line=True, fallback=(env_fallback, ["JFROG_URL"])),
        username=dict(type="str", one_line=True),
        password=dict(type="str", no_log=True, unchecked="a password may be any text"),
        token=dict(
            type="str", no_log=True, unchecked=CHECKED_IN_HEADER, fallback=(env_fallback, ["JFROG_ACCESS_TOKEN"])
        ),
        api_key=dict(type="str", no_log=True, unchecked=CHECKED_IN_HEADER),
        netrc_file=NETRC_FILE,
    ),
    credentials={"password": ("username",), "api_key": (), "token": (), "netrc_file": ("username",)},
)

_PATH_ADVICE = "Check the path in 'url'."
_ADVICE = {
    401: "The credential was not accepted: check 'token', or 'username' and 'password'.",
    403: "The account lacks a permission for this, or its credential is wrong or locked.",
    404: "It may also be hidden from this account.",
}
_TOKEN_ADVICE = {
    "/access/api/": "The Access API may accept only access tokens.",
    "/event/api/": "The Event API may accept only access tokens.",
}

# Available to each user; needs no permission
VERSION_ADDRESS = "/artifactory/api/system/version"
_NEEDS_PRO = "This requires Artifactory Pro, but the server is the open-source edition or has no active license."
SORTING_REFUSED = "Sorting is not supported by AQL in the open source version"
_MERGE_REFUSAL = "Could not merge and save new descriptor"
# Remedies for error messages of the server
_REMEDIES = {
    _MERGE_REFUSAL: "Another client changed the configuration at the same time. Run the task again.",
    "available only in Artifactory Pro": _NEEDS_PRO,
    "available only in Artifactory Enterprise": "This requires a license of Artifactory Enterprise.",
    "Failed to read object from stream": (
        "The configuration of the server would be invalid, for example because an object that it refers to does not "
        "exist, or because a name is already in use. The log of the server names the cause."
    ),
    "ontaining resources can't be removed": (
        "The project still contains repositories, builds or other resources. Detach or delete them, and if this has "
        "just been done, run the task again or increase 'visibility_timeout'."
    ),
    SORTING_REFUSED: "Sorting queries requires Artifactory Pro.",
}

# Statuses of a server that does not report its version to the account
_HIDING = (401, 403, 404)
# Members of error responses that contain messages. The last one is misspelled by the server
_MESSAGES = ("errors", "messages", "error massages")
_ENVELOPE = re.compile(r'\s*\{\s*"errors"\s*:')


class ArtifactService:
    """A connection to a JFrog Platform.

    Addresses are relative to the root of the platform: `/artifactory/api/...` and `/access/api/...`.

    :ivar own_token: the access token used for authentication, if any, also as a password or API key
    :ivar own_user: the user name used for authentication, if any
    """

    def __init__(self, task: Task) -> None:
        root = check_url(task.params["url"])
        if root.endswith("/artifactory"):
            root = root[: -len("/artifactory")]
        self._task, self._root = task, root
        credential = _credential(task, root)
        self.own_token: str | None = _find_token(task, credential)
        self.own_user: str | None = credential.account[0] if credential.account else None
        self._credential = credential
        self._hidden_by: ServerRefusal | None = None
        self.http = self._connect(credential)

    def log_in_again(self, password: str) -> None:
        """Authenticate with the new password of the account from now on."""
        self.http = self._connect(basic_auth(self._task, self.own_user or "", password, self._credential.option or ""))

    def _connect(self, credential: Credential) -> HttpClient:
        explain = functools.partial(_explain, credential)
        return HttpClient(self._task, self._root, credential=credential, explain=explain)

    def is_open_source(self) -> bool:
        """Return whether the server reports that it is the open-source edition. One request serves all tasks."""
        version = self._read_version()
        return version is not None and bool(is_open_source(version))

    def supports(self, version: str) -> bool:
        """Return whether Artifactory has at least this version. One request serves all tasks.

        :arg version: numbers separated by dots, such as `7.49.3`
        :raises ToolchainError: if the server does not report its version to the account
        """
        self.check_version_known()
        return not self.is_older_than(version)

    def is_older_than(self, version: str) -> bool:
        """Return whether the server reports a version before this one. One request serves all tasks.

        :arg version: numbers separated by dots; no request is sent for an empty text
        """
        reported = self._read_version() if version else None
        return reported is not None and _parse_version(reported.text("version")) < _parse_version(version)

    def check_version_known(self) -> None:
        """Verify that the server reports its version to the account. One request serves all tasks.

        :raises ToolchainError: if it does not
        """
        if self._read_version() is None:
            raise ToolchainError(f"The version of Artifactory is unknown: {self._hidden_by}")

    def _read_version(self) -> Record | None:
        """Return version and license of the server, or `None` if it does not report them to the account.

        Only this object remembers a refusal, which can be temporary.
        """
        if self._hidden_by is None:
            try:
                return t.cast("Record", self.http.get_cached("version", self._fetch_version))
            except ServerRefusal as refusal:
                if refusal.status not in _HIDING:
                    raise
                self._hidden_by = refusal
        return None

    def _fetch_version(self) -> Record:
        return self.http.read("GET", VERSION_ADDRESS).record()

    def write_descriptor(self, method: str, path: str, **options: t.Unpack[RequestOptions]) -> Response:
        """Send a write that ends in the central configuration descriptor, as `HttpClient.write` does.

        Artifactory refuses to merge concurrent changes of the descriptor. Therefore, the threads of a task send such
        writes one at a time, and a write that is refused because of another client is repeated.
        """
        with self.http.get_cached("descriptor lock", threading.Lock):
            return self.http.write(method, path, policy=_DESCRIPTOR_WRITE, **options)

    def info_address(self, repo: str, path: str, call: str = "storage") -> str:
        """Return the address of an item's information, or of another API call for the item.

        :raises BadOption: if the path contains an empty segment, `.` or `..`
        """
        return f"/artifactory/api/{call}{_encode_item(repo, path)}"

    def content_address(self, repo: str, path: str) -> str:
        """Return the address of an item's content, for uploads, downloads and deletions.

        :raises BadOption: if the path contains an empty segment, `.` or `..`
        """
        return f"/artifactory{_encode_item(repo, path)}"

    def fetch_properties(self, repo: str, path: str, may_be_missing: bool = False) -> dict[str, list[str]]:
        """Return the properties of an item, each a sorted list.

        Artifactory responds with 404 to an item without properties and to a missing item. A second request
        distinguishes them.

        :arg may_be_missing: whether a missing item counts as an item without properties
        :raises ToolchainError: if the item does not exist
        """
        properties = self.find_properties(repo, path)
        if properties is None:
            response = self.http.read("GET", self.info_address(repo, path), accept=(200, 404))
            if response.status == 404 and not (may_be_missing and _is_artifactory_error(response)):
                raise not_found_error("Item", repo, path, response)
        return properties or {}

    def find_properties(self, repo: str, path: str) -> dict[str, list[str]] | None:
        """Return the properties of an item, each a sorted list, or `None` if it has no properties or does not exist."""
        response = self.http.read("GET", self.info_address(repo, path), query={"properties": None}, accept=(200, 404))
        if response.status == 404:
            return None
        properties = response.record().record("properties")
        return {key: sorted(properties.texts(key)) for key in properties}


class _DescriptorWrite(retry.Policy):
    """The policy for writes of the central configuration descriptor."""

    def should_retry(self, response: Response) -> bool:
        """Return whether the request may be repeated: also if the server could not merge the change."""
        is_merge_refusal = response.status in (400, 500) and _MERGE_REFUSAL in response.text
        return is_merge_refusal or super().should_retry(response)


_DESCRIPTOR_WRITE = _DescriptorWrite(retry.WRITE.statuses, is_idempotent=False)


def is_open_source(version: Record) -> bool | None:
    """Return whether the server reports that it is the open-source edition, or `None` if it reports no license.

    :arg version: the response with the version
    """
    license_text = version.maybe_text("license")
    return None if license_text is None else "OSS" in license_text


def _parse_version(text: str) -> tuple[int, ...]:
    """Return the numbers at the beginning of a version, such as 7.49.3 of `7.49.3-m001`."""
    match = re.match(r"\d+(?:\.\d+)*", text)
    return tuple(map(int, match[0].split("."))) if match else ()


def not_found_error(kind: str, repo: str, path: str, response: Response) -> ToolchainError:
    """Return the error for a 404 response to a request for something in a repository."""
    text = f"{kind} '{path}' does not exist in repository '{repo}', or the account has no Read permission on it."
    return MissingObject(text if _is_artifactory_error(response) else f"{text} {_PATH_ADVICE}")


def _is_artifactory_error(response: Response) -> bool:
    """Return whether an error response comes from Artifactory and not from another server at a wrong address."""
    return '"errors"' in response.text


def _encode_item(repo: str, path: str) -> str:
    names = path.strip("/").split("/") if path.strip("/") else []
    return f"{encode_path(repo, option='repo')}{encode_path(*names, option='path')}"


def _credential(task: Task, url: str) -> Credential:
    """Return the credential: user name and password, API key, token, netrc file, or none, in this order."""
    if account := credential_from_account(task, ("password",)):
        return account
    if task.params["api_key"]:
        return Credential(
            {"X-JFrog-Art-Api": task.register_secret(check_header_value("api_key", task.params["api_key"]))}, "api_key"
        )
    if task.params["token"]:
        token = task.register_secret(check_header_value("token", task.params["token"]))
        return Credential({"Authorization": f"Bearer {token}"}, "token")
    return credential_from_netrc(task, url) or Credential()


def _find_token(task: Task, credential: Credential) -> str | None:
    """Return the access token that authenticates requests, or `None`."""
    if credential.option in ("token", "api_key"):
        secret = task.params[credential.option].strip()
    else:
        secret = credential.account[1] if credential.account else ""
    return secret if credential.option == "token" or token_secret.is_token(secret) else None


def is_not_found(refusal: ServerRefusal) -> bool:
    """Return whether Artifactory reports that something does not exist. A 404 of another server does not count."""
    return refusal.status == 404 and bool(_ENVELOPE.match(refusal.text))


def _explain(credential: Credential, response: Response) -> tuple[str | None, str | None]:
    if response.status == 401 and not credential.option:
        return _error_message(response), "No credential was sent. Set 'token', or 'username' and 'password'."
    if response.status == 404 and not _is_artifactory_error(response):
        return _error_message(response), f"{_PATH_ADVICE} {_ADVICE[404]}"
    for path, advice in _TOKEN_ADVICE.items():
        if response.status == 401 and credential.option != "token" and path in response.url:
            return _error_message(response), f"{_ADVICE[401]} {advice}"
    of_message = (advice for text, advice in _REMEDIES.items() if text in response.text)
    return _error_message(response), next(of_message, _ADVICE.get(response.status))


def _error_message(response: Response) -> str | None:
    """Return the message of an error response. Its form depends on the API call, and can be plain text."""
    body = response.json_or_none()
    if not isinstance(body, dict):
        return response.short_text()
    if "error_description" in body:
        return str(body["error_description"])
    lists = [body[name] for name in _MESSAGES if isinstance(body.get(name), list)]
    entries = itertools.chain(*lists)
    messages = [entry["message"] for entry in entries if isinstance(entry, dict) and entry.get("message")]
    return "; ".join(map(str, messages)) or None
