# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The seed of the AQL query cases: a few items with distinctive values."""

from __future__ import annotations

import hashlib
from typing import Any

NOW = "2024-06-01T00:00:00Z"


def sha1(name: str) -> str:
    """Return the SHA-1 checksum of a file with this name."""
    return hashlib.sha1(name.encode()).hexdigest()


def _file(path: str, repo: str = "libs-local", created: str = "2023-01-01T00:00:00Z", **facts: Any) -> dict[str, Any]:
    name = path.rpartition("/")[2]
    times = {"created": created, "modified": created, "updated": created}
    return {"repo": repo, "path": path, "sha1": sha1(name), **times, **facts}


ITEMS = [
    _file(
        "org/app/app-1.0.jar",
        size=100,
        created_by="alice",
        modified="2023-02-01T00:00:00Z",
        modified_by="bob",
        sha256="aa11",
        md5="m1",
        original_sha1="NO_ORIG",
        properties={"os": ["linux", "macos"], "qa": ["passed"], "build.name": ["app"]},
        statistics=[{"downloads": 3, "downloaded": "2024-05-30T00:00:00Z", "downloaded_by": "carol"}],
    ),
    _file(
        "org/app/app-1.1.jar",
        created="2024-01-01T00:00:00Z",
        size=200,
        created_by="alice",
        modified_by="alice",
        sha256="bb22",
        properties={"os": ["linux"], "qa": ["failed"], "note": [""]},
    ),
    _file("org/lib_x.txt", created="2024-05-31T23:00:00Z", size=0),
    _file(
        "README", created="2022-01-01T00:00:00Z", size=5, created_by="bob", properties={"count": ["10"], "Qa": ["x"]}
    ),
    _file(
        "net/dep-2.0.jar",
        repo="central-cache",
        size=300,
        created_by="_system_",
        properties={"os": ["windows"]},
        statistics=[{"remote_downloads": 7, "remote_origin": "far", "remote_path": "near/far"}],
    ),
    _file("100%_done.txt", repo="docs-local", size=1),
    _file("a^b.txt", repo="docs-local", size=2),
    _file("a_b.txt", repo="docs-local", size=3, properties={"a key": ["a value"]}),
    _file("UPPER.TXT", repo="docs-local", size=5_000_000_000),
    {
        "repo": "docs-local",
        "path": "empty",
        "folder": True,
        "created": "2021-01-01T00:00:00Z",
        "properties": {"qa": ["passed"]},
    },
    _file("libs-local/gone.txt", repo="auto-trashcan", size=9, properties={"trash.time": ["1"], "qa": ["passed"]}),
]
ARCHIVES = [
    {
        "sha1": sha1("app-1.0.jar"),
        "entries": [{"path": "org/acme", "name": "App.class"}, {"path": "META-INF", "name": "MANIFEST.MF"}],
    }
]
BUILDS: list[dict[str, Any]] = [
    {
        "name": "app",
        "number": "1",
        "started": "2024-01-01T00:00:00Z",
        "created": "2024-01-01T00:01:00Z",
        "created_by": "ci",
        "url": "https://ci.example/app/1",
        "properties": {"branch": "main", "empty": ""},
        "modules": [
            {
                "id": "org:app:1.0",
                "properties": {"type": "maven"},
                "artifacts": [
                    {"name": "app-1.0.jar", "type": "jar", "sha1": sha1("app-1.0.jar"), "md5": "m1"},
                    {"name": "lost.jar", "type": "jar", "sha1": sha1("lost.jar")},
                ],
                "dependencies": [
                    {"id": "net:dep:2.0", "type": "jar", "scopes": ["compile", "test"], "sha1": sha1("dep-2.0.jar")}
                ],
            }
        ],
        "promotions": [
            {
                "status": "staged",
                "repo": "docs-local",
                "created": "2024-02-01T00:00:00Z",
                "created_by": "admin",
                "comment": "ok",
                "ci_user": "carol",
            },
            {"status": "released", "created": "2024-03-01T00:00:00Z"},
        ],
    },
    {
        "name": "app",
        "number": "2",
        "started": "2024-05-01T00:00:00Z",
        "created": "2024-05-01T00:01:00Z",
        "properties": {"branch": "feature"},
        "modules": [
            {"id": "org:app:1.1", "artifacts": [{"name": "app-1.1.jar", "type": "jar", "sha1": sha1("app-1.1.jar")}]}
        ],
    },
    {
        "name": "other",
        "number": "1",
        "started": "2024-05-31T00:00:00Z",
        "created": "2024-05-31T00:01:00Z",
        "modules": [{"id": "bare"}],
    },
]
SEED: dict[str, Any] = {
    "artifact": {
        "users": [
            {"name": "admin", "password": "admin", "admin": True},
            {"name": "reader", "password": "reader", "permissions": {"libs-local": "r", "docs-local/empty": "r"}},
        ],
        "repositories": [
            {"key": "libs-local", "rclass": "local", "packageType": "generic"},
            {"key": "docs-local", "rclass": "local", "packageType": "generic"},
            {"key": "central", "rclass": "remote", "packageType": "generic", "url": "https://repo.example"},
            {"key": "libs", "rclass": "virtual", "packageType": "generic", "repositories": ["libs-local", "central"]},
        ],
        "items": ITEMS,
        "archives": ARCHIVES,
        "builds": BUILDS,
    }
}
