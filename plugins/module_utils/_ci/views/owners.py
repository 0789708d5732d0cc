# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Owners of views: Jenkins itself, folders and nested views; and the lists of their views."""

from __future__ import annotations

import dataclasses
import typing as t
from urllib.parse import unquote, urlsplit

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import jobs
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.ownership import SharedSources
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.views import form
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import MissingObject, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import is_selected
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path


@dataclasses.dataclass(frozen=True)
class Owner:
    """The owner of a view.

    :ivar folder: full name of the folder, empty for Jenkins itself
    :ivar parent: names of the nested views that contain the view, separated by slashes; empty if it is not nested
    """

    folder: str
    parent: str

    @classmethod
    def from_params(cls, params: Fields) -> Owner:
        """Return the owner of the view that the options of a module name."""
        return cls(params["folder"] or "", params["parent"] or "")

    @property
    def path(self) -> str:
        """The path on the server, empty for Jenkins itself."""
        folder = jobs.job_path(self.folder, "folder") if self.folder else ""
        names = self.parent.split("/") if self.parent else ()
        return folder + "".join(f"/view{encode_path(name, option='parent')}" for name in names)

    @property
    def depth(self) -> int:
        """The number of nested views that contain its views."""
        return self.parent.count("/") + 1 if self.parent else 0

    def view_path(self, name: str) -> str:
        """Return the path of one of its views."""
        return f"{self.path}/view{encode_path(name, option='name')}"

    def __str__(self) -> str:
        folder = f"folder '{self.folder}'" if self.folder else "Jenkins"
        if not self.parent:
            return folder
        return f"view '{self.parent}' of {folder}" if self.folder else f"view '{self.parent}'"


@dataclasses.dataclass(frozen=True)
class Listing:
    """The views of an owner that the account may see.

    :ivar classes: Java classes by name, in the order of the names
    :ivar primary: name of the view that is shown by default
    """

    classes: dict[str, str]
    primary: str | None


class MissingOwner(MissingObject):
    """An owner does not exist, or the account may not see it."""

    def __init__(self, owner: Owner) -> None:
        text = str(owner)
        permission, advice = ("View/Read", " with 'type: nested'") if owner.parent else ("Job/Read", "")
        super().__init__(
            f"{text[0].upper()}{text[1:]} does not exist, or the account has no {permission} permission on it. "
            f"Check the name, or create it first{advice}."
        )


class SharedListings:
    """Lists of views and jobs, each requested once for all items of a task.

    :arg declared: owners and names of the views that the task creates
    :ivar sources: the configuration sources
    """

    def __init__(self, declared: t.Iterable[tuple[Owner, str]]) -> None:
        self._values = SharedValues()
        self.sources = SharedSources()
        self._declared = frozenset(declared)

    def creates(self, owner: Owner) -> bool:
        """Return whether the task creates an owner, which is a nested view."""
        outer, _slash, name = owner.parent.rpartition("/")
        return (Owner(owner.folder, outer), name) in self._declared

    def views(self, ci: CiService, owner: Owner) -> Listing:
        """Return the views of an owner as they were before this task changed one.

        :raises MissingOwner: if the owner does not exist
        """
        return self._values.get(f"views {owner.path}", lambda: list_views(ci, owner))

    def jobs(self, ci: CiService, folder: str) -> set[str]:
        """Return the names of the jobs and folders in a folder, none if the folder does not exist."""
        return self._values.get(f"jobs {folder}", lambda: _list_jobs(ci, folder))


def list_views(ci: CiService, owner: Owner) -> Listing:
    """Return the views of an owner.

    Jenkins responds to the name of a view with a view of this name in any nested view. Therefore the URL is compared.

    :raises MissingOwner: if the owner does not exist
    :raises ToolchainError: if it is a job or a view that cannot contain views
    """
    response = ci.view(owner.path, "url,views[name],primaryView[name]", accept=(200, 404) if owner.path else (200,))
    if response.status == 404:
        raise MissingOwner(owner)
    record = response.record()
    if "views" not in record:
        record.text("url")  # otherwise this is no object of Jenkins
    if owner.parent and not _is_url_of(record.text("url"), owner):
        raise MissingOwner(owner)
    if owner.path and "views" not in record:
        raise ToolchainError(f"Cannot find views: {owner} cannot contain any. Specify a folder or a nested view.")
    classes = {view.text("name"): view.text("_class") for view in record.records("views")}
    primary = record.maybe_record("primaryView")
    return Listing({name: classes[name] for name in sorted(classes)}, primary.text("name") if primary else None)


def list_undeclared(
    task: Task, ci: CiService, shared: SharedListings, declared: t.Collection[tuple[Owner, str]]
) -> dict[str, Fields]:
    """Return the views that belong to the owners of declared views, and that are neither declared nor protected.

    Protected are primary views, views with all jobs, and views that contain declared ones. The option `type` of the
    task selects views.

    :returns: the options that identify each view, by its path
    :raises MissingOwner: if an owner is missing that the task does not create
    """
    found = {}
    for owner in dict.fromkeys(owner for owner, _name in declared):
        try:
            listing = shared.views(ci, owner)
        except MissingOwner:
            if task.predicts_missing or shared.creates(owner):
                continue
            raise
        for name, class_name in listing.classes.items():
            inner = Owner(owner.folder, f"{owner.parent}/{name}".removeprefix("/"))
            has_declared = any(
                other.folder == inner.folder and f"{other.parent}/".startswith(f"{inner.parent}/")
                for other, _name in declared
            )
            is_protected = name == listing.primary or class_name == form.CLASSES["all"] or has_declared
            is_candidate = not is_protected and is_selected(task, type=form.get_type_of_class(class_name))
            if (owner, name) not in declared and is_candidate:
                found[unquote(owner.view_path(name))] = {"name": name, "folder": owner.folder, "parent": owner.parent}
    return found


def _list_jobs(ci: CiService, folder: str) -> set[str]:
    path = jobs.job_path(folder) if folder else ""
    response = ci.view(path, "jobs[name]", accept=(200, 404) if folder else (200,))
    return set() if response.status == 404 else {job.text("name") for job in response.record().maybe_records("jobs")}


def _is_url_of(url: str, owner: Owner) -> bool:
    """Return whether a URL of Jenkins is that of an owner, and not of an object with the same names further inside."""
    names = [unquote(name) for name in urlsplit(url).path.strip("/").split("/")]
    expected = unquote(owner.path).split("/")[1:]
    outer, inner = names[: -len(expected)], names[-len(expected) :]
    return inner == expected and outer[-2:-1] not in (["view"], ["job"])
