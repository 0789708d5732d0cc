# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the isolation of Python programs in a rehearsal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.rehearsal import isolation

LISTEN = "import socket; server = socket.create_server(('127.0.0.1', 0)); place = server.getsockname()\n"
CONNECTIONS = {
    "TCP": "socket.create_connection(place)",
    "TCP without an exception": "socket.socket().connect_ex(place)",
    "a name": "socket.create_connection(('localhost', place[1]))",
    "UDP": "socket.socket(type=socket.SOCK_DGRAM).sendto(b'', place)",
    "connected UDP": "socket.socket(type=socket.SOCK_DGRAM).connect(place)",
    "UDP with ancillary data": "socket.socket(type=socket.SOCK_DGRAM).sendmsg([b''], [], 0, place)",
}


class Program:
    """Runs Python programs as in a rehearsal.

    :ivar folder: working directory
    :ivar copies: directory with the copies of files
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.copies, self._python = folder, folder / "scratch" / "files", folder / "python"
        self.copies.mkdir(parents=True)
        self._python.mkdir()
        (self._python / "sitecustomize.py").symlink_to(isolation.__file__)

    def copy(self, path: Path, content: str) -> Path:
        """Write the copy of a file, and return its path."""
        copy = self.copies / path.relative_to("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(content)
        return copy

    def run(self, code: str, *addresses: str) -> str:
        """Return what a program prints, and the last line of its traceback."""
        environment = {
            **os.environ,
            "PYTHONPATH": f"{self._python}{os.pathsep}{self.folder / 'other'}",
            "TOOLCHAIN_REHEARSAL_FILES": str(self.copies),
            "TOOLCHAIN_REHEARSAL_ADDRESSES": " ".join(addresses),
        }
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        return "".join([done.stdout, *done.stderr.splitlines()[-1:]]).strip()


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return Program(tmp_path)


@pytest.mark.parametrize("kind", CONNECTIONS)
def test_connection_is_refused_when_it_is_not_to_the_sandbox(kind: str, program: Program) -> None:
    output = program.run(f"{LISTEN}{CONNECTIONS[kind]}", "127.0.0.1:1")
    assert output.startswith("ConnectionRefusedError: [Errno")
    assert "Connections to 127.0.0.1:" in output or "Connections to ::1:" in output


def test_connection_is_allowed_when_it_is_to_the_sandbox_or_a_unix_socket(program: Program) -> None:
    code = "sitecustomize.ADDRESSES = {f'127.0.0.1:{place[1]}'}; socket.create_connection(place)\n"
    unix = "local = socket.socket(socket.AF_UNIX); local.bind('socket'); local.listen()\n"
    connect = "socket.socket(socket.AF_UNIX).connect('socket'); print('connected')"
    assert program.run(f"import sitecustomize; {LISTEN}{code}{unix}{connect}") == "connected"


def test_module_fails_immediately_when_it_connects_elsewhere(program: Program) -> None:
    code = "try:\n  socket.create_connection(place)\nexcept Exception:\n  print('tried again')"
    output = program.run(f"import sys; sys.modules['ansible.module_utils.basic'] = sys; {LISTEN}{code}")
    assert output.startswith('{"failed": true, "msg": "Connections to 127.0.0.1:')
    assert "tried again" not in output


def test_copies_are_read_for_all_forms_of_paths(program: Program) -> None:
    for folder, name in (("existing", "file"), ("made", "new")):
        program.copy(program.folder / folder / name, "rehearsed")
    existing = program.folder / "existing" / "file"
    existing.parent.mkdir()
    existing.write_text("production")
    (program.folder / "link").symlink_to(existing)
    (program.folder / "plain").write_text("plain")
    names = ("existing/file", str(existing), "link", "made/new", "plain", b"existing/file")
    code = f"import os, pathlib, shutil\nfor name in {names}: print(open(name).read(), os.stat(name).st_size)\n"
    code += "print(pathlib.Path('link').read_text(), os.path.exists('made'), os.path.exists('missing'))\n"
    code += "print(os.read(os.open('link', os.O_RDONLY), 99), shutil.copy('link', 'target'), os.listdir('existing'))\n"
    code += "print(open(file='link').read(), os.stat(path='link').st_size)"
    read = ["rehearsed 9"] * 4 + ["plain 5", "rehearsed 9"]
    assert program.run(code).splitlines() == [
        *read,
        "rehearsed True False",
        "b'rehearsed' target ['file']",
        "rehearsed 9",
    ]
    assert (program.folder / "target").read_text() == "rehearsed"
    assert existing.read_text() == "production"


def test_copy_is_changed_when_a_third_party_module_changes_the_file(program: Program) -> None:
    file = program.folder / "file"
    file.write_text("production")
    file.chmod(0o644)
    copy = program.copy(file, "rehearsed")
    code = "import os; os.chmod('file', 0o600); open('file', 'a').write(' more'); os.utime('file', (1, 1))"
    assert program.run(code) == ""
    assert (copy.read_text(), copy.stat().st_mode & 0o777, copy.stat().st_mtime) == ("rehearsed more", 0o600, 1)
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("production", 0o644)
    assert program.run("import os; os.unlink('file'); print(open('file').read())") == "production"


REPLACEMENTS = ("os.rename", "os.replace", "shutil.move", "pathlib.Path(temporary).replace", "os.rename in bytes")


@pytest.mark.parametrize("function", REPLACEMENTS)
def test_copy_is_replaced_when_a_program_replaces_a_file_with_a_temporary_file(function: str, program: Program) -> None:
    temporary, file, new = (program.folder / name for name in ("scratch/temporary", "file", "missing/new"))
    file.write_text("production")
    (program.folder / "link").symlink_to(file)
    arguments = "'link'" if "Path" in function else "temporary, 'link'"
    if "bytes" in function:
        function, arguments = "os.rename", "temporary.encode(), b'link'"
    code = f"import os, pathlib, shutil\ntemporary = '{temporary}'\n"
    code += f"for text in ('first', 'rehearsed'): open(temporary, 'w').write(text); {function}({arguments})\n"
    code += "print(open('file').read(), os.path.exists(temporary)); shutil.copystat('file', 'other')"
    (program.folder / "other").touch()
    assert program.run(code) == "rehearsed False"
    assert (file.read_text(), (program.folder / "link").is_symlink()) == ("production", True)
    assert "FileNotFoundError" in program.run(f"import os; open('{temporary}', 'w'); os.rename('{temporary}', '{new}')")


def test_files_are_moved_when_they_are_not_temporary(program: Program) -> None:
    (program.folder / "old").write_text("production")
    (program.copies.parent / "folder").mkdir()
    code = f"os.rename('old', 'new'); os.rename('{program.copies.parent}/folder', 'folder')"
    assert program.run(f"import os; {code}") == ""
    assert (program.folder / "new").read_text() == "production"
    assert (program.folder / "folder").is_dir()
    assert list(program.copies.iterdir()) == []


def test_invalid_paths_raise_the_usual_errors(program: Program) -> None:
    code = "import os\nfor path in ('a\\0b', 1.5, None):\n  try: os.stat(path)\n"
    code += "  except (TypeError, ValueError): print('refused')"
    assert program.run(code).splitlines() == ["refused"] * 3


def test_directories_are_removed_safely(program: Program) -> None:
    assert program.run("import shutil; print(shutil.rmtree.avoids_symlink_attacks)") == "True"


def test_hidden_sitecustomize_is_imported(program: Program) -> None:
    (program.folder / "other").mkdir()
    (program.folder / "other" / "sitecustomize.py").write_text("print('other')")
    assert program.run("import sitecustomize, sys; print(sitecustomize.COPIES != '', len(sys.path) > 3)") == (
        "other\nTrue True"
    )
