# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""AQL queries over the seed of `aql_seed`, with the expected results or error messages."""

from __future__ import annotations

from typing import Any

Rows = list[dict[str, Any]]

# Names of the items that a query finds, in order if the query sorts.
NAME_CASES: list[tuple[str, str]] = [
    ("items.find()", "100%_done.txt README UPPER.TXT a^b.txt a_b.txt app-1.0.jar app-1.1.jar dep-2.0.jar lib_x.txt"),
    ('items.find({"name":"README"})', "README"),
    ('items.find({"type":"folder"})', ". . . app empty net org"),
    (
        'items.find({"type":"any"})',
        ". . . . 100%_done.txt README UPPER.TXT a^b.txt a_b.txt app app-1.0.jar app-1.1.jar dep-2.0.jar empty "
        "gone.txt lib_x.txt libs-local net org",
    ),
    ('items.find({"type":"any","repo":"docs-local"})', ". 100%_done.txt UPPER.TXT a^b.txt a_b.txt empty"),
    (
        'items.find({"type":"any"},{"type":"file"})',
        "100%_done.txt README UPPER.TXT a^b.txt a_b.txt app-1.0.jar app-1.1.jar dep-2.0.jar lib_x.txt",
    ),
    (
        'items.find({"$or":[{"type":"any"},{"type":"file"}]})',
        ". . . 100%_done.txt README UPPER.TXT a^b.txt a_b.txt app app-1.0.jar app-1.1.jar dep-2.0.jar empty "
        "lib_x.txt net org",
    ),
    ('items.find({"$or":[{"type":"any"},{"name":"README"}]})', "README"),
    (
        'items.find({"$or":[{"type":"any"},{"type":"any"}]}).include("name")',
        ". 100%_done.txt README UPPER.TXT a^b.txt a_b.txt app app-1.0.jar app-1.1.jar dep-2.0.jar empty gone.txt "
        "lib_x.txt libs-local net org",
    ),
    ('items.find({"type":{"$ne":"any"},"name":"empty"})', "empty"),
    ('items.find({"type":{"$ne":"file"},"name":"empty"})', "empty"),
    ('items.find({"type":{"$gt":"folder"},"repo":"docs-local"})', "100%_done.txt UPPER.TXT a^b.txt a_b.txt"),
    ('items.find({"type":{"$lt":"file"},"repo":"docs-local"})', ". empty"),
    ('items.find({"type":{"$gte":"file"},"repo":"docs-local"})', "100%_done.txt UPPER.TXT a^b.txt a_b.txt"),
    ('items.find({"repo":"libs-local"})', "README app-1.0.jar app-1.1.jar lib_x.txt"),
    ('items.find({"repo":"libs"})', "README app-1.0.jar app-1.1.jar dep-2.0.jar lib_x.txt"),
    ('items.find({"repo":"central"})', ""),
    ('items.find({"repo":"central-cache"})', "dep-2.0.jar"),
    ('items.find({"repo":{"$ne":"libs"}})', "100%_done.txt UPPER.TXT a^b.txt a_b.txt"),
    ('items.find({"repo":{"$match":"lib*"}})', "README app-1.0.jar app-1.1.jar dep-2.0.jar lib_x.txt"),
    ('items.find({"repo":{"$match":"lib?"}})', "README app-1.0.jar app-1.1.jar dep-2.0.jar lib_x.txt"),
    ('items.find({"repo":{"$match":"libs?"}})', "README app-1.0.jar app-1.1.jar dep-2.0.jar lib_x.txt"),
    ('items.find({"repo":{"$nmatch":"lib?"}})', "100%_done.txt UPPER.TXT a^b.txt a_b.txt"),
    ('items.find({"repo":{"$gt":"docs-local"}})', "README app-1.0.jar app-1.1.jar dep-2.0.jar lib_x.txt"),
    ('items.find({"repo":{"$gte":"libs"}})', "README app-1.0.jar app-1.1.jar dep-2.0.jar lib_x.txt"),
    ('items.find({"repo":{"$lt":"docs"}})', "dep-2.0.jar"),
    (
        'items.find({"repo":{"$lt":"m"}})',
        "100%_done.txt README UPPER.TXT a^b.txt a_b.txt app-1.0.jar app-1.1.jar dep-2.0.jar lib_x.txt",
    ),
    ('items.find({"repo":"auto-trashcan"})', "gone.txt"),
    ('items.find({"$or":[{"repo":"nothing"},{"size":9}]})', "gone.txt"),
    ('items.find({"size":9})', ""),
    ('items.find({"repo":{"$match":"auto*"}})', ""),
    ('items.find({"repo":null})', ""),
    ('items.find({"path":"."})', "100%_done.txt README UPPER.TXT a^b.txt a_b.txt"),
    ('items.find({"path":"org/app"})', "app-1.0.jar app-1.1.jar"),
    ('items.find({"path":{"$match":"org*"}})', "app-1.0.jar app-1.1.jar lib_x.txt"),
    ('items.find({"path":{"$nmatch":"org*"}})', "100%_done.txt README UPPER.TXT a^b.txt a_b.txt dep-2.0.jar"),
    ('items.find({"name":{"$match":"app-1.?.jar"}})', "app-1.0.jar app-1.1.jar"),
    ('items.find({"name":{"$match":"a?b.txt"}})', "a^b.txt a_b.txt"),
    ('items.find({"name":{"$match":"a_b*"}})', "a_b.txt"),
    ('items.find({"name":{"$match":"100%_*"}})', "100%_done.txt"),
    ('items.find({"name":{"$match":"a^?.txt"}})', ""),
    ('items.find({"name":{"$match":"*%*"}})', "a^b.txt"),
    ('items.find({"name":{"$match":"upper*"}})', ""),
    ('items.find({"name":{"$matchic":"upper*"}})', "UPPER.TXT"),
    ('items.find({"name":{"$eqic":"upper.txt"}})', "UPPER.TXT"),
    ('items.find({"name":"app-*"})', ""),
    ('items.find({"name":{"$ne":"README"},"repo":"libs-local"})', "app-1.0.jar app-1.1.jar lib_x.txt"),
    ('items.find({"name":{"$gt":"b"}})', "dep-2.0.jar lib_x.txt"),
    ('items.find({"depth":1})', "100%_done.txt README UPPER.TXT a^b.txt a_b.txt"),
    ('items.find({"depth":{"$gte":3}})', "app-1.0.jar app-1.1.jar"),
    ('items.find({"size":{"$gt":200}})', "UPPER.TXT dep-2.0.jar"),
    ('items.find({"size":{"$lte":"2"}})', "100%_done.txt a^b.txt lib_x.txt"),
    ('items.find({"size":5000000000})', "UPPER.TXT"),
    ('items.find({"size":{"$ne":100},"repo":"libs-local"})', "README app-1.1.jar lib_x.txt"),
    ('items.find({"created":{"$gt":"2024-01-01"}})', "lib_x.txt"),
    ('items.find({"created":{"$gte":"2024-01-01T00:00:00.000Z"}})', "app-1.1.jar lib_x.txt"),
    ('items.find({"created":"2024-01-01T01:00:00+01:00"})', "app-1.1.jar"),
    ('items.find({"created":"1704067200000"})', "app-1.1.jar"),
    ('items.find({"created":{"$lt":"2022-W02"}})', "README"),
    ('items.find({"created":{"$lt":"2022-002"}})', "README"),
    (
        'items.find({"created":{"$lt":"2024-1-1"}})',
        "100%_done.txt README UPPER.TXT a^b.txt a_b.txt app-1.0.jar dep-2.0.jar",
    ),
    (
        'items.find({"created":{"$gt":"2024"}})',
        "100%_done.txt README UPPER.TXT a^b.txt a_b.txt app-1.0.jar app-1.1.jar dep-2.0.jar lib_x.txt",
    ),
    ('items.find({"created":{"$last":"90mi"}})', "lib_x.txt"),
    ('items.find({"created":{"$last":"59minutes"}})', ""),
    ('items.find({"created":{"$last":"6mo"}})', "app-1.1.jar lib_x.txt"),
    ('items.find({"created":{"$last":"1d5mo"}})', "app-1.1.jar lib_x.txt"),
    ('items.find({"created":{"$before":"2y"}})', "README"),
    (
        'items.find({"created":{"$before":"1D"}})',
        "100%_done.txt README UPPER.TXT a^b.txt a_b.txt app-1.0.jar app-1.1.jar dep-2.0.jar",
    ),
    (
        'items.find({"created":{"$before":""}})',
        "100%_done.txt README UPPER.TXT a^b.txt a_b.txt app-1.0.jar app-1.1.jar dep-2.0.jar lib_x.txt",
    ),
    ('items.find({"created":{"$last":"-1d"}})', ""),
    ('items.find({"modified":{"$gt":"2023-01-15"},"size":100})', "app-1.0.jar"),
    ('items.find({"created_by":null})', "100%_done.txt UPPER.TXT a^b.txt a_b.txt lib_x.txt"),
    ('items.find({"created_by":{"$ne":null}})', "README app-1.0.jar app-1.1.jar dep-2.0.jar"),
    ('items.find({"created_by":{"$ne":"alice"},"repo":"libs-local"})', "README lib_x.txt"),
    ('items.find({"created_by":{"$nmatch":"a*"},"repo":"libs-local"})', "README lib_x.txt"),
    ('items.find({"created_by":"null"})', ""),
    ('items.find({"actual_md5":"m1"})', "app-1.0.jar"),
    ('items.find({"original_sha1":"NO_ORIG"})', "app-1.0.jar"),
    ('items.find({"@os":"linux"})', "app-1.0.jar app-1.1.jar"),
    ('items.find({"@os":"*"})', "app-1.0.jar app-1.1.jar dep-2.0.jar"),
    ('items.find({"@os":{"$match":"*"}})', "app-1.0.jar app-1.1.jar dep-2.0.jar"),
    ('items.find({"@os":{"$ne":"linux"},"repo":"libs-local"})', "README lib_x.txt"),
    ('items.find({"@os":{"$ne":"*"},"repo":"libs-local"})', "README lib_x.txt"),
    ('items.find({"@os":{"$nmatch":"*"},"repo":"libs-local"})', "README lib_x.txt"),
    ('items.find({"@o*":{"$match":"*"}})', "app-1.0.jar app-1.1.jar dep-2.0.jar"),
    ('items.find({"@o*":"linux"})', ""),
    ('items.find({"@os":{"$match":"l*"}})', "app-1.0.jar app-1.1.jar"),
    ('items.find({"@os":{"$nmatch":"l*"},"repo":"libs-local"})', "README lib_x.txt"),
    ('items.find({"@os":{"$gt":"linux"}})', "app-1.0.jar dep-2.0.jar"),
    ('items.find({"@os":"linux","@os":"macos"})', "app-1.0.jar"),
    ('items.find({"@os":"linux","@qa":"failed"})', "app-1.1.jar"),
    ('items.find({"@*":"linux"})', "app-1.0.jar app-1.1.jar"),
    ('items.find({"@*":{"$match":"pass*"}})', "app-1.0.jar"),
    ('items.find({"@*":"*"})', ""),
    ('items.find({"@*":{"$ne":"linux"},"repo":"libs-local"})', "README lib_x.txt"),
    ('items.find({"@note":""})', ""),
    ('items.find({"@note":"*"})', "app-1.1.jar"),
    ('items.find({"@note":{"$ne":""},"repo":"libs-local"})', "README app-1.0.jar app-1.1.jar lib_x.txt"),
    ('items.find({"@qa":{"$ne":""},"repo":"libs-local"})', "README app-1.0.jar app-1.1.jar lib_x.txt"),
    ('items.find({"@QA":"passed"})', ""),
    ('items.find({"@a key":"a value"})', "a_b.txt"),
    ('items.find({"@ a key":" a value"})', "a_b.txt"),
    ('items.find({"@os":{"$eq":null}})', ""),
    ('items.find({"@count":{"$eq":10}})', "README"),
    ('items.find({"property.key":"os"})', "app-1.0.jar app-1.1.jar dep-2.0.jar"),
    ('items.find({"property.value":"passed"})', "app-1.0.jar"),
    ('items.find({"property.key":{"$ne":"os"},"repo":"libs-local"})', "README lib_x.txt"),
    ('items.find({"property.value":null ,"repo":"libs-local"})', "app-1.1.jar lib_x.txt"),
    ('items.find({"property.value":{"$ne":null},"repo":"libs-local"})', "README app-1.0.jar lib_x.txt"),
    ('items.find({"property.key":null ,"repo":"libs-local"})', "lib_x.txt"),
    ('items.find({"property.key":"os","property.value":"passed"})', "app-1.0.jar"),
    ('items.find({"$msp":[{"property.key":"os"},{"property.value":"passed"}]})', ""),
    ('items.find({"$msp":[{"property.key":"qa"},{"property.value":"passed"}]})', "app-1.0.jar"),
    ('items.find({"$msp":[{"@os":"linux"},{"@os":"macos"}]})', ""),
    ('items.find({"$msp":[{"property.key":"os"},{"property.value":{"$ne":"linux"}}]})', "app-1.0.jar dep-2.0.jar"),
    (
        'items.find({"$msp":[{"property.value":{"$ne":"linux"}}],"repo":"libs-local"})',
        "README app-1.0.jar app-1.1.jar lib_x.txt",
    ),
    ('items.find({"$msp":[{"@os":{"$ne":"linux"}}],"repo":"libs-local"})', "README app-1.0.jar app-1.1.jar lib_x.txt"),
    (
        'items.find({"$msp":[{"property.key":"os"},{"$or":[{"property.value":"macos"},{"property.value":"windows"}]}]})',
        "app-1.0.jar dep-2.0.jar",
    ),
    (
        'items.find({"$or":[{"$msp":[{"@os":"macos"},{"@qa":"failed"}]},{"name":"README"}]})',
        "README app-1.0.jar app-1.1.jar",
    ),
    ('items.find({"$msp":[{"@os":"linux"},{"size":100}]})', "app-1.0.jar"),
    ('items.find({"$or":[{"size":5 ,"name":"lib_x.txt"},{"size":200}]})', "README app-1.1.jar lib_x.txt"),
    ('items.find({"$or":[{"@os":"windows"},{"@qa":"failed"}]})', "app-1.1.jar dep-2.0.jar"),
    ('items.find({"$and":[{"@os":"linux"},{"$or":[{"@qa":"passed"},{"size":200}]}]})', "app-1.0.jar app-1.1.jar"),
    ('items.find({"$or":[{"$and":[{"@os":"linux"},{"@qa":"passed"}]},{"name":"README"}]})', "README app-1.0.jar"),
    ('items.find({"name":"README","name":"lib_x.txt"})', ""),
    ('items.find({"name":{"$match":"app*"}},{"size":200})', "app-1.1.jar"),
    ('items.find({"name":"README"},{"$or":[{"size":5},{"size":6}]})', "README"),
    ('items.find({"stat.downloads":3})', "app-1.0.jar"),
    ('items.find({"stat.downloads":{"$gt":0}})', "app-1.0.jar"),
    ('items.find({"stat.downloads":null ,"repo":"libs"})', "README app-1.1.jar dep-2.0.jar lib_x.txt"),
    ('items.find({"stat.downloads":{"$ne":3},"repo":"libs"})', "README app-1.1.jar dep-2.0.jar lib_x.txt"),
    ('items.find({"stat.downloaded":{"$before":"1d"}})', "app-1.0.jar"),
    ('items.find({"stat.downloaded":{"$last":"1w"}})', "app-1.0.jar"),
    ('items.find({"stat.downloaded_by":"carol"})', "app-1.0.jar"),
    ('items.find({"stat.remote_downloads":{"$gte":7}})', "dep-2.0.jar"),
    ('items.find({"stat.remote_origin":"far"})', "dep-2.0.jar"),
    ('items.find({"archive.entry.name":"App.class"})', "app-1.0.jar"),
    ('items.find({"archive.entry.path":"org/acme","archive.entry.name":"MANIFEST.MF"})', ""),
    (
        'items.find({"archive.entry.name":{"$ne":"App.class"},"repo":"libs-local"})',
        "README app-1.0.jar app-1.1.jar lib_x.txt",
    ),
    ('items.find({"artifact.module.build.name":"app"})', "app-1.0.jar app-1.1.jar"),
    ('items.find({"artifact.module.build.number":"2"})', "app-1.1.jar"),
    ('items.find({"artifact.module.build.@branch":"main"})', "app-1.0.jar"),
    ('items.find({"artifact.module.build.promotion.status":"staged"})', "app-1.0.jar"),
    ('items.find({"artifact.name":{"$ne":"app-1.0.jar"}})', "app-1.1.jar"),
    ('items.find({"artifact.type":{"$ne":"jar"},"repo":"libs-local"})', "README lib_x.txt"),
    ('items.find({"dependency.module.build.name":"app"})', "dep-2.0.jar"),
    ('items.find({"dependency.scope":{"$match":"*test*"}})', "dep-2.0.jar"),
    ('items.find({"stat.item.name":"README"})', "README"),
    ('items.find({"property.item.name":"README"})', "README"),
    ('items.find({"release_artifact.release.name":"x"})', ""),
    ('items.find({"artifact.item.size":{"$lt":1}})', "lib_x.txt"),
    ('items.find({"@a key ":"a value"})', ""),
    ('items.find({" name ":" README"})', "README"),
    ('items.find({"name":"README "})', ""),
    ('items.find({"name":"README"}).include("name")', "README"),
    ('items.find({"name":"README"}).include("*","name")', "README"),
    ('items.find({"name":"README"}).include("name","archive")', "README"),
    (
        'items.find({"repo":"libs-local"}).include("name").sort({"$asc":["name"]})',
        "README app-1.0.jar app-1.1.jar lib_x.txt",
    ),
    ('items.find({"repo":"libs-local"}).include("name").sort({"$asc":["name"]}).limit(2)', "README app-1.0.jar"),
    (
        'items.find({"repo":"libs-local"}).include("name").sort({"$asc":["name"]}).offset(1).limit(2)',
        "app-1.0.jar app-1.1.jar",
    ),
    ('items.find({"repo":"libs-local"}).include("name").sort({"$asc":["name"]}).offset(1.9).limit(1e0)', "app-1.0.jar"),
    (
        'items.find({"repo":"libs-local"}).include("name").limit(99999999999)',
        "README app-1.0.jar app-1.1.jar lib_x.txt",
    ),
    ('items.find({"repo":"libs-local"}).include("name").distinct(true)', "README app-1.0.jar app-1.1.jar lib_x.txt"),
    ('items.find({"repo":"libs-local"}).include("name").transitive()', "README app-1.0.jar app-1.1.jar lib_x.txt"),
    (
        'items.find({"repo":"libs-local","@os":"linux"}).include("name").limit(9).transitive()',
        "app-1.0.jar app-1.1.jar",
    ),
    ('items.find({"artifact.module.build.name":"app"}).include("name").limit(5)', "app-1.0.jar app-1.1.jar"),
    ('items.find({"name":{"$EQ":"README"}})', "README"),
    ('\t\nitems.find({"name":"README"})', "README"),
    ('items.find({"$and":[{"type":"any"},{"$or":[{"type":"any"},{"name":"empty"}]}]}).include("name")', "empty"),
    (
        'items.find({"artifact.module.build.name":{"$match":"app"},"dependency.module.build.name":null}).include("name")',
        "",
    ),
    ('items.find({"depth":"+1","size":"0005"})', "README"),
    ('items.find({"created_by":{"$match":"*_*"}})', "dep-2.0.jar"),
    (
        'items.find({"name":{"$nmatch":"*.jar"},"repo":{"$match":"*"},"size":{"$gte":1}})',
        "100%_done.txt README UPPER.TXT a^b.txt a_b.txt",
    ),
    ('items.find({"path":{"$match":"*app*"},"type":"folder"})', ""),
    ('items.find({"path":".","type":"folder"})', ". . . empty net org"),
]

# Complete rows.
ROW_CASES: list[tuple[str, Rows]] = [
    (
        'items.find({"$rf":[{"@os":"linux"}]}).include("name","property")',
        [
            {"name": "app-1.0.jar", "properties": [{"key": "os", "value": "linux"}]},
            {"name": "app-1.1.jar", "properties": [{"key": "os", "value": "linux"}]},
        ],
    ),
    (
        'items.find({"$rf":[{"property.key":{"$ne":"os"}}],"repo":"libs-local"}).include("name","property")',
        [
            {"name": "lib_x.txt"},
            {"name": "README", "properties": [{"key": "Qa", "value": "x"}, {"key": "count", "value": "10"}]},
        ],
    ),
    (
        'items.find({"name":"README"}).include("*")',
        [
            {
                "repo": "libs-local",
                "path": ".",
                "name": "README",
                "type": "file",
                "size": 5,
                "created": "2022-01-01T00:00:00.000Z",
                "created_by": "bob",
                "modified": "2022-01-01T00:00:00.000Z",
                "updated": "2022-01-01T00:00:00.000Z",
                "depth": 1,
                "actual_sha1": "69e27356ef629022720d868ab0c0e3394775b6c1",
                "virtual_repos": ["libs"],
                "repo_path_checksum": "97567d9dc03e68e583f74ed87d9e41321dd4a8fb",
            }
        ],
    ),
    ('items.find({"name":"README"}).include("name","size")', [{"name": "README", "size": 5}]),
    (
        'items.find({"name":"README"}).include("name","*","path")',
        [
            {
                "repo": "libs-local",
                "path": ".",
                "name": "README",
                "type": "file",
                "size": 5,
                "created": "2022-01-01T00:00:00.000Z",
                "created_by": "bob",
                "modified": "2022-01-01T00:00:00.000Z",
                "updated": "2022-01-01T00:00:00.000Z",
                "depth": 1,
                "actual_sha1": "69e27356ef629022720d868ab0c0e3394775b6c1",
                "virtual_repos": ["libs"],
                "repo_path_checksum": "97567d9dc03e68e583f74ed87d9e41321dd4a8fb",
            }
        ],
    ),
    ('items.find({"name":"README"}).include("id")', [{}]),
    (
        'items.find({"name":"README"}).include("virtual_repos","repo","path","name")',
        [{"repo": "libs-local", "path": ".", "name": "README", "virtual_repos": ["libs"]}],
    ),
    (
        'items.find({"name":"README"}).include("name","property")',
        [{"name": "README", "properties": [{"key": "Qa", "value": "x"}, {"key": "count", "value": "10"}]}],
    ),
    (
        'items.find({"name":"app-1.0.jar"}).include("name","@os")',
        [{"name": "app-1.0.jar", "properties": [{"key": "os", "value": "linux"}, {"key": "os", "value": "macos"}]}],
    ),
    (
        'items.find({"repo":"libs-local"}).include("name","@os")',
        [
            {"name": "app-1.0.jar", "properties": [{"key": "os", "value": "linux"}, {"key": "os", "value": "macos"}]},
            {"name": "app-1.1.jar", "properties": [{"key": "os", "value": "linux"}]},
        ],
    ),
    (
        'items.find({"repo":"libs-local"}).include("name","@os","@qa")',
        [
            {
                "name": "app-1.0.jar",
                "properties": [
                    {"key": "os", "value": "linux"},
                    {"key": "os", "value": "macos"},
                    {"key": "qa", "value": "passed"},
                ],
            },
            {"name": "app-1.1.jar", "properties": [{"key": "os", "value": "linux"}, {"key": "qa", "value": "failed"}]},
        ],
    ),
    (
        'items.find({"repo":"libs-local"}).include("name","@*")',
        [
            {
                "name": "app-1.0.jar",
                "properties": [
                    {"key": "build.name", "value": "app"},
                    {"key": "os", "value": "linux"},
                    {"key": "os", "value": "macos"},
                    {"key": "qa", "value": "passed"},
                ],
            },
            {
                "name": "app-1.1.jar",
                "properties": [{"key": "note"}, {"key": "os", "value": "linux"}, {"key": "qa", "value": "failed"}],
            },
            {"name": "lib_x.txt"},
            {"name": "README", "properties": [{"key": "Qa", "value": "x"}, {"key": "count", "value": "10"}]},
        ],
    ),
    (
        'items.find({"name":"app-1.1.jar"}).include("name","property.value")',
        [{"name": "app-1.1.jar", "properties": [{"value": "linux"}, {"value": "failed"}]}],
    ),
    (
        'items.find({"repo":"libs"}).include("name","stat")',
        [
            {
                "name": "app-1.0.jar",
                "stats": [
                    {
                        "downloads": 3,
                        "downloaded": "2024-05-30T00:00:00.000Z",
                        "downloaded_by": "carol",
                        "remote_downloads": 0,
                    }
                ],
            },
            {"name": "app-1.1.jar", "stats": [{"downloads": 0, "remote_downloads": 0}]},
            {"name": "lib_x.txt", "stats": [{"downloads": 0, "remote_downloads": 0}]},
            {"name": "README", "stats": [{"downloads": 0, "remote_downloads": 0}]},
            {
                "name": "dep-2.0.jar",
                "stats": [{"downloads": 0, "remote_downloads": 7, "remote_origin": "far", "remote_path": "near/far"}],
            },
        ],
    ),
    (
        'items.find({"repo":"libs"}).include("name","stat.downloaded")',
        [
            {"name": "app-1.0.jar", "stats": [{"downloaded": "2024-05-30T00:00:00.000Z"}]},
            {"name": "app-1.1.jar"},
            {"name": "lib_x.txt"},
            {"name": "README"},
            {"name": "dep-2.0.jar"},
        ],
    ),
    (
        'items.find({"repo":"libs-local"}).include("name","archive.entry")',
        [
            {
                "name": "app-1.0.jar",
                "archives": [
                    {
                        "entries": [
                            {"entry.name": "App.class", "entry.path": "org/acme"},
                            {"entry.name": "MANIFEST.MF", "entry.path": "META-INF"},
                        ]
                    }
                ],
            },
            {"name": "app-1.1.jar", "archives": [{"entries": [{}]}]},
            {"name": "lib_x.txt", "archives": [{"entries": [{}]}]},
            {"name": "README", "archives": [{"entries": [{}]}]},
        ],
    ),
    (
        'items.find({"name":"app-1.0.jar"}).include("name","artifact.module.build.name")',
        [{"name": "app-1.0.jar", "artifacts": [{"modules": [{"builds": [{"build.name": "app"}]}]}]}],
    ),
    (
        'items.find({"name":"app-1.0.jar"}).include("name","artifact.module.build.@branch")',
        [
            {
                "name": "app-1.0.jar",
                "artifacts": [
                    {
                        "modules": [
                            {
                                "builds": [
                                    {
                                        "build.properties": [
                                            {"build.property.key": "branch", "build.property.value": "main"}
                                        ]
                                    }
                                ]
                            }
                        ]
                    }
                ],
            }
        ],
    ),
    (
        'items.find({"name":"dep-2.0.jar"}).include("name","dependency","dependency.module.name")',
        [
            {
                "name": "dep-2.0.jar",
                "dependencies": [
                    {
                        "dependency.name": "net:dep:2.0",
                        "dependency.scope": "compile,test",
                        "dependency.type": "jar",
                        "dependency.sha1": "4bf691c90db095b11ab83c76a5b26ff4106aeb78",
                        "modules": [{"module.name": "org:app:1.0"}],
                    }
                ],
            }
        ],
    ),
    (
        'items.find({"repo":"libs-local"}).include("name","size").sort({"$desc":["size"]})',
        [
            {"name": "app-1.1.jar", "size": 200},
            {"name": "app-1.0.jar", "size": 100},
            {"name": "README", "size": 5},
            {"name": "lib_x.txt", "size": 0},
        ],
    ),
    (
        'items.find({"repo":"libs-local"}).include("name","created_by").sort({"$asc":["created_by","name"]})',
        [
            {"name": "app-1.0.jar", "created_by": "alice"},
            {"name": "app-1.1.jar", "created_by": "alice"},
            {"name": "README", "created_by": "bob"},
            {"name": "lib_x.txt"},
        ],
    ),
    (
        'items.find({"repo":"libs-local"}).include("name","created_by").sort({"$desc":["created_by","name"]})',
        [
            {"name": "lib_x.txt"},
            {"name": "README", "created_by": "bob"},
            {"name": "app-1.1.jar", "created_by": "alice"},
            {"name": "app-1.0.jar", "created_by": "alice"},
        ],
    ),
    (
        'items.find({"repo":"docs-local","type":"any"}).include("name","type").sort({"$asc":["type","name"]})',
        [
            {"name": ".", "type": "folder"},
            {"name": "empty", "type": "folder"},
            {"name": "100%_done.txt", "type": "file"},
            {"name": "UPPER.TXT", "type": "file"},
            {"name": "a^b.txt", "type": "file"},
            {"name": "a_b.txt", "type": "file"},
        ],
    ),
    (
        'items.find({"repo":"libs-local"}).include("name","stat.downloads").sort({"$asc":["stat.downloads"]})',
        [
            {"name": "app-1.0.jar", "stats": [{"downloads": 3}]},
            {"name": "app-1.1.jar", "stats": [{"downloads": 0}]},
            {"name": "lib_x.txt", "stats": [{"downloads": 0}]},
            {"name": "README", "stats": [{"downloads": 0}]},
        ],
    ),
    ('items.find({"repo":"libs-local"}).include("created_by")', [{"created_by": "alice"}, {}, {"created_by": "bob"}]),
    ('items.find({"repo":"libs-local"}).include("created_by").limit(2)', [{"created_by": "alice"}, {}]),
    (
        "properties.find()",
        [
            {"key": "Qa", "value": "x"},
            {"key": "a key", "value": "a value"},
            {"key": "build.name", "value": "app"},
            {"key": "count", "value": "10"},
            {"key": "note"},
            {"key": "os", "value": "linux"},
            {"key": "os", "value": "macos"},
            {"key": "os", "value": "windows"},
            {"key": "qa", "value": "failed"},
            {"key": "qa", "value": "passed"},
            {"key": "trash.time", "value": "1"},
        ],
    ),
    (
        'properties.find({"key":"os"})',
        [
            {"key": "build.name", "value": "app"},
            {"key": "os", "value": "linux"},
            {"key": "os", "value": "macos"},
            {"key": "qa", "value": "passed"},
            {"key": "note"},
            {"key": "qa", "value": "failed"},
            {"key": "os", "value": "windows"},
        ],
    ),
    (
        'properties.find({"os":"linux"})',
        [
            {"key": "build.name", "value": "app"},
            {"key": "os", "value": "linux"},
            {"key": "os", "value": "macos"},
            {"key": "qa", "value": "passed"},
            {"key": "note"},
            {"key": "qa", "value": "failed"},
        ],
    ),
    ('properties.find({"item.name":"README"})', [{"key": "Qa", "value": "x"}, {"key": "count", "value": "10"}]),
    ('properties.find({"item.repo":"auto-trashcan"})', []),
    ('properties.find({"@os":"linux"})', []),
    (
        'properties.find({"value":null})',
        [{"key": "note"}, {"key": "os", "value": "linux"}, {"key": "qa", "value": "failed"}],
    ),
    (
        'properties.find({"key":{"$ne":"os"}})',
        [
            {"key": "Qa", "value": "x"},
            {"key": "a key", "value": "a value"},
            {"key": "count", "value": "10"},
            {"key": "qa", "value": "passed"},
        ],
    ),
    (
        'properties.find({"item.type":"any"})',
        [
            {"key": "Qa", "value": "x"},
            {"key": "a key", "value": "a value"},
            {"key": "build.name", "value": "app"},
            {"key": "count", "value": "10"},
            {"key": "note"},
            {"key": "os", "value": "linux"},
            {"key": "os", "value": "macos"},
            {"key": "os", "value": "windows"},
            {"key": "qa", "value": "failed"},
            {"key": "qa", "value": "passed"},
            {"key": "trash.time", "value": "1"},
        ],
    ),
    ('properties.find({"item.type":"folder"})', [{"key": "qa", "value": "passed"}]),
    (
        'properties.find({"key":"count"}).include("item.name")',
        [
            {"key": "count", "value": "10", "items": [{"name": "README"}]},
            {"key": "Qa", "value": "x", "items": [{"name": "README"}]},
        ],
    ),
    ('items . find ( { "name" : "README" } ) . include ( "name" )', [{"name": "README"}]),
    ('items\n\t.find\n(\n{"name":"README"}\n)\n.include\n("name")', [{"name": "README"}]),
    ('build . properties\n.find({"item.name":"x","branch":"main"}).include("branch")', []),
    ('properties.find().include("os")', [{"key": "os", "value": os} for os in ("linux", "macos", "windows")]),
    ('properties.find().include("@os")', []),
    (
        'items.find({"name":"README"}).include("name","property.count")',
        [{"name": "README", "properties": [{"key": "count", "value": "10"}]}],
    ),
    (
        'build.properties.find().include("branch")',
        [{"build.property.key": "branch", "build.property.value": branch} for branch in ("feature", "main")],
    ),
    ('archive.entries.find().include("path_id")', [{}, {}]),
    ('archive.entries.find().include("name","path_id")', [{"entry.name": "App.class"}, {"entry.name": "MANIFEST.MF"}]),
    ('items.find({"name":"README"}).include("name","archive.entry.name")', [{"name": "README"}]),
    (
        'items.find({"name":"README"}).include("name","archive.entry.*")',
        [{"name": "README", "archives": [{"entries": [{}]}]}],
    ),
    (
        'items.find({"name":"README"}).include("name","artifact.item.name")',
        [{"name": "README", "artifacts": [{"items": [{"name": "README"}]}]}],
    ),
    (
        'items.find({"name":"README"}).include("name","artifact.item.size")',
        [{"name": "README", "size": 5, "artifacts": [{"items": [{"name": "README", "size": 5}]}]}],
    ),
    ('stats.find({"remote_id":1}).include("downloads")', []),
    (
        "stats.find()",
        [{"downloads": 3, "downloaded": "2024-05-30T00:00:00.000Z", "downloaded_by": "carol"}, {"downloads": 0}],
    ),
    (
        'stats.find({"downloads":{"$gt":1}})',
        [{"downloads": 3, "downloaded": "2024-05-30T00:00:00.000Z", "downloaded_by": "carol"}],
    ),
    (
        'stats.find({"item.repo":"central-cache"}).include("*")',
        [{"downloads": 0, "remote_downloads": 7, "remote_origin": "far", "remote_path": "near/far"}],
    ),
    (
        'stats.find().include("downloads","item.name")',
        [{"downloads": 3, "items": [{"name": "app-1.0.jar"}]}, {"downloads": 0, "items": [{"name": "dep-2.0.jar"}]}],
    ),
    (
        "archive.entries.find()",
        [
            {"entry.name": "App.class", "entry.path": "org/acme"},
            {"entry.name": "MANIFEST.MF", "entry.path": "META-INF"},
        ],
    ),
    (
        'archive.entries.find({"name":{"$match":"App*"}}).include("name","archive.item.name")',
        [{"entry.name": "App.class", "archives": [{"items": [{"name": "app-1.0.jar"}]}]}],
    ),
    (
        "builds.find()",
        [
            {
                "build.url": "https://ci.example/app/1",
                "build.name": "app",
                "build.number": "1",
                "build.started": "2024-01-01T00:00:00.000Z",
                "build.created": "2024-01-01T00:01:00.000Z",
                "build.created_by": "ci",
            },
            {
                "build.name": "app",
                "build.number": "2",
                "build.started": "2024-05-01T00:00:00.000Z",
                "build.created": "2024-05-01T00:01:00.000Z",
                "build.created_by": "admin",
            },
            {
                "build.name": "other",
                "build.number": "1",
                "build.started": "2024-05-31T00:00:00.000Z",
                "build.created": "2024-05-31T00:01:00.000Z",
                "build.created_by": "admin",
            },
        ],
    ),
    ('builds.find({"name":"app"}).include("number")', [{"build.number": "1"}, {"build.number": "2"}]),
    ('builds.find({"@branch":"main"}).include("name","number")', [{"build.name": "app", "build.number": "1"}]),
    (
        'builds.find({"@branch":{"$ne":"main"}}).include("name","number")',
        [{"build.name": "app", "build.number": "2"}, {"build.name": "other", "build.number": "1"}],
    ),
    ('builds.find({"@empty":""}).include("name","number")', [{"build.name": "app", "build.number": "1"}]),
    (
        'builds.find({"@branch":{"$nmatch":"m*"}}).include("name","number")',
        [{"build.name": "app", "build.number": "2"}, {"build.name": "other", "build.number": "1"}],
    ),
    (
        'builds.find({"started":{"$last":"7d"}}).include("name","number")',
        [{"build.name": "other", "build.number": "1"}],
    ),
    (
        'builds.find({"promotion.status":"staged"}).include("name","number","promotion")',
        [
            {
                "build.name": "app",
                "build.number": "1",
                "build.promotions": [
                    {
                        "build.promotion.created": "2024-02-01T00:00:00.000Z",
                        "build.promotion.created_by": "admin",
                        "build.promotion.status": "staged",
                        "build.promotion.repo": "docs-local",
                        "build.promotion.comment": "ok",
                        "build.promotion.user": "carol",
                    }
                ],
            }
        ],
    ),
    ('builds.find({"promotion.status":{"$ne":"staged"}}).include("number")', [{"build.number": "1"}]),
    (
        'builds.find({"module.artifact.name":"lost.jar"}).include("name","number")',
        [{"build.name": "app", "build.number": "1"}],
    ),
    (
        'builds.find({"module.dependency.item.repo":"central-cache"}).include("name","number")',
        [{"build.name": "app", "build.number": "1"}],
    ),
    (
        'builds.find({"name":"app"}).include("name","number","module.artifact")',
        [
            {
                "build.name": "app",
                "build.number": "1",
                "modules": [
                    {
                        "artifacts": [
                            {
                                "artifact.name": "app-1.0.jar",
                                "artifact.type": "jar",
                                "artifact.sha1": "498b7320704233420fe41ecdb2828756eea4910e",
                                "artifact.md5": "m1",
                            },
                            {
                                "artifact.name": "lost.jar",
                                "artifact.type": "jar",
                                "artifact.sha1": "3b7e9427ac4ba432deee1cce600862d1409cfa30",
                            },
                        ]
                    }
                ],
            },
            {
                "build.name": "app",
                "build.number": "2",
                "modules": [
                    {
                        "artifacts": [
                            {
                                "artifact.name": "app-1.1.jar",
                                "artifact.type": "jar",
                                "artifact.sha1": "038f5b6bc089b826da53f6e7ffd86216410c81ca",
                            }
                        ]
                    }
                ],
            },
        ],
    ),
    (
        'builds.find().include("name","number","started").sort({"$desc":["started"]}).limit(1)',
        [{"build.name": "other", "build.number": "1", "build.started": "2024-05-31T00:00:00.000Z"}],
    ),
    ("modules.find()", [{"module.name": "org:app:1.0"}, {"module.name": "org:app:1.1"}, {"module.name": "bare"}]),
    ('modules.find({"build.name":"app","@type":"maven"})', [{"module.name": "org:app:1.0"}]),
    (
        'modules.find({"build.number":"1"}).include("name","build.name")',
        [
            {"module.name": "org:app:1.0", "builds": [{"build.name": "app"}]},
            {"module.name": "bare", "builds": [{"build.name": "other"}]},
        ],
    ),
    ("module.properties.find()", [{"module.property.key": "type", "module.property.value": "maven"}]),
    (
        "artifacts.find()",
        [
            {"artifact.name": "app-1.0.jar", "artifact.type": "jar"},
            {"artifact.name": "lost.jar", "artifact.type": "jar"},
            {"artifact.name": "app-1.1.jar", "artifact.type": "jar"},
        ],
    ),
    ('artifacts.find({"type":"any"})', []),
    ('artifacts.find({"item.name":null})', [{"artifact.name": "lost.jar", "artifact.type": "jar"}]),
    (
        'artifacts.find({"name":"lost.jar"}).include("name","item")',
        [{"artifact.name": "lost.jar", "items": [{"type": "folder", "size": 0, "depth": 0}]}],
    ),
    ('artifacts.find({"item.repo_path_checksum":"x"})', []),
    (
        'dependencies.find().include("*")',
        [
            {
                "dependency.name": "net:dep:2.0",
                "dependency.scope": "compile,test",
                "dependency.type": "jar",
                "dependency.sha1": "4bf691c90db095b11ab83c76a5b26ff4106aeb78",
            }
        ],
    ),
    (
        "build.properties.find()",
        [
            {"build.property.key": "branch", "build.property.value": "feature"},
            {"build.property.key": "branch", "build.property.value": "main"},
            {"build.property.key": "empty", "build.property.value": ""},
        ],
    ),
    (
        'build.properties.find({"branch":"main"})',
        [
            {"build.property.key": "branch", "build.property.value": "main"},
            {"build.property.key": "empty", "build.property.value": ""},
        ],
    ),
    (
        "build.promotions.find()",
        [
            {
                "build.promotion.created": "2024-02-01T00:00:00.000Z",
                "build.promotion.created_by": "admin",
                "build.promotion.status": "staged",
                "build.promotion.repo": "docs-local",
                "build.promotion.comment": "ok",
                "build.promotion.user": "carol",
            },
            {"build.promotion.created": "2024-03-01T00:00:00.000Z", "build.promotion.status": "released"},
        ],
    ),
    (
        'build.promotions.find({"status":"released"}).include("status","build.number")',
        [{"build.promotion.status": "released", "builds": [{"build.number": "1"}]}],
    ),
    ("releases.find()", []),
    ("release_artifacts.find()", []),
    (
        'items.find({"type":"any"}).include("name","@qa")',
        [
            {"name": "app-1.0.jar", "properties": [{"key": "qa", "value": "passed"}]},
            {"name": "app-1.1.jar", "properties": [{"key": "qa", "value": "failed"}]},
            {"name": "empty", "properties": [{"key": "qa", "value": "passed"}]},
        ],
    ),
    (
        'items.find({"repo":"docs-local"}).include("name","stat.remote_downloads","property.key")',
        [
            {"name": "100%_done.txt", "stats": [{"remote_downloads": 0}]},
            {"name": "a^b.txt", "stats": [{"remote_downloads": 0}]},
            {"name": "a_b.txt", "stats": [{"remote_downloads": 0}], "properties": [{"key": "a key"}]},
            {"name": "UPPER.TXT", "stats": [{"remote_downloads": 0}]},
        ],
    ),
    (
        'builds.find({"module.property.key":"type"}).include("number","module.property")',
        [
            {
                "build.number": "1",
                "modules": [{"module.properties": [{"module.property.key": "type", "module.property.value": "maven"}]}],
            }
        ],
    ),
    (
        'modules.find({"@type":{"$ne":"maven"}}).include("name")',
        [{"module.name": "org:app:1.1"}, {"module.name": "bare"}],
    ),
    (
        'modules.find({"$msp":[{"property.value":{"$nmatch":"m*"}}]}).include("name")',
        [{"module.name": "org:app:1.1"}, {"module.name": "bare"}],
    ),
    (
        'archive.entries.find({"archive.item.property.key":"os"}).include("name")',
        [{"entry.name": "App.class"}, {"entry.name": "MANIFEST.MF"}],
    ),
    (
        'items.find({"name":"app-1.0.jar"}).include("name","archive.entry.name")',
        [
            {
                "name": "app-1.0.jar",
                "archives": [{"entries": [{"entry.name": "App.class"}, {"entry.name": "MANIFEST.MF"}]}],
            }
        ],
    ),
    (
        'stats.find({"id":{"$gt":0},"downloads":3})',
        [{"downloads": 3, "downloaded": "2024-05-30T00:00:00.000Z", "downloaded_by": "carol"}],
    ),
]

# Queries with invalid syntax, and the rest of the query that the error message quotes.
SYNTAX_ERROR_CASES: list[tuple[str, str]] = [
    ('items.find({"$or":[{"repo":"nothing"},{"qa":1}]})', 'qa":1}]})'),
    ('items.find({"depth":0,"type":"folder"})', ',"type":"folder"})'),
    ('items.find({"created":{"$before":5}})', "5}})"),
    ('items.find({"created":{"$before":null}})', "null}})"),
    ('items.find({"sha256":null,"repo":"libs-local"})', ',"repo":"libs-local"})'),
    ('items.find({"virtual_repos":"libs"})', 'virtual_repos":"libs"})'),
    ('items.find({"nothing":"x"})', 'nothing":"x"})'),
    ('items.find({"@os":null})', "null})"),
    ('items.find({"@os":5})', "5})"),
    ('items.find({"@os":{"$last":"1d"}})', '$last":"1d"}})'),
    ('items.find({"$or":[{"size":5,"name":"lib_x.txt"},{"size":200}]})', ',"name":"lib_x.txt"},{"size":200}]})'),
    ('items.find({"name":"README"}).include("item")', 'item")'),
    ('items.find({"name":"README"}).include("properties")', 'properties")'),
    ('items.find({"name":"README"}).include("nothing")', 'nothing")'),
    ('items.find({"name":"README"}).include()', ")"),
    ('items.find({"repo":"libs-local"}).sort({"$asc":["property"]})', '"]})'),
    ('items.find({"repo":"libs-local"}).sort({"$asc":[]})', "]})"),
    ('items.find({"repo":"libs-local"}).sort({})', "})"),
    ('items.find({"repo":"libs-local"}).sort({"$up":["name"]})', '$up":["name"]})'),
    ('items.find({"repo":"libs-local"}).limit("2")', '"2")'),
    ('items.find({"repo":"libs-local"}).limit(2).offset(1)', "offset(1)"),
    ('items.find({"repo":"libs-local"}).sort({"$asc":["name"]}).include("name")', 'include("name")'),
    ("items.find", ""),
    ("items.find({})", "})"),
    ('items.find({"$or":[]})', "]})"),
    ('items.find({"$or":[{}]})', "}]})"),
    ('items.find({"$AND":[{"name":"a"}]})', '$AND":[{"name":"a"}]})'),
    ('items.find({"name":"a",})', "})"),
    ('items.find({,"name":"a"})', ',"name":"a"})'),
    ('items.find({"name":"a"}))', ")"),
    ('items.find({"name":{"$eq":"a","$ne":"b"}})', ',"$ne":"b"}})'),
    ('items.find({"name":{"$foo":"a"}})', '$foo":"a"}})'),
    ('items.find({"name":True})', "True})"),
    ('items.find({"name":true})', "true})"),
    ('items.find({"size":Null})', "Null})"),
    ("items.find({'name':'a'})", "'name':'a'})"),
    ("Items.find()", "Items.find()"),
    (' items.find({"name":"README"})', 'items.find({"name":"README"})'),
    ('items . find ( { "name" : "a" } ) . foo ( "name" )', 'foo ( "name" )'),
    ("items\n.\nfind\n(\n{}\n)", "}\n)"),
    ("item.find()", "item.find()"),
    ('items.find({"name":"a"}).foo()', "foo()"),
    ('items.find({"name":"say \\"x\\""})', 'x\\""})'),
    ('find({"name":"a"})', 'find({"name":"a"})'),
    ("item.infos.find()", "item.infos.find()"),
    ('build.promotions.find({"id":1})', "1})"),
]

# Valid queries that the server refuses, and the error message.
NOT_TRANSITIVE = (
    "A transitive query asks for items of exactly one repository, includes nothing but fields of items and properties, "
    "and has no sort and no offset."
)
REFUSED_CASES: list[tuple[str, str]] = [
    ('items.find({"name":"README"}).transitive()', NOT_TRANSITIVE),
    ('items.find({"$or":[{"repo":"libs-local"},{"repo":"docs-local"}]}).transitive()', NOT_TRANSITIVE),
    ('items.find({"repo":{"$match":"libs*"}}).transitive()', NOT_TRANSITIVE),
    ('items.find({"repo":"libs-local"}).include("name","stat").transitive()', NOT_TRANSITIVE),
    ('items.find({"repo":"libs-local"}).sort({"$asc":["name"]}).transitive()', NOT_TRANSITIVE),
    ('items.find({"repo":"libs-local"}).offset(1).transitive()', NOT_TRANSITIVE),
    ('builds.find({"name":"app"}).transitive()', NOT_TRANSITIVE),
    ('items.find({"type":"link"})', "Invalid file type: link, valid types are : file, folder, any"),
    ('items.find({"type":{"$match":"link"}})', "Invalid file type: link, valid types are : file, folder, any"),
    ('items.find({"type":{"$last":"1d"}})', "Invalid file type: 1717113600000, valid types are : file, folder, any"),
    ('items.find({"size":1.5})', "AQL Expect long value but found:1.5\n"),
    ('items.find({"size":"1k"})', "AQL Expect long value but found:1k\n"),
    ('items.find({"size":9223372036854775808})', "AQL Expect long value but found:9223372036854775808\n"),
    ('items.find({"depth":2147483648})', "AQL Expect integer value but found:2147483648\n"),
    ('items.find({"depth":{"$last":"1d"}})', "AQL Expect integer value but found:1717113600000\n"),
    ('items.find({"size":{"$match":"1*"}})', "AQL Expect long value but found:1*\n"),
    ('items.find({"size":{"$match":"x"}})', "AQL Expect long value but found:x\n"),
    (
        'items.find({"created":{"$gt":"2024-01-01 00:00"}})',
        "Invalid Date format: 2024-01-01 00:00, AQL expect ISODateTimeFormat or long number\n"
        'cause: Invalid format: "2024-01-01 00:00"',
    ),
    (
        'items.find({"created":{"$gt":"yesterday"}})',
        "Invalid Date format: yesterday, AQL expect ISODateTimeFormat or long number\n"
        'cause: Invalid format: "yesterday"',
    ),
    ('items.find({"created":{"$last":"2h"}})', "Invalid relative date format for: 2h"),
    ('items.find({"created":{"$last":"5mo1d"}})', "Invalid relative date format for: 5mo1d"),
    ('items.find({"created":{"$before":"100y"}})', "Invalid relative date format for: 100y"),
    (
        'items.find({"created_by":{"$gt":null}})',
        "Illegal syntax the 'null' values are allowed to use only with equals and not equals operators.\n",
    ),
    (
        'items.find({"property.value":{"$gt":null}})',
        "Illegal syntax the 'null' values are allowed to use only with equals and not equals operators.\n",
    ),
    (
        'items.find({"name":"README"}).include("virtual_repos")',
        "When including virtual_repos field, the following fields are also required: repo, path and name.",
    ),
    (
        'items.find({"repo":"libs-local"}).include("name").sort({"$asc":["size"]})',
        "Only the result fields are allowed to use in the sort section.",
    ),
    (
        'items.find({"repo":"libs-local"}).include("name").sort({"$asc":["name","name"]})',
        "Duplicate fields, all the fields in the sort section should be unique.",
    ),
    ("archives.find()", "Failed to execute the following sql query"),
    ('builds.find({"property.value":{"$nmatch":"m*"}})', "Failed to execute the following sql query"),
    ('builds.find({"property.value":{"$ne":null}})', "Failed to execute the following sql query"),
    ('builds.find({"@branch":{"$nmatch":"*"}})', "Failed to execute the following sql query"),
    ('build.promotions.find({"nothing":"x"})', "Failed to execute the following sql query"),
    ('build.promotions.find({"@a":"x"})', "Failed to execute the following sql query"),
    ("items.limit(5)", "No action was given in this query."),
    (
        'items.find({"created":{"$gt":"99999999999999999999"}})',
        "Invalid Date format: 99999999999999999999, AQL expect ISODateTimeFormat or long number\n"
        'cause: Invalid format: "99999999999999999999"',
    ),
]

# Queries for which the real server returns 500.
SERVER_ERROR_CASES = [
    'items.find({"type":null})',
    'items.find({"type":{"$match":"file"}})',
    'items.find({"repo":{"$match":null}})',
    'items.find({"repo":{"$gt":null}})',
    'items.find({"created":{"$LAST":"1d"}})',
    'items.find({"created":{"$Before":"1d"}})',
    'items.find({"repo":"libs-local"}).sort({"$ASC":["name"]})',
    "items",
]
