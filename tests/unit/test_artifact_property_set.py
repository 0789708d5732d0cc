# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import conversation
from support.descriptor import configurations, patch, read, version
from support.running import run

pytestmark = pytest.mark.usefixtures("reported_version")

STATUS = {"name": "status", "type": "single", "values": ["open", "passed"], "default_values": ["open"]}
COMMENT = {"name": "comment", "type": "any", "values": [], "default_values": []}
CLOSED = {"closedPredefinedValues": True, "multipleChoice": False}


def element(name: str, is_closed: bool = False, is_multiple: bool = False, **values: bool) -> str:
    """Return a property. Values are mapped to whether they are a default."""
    entries = "".join(
        f"<predefinedValue><value>{value}</value><defaultValue>{str(flag).lower()}</defaultValue></predefinedValue>"
        for value, flag in values.items()
    )
    return (
        f"<property><name>{name}</name><predefinedValues>{entries}</predefinedValues>"
        f"<closedPredefinedValues>{str(is_closed).lower()}</closedPredefinedValues>"
        f"<multipleChoice>{str(is_multiple).lower()}</multipleChoice></property>"
    )


def sets(*properties: str, name: str = "quality", others: str = "") -> str:
    """Return a section with a property set."""
    content = f"<name>{name}</name><visible>true</visible><properties>{''.join(properties)}</properties>"
    return f"<propertySets><propertySet>{content}</propertySet>{others}</propertySets>"


STORED_STATUS = element("status", True, open=True, passed=False)
STORED = sets(STORED_STATUS, element("comment"))


def manage(url: str = "http://127.0.0.1:9", **options: Any) -> dict[str, Any]:
    """Run the module, which does not wait for changes to become visible."""
    return run("artifact_property_set", url=url, **{"visibility_timeout": 0, "name": "quality", **options})


def changed(**members: Any) -> Any:
    """Return the request that changes members of the property set."""
    return patch({"propertySets": {"quality": members}})


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"visible": True},
        {"properties": []},
        {"properties": [{"name": "status"}]},
        {"properties": [{"name": "status", "values": ["passed"]}]},
        {"properties": [{"name": "status", "values": ["passed", "open", "open"], "default_values": ["open"]}]},
        {"properties": [COMMENT, STATUS], "purge": True},
        {"properties": [{"name": "comment"}, {"name": "status"}], "purge": True},
    ],
)
def test_unchanged_property_set_costs_one_request(options: dict[str, Any]) -> None:
    with conversation(read(STORED)) as server:
        result = manage(server.url, **options)
    assert not result["changed"], result
    assert result["property_set"] == {"name": "quality", "visible": True, "properties": [STATUS, COMMENT]}


def test_missing_property_set_is_created() -> None:
    properties = {
        "status": {
            **CLOSED,
            "predefinedValues": {"open": {"defaultValue": True}, "passed": {"defaultValue": False}},
        },
        "comment": {"closedPredefinedValues": False, "multipleChoice": False},
    }
    sent = changed(visible=True, properties=properties)
    with conversation(read("<propertySets/>"), sent, read(STORED)) as server:
        result = manage(server.url, diff_mode=True, properties=[STATUS, {"name": "comment"}])
    assert result["property_set"]["properties"] == [STATUS, COMMENT]
    assert result["diff"]["before"] == {"state": "absent"}


def test_property_set_without_properties_is_created() -> None:
    with conversation(read(), changed(visible=True), read(sets())) as server:
        assert manage(server.url)["property_set"]["properties"] == []


@pytest.mark.parametrize(
    ("options", "sent", "stored"),
    [
        ({"visible": False}, {"visible": False}, STORED.replace("<visible>true", "<visible>false")),
        (
            {"properties": [{"name": "status", "type": "multi"}]},
            {"properties": {"status": {"closedPredefinedValues": True, "multipleChoice": True}}},
            sets(element("status", True, True, open=True, passed=False), element("comment")),
        ),
        (
            {"properties": [{"name": "status", "values": ["passed", "failed"]}]},
            {"properties": {"status": {"predefinedValues": {"failed": {"defaultValue": False}}}}},
            sets(element("status", True, open=True, passed=False, failed=False), element("comment")),
        ),
        (
            {"properties": [{"name": "status", "values": ["open", "passed"], "default_values": ["passed"]}]},
            {
                "properties": {
                    "status": {"predefinedValues": {"open": {"defaultValue": False}, "passed": {"defaultValue": True}}}
                }
            },
            sets(element("status", True, open=False, passed=True), element("comment")),
        ),
        (
            {"properties": [{"name": "new", "type": "multi", "values": ["1.10"]}]},
            {
                "properties": {
                    "new": {
                        "closedPredefinedValues": True,
                        "multipleChoice": True,
                        "predefinedValues": {"1.10": {"defaultValue": False}},
                    }
                }
            },
            sets(STORED_STATUS, element("comment"), element("new", True, True, **{"1.10": False})),
        ),
        (
            {"properties": [{"name": "status", "values": ["passed"]}], "purge": True},
            {"properties": {"status": {"predefinedValues": {"open": None}}, "comment": None}},
            sets(element("status", True, passed=False)),
        ),
        (
            {"properties": [{"name": "status", "values": []}, {"name": "comment"}], "purge": True},
            {"properties": {"status": {"predefinedValues": {"open": None, "passed": None}}}},
            sets(element("status", True), element("comment")),
        ),
        (
            {"properties": [], "purge": True},
            {"properties": {"status": None, "comment": None}},
            sets(),
        ),
    ],
)
def test_only_members_that_differ_are_sent(options: dict[str, Any], sent: dict[str, Any], stored: str) -> None:
    with conversation(read(STORED), changed(**sent), read(stored)) as server:
        result = manage(server.url, diff_mode=True, **options)
    assert result["changed"], result
    with conversation(read(stored)) as server:
        assert not manage(server.url, **options)["changed"]
    with conversation(read(STORED), version()) as server:
        assert manage(server.url, check_mode=True, **options)["property_set"] == result["property_set"]


def test_unused_property_set_is_deleted() -> None:
    used = configurations({"key": "a", "propertySets": ["quality2"]})
    with conversation(read(STORED), used, patch({"propertySets": {"quality": None}}), read()) as server:
        result = manage(server.url, state="absent")
    assert (result["changed"], result["property_set"]) == (True, None)


def test_property_set_that_a_repository_uses_is_not_deleted() -> None:
    used = configurations({"key": "a", "propertySets": ["artifactory", "quality"]})
    with conversation(read(STORED), used) as server:
        result = manage(server.url, state="absent")
    assert result["msg"] == "Cannot delete property set 'quality': these repositories use it: a."


def test_property_set_that_a_repository_in_the_descriptor_uses_is_not_deleted() -> None:
    references = "<propertySets><propertySetRef>quality</propertySetRef></propertySets>"
    section = f"<localRepositories><localRepository><key>a</key>{references}</localRepository></localRepositories>"
    with conversation(read(section, STORED)) as server:
        result = manage(server.url, state="absent")
    assert result["msg"] == "Cannot delete property set 'quality': these repositories use it: a."


@pytest.mark.parametrize("options", [{"name": "artifactory"}, {"items": [{"name": "artifactory"}]}])
def test_built_in_property_set_is_not_deleted(options: dict[str, Any]) -> None:
    with conversation() as server:
        result = manage(server.url, **{"name": None, "state": "absent", **options})
    assert "'artifactory' is built in and cannot be deleted" in result["msg"]


def test_undeclared_property_sets_are_deleted_with_the_options_of_the_task() -> None:
    others = "".join(f"<propertySet><name>{name}</name></propertySet>" for name in ("artifactory", "old"))
    stored = sets(STORED_STATUS, others=others)
    deleted = patch({"propertySets": {"old": None}})
    with conversation(read(stored), configurations({"key": "a"}), deleted, read(sets(STORED_STATUS))) as server:
        result = manage(
            server.url, name=None, items=[{"name": "quality"}], properties=[STATUS], purge=True, undeclared="remove"
        )
    assert (result["undeclared"], result["counts"]["changed"]) == (["old"], 1), result


def test_check_mode_predicts_the_defaults_of_new_properties() -> None:
    with conversation(read(), version()) as server:
        result = manage(server.url, check_mode=True, properties=[{"name": "a", "values": ["b"]}])
    entry = {"name": "a", "type": "any", "values": ["b"], "default_values": []}
    assert result["property_set"] == {"name": "quality", "visible": True, "properties": [entry]}


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ([{}], "Option 'properties[0].name': is required"),
        ([{"name": "a"}, {"name": "a"}], "Option 'properties[1].name': 'a' is listed twice"),
        ([{"name": "a", "default_values": ["x"]}], "must contain only entries of 'values', not 'x'"),
        ([{"name": "a", "values": [1.10]}], "properties"),
        ([{"name": "a", "values": [None]}], "properties"),
        ([{"name": "a", "values": ["~"]}], "Option 'properties[0].values': must not be '~'"),
        ([{"name": "a", "values": None}], "properties"),
        ([{"name": ""}], "properties[0].name"),
        ([{"name": "a", "type": "some"}], "value of type must be one of"),
        ([{"name": "a", "nope": 1}], "nope"),
        (None, "properties"),
    ],
)
def test_properties_are_refused_before_the_first_request(properties: Any, message: str) -> None:
    with conversation() as server:
        result = manage(server.url, properties=properties)
    assert result["failed"], result
    assert message in result["msg"]


def test_purge_requires_properties() -> None:
    with conversation() as server:
        result = manage(server.url, purge=True)
    assert result["msg"] == "Option 'purge': requires 'properties'."


def test_information_has_the_form_of_the_options() -> None:
    odd = sets(element("odd", False, True), STORED_STATUS)  # multiple choice without predefined values has no effect
    with conversation(read(odd)) as server:
        result = run("artifact_property_set_info", url=server.url)
    odd_property = {"name": "odd", "type": "any", "values": [], "default_values": []}
    assert result["property_sets"] == [{"name": "quality", "visible": True, "properties": [odd_property, STATUS]}]
    with conversation(read(odd)) as server:
        assert not manage(server.url, name=None, items=result["property_sets"], purge=True)["changed"]
