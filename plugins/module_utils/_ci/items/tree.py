# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The tree of items, as the items of a task see it.

A folder is listed once for all items of a task. The listing also shows what a single read would not: that the parent
folder is missing, or that an item at the root differs only in case.
"""

from __future__ import annotations

import dataclasses
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import NamedLocks
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items import names
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items.location import item_path
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    MissingObject,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

FOLDER = "com.cloudbees.hudson.plugins.folder.Folder"
ORGANIZATION = "jenkins.branch.OrganizationFolder"
# Folders whose items Jenkins creates itself, from branches or repositories
_COMPUTED = frozenset(
    (
        ORGANIZATION,
        "org.jenkinsci.plugins.workflow.multibranch.WorkflowMultiBranchProject",
    )
)
# Folder levels in one request; each makes the URL longer
_LEVELS_PER_REQUEST = 4


@dataclasses.dataclass(frozen=True)
class Item:
    """A job or folder.

    :ivar name: full name, as Jenkins writes it
    :ivar place: full name with which it is requested, which differs from `name` if check mode has predicted a move
    :ivar class_name: Java class, such as `hudson.model.FreeStyleProject`
    :ivar record: the requested members
    """

    name: str
    place: str
    class_name: str
    record: Record

    @property
    def is_folder(self) -> bool:
        """Return whether this is a folder that the user has created, and not a job or a computed folder."""
        return self.class_name == FOLDER


@dataclasses.dataclass(frozen=True)
class Listing:
    """The items in a folder.

    :ivar class_name: Java class of the folder
    :ivar items: items by full name
    """

    class_name: str
    items: dict[str, Item]


class Tree:
    """The items of a server.

    :arg members: members of items to request, at least `fullName`
    """

    def __init__(self, members: str) -> None:
        self._members = members
        self._locks = NamedLocks()
        self._listings: dict[str, Listing] = {}
        # what the items of the task have changed or, in check mode, would have changed
        self._created: set[str] = set()
        self._moved: dict[str, str] = {}
        self._deleted: set[str] = set()

    def find(self, ci: CiService, name: str) -> Item | None:
        """Return an item from the listing of its folder, or `None` if it does not exist.

        :raises ToolchainError: if the name differs from that of an item at the root in case
        """
        folder, _last = names.split(name)
        listing = self.list(ci, folder)
        if listing is None:
            return None
        if not folder and name not in listing.items:
            for existing in listing.items:
                if names.identify(existing) == names.identify(name):
                    raise wrong_case(name, existing)
        return listing.items.get(name)

    def list(self, ci: CiService, folder: str) -> Listing | None:
        """Return the items in a folder as they were when it was first listed, or `None` if it does not exist.

        :arg folder: full name, empty for the root
        :raises ToolchainError: if the name differs from that of the folder in case
        """
        with self._locks.get(folder):
            if folder not in self._listings:
                listing = fetch_listing(ci, folder, self._members) or self._predict_listing(ci, folder)
                if listing is None:
                    return None
                self._listings[folder] = listing
            return self._listings[folder]

    def list_content(self, ci: CiService, folder: str) -> t.Collection[str]:
        """Return the full names of the current items in a folder, without those that check mode would have deleted.

        :raises ToolchainError: if the folder does not exist any longer
        """
        listing = fetch_listing(ci, folder, "fullName")
        if listing is None:
            raise ToolchainError(f"Folder '{folder}' was deleted while the task was running. Run the task again.")
        return set(listing.items) - self._deleted

    def fetch(self, ci: CiService, name: str) -> Item | None:
        """Return the current item, or `None` if it does not exist."""
        return fetch(ci, name, self._members)

    def record_creation(self, name: str) -> None:
        """Record that an item exists from now on."""
        self._created.add(name)

    def record_move(self, previous_name: str, name: str) -> None:
        """Record that an item was moved."""
        self._moved[name] = previous_name
        self._deleted.add(previous_name)

    def record_deletion(self, name: str) -> None:
        """Record that an item does not exist any longer."""
        self._deleted.add(name)

    def _predict_listing(self, ci: CiService, folder: str) -> Listing | None:
        """Return the items of a folder that check mode would have created or moved, or `None`."""
        if folder in self._created:
            return Listing(FOLDER, {})
        origin = self._find_origin(folder)
        listing = origin and fetch_listing(ci, origin, self._members)
        if not origin or not listing:
            return None
        moved = (dataclasses.replace(item, name=folder + item.name[len(origin) :]) for item in listing.items.values())
        return Listing(listing.class_name, {item.name: item for item in moved})

    def _find_origin(self, folder: str) -> str | None:
        """Return the current name of a folder if check mode would have moved it or a folder around it."""
        if folder in self._moved:
            return self._moved[folder]
        parent, last = names.split(folder)
        origin = self._find_origin(parent) if parent else None
        return origin and names.join(origin, last)


def refuse_organization(class_name: str, option: str) -> None:
    """
    :raises BadOption: if an option declares an organization folder
    """
    if class_name == ORGANIZATION:
        raise BadOption(
            option,
            "is the configuration of an organization folder. Organization folders are not supported yet. Create it on "
            "the pages of Jenkins",
        )


def check_may_contain(listing: Listing, folder: str) -> None:
    """Check that items can be created in or moved to a folder.

    :raises ToolchainError: if it is not a folder for such items
    """
    if listing.class_name in _COMPUTED:
        raise ToolchainError(
            f"'{folder}' cannot contain other items: Jenkins creates its items itself ({listing.class_name}). Choose "
            "another folder."
        )


def check_interrupted_move(tree: Tree, ci: CiService, name: str, previous_name: str | None) -> None:
    """Refuse to create an item that may exist, because an earlier task has moved but not renamed it.

    :arg name: full name of the item, which does not exist
    :arg previous_name: full name of the item to move, which does not exist either
    :raises ToolchainError: if the target folder has an item with the last part of the previous name
    """
    half = names.join(names.split(name)[0], names.split(previous_name or "")[1])
    if previous_name and half not in (previous_name, name) and tree.find(ci, half):
        raise ToolchainError(
            f"'{half}' exists, but neither '{name}' nor '{previous_name}'. An interrupted task may have moved it "
            f"without renaming it. Set 'previous_name' to '{half}' to rename it, or remove 'previous_name' to create a "
            "new item."
        )


def folder_missing(folder: str) -> ToolchainError:
    """Return the error for a missing folder that should contain an item."""
    return MissingObject(
        f"Folder '{folder}' does not exist, or the account has no Job/Read permission on it. Create it first."
    )


def fetch(ci: CiService, name: str, members: str) -> Item | None:
    """Return an item, or `None` if it does not exist.

    :arg members: members to request, at least `fullName`
    """
    record = ci.find(item_path(name), members, "fullName")
    if record is None:
        return None
    item = to_item(record)
    return item if item.name == name else None  # at the root, the server ignores case


def fetch_listing(ci: CiService, folder: str, members: str) -> Listing | None:
    """Return the items in a folder, or `None` if it does not exist.

    :arg folder: full name, empty for the root
    :arg members: members of items to request, at least `fullName`
    :raises ToolchainError: if the item is not a folder, or if its name differs in case
    """
    response = ci.view(item_path(folder), f"fullName,jobs[{members}]", accept=(200, 404) if folder else (200,))
    if response.status == 404:
        return None
    record = response.record()
    class_name = record.maybe_text("_class") or ""
    if folder and record.text("fullName") != folder:
        raise wrong_case(folder, record.text("fullName"))
    if "jobs" not in record and folder:
        raise ToolchainError(f"'{folder}' is not a folder, but a job ({class_name}). Choose another folder.")
    items = map(to_item, record.records("jobs"))
    return Listing(class_name, {item.name: item for item in items})


def walk(ci: CiService, folder: str, members: str, depth: int) -> t.Iterator[Item]:
    """Yield the items in a folder and in the folders in it, except for computed ones.

    :arg folder: full name, empty for the root
    :arg members: members of items to request, at least `fullName`
    :arg depth: number of folder levels
    :raises ToolchainError: if the folder does not exist
    """
    levels = min(depth, _LEVELS_PER_REQUEST)
    inner = "jobs[name]"
    for _level in range(levels - 1):
        inner = f"jobs[{members},{inner}]"
    listing = fetch_listing(ci, folder, f"{members},{inner}")
    if listing is None:
        raise folder_missing(folder)
    yield from _walk(ci, listing.items.values(), members, (levels, depth))


def _walk(ci: CiService, items: t.Iterable[Item], members: str, remaining: tuple[int, int]) -> t.Iterator[Item]:
    """Yield items and the items in them.

    :arg remaining: number of folder levels in the response, and to list
    """
    levels, depth = remaining
    for item in items:
        yield item
        if depth == 1 or not item.is_folder or not item.record.maybe_records("jobs"):
            continue
        if levels > 1:
            yield from _walk(ci, map(to_item, item.record.records("jobs")), members, (levels - 1, depth - 1))
        else:
            yield from walk(ci, item.name, members, depth - 1)


def wrong_case(name: str, existing: str) -> ToolchainError:
    """Return the error for a name that differs from that of an existing item in case."""
    return ToolchainError(
        f"'{name}' differs only in case from the existing item '{existing}', which Jenkins does not distinguish. "
        f"Use the name '{existing}', or rename the existing item to another name first."
    )


def to_item(record: Record) -> Item:
    """Return an item from a response."""
    name = record.text("fullName")
    return Item(name, name, record.maybe_text("_class") or "", record)
