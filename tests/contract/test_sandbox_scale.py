# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A million artifacts are no problem for the sandbox: whatever it asks its database is answered from an index."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sandbox.artifact.items import SCHEMA, ClientChecksums, Items
from sandbox.world import World


@pytest.fixture
def world() -> Iterator[World]:
    """A world with nothing in it."""
    world = World()
    world.db.executescript(SCHEMA)
    yield world
    world.close()


def test_nothing_is_scanned(world):
    items = Items(world)
    content = world.files.put([b"content"])
    statements: list[str] = []
    world.db.set_trace_callback(statements.append)
    file = items.put_file("generic", "a/b/c.txt", content, ClientChecksums(), "admin")
    items.put_file("docker", "acme/web/1/manifest.json", content, ClientChecksums(), "admin")
    folder = items.make_folder("generic", "a", "admin")
    root = items.make_folder("generic", "", "admin")
    items.set_properties(folder, {"a": ["b"]}, recursive=True)
    items.set_properties(file, {"a": ["b"], "c": []}, recursive=False)
    assert items.properties(file) == {"a": ["b"]}
    assert [child.name for child in items.children("generic", "a")] == ["b"]
    assert [item.path for item in items.below(root)] == ["a", "a/b", "a/b/c.txt"]
    assert [item.path for item in items.below(folder, 1)] == ["a/b"]
    assert items.newest_file(folder) == items.find("generic", "a/b/c.txt")
    assert len(list(items.with_content("sha256", content.sha256))) == 2
    assert len(list(items.with_content("sha1", content.sha1))) == 2
    assert len(list(items.manifests("docker"))) == len(list(items.manifests("docker", "acme/web"))) == 1
    items.move_to_trash(folder, "admin")
    trashed = items.find("auto-trashcan", "generic/a")
    assert trashed is not None
    items.delete(trashed)
    world.db.set_trace_callback(None)

    plans = {
        statement: [row["detail"] for row in world.db.execute(f"EXPLAIN QUERY PLAN {statement}")]
        for statement in statements
        if statement.startswith(("SELECT", "INSERT", "UPDATE", "DELETE"))
    }
    assert len(plans) > 20
    assert {statement: plan for statement, plan in plans.items() if any(map(is_slow, plan))} == {}


def is_slow(step: str) -> bool:
    """Whether a step of a plan goes through a whole table, or through a whole repository."""
    if "artifact_items_manifests" in step:
        return False
    return step.startswith("SCAN artifact_") or step.endswith("(repo=?)")
