# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Approved and pending signatures and scripts of the plugin script-security, which has no remote API."""

from __future__ import annotations

import hashlib
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.ownership import SharedSources
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import (
    predicts_plugin,
    require_plugin,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts.console import (
    ScriptFailure,
    run_internal,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

PLUGIN = "script-security"
PURPOSE = "Managing script approvals"

_READ = """\
import org.jenkinsci.plugins.scriptsecurity.sandbox.whitelists.StaticWhitelist
import org.jenkinsci.plugins.scriptsecurity.scripts.ScriptApproval

def approval = ScriptApproval.get()
def origin = { pending ->
    [user: pending.getContext().getUser(), item: pending.getContext().getItem()?.fullName]
}
synchronized (approval) {
    def signatures = approval.getApprovedSignatures() as List
    def restricted = approval.getAclApprovedSignatures() as List
    def pending = approval.getPendingSignatures().collect { [signature: it.signature] + origin(it) }
    def known = signatures + restricted + pending*.signature + args.signatures
    return [
        signatures: signatures,
        restricted: restricted,
        hashes: approval.getApprovedScriptHashes() as List,
        pending_signatures: pending,
        pending_scripts: approval.getPendingScripts().collect {
            def script = [hash: it.getHash(), language: it.getLanguage().getName()] + origin(it)
            args.texts ? script + [script: it.script] : script
        },
        dangerous: known.unique().findAll {
            StaticWhitelist.isBlacklisted(it) || StaticWhitelist.isPermanentlyBlacklisted(it)
        },
    ]
}
"""

# The set of restricted signatures has no method to remove one
_APPROVE = """\
import org.jenkinsci.plugins.scriptsecurity.scripts.ScriptApproval

def approval = ScriptApproval.get()
if (args.signature == null) {
    approval.approveScript(args.hash)
    return null
}
synchronized (approval) {
    def signatures = approval.getApprovedSignatures() as List
    if (!args.restricted) {
        approval.@aclApprovedSignatures.remove(args.signature)
        approval.approveSignature(args.signature)
    } else {
        approval.aclApproveSignature(args.signature)
        if (signatures.contains(args.signature))
            approval.setApprovedSignatures((signatures - args.signature) as String[])
    }
}
return null
"""

_REVOKE = """\
import org.jenkinsci.plugins.scriptsecurity.scripts.ScriptApproval

def approval = ScriptApproval.get()
args.hashes.each { approval.denyScript(it) }
if (args.signature == null)
    return null
synchronized (approval) {
    approval.denySignature(args.signature)
    approval.@aclApprovedSignatures.remove(args.signature)
    approval.setApprovedSignatures((approval.getApprovedSignatures() as List).minus(args.signature) as String[])
}
return null
"""


class ApprovalLists(t.NamedTuple):
    """All approved and pending signatures and scripts.

    :ivar signatures: approved signatures
    :ivar restricted: signatures that are approved on the assumption that the script checks permissions
    :ivar hashes: hashes of approved scripts
    :ivar pending_signatures: each with `signature`, `user` and `item`
    :ivar pending_scripts: each with `hash`, `language`, `user`, `item` and, if requested, `script`
    :ivar dangerous: signatures that allow scripts to bypass the sandbox
    """

    signatures: list[str]
    restricted: list[str]
    hashes: list[str]
    pending_signatures: list[Fields]
    pending_scripts: list[Fields]
    dangerous: list[str]


def read_approvals(ci: CiService, signatures: t.Collection[str] = (), *, texts: bool = False) -> ApprovalLists:
    """Return all approved and pending signatures and scripts.

    :arg signatures: further signatures that may be dangerous
    :arg texts: whether to include the text of pending scripts
    :raises ToolchainError: if the plugin is missing
    """
    arguments = {"signatures": list(signatures), "texts": texts}
    try:
        return ApprovalLists(**_run(ci, "read script approvals", _READ, arguments, read_only=True))
    except ScriptFailure:
        if predicts_plugin(ci, PLUGIN):
            return ApprovalLists([], [], [], [], [], [])
        raise


def _run(ci: CiService, name: str, code: str, arguments: Fields, *, read_only: bool) -> t.Any:
    try:
        return run_internal(ci, name, code, arguments, read_only=read_only)
    except ScriptFailure:
        require_plugin(ci, PLUGIN, PURPOSE)  # because the script does not compile without the plugin
        raise


def hash_script(text: str, language: str) -> list[str]:
    """Return the hashes that identify a script: the current one, and the one of releases before 2022."""
    data = f"{language}:{text}".encode()
    return [
        f"SHA512:{hashlib.sha512(data).hexdigest()}",
        hashlib.new("sha1", data, usedforsecurity=False).hexdigest(),
    ]


class Approvals:
    """The approvals of a server, requested once for all items of a task.

    :arg signatures: the signatures of all items
    :ivar sources: the configuration sources
    """

    def __init__(self, signatures: t.Collection[str]) -> None:
        self._signatures = signatures
        self._values = SharedValues()
        self.sources = SharedSources()

    def read(self, ci: CiService) -> ApprovalLists:
        """Return the approvals as they were before this task changed one."""
        return self._values.get("approvals", lambda: self.read_again(ci))

    def read_again(self, ci: CiService) -> ApprovalLists:
        """Return the current approvals."""
        return read_approvals(ci, self._signatures)


class ManagedApproval:
    """The signature or script that a task approves or denies.

    :arg signature: the signature, or `None` for a script
    :arg hashes: the hashes of a script, of which the first one is approved
    """

    def __init__(self, ci: CiService, shared: Approvals, signature: str | None, hashes: list[str]) -> None:
        self._ci, self._shared, self._signature, self._hashes = ci, shared, signature, hashes
        self._is_read = False

    @property
    def identity(self) -> Fields:
        """The field that identifies the signature or script."""
        return {"script_hash": self._hashes[0]} if self._signature is None else {"signature": self._signature}

    def find(self) -> Fields | None:
        """Return the approval or the pending request, or `None` if neither exists.

        After the first call, the server is asked again.
        """
        approvals = self._shared.read_again(self._ci) if self._is_read else self._shared.read(self._ci)
        self._is_read = True
        fields = self._find_script(approvals) if self._signature is None else self._find_signature(approvals)
        return fields and {**self.identity, **fields}

    def _find_script(self, approvals: ApprovalLists) -> Fields | None:
        if set(self._hashes) & set(approvals.hashes):
            return {"status": "approved"}
        pending = {script["hash"] for script in approvals.pending_scripts}
        return {"status": "pending"} if self._hashes[0] in pending else None

    def _find_signature(self, approvals: ApprovalLists) -> Fields | None:
        dangerous = self._signature in approvals.dangerous
        for status, assumes, signatures in (
            ("approved", False, approvals.signatures),
            ("approved", True, approvals.restricted),
            ("pending", None, [pending["signature"] for pending in approvals.pending_signatures]),
        ):
            if self._signature in signatures:
                return {"status": status, "assume_permission_check": assumes, "dangerous": dangerous}
        return None

    def refuse_owned(self, before: Fields | None, after: Fields | None) -> None:
        """Refuse to change the list of approved signatures or scripts if a configuration source sets it.

        Pending ones and signatures that require a permission check are not in these lists.

        :raises ToolchainError: if a source sets the list
        """
        if _is_listed(before) == _is_listed(after):
            return
        member, name = (
            ("approvedScriptHashes", f"the approval of the script '{self._hashes[0]}'")
            if self._signature is None
            else ("approvedSignatures", f"the approval of the signature '{self._signature}'")
        )
        self._shared.sources.refuse_owned(self._ci, ("security", "scriptApproval", member), name)

    def check_harmless(self) -> None:
        """
        :raises ToolchainError: if the signature is dangerous
        """
        if self._signature in self._shared.read(self._ci).dangerous:
            raise ToolchainError(
                f"The signature '{self._signature}' was not approved: it allows scripts to bypass the sandbox. "
                "Set 'allow_dangerous' to approve it nevertheless."
            )

    def approve(self, fields: Fields) -> None:
        """Approve exactly this signature or script."""
        restricted = bool(fields.get("assume_permission_check"))
        arguments = {"signature": self._signature, "hash": None, "restricted": restricted}
        if self._signature is None:
            arguments["hash"] = self._hashes[0]
        _run(self._ci, "approve a signature or script", _APPROVE, arguments, read_only=False)

    def revoke(self) -> None:
        """Revoke the approval, and deny the pending request."""
        arguments = {"signature": self._signature, "hashes": self._hashes}
        _run(self._ci, "revoke the approval of a signature or script", _REVOKE, arguments, read_only=False)


def _is_listed(approval: Fields | None) -> bool:
    """Return whether an approval is in the list of approved signatures or scripts."""
    return bool(approval and approval["status"] == "approved" and not approval.get("assume_permission_check"))
