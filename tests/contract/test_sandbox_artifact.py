# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The sandbox's artifact repository answers as the real one does."""

from __future__ import annotations

import base64
import hashlib
import http.client
import re
import socket
import time
from email.utils import parsedate_to_datetime

import pytest
import requests

from contract.session import Session

APP = "app/1.0/app-1.0.tar.gz"
CONTENT = b"the first release"
SHA1 = hashlib.sha1(CONTENT).hexdigest()
SHA256 = hashlib.sha256(CONTENT).hexdigest()
MD5 = hashlib.md5(CONTENT).hexdigest()
ISO_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
CHALLENGE = 'Basic realm="Artifactory Realm"'


def error_of(answer: requests.Response) -> tuple[int, str]:
    """Status and message of an answer in the repository service's envelope."""
    assert answer.headers["Content-Type"] == "application/json;charset=ISO-8859-1"
    (error,) = answer.json()["errors"]
    assert error["status"] == answer.status_code
    return error["status"], error["message"]


def access_error_of(answer: requests.Response) -> tuple[int, str]:
    """Status and code of an answer in the token service's envelope."""
    (error,) = answer.json()["errors"]
    assert "status" not in error
    assert error["message"]
    return answer.status_code, error["code"]


def properties_of(artifactory: Session, path: str) -> dict[str, list[str]] | None:
    """The properties of an item, each sorted; None when it has none."""
    answer = artifactory.get(f"/api/storage/{path}?properties")
    if answer.status_code == 404:
        assert error_of(answer) == (404, "No properties could be found.")
        return None
    return {name: sorted(values) for name, values in answer.json()["properties"].items()}


class TestCommon:
    def test_error_envelope_to_the_byte(self, artifactory):
        answer = artifactory.get("/api/storage/generic-local/nothing")
        assert answer.status_code == 404
        assert answer.text == (
            '{\n  "errors" : [ {\n    "status" : 404,\n    "message" : "Unable to find item"\n  } ]\n}'
        )
        assert answer.headers["Content-Type"] == "application/json;charset=ISO-8859-1"

    def test_response_headers(self, artifactory, sandbox):
        sandbox.switch("artifact", version="7.46.11")
        headers = artifactory.get("/api/repositories").headers
        assert headers["Server"] == "Artifactory/7.46.11"
        assert headers["X-JFrog-Version"] == "Artifactory/7.46.11 74611900"
        assert re.fullmatch("[0-9a-f]+", headers["X-Artifactory-Id"])
        assert "Date" in headers
        sandbox.switch("artifact", version="6.20.0")
        assert "X-JFrog-Version" not in artifactory.get("/api/repositories").headers

    def test_ping(self, artifactory, artifactory_anonymous, sandbox):
        answer = artifactory.get("/api/system/ping")
        assert (answer.status_code, answer.text, answer.headers["Content-Type"]) == (200, "OK", "text/plain")
        assert artifactory_anonymous.get("/api/system/ping").status_code == 401
        sandbox.switch("artifact", anonymous=True)
        assert artifactory_anonymous.get("/api/system/ping").text == "OK"

    def test_version(self, artifactory):
        answer = artifactory.get("/api/system/version")
        assert answer.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.system.Version+json"
        version = answer.json()
        assert (version["version"], version["revision"]) == ("7.77.3", "77703900")
        assert version["addons"] == ["build", "docker", "properties"]

    def test_a_wrong_accept_is_406(self, artifactory):
        assert error_of(artifactory.get("/api/repositories", headers={"Accept": "text/xml"}))[0] == 406
        produced = "application/vnd.org.jfrog.artifactory.repositories.RepositoryDetailsList+json"
        assert artifactory.get("/api/repositories", headers={"Accept": produced}).status_code == 200

    def test_uris_are_built_from_the_host_asked_or_the_override(self, artifactory):
        answer = artifactory.get("/api/storage/generic-local/app", headers={"Host": "repo.example:81"})
        assert answer.json()["uri"] == "http://repo.example:81/artifactory/api/storage/generic-local/app"
        override = {"X-JFrog-Override-Base-Url": "https://front.example/a"}
        answer = artifactory.get("/api/storage/generic-local/app", headers=override)
        assert answer.json()["uri"] == "https://front.example/a/api/storage/generic-local/app"

    def test_the_older_override_of_the_base_url_still_counts(self, artifactory):
        answer = artifactory.get(
            "/api/storage/generic-local", headers={"X-Artifactory-Override-Base-Url": "https://front.example/a/"}
        )
        assert answer.json()["uri"] == "https://front.example/a/api/storage/generic-local"

    def test_the_text_of_406_names_what_is_produced(self, artifactory):
        answer = artifactory.get("/api/storage/generic-local/app", headers={"Accept": "text/xml"})
        produced = "application/vnd.org.jfrog.artifactory.storage.FolderInfo+json"
        assert error_of(answer) == (406, f"Resource produces {produced} but client only accepts [text/xml]")

    @pytest.mark.parametrize(
        "path", ["/api/system/ping", "/api/repositories", "/api/repositories/generic-local", "/api/system/version"]
    )
    def test_a_trailing_slash_and_head_do_not_matter(self, artifactory, path):
        whole = artifactory.get(path)
        assert artifactory.get(f"{path}/").text == whole.text
        head = artifactory.head(path)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["Content-Length"] == str(len(whole.content))

    def test_what_is_not_there_is_told_to_those_who_may_come_in_only(self, artifactory, artifactory_anonymous, sandbox):
        assert error_of(artifactory.get("/api/nothing"))[0] == 404
        assert error_of(artifactory_anonymous.get("/api/nothing"))[0] == 401
        wrong = Session(f"{sandbox.url}/artifactory", ("admin", "wrong"))
        assert error_of(wrong.post("/api/repositories"))[0] == 401

    def test_a_request_without_a_host_is_answered(self, sandbox, artifactory):
        host, port = sandbox.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            authorization = artifactory.headers["Authorization"]
            head = f"GET /artifactory/api/storage/generic-local HTTP/1.0\r\nAuthorization: {authorization}\r\n\r\n"
            connection.sendall(head.encode())
            answer = b"".join(iter(lambda: connection.recv(65536), b""))
        assert f'"uri" : "{sandbox.url}/artifactory/api/storage/generic-local"' in answer.decode()

    @pytest.mark.parametrize(
        ("method", "path"),
        [
            ("GET", "/api/search/artifact?name=a"),
            ("GET", "/api/storage/generic-local/app?storageinfo"),
            ("GET", "/api/storage/generic-local/app?stats"),
            ("GET", "/api/storage/generic-local/app?propertiesXml"),
            ("GET", "/api/storage/generic-local/app?permissions"),
            ("GET", "/api/security/users"),
            ("POST", "/api/security/token"),
            ("GET", "/api/search/pattern?pattern=a:b"),
            ("POST", "/api/search/aql"),
            ("GET", "/api/storageinfo"),
            ("GET", "/api/build/a%2Fb"),
            ("GET", "/api/build/a/1"),
            ("DELETE", "/api/build/a?buildNumbers=1"),
            ("POST", "/api/build/retention/a?async=false"),
            ("POST", "/api/build/promote/a/1"),
            ("DELETE", "/api/trash/clean/generic-local/a"),
            ("POST", "/api/trash/empty"),
            ("POST", "/api/docker/docker-local/v2/promote"),
        ],
    )
    def test_what_is_not_served_yet_says_so(self, artifactory, method, path):
        status, message = error_of(artifactory.request(method, path))
        assert status == 501
        assert "not serve" in message

    def test_an_exploding_deployment_is_not_served_yet(self, artifactory):
        answer = artifactory.put("/generic-local/x/a.zip", b"PK", headers={"X-Explode-Archive": "true"})
        assert error_of(answer)[0] == 501
        assert artifactory.get("/api/storage/generic-local/x").status_code == 404

    def test_a_wrong_method_is_405(self, artifactory):
        answer = artifactory.post("/api/repositories")
        assert (error_of(answer)[0], answer.headers["Allow"]) == (405, "GET")

    def test_the_free_edition_refuses_what_is_paid_for(self, artifactory, sandbox):
        sandbox.switch("artifact", edition="oss")
        for method, path in (
            ("GET", "/api/storage/generic-local/app?list"),
            ("GET", "/api/storage/generic-local/app?lastModified"),
            ("GET", "/api/repositories/generic-local"),
            ("GET", "/api/docker/docker-local/v2/_catalog"),
            ("PUT", "/api/storage/generic-local/app?properties=a=b"),
            ("PATCH", "/api/metadata/generic-local/app"),
        ):
            status, message = error_of(artifactory.request(method, path))
            assert status == 400
            assert message.startswith("This REST API is available only in Artifactory Pro")
        assert artifactory.get("/api/repositories").status_code == 200


class TestAuthentication:
    @pytest.mark.parametrize(
        "credentials",
        [("admin", "sandbox-admin"), ("admin", "sandbox-admin-api-key"), ("admin", "sandbox-admin-access-token")],
        ids=["password", "API key", "token"],
    )
    def test_basic(self, sandbox, credentials):
        assert Session(f"{sandbox.url}/artifactory", credentials).get("/api/repositories").status_code == 200

    @pytest.mark.parametrize(
        "credentials",
        [("admin", "wrong"), ("nobody", "sandbox-admin"), ("reader", "sandbox-admin-access-token"), ("anonymous", "")],
    )
    def test_wrong_basic_is_401_with_a_challenge_even_when_anonymous_may(self, sandbox, credentials):
        sandbox.switch("artifact", anonymous=True)
        answer = Session(f"{sandbox.url}/artifactory", credentials).get("/api/repositories")
        assert error_of(answer) == (401, "Bad credentials")
        assert answer.headers["WWW-Authenticate"] == CHALLENGE

    def test_basic_that_is_not_base64(self, artifactory_anonymous):
        answer = artifactory_anonymous.get("/api/repositories", headers={"Authorization": "Basic ?"})
        assert error_of(answer) == (401, "Bad credentials")

    def test_api_key_header(self, artifactory_anonymous):
        right = {"X-JFrog-Art-Api": "sandbox-admin-api-key"}
        assert artifactory_anonymous.get("/api/repositories", headers=right).status_code == 200

    def test_a_wrong_api_key_is_403_and_comes_back_in_the_message(self, artifactory_anonymous):
        answer = artifactory_anonymous.get("/api/repositories", headers={"X-JFrog-Art-Api": "huhu"})
        assert error_of(answer) == (403, "Bad props auth token: apiKey=huhu")
        assert "WWW-Authenticate" not in answer.headers

    def test_a_wrong_bearer_is_401(self, artifactory_anonymous):
        answer = artifactory_anonymous.get("/api/repositories", headers={"Authorization": "Bearer nonsense"})
        assert error_of(answer) == (401, "Token failed verification: parse")

    def test_a_locked_user_is_403(self, sandbox):
        sandbox.seed({"artifact": {"users": [{"name": "out", "password": "out", "locked": True}]}})
        assert error_of(Session(f"{sandbox.url}/artifactory", ("out", "out")).get("/api/repositories"))[0] == 403

    def test_anonymous_access_off(self, artifactory_anonymous):
        answer = artifactory_anonymous.get(f"/generic-local/{APP}")
        assert error_of(answer)[0] == 401
        assert answer.headers["WWW-Authenticate"] == CHALLENGE

    def test_anonymous_access_on(self, artifactory_anonymous, sandbox):
        sandbox.switch("artifact", anonymous=True)
        assert artifactory_anonymous.get(f"/generic-local/{APP}").content == CONTENT
        answer = artifactory_anonymous.put("/generic-local/new", b"")
        assert error_of(answer) == (401, "Unauthorized")
        assert answer.headers["WWW-Authenticate"] == CHALLENGE

    def test_permissions_are_by_repository_and_path(self, sandbox):
        user = {"name": "ci", "password": "ci", "permissions": {"generic-local/app": "r", "libs-remote": "r"}}
        sandbox.seed({"artifact": {"users": [user]}})
        ci = Session(f"{sandbox.url}/artifactory", ("ci", "ci"))
        assert [entry["key"] for entry in ci.get("/api/repositories").json()] == [
            "generic-local",
            "libs-release",
            "libs-remote",
        ]
        assert ci.get(f"/generic-local/{APP}").status_code == 200
        assert error_of(ci.get("/api/storage/generic-local/other")) == (
            403,
            "Request for 'generic-local:other' is forbidden for user: 'ci'.",
        )
        sandbox.switch("artifact", hide_unauthorized=True)
        assert error_of(ci.get("/api/storage/generic-local/other"))[0] == 404
        assert error_of(ci.get("/api/storage/generic-local/other")) == (404, "Resource not found")
        assert error_of(ci.put("/docker-local/x", b""))[0] == 404
        assert error_of(ci.delete(f"/generic-local/{APP}"))[0] == 403


class TestRepositories:
    def test_list(self, artifactory, sandbox):
        answer = artifactory.get("/api/repositories")
        assert answer.headers["Content-Type"].endswith("repositories.RepositoryDetailsList+json")
        assert answer.headers["Cache-Control"] == "no-store"
        by_key = {entry["key"]: entry for entry in answer.json()}
        assert list(by_key) == ["docker-local", "generic-local", "libs-release", "libs-release-local", "libs-remote"]
        assert by_key["libs-release-local"] == {
            "key": "libs-release-local",
            "description": "Our own libraries",
            "type": "LOCAL",
            "url": f"{sandbox.url}/artifactory/libs-release-local",
            "packageType": "Maven",
        }
        assert by_key["libs-remote"] == {
            "key": "libs-remote",
            "type": "REMOTE",
            "url": "https://repo.maven.apache.org/maven2",
            "packageType": "Maven",
        }

    @pytest.mark.parametrize(
        ("query", "keys"),
        [
            ("type=Remote", ["libs-remote"]),
            ("type=virtual&packageType=maven", ["libs-release"]),
            ("packageType=docker", ["docker-local"]),
            ("type=strange", []),
        ],
    )
    def test_list_filtered(self, artifactory, query, keys):
        assert [entry["key"] for entry in artifactory.get(f"/api/repositories?{query}").json()] == keys

    def test_an_empty_list_is_written_as_jackson_does(self, artifactory):
        assert artifactory.get("/api/repositories?type=strange").text == "[ ]"

    def test_detail(self, artifactory):
        answer = artifactory.get("/api/repositories/libs-release")
        assert answer.headers["Content-Type"].endswith("repositories.VirtualRepositoryConfiguration+json")
        detail = answer.json()
        assert "type" not in detail
        assert (detail["rclass"], detail["packageType"]) == ("virtual", "maven")
        assert detail["repositories"] == ["libs-release-local", "libs-remote"]
        assert detail["defaultDeploymentRepo"] == "libs-release-local"
        assert "defaultDeploymentRepo" not in artifactory.get("/api/repositories/generic-local").json()
        assert artifactory.head("/api/repositories/generic-local").status_code == 200

    def test_detail_of_an_unknown_key_is_400(self, artifactory):
        assert error_of(artifactory.get("/api/repositories/nothing")) == (400, "Bad Request")

    def test_detail_for_others_than_administrators_is_shorter(self, artifactory_reader):
        assert set(artifactory_reader.get("/api/repositories/libs-remote").json()) == {
            "key",
            "packageType",
            "description",
            "url",
            "rclass",
        }

    def test_create_change_and_delete(self, artifactory, artifactory_reader):
        created = artifactory.put("/api/repositories/new-local", json={"rclass": "local", "packageType": "npm"})
        assert created.status_code == 200
        assert created.text.startswith("Successfully created repository 'new-local'")
        assert artifactory.put("/api/repositories/New-local", json={"rclass": "local"}).status_code == 400
        assert artifactory.post("/api/repositories/new-local", json={"description": "new"}).status_code == 200
        assert artifactory.get("/api/repositories/new-local").json()["description"] == "new"
        assert artifactory_reader.delete("/api/repositories/new-local").status_code == 403
        deleted = artifactory.delete("/api/repositories/new-local")
        assert deleted.text == "Repository new-local and all its content have been removed successfully."
        assert artifactory.delete("/api/repositories/new-local").status_code == 404
        assert artifactory.get("/api/storage/new-local").status_code == 404


class TestInfo:
    def test_file(self, artifactory, sandbox):
        answer = artifactory.get(f"/api/storage/generic-local/{APP}")
        assert answer.headers["Content-Type"].endswith("storage.FileInfo+json")
        info = answer.json()
        assert ISO_TIME.fullmatch(info["created"])
        assert ISO_TIME.fullmatch(info["lastModified"])
        assert ISO_TIME.fullmatch(info["lastUpdated"])
        assert {name: info[name] for name in info if name not in ("created", "lastModified", "lastUpdated")} == {
            "repo": "generic-local",
            "path": f"/{APP}",
            "createdBy": "admin",
            "modifiedBy": "admin",
            "downloadUri": f"{sandbox.url}/artifactory/generic-local/{APP}",
            "mimeType": "application/x-gzip",
            "size": "17",
            "checksums": {"sha1": SHA1, "md5": MD5, "sha256": SHA256},
            "originalChecksums": {},
            "uri": f"{sandbox.url}/artifactory/api/storage/generic-local/{APP}",
        }

    def test_folder(self, artifactory, sandbox):
        answer = artifactory.get("/api/storage/generic-local/app/")
        assert answer.headers["Content-Type"].endswith("storage.FolderInfo+json")
        assert answer.headers["Cache-Control"] == "no-store"
        info = answer.json()
        assert (info["repo"], info["path"]) == ("generic-local", "/app")
        assert info["children"] == [
            {"uri": "/1.0", "folder": True},
            {"uri": "/1.1", "folder": True},
            {"uri": "/README.txt", "folder": False},
        ]
        assert info["uri"] == f"{sandbox.url}/artifactory/api/storage/generic-local/app"
        assert "size" not in info

    def test_root_and_empty_folder(self, artifactory):
        assert artifactory.get("/api/storage/generic-local").json()["path"] == "/"
        artifactory.put("/generic-local/empty/")
        assert '"children" : [ ]' in artifactory.get("/api/storage/generic-local/empty").text

    @pytest.mark.parametrize(
        ("path", "message"),
        [
            ("generic-local/nothing", "Unable to find item"),
            ("nothing/nothing", "Unable to find item"),
            ("libs-release/nothing", "Not Found"),
        ],
    )
    def test_missing(self, artifactory, path, message):
        assert error_of(artifactory.get(f"/api/storage/{path}")) == (404, message)

    def test_a_remote_key_shows_its_cache(self, artifactory):
        for key in ("libs-remote", "libs-remote-cache"):
            info = artifactory.get(f"/api/storage/{key}/junit/junit/4.13/junit-4.13.pom").json()
            assert info["repo"] == "libs-remote-cache"
            assert info["remoteUrl"] == "https://repo.maven.apache.org/maven2/junit/junit/4.13/junit-4.13.pom"
            assert "/libs-remote-cache/junit" in info["downloadUri"]
        assert artifactory.get("/api/storage/libs-remote/never/fetched").status_code == 404

    def test_a_virtual_key_stays_and_merges_folders(self, artifactory):
        info = artifactory.get("/api/storage/libs-release/junit/junit/4.13/junit-4.13.pom").json()
        assert info["repo"] == "libs-release"
        children = artifactory.get("/api/storage/libs-release").json()["children"]
        assert [child["uri"] for child in children] == ["/junit", "/org"]

    def test_a_blacked_out_repository_is_not_there(self, artifactory):
        artifactory.post("/api/repositories/generic-local", json={"blackedOut": True})
        assert artifactory.get(f"/api/storage/generic-local/{APP}").status_code == 404

    def test_names_with_everything_in_them(self, artifactory):
        path = "/generic-local/a%20b+c/%C3%BC%E2%82%AC%25%23%3B%2C%3D%5B%5D%7B%7D%7C%5C.txt"
        assert artifactory.put(path, b"odd").status_code == 201
        info = artifactory.get(f"/api/storage{path}").json()
        assert info["path"] == "/a b+c/ü€%#;,=[]{}|\\.txt"
        assert artifactory.get(path).content == b"odd"
        assert artifactory.delete(path).status_code == 204

    def test_an_encoded_slash_is_a_slash(self, artifactory):
        whole = artifactory.get("/api/storage/generic-local/app/1.0").json()
        assert artifactory.get("/api/storage/generic-local%2Fapp%2f1.0").json() == whole
        assert artifactory.get(f"/generic-local/{APP.replace('/', '%2F')}").content == CONTENT

    def test_last_modified(self, artifactory, sandbox):
        answer = artifactory.get(f"/api/storage/generic-local/{APP}?lastModified")
        assert answer.headers["Content-Type"].endswith("storage.ItemLastModified+json")
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000", answer.json()["lastModified"])
        assert abs(parsedate_to_datetime(answer.headers["Last-Modified"]).timestamp() - time.time()) < 60
        sandbox.clock(advance=100)
        artifactory.put("/generic-local/app/1.0/newest.txt", b"")
        newest = artifactory.get("/api/storage/generic-local/app?lastModified").json()
        assert newest["uri"] == f"{sandbox.url}/artifactory/api/storage/generic-local/app/1.0/newest.txt"

    def test_last_modified_of_a_remote_key_is_that_of_its_cache(self, artifactory, sandbox):
        newest = artifactory.get("/api/storage/libs-remote/junit?lastModified").json()["uri"]
        expected = "api/storage/libs-remote-cache/junit/junit/4.13/junit-4.13.pom"
        assert newest == f"{sandbox.url}/artifactory/{expected}"

    @pytest.mark.parametrize("key", ["libs-release", "libs-remote"])
    def test_last_modified_needs_a_repository_that_keeps_items(self, artifactory, key):
        artifactory.post("/api/repositories/libs-remote", json={"storeArtifactsLocally": False})
        assert error_of(artifactory.get(f"/api/storage/{key}/org?lastModified")) == (
            400,
            "This method can only be invoked on local/cached repositories.",
        )

    def test_the_first_argument_decides_whatever_its_value(self, artifactory):
        answer = artifactory.get("/api/storage/generic-local/app?properties&lastModified&list=0")
        assert answer.headers["Content-Type"].endswith("storage.FileList+json")


class TestList:
    def test_files_of_a_folder(self, artifactory, sandbox):
        listing = artifactory.get("/api/storage/generic-local/app?list").json()
        assert listing["uri"] == f"{sandbox.url}/artifactory/api/storage/generic-local/app"
        assert ISO_TIME.fullmatch(listing["created"])
        (entry,) = listing["files"]
        assert (entry["uri"], entry["size"], entry["folder"]) == ("/README.txt", 15, False)
        assert len(entry["sha1"]) == 40
        assert len(entry["sha2"]) == 64

    @pytest.mark.parametrize(
        ("query", "uris"),
        [
            ("", ["/README.txt"]),
            ("&depth=3", ["/README.txt"]),
            ("&listFolders=1", ["/1.0", "/1.1", "/README.txt"]),
            ("&deep=1", ["/1.0/app-1.0.tar.gz", "/1.1/app-1.1.tar.gz", "/README.txt"]),
            ("&deep=1&depth=1&listFolders=1", ["/1.0", "/1.1", "/README.txt"]),
            ("&listFolders=1&includeRootPath=1", ["/", "/1.0", "/1.1", "/README.txt"]),
            ("&includeRootPath=1", ["/", "/README.txt"]),
        ],
    )
    def test_depth_and_folders(self, artifactory, query, uris):
        listing = artifactory.get(f"/api/storage/generic-local/app?list{query}").json()
        assert sorted(entry["uri"] for entry in listing["files"]) == uris

    def test_a_repository_root(self, artifactory):
        listing = artifactory.get("/api/storage/generic-local?list&deep=1&depth=2").json()
        assert [entry["uri"] for entry in listing["files"]] == ["/app/README.txt"]

    def test_metadata_times(self, artifactory):
        listing = artifactory.get("/api/storage/generic-local/app?list&deep=1&mdTimestamps=1").json()
        stamped = {entry["uri"] for entry in listing["files"] if "mdTimestamps" in entry}
        assert stamped == {"/1.0/app-1.0.tar.gz"}

    def test_failures(self, artifactory, artifactory_anonymous, sandbox):
        sandbox.switch("artifact", anonymous=True)
        assert error_of(artifactory_anonymous.get("/api/storage/generic-local/app?list")) == (
            401,
            "This resource is available to authenticated users only.",
        )
        assert error_of(artifactory.get("/api/storage/generic-local/nothing?list"))[0] == 404
        assert error_of(artifactory.get(f"/api/storage/generic-local/{APP}?list"))[0] == 400
        assert error_of(artifactory.get("/api/storage/generic-local/app?list&deep=x"))[0] == 400


class TestDeploy:
    def test_a_file(self, artifactory, sandbox):
        answer = artifactory.put("/generic-local/new/a b.txt", b"new", headers={"X-Checksum-Sha1": _sha1(b"new")})
        assert answer.status_code == 201
        assert answer.headers["Location"] == f"{sandbox.url}/artifactory/generic-local/new/a%20b.txt"
        assert answer.headers["Content-Type"].endswith("storage.ItemCreated+json")
        created = answer.json()
        assert ISO_TIME.fullmatch(created.pop("created"))
        assert created == {
            "repo": "generic-local",
            "path": "/new/a b.txt",
            "createdBy": "admin",
            "downloadUri": f"{sandbox.url}/artifactory/generic-local/new/a b.txt",
            "mimeType": "text/plain",
            "size": "3",
            "checksums": {
                "sha1": _sha1(b"new"),
                "md5": hashlib.md5(b"new").hexdigest(),
                "sha256": hashlib.sha256(b"new").hexdigest(),
            },
            "originalChecksums": {"sha1": _sha1(b"new")},
            "uri": f"{sandbox.url}/artifactory/generic-local/new/a b.txt",
        }

    def test_the_same_again_is_201_and_keeps_the_properties_but_other_bytes_do_not(self, artifactory):
        assert artifactory.put(f"/generic-local/{APP}", CONTENT).status_code == 201
        assert properties_of(artifactory, f"generic-local/{APP}") == {"build.name": ["app"], "build.number": ["1"]}
        assert artifactory.put(f"/generic-local/{APP}", b"other").status_code == 201
        assert properties_of(artifactory, f"generic-local/{APP}") is None

    def test_streamed_and_large(self, artifactory):
        chunk = b"x" * 65536
        answer = artifactory.put("/generic-local/large.bin", (chunk for _unused in range(160)))
        assert answer.json()["size"] == str(160 * 65536)
        assert artifactory.head("/generic-local/large.bin").headers["Content-Length"] == str(160 * 65536)

    def test_wrong_checksums_are_409(self, artifactory):
        answer = artifactory.put("/generic-local/new.txt", b"new", headers={"X-Checksum-Sha256": SHA256})
        actual = hashlib.sha256(b"new").hexdigest()
        assert error_of(answer) == (
            409,
            f"Checksum error for 'new.txt': received '{SHA256}' but actual is '{actual}'",
        )
        assert artifactory.get("/api/storage/generic-local/new.txt").status_code == 404

    def test_by_checksum(self, artifactory):
        headers = {"X-Checksum-Deploy": "true"}
        answer = artifactory.put("/generic-local/copy.tgz", headers={**headers, "X-Checksum-Sha256": SHA256})
        assert answer.status_code == 201
        assert artifactory.get("/generic-local/copy.tgz").content == CONTENT
        for given, message in (
            ({"X-Checksum-Sha256": "0" * 64}, f"No existing file with SHA-256: {'0' * 64}"),
            (
                {"X-Checksum-Sha1": "0" * 40, "X-Checksum-Sha256": "1" * 64},
                f"No existing file with SHA-256: {'1' * 64}",
            ),
            ({"X-Checksum-Sha256": "0" * 63}, f"Invalid SHA-256: {'0' * 63}"),
            ({}, "no checksum header 'X-Checksum-Sha1/X-Checksum-Sha256' was found."),
        ):
            answer = artifactory.put("/generic-local/copy2.tgz", headers={**headers, **given})
            assert error_of(answer) == (404, f"Checksum deploy failed. {message}")

    def test_matrix_parameters_become_properties(self, artifactory):
        answer = artifactory.put("/generic-local/new.txt;qa=passed,twice;odd%20no=;b=x%3By;qa=third", b"new")
        assert error_of(answer)[0] == 400
        answer = artifactory.put("/generic-local/new.txt;qa=passed,twice;b=x%3By;qa=third", b"new")
        assert answer.json()["path"] == "/new.txt"
        assert properties_of(artifactory, "generic-local/new.txt") == {
            "qa": ["passed", "third", "twice"],
            "b": ["x;y"],
        }

    def test_matrix_parameters_are_ignored_without_the_right(self, sandbox, artifactory):
        user = {"name": "ci", "password": "ci", "permissions": {"generic-local": "rw"}}
        sandbox.seed({"artifact": {"users": [user]}})
        ci = Session(f"{sandbox.url}/artifactory", ("ci", "ci"))
        assert ci.put("/generic-local/new.txt;a=b", b"new").status_code == 201
        assert properties_of(artifactory, "generic-local/new.txt") is None
        assert error_of(ci.put("/generic-local/new.txt", b"other")) == (
            403,
            "Not enough permissions to delete/overwrite artifact 'generic-local:new.txt'"
            " (user: 'ci' needs DELETE permission).",
        )

    def test_a_trailing_slash_makes_a_folder(self, artifactory, sandbox):
        answer = artifactory.put("/generic-local/some/folder/", b"ignored")
        assert answer.status_code == 201
        url = f"{sandbox.url}/artifactory/generic-local/some/folder"
        assert answer.headers["Location"] == url
        created = answer.json()
        assert ISO_TIME.fullmatch(created.pop("created"))
        assert created == {
            "repo": "generic-local",
            "path": "/some/folder/",
            "createdBy": "admin",
            "uri": f"{url}/",
        }
        assert artifactory.get("/api/storage/generic-local/some/folder").json()["children"] == []
        assert artifactory.put("/generic-local/").json()["path"] == "/"

    def test_a_folder_takes_matrix_parameters(self, artifactory):
        assert artifactory.put("/generic-local/some/;a=b+c;d").status_code == 201
        assert properties_of(artifactory, "generic-local/some") == {"a": ["b c"], "d": [""]}

    def test_content_that_is_known_is_not_waited_for(self, sandbox, artifactory):
        """A client that waits to be told to go on is not told so: it may keep its bytes."""
        host, port = sandbox.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(
                b"PUT /artifactory/generic-local/known.tgz HTTP/1.1\r\nHost: h\r\nContent-Length: 17\r\n"
                b"Expect: 100-continue\r\nX-Checksum-Sha256: " + SHA256.encode() + b"\r\n"
                b"Authorization: " + artifactory.headers["Authorization"].encode() + b"\r\n\r\n"
            )
            assert connection.recv(65536).startswith(b"HTTP/1.1 201 ")
        assert artifactory.get("/generic-local/known.tgz").content == CONTENT

    def test_an_upload_that_breaks_off_stores_nothing(self, sandbox, artifactory):
        host, port = sandbox.url.removeprefix("http://").split(":")
        sandbox.clear_journal()
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(
                b"PUT /artifactory/generic-local/half.txt HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n"
                b"Authorization: " + artifactory.headers["Authorization"].encode() + b"\r\n\r\nhalf"
            )
            time.sleep(0.1)
        deadline = time.monotonic() + 5
        while not sandbox.journal() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert [entry["status"] for entry in sandbox.journal()] == [None]
        assert artifactory.get("/generic-local/half.txt").status_code == 404

    def test_maven_metadata_of_snapshots_is_accepted_and_not_stored(self, artifactory):
        artifactory.post("/api/repositories/libs-release-local", json={"handleSnapshots": True})
        answer = artifactory.put("/libs-release-local/a/b/1-SNAPSHOT/maven-metadata.xml", b"<metadata/>")
        assert (answer.status_code, answer.content) == (202, b"")
        assert artifactory.get("/libs-release-local/a/b/1-SNAPSHOT/maven-metadata.xml").status_code == 404

    def test_checksum_files(self, artifactory):
        stored = artifactory.put(f"/generic-local/{APP}.sha1", SHA1)
        assert (stored.status_code, stored.headers["Location"]) == (201, f"{artifactory.base}/generic-local/{APP}")
        info = artifactory.get(f"/api/storage/generic-local/{APP}").json()
        assert info["originalChecksums"] == {"sha1": SHA1}
        assert error_of(artifactory.put(f"/generic-local/{APP}.md5", "0" * 32)) == (
            409,
            f"Checksum error for '{APP}.md5': received '{'0' * 32}' but actual is '{MD5}'",
        )
        assert error_of(artifactory.put("/generic-local/nothing.md5", MD5))[0] == 404

    def test_into_a_virtual_repository(self, artifactory, sandbox):
        answer = artifactory.put("/libs-release/org/acme/x/1/x-1.jar", b"x")
        assert (answer.status_code, answer.json()["repo"]) == (201, "libs-release-local")
        artifactory.post("/api/repositories/libs-release", json={"defaultDeploymentRepo": ""})
        answer = artifactory.put("/libs-release/org/acme/x/1/x-1.jar", b"x")
        assert error_of(answer) == (
            405,
            "No local repository was configured as local deployment repository for the (libs-release)"
            " virtual repository.",
        )
        assert answer.headers["Allow"] == "GET"

    @pytest.mark.parametrize("key", ["nothing", "libs-remote", "libs-remote-cache", "storage"])
    def test_into_what_is_no_local_repository(self, artifactory, key):
        answer = artifactory.put(f"/{key}/a/b?properties=a=b", b"")
        assert error_of(answer) == (404, f"Could not find a local repository named {key} to deploy to.")

    def test_refusals(self, artifactory, artifactory_reader, sandbox):
        assert error_of(artifactory_reader.put("/generic-local/new.txt", b"new")) == (
            403,
            "The user: 'reader' is not permitted to deploy 'new.txt' into 'generic-local:new.txt'.",
        )
        assert error_of(artifactory.put("/libs-release-local/a/1-SNAPSHOT/a-1-SNAPSHOT.jar", b""))[0] == 409
        artifactory.post("/api/repositories/generic-local", json={"excludesPattern": "secret/**"})
        assert error_of(artifactory.put("/generic-local/secret/a", b""))[0] == 409
        assert artifactory.put("/generic-local/public/a", b"").status_code == 201
        sandbox.switch("artifact", disk_full=True)
        assert error_of(artifactory.put("/generic-local/new.txt", b"new"))[0] == 413


class TestDownload:
    def test_get_and_head(self, artifactory):
        got, head = artifactory.get(f"/generic-local/{APP}"), artifactory.head(f"/generic-local/{APP}")
        assert (got.content, head.content) == (CONTENT, b"")
        for answer in (got, head):
            headers = answer.headers
            assert answer.status_code == 200
            assert headers["ETag"].strip('"') == headers["X-Checksum-Sha1"] == SHA1
            assert (headers["X-Checksum-Sha256"], headers["X-Checksum-Md5"]) == (SHA256, MD5)
            assert headers["Accept-Ranges"] == "bytes"
            assert headers["X-Artifactory-Filename"] == "app-1.0.tar.gz"
            assert headers["Content-Disposition"] == 'attachment; filename="app-1.0.tar.gz"'
            assert headers["Content-Length"] == str(len(CONTENT))
            assert parsedate_to_datetime(headers["Last-Modified"])

    def test_range_and_not_modified(self, artifactory):
        answer = artifactory.get(f"/generic-local/{APP}", headers={"Range": "bytes=4-8"})
        assert (answer.status_code, answer.content) == (206, b"first")
        beyond = artifactory.get(f"/generic-local/{APP}", headers={"Range": "bytes=100-"})
        assert (beyond.status_code, beyond.headers["Content-Range"]) == (416, f"bytes */{len(CONTENT)}")

    @pytest.mark.parametrize(
        ("condition", "status"),
        [
            ({"If-None-Match": SHA1}, 304),
            ({"If-None-Match": f'"other", W/"{SHA1}"'}, 304),
            ({"If-None-Match": "*"}, 304),
            ({"If-None-Match": "other", "If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}, 200),
            ({"If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}, 304),
            ({"If-Modified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"}, 200),
            ({"If-Modified-Since": "yesterday"}, 200),
        ],
    )
    def test_conditions(self, artifactory, condition, status):
        answer = artifactory.get(f"/generic-local/{APP}", headers=condition)
        assert (answer.status_code, answer.content) == (status, CONTENT if status == 200 else b"")

    def test_the_content_type_has_no_charset(self, artifactory):
        assert artifactory.get("/generic-local/app/README.txt").headers["Content-Type"] == "text/plain"

    def test_checksums_can_be_asked_for_as_files(self, artifactory):
        for suffix, checksum in (("sha1", SHA1), ("md5", MD5), ("sha256", SHA256)):
            answer = artifactory.get(f"/generic-local/{APP}.{suffix}")
            assert (answer.text, answer.headers["Content-Type"]) == (checksum, "application/x-checksum")
        assert artifactory.get("/generic-local/nothing.sha1").status_code == 404
        assert artifactory.get("/generic-local/app.sha1").status_code == 404

    def test_through_virtual_and_remote(self, artifactory):
        for key in ("libs-release", "libs-remote", "libs-remote-cache"):
            assert artifactory.get(f"/{key}/junit/junit/4.13/junit-4.13.pom").text == "<project/>"

    def test_missing(self, artifactory):
        assert error_of(artifactory.get("/generic-local/nothing"))[0] == 404
        assert artifactory.head("/nothing/nothing").status_code == 404

    def test_properties_without_api(self, artifactory):
        answer = artifactory.get(f"/generic-local/{APP}?properties")
        assert answer.json()["properties"] == {"build.name": ["app"], "build.number": ["1"]}


class TestDelete:
    def test_to_the_trash_can(self, artifactory):
        answer = artifactory.delete(f"/generic-local/{APP}")
        assert (answer.status_code, answer.content) == (204, b"")
        assert artifactory.get(f"/generic-local/{APP}").status_code == 404
        assert artifactory.get("/api/storage/generic-local/app/1.0").json()["children"] == []
        trash = artifactory.get("/api/storage/auto-trashcan").json()
        assert trash["children"] == [{"uri": "/generic-local", "folder": True}]
        assert artifactory.get(f"/auto-trashcan/generic-local/{APP}").content == CONTENT
        properties = properties_of(artifactory, f"auto-trashcan/generic-local/{APP}")
        assert abs(int(properties.pop("trash.time")[0]) / 1000 - time.time()) < 60
        assert properties == {
            "build.name": ["app"],
            "build.number": ["1"],
            "trash.deletedBy": ["admin"],
            "trash.originalRepository": ["generic-local"],
            "trash.originalRepositoryType": ["local"],
            "trash.originalPath": [APP],
        }

    def test_again_is_404(self, artifactory):
        artifactory.delete(f"/generic-local/{APP}")
        assert error_of(artifactory.delete(f"/generic-local/{APP}")) == (
            404,
            f"Could not locate artifact 'generic-local:{APP}' (Nothing to delete).",
        )

    def test_a_folder_with_everything_in_it_twice(self, artifactory):
        for content in (b"old", b"new"):
            artifactory.put("/generic-local/app/1.0/other.txt", content)
            assert artifactory.delete("/generic-local/app").status_code == 204
            assert artifactory.get("/api/storage/generic-local").json()["children"] == []
        assert artifactory.get("/auto-trashcan/generic-local/app/1.0/other.txt").content == b"new"
        assert artifactory.get(f"/auto-trashcan/generic-local/{APP}").content == CONTENT
        assert [
            child["uri"] for child in artifactory.get("/api/storage/auto-trashcan/generic-local/app").json()["children"]
        ] == ["/1.0", "/1.1", "/README.txt"]

    def test_a_cache_loses_it_outright(self, artifactory):
        path = "junit/junit/4.13/junit-4.13.pom"
        assert artifactory.delete(f"/libs-remote-cache/{path}").status_code == 204
        assert artifactory.get("/api/storage/auto-trashcan").json()["children"] == []
        assert artifactory.get(f"/libs-remote/{path}").status_code == 404

    @pytest.mark.parametrize("path", ["/nothing/a", "/libs-release/org"])
    def test_what_cannot_be_deleted_from_is_an_empty_404(self, artifactory, path):
        answer = artifactory.delete(path)
        assert (answer.status_code, answer.content) == (404, b"")

    def test_without_the_right(self, artifactory_reader, artifactory_anonymous):
        assert error_of(artifactory_reader.delete(f"/generic-local/{APP}")) == (
            403,
            f"Not enough permissions to delete/overwrite artifact 'generic-local:{APP}'"
            " (user: 'reader' needs DELETE permission).",
        )
        assert artifactory_anonymous.delete(f"/generic-local/{APP}").status_code == 401

    def test_without_the_right_to_something_below(self, sandbox, artifactory):
        rights = {"generic-local": "r", "generic-local/app": "rd", "generic-local/app/*": "d"}
        only_readme = {"generic-local/app/README.txt": "d", "generic-local/app": "r"}
        for permissions, status in ((rights, 204), (only_readme, 403)):
            user = {"name": "ci", "password": "ci", "permissions": {"generic-local/app": "r", **permissions}}
            sandbox.seed({"artifact": {"users": [user]}})
            ci = Session(f"{sandbox.url}/artifactory", ("ci", "ci"))
            assert ci.delete("/generic-local/app").status_code == status
            sandbox.reset()

    def test_a_repository_root_needs_an_administrator(self, sandbox, artifactory):
        sandbox.seed({"artifact": {"users": [{"name": "ci", "password": "ci", "permissions": {"*": "rwda"}}]}})
        ci = Session(f"{sandbox.url}/artifactory", ("ci", "ci"))
        status, message = error_of(ci.delete("/generic-local/"))
        assert (status, message.endswith("This requires admin privileges.")) == (403, True)
        assert artifactory.delete("/generic-local/").status_code == 204
        assert artifactory.get("/api/storage/generic-local").json()["children"] == []

    def test_the_trash_can_is_for_administrators_only_and_never_listed(self, artifactory_reader, artifactory):
        assert artifactory_reader.get("/api/storage/auto-trashcan").status_code == 403
        assert "auto-trashcan" not in artifactory.get("/api/repositories").text

    def test_without_trash_can(self, artifactory, sandbox):
        sandbox.switch("artifact", trashcan=False)
        artifactory.delete(f"/generic-local/{APP}")
        assert artifactory.get("/api/storage/auto-trashcan").json()["children"] == []


class TestProperties:
    ITEM = "/api/storage/generic-local/app/README.txt"
    PATH = "generic-local/app/README.txt"

    def test_get(self, artifactory, sandbox):
        answer = artifactory.get(f"/api/storage/generic-local/{APP}?properties")
        assert answer.headers["Content-Type"].endswith("storage.ItemProperties+json")
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.json() == {
            "properties": {"build.name": ["app"], "build.number": ["1"]},
            "uri": f"{sandbox.url}/artifactory/api/storage/generic-local/{APP}",
        }
        some = artifactory.get(f"/api/storage/generic-local/{APP}?properties=build.number,other").json()
        assert some["properties"] == {"build.number": ["1"]}

    def test_get_from_a_virtual_repository_answers_for_the_first_that_has_some(self, artifactory, sandbox):
        artifactory.put("/api/storage/libs-remote-cache/junit?properties=from=cache&recursive=0")
        artifactory.put("/libs-release-local/junit/")
        answer = artifactory.get("/api/storage/libs-release/junit?properties").json()
        assert answer["properties"] == {"from": ["cache"]}
        assert answer["uri"] == f"{sandbox.url}/artifactory/api/storage/libs-release/junit"
        assert "/libs-remote-cache/junit" in artifactory.get("/api/storage/libs-remote/junit?properties").json()["uri"]

    def test_get_where_there_is_none(self, artifactory):
        assert error_of(artifactory.get(f"{self.ITEM}?properties")) == (404, "No properties could be found.")
        answer = artifactory.get(f"/api/storage/generic-local/{APP}?properties=other")
        assert error_of(answer) == (404, "No properties could be found.")
        answer = artifactory.get("/api/storage/generic-local/nothing?properties")
        assert error_of(answer) == (404, "Unable to find item")

    @pytest.mark.parametrize(
        ("text", "properties"),
        [
            ("a=b", {"a": ["b"]}),
            ("a=b,c,b;d=e|f=g", {"a": ["b", "c"], "d": ["e"], "f": ["g"]}),
            (r"a=b\,c,d", {"a": ["b,c", "d"]}),
            (r"a=b\;c;d=\|\=\\", {"a": ["b;c"], "d": ["|=\\"]}),
            ("a=", {"a": [""]}),
            ("a=b=c;d=e", {"d": ["e"]}),
            ("a=b=c", None),
            ("a= b  c ", {"a": [" b  c "]}),
            ("a=ü€%+&", {"a": ["ü€%+&"]}),
        ],
    )
    def test_set(self, artifactory, text, properties):
        answer = artifactory.put(self.ITEM, params={"properties": text})
        assert (answer.status_code, answer.content) == (204, b"")
        assert properties_of(artifactory, self.PATH) == properties

    def test_an_unencoded_target_is_taken_as_well(self, sandbox, artifactory):
        address = sandbox.url.removeprefix("http://")
        connection = http.client.HTTPConnection(address)
        headers = {"Authorization": artifactory.headers["Authorization"]}
        connection.request("PUT", f"/artifactory{self.ITEM}?properties=a=[1]{{2}}|b=c", headers=headers)
        assert connection.getresponse().status == 204
        connection.close()
        assert properties_of(artifactory, self.PATH) == {"a": ["[1]{2}"], "b": ["c"]}

    def test_set_replaces_the_named_and_keeps_the_others(self, artifactory):
        artifactory.put(f"{self.ITEM}?properties=a=1,2;b=3")
        artifactory.put(f"{self.ITEM}?properties=a=4")
        assert properties_of(artifactory, self.PATH) == {"a": ["4"], "b": ["3"]}

    @pytest.mark.parametrize("name", ["1a", "a b", "a(b", "a/b", "a@b", "-a", "a§", "", "a%b"])
    def test_wrong_names_are_400(self, artifactory, name):
        answer = artifactory.put(self.ITEM, params={"properties": f"{name}=x"})
        assert (answer.status_code, "must start with a letter" in error_of(answer)[1]) == (400, True)
        assert properties_of(artifactory, self.PATH) is None

    @pytest.mark.parametrize("name", ["a.b-c_d:e", "ü", "a1"])
    def test_right_names(self, artifactory, name):
        assert artifactory.put(self.ITEM, params={"properties": f"{name}=x"}).status_code == 204
        assert properties_of(artifactory, self.PATH) == {name: ["x"]}

    @pytest.mark.parametrize(("recursive", "reaches"), [("", True), ("&recursive=1", True), ("&recursive=0", False)])
    def test_folders_are_recursive_by_default(self, artifactory, recursive, reaches):
        artifactory.put(f"/api/storage/generic-local/app?properties=a=b{recursive}")
        assert properties_of(artifactory, "generic-local/app") == {"a": ["b"]}
        below = properties_of(artifactory, f"generic-local/{APP}") or {}
        assert ("a" in below) is reaches
        artifactory.delete(f"/api/storage/generic-local/app?properties=a,build.name,nothing{recursive}")
        assert properties_of(artifactory, "generic-local/app") is None
        below = properties_of(artifactory, f"generic-local/{APP}") or {}
        assert ("build.name" in below) is not reaches

    def test_recursion_stops_at_the_folder(self, artifactory):
        artifactory.put("/generic-local/app-2/file", b"")
        artifactory.put("/api/storage/generic-local/app?properties=a=b")
        assert properties_of(artifactory, "generic-local/app-2/file") is None

    def test_failures(self, artifactory, artifactory_reader):
        assert error_of(artifactory.put("/api/storage/generic-local/nothing?properties=a=b"))[0] == 404
        assert error_of(artifactory.put("/api/storage/nothing/nothing?properties=a=b"))[0] == 404
        assert error_of(artifactory.delete("/api/storage/generic-local/nothing?properties=a"))[0] == 404
        assert error_of(artifactory_reader.put(f"{self.ITEM}?properties=a=b"))[0] == 403
        assert error_of(artifactory.put(f"{self.ITEM}?properties="))[0] == 400
        assert error_of(artifactory.put(self.ITEM))[0] == 400
        assert error_of(artifactory.delete(self.ITEM))[0] == 400
        assert error_of(artifactory.put("/api/storage/libs-release/org?properties=a=b"))[0] == 400

    def test_delete_ignores_what_is_not_there(self, artifactory):
        answer = artifactory.delete(f"{self.ITEM}?properties=nothing")
        assert (answer.status_code, answer.content) == (204, b"")

    def test_delete_all(self, artifactory):
        assert artifactory.delete(f"/generic-local/{APP}:properties").status_code == 204
        assert properties_of(artifactory, f"generic-local/{APP}") is None
        assert artifactory.get(f"/generic-local/{APP}").status_code == 200

    def test_patch(self, artifactory):
        odd = r"a,b|c=d;e\f ü"
        props = {"build.name": None, "qa": ["x", "y"], "odd": odd, "gone": None, "scalars": [True, 1.5]}
        answer = artifactory.patch(f"/api/metadata/generic-local/{APP}", json={"props": props})
        assert (answer.status_code, answer.content) == (204, b"")
        assert properties_of(artifactory, f"generic-local/{APP}") == {
            "build.number": ["1"],
            "qa": ["x", "y"],
            "odd": [odd],
            "scalars": ["1.5", "true"],
        }

    def test_patch_is_recursive_unless_told_otherwise(self, artifactory):
        body = {"props": {"a": "b"}}
        artifactory.patch("/api/metadata/generic-local/app?recursiveProperties=0", json=body)
        assert "a" not in properties_of(artifactory, f"generic-local/{APP}")
        artifactory.patch("/api/metadata/generic-local/app", json=body)
        assert properties_of(artifactory, f"generic-local/{APP}")["a"] == ["b"]

    def test_patch_failures(self, artifactory, artifactory_reader):
        path, body = f"/api/metadata/generic-local/{APP}", {"props": {"a": "b"}}
        assert error_of(artifactory.patch(path, json={})) == (400, "props or stats fields required")
        assert error_of(artifactory.patch(path, data="{"))[0] == 400
        assert error_of(artifactory.patch(path, json={"props": {"a b": "c"}}))[0] == 400
        assert error_of(artifactory_reader.patch(path, json=body))[0] == 403
        assert error_of(artifactory.patch("/api/metadata/generic-local/nothing", json=body))[0] == 404


class TestImages:
    def test_tags(self, artifactory):
        answer = artifactory.get("/api/docker/docker-local/v2/acme/web/tags/list")
        assert answer.json() == {"name": "acme/web", "tags": ["1.0.0", "1.0.1", "latest"]}
        assert answer.headers["Content-Type"] == "application/json"
        assert answer.headers["Docker-Distribution-Api-Version"] == "registry/2.0"
        assert "Link" not in answer.headers
        everything = artifactory.get("/api/docker/docker-local/v2/acme/web/tags/list?n=0")
        assert everything.json() == answer.json()

    def test_catalog(self, artifactory):
        answer = artifactory.get("/api/docker/docker-local/v2/_catalog")
        assert answer.json() == {"repositories": ["acme/web", "acme/worker"]}

    def test_pages_have_an_offset_and_a_path_that_leads_nowhere(self, artifactory):
        path = "/api/docker/docker-local/v2/acme/web/tags/list"
        first = artifactory.get(f"{path}?n=2")
        assert first.json()["tags"] == ["1.0.0", "1.0.1"]
        assert first.headers["Link"] == '</v2/acme/web/tags/list?last=2&n=2>; rel="next"'
        second = artifactory.get(f"{path}?last=2&n=2")
        assert second.json()["tags"] == ["latest"]
        assert "Link" not in second.headers
        catalog = artifactory.get("/api/docker/docker-local/v2/_catalog?n=1")
        assert catalog.headers["Link"] == '</v2/_catalog?last=1&n=1>; rel="next"'

    def test_pages_by_name_on_other_versions(self, artifactory, sandbox):
        sandbox.switch("artifact", image_marker="name")
        path = "/api/docker/docker-local/v2/acme/web/tags/list"
        assert "last=1.0.1&" in artifactory.get(f"{path}?n=2").headers["Link"]
        assert artifactory.get(f"{path}?n=2&last=1.0.1").json()["tags"] == ["latest"]

    def test_unknown(self, artifactory):
        answer = artifactory.get("/api/docker/docker-local/v2/acme/nothing/tags/list")
        assert answer.status_code == 404
        assert answer.json() == {
            "errors": [
                {
                    "code": "NAME_UNKNOWN",
                    "message": "Repository name not known to registry.",
                    "detail": {"name": "acme/nothing"},
                }
            ]
        }
        assert artifactory.get("/api/docker/docker-local/v2/acme/tags/list").status_code == 404
        assert artifactory.get("/api/docker/generic-local/v2/_catalog").status_code == 404

    def test_segments_out_of_order(self, artifactory):
        answer = artifactory.get("/api/docker/v2/docker-local/acme/web/tags/list")
        assert error_of(answer) == (400, "Unsupported docker repository request for 'v2'")

    @pytest.mark.parametrize("anonymous", [True, False])
    def test_no_credentials(self, artifactory_anonymous, sandbox, anonymous):
        sandbox.switch("artifact", anonymous=anonymous)
        sandbox.seed({"artifact": {"users": [{"name": "anonymous"}]}})
        registry = "/api/docker/docker-local/v2"
        for path, scope in (
            ("", ""),
            ("/_catalog", ',scope="registry:catalog:*"'),
            ("/acme/web/tags/list", ',scope="repository:acme/web:pull"'),
        ):
            answer = artifactory_anonymous.get(registry + path)
            assert (answer.status_code, answer.json()["errors"][0]["code"]) == (401, "UNAUTHORIZED")
            assert answer.headers["Content-Type"] == "application/json;charset=ISO-8859-1"
            realm = f'realm="{sandbox.url}/artifactory{registry}/token"'
            service = f'service="{sandbox.url.removeprefix("http://")}"'
            assert answer.headers["WWW-Authenticate"] == f"Bearer {realm},{service}{scope}"

    def test_the_challenge_leads_to_a_token(self, artifactory_reader, artifactory_anonymous, sandbox):
        registry = "/api/docker/docker-local/v2"
        given = artifactory_reader.get(f"{registry}/token?service=x&scope=repository:acme/web:pull").json()
        docker = Session(f"{sandbox.url}/artifactory", given["token"])
        assert docker.get(f"{registry}/acme/web/tags/list").status_code == 200
        sandbox.clock(advance=given["expires_in"] + 1)
        assert docker.get(f"{registry}/acme/web/tags/list").status_code == 401
        refused = artifactory_anonymous.get(f"{registry}/token")
        assert (refused.status_code, refused.headers["WWW-Authenticate"]) == (401, CHALLENGE)

    def test_manifests(self, artifactory):
        path = "/api/docker/docker-local/v2/acme/web/manifests"
        head, got = artifactory.head(f"{path}/1.0.0"), artifactory.get(f"{path}/1.0.0")
        digest = f"sha256:{hashlib.sha256(got.content).hexdigest()}"
        assert head.headers["Docker-Content-Digest"] == got.headers["Docker-Content-Digest"] == digest
        assert got.headers["Content-Type"] == "application/vnd.docker.distribution.manifest.v2+json"
        assert artifactory.get(f"{path}/{digest}").content == got.content
        assert artifactory.head(f"{path}/1.0.1").headers["Docker-Content-Digest"] != digest
        missing = artifactory.get(f"{path}/9")
        assert (missing.status_code, missing.json()["errors"][0]) == (
            404,
            {
                "code": "MANIFEST_UNKNOWN",
                "message": "The named manifest is not known to the registry.",
                "detail": {"manifest": "9"},
            },
        )

    def test_a_tag_is_a_folder(self, artifactory):
        artifactory.delete("/docker-local/acme/web/1.0.0")
        tags = artifactory.get("/api/docker/docker-local/v2/acme/web/tags/list").json()["tags"]
        assert tags == ["1.0.1", "latest"]
        properties = properties_of(artifactory, "docker-local/acme/web/latest/manifest.json")
        assert (properties["docker.repoName"], properties["docker.manifest"]) == (["acme/web"], ["latest"])


class TestTokens:
    def test_create_with_json(self, access, sandbox):
        answer = access.post("/tokens", json={"description": "ci", "username": "ci", "expires_in": 20000})
        assert answer.status_code == 200
        token = answer.json()
        assert set(token) == {"token_id", "access_token", "expires_in", "scope", "token_type", "description"}
        assert (token["expires_in"], token["scope"], token["token_type"]) == (
            20000,
            "applied-permissions/user",
            "Bearer",
        )
        assert token["access_token"].startswith("eyJ2ZXIiOi")
        assert answer.headers["Content-Type"] == "application/json"

    def test_create_with_a_form(self, access):
        token = access.post("/tokens", {"include_reference_token": "true", "refreshable": "true"}).json()
        assert token["expires_in"] == 31536000
        assert len(token["reference_token"]) == 64
        assert token["reference_token"].startswith("cmVmdGtu")
        assert base64.b64decode(token["reference_token"]).startswith(b"reftkn:01:")
        assert token["refresh_token"]

    def test_null_is_as_good_as_not_given(self, access):
        token = access.post("/tokens", json={"grant_type": None, "expires_in": None, "scope": None}).json()
        assert (token["expires_in"], token["scope"]) == (31536000, "applied-permissions/user")

    def test_the_service_sends_the_headers_of_the_product(self, access):
        for answer in (access.get("/tokens"), access.get("/tokens/nothing")):
            assert answer.headers["Server"] == "Artifactory/7.77.3"

    def test_what_the_caller_cannot_choose_is_ignored(self, access):
        token = access.post("/tokens", json={"token_id": "mine", "token_type": "access_token"}).json()
        assert token["token_id"] != "mine"
        assert token["token_type"] == "Bearer"

    def test_one_that_never_expires(self, access):
        token = access.post("/tokens", json={"expires_in": 0}).json()
        assert "expires_in" not in token
        assert "expiry" not in access.get(f"/tokens/{token['token_id']}").json()

    def test_token_and_reference_open_the_repository(self, access, sandbox):
        token = access.post(
            "/tokens", json={"scope": "applied-permissions/admin", "include_reference_token": True}
        ).json()
        for credentials in (
            token["access_token"],
            token["reference_token"],
            ("admin", token["access_token"]),
            ("admin", token["reference_token"]),
        ):
            assert Session(f"{sandbox.url}/artifactory", credentials).get("/api/repositories").status_code == 200

    def test_scopes_limit_what_a_token_opens(self, access, sandbox):
        def session(scope: str) -> Session:
            token = access.post("/tokens", json={"username": "transient", "scope": scope}).json()["access_token"]
            return Session(f"{sandbox.url}/artifactory", token)

        nothing = session("applied-permissions/user")
        assert nothing.get("/api/repositories").json() == []
        assert session('applied-permissions/groups:"readers"').get(f"/generic-local/{APP}").status_code == 200
        one = session("artifact:generic-local/app:r,w")
        assert one.get(f"/generic-local/{APP}").status_code == 200
        assert one.put("/generic-local/app/new", b"").status_code == 201
        assert one.put("/generic-local/new", b"").status_code == 403
        assert one.get("/api/storage/libs-release-local").status_code == 403

    @pytest.mark.parametrize(
        "body",
        [
            {"scope": "applied-permissions/nothing"},
            {"scope": "applied-permissions/user nonsense"},
            {"expires_in": -1},
            {"expires_in": "soon"},
            {"grant_type": "password"},
            {"description": "x" * 1025},
        ],
    )
    def test_bad_requests(self, access, body):
        assert access_error_of(access.post("/tokens", json=body)) == (400, "BAD_REQUEST")

    def test_error_envelope_to_the_byte(self, access):
        answer = access.get("/tokens/nothing")
        assert answer.text == (
            '{\n  "errors" : [ {\n    "code" : "NOT_FOUND",\n    "message" : "Token with id nothing not found"\n'
            "  } ]\n}"
        )

    def test_credentials(self, sandbox):
        tokens = f"{sandbox.url}/access/api/v1/tokens"
        assert access_error_of(requests.get(tokens)) == (401, "UNAUTHORIZED")
        assert access_error_of(requests.get(tokens, auth=("admin", "wrong"))) == (401, "UNAUTHORIZED")
        wrong = {"Authorization": "Bearer wrong"}
        assert access_error_of(requests.get(tokens, headers=wrong)) == (401, "UNAUTHORIZED")
        assert requests.post(tokens, auth=("admin", "sandbox-admin")).status_code == 200
        sandbox.switch("artifact", basic_creates_tokens=False)
        assert access_error_of(requests.post(tokens, auth=("admin", "sandbox-admin"))) == (401, "UNAUTHORIZED")

    @pytest.mark.parametrize(
        "body",
        [{"username": "admin"}, {"scope": "applied-permissions/admin"}, {"expires_in": 0}, {"expires_in": 10**9}],
    )
    def test_others_than_administrators_may_do_less(self, sandbox, body):
        reader = Session(f"{sandbox.url}/access/api/v1", ("reader", "sandbox-reader"))
        assert access_error_of(reader.post("/tokens", json=body)) == (403, "FORBIDDEN")
        assert reader.post("/tokens", json={}).status_code == 200

    def test_list(self, access):
        before = access.get("/tokens").json()["tokens"]
        made = access.post("/tokens", json={"description": "web one", "username": "ci", "expires_in": 20000}).json()
        entry = next(entry for entry in access.get("/tokens").json()["tokens"] if entry not in before)
        assert re.fullmatch(r"jfac@01\w+/users/ci", entry["subject"])
        assert entry["subject"].startswith(entry["issuer"])
        assert abs(entry["issued_at"] - time.time()) < 60
        assert entry["expiry"] - entry["issued_at"] == 20000
        assert {name: entry[name] for name in ("token_id", "description", "refreshable", "scope")} == {
            "token_id": made["token_id"],
            "description": "web one",
            "refreshable": False,
            "scope": "applied-permissions/user",
        }
        assert "last_used" not in entry
        assert "access_token" not in entry

    def test_list_filtered_and_ordered(self, access, sandbox):
        made = {}
        for name, fields in (
            ("b", {"description": "web b", "username": "ci"}),
            ("a", {"description": "web a", "username": "deploy", "refreshable": True, "expires_in": 20000}),
            ("c", {"description": "batch", "username": "ci", "expires_in": 0}),
        ):
            made[name] = access.post("/tokens", json=fields).json()["token_id"]
            sandbox.clock(advance=10)

        def found(query: str) -> str:
            ids = [entry["token_id"] for entry in access.get(f"/tokens?{query}").json()["tokens"]]
            return "".join(name for token_id in ids for name in made if made[name] == token_id)

        assert found("description=web*") == "ba"
        assert found("description=web") == found("description=[w]eb*") == found("description=web?b") == ""
        assert found("description=*b*") == "bac"
        assert found("username=ci") == "bc"
        assert found("refreshable=true") == "a"
        assert found(f"token_id={made['c']}") == "c"
        assert found("order_by=created&descending_order=true") == "cab"
        assert found("order_by=expiry") == "abc"
        assert found("order_by=subject") in ("bca", "cba")
        assert access_error_of(access.get("/tokens?order_by=colour")) == (400, "BAD_REQUEST")
        assert access.get("/tokens?username=nobody").json() == {"tokens": []}

    def test_others_see_their_own(self, access, sandbox):
        access.post("/tokens", json={"username": "reader"})
        reader = Session(f"{sandbox.url}/access/api/v1", ("reader", "sandbox-reader"))
        (own,) = reader.get("/tokens").json()["tokens"]
        assert own["subject"].endswith("/users/reader")
        other = access.get("/tokens/me").json()["token_id"]
        assert access_error_of(reader.get(f"/tokens/{other}")) == (404, "NOT_FOUND")
        assert access_error_of(reader.delete(f"/tokens/{other}")) == (403, "FORBIDDEN")

    def test_me(self, access, sandbox):
        assert access.get("/tokens/me").json()["description"] == "the sandbox's own"
        sandbox.switch("artifact", version="7.53.0")
        assert access_error_of(access.get("/tokens/me")) == (404, "NOT_FOUND")

    def test_last_use_is_told_by_new_versions(self, access, sandbox):
        sandbox.switch("artifact", version="7.108.3")
        assert abs(access.get("/tokens/me").json()["last_used"] - time.time()) < 60

    @pytest.mark.parametrize(("expires_in", "stored"), [(10799, False), (10800, True), (0, True)])
    def test_short_lived_tokens_work_but_are_not_stored(self, access, sandbox, expires_in, stored):
        token = access.post("/tokens", json={"username": "admin", "expires_in": expires_in}).json()
        session = Session(f"{sandbox.url}/artifactory", token["access_token"])
        assert session.get("/api/repositories").status_code == 200
        assert access.get(f"/tokens/{token['token_id']}").status_code == (200 if stored else 404)
        assert (token["token_id"] in access.get("/tokens").text) is stored
        assert access.delete(f"/tokens/{token['token_id']}").status_code == (200 if stored else 204)
        assert session.get("/api/repositories").status_code == (401 if stored else 200)

    def test_the_threshold_is_a_switch(self, access, sandbox):
        sandbox.switch("artifact", persistency_threshold=60)
        token = access.post("/tokens", json={"expires_in": 100}).json()
        assert access.get(f"/tokens/{token['token_id']}").status_code == 200

    def test_short_lived_ones_can_be_made_revocable(self, access):
        token = access.post("/tokens", json={"expires_in": 100, "force_revocable": True}).json()
        assert access.get(f"/tokens/{token['token_id']}").status_code == 200

    @pytest.mark.parametrize("expires_in", [100, 20000])
    def test_they_expire(self, access, sandbox, expires_in):
        token = access.post("/tokens", json={"expires_in": expires_in, "include_reference_token": True}).json()
        sandbox.clock(advance=expires_in + 1)
        for credentials in (token["access_token"], token["reference_token"]):
            answer = Session(f"{sandbox.url}/artifactory", credentials).get("/api/repositories")
            assert error_of(answer) == (401, "Token failed verification: expired")
        sandbox.clock(advance=3600)
        assert token["token_id"] not in access.get("/tokens").text
        assert access_error_of(access.get(f"/tokens/{token['token_id']}")) == (404, "NOT_FOUND")

    def test_revoke_by_id(self, access, sandbox):
        token = access.post("/tokens", json={"include_reference_token": True}).json()
        assert access.delete(f"/tokens/{token['token_id']}").status_code == 200
        assert access.delete(f"/tokens/{token['token_id']}").status_code == 204
        assert access.delete("/tokens/never-was").status_code == 204
        assert access_error_of(access.get(f"/tokens/{token['token_id']}")) == (404, "NOT_FOUND")
        for credentials in (token["access_token"], token["reference_token"]):
            answer = Session(f"{sandbox.url}/artifactory", credentials).get("/api/repositories")
            assert error_of(answer) == (401, "Token failed verification: revoked")

    @pytest.mark.parametrize("kind", ["access_token", "reference_token"])
    def test_revoke_by_value(self, access, kind):
        token = access.post("/tokens", json={"include_reference_token": True}).json()
        answer = access.delete("/tokens/revoke", json={"token": token[kind]})
        assert (answer.status_code, answer.json()) == (200, {"revoked-token-id": token["token_id"]})

    def test_refresh(self, access, sandbox):
        first = access.post("/tokens", json={"description": "r", "refreshable": True, "expires_in": 20000}).json()
        body = {"grant_type": "refresh_token", "refresh_token": first["refresh_token"]}
        second = requests.post(f"{sandbox.url}/access/api/v1/tokens", data=body)
        assert second.status_code == 200
        assert second.json()["expires_in"] == 20000
        assert second.json()["token_id"] != first["token_id"]
        assert access.get(f"/tokens/{second.json()['token_id']}").json()["description"] == "r"
        assert access.get(f"/tokens/{first['token_id']}").status_code == 404
        assert access_error_of(access.post("/tokens", json=body)) == (401, "UNAUTHORIZED")

    def test_there_is_no_such_service_before_7_21(self, access, sandbox):
        sandbox.switch("artifact", version="7.21.0")
        assert access_error_of(access.get("/tokens")) == (404, "NOT_FOUND")

    def test_refreshing_counts_as_a_write_and_listing_as_a_read(self, access, sandbox):
        sandbox.clear_journal()
        access.get("/tokens")
        access.post("/tokens", json={})
        access.delete("/tokens/never-was")
        assert [(entry["label"], entry["effect"]) for entry in sandbox.journal()] == [
            ("list_tokens", "read"),
            ("create_token", "write"),
            ("revoke_token", "write"),
        ]


def _sha1(content: bytes) -> str:
    return hashlib.sha1(content).hexdigest()
