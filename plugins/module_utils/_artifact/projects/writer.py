# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The requests that change a project and its parts."""

from __future__ import annotations

import itertools
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import groups
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects import (
    form,
    ordering,
    platform,
    projects,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    OutcomeUnknown,
    ServerRefusal,
    UnexpectedResponse,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, recover_write
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_HAS_CONTENT = "containing resources can't be removed"
_WRITTEN = (200, 201, 204)
# Another client can have removed the entry
_REMOVED = (200, 204, 404)


class ProjectWriter:
    """Sends the requests that change a project.

    :ivar sent_roles: all fields of the roles that were replaced, by name
    """

    def __init__(self, task: Task, artifact: ArtifactService, key: str) -> None:
        self._task, self._artifact, self._key = task, artifact, key
        self.sent_roles: Fields = {}

    def create(self, settings: Fields) -> None:
        """Create the project without parts."""
        self._write("POST", "/projects", {"project_key": self._key, **settings})

    def replace_settings(self, settings: Fields) -> None:
        """Replace all settings of the project."""
        self._write("PUT", projects.address(self._key), settings)

    def delete(self, attached: t.Iterable[str]) -> None:
        """Detach repositories, and delete the project as soon as the server permits it."""
        for repo in attached:
            self._detach_verified(repo)
        self._repeat(
            lambda: self._write("DELETE", projects.address(self._key)),
            lambda refusal: refusal.status == 400 and _HAS_CONTENT in refusal.text.lower(),
        )

    def close_access(self, fields: Fields, current: Fields) -> None:
        """Write entries of parts that lose something. Members come before their roles, and roles before environments.

        :arg fields: the entries, `None` for each one to remove
        :arg current: the existing parts
        """
        members = current.get("members", {})
        gaining = {}
        for name, roles in fields["members"].items():
            if ordering.only_loses(members[name], roles):
                self._write_member(name, roles)
            else:
                gaining[name] = roles
        for repo, sharing in fields["shared_repositories"].items():
            self._share(repo, sharing)
        for repo in fields["repositories"]:
            self._detach(repo)
        for name, role in form.select_present(fields["roles"]).items():
            self._replace_role(name, role)
        for name, roles in gaining.items():
            self._write_member(name, roles)
        for part in ("roles", "environments"):
            for name in [name for name, value in fields[part].items() if value is None]:
                self._remove(projects.address(self._key, part, name))

    def open_access(self, fields: Fields, current: Fields, moved: t.Container[str]) -> None:
        """Write entries of parts that gain something, in an order in which later ones can refer to earlier ones.

        :arg fields: the entries
        :arg current: the existing parts
        :arg moved: repositories that are attached to another project
        """
        for name in fields["environments"]:
            self._write("POST", projects.address(self._key, "environments"), {"name": name})
        for name, role in fields["roles"].items():
            write = self._replace_role if name in current.get("roles", {}) else self._create_role
            write(name, role)
        for name, roles in fields["members"].items():
            self._write_member(name, roles)
        for repo in fields["repositories"]:
            self._attach(repo, force=repo in moved)
        for repo, sharing in fields["shared_repositories"].items():
            self._share(repo, sharing)

    def _write_member(self, key: str, roles: list[str] | None) -> None:
        """Give a member these roles, or remove it if they are `None`."""
        kind, name = key.split("/", 1)
        if roles is None:
            self._remove(projects.address(self._key, kind, name))
            return
        kind, name = self._find_member(kind, name)
        self._write("PUT", projects.address(self._key, kind, name), {"name": name, "roles": roles})

    def _create_role(self, name: str, role: Fields) -> None:
        self._write("POST", projects.address(self._key, "roles"), _to_role(name, {**form.NEW_ROLE, **role}))

    def _replace_role(self, name: str, changes: Fields) -> None:
        """Replace a role, based on what it has now: another client may have taken actions from it."""
        current = projects.find_role(self._artifact, self._key, name) or form.NEW_ROLE
        self.sent_roles[name] = {**current, **changes}
        self._write("PUT", projects.address(self._key, "roles", name), _to_role(name, self.sent_roles[name]))

    def _find_member(self, kind: str, name: str) -> tuple[str, str]:
        """Return the name of a user or group as the server stores it. Newer versions store groups in lower case."""
        if kind == "groups" and name != name.lower():
            with platform.allow_forbidden():
                group = groups.find_in_any_case(self._artifact, name)
                name = group["name"] if group else name
        return kind, name

    def _attach(self, repo: str, force: bool) -> None:
        """Attach a repository. A new one may not be visible yet to the service for projects."""
        path = self._address_of("attach", repo, self._key)
        self._repeat(
            lambda: self._write("PUT", path, force="true" if force else "false"),
            lambda refusal: refusal.status == 404,
        )

    def _detach(self, repo: str) -> None:
        self._remove(self._address_of("attach", repo))

    def _detach_verified(self, repo: str) -> None:
        """Detach a repository. If the response is lost, read the repository, because `reconcile` does not read it."""

        def find_effect() -> bool | None:
            return projects.find_owner(self._artifact, repo) != self._key or None

        def detach() -> bool:
            try:
                self._detach(repo)
            except UnexpectedResponse as page:
                raise OutcomeUnknown(str(page)) from None
            return True

        recover_write(self._task, detach, find_effect)

    def _share(self, repo: str, sharing: Fields | None) -> None:
        """Share a repository, or stop sharing it if `sharing` is `None`."""
        path = self._address_of("share", repo, self._key)
        if sharing is None:
            self._remove(path)
        else:
            self._write("PUT", path, readOnly="true" if sharing["read_only"] else "false")

    def _remove(self, path: str) -> None:
        self._write("DELETE", path, accept=_REMOVED)

    def _write(
        self,
        method: str,
        path: str,
        body: Fields | None = None,
        accept: t.Container[int] = _WRITTEN,
        **query: str,
    ) -> None:
        """Send a write.

        :raises UnexpectedResponse: if a page of another server is the response, so that the effect is unknown
        """
        options: t.Any = {} if body is None else {"json": body}
        response = self._artifact.http.write(method, f"{platform.API}{path}", query=query, accept=accept, **options)
        if response.text.strip():
            response.json((dict, list))

    def _repeat(self, send: t.Callable[[], t.Any], is_temporary: t.Callable[[ServerRefusal], bool]) -> None:
        """Send a request. While the server refuses it for a temporary reason, repeat it within `visibility_timeout`."""
        deadline = time.monotonic() + self._task.params["visibility_timeout"]
        for attempt in itertools.count():
            try:
                send()
                return
            except ServerRefusal as refusal:
                remaining = deadline - time.monotonic()
                if remaining <= 0 or not is_temporary(refusal):
                    raise
                self._task.report_progress(f"waiting until project '{self._key}' can be changed")
                time.sleep(min(retry.backoff(attempt), remaining))

    @staticmethod
    def _address_of(action: str, repo: str, *project: str) -> str:
        """Return the path for attaching or sharing a repository."""
        return f"/projects/_/{action}/repositories{encode_path(repo, *project, option='repositories')}"


def _to_role(name: str, role: Fields) -> Fields:
    return {"name": name, "type": projects.CUSTOM, **role}
