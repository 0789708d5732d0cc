# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the differences between Artifactory editions and versions."""

from __future__ import annotations

import hashlib

import pytest

from support.session import Session
from support.wire.artifact import APP, CONTENT, MD5, SHA1, SHA256, error_of, properties_of

FILE = f"generic-local/{APP}"
RELEASES = {
    "key": "maven-release-local",
    "rclass": "local",
    "packageType": "maven",
    "repoLayoutRef": "maven-2-default",
    "handleSnapshots": False,
}
OLD_PRO_MESSAGE = (
    "This REST API is available only in Artifactory Pro (see: http://www.jfrog.com/addons.php). If you are already"
    " running Artifactory Pro please make sure your server is activated with a valid license key."
)
OLD_VERSIONS = ["4.4.2", "5.4.6"]  # what the first does holds before 6 unless the second differs


@pytest.fixture
def oss(sandbox):
    sandbox.switch("artifact", edition="oss")


@pytest.fixture(params=OLD_VERSIONS)
def old_version(sandbox, request):
    sandbox.switch("artifact", version=request.param)
    return request.param


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/storage/generic-local/app?list"),
        ("GET", "/api/storage/generic-local/app?lastModified"),
        ("GET", "/api/repositories/generic-local"),
        ("GET", "/api/docker/docker-local/v2/_catalog"),
        ("PUT", f"/api/storage/{FILE}?properties=a=b"),
        ("DELETE", f"/api/storage/{FILE}?properties=build.name"),
        ("PATCH", f"/api/metadata/{FILE}"),
        ("POST", "/api/copy/generic-local/app?to=/generic-local/copy"),
        ("POST", "/api/move/generic-local/app?to=/generic-local/moved"),
        ("POST", "/api/build/promote/app/1"),
        ("POST", "/api/build/retention/app"),
        ("POST", "/api/build/rename/app?to=other"),
        ("DELETE", "/api/build/app?deleteAll=1"),
        ("POST", "/api/build/delete"),
        ("POST", "/api/build/patternArtifacts"),
    ],
)
def test_oss_refuses_calls_that_require_pro(artifactory, oss, method, path):
    status, message = error_of(artifactory.request(method, path))
    assert status == 400
    assert message.startswith("This REST API is available only in Artifactory Pro")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/storageinfo/calculate"),
        ("POST", "/api/security/token"),
        ("GET", "/api/security/token"),
        ("POST", "/api/security/token/revoke"),
    ],
)
def test_oss_does_not_know_some_calls(artifactory, oss, method, path):
    assert error_of(artifactory.request(method, path)) == (404, "Not Found")


def test_oss_changes_nothing_when_it_refuses_a_call(artifactory, sandbox, oss):
    artifactory.delete(f"/{FILE}")
    artifactory.delete("/api/build/app?deleteAll=1")
    sandbox.switch("artifact", edition="pro")
    assert artifactory.get(f"/auto-trashcan/{FILE}").content == CONTENT
    assert artifactory.get("/api/build/app/1").status_code == 200


def test_oss_has_no_access_tokens(sandbox, oss):
    access = Session(f"{sandbox.url}/access", ("admin", "sandbox-admin"))
    assert access.post("/api/v1/tokens").status_code == 404
    assert access.get("/api/v1/tokens").status_code == 404


def test_oss_serves_other_calls(artifactory, oss):
    assert artifactory.put("/generic-local/new.txt;qa=passed;qa=twice", b"new").status_code == 201
    assert properties_of(artifactory, "generic-local/new.txt") == {"qa": ["passed", "twice"]}
    assert artifactory.get("/api/storageinfo").status_code == 200
    assert artifactory.get("/api/repositories").status_code == 200
    assert artifactory.get("/api/build/app/1").status_code == 200
    assert artifactory.delete("/generic-local/new.txt").status_code == 204


def test_old_version_returns_no_sha256(artifactory, old_version):
    info = artifactory.get(f"/api/storage/{FILE}").json()
    assert info["checksums"] == {"sha1": SHA1, "md5": MD5}
    assert info["originalChecksums"] == {}
    files = artifactory.get("/api/storage/generic-local/app/1.0?list").json()["files"]
    assert [sorted(entry) for entry in files] == [["folder", "lastModified", "sha1", "size", "uri"]]
    headers = artifactory.head(f"/{FILE}").headers
    assert (headers["X-Checksum-Sha1"], "X-Checksum-Sha256" in headers) == (SHA1, False)


def test_old_version_ignores_a_sha256_header(artifactory, old_version):
    created = artifactory.put("/generic-local/new.txt", b"new", headers={"X-Checksum-Sha256": SHA256})
    assert created.status_code == 201
    assert created.json()["checksums"] == {"sha1": _hash("sha1", b"new"), "md5": _hash("md5", b"new")}
    assert created.json()["originalChecksums"] == {}


def test_old_version_requires_sha1_for_checksum_deploy(artifactory, old_version):
    headers = {"X-Checksum-Deploy": "true", "X-Checksum-Sha256": SHA256}
    response = artifactory.put("/generic-local/copy.tgz", headers=headers)
    assert error_of(response) == (404, f"Checksum deploy failed. Invalid SHA256: {SHA256}")
    response = artifactory.put("/generic-local/copy.tgz", headers={**headers, "X-Checksum-Sha1": SHA1})
    assert response.status_code == 201
    assert artifactory.get("/generic-local/copy.tgz").content == CONTENT


def test_old_version_stores_sha256_files_as_ordinary_files(artifactory, old_version):
    assert artifactory.get(f"/{FILE}.sha256").status_code == 404
    assert artifactory.put(f"/{FILE}.sha256", b"x").json()["path"] == f"/{APP}.sha256"
    assert artifactory.get(f"/{FILE}.sha256").content == b"x"
    assert artifactory.get(f"/{FILE}.sha1").text == SHA1


@pytest.mark.parametrize(
    ("method", "refusal"),
    [("GET", (404, "Not Found")), ("PUT", (403, "")), ("DELETE", (403, ""))],
)
@pytest.mark.parametrize("path", ["/none", "/none/", "/none/x"])
def test_old_version_returns_empty_403_when_the_repository_is_unknown(artifactory, old_version, method, refusal, path):
    assert error_of(artifactory.request(method, path)) == refusal


@pytest.mark.parametrize(
    ("method", "path", "message", "old_message"),
    [
        (
            "GET",
            f"/{FILE}",
            "Request for 'generic-local:{0}' is forbidden for user: '{1}'.",
            "Download request for repo:path 'generic-local:{0}' is forbidden for user '{1}'.",
        ),
        (
            "PUT",
            f"/{FILE}",
            "The user: '{1}' is not permitted to deploy '{0}' into 'generic-local:{0}'.",
            "User {1} is not permitted to deploy '{0}' into 'generic-local:{0}'.",
        ),
        (
            "DELETE",
            f"/{FILE}",
            "Not enough permissions to delete/overwrite artifact 'generic-local:{0}'"
            " (user: '{1}' needs DELETE permission).",
            "Not enough permissions to overwrite artifact 'generic-local:{0}' (user '{1}' needs DELETE permission).",
        ),
    ],
    ids=["download", "deploy", "delete"],
)
@pytest.mark.parametrize("version", OLD_VERSIONS)
def test_permission_messages_depend_on_the_version(sandbox, method, path, message, old_message, version):
    sandbox.seed({"artifact": {"users": [{"name": "stranger", "password": "x"}]}})
    stranger = Session(f"{sandbox.url}/artifactory", ("stranger", "x"))
    assert error_of(stranger.request(method, path)) == (403, message.format(APP, "stranger"))
    sandbox.switch("artifact", version=version)
    assert error_of(stranger.request(method, path)) == (403, old_message.format(APP, "stranger"))


@pytest.mark.parametrize("version", OLD_VERSIONS)
@pytest.mark.parametrize("argument", ["", "?stats"])
def test_refused_item_info_has_an_error_body_when_the_client_does_not_accept_json(sandbox, argument, version):
    sandbox.seed({"artifact": {"users": [{"name": "stranger", "password": "x"}]}})
    path, stranger = f"/api/storage/{FILE}{argument}", Session(f"{sandbox.url}/artifactory", ("stranger", "x"))
    message = f"Request for 'generic-local:{APP}' is forbidden for user: 'stranger'."
    assert stranger.get(path).text == message
    assert error_of(stranger.get(path, headers={"Accept": "application/xml"})) == (403, message)
    sandbox.switch("artifact", version=version)
    assert stranger.get(path).text == message.replace("user:", "user")


@pytest.mark.parametrize("version", OLD_VERSIONS)
@pytest.mark.parametrize("path", ["/api/storage/generic-local/app", "/api/storage/generic-local", "/api/repositories"])
def test_info_is_cacheable_when_the_version_is_old(artifactory, sandbox, path, version):
    assert artifactory.get(path).headers["Cache-Control"] == "no-store"
    sandbox.switch("artifact", version=version)
    assert "Cache-Control" not in artifactory.get(path).headers


def test_old_version_lists_no_package_types(artifactory, old_version):
    repositories = artifactory.get("/api/repositories?packageType=docker").json()
    assert repositories == artifactory.get("/api/repositories").json()
    assert not any("packageType" in entry for entry in repositories)


def test_old_version_nests_a_second_storage_summary(artifactory, old_version):
    summary = artifactory.get("/api/storageinfo").json()
    assert summary.pop("storageSummary") == summary
    assert sorted(summary["repositoriesSummaryList"][0]) == [
        *("filesCount", "foldersCount", "itemsCount", "packageType", "percentage", "repoKey", "repoType", "usedSpace"),
    ]


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ("stats&properties", "ItemProperties"),
        ("stats&lastModified", "ItemLastModified"),
        ("stats&permissions", "ItemPermissions"),
        ("stats&list", "FileList"),
        ("stats", "StatsInfo"),
    ],
)
def test_old_version_evaluates_the_stats_argument_last(artifactory, old_version, arguments, kind):
    artifactory.put("/api/storage/generic-local/app?properties=a=b")
    response = artifactory.get(f"/api/storage/generic-local/app?{arguments}")
    assert response.headers["Content-Type"].endswith(f"storage.{kind}+json")


def test_old_version_does_not_resolve_a_remote_key_to_its_cache(artifactory, old_version):
    assert error_of(artifactory.get("/api/storage/libs-remote")) == (404, "Unable to find item")
    assert artifactory.get("/api/storage/libs-remote-cache").status_code == 200


@pytest.mark.parametrize("version", OLD_VERSIONS)
def test_old_version_permits_users_to_delete_a_repository_root(artifactory, sandbox, version):
    sandbox.seed({"artifact": {"users": [{"name": "ci", "password": "ci", "permissions": {"generic-local": "rd"}}]}})
    ci = Session(f"{sandbox.url}/artifactory", ("ci", "ci"))
    assert error_of(ci.delete("/generic-local"))[0] == 403
    sandbox.switch("artifact", version=version)
    assert ci.delete("/generic-local").status_code == 204
    assert artifactory.get("/api/storage/generic-local").json()["children"] == []


@pytest.mark.parametrize("version", OLD_VERSIONS)
def test_old_version_finds_properties_of_unreadable_items(artifactory, sandbox, version):
    artifactory.put("/api/storage/generic-local/app?properties=qa=passed&recursive=0")
    sandbox.seed({"artifact": {"users": [{"name": "stranger", "password": "x"}]}})
    stranger = Session(f"{sandbox.url}/artifactory", ("stranger", "x"))
    assert stranger.get("/api/search/prop?qa=passed").json() == {"results": []}
    sandbox.switch("artifact", version=version)
    uri = f"{artifactory.base}/api/storage/generic-local/app"
    assert stranger.get("/api/search/prop?qa=passed").json() == {"results": [{"uri": uri}]}


def test_version_4_uses_the_creation_time_when_a_file_was_never_downloaded(artifactory, sandbox):
    sandbox.switch("artifact", version="4.4.2")
    now = sandbox.clock(frozen=True, advance=1000)["now"]
    artifactory.put("/generic-release-local/never.txt", b"x")
    artifactory.put("/generic-release-local/once.txt", b"x")
    sandbox.clock(advance=1000)
    artifactory.get("/generic-release-local/once.txt")
    sandbox.clock(advance=5)
    search = f"/api/search/usage?repos=generic-release-local&notUsedSince={int(now + 2000) * 1000}"

    def search_usage(arguments: str = "") -> dict[str, dict[str, str]]:
        results = artifactory.get(search + arguments).json()["results"]
        return {result.pop("uri").rpartition("/")[2]: result for result in results}

    usage = search_usage()
    assert [list(result) for result in usage.values()] == [["lastDownloaded"]] * 2
    created = artifactory.get("/api/storage/generic-release-local/never.txt").json()["created"]
    assert usage["never.txt"] == {"lastDownloaded": created}
    assert search_usage("&createdBefore=1") == {"once.txt": usage["once.txt"]}


def _hash(algorithm: str, content: bytes) -> str:
    return hashlib.new(algorithm, content).hexdigest()


TRASH_CALLS = [
    ("DELETE", f"/api/trash/clean/{FILE}"),
    ("POST", f"/api/trash/restore/{FILE}"),
    ("POST", "/api/trash/empty"),
]


@pytest.mark.parametrize(("method", "path"), TRASH_CALLS)
@pytest.mark.parametrize(("version", "statuses"), [("4.4.2", (404,)), ("5.4.6", (202, 204)), ("7.77.3", (202, 204))])
def test_oss_has_a_trash_can_since_version_5(artifactory, sandbox, oss, method, path, version, statuses):
    sandbox.switch("artifact", version=version)
    assert artifactory.delete(f"/{FILE}").status_code == 204
    assert artifactory.request(method, path).status_code in statuses


@pytest.mark.parametrize(
    ("version", "query", "status"),
    [
        ("4.4.2", "", 405),
        ("5.4.6", "", 204),
        ("5.4.6", "?async=true", 204),
        ("6.20.0", "", 400),
        ("6.20.0", "?async=true", 204),
    ],
)
def test_oss_before_version_7_never_discards_runs(artifactory, sandbox, oss, version, query, status):
    sandbox.switch("artifact", version=version)
    assert artifactory.post(f"/api/build/retention/app{query}", json={"count": 1}).status_code == status
    assert artifactory.get("/api/build/app/1").status_code == 200


def test_oss_has_no_client_certificates(artifactory, sandbox, oss):
    sandbox.switch("artifact", version="5.4.6")
    address = "/api/system/security/certificates"
    message = "Client certificate is only supported on licensed Artifactory versions."
    assert error_of(artifactory.post(f"{address}/c1", data=b"x")) == (400, message)
    assert artifactory.get(address).json() == []


@pytest.mark.parametrize(("version", "status"), [("5.4.6", 405), ("5.8.3", 200)])
def test_yaml_is_merged_since_version_5_8(artifactory, sandbox, version, status):
    sandbox.switch("artifact", version=version)
    headers = {"Content-Type": "application/yaml"}
    answer = artifactory.patch("/api/system/configuration", data=b"urlBase: http://a.example", headers=headers)
    assert answer.status_code == status


@pytest.mark.parametrize(
    ("edition", "version", "method", "path", "refusal"),
    [
        ("oss", "4.4.2", "GET", "/api/storage/generic-local/app?list", "http://www.jfrog.com/addons.php"),
        ("oss", "5.4.6", "GET", "/api/storage/generic-local/app?list", "http://www.jfrog.com/addons.php"),
        ("oss", "6.20.0", "GET", "/api/storage/generic-local/app?list", "jfrog.com/artifactory/features"),
    ],
)
def test_message_of_calls_that_require_pro_depends_on_the_version(
    artifactory, sandbox, edition, version, method, path, refusal
):
    sandbox.switch("artifact", edition=edition, version=version)
    status, message = error_of(artifactory.request(method, path))
    assert (status, message.partition("(see: ")[2].partition(")")[0]) == (400, refusal)


@pytest.mark.parametrize(
    ("version", "seconds"), [("4.4.2", [1, 1, 1, 2]), ("5.4.6", [1, 1, 1, 1]), ("7.77.3", [1, 1, 1, 2])]
)
def test_logins_during_a_block_count_except_in_versions_5_and_6(sandbox, version, seconds):
    sandbox.clock(frozen=True)
    sandbox.switch("artifact", version=version)
    intruder = Session(f"{sandbox.url}/artifactory", ("intruder", "wrong"))
    assert [intruder.get("/api/system/ping").status_code for _attempt in range(3)] == [401] * 3
    messages = [error_of(intruder.get("/api/system/ping"))[1] for _attempt in range(4)]
    assert [int(message.split()[-2]) for message in messages] == seconds


CONTENT_CALLS = [
    # A slash after matrix parameters makes no folder.
    ("4.4.2", "PUT", "/generic-local/new;k=v/", (201, "/new/")),
    ("5.4.6", "PUT", "/generic-local/new;k=v/", (201, "/new")),
    ("5.4.6", "PUT", "/generic-local/new/;k=v", (201, "/new/")),
    ("7.77.3", "PUT", "/generic-local/new;k=v/", (201, "/new/")),
    # The root of a repository is a folder.
    ("4.4.2", "PUT", "/generic-local", (500, "Cannot save resource, no parent repo path exists")),
    ("5.4.6", "PUT", "/generic-local", (201, "/")),
    ("7.77.3", "PUT", "/generic-local", (500, "Cannot save resource, no parent repo path exists")),
    # Folders in virtual repositories.
    ("4.4.2", "PUT", "/libs-release/new/", (500, "Repository 'libs-release' is not a local repository")),
    ("5.4.6", "PUT", "/libs-release/new/", (500, "Repository 'libs-release' is not a local repository")),
    ("5.4.6", "PUT", "/libs-release", (500, "Repository 'libs-release' is not a local repository")),
    ("7.77.3", "PUT", "/libs-release/new/", (201, "/new/")),
    # A folder below a file, and a file in place of a folder.
    ("4.4.2", "PUT", f"/{FILE}/x/", (500, "Could not create fsItem")),
    ("5.4.6", "PUT", f"/{FILE}/x/", (500, f"Could not create file system item Parent {APP} must be a folder")),
    ("4.4.2", "GET", f"/{FILE}/", (404, '{"error":"not found"}')),
    (
        *("5.4.6", "GET", f"/{FILE}/"),
        (404, f'{{"error":"Expected a folder but found a file, at: generic-local:{APP}"}}'),
    ),
    ("5.4.6", "GET", "/generic-local/none/", (404, '{"error":"Item generic-local:none does not exist"}')),
    # Repositories that do not exist or are internal.
    ("4.4.2", "PUT", "/auto-trashcan/x", (403, "")),
    ("5.4.6", "PUT", "/auto-trashcan/x/", (403, "")),
    ("5.4.6", "DELETE", "/", (403, "")),
    (
        "5.4.6",
        "DELETE",
        "/generic-local/no//ne",
        (404, "Could not locate artifact 'generic-local:no//ne' (Nothing to delete)."),
    ),
]


@pytest.mark.parametrize(("version", "method", "path", "outcome"), CONTENT_CALLS)
def test_content_paths_depend_on_the_version(artifactory, sandbox, version, method, path, outcome):
    sandbox.switch("artifact", version=version)
    response = artifactory.request(method, path)
    assert (error_of(response) if response.status_code >= 400 else (201, response.json()["path"])) == outcome


@pytest.mark.parametrize(
    ("version", "method", "message"),
    [
        (
            "4.4.2",
            "PUT",
            "rejected the artifact 'maven-release-local:{0}' due to its snapshot/release handling policy.",
        ),
        (
            *("5.4.6", "PUT"),
            "rejected the resolution of an artifact 'maven-release-local:{0}' due to conflict in the snapshot release"
            " handling policy.",
        ),
        (
            "7.77.3",
            "GET",
            "rejected the artifact 'maven-release-local:{0}' due to its snapshot/release handling policy.",
        ),
    ],
)
def test_message_of_the_snapshot_policy_depends_on_the_version(artifactory, sandbox, version, method, message):
    sandbox.seed({"artifact": {"repositories": [RELEASES]}})
    sandbox.switch("artifact", version=version)
    path = "org/app/1.0-SNAPSHOT/app-1.0-SNAPSHOT.jar"
    status, text = error_of(artifactory.request(method, f"/maven-release-local/{path}"))
    assert (status, text) == (409, f"The repository 'maven-release-local' {message.format(path)}")


@pytest.mark.parametrize(
    ("path", "has_length"), [(f"/{FILE}", True), ("/generic-local/app/", False), (f"/api/storage/{FILE}", False)]
)
def test_old_version_answers_head_without_the_length_of_calls_and_folders(artifactory, sandbox, path, has_length):
    for version, expected in [*((version, has_length) for version in OLD_VERSIONS), ("7.77.3", True)]:
        sandbox.switch("artifact", version=version)
        assert (artifactory.head(path).headers["Content-Length"] != "0") is expected


@pytest.mark.parametrize("method", ["HEAD", "DELETE", "PROPFIND"])
@pytest.mark.parametrize(("version", "status"), [("4.4.2", 404), ("5.4.6", 405)])
def test_a_version_does_not_know_the_resources_of_later_ones(artifactory, sandbox, method, version, status):
    sandbox.switch("artifact", version=version)
    assert artifactory.request(method, "/api/trash/empty").status_code == status


@pytest.mark.parametrize(
    ("version", "method", "path", "outcome"),
    [
        ("4.4.2", "GET", "/api/security/token", (400, OLD_PRO_MESSAGE)),
        ("4.4.2", "POST", "/api/security/token", (405, "Method Not Allowed")),
        ("7.77.3", "GET", "/api/security/token", (404, "Not Found")),
        ("4.4.2", "GET", "/api/docker/generic-local/v2/_catalog", (404, "Not Found")),
        ("5.4.6", "GET", "/api/docker/generic-local/v2/_catalog", (401, "Authentication is required")),
        ("5.4.6", "GET", "/v2/_catalog", (401, "Authentication is required")),
        ("4.4.2", "GET", "/api/system/service_id", (404, "Not Found")),
        ("4.4.2", "GET", "/api/system/licenses", (404, "Not Found")),
        ("5.4.6", "GET", f"/api/storage/{FILE}?list&deep=x", (400, 'For input string: "x"')),
        (
            *("5.4.6", "GET", "/api/storage/libs-remote/x?permissions"),
            (400, "This method can only be invoked on local repositories."),
        ),
        ("5.4.6", "GET", "/api/storage/libs-remote/x?lastModified", (400, OLD_PRO_MESSAGE)),
    ],
)
def test_refusals_of_oss_depend_on_the_version(sandbox, oss, version, method, path, outcome):
    sandbox.switch("artifact", version=version)
    base = sandbox.url if path.startswith("/v2") else f"{sandbox.url}/artifactory"
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    response = Session(base, ("admin", "sandbox-admin")).request(method, path, headers=headers)
    assert error_of(response) == outcome


def test_oss_has_tokens_in_versions_5_and_6(artifactory, sandbox, oss):
    sandbox.switch("artifact", version="5.4.6")
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    response = artifactory.post("/api/security/token", b"username=ci&expires_in=60", headers=headers)
    assert (response.status_code, sorted(response.json())) == (
        200,
        ["access_token", "expires_in", "scope", "token_type"],
    )
    bearer = Session(f"{sandbox.url}/artifactory", response.json()["access_token"])
    assert bearer.get("/api/system/ping").status_code == 200
    artifactory.post("/api/security/token", b"username=ci&expires_in=0", headers=headers)
    entries = artifactory.get("/api/security/token").json()["tokens"]
    assert [entry["subject"].partition("@")[0] for entry in entries if entry["subject"].endswith("/ci")] == ["jfrt"]


@pytest.mark.parametrize("version", ["4.4.2", "5.4.6", "7.77.3"])
def test_users_can_read_their_api_key(sandbox, oss, version):
    users = [{"name": "ci", "password": "x"}, {"name": "cd", "password": "x", "api_key": "AKC"}]
    sandbox.seed({"artifact": {"users": users}})
    sandbox.switch("artifact", version=version)
    keys = [Session(f"{sandbox.url}/artifactory", (name, "x")).get("/api/security/apiKey") for name in ("ci", "cd")]
    assert [key.json() for key in keys] == [{}, {"apiKey": "AKC"}]
    assert keys[0].headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("version", "headers", "error"),
    [
        ("4.4.2", {"Authorization": "Bearer x"}, (401, "Bad Props auth Key:basictoken")),
        ("5.4.6", {"Authorization": "Bearer x"}, (401, "Bad props auth token: basictoken=x")),
        ("5.4.6", {"X-JFrog-Art-Api": "x"}, (403, "Bad props auth token: apiKey=x")),
    ],
)
def test_old_version_challenges_after_a_wrong_token(sandbox, version, headers, error):
    sandbox.switch("artifact", version=version)
    response = Session(f"{sandbox.url}/artifactory").get("/api/system/ping", headers=headers)
    assert (error_of(response), response.headers["WWW-Authenticate"]) == (error, 'Basic realm="Artifactory Realm"')


def test_version_5_restores_what_is_not_there(artifactory, sandbox):
    sandbox.switch("artifact", version="5.4.6")
    response = artifactory.post("/api/trash/restore/generic-local/none")
    assert (response.status_code, response.text) == (202, "Successfully restored trash items")
    assert artifactory.get("/generic-local/none").status_code == 404


@pytest.mark.parametrize(
    ("version", "media_types"),
    [
        ("4.4.2", ["application/octet-stream", "application/octet-stream", "text/plain"]),
        ("5.4.6", ["text/x-python", "application/octet-stream", "text/plain"]),
        ("6.20.0", ["text/x-python", "text/plain", "text/plain"]),
    ],
)
def test_media_types_depend_on_the_version(artifactory, sandbox, version, media_types):
    sandbox.switch("artifact", version=version)
    names = ("a.py", "a.yml", "a.txt")
    uploads = [artifactory.put(f"/generic-local/{name}", b"x").json()["mimeType"] for name in names]
    downloads = [artifactory.get(f"/generic-local/{name}").headers["Content-Type"] for name in names]
    assert uploads == media_types
    assert [media_type.partition(";")[0] for media_type in downloads] == media_types


@pytest.mark.parametrize("version", OLD_VERSIONS)
def test_old_version_describes_the_file_in_the_headers_of_its_checksum(artifactory, sandbox, version):
    sandbox.switch("artifact", version=version)
    headers = artifactory.head(f"/{FILE}.sha1").headers
    assert (headers["ETag"], headers["Content-Type"]) == (SHA1, "application/x-checksum")
    sandbox.switch("artifact", version="6.20.0")
    assert "ETag" not in artifactory.head(f"/{FILE}.sha1").headers


DEPLOY = {"X-Checksum-Deploy": "true"}
NO_CHECKSUM = "Checksum deploy failed. SHA1 / SHA256 header 'X-Checksum-Sha1/X-Checksum-Sha256' doesn't exist"


@pytest.mark.parametrize(
    ("version", "headers", "message"),
    [
        ("4.4.2", {}, NO_CHECKSUM),
        ("5.4.6", {"X-Checksum": SHA1}, NO_CHECKSUM),
        ("5.4.6", {"X-Checksum-Sha1": "0" * 40}, f"Checksum deploy failed. No existing file with SHA1: {'0' * 40}"),
        ("5.4.6", {"X-Checksum-Sha1": "0"}, "Checksum deploy failed. Invalid SHA1: 0"),
        ("6.20.0", {"X-Checksum-Sha1": "0"}, "Checksum deploy failed. Invalid SHA-1: 0"),
    ],
)
def test_errors_of_a_checksum_deploy_depend_on_the_version(artifactory, sandbox, version, headers, message):
    sandbox.switch("artifact", version=version)
    assert error_of(artifactory.put("/generic-local/copy", headers={**DEPLOY, **headers})) == (404, message)


@pytest.mark.parametrize("version", OLD_VERSIONS)
def test_old_version_ignores_the_general_checksum_header(artifactory, sandbox, version):
    sandbox.switch("artifact", version=version)
    created = artifactory.put("/generic-local/new.txt", b"new", headers={"X-Checksum": "0" * 40})
    assert (created.status_code, created.json()["originalChecksums"]) == (201, {})


@pytest.mark.parametrize("version", OLD_VERSIONS)
def test_old_version_keeps_the_sha256_of_a_checksum_deploy_as_a_property(artifactory, sandbox, version):
    sandbox.switch("artifact", version=version)
    headers = {**DEPLOY, "X-Checksum-Sha1": SHA1, "X-Checksum-Sha256": SHA256}
    assert artifactory.put("/generic-local/copy;a=b", headers=headers).status_code == 201
    assert properties_of(artifactory, "generic-local/copy") == {"a": ["b"], "sha256": [SHA256]}
    checksums = artifactory.get("/api/storage/generic-local/copy").json()["checksums"]
    assert checksums == {"sha1": SHA1, "md5": MD5, "sha256": SHA256}
    second = artifactory.put("/generic-local/second", headers={**DEPLOY, "X-Checksum-Sha256": SHA256})
    assert (second.status_code, artifactory.get("/generic-local/second").content) == (201, CONTENT)


@pytest.mark.parametrize(
    ("version", "byte_range", "status"),
    [("4.4.2", "10000-", 500), ("4.4.2", "2-1", 500), ("4.4.2", "a-b", 416), ("5.4.6", "10000-", 416)],
)
def test_version_4_fails_when_a_range_is_beyond_the_file(artifactory, sandbox, version, byte_range, status):
    sandbox.switch("artifact", version=version)
    assert artifactory.get(f"/{FILE}", headers={"Range": f"bytes={byte_range}"}).status_code == status


@pytest.mark.parametrize(
    ("version", "parameters", "status"),
    [
        ("4.4.2", ";os+=linux", 200),
        ("5.4.6", ";os+=linux;arch+=arm", 404),
        ("5.4.6", ";os+=mac", 404),
        ("5.4.6", ";os=mac", 200),
        ("6.20.0", ";arch+=arm", 404),
    ],
)
def test_old_version_requires_mandatory_properties_of_a_download(artifactory, sandbox, version, parameters, status):
    artifactory.put("/generic-local/tool;os=linux", b"x")
    sandbox.switch("artifact", version=version)
    response = artifactory.get(f"/generic-local/tool{parameters}")
    assert response.status_code == status
    if status == 404:
        message = "File 'generic-local:tool' was found, but mandatory properties do not match."
        assert error_of(response) == (404, message)


def _count_downloads(artifactory: Session, name: str) -> tuple[int, int]:
    """Return the downloads of a file that a query finds, and those in its statistics."""
    query = f'items.find({{"name":"{name}"}}).include("name","repo","path","stat.downloads")'
    rows = artifactory.post("/api/search/aql", query, headers={"Content-Type": "text/plain"}).json()["results"]
    found = rows[0].get("stats", [{}])[0].get("downloads", 0)
    return found, artifactory.get(f"/api/storage/generic-local/{name}?stats").json()["downloadCount"]


@pytest.mark.parametrize(("version", "found"), [("4.4.2", 0), ("5.4.6", 0), ("6.20.0", 2)])
def test_old_version_counts_downloads_later(artifactory, sandbox, version, found):
    sandbox.clock(frozen=True)
    sandbox.switch("artifact", version=version)
    artifactory.put("/generic-local/new.txt", b"x")
    for _download in range(2):
        artifactory.get("/generic-local/new.txt")
    assert _count_downloads(artifactory, "new.txt") == (found, 2)
    sandbox.clock(advance=5)
    assert _count_downloads(artifactory, "new.txt") == (2, 2)
    artifactory.get("/generic-local/new.txt")
    sandbox.reset()
    artifactory.put("/generic-local/new.txt", b"x")
    sandbox.clock(advance=5)
    assert _count_downloads(artifactory, "new.txt") == (0, 0)


@pytest.mark.parametrize(
    ("version", "refusal"),
    [("4.4.2", (401, "Authentication is required")), ("5.4.6", (403, "Bad props auth token: apiKey=abc"))],
)
def test_wrong_api_key_is_refused_as_recorded(sandbox, artifactory_anonymous, version, refusal):
    sandbox.switch("artifact", edition="oss", version=version)
    headers = {"X-JFrog-Art-Api": "abc"}
    assert error_of(artifactory_anonymous.get("/api/storage/generic-local/app", headers=headers)) == refusal


@pytest.mark.parametrize("version", ["4.4.2", "5.4.6"])
@pytest.mark.parametrize("method", ["PUT", "POST"])
def test_old_versions_check_the_media_type_of_repositories_before_the_edition(artifactory, sandbox, version, method):
    sandbox.switch("artifact", edition="oss", version=version)
    address = "/api/repositories/new-local"
    assert error_of(artifactory.request(method, address)) == (415, "Unsupported Media Type")
    assert error_of(artifactory.request(method, address, json={"rclass": "local"}))[0] == 400
