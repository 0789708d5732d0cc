# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import hashlib
from typing import Any
from urllib.parse import quote

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration import ownership
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.script_approvals import approvals
from support.ci_scripts import script
from support.ci_server import page
from support.conversation import Call, call, conversation
from support.running import run

pytestmark = pytest.mark.usefixtures("no_configuration_sources")

TOKEN = {"username": "admin", "api_token": "11aa22bb33cc44dd55ee66ff7700881199"}
NOW = "staticMethod java.time.Instant now"
FILE = "new java.io.File java.lang.String"
TEXT = "println 'Grüße'\n"
HASH = f"SHA512:{hashlib.sha512(f'groovy:{TEXT}'.encode()).hexdigest()}"
OLD_HASH = hashlib.sha1(f"groovy:{TEXT}".encode()).hexdigest()
MISSING_CLASS = {"type": "MultipleCompilationErrorsException", "message": "unable to resolve class ScriptApproval"}


def run_module(*calls: Call, module: str = "ci_script_approval", **parameters: Any) -> dict[str, Any]:
    """Run a task in exactly this conversation."""
    with conversation(*calls) as server:
        return run(module, url=server.url, **{**TOKEN, **parameters})


def read(*asked: str, texts: bool = False, **lists: Any) -> Call:
    """Return the request for all approvals. `asked` are the signatures of the task."""
    empty: dict[str, Any] = {name: [] for name in approvals.ApprovalLists._fields}
    args = {"signatures": list(asked), "texts": texts}
    return script("read script approvals", approvals._READ, args, value={**empty, **lists})


def approve(signature: str | None = None, script_hash: str | None = None, restricted: bool = False) -> Call:
    """Return the request that approves a signature or script."""
    args = {"signature": signature, "hash": script_hash, "restricted": restricted}
    return script("approve a signature or script", approvals._APPROVE, args)


def revoke(signature: str | None = None, hashes: tuple[str, ...] = ()) -> Call:
    """Return the request that revokes an approval."""
    args = {"signature": signature, "hashes": list(hashes)}
    return script("revoke the approval of a signature or script", approvals._REVOKE, args)


def pending(signature: str) -> dict[str, Any]:
    return {"signature": signature, "user": "alice", "item": "team/app"}


def assert_success(result: dict[str, Any]) -> dict[str, Any]:
    assert not result.get("failed"), result["msg"]
    return result


def test_approved_signature_needs_one_read() -> None:
    result = run_module(read(NOW, signatures=[NOW]), signature=NOW)
    assert assert_success(result) == {
        "changed": False,
        "approval": {"signature": NOW, "status": "approved", "assume_permission_check": False, "dangerous": False},
    }


@pytest.mark.parametrize("before", [{}, {"pending_signatures": [pending(NOW), pending("new Other")]}])
def test_signature_is_approved(before: dict[str, Any]) -> None:
    result = run_module(read(NOW, **before), approve(NOW), read(NOW, signatures=[NOW]), signature=NOW, diff_mode=True)
    assert assert_success(result)["changed"]
    assert result["approval"]["status"] == "approved"
    assert result["diff"] == {
        "before": {"state": "present", "signature": NOW, "status": "pending"} if before else {"state": "absent"},
        "after": {"state": "present", "signature": NOW, "status": "approved"},
    }


def test_check_mode_only_reads() -> None:
    before = read(NOW, pending_signatures=[pending(NOW)])
    result = run_module(before, signature=NOW, check_mode=True)
    assert assert_success(result)["changed"]
    assert result["approval"]["status"] == "approved"


def test_restriction_is_only_changed_if_specified() -> None:
    unchanged = run_module(read(NOW, restricted=[NOW]), signature=NOW)
    assert not assert_success(unchanged)["changed"]
    assert unchanged["approval"]["assume_permission_check"] is True
    both = read(NOW, signatures=[NOW], restricted=[NOW])
    result = run_module(
        both, approve(NOW, restricted=True), read(NOW, restricted=[NOW]), signature=NOW, assume_permission_check=True
    )
    assert assert_success(result)["changed"]
    wider = run_module(
        *(read(NOW, restricted=[NOW]), approve(NOW), read(NOW, signatures=[NOW])),
        signature=NOW,
        assume_permission_check=False,
    )
    assert assert_success(wider)["approval"]["assume_permission_check"] is False


@pytest.mark.parametrize("state", ["approved", "pending"])
def test_approval_is_revoked_and_pending_one_is_denied(state: str) -> None:
    before = {"signatures": [NOW]} if state == "approved" else {"pending_signatures": [pending(NOW)]}
    result = run_module(read(NOW, **before), revoke(NOW), read(NOW), signature=NOW, state="absent", diff_mode=True)
    assert assert_success(result)["approval"] is None
    assert result["diff"]["before"]["status"] == state
    assert not run_module(read(NOW), signature=NOW, state="absent")["changed"]


@pytest.mark.parametrize("mode", [False, True])
def test_dangerous_signature_is_refused_unless_allowed(mode: bool) -> None:
    before = read(FILE, pending_signatures=[pending(FILE)], dangerous=[FILE])
    refused = run_module(before, signature=FILE, check_mode=mode)
    assert refused["msg"] == (
        f"The signature '{FILE}' was not approved: it allows scripts to bypass the sandbox. Set 'allow_dangerous' to "
        "approve it nevertheless."
    )
    assert not refused["changed"]
    allowed = run_module(
        *(before, approve(FILE), read(FILE, signatures=[FILE], dangerous=[FILE])), signature=FILE, allow_dangerous=True
    )
    assert assert_success(allowed)["approval"]["dangerous"]
    gone = run_module(before, revoke(FILE), read(FILE), signature=FILE, state="absent")
    assert assert_success(gone)["changed"]


def test_script_is_approved_by_the_hash_of_its_text() -> None:
    waiting = {"hash": HASH, "language": "groovy", "user": None, "item": None}
    result = run_module(
        *(read(pending_scripts=[waiting]), approve(script_hash=HASH), read(hashes=["SHA512:0", HASH])), script=TEXT
    )
    assert assert_success(result)["approval"] == {
        "script_hash": HASH,
        "status": "approved",
        "assume_permission_check": None,
        "dangerous": None,
    }
    assert not run_module(read(hashes=[OLD_HASH]), script=TEXT)["changed"]
    gone = run_module(read(hashes=[OLD_HASH]), revoke(hashes=(HASH, OLD_HASH)), read(), script=TEXT, state="absent")
    assert assert_success(gone)["approval"] is None


def test_script_of_another_language_has_another_hash() -> None:
    other = approvals.hash_script(TEXT, "system-command")[0]
    result = run_module(
        *(read(hashes=[HASH]), approve(script_hash=other), read(hashes=[HASH, other])),
        script=TEXT,
        language="system-command",
    )
    assert assert_success(result)["approval"]["script_hash"] == other != HASH


def test_script_is_approved_by_hash() -> None:
    result = run_module(read(), approve(script_hash=HASH), read(hashes=[HASH]), script_hash=HASH)
    assert assert_success(result)["changed"]


def test_items_share_one_read() -> None:
    items = [{"signature": NOW}, {"script": TEXT}, {"signature": FILE, "state": "absent"}]
    result = run_module(read(NOW, FILE, signatures=[NOW], hashes=[HASH]), items=items, workers=1)
    assert assert_success(result)["counts"]["ok"] == 3


def test_accepted_write_without_effect_fails() -> None:
    result = run_module(read(NOW), approve(NOW), read(NOW), signature=NOW)
    assert result["msg"].startswith("The server accepted")


@pytest.mark.parametrize("module", ["ci_script_approval", "ci_script_approval_info"])
def test_missing_plugin_is_named(module: str) -> None:
    plugins = call(
        "GET",
        f"/pluginManager/api/json?tree={quote('plugins[active,shortName]', safe='')}",
        json={"plugins": [{"active": True, "shortName": "git"}]},
    )
    parameters = {"signature": NOW} if module == "ci_script_approval" else {}
    failure = script(
        "read script approvals",
        approvals._READ,
        {"signatures": list(parameters.values()), "texts": False},
        error=MISSING_CLASS,
    )
    result = run_module(failure, plugins, module=module, check_mode=True, **parameters)
    assert result["msg"] == (
        "Managing script approvals requires the Jenkins plugin 'script-security', which is not installed or failed to "
        "load. Install it, or check the log of Jenkins."
    )


def test_failure_of_the_script_is_reported_when_the_plugin_is_active() -> None:
    plugins = call(
        "GET",
        f"/pluginManager/api/json?tree={quote('plugins[active,shortName]', safe='')}",
        json={"plugins": [{"active": True, "shortName": "script-security"}]},
    )
    failure = script(
        "read script approvals",
        approvals._READ,
        {"signatures": [NOW], "texts": False},
        error={"type": "IOError", "message": "full"},
    )
    assert run_module(failure, plugins, signature=NOW)["msg"] == (
        "The script to read script approvals failed: IOError: full."
    )


def test_account_without_permission_is_refused() -> None:
    refusal = page("Access Denied", "Access Denied", "reader is missing the Overall/Administer permission")
    result = run_module(call("POST", "/scriptText", 403, text=refusal), signature=NOW)
    assert "403 reader is missing the Overall/Administer permission" in result["msg"]


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "java.time.Instant now",
        "method java.time.Instant",
        "method  java.time.Instant now",
        "field java.lang.String length int",
        "staticField java.lang.String",
        "new",
        "method java.lang.String strip ",
        "method java.lang.String strip\nnew java.io.File",
    ],
)
def test_malformed_signature_is_refused_before_the_first_request(signature: str) -> None:
    assert run_module(signature=signature)["msg"].startswith("Option 'signature': must")
    assert run_module(items=[{"signature": signature}])["msg"].startswith("Option 'items[0].signature': must")


@pytest.mark.parametrize(
    ("parameters", "problem"),
    [
        ({}, "one of the following is required: signature, script, script_hash"),
        ({"signature": NOW, "script_hash": HASH}, "parameters are mutually exclusive: signature|script|script_hash"),
        ({"script": TEXT, "assume_permission_check": True}, "Option 'assume_permission_check': requires 'signature'"),
        ({"script_hash": HASH.upper()}, "Option 'script_hash': must be the hash of a script in lower case"),
        ({"script": ""}, "Option 'script': must not be empty"),
        ({"items": [{"script": TEXT}, {"script_hash": HASH}]}, "items[1]: duplicate of items[0]"),
        ({"items": [{"signature": None}]}, "one of the following is required"),
    ],
)
def test_invalid_options_are_refused(parameters: dict[str, Any], problem: str) -> None:
    assert problem in run_module(**parameters)["msg"]


def test_info_returns_the_form_of_items_and_the_pending_ones() -> None:
    waiting = {"hash": HASH, "language": "groovy", "user": "bob", "item": None, "script": TEXT}
    result = run_module(
        read(
            texts=True,
            signatures=[NOW, "new B"],
            restricted=["new A", "new B"],
            hashes=[HASH],
            pending_signatures=[pending(FILE)],
            pending_scripts=[waiting],
            dangerous=[FILE],
        ),
        module="ci_script_approval_info",
        script_text=True,
    )
    assert result == {
        "changed": False,
        "approvals": [
            {"signature": "new A", "assume_permission_check": True},
            {"signature": "new B", "assume_permission_check": False},
            {"signature": NOW, "assume_permission_check": False},
            {"script_hash": HASH},
        ],
        "pending": [
            pending(FILE),
            {"script_hash": HASH, "language": "groovy", "user": "bob", "item": None, "script": TEXT},
        ],
        "dangerous": [FILE],
    }


@pytest.mark.parametrize(
    ("member", "options", "label"),
    [
        ("approvedSignatures", {"signature": NOW}, f"signature '{NOW}'"),
        ("approvedScriptHashes", {"script": TEXT}, f"script '{HASH}'"),
    ],
)
def test_approval_is_refused_when_a_configuration_source_sets_the_list(
    monkeypatch: pytest.MonkeyPatch, member: str, options: dict[str, str], label: str
) -> None:
    source = ownership.Source("/casc/base.yaml", frozenset([("security", "scriptApproval", member)]))
    monkeypatch.setattr(ownership, "fetch_sources", lambda _ci: [source])
    signatures = [NOW] if "signature" in options else []
    result = run_module(read(*signatures), **options)
    assert result["msg"].startswith(
        f"Cannot change the approval of the {label}: the configuration source '/casc/base.yaml' of Jenkins sets "
        f"'security.scriptApproval.{member}'"
    )


@pytest.mark.parametrize(
    ("before", "options"),
    [
        ({}, {"assume_permission_check": True}),
        ({"restricted": [NOW]}, {"state": "absent"}),
        ({"pending_signatures": [pending(NOW)]}, {"state": "absent"}),
    ],
)
def test_approval_that_is_not_in_the_list_of_a_source_is_changed(
    monkeypatch: pytest.MonkeyPatch, before: dict[str, Any], options: dict[str, Any]
) -> None:
    source = ownership.Source("/casc/base.yaml", frozenset([("security", "scriptApproval", "approvedSignatures")]))
    monkeypatch.setattr(ownership, "fetch_sources", lambda _ci: [source])
    assert run_module(read(NOW, **before), signature=NOW, check_mode=True, **options)["changed"]
