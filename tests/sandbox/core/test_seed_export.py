# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the export of the state as a seed."""

from __future__ import annotations

import json
from typing import Any

import pytest
import requests
import yaml

from sandbox import client
from support.wire.core import EXTENSIONS

README = (EXTENSIONS / "sandbox" / "README.md").read_text(encoding="utf-8")
EXAMPLE = yaml.safe_load(README.partition("\n## Seeds\n")[2].partition("```yaml\n")[2].partition("```")[0])
# These depend on the time of the seed.
TIMES = ("waits_since", "not_before")


def read_tables(sandbox: client.Sandbox) -> dict[str, Any]:
    """Return the rows at the top of all tables of the state."""
    return {
        f"{service} {name}": [{key: value for key, value in row.items() if key not in TIMES} for row in table["rows"]]
        for service, tables in sandbox.state().items()
        for name, table in tables.items()
    }


def without_offline_causes(seed: dict[str, Any]) -> dict[str, Any]:
    """Return a seed without the configuration of agents, whose offline cause has another indentation each time."""
    agents = [{**agent, "config": ""} for agent in seed["ci"].get("agents", [])]
    return {**seed, "ci": {**seed["ci"], "agents": agents}}


def without_omitted_objects(seed: dict[str, Any]) -> dict[str, Any]:
    """Return a seed with few generated issues and without tokens that are not exported."""
    projects = [{**project, "generate_issues": 10} for project in seed["review"]["projects"]]
    tokens = [token for token in seed["artifact"]["tokens"] if token.get("exported")]
    return {
        **seed,
        "review": {**seed["review"], "projects": projects},
        "artifact": {**seed["artifact"], "tokens": tokens},
    }


@pytest.mark.parametrize("seed", [None, without_omitted_objects(EXAMPLE)], ids=["default", "README"])
def test_state_is_the_same_after_export_and_reset(sandbox, seed):
    if seed:
        sandbox.seed(seed, reset=True)
    tables, exported = read_tables(sandbox), sandbox.export_seed()
    sandbox.seed({}, reset=True)
    assert read_tables(sandbox) != tables
    sandbox.seed(yaml.safe_load(exported["yaml"]), reset=True)
    assert read_tables(sandbox) == tables
    assert without_offline_causes(sandbox.export_seed()["seed"]) == without_offline_causes(exported["seed"])


def test_changes_and_accounts_are_exported(sandbox, artifactory):
    artifactory.put("/generic-local/folder;a=b/", data=b"").raise_for_status()
    text = "prüfung\n# 'quoted': {x}\ttab \u0085 \x7f"
    artifactory.put("/generic-local/notes.txt;qa=passed;qa=twice", data=text.encode()).raise_for_status()
    artifactory.put("/api/security/users/bob", json={"email": "b@example.com", "password": "Hidden-Passw0rd"})
    login = (sandbox.environment["JENKINS_USER_ID"], sandbox.environment["JENKINS_API_TOKEN"])
    xml = {"Content-Type": "application/xml"}
    config = "<project><description>&lt;b&gt;</description></project>"
    requests.post(f"{sandbox.url}/ci/createItem?name=new", config, auth=login, headers=xml).raise_for_status()
    environment = client.Sandbox(sandbox.url, sandbox.secret).environment
    sandbox.seed(yaml.safe_load(sandbox.export_seed()["yaml"]), reset=True)
    assert client.Sandbox(sandbox.url, sandbox.secret).environment == environment
    assert artifactory.get("/generic-local/notes.txt").content == text.encode()
    properties = artifactory.get("/api/storage/generic-local/notes.txt?properties").json()["properties"]
    assert properties == {"qa": ["passed", "twice"]}
    assert artifactory.get("/api/storage/generic-local/folder?properties").json()["properties"] == {"a": ["b"]}
    ping = f"{sandbox.url}/artifactory/api/system/ping"
    assert requests.get(ping, auth=("bob", "Hidden-Passw0rd")).status_code == 200
    job = requests.get(f"{sandbox.url}/ci/job/new/config.xml", auth=login)
    assert "&lt;b&gt;" in job.text


def test_secrets_of_credentials_work_in_another_sandbox(sandbox):
    credential = {"id": "deploy", "type": "secret_text", "secret": "a <secret> & {more}"}
    sandbox.seed({"ci": {"credentials": [credential], "jobs": [{"name": "team", "kind": "folder"}]}})
    sandbox.seed({"ci": {"credentials": [{**credential, "folder": "team"}]}})
    exported = sandbox.export_seed()["seed"]
    sandbox.seed(exported, reset=True)
    assert sandbox.export_seed()["seed"]["ci"]["credentials"] == exported["ci"]["credentials"]
    text = str(exported["ci"])
    assert text.count("a &lt;secret&gt; &amp; {more}") == 2
    assert "{AQAAAB" not in text


def test_omitted_contents_are_listed(sandbox, artifactory, access):
    artifactory.put("/generic-local/data.bin", data=b"\0\xff")
    artifactory.put("/generic-local/long.txt", data=b"x" * 65537)
    artifactory.delete("/generic-local/app/README.txt")
    access.post("/tokens", json={"expires_in": 0})
    exported = sandbox.export_seed()
    notes = exported["omitted"]["artifact"]
    assert "contents of files that are binary or larger than 65536 bytes: 2" in notes
    assert "files in the trash can: 2" in notes
    assert "access tokens, of which only hashes are stored: 1" in notes
    assert "#   artifact: files in the trash can: 2\n" in exported["yaml"]
    sandbox.seed(exported["seed"], reset=True)
    assert artifactory.get("/api/storage/generic-local/long.txt").json()["size"] == "65537"


def test_snapshot_replaces_all_data(sandbox, tmp_path):
    lists = {key: [] for key in ("organizations", "users", "invites", "models", "user_keys", "admin_keys")}
    mappings = {key: {} for key in ("model_limits", "rate_limits")}
    projects = [{"id": "proj_1", "name": "From production", "created": 1735689600, "archived": None}]
    manifest = {"format": 1, "name": "production", **lists, **mappings, "projects": projects}
    (tmp_path / "inference").mkdir()
    (tmp_path / "inference" / "manifest.json").write_text(json.dumps(manifest))
    sandbox.load_snapshot(tmp_path)
    tables = sandbox.state()
    assert [row["name"] for row in tables["inference"]["projects"]["rows"]] == ["From production"]
    assert tables["artifact"]["repositories"]["total"] == 0


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"ci/manifest.json": "{}"},
        {"ci/manifest.json": "no JSON"},
        {"fire/manifest.json": "{}"},
        {"ci/.hidden.json": "{}"},
        {"ci/x.sh": ""},
        {"../manifest.json": "{}"},
        {"ci/manifest.json": {"format": 1}},
        {"inference/manifest.json": '{"format": 1, "name": "damaged"}'},
    ],
)
def test_data_is_kept_when_a_snapshot_is_invalid(sandbox, files):
    tables = read_tables(sandbox)
    with pytest.raises(client.SandboxError, match="400"):
        sandbox.call("POST", "snapshot", files)
    assert read_tables(sandbox) == tables
