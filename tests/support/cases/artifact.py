# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases of the Artifactory modules."""

from __future__ import annotations

import zipfile

from support.cases.artifact_administration import ADMINISTRATION
from support.cases.artifact_configuration import CONFIGURATION
from support.cases.artifact_keys import KEYS
from support.cases.artifact_ldap import LDAP
from support.cases.artifact_policies import POLICIES
from support.cases.artifact_release_bundle import RELEASE_BUNDLES
from support.cases.artifact_sso import SSO
from support.cases.form import FILES, Case, Fetch, Operation, Query, Resource, Service, Write

_ITEM = {"repo": "generic-local", "path": "app/1.0/app-1.0.tar.gz"}
_TREE = {"repo": "generic-local", "path": "app", "recursive": True}
_RUN = {"name": "team/web of ours", "number": "7", "started": "2026-10-01T12:00:00+02:00"}
_MODULE = {"id": "m", "artifacts": [{"name": "a.jar", "sha1": "1009800d329ff1455ad11db61f3ad0d3026f204e"}]}
_FILE = {"repo": "generic-local", "path": "files/1.0/a b+c#%é.txt"}
_FOUND_FILE = {"repo": _FILE["repo"], "path": "files/1.0", "name": _FILE["path"].rpartition("/")[2]}
_COPY = FILES / "download"
_ARCHIVE = FILES / "site.zip"
with zipfile.ZipFile(_ARCHIVE, "w") as _archive:
    for _name in ("index.html", "sub/a b+c#%é.txt", "sub/empty"):
        _archive.writestr(_name, _name.removesuffix("sub/empty"))
_TOKEN = {"description": "build agents", "subject": "ci"}

CASES: dict[str, Case] = {
    "access_token": Resource(
        create={**_TOKEN, "expires_in": 20000},
        update={**_TOKEN, "expires_in": 90000, "rotate_before": 30000, "surplus": "revoke"},
        absent={**_TOKEN, "state": "absent"},
        write=Write("create_token", undone=True),
        look=("access_token_info", {"description": "build agents"}),
        secret_file="token_file",
        login="token",
    ),
    "access_token_info": Query({}),
    "artifact_build": Resource(
        create={"content": {**_RUN, "modules": [_MODULE]}},
        update={"content": {**_RUN, "modules": [_MODULE, {"id": "n"}]}},
        absent={"build": _RUN["name"], "number": _RUN["number"], "artifacts": True, "state": "absent"},
        write=Write("publish_build", repeatable=True),
        look=("artifact_build_info", {"build": _RUN["name"], "number": _RUN["number"]}),
    ),
    "artifact_build_info": Query({"build": "app", "number": "1"}),
    "artifact_archive": Operation(
        {"repo": "generic-local", "path": "site", "src": str(_ARCHIVE)},
        write=Write("deploy_file", repeatable=True),
        lasting=True,
        look=("artifact_list_info", {"repo": "generic-local", "path": "site", "deep": True, "folders": True}),
    ),
    "artifact_download": Fetch({**_ITEM, "dest": str(_COPY)}, _COPY),
    "artifact_cleanup": Operation(
        {"rules": [{"repos": ["generic-*"], "names": ["*-1.1.tar.gz"], "keep_properties": {"qa": None}}]},
        write=Write("delete_item", repeatable=True),
        lasting=True,
        look=("artifact_list_info", {"repo": "generic-local", "deep": True, "folders": True}),
    ),
    "artifact_file": Resource(
        create={**_FILE, "content": "the first", "properties": {"qa": ["passed", "1.0"]}},
        update={**_FILE, "content": "the second", "properties": {"qa": "b;c,d=e +"}},
        absent={**_FILE, "state": "absent"},
        write=Write("deploy_file", repeatable=True),
        look=("artifact_query_info", {"find": _FOUND_FILE, "include": ["actual_sha1", "property"]}),
    ),
    "artifact_build_promotion": Operation(
        {"build": "app", "number": "1", "status": "released", "target_repo": "generic-release-local", "copy": True},
        write=Write("promote_build"),
        lasting=True,
        look=("artifact_list_info", {"repo": "generic-release-local", "deep": True}),
    ),
    "artifact_build_retention": Operation(
        {"build": "acme/nightly of web", "count": 1, "wait_timeout": 1},
        write=Write("retain_builds", repeatable=True),
        lasting=True,
        look=("artifact_build_info", {"build": "acme/nightly of web"}),
    ),
    "artifact_image_info": Query({"repo": "docker-local", "image": "acme/web", "page_size": 2}),
    "artifact_image_promotion": Operation(
        {
            "repo": "docker-local",
            "image": "acme/web",
            "tag": "1.0.0",
            "target_repo": "docker-release-local",
            "copy": True,
        },
        write=Write("promote_image", repeatable=True),
        lasting=True,
        look=("artifact_list_info", {"repo": "docker-release-local", "deep": True}),
    ),
    "artifact_item_info": Query({**_ITEM, "properties": True, "statistics": True, "last_modified": True}),
    "artifact_list_info": Query({"repo": "generic-local", "deep": True, "folders": True}),
    "artifact_properties": Resource(
        create={**_ITEM, "properties": {"qa": ["a,b", "c=d", "e;f|g", "h\\i", "100% +#é"]}},
        update={**_ITEM, "properties": {"qa": "passed"}},
        absent={**_ITEM, "keys": ["qa"], "state": "absent"},
        write=Write("patch_metadata", repeatable=True),
        look=("artifact_properties_info", _ITEM),
    ),
    "artifact_properties of a tree": Resource(
        create={**_TREE, "properties": {"qa": ["a,b", "c=d"]}},
        update={**_TREE, "properties": {"qa": "passed"}},
        absent={**_TREE, "keys": ["qa"], "state": "absent"},
        write=Write("patch_metadata", repeatable=True),
        look=("artifact_query_info", {"find": {"repo": "generic-local", "type": "any"}, "include": ["property"]}),
    ),
    "artifact_properties_info": Query(_ITEM),
    "artifact_query_info": Query(
        {
            "find": {"repo": "generic-local", "name": {"$match": "*.gz"}},
            "include": ["size", "property"],
            "page_size": 1,
        }
    ),
    "artifact_repository_info": Query({"key": "libs-release"}),
    "artifact_search_info": Query({"name": "app-1", "repos": ["generic-local/app"], "detail": ["properties"]}),
    "artifact_info": Query({}),
    "artifact_storage_info": Query({"repo": "libs-remote"}),
    "artifact_trash": Operation(
        {"action": "empty", "wait_timeout": 1},
        write=Write("empty_trash", repeatable=True),
        lasting=True,
        look=("artifact_trash_info", {"deep": True}),
    ),
    "artifact_trash_info": Query({"deep": True}),
    **ADMINISTRATION,
    **CONFIGURATION,
    **POLICIES,
    **LDAP,
    **SSO,
    **KEYS,
    **RELEASE_BUNDLES,
}

SERVICE = Service(CASES, credentials={"token": "JFROG_ACCESS_TOKEN"})
