# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes of a project."""

from __future__ import annotations

import contextlib
import itertools
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import groups, users
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects import (
    environments,
    form,
    lockout,
    platform,
    projects,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_HAS_CONTENT = "containing resources can't be removed"
_MAX_NAMES = 10
_WRITTEN = (200, 201, 204)
# Another client can have removed the entry
_REMOVED = (200, 204, 404)
_NEW_PROJECT = {
    "description": "",
    "soft_limit": False,
    "storage_quota_email_notification": True,
    "storage_quota": form.UNLIMITED,
}
# Parts that a later task can add to a project, because they refer to objects that can be in the project
_ADDED_PARTS = {"members", "repositories", "shared_repositories"}
_NEW_ROLE = {"description": "", "environments": [], "actions": []}


class ManagedProject:
    """The project that a task manages.

    :arg declared: the declared settings and parts, as `form.parse_options` returns them
    """

    def __init__(self, task: Task, artifact: ArtifactService, declared: Fields) -> None:
        self._task, self._artifact, self._declared = task, artifact, declared
        self._key: str = task.params["key"]
        self._purge: bool = task.params["purge"]
        self._stored: Fields = {}
        self._current: Fields = {}
        self._other_roles: set[str] = set(form.PREDEFINED_ROLES)
        self._missing_shared: list[str] = []
        self._read_only: dict[str, bool] = {}  # declared shared repositories
        self._owners: dict[str, str | None] = {}
        self._attached: list[str] = []

    def find(self) -> Fields | None:
        """Return the project with the declared parts, or `None` if it does not exist."""
        self._current, self._stored = {}, {}
        record = projects.find(self._artifact, self._key)
        if record is None:
            if self._is_created_earlier:
                return self._predict_new()
            if "shared_repositories" in self._declared:
                self._read_shared()  # for `desired`
            return None
        self._stored = dict(record)
        self._current = projects.parse_settings(record)
        readers = {
            "environments": lambda: projects.read_environments(self._artifact, self._key),
            "roles": self._read_roles,
            "members": self._read_members,
            "repositories": self._read_repositories,
            "shared_repositories": self._read_shared,
        }
        self._current.update({part: read() for part, read in readers.items() if part in self._declared})
        return self._current

    def desired(self, before: Fields | None) -> Fields:
        """Return the fields to compare, with `None` for each entry to remove."""
        fields = dict(self._declared)
        for part in form.PARTS:
            if part in fields and self._purge and part != "shared_repositories":
                fields[part] = {**dict.fromkeys((before or {}).get(part, ())), **fields[part]}
        if "shared_repositories" in fields:
            fields["shared_repositories"] = self._desired_sharing(is_new=before is None)
        return fields

    def check(self, before: Fields | None, fields: Fields | None) -> None:
        """Refuse changes that the server would refuse, that move a repository, or that lock out the account.

        :arg fields: the fields to write; `None` for a deletion
        :raises BadOption: if an option is missing or not supported
        :raises ToolchainError: if the change is refused
        """
        if fields is None:
            if not self._task.predicts_missing:  # otherwise an earlier task would delete or detach the repositories
                self._check_content()
            return
        if before is None and not fields.get("display_name"):
            raise BadOption("display_name", f"is required, because project '{self._key}' does not exist")
        for name in fields.get("roles", ()):
            if name in self._other_roles:
                raise BadOption("roles", f"'{name}' is a predefined role, which cannot be changed. Choose another name")
        self._check_removed_names(fields)
        for repo, value in fields.get("repositories", {}).items():
            if value:
                self._check_owner(repo)
        is_read_only = any(value and value.get("read_only") for value in fields.get("shared_repositories", {}).values())
        if is_read_only and not self._artifact.supports(projects.READ_ONLY_SINCE):
            raise BadOption(
                "shared_repositories.read_only", f"requires Artifactory {projects.READ_ONLY_SINCE} or later"
            )
        if before is not None and "members" in fields and not self._task.params["allow_lockout"]:
            lockout.check(self._artifact, before["members"], _present({**before["members"], **fields["members"]}))

    def predict_refusal(self) -> None:
        """Verify that the users, groups, roles, environments and repositories that the task refers to exist.

        Administrators of the project may not read all of them.

        :raises BadOption: if one does not exist
        """
        if self._task.params["state"] == "absent" or self._task.predicts_missing:
            return
        self._check_display_name()
        self._refuse_missing(
            "repositories", "repositories", [repo for repo, owner in self._owners.items() if owner is None]
        )
        shared = _present(self._declared.get("shared_repositories", {}))
        self._refuse_missing(
            "shared_repositories", "repositories", [repo for repo in self._missing_shared if repo in shared]
        )
        members = self._find_changed("members")
        for kind, find_missing in (("users", users.find_missing), ("groups", groups.find_missing)):
            names = [name.partition("/")[2] for name in members if name.startswith(kind)]
            with _allow_forbidden():
                self._refuse_missing("members", kind, find_missing(self._artifact, names) if names else [])
        if used := {role for roles in members.values() for role in roles} - set(form.PREDEFINED_ROLES):
            self._refuse_missing("members", "roles", used - self._list_roles())
        roles = self._find_changed("roles").values()
        if used := {name for role in roles for name in role.get("environments", ())} - set(environments.BUILT_IN):
            with _allow_forbidden():
                self._refuse_missing("roles", "environments", used - self._list_environments())

    def create(self, fields: Fields) -> None:
        """Create the project, then its parts."""
        self._write("POST", "/projects", {"project_key": self._key, **_to_settings(fields, {})})
        self._write_parts(fields, {})

    def update(self, fields: Fields) -> None:
        """Write the settings and the entries of parts that differ."""
        if any(name in fields for name in form.SCALARS):
            stored = {name: value for name, value in self._stored.items() if value is not None}
            self._write("PUT", projects.address(self._key), {**stored, **_to_settings(fields, stored)})
        self._write_parts(fields, self._current)

    def delete(self) -> None:
        """Detach the repositories of the project, and delete it as soon as the server permits it."""
        for repo in self._attached:
            self._detach(repo)
        self._repeat(
            lambda: self._write("DELETE", projects.address(self._key)),
            lambda refusal: refusal.status == 400 and _HAS_CONTENT in refusal.text.lower(),
        )

    def to_result(self, project: Fields) -> Fields:
        """Return the project as the module returns it; a predicted one with the values of a new project."""
        complete = {**_NEW_PROJECT, **project}
        complete["admin_privileges"] = {**dict.fromkeys(form.PRIVILEGES), **(project.get("admin_privileges") or {})}
        if (roles := complete.get("roles")) is not None:
            complete["roles"] = {name: {**_NEW_ROLE, **role} for name, role in roles.items()}
        return form.to_result(self._key, complete)

    @property
    def _is_created_earlier(self) -> bool:
        """Whether check mode assumes that an earlier task creates the project, to which this one only adds parts."""
        is_addition = self._task.params["state"] == "present" and self._declared.keys() <= _ADDED_PARTS
        return self._task.predicts_missing and is_addition

    def _predict_new(self) -> Fields:
        """Return the parts of the project as an earlier task creates it, if the server supports the declared ones."""
        parts: Fields = {part: {} for part in self._declared}
        if "shared_repositories" in parts:
            parts["shared_repositories"] = self._read_shared()
        return parts

    def _read_roles(self) -> Fields:
        roles, self._other_roles = projects.read_roles(self._artifact, self._key)
        return roles

    def _read_members(self) -> Fields:
        """Return the members, with the declared spelling of groups, whose names the server stores in lower case."""
        spellings = {name.lower(): name for name in self._declared["members"]}
        found = projects.read_members(self._artifact, self._key)
        return {spellings.get(name.lower(), name): roles for name, roles in found.items()}

    def _read_repositories(self) -> Fields:
        """Return the attached repositories. Others in the list of the project would not be detached."""
        found = projects.read_repositories(self._artifact, self._key)
        if not self._purge:
            return found
        declared = self._declared["repositories"]
        return {
            repo: True for repo in found if repo in declared or projects.find_owner(self._artifact, repo) == self._key
        }

    def _read_shared(self) -> Fields:
        shared: Fields = {}
        self._missing_shared, self._read_only = [], {}
        for repo in self._declared["shared_repositories"]:
            sharing = projects.find_sharing(self._artifact, repo)
            if sharing is None:
                self._missing_shared.append(repo)
                continue
            self._read_only[repo] = bool(sharing.maybe_flag("shared_read_only"))
            if self._key in sharing.maybe_texts("shared_with_projects"):
                shared[repo] = {"read_only": self._read_only[repo]}
        return shared

    def _desired_sharing(self, is_new: bool) -> Fields:
        """Return how to share the declared repositories. The other projects of a repository keep it as it is."""
        desired: Fields = {}
        for repo, sharing in self._declared["shared_repositories"].items():
            if sharing is not None:
                desired[repo] = {"read_only": self._read_only.get(repo, False), **sharing}
            elif not is_new:
                desired[repo] = None
        return desired

    def _check_removed_names(self, fields: Fields) -> None:
        """Refuse to remove a role of a declared member, or an environment of a declared role."""
        members, roles = (self._declared.get(part, {}).values() for part in ("members", "roles"))
        uses = (
            ("members", "roles", {role for names in members for role in names}),
            ("roles", "environments", {name for role in roles for name in role.get("environments", ())}),
        )
        for option, part, used in uses:
            removed = {name for name, value in fields.get(part, {}).items() if value is None}
            for name in sorted(used & removed):
                raise BadOption(option, f"contains '{name}', which 'purge' would remove. Add it to '{part}'")

    def _check_display_name(self) -> None:
        name = self._declared.get("display_name")
        if name in (None, self._current.get("display_name")):
            return
        for other in projects.list_all(self._artifact):
            if other.maybe_text("display_name") == name and other.text("project_key") != self._key:
                raise BadOption("display_name", f"'{name}' is the name of project '{other.text('project_key')}'")

    def _check_owner(self, repo: str) -> None:
        """Refuse to move a repository of another project, unless the task allows it."""
        owner = self._owners[repo] = projects.find_owner(self._artifact, repo)
        if owner and owner != self._key and not self._task.params["allow_move"]:
            raise ToolchainError(
                f"Repository '{repo}' belongs to project '{owner}'. Set 'allow_move: true' to move it to project "
                f"'{self._key}', or share it with 'shared_repositories'."
            )

    def _check_content(self) -> None:
        """Refuse to delete a project that has repositories, unless the task detaches them."""
        self._attached = sorted(projects.read_repositories(self._artifact, self._key))
        if self._attached and not self._task.params["detach_repositories"]:
            raise ToolchainError(
                f"Cannot delete project '{self._key}': it contains the repositories {_join(self._attached)}. Move or "
                "delete them, or set 'detach_repositories: true' to keep them without a project."
            )
        self._attached = [repo for repo in self._attached if projects.find_owner(self._artifact, repo) == self._key]

    def _find_changed(self, part: str) -> Fields:
        """Return the declared entries of a part that differ from the current ones."""
        current = self._current.get(part, {})
        return {name: value for name, value in self._declared.get(part, {}).items() if current.get(name) != value}

    def _list_roles(self) -> set[str]:
        """Return the names of the roles that the project has or will have."""
        names = {*self._declared.get("roles", ()), *self._other_roles}
        if self._current:
            roles, others = projects.read_roles(self._artifact, self._key)
            names |= {*roles, *others}
        return names

    def _list_environments(self) -> set[str]:
        """Return the names of the environments that roles of the project can use."""
        names = {*self._declared.get("environments", ()), *environments.list_names(self._artifact)}
        return {*names, *projects.read_environments(self._artifact, self._key)} if self._current else names

    def _refuse_missing(self, option: str, kind: str, missing: t.Collection[str]) -> None:
        if missing:
            raise BadOption(option, f"these {kind} do not exist: {_join(missing)}")

    def _write_parts(self, fields: Fields, current: Fields) -> None:
        """Write the entries of parts in an order in which later ones can refer to earlier ones, then remove others."""
        for name in _present(fields.get("environments", {})):
            self._write("POST", projects.address(self._key, "environments"), {"name": name})
        for name, role in _present(fields.get("roles", {})).items():
            self._write_role(name, role, current.get("roles", {}).get(name))
        for name, roles in _present(fields.get("members", {})).items():
            kind, member = self._find_member(*name.split("/", 1))
            self._write("PUT", projects.address(self._key, kind, member), {"name": member, "roles": roles})
        for repo in _present(fields.get("repositories", {})):
            self._attach(repo)
        for repo, sharing in _present(fields.get("shared_repositories", {})).items():
            self._share(repo, sharing)
        self._remove_parts(fields)

    def _find_member(self, kind: str, name: str) -> tuple[str, str]:
        """Return the name of a user or group as the server stores it. Newer versions store groups in lower case."""
        if kind == "groups" and name != name.lower():
            with _allow_forbidden():
                group = groups.find_in_any_case(self._artifact, name)
                name = group["name"] if group else name
        return kind, name

    def _remove_parts(self, fields: Fields) -> None:
        removed = {part: [name for name, value in fields.get(part, {}).items() if value is None] for part in form.PARTS}
        for repo in removed["shared_repositories"]:
            self._remove(f"{_address_of('share', repo)}{encode_path(self._key, option='key')}")
        for repo in removed["repositories"]:
            self._detach(repo)
        for name in removed["members"]:
            self._remove(projects.address(self._key, *name.split("/", 1)))
        for part in ("roles", "environments"):
            for name in removed[part]:
                self._remove(projects.address(self._key, part, name))

    def _write_role(self, name: str, changes: Fields, current: Fields | None) -> None:
        body = {"name": name, "type": projects.CUSTOM, **(current or _NEW_ROLE), **changes}
        if current is None:
            self._write("POST", projects.address(self._key, "roles"), body)
        else:
            self._write("PUT", projects.address(self._key, "roles", name), body)

    def _attach(self, repo: str) -> None:
        """Attach a repository. A new one may not be visible yet to the service for projects."""
        force = "true" if self._owners.get(repo) not in (None, "", self._key) else "false"
        path = f"{_address_of('attach', repo)}{encode_path(self._key, option='key')}"
        self._repeat(lambda: self._write("PUT", path, force=force), lambda refusal: refusal.status == 404)

    def _detach(self, repo: str) -> None:
        self._remove(_address_of("attach", repo))

    def _share(self, repo: str, sharing: Fields) -> None:
        path = f"{_address_of('share', repo)}{encode_path(self._key, option='key')}"
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


def _to_settings(fields: Fields, stored: Fields) -> Fields:
    """Return settings as the server takes them."""
    settings = {name: fields[name] for name in form.SETTINGS if name in fields}
    if "storage_quota" in fields:
        settings["storage_quota_bytes"] = form.parse_quota(fields["storage_quota"])
    if "admin_privileges" in fields:
        settings["admin_privileges"] = {**(stored.get("admin_privileges") or {}), **fields["admin_privileges"]}
    return settings


def _address_of(action: str, repo: str) -> str:
    """Return the path for attaching or sharing a repository."""
    return f"/projects/_/{action}/repositories{encode_path(repo, option='repositories')}"


def _present(entries: Fields) -> Fields:
    """Return the entries that are not to be removed."""
    return {name: value for name, value in entries.items() if value is not None}


@contextlib.contextmanager
def _allow_forbidden() -> t.Iterator[None]:
    """Skip a part of a prediction for which the account lacks a permission."""
    try:
        yield
    except ServerRefusal as refusal:
        if refusal.status not in (401, 403):
            raise


def _join(names: t.Collection[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES:,} more" if len(names) > _MAX_NAMES else ""
    return f"{', '.join(sorted(names)[:_MAX_NAMES])}{more}"
