# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs of ansible-core as commands for shells, run in forks as in warm.py.

As a command: `python -m support.programs COMMAND ...` runs a command that finds these programs first.
"""

from __future__ import annotations

import contextlib
import json
import os
import socketserver
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from support.warm import PROGRAMS, run_request

# Its standard input, output and error are those of the program
COMMAND = """\
#!{python} -IS
import json, os, socket, sys

with socket.socket(socket.AF_UNIX) as connection:
    connection.connect({address!r})
    with connection.makefile("rw") as stream:
        request = {{
            "program": os.path.basename(sys.argv[0]),
            "arguments": sys.argv[1:],
            "folder": os.getcwd(),
            "variables": dict(os.environ),
            "files": [f"/proc/{{os.getpid()}}/fd/{{number}}" for number in range(3)],
        }}
        print(json.dumps(request), file=stream, flush=True)
        sys.exit(int(stream.readline()))
"""


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        """Run a program and send its exit status."""
        status = run_request(json.loads(self.rfile.readline()))
        self.wfile.write(f"{status}\n".encode())


@contextlib.contextmanager
def programs() -> Iterator[Path]:
    """Yield a folder for PATH with the programs, which run one at a time."""
    with tempfile.TemporaryDirectory(prefix="programs-") as place:
        address = str(Path(place, "socket"))
        for program in PROGRAMS:
            file = Path(place, program)
            file.write_text(COMMAND.format(python=sys.executable, address=address))
            file.chmod(0o700)
        with socketserver.UnixStreamServer(address, _Handler) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            try:
                yield Path(place)
            finally:
                server.shutdown()
                thread.join()


def main() -> int:
    with programs() as folder:
        path = f"{folder}{os.pathsep}{os.environ['PATH']}"
        return subprocess.run(sys.argv[1:], env={**os.environ, "PATH": path}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
