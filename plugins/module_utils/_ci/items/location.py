# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests that create, copy, move, rename and delete items.

Jenkins never overwrites an item with these requests: if the new name is taken, it responds 400 or, to a move, redirects
to the form. Read the item back to verify the effect.
"""

from __future__ import annotations

import contextlib
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items import names
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.jobs import job_path
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.document import XmlBody
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    OutcomeUnknown,
    ServerRefusal,
    ServerUnreachable,
    ToolchainError,
    UnexpectedResponse,
)


def item_path(name: str, option: str = "name") -> str:
    """Return the path of an item, such as `/job/team/job/web`, or an empty path for the root.

    :arg option: the option that the name comes from
    """
    return job_path(name, option) if name else ""


def create(ci: CiService, name: str, configuration: ET.Element) -> None:
    """Create an item. The folder that contains it must exist.

    :arg name: full name
    """
    folder, last = names.split(name)
    ci.post(f"{item_path(folder)}/createItem", query={"name": last}, data=XmlBody(configuration))


def copy(ci: CiService, name: str, source: str) -> None:
    """Create an item as a copy of another one. A copied job cannot be built until `release` saves it.

    :arg source: full name of the item to copy
    """
    folder, last = names.split(name)
    form = {"name": last, "mode": "copy", "from": f"/{source}"}
    ci.post(f"{item_path(folder)}/createItem", form=form, accept=(302,))


def release(ci: CiService, name: str, description: str | None) -> None:
    """Let Jenkins save a copied job, so that it can be built. Writing its configuration does not release it.

    :arg name: full name
    :arg description: the description of the job. Jenkins removes a description that the request does not have
    """
    form = {} if description is None else {"description": description}
    ci.post(f"{item_path(name)}/submitDescription", form=form, accept=(302,))


def relocate(ci: CiService, current: str, name: str) -> None:
    """Move an item to another folder, rename it, or both.

    If both are necessary and the second request fails, the item is moved back, so that it can be found again.

    :arg current: current full name
    """
    old_folder, old_last = names.split(current)
    folder, last = names.split(name)
    if old_folder == folder:
        rename(ci, current, last)
        return
    if old_last == last:
        move(ci, current, folder)
        return
    moved = names.join(folder, old_last)
    try:
        move(ci, current, folder)
    except OutcomeUnknown:
        if ci.find(item_path(moved), "fullName", "fullName") is None:
            raise
    try:
        rename(ci, moved, last)
    except (ServerRefusal, ServerUnreachable):
        with contextlib.suppress(ToolchainError):
            move(ci, moved, old_folder)
        raise


def move(ci: CiService, name: str, folder: str) -> None:
    """Move an item to another folder.

    :arg name: full name of the item
    :arg folder: full name of the folder, empty for the root
    :raises UnexpectedResponse: if Jenkins has refused the move
    """
    response = ci.post(f"{item_path(name)}/move/move", form={"destination": f"/{folder}"}, accept=(302,))
    if response.headers.get("Location", "").endswith("/move/"):  # the form, not the moved item
        target = f"'{folder}'" if folder else "the top level"
        raise UnexpectedResponse(
            f"Moving '{name}' to {target} failed: Jenkins refused it without a reason. Check whether an item with this "
            "name exists there."
        )


def rename(ci: CiService, name: str, last: str) -> None:
    """Rename an item in its folder.

    :arg name: full name of the item
    :arg last: the new last part of the name
    """
    ci.post(f"{item_path(name)}/confirmRename", form={"newName": last}, accept=(302,))


def delete(ci: CiService, name: str) -> None:
    """Delete an item with its content. Running builds are aborted."""
    ci.post(f"{item_path(name)}/doDelete", accept=(302,))
