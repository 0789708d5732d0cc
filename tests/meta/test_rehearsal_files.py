# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files in a rehearsal: plugins write copies, and read the copy if there is one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PLUGINS = Path(__file__).resolve().parent.parent.parent / "plugins"
WRITING = {
    *(
        f"os.{name}"
        for name in ("chmod", "chown", "link", "makedirs", "mkdir", "mkfifo", "open", "remove", "removedirs")
    ),
    *(f"os.{name}" for name in ("rename", "renames", "replace", "rmdir", "symlink", "truncate", "unlink", "utime")),
    *(f"shutil.{name}" for name in ("copy", "copy2", "copyfile", "copytree", "move", "rmtree", "unpack_archive")),
    *(f"tempfile.{name}" for name in ("NamedTemporaryFile", "TemporaryDirectory", "mkdtemp", "mkstemp")),
    *("sqlite3.connect", "shelve.open", "logging.FileHandler", "subprocess.Popen", "subprocess.run", "os.system"),
}
WRITING_METHODS = {"atomic_move", "extract", "extractall", "mkdir", "touch", "unlink", "write_bytes", "write_text"}
READING = {
    *("open", "io.open", "zipfile.ZipFile", "tarfile.open", "netrc.netrc", "glob.glob", "glob.iglob", "os.listdir"),
    *(f"os.{name}" for name in ("access", "lstat", "scandir", "stat", "walk")),
    *(f"os.path.{name}" for name in ("exists", "getmtime", "getsize", "isdir", "isfile", "islink", "lexists")),
}
# Functions that receive the path of a copy or access no files of the user
EXEMPT = {
    "module_utils/_artifact/files/archive.py": {
        "_read_7z": "is given the path to read, and extracts into a temporary folder",
        "_read_tar": "is given the path to read",
        "_read_zip": "is given the path to read",
    },
    "module_utils/_artifact/cleanup/store.py": {"close": "closes and removes the file that it opened"},
    "module_utils/_ci/cli/jar.py": {"_read_version": "is given the path to read"},
    "module_utils/_ci/cli/process.py": {"execute": "runs a program, whose files are its own"},
    "module_utils/_http/certificates.py": dict.fromkeys(
        ("ca_bundle", "_find_bundle_problem", "_contains"), "gets paths of _file"
    ),
    "module_utils/_http/session.py": dict.fromkeys(("_load_context", "_read_context"), "gets what `ca_bundle` returns"),
    "module_utils/_inference/chat/cache.py": {"_try_lock": "gets the path of a copy"},
    "module_utils/_interruption.py": dict.fromkeys(("_command", "_parent"), "reads /proc"),
    "module_utils/_files/private.py": {
        **dict.fromkeys(("_open_private", "_set_permissions", "_read_mode"), "gets the path of a copy"),
        "temporary_directory": "is a folder for temporary files",
    },
    "module_utils/_files/rehearsal.py": dict.fromkeys(
        ("resolve_write", "resolve_read", "find_copies", "_root"), "makes the copies"
    ),
    "module_utils/_review/kwadmin.py": {
        "_login_environment": "writes a temporary file",
        "_execute": "runs a program, which the rehearsal replaces",
    },
}


def dotted_name(node: ast.expr) -> str:
    """Return a dotted name, whose first part is empty unless it is a name."""
    if isinstance(node, ast.Attribute):
        return f"{dotted_name(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def list_calls(node: ast.AST) -> Iterator[str]:
    """Yield the names of the functions that are called, `open for writing` if it can write."""
    for call in (child for child in ast.walk(node) if isinstance(child, ast.Call)):
        yield from map(dotted_name, call.args)  # a function can be passed on: filter(os.path.exists, paths)
        name = dotted_name(call.func)
        if name == "open" and opens_for_writing(call):
            yield "open for writing"
        elif name.rpartition(".")[2] in WRITING_METHODS and not name.startswith("os."):
            yield f"any.{name.rpartition('.')[2]}"
        else:
            yield name


def opens_for_writing(call: ast.Call) -> bool:
    """Return whether the mode of an `open` is not a constant for reading."""
    modes = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    return any(not (isinstance(mode, ast.Constant) and set("wax+").isdisjoint(mode.value)) for mode in modes)


def find_file_access(tree: ast.Module) -> Iterator[tuple[str, str, set[str]]]:
    """Yield each function that accesses files, with the call and the functions of `rehearsal` that it calls."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    outside = ast.Module([node for node in tree.body if not isinstance(node, (ast.FunctionDef, ast.ClassDef))], [])
    for scope in (*functions, outside):
        calls = set(list_calls(scope))
        passes = {name.rpartition(".")[2] for name in calls if name.startswith("rehearsal.")}
        for call in calls:
            if call in WRITING | READING or call == "open for writing" or call.startswith("any."):
                yield getattr(scope, "name", "the file"), call, passes


def find_unredirected(tree: ast.Module) -> set[str]:
    """Return functions that write a file without `resolve_write`, or read one without resolving its copy."""
    return {
        name
        for name, call, passes in find_file_access(tree)
        if not passes & ({"resolve_write", "resolve_read", "find_copies"} if call in READING else {"resolve_write"})
    }


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def f(path):\n  open(path, 'w')", {"f"}),
        ("def f(path, mode):\n  open(path, mode)", {"f"}),
        ("def f(path):\n  open(rehearsal.resolve_read(path), mode='a')", {"f"}),
        ("def f(path):\n  open(rehearsal.resolve_write(path), 'w')", set()),
        ("def f(path):\n  open(path)", {"f"}),
        ("def f(path):\n  open(rehearsal.resolve_read(path))", set()),
        ("def f(path):\n  pathlib.Path(path).write_text('')", {"f"}),
        ("def f(paths):\n  return filter(os.path.exists, paths)", {"f"}),
        ("def f(path):\n  shutil.copy(path, path)", {"f"}),
        ("os.makedirs('x')", {"the file"}),
        ("def f(path):\n  store(path)", set()),
    ],
)
def test_unredirected_file_access_is_found(code: str, expected: set[str]) -> None:
    assert find_unredirected(ast.parse(code)) == expected


def test_plugins_write_and_read_copies_in_a_rehearsal() -> None:
    direct_calls = {}
    for path in sorted(PLUGINS.rglob("*.py")):
        if names := find_unredirected(ast.parse(path.read_text())):
            direct_calls[str(path.relative_to(PLUGINS))] = names
    assert direct_calls == {path: set(names) for path, names in EXEMPT.items()}
