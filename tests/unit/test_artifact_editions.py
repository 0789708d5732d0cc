# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Refusals because of the edition of Artifactory."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.editions import Edition, Feature, Option
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import (
    ARTIFACT,
    VERSION_ADDRESS,
    ArtifactService,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from support.conversation import Call, call, conversation

PRO = Feature("Signing packages", "reference", Edition.PRO, alternative="Sign them before the upload.")
ENTERPRISE = Feature("Managing policies", "reference", Edition.ENTERPRISE, alternative="Use artifact_cleanup.")


def connect(url: str) -> ArtifactService:
    """Return a connection with the default options."""
    params = {name: option.get("default") for name, option in ARTIFACT.options.items()}
    return ArtifactService(Task({**params, "url": url}))


def version(license_text: str = "0" * 40) -> Call:
    return call("GET", VERSION_ADDRESS, json={"version": "7.77.3", "license": license_text})


def licenses(body: Any, status: int = 200) -> Call:
    return call("GET", editions.LICENSES_ADDRESS, status, json=body)


@pytest.mark.parametrize("feature", [PRO, ENTERPRISE])
def test_open_source_edition_is_refused_with_the_alternative(feature: Feature) -> None:
    refusal = (
        f"{feature.name} requires Artifactory .*, but the server is the open-source edition. {feature.alternative}"
    )
    with conversation(version("Artifactory OSS")) as server, pytest.raises(ToolchainError, match=refusal):
        editions.check(connect(server.url), feature)


@pytest.mark.parametrize(
    "body",
    [
        {"type": "Commercial", "validThrough": "May 15, 2027"},
        {"licenses": [{"type": "Commercial"}, {"type": "Commercial"}]},
        [{"type": "Commercial"}],
    ],
)
def test_license_of_a_lower_edition_is_refused(body: Any) -> None:
    refusal = "requires Artifactory Enterprise, but the server has a license of the type 'Commercial'. Use artifact_c"
    with conversation(version(), licenses(body)) as server:
        artifact = connect(server.url)
        for _attempt in range(2):
            with pytest.raises(ToolchainError, match=refusal):
                editions.check(artifact, ENTERPRISE)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"type": "Enterprise Plus"}, 200),
        ({"licenses": [{"type": "Commercial"}, {"type": "Enterprise"}]}, 200),
        ({"type": "Trial"}, 200),
        ([], 200),
        (["Commercial"], 200),
        ({"licenses": None}, 200),
        ({"licenses": 5}, 200),
        (5, 200),
        ({"errors": []}, 403),
        ({"errors": []}, 404),
        ({"errors": []}, 501),
    ],
)
def test_sufficient_or_unknown_license_is_accepted(body: Any, status: int) -> None:
    with conversation(version(), licenses(body, status)) as server:
        editions.check(connect(server.url), ENTERPRISE)


def test_license_is_not_read_for_a_feature_of_pro() -> None:
    with conversation(version()) as server:
        editions.check(connect(server.url), PRO)


@pytest.mark.parametrize("status", [400, 403, 404])
def test_refused_request_names_the_edition(status: int) -> None:
    with conversation(call("POST", "/x", status), version(), licenses({"type": "Commercial"})) as server:
        artifact = connect(server.url)
        with (
            pytest.raises(ToolchainError, match="Managing policies requires Artifactory Enterprise"),
            editions.explain_refusal(artifact, ENTERPRISE),
        ):
            artifact.http.write("POST", "/x")


def test_refused_request_keeps_its_error_when_the_edition_has_the_feature() -> None:
    with conversation(call("POST", "/x", 400), version(), licenses({"type": "Enterprise"})) as server:
        artifact = connect(server.url)
        with pytest.raises(ServerRefusal, match="400"), editions.explain_refusal(artifact, ENTERPRISE):
            artifact.http.write("POST", "/x")


@pytest.mark.parametrize("answer", [{"status": 500}, {"text": "<html>Welcome</html>"}], ids=["error", "page"])
def test_refused_request_keeps_its_error_when_the_version_cannot_be_read(answer: dict[str, Any]) -> None:
    with conversation(call("POST", "/x", 400), call("GET", VERSION_ADDRESS, **answer)) as server:
        artifact = connect(server.url)
        with pytest.raises(ServerRefusal, match=r"/x: 400"), editions.explain_refusal(artifact, PRO):
            artifact.http.write("POST", "/x")


@pytest.mark.parametrize(
    ("license_type", "edition"),
    [
        ("OSS", Edition.OPEN_SOURCE),
        ("JCR Edition", Edition.OPEN_SOURCE),
        ("Community Edition for C/C++", Edition.OPEN_SOURCE),
        ("Commercial", Edition.PRO),
        ("Pro X", Edition.PRO),
        ("Enterprise X", Edition.ENTERPRISE),
        ("Enterprise Plus Trial", Edition.ENTERPRISE),
        ("Edge Trial", Edition.ENTERPRISE),
        ("Trial", None),
        ("N/A", None),
    ],
)
def test_edition_of_a_license_is_found(license_type: str, edition: Edition | None) -> None:
    assert editions.find_edition(license_type) == edition


OPTIONS = {
    "pattern": Option("reference", since="7.80.0"),
    "method": Option("reference", since="7.80.0", default="POST"),
    "shared": Option("reference", Edition.ENTERPRISE),
}


@pytest.mark.parametrize("fields", [{}, {"pattern": "", "method": "POST", "shared": False}, {"other": "x"}])
def test_options_that_change_nothing_cost_no_request(fields: dict[str, Any]) -> None:
    with conversation() as server:
        editions.check_options(connect(server.url), OPTIONS, fields)


@pytest.mark.parametrize(
    ("fields", "requests", "refusal"),
    [
        ({"pattern": "a/**"}, [version()], "Option 'targets.pattern': requires Artifactory 7.80.0 or later"),
        ({"method": "PUT"}, [version()], "Option 'targets.method': requires Artifactory 7.80.0 or later"),
        (
            {"shared": True},
            [version(), licenses({"type": "Pro X"})],
            "Option 'targets.shared': requires Artifactory Enterprise, but the server has a license of the type "
            "'Pro X'",
        ),
    ],
)
def test_option_that_the_server_lacks_is_refused_with_one_read_for_all_tasks(
    fields: dict[str, Any], requests: list[Call], refusal: str
) -> None:
    with conversation(*requests) as server:
        for _task in range(2):
            with pytest.raises(BadOption) as raised:
                editions.check_options(connect(server.url), OPTIONS, fields, "targets")
            assert str(raised.value) == f"{refusal}."
