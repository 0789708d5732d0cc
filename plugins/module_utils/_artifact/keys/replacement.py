# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Replacement of keys, which Artifactory cannot change."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    ServerFailure,
    ServerRefusal,
    ServerUnreachable,
    UnexpectedResponse,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, verify_write
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task


def replace(
    task: Task,
    title: str,
    *,
    delete: t.Callable[[], None],
    find: t.Callable[[], Fields | None],
    create: t.Callable[[], None],
) -> None:
    """Delete an object and, when it no longer exists, create the new one.

    :arg title: kind and name of the object for messages
    :arg find: returns the existing object, or `None` if it does not exist
    :raises ToolchainError: if a request fails; after the deletion, the message says so
    """

    def verify_deleted() -> None:
        if find() is not None:
            raise UnexpectedResponse(f"The server accepted the deletion, but {title} still exists.")

    verify_write(task, delete, verify_deleted)
    note = f"The existing {title} was deleted. Run the task again to create the new one."
    try:
        create()
    except ServerFailure:
        raise  # reading back shows its effect
    except ServerRefusal as refusal:
        raise ServerRefusal(f"{refusal} {note}", refusal.status, refusal.text, refusal.credential) from None
    except ServerUnreachable as error:
        raise ServerUnreachable(f"{error} {note}") from None
