# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The requests that change a project and its parts."""

from __future__ import annotations

import itertools
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import groups
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects import form, platform, projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_HAS_CONTENT = "containing resources can't be removed"
_WRITTEN = (200, 201, 204)
# Another client can have removed the entry
_REMOVED = (200, 204, 404)


class ProjectWriter:
    """Sends the requests that change a project."""

    def __init__(self, task: Task, artifact: ArtifactService, key: str) -> None:
        self._task, self._artifact, self._key = task, artifact, key

    def create(self, settings: Fields) -> None:
        """Create the project without parts."""
        self._write("POST", "/projects", {"project_key": self._key, **settings})

    def replace_settings(self, settings: Fields) -> None:
        """Replace all settings of the project."""
        self._write("PUT", projects.address(self._key), settings)

    def delete(self, attached: t.Iterable[str]) -> None:
        """Detach repositories, and delete the project as soon as the server permits it."""
        for repo in attached:
            self._detach(repo)
        self._repeat(
            lambda: self._write("DELETE", projects.address(self._key)),
            lambda refusal: refusal.status == 400 and _HAS_CONTENT in refusal.text.lower(),
        )

    def write_parts(self, fields: Fields, current: Fields, moved: t.Container[str]) -> None:
        """Write the entries of parts in an order in which later ones can refer to earlier ones, then remove others.

        :arg fields: the entries that differ, `None` for each one to remove
        :arg current: the existing parts
        :arg moved: repositories that are attached to another project
        """
        for name in form.select_present(fields.get("environments", {})):
            self._write("POST", projects.address(self._key, "environments"), {"name": name})
        for name, role in form.select_present(fields.get("roles", {})).items():
            self._write_role(name, role, current.get("roles", {}).get(name))
        for name, roles in form.select_present(fields.get("members", {})).items():
            kind, member = self._find_member(*name.split("/", 1))
            self._write("PUT", projects.address(self._key, kind, member), {"name": member, "roles": roles})
        for repo in form.select_present(fields.get("repositories", {})):
            self._attach(repo, force=repo in moved)
        for repo, sharing in form.select_present(fields.get("shared_repositories", {})).items():
            self._share(repo, sharing)
        self._remove_parts(fields)

    def _remove_parts(self, fields: Fields) -> None:
        removed = {part: [name for name, value in fields.get(part, {}).items() if value is None] for part in form.PARTS}
        for repo in removed["shared_repositories"]:
            self._remove(self._address_of("share", repo, self._key))
        for repo in removed["repositories"]:
            self._detach(repo)
        for name in removed["members"]:
            self._remove(projects.address(self._key, *name.split("/", 1)))
        for part in ("roles", "environments"):
            for name in removed[part]:
                self._remove(projects.address(self._key, part, name))

    def _write_role(self, name: str, changes: Fields, current: Fields | None) -> None:
        body = {"name": name, "type": projects.CUSTOM, **(current or form.NEW_ROLE), **changes}
        if current is None:
            self._write("POST", projects.address(self._key, "roles"), body)
        else:
            self._write("PUT", projects.address(self._key, "roles", name), body)

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

    def _share(self, repo: str, sharing: Fields) -> None:
        path = self._address_of("share", repo, self._key)
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
