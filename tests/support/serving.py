# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run HTTP servers in threads of the test process."""

from __future__ import annotations

import contextlib
import http.server
import threading
from collections.abc import Iterator

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session


@contextlib.contextmanager
def run_server(server: http.server.HTTPServer) -> Iterator[None]:
    """Serve requests in a thread. On exit, stop the server and close the connections of the modules."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.001})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        session._CONNECTIONS.clear()  # the next server may have the same port
