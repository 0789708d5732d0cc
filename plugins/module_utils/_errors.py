# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The exceptions of the collection. Each message is meant for the person who runs the playbook."""

from __future__ import annotations


class ToolchainError(Exception):
    """Something the user has to know about; the message says what happened and what to do, and ends in a full stop.

    :ivar affects_all_items: whether each further item of the task would fail in the same way
    """

    affects_all_items = False

    def __init__(self, message: str) -> None:
        message = message.rstrip()
        super().__init__(message if message.endswith(("?", "!")) else f"{message.rstrip('. ')}.")


class BadOption(ToolchainError):
    """An option has a value that cannot work. Raised before the first request.

    :arg option: name of the option
    :arg problem: what is wrong with it, and what it takes
    """

    def __init__(self, option: str, problem: str) -> None:
        super().__init__(f"Option '{option}': {problem}")
        self.option = option
        self.problem = problem


class ServerRefusal(ToolchainError):
    """The server answered with a status that the caller did not expect.

    :arg status: the HTTP status
    :arg text: the body of the answer
    :arg credential: the option with the credential that the server refused
    :arg exceeds_longest_delay: whether the server asks to wait longer than a task does before it tries again
    """

    def __init__(
        self, message: str, status: int, text: str, credential: str | None = None, exceeds_longest_delay: bool = False
    ) -> None:
        super().__init__(message)
        self.credential = credential
        self.affects_all_items = credential is not None
        self.exceeds_longest_delay = exceeds_longest_delay
        self.status = status
        self.text = text


class ServerUnreachable(ToolchainError):
    """No answer came, and the request surely had no effect."""


class OutcomeUnknown(ToolchainError):
    """The reply to a write was lost: whether it had its effect is not known.

    :arg what: what happened
    :arg refusal: how the server answered when the request was sent again
    """

    def __init__(self, what: str, refusal: ServerRefusal | None = None) -> None:
        super().__init__(f"{what} Whether the request had its effect is not known.")
        self.cause = what
        self.refusal = refusal


def describe_cause(error: ToolchainError) -> str:
    """Return the message of an error without the sentence that its outcome is not known."""
    return error.cause if isinstance(error, OutcomeUnknown) else str(error)


class IncompleteResponse(ToolchainError):
    """A long answer broke off in the middle; what came of it until then was told."""


class UnexpectedResponse(ToolchainError):
    """The server answered with success, but with something else than such an answer has in it."""


class WriteInCheckMode(ToolchainError):
    """A write was tried where only reads are allowed: a defect of the module, never of the user."""
