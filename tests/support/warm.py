# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run programs of ansible-core in forks of a process that has loaded it, which saves most of the startup time.

The process loads ansible-core, its plugins and third-party packages. Each run loads the collection itself, from byte
code that Python checks against the source. Programs that tests start without this module run as ansible-core has them.

As a command: for each line of standard input, which is a request, run its program and print the exit status.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from typing import Any, NoReturn

# Variables that determine the configuration of ansible-core, which is read on import
CONFIGURATION = ("ANSIBLE_", "HOME", "LANG", "LC_", "PATH", "PYTHON", "TMPDIR")
PROGRAMS = ("ansible", "ansible-doc", "ansible-galaxy", "ansible-inventory", "ansible-playbook", "ansible-vault")
# Modules that each run loads
MODULES = (
    "ansible.executor.module_common",
    "ansible.executor.playbook_executor",
    "ansible.executor.process.worker",
    "ansible.parsing.yaml.dumper",
    "requests",
)
PLUGINS = ("become", "cache", "callback", "connection", "inventory", "shell", "strategy")
POLL_INTERVAL = 0.01  # seconds, at which ansible-playbook polls its workers. The default, 0.001, costs CPU time
MAX_PROCESSES = 4
_processes: dict[Any, subprocess.Popen[str]] = {}  # the least recently used first


def run_playbook(
    arguments: Sequence[str | pathlib.Path], variables: dict[str, str], folder: pathlib.Path | None = None
) -> tuple[str, int]:
    """Return the output of ansible-playbook, standard error after standard output, and its exit status.

    :arg variables: the complete environment
    :arg folder: the working directory, by default that of this process
    """
    return run_program("ansible-playbook", arguments, variables, folder)


def run_program(
    program: str,
    arguments: Sequence[str | pathlib.Path],
    variables: dict[str, str],
    folder: pathlib.Path | None = None,
) -> tuple[str, int]:
    """Run a program of ansible-core in the same way as `run_playbook`."""
    with tempfile.TemporaryDirectory(prefix="playbook-") as place:
        files = [pathlib.Path(place, name) for name in ("stdout", "stderr")]
        request = {
            "program": program,
            "folder": str(folder or pathlib.Path.cwd()),
            "arguments": [str(argument) for argument in arguments],
            "variables": variables,
            "files": [os.devnull, *map(str, files)],
        }
        status = run_request(request)
        return "".join(file.read_text(encoding="utf-8") for file in files), status


def run_request(request: dict[str, Any]) -> int:
    """Return the exit status of a program whose standard input, output and error are the files of a request."""
    variables, folder = request["variables"], pathlib.Path(request["folder"])
    configuration = tuple((name, value) for name, value in variables.items() if name.startswith(CONFIGURATION))
    # Only a folder with an ansible.cfg changes the configuration.
    process = _process(configuration, str(folder if (folder / "ansible.cfg").exists() else pathlib.Path("/")))
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    return int(process.stdout.readline())


def _process(*key: Any) -> subprocess.Popen[str]:
    """Return a process that has imported ansible-playbook with this configuration, and end the least recently used."""
    _processes[key] = _processes.pop(key) if key in _processes else _start(*key)
    if len(_processes) > MAX_PROCESSES:
        _processes.pop(next(iter(_processes))).communicate()
    return _processes[key]


def _start(configuration: tuple[tuple[str, str], ...], folder: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", __file__],
        cwd=folder,
        env=dict(configuration),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


@atexit.register
def _end() -> None:
    """End all processes."""
    for process in _processes.values():
        process.communicate()


def serve() -> None:
    """Serve requests until standard input is closed."""
    import ansible.cli.playbook  # noqa: F401

    _configure()
    _load()
    # Garbage collection would copy the memory that a run shares with this process and with its workers.
    gc.disable()
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if not child:
            _run(request)
        _child, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _load() -> None:
    """Load modules, plugins and the documentation of their options."""
    from ansible.plugins import loader
    from ansible.utils.collection_loader import _collection_finder

    for module in MODULES:
        with contextlib.suppress(ImportError):  # where PYTHONPATH hides it
            importlib.import_module(module)
    loader.init_plugin_loader()
    for kind in PLUGINS:
        list(getattr(loader, f"{kind}_loader").all(class_only=True))
    list(loader.filter_loader.all())
    list(loader.test_loader.all())
    # Each run configures the loader of collections itself, and finds those that were installed since.
    _collection_finder._AnsibleCollectionFinder._remove()
    for name in [name for name in sys.modules if name.startswith("ansible_collections")]:
        del sys.modules[name]


def _configure() -> None:
    """Let ansible-core parse its redirections once, load byte code, and poll its workers less often."""
    from ansible import constants
    from ansible.utils.collection_loader import _collection_finder

    constants.DEFAULT_INTERNAL_POLL_INTERVAL = POLL_INTERVAL
    _collection_finder._meta_yml_to_dict = functools.cache(_collection_finder._meta_yml_to_dict)
    compile_source = _collection_finder._AnsibleCollectionPkgLoaderBase.get_code

    def load_code(self: Any, name: str) -> types.CodeType | None:
        path = self._source_code_path
        return SourceFileLoader(name, path).get_code(name) if path else compile_source(self, name)

    _collection_finder._AnsibleCollectionPkgLoaderBase.get_code = load_code


def _run(request: dict[str, Any]) -> NoReturn:
    """Run the program of a request and end this process."""
    atexit._clear()  # one of the handlers deletes the temporary folder that all forks share
    for number, file in enumerate(request["files"]):
        mode = os.O_WRONLY | os.O_CREAT | os.O_APPEND if number else os.O_RDONLY
        os.dup2(os.open(file, mode | os.O_NOCTTY, 0o600), number)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["variables"])
    sys.argv = [request["program"], *request["arguments"]]
    name = request["program"].removeprefix("ansible").removeprefix("-") or "adhoc"
    status = 0
    try:
        importlib.import_module(f"ansible.cli.{name}").main(sys.argv)
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
    # Python would delete each object, and so copy the memory that this process shares with its parent.
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    serve()
