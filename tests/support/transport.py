# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The transport without a service, and servers with errors below HTTP."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.buildworks.toolchain.plugins.module_utils._credential import Credential
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.client import HttpClient
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.session import CONNECTION
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

CREDENTIAL = Credential({"Authorization": "Bearer t0ken-of-mine"})


def transport(url: str, *, check_mode: bool = False, credential: Credential = CREDENTIAL, **params: Any) -> HttpClient:
    """Return the transport of a service whose errors are plain text."""
    return transport_and_task(url, check_mode=check_mode, credential=credential, **params)[0]


def transport_and_task(
    url: str,
    *,
    check_mode: bool = False,
    credential: Credential = CREDENTIAL,
    display_interruption: Callable[[str], None] | None = None,
    **params: Any,
) -> tuple[HttpClient, Task]:
    """Return the transport and the task that receives progress and retries."""
    validation = ArgumentSpecValidator(**CONNECTION.to_keywords()).validate(params)
    assert not validation.error_messages
    task = Task(validation.validated_parameters, check_mode=check_mode, display_interruption=display_interruption)
    return HttpClient(task, url, credential=credential, explain=_explain), task


def _explain(answer: Response) -> tuple[str | None, str | None]:
    return answer.short_text(), None


def closed_port() -> int:
    """Return a port on which no process listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextlib.contextmanager
def socket_server(serve: Callable[[socket.socket], None]) -> Iterator[str]:
    """Run a function with a listening socket in a thread, and return the address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, args=(listener,))
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.join()
