# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writes of repositories: single ones, and many in batches and in the order of their references."""

from __future__ import annotations

import dataclasses
import itertools
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories.configurations import (
    address_of,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    OutcomeUnknown,
    ServerRefusal,
    ServerUnreachable,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_BATCH = "/artifactory/api/v2/repositories/batch"
_METHODS = {"create": "PUT", "update": "POST", "delete": "DELETE"}
_BATCH_FEATURES = {"create": features.BATCH_CREATION, "update": features.BATCH_UPDATE}
# Servers refuse larger batches
_MAX_BATCH = 100
# Refusals that have nothing to do with single elements: credential, permission, missing API call
_OF_ALL = (401, 403)
_NO_SUCH_CALL = (404, 405, 501)


@dataclasses.dataclass(frozen=True)
class Write:
    """One write of a repository.

    :ivar kind: `create`, `update` or `delete`
    :ivar body: the configuration to send, with `key` and `rclass`
    :ivar fields: the fields that differ
    """

    kind: str
    key: str
    body: Fields
    fields: Fields

    @property
    def is_virtual(self) -> bool:
        """Whether the repository is virtual."""
        return self.body.get("rclass") == "virtual"


def send(artifact: ArtifactService, write: Write) -> None:
    """Send one write."""
    options: t.Any = {} if write.kind == "delete" else {"json": write.body}
    accept = (200, 202, 204) if write.kind == "delete" else (200, 201)
    artifact.write_descriptor(_METHODS[write.kind], address_of(write.key), accept=accept, **options)


class Outcomes(t.Protocol):
    """What happened to the writes so far."""

    def record(self, write: Write, error: ToolchainError | None) -> None:
        """Record a write and its error, which is `None` after a success."""

    def should_stop(self) -> bool:
        """Return whether no more writes should be sent."""

    def list_done(self, writes: t.Sequence[Write]) -> set[str]:
        """Return the keys of the writes that had their effect although their batch was refused."""

    def find_obstacle(self, write: Write) -> ToolchainError | None:
        """Return the reason why a repository must not be deleted after all."""


class Sender:
    """Sends writes in the order of their references: members before virtual repositories, deletions last."""

    def __init__(self, artifact: ArtifactService, outcomes: Outcomes) -> None:
        self._artifact = artifact
        self._outcomes = outcomes

    def send_all(self, writes: t.Sequence[Write]) -> None:
        """Send all writes."""
        changes = [write for write in writes if write.kind != "delete"]
        for level in order_by_members(changes):
            for kind in ("create", "update"):
                self._send_kind(kind, [write for write in level if write.kind == kind])
        deletions = [write for write in writes if write.kind == "delete"]
        for level in reversed(order_by_members(deletions)):
            self._send_each(level)

    def _send_kind(self, kind: str, writes: list[Write]) -> None:
        if len(writes) < 2 or not self._has_batches(kind):
            self._send_each(writes)
            return
        for start in range(0, len(writes), _MAX_BATCH):
            self._send_batch(writes[start : start + _MAX_BATCH], is_first=True)

    def _has_batches(self, kind: str) -> bool:
        try:
            return self._artifact.supports(_BATCH_FEATURES[kind].since)
        except ToolchainError:  # the version is unknown
            return False

    def _send_each(self, writes: t.Iterable[Write]) -> None:
        for write in writes:
            if self._outcomes.should_stop():
                return
            error = self._outcomes.find_obstacle(write) if write.kind == "delete" else None
            self._outcomes.record(write, error or self._try_send(write))

    def _try_send(self, write: Write) -> ToolchainError | None:
        try:
            send(self._artifact, write)
        except ToolchainError as error:
            return error
        return None

    def _send_batch(self, writes: list[Write], is_first: bool = False) -> None:
        """Send a batch. If it is refused, send its halves, down to single writes.

        :arg is_first: whether the batch is not the half of a refused one
        """
        if self._outcomes.should_stop():
            return
        if len(writes) == 1:
            self._send_each(writes)
            return
        error: ToolchainError | None = None
        try:
            bodies = [write.body for write in writes]
            self._artifact.write_descriptor(_METHODS[writes[0].kind], _BATCH, json=bodies, accept=(200, 201))
        except ServerRefusal as refusal:
            if refusal.status not in _OF_ALL:
                self._send_refused(writes, refusal, is_first)
                return
            error = refusal
        except (OutcomeUnknown, ServerUnreachable) as failure:
            error = failure
        for write in writes:
            self._outcomes.record(write, error)

    def _send_refused(self, writes: list[Write], refusal: ServerRefusal, is_first: bool) -> None:
        done = self._outcomes.list_done(writes) if is_first else set()
        for write in writes:
            if write.key in done:
                self._outcomes.record(write, None)
        rest = [write for write in writes if write.key not in done]
        if refusal.status in _NO_SUCH_CALL:
            self._send_each(rest)
            return
        half = (len(rest) + 1) // 2
        for part in filter(None, (rest[:half], rest[half:])):
            self._send_batch(part)


def order_by_members(writes: t.Sequence[Write]) -> list[list[Write]]:
    """Return the writes in levels: virtual repositories are in a later level than their members."""
    virtuals = {write.key: write for write in writes if write.is_virtual}
    levels: dict[str, int] = {}

    def find_level(key: str, path: frozenset[str]) -> int:
        if key not in virtuals or key in path:  # a cycle, which the server refuses
            return 0
        if key not in levels:
            members = virtuals[key].body.get("repositories") or ()
            inner = path | {key}
            levels[key] = 1 + max((find_level(member, inner) for member in members), default=0)
        return levels[key]

    keyed = sorted(((find_level(write.key, frozenset()), write) for write in writes), key=lambda pair: pair[0])
    return [[write for _level, write in group] for _key, group in itertools.groupby(keyed, key=lambda pair: pair[0])]
