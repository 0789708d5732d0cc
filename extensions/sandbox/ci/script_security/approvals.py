# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Approved and pending signatures and scripts, and the scripts of modules that read and change them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...seeds.schema import mapping_schema
from ..call import Call
from ..scripts.known_scripts import Arguments, ScriptError, known_script
from ..storage import Storage

PLUGINS = ("script-security",)
SHAPE = mapping_schema(
    "signatures acl_signatures script_hashes",
    scripts=[mapping_schema("script! language")],
    pending_signatures=[mapping_schema("signature! user item")],
    pending_scripts=[mapping_schema("script hash language user item")],
)
# The plugin has a longer list
DANGEROUS = frozenset(
    (
        "new java.io.File java.lang.String",
        "new java.io.File java.lang.String java.lang.String",
        "new java.io.File java.net.URI",
        "method groovy.lang.GroovyObject getMetaClass",
        "method groovy.lang.GroovyObject invokeMethod java.lang.String java.lang.Object",
        "method java.lang.Runtime exit int",
        "method java.lang.Runtime halt int",
        "staticMethod java.lang.System exit int",
    )
)
SETTING = "script_approval"
LISTS = ("signatures", "acl_signatures", "script_hashes", "pending_signatures", "pending_scripts")

Approvals = dict[str, list[Any]]


def add_approvals(storage: Storage, data: dict[str, Any]) -> None:
    """Add the section `script_approval` of a seed."""
    with _change(storage) as approvals:
        for name in LISTS:
            approvals[name] += [entry for entry in data.get(name, []) if entry not in approvals[name]]
        approvals["script_hashes"] += [hash_script(script) for script in data.get("scripts", [])]


def hash_script(script: dict[str, Any]) -> str:
    """Return the hash by which the plugin identifies a script."""
    if "hash" in script:
        return str(script["hash"])
    data = f"{script.get('language', 'groovy')}:{script['script']}".encode()
    return f"SHA512:{hashlib.sha512(data).hexdigest()}"


def _read(storage: Storage) -> Approvals:
    return {name: [] for name in LISTS} | storage.setting(SETTING, {})


@contextmanager
def _change(storage: Storage) -> Iterator[Approvals]:
    approvals = _read(storage)
    yield approvals
    for name in ("signatures", "acl_signatures", "script_hashes"):
        approvals[name] = sorted(set(approvals[name]))
    storage.set(SETTING, approvals)


def _require_plugin(call: Call) -> None:
    if not call.plugins.have(PLUGINS):
        raise ScriptError(
            "startup failed:\nTaskScript.groovy: 3: unable to resolve class "
            "org.jenkinsci.plugins.scriptsecurity.scripts.ScriptApproval",
            "org.codehaus.groovy.control.MultipleCompilationErrorsException",
        )


@known_script("read script approvals", read_only=True, label="list_script_approvals")
def _read_approvals(call: Call, args: Arguments) -> dict[str, Any]:
    _require_plugin(call)
    approvals = _read(call.storage)
    pending = [{"user": None, "item": None, **entry} for entry in approvals["pending_signatures"]]
    signatures = [*approvals["signatures"], *approvals["acl_signatures"], *args["signatures"]]
    known = dict.fromkeys([*signatures, *(entry["signature"] for entry in pending)])
    return {
        "signatures": approvals["signatures"],
        "restricted": approvals["acl_signatures"],
        "hashes": approvals["script_hashes"],
        "pending_signatures": pending,
        "pending_scripts": [_show_script(script, args["texts"]) for script in approvals["pending_scripts"]],
        "dangerous": [signature for signature in known if signature in DANGEROUS],
    }


def _show_script(script: dict[str, Any], has_text: bool) -> dict[str, Any]:
    shown = {
        "hash": hash_script(script),
        "language": script.get("language", "groovy"),
        "user": script.get("user"),
        "item": script.get("item"),
    }
    return {**shown, "script": script.get("script", "")} if has_text else shown


@known_script("approve a signature or script", label="approve_script")
def _approve(call: Call, args: Arguments) -> None:
    _require_plugin(call)
    with _change(call.storage) as approvals:
        if args["signature"] is None:
            approvals["script_hashes"].append(args["hash"])
            _drop_pending_script(approvals, args["hash"])
            return
        _drop_signature(approvals, args["signature"])
        approvals["acl_signatures" if args["restricted"] else "signatures"].append(args["signature"])


@known_script("revoke the approval of a signature or script", label="revoke_script")
def _revoke(call: Call, args: Arguments) -> None:
    _require_plugin(call)
    with _change(call.storage) as approvals:
        approvals["script_hashes"] = [entry for entry in approvals["script_hashes"] if entry not in args["hashes"]]
        for script_hash in args["hashes"]:
            _drop_pending_script(approvals, script_hash)
        _drop_signature(approvals, args["signature"])


def _drop_signature(approvals: Approvals, signature: str | None) -> None:
    for name in ("signatures", "acl_signatures"):
        approvals[name] = [entry for entry in approvals[name] if entry != signature]
    pending = approvals["pending_signatures"]
    approvals["pending_signatures"] = [entry for entry in pending if entry["signature"] != signature]


def _drop_pending_script(approvals: Approvals, script_hash: str) -> None:
    scripts = approvals["pending_scripts"]
    approvals["pending_scripts"] = [script for script in scripts if hash_script(script) != script_hash]
