# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Exceptions of the collection. Their messages are shown to the user."""

from __future__ import annotations

import contextlib
import re
import typing as t

_MAX_NAMES = 10
# Characters that control a terminal or cannot be encoded, except line breaks and tabs
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def neutralize(text: str) -> str:
    """Return a text with control characters as escapes, so that a server's message cannot control the terminal."""
    return _CONTROL.sub(lambda match: ascii(match[0])[1:-1], text)


def join_names(names: t.Collection[str]) -> str:
    """Return the first names, sorted, and the number of the others, for a message."""
    more = f" and {len(names) - _MAX_NAMES:,} more" if len(names) > _MAX_NAMES else ""
    return f"{', '.join(sorted(names)[:_MAX_NAMES])}{more}"


class ToolchainError(Exception):
    """An error to show to the user. A missing final period is added to the message.

    :ivar affects_all_items: whether all remaining items of the task would fail in the same way
    """

    affects_all_items = False

    def __init__(self, message: str) -> None:
        message = message.rstrip()
        super().__init__(message if message.endswith(("?", "!")) else f"{message.rstrip('. ')}.")


class BadOption(ToolchainError):
    """An invalid value of an option, detected before the first request.

    :arg option: name of the option
    :arg problem: the violated rule, such as `must not be empty`
    """

    def __init__(self, option: str, problem: str) -> None:
        super().__init__(f"Option '{option}': {problem}")
        self.option = option
        self.problem = problem


class MissingObject(ToolchainError):
    """An object to which the task refers does not exist. In check mode, an earlier task may be about to create it."""


class MissingName(MissingObject, BadOption):
    """An option names an object that does not exist."""


class ServerRefusal(ToolchainError):
    """A response with an HTTP status that the caller does not accept.

    :arg status: HTTP status
    :arg text: body of the response
    :arg credential: option with the credential, if the server rejected it
    :arg exceeds_longest_delay: whether the server requests a longer delay than a task waits before a retry
    """

    def __init__(
        self, message: str, status: int, text: str, credential: str | None = None, exceeds_longest_delay: bool = False
    ) -> None:
        ToolchainError.__init__(self, message)
        self.credential = credential
        self.affects_all_items = credential is not None
        self.exceeds_longest_delay = exceeds_longest_delay
        self.status = status
        self.text = text


class ServerUnreachable(ToolchainError):
    """No response was received, and the request had no effect."""


class OutcomeUnknown(ToolchainError):
    """The response to a write was lost, so that its effect is unknown.

    :arg cause: why there is no response
    :arg refusal: the response to the repeated request, if there is one
    """

    def __init__(self, cause: str, refusal: ServerRefusal | None = None) -> None:
        ToolchainError.__init__(self, f"{cause} Whether the request had its effect is not known.")
        self.cause = cause
        self.refusal = refusal


class ServerFailure(OutcomeUnknown, ServerRefusal):
    """A response with status 500, 502, 503 or 504 to a write, which may have had its effect nevertheless.

    :arg refusal: the response
    """

    refusal: ServerRefusal

    def __init__(self, refusal: ServerRefusal) -> None:
        ServerRefusal.__init__(self, str(refusal), refusal.status, refusal.text)
        OutcomeUnknown.__init__(self, str(refusal), refusal)


def describe_cause(error: ToolchainError) -> str:
    """Return the message of an error without the sentence that the effect is unknown."""
    return error.cause if isinstance(error, OutcomeUnknown) else str(error)


def add_advice(refusal: ServerRefusal, advice: str) -> ServerRefusal:
    """Return a refusal of the same kind with advice in its message."""
    advised = ServerRefusal(f"{describe_cause(refusal)} {advice}", refusal.status, refusal.text, refusal.credential)
    return ServerFailure(advised) if isinstance(refusal, ServerFailure) else advised


class IncompleteResponse(ToolchainError):
    """A streamed response ended early. The caller may have processed its beginning."""


class UnexpectedResponse(ToolchainError):
    """A successful response with unexpected content."""


class WriteInCheckMode(ToolchainError):
    """A module attempted a write in check mode, which is a defect of the module."""


@contextlib.contextmanager
def prefix_errors(item: str) -> t.Iterator[None]:
    """Prefix the messages of errors with the name of an item."""
    try:
        yield
    except BadOption as error:
        raise BadOption(f"{item}.{error.option}", error.problem) from None
    except ToolchainError as error:
        raise ToolchainError(f"{item}: {error}") from None
