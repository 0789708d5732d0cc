# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the commands of the documentation site and of the README in their order, in the directory of their files.

The pages of the section "Get started" are followed as a whole, from the installation on, in an empty home directory.
"""

from __future__ import annotations

import functools
import http.server
import os
import re
import shlex
import shutil
import socket
import subprocess
import sysconfig
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from export import export
from sandbox.client import Sandbox
from support.playbook import PLAYBOOK, ROOT, environment, list_failures
from support.programs import programs

SITE = ROOT / "docs" / "site"
FOLDERS = ("guides", "migration")
COMMAND = re.compile(r"^ +\$ (.*)$", re.MULTILINE)
# Commands that need a container engine (test_execution_environment.py), build a package (test_installed.py), install
# what `make dist` installs, start the sandbox with a seed (test_process.py) or belong to other tools
NOT_RUN = re.compile(
    r"ansible-builder build |ansible-navigator |.* --container-|python -m pip install .*/sandbox$"
    r"|ansible-galaxy collection install .*\.tar\.gz$|toolchain-sandbox .*--seed "
    r"|(artifactory-cleanup|jf|kwadmin|openai) "
)
TIMEOUT = 600
INCLUDED_FILE = re.compile(r"^\.\. literalinclude:: ([\w.-]+)$|:download:`[^`]*<([\w.-]+)>`", re.MULTILINE)
# Guides whose playbook restarts Jenkins in each run (test_maintenance.py)
EACH_TIME = {"maintenance"}
# Guides that write nothing to a server
ONLY_READS = {"execution-environments", "in-process", "quality-gate"}
# Guides that other tests run
OTHER_TESTS = {"release", "testing", "rehearse", "cleanup-policies"}


# A command that fails, with the message that the page shows
FAILING = re.compile(r"^ +\$ (.*)\n +fatal: \[([\w-]+)\]: FAILED! => ((?:.*\S.*\n)+)", re.MULTILINE)


def commands(page: Path) -> list[str]:
    """Return the commands of a page that can be run and succeed."""
    text = FAILING.sub("", page.read_text())
    return [command for command in COMMAND.findall(text) if not NOT_RUN.match(command)]


def pages(folder: str) -> list[Path]:
    """Return the pages with commands in a directory, except its index."""
    return [page for page in sorted((SITE / folder).glob("*.rst")) if page.stem != "index" and commands(page)]


WITH_FILES = (*FOLDERS, "start")
FILES = [file for folder in WITH_FILES for file in sorted((SITE / folder).iterdir()) if file.suffix != ".rst"]


@pytest.fixture(scope="module")
def path() -> Iterator[str]:
    """Yield a search path that starts with the programs of ansible-core."""
    with programs() as folder:
        yield os.pathsep.join([str(folder), str(PLAYBOOK.parent), os.environ["PATH"]])


@pytest.fixture(scope="module")
def home(running_sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the home directory of a reader, with kwadmin."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "kwadmin").symlink_to(running_sandbox.environment["SANDBOX_KWADMIN"])
    return folder


@pytest.fixture
def reader(sandbox: Sandbox, home: Path, path: str) -> dict[str, str]:
    """Return the environment of a reader with the sandbox and a new copy of the files."""
    for folder in FOLDERS:
        shutil.rmtree(home / folder, ignore_errors=True)
        shutil.copytree(SITE / folder, home / folder)
    search = os.pathsep.join([str(home), path])
    variables = {"HOME": str(home), "PATH": search, "PYTHONPATH": str(ROOT / "extensions"), "LDAP_PASSWORD": "secret"}
    variables["ADMIN_PASSWORD"] = "Admins-0wn"
    return environment(sandbox, **variables)


def run(command: str, folder: Path, reader: dict[str, str]) -> str:
    """Run a command; return its output. It must succeed, without warnings and credentials in the output."""
    done = subprocess.run(
        ["timeout", "--signal=KILL", str(TIMEOUT), "sh", "-c", command],  # with all that it has started
        cwd=folder,
        env=reader,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    assert "WARNING" not in output, output
    for name in ("JFROG_ACCESS_TOKEN", "JENKINS_API_TOKEN", "OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        assert reader[name] not in output, name
    return output


# In reading order
START = [
    SITE / "start/install.rst",
    ROOT / "docs/docsite/rst/guide_start.rst",
    SITE / "start/servers.rst",
    SITE / "start/pipelines.rst",
    SITE / "guides/index.rst",
]
BLOCK = re.compile(
    r"^\.\. (?P<kind>code-block|literalinclude):: (?P<what>\S+)\n"
    r"(?:(?: +:caption: (?P<file>\S+)| +:.*)\n)*(?P<text>(?:\n|  .*\n)*)",
    re.MULTILINE,
)
SECOND_SHELL = " > ~/sandbox.env & until grep -q 'sandbox ready' ~/sandbox.env; do sleep 0.2; done; cd ~"


def write_script(page: Path, installed: set[str]) -> str:
    """Return a script that writes the files of a page and runs its commands.

    :arg installed: installation commands of earlier pages, which are not repeated
    """
    steps = []
    for block in BLOCK.finditer(page.read_text()):
        text = textwrap.dedent(block["text"])
        if block["kind"] == "literalinclude":
            text = (page.parent / block["what"]).read_text()
        if block["what"] == "console":
            script_commands = [command for command in COMMAND.findall(block["text"]) if not NOT_RUN.match(command)]
            new = [command for command in script_commands if command not in installed]
            steps += [f"echo {shlex.quote(f'{page.stem}$ {command}')}\n{command}" for command in new]
            installed.update(command for command in new if command.startswith("python -m pip install "))
        elif block["file"]:
            steps += [f"mkdir -p $(dirname {block['file']})", f"cat > {block['file']} <<'END'\n{text}\nEND"]
    return "\n".join(steps)


def checkout(folder: Path) -> Path:
    """Create a Git repository of the collection."""
    export(folder)
    for command in ("init -q -b main", "add .", "-c user.name=x -c user.email=x@example.com commit -q -m x"):
        subprocess.run(["git", *command.split()], cwd=folder, check=True)
    return folder


@pytest.fixture
def tarballs(tmp_path: Path) -> Iterator[str]:
    """Serve the files of the checkout; yield the address."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path / "checkout"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_get_started_pages_lead_from_installation_to_pipeline(
    sandbox: Sandbox, tmp_path: Path, tarballs: str, path: str
) -> None:
    """The sandbox replaces the servers. The packages are already installed, and pip downloads none."""
    replacements = {
        "python3 -m venv": "python3 -m venv --without-pip",
        " | tee ~/sandbox.env": SECOND_SHELL,
        "--port 8080": "--port 0",
        "https://repo.example.com/ansible": tarballs,
        "https://git.example.com/buildworks/toolchain.git": f"file://{checkout(tmp_path / 'checkout')}",
        "https://repo-eu.example.com": sandbox.environment["JFROG_URL"],
        "https://repo-us.example.com": sandbox.environment["JFROG_URL"],
        "https://ci.example.com": sandbox.environment["JENKINS_URL"],
        "automation": sandbox.environment["JENKINS_USER_ID"],
        "JENKINS_API_TOKEN=...": "JENKINS_API_TOKEN=$JENKINS_API_TOKEN",
    }
    installed: set[str] = set()
    pages = "\n".join(write_script(page, installed) for page in START)
    for old, new in replacements.items():
        assert old in pages, old
        pages = pages.replace(old, new)
    script = tmp_path / "script"
    script.write_text(
        "set -eo pipefail\ntrap 'kill $(jobs -p)' EXIT\n"
        'toolchain-sandbox() { PYTHONPATH="$PYTHONPATH:$HOME/checkout/extensions" exec python -m sandbox "$@"; }\n'
        f"cd ~/checkout\n{pages}\n"
    )
    packages = sysconfig.get_path("purelib")
    reader = environment(sandbox, HOME=str(tmp_path), PATH=path, PYTHONPATH=packages, PIP_NO_INDEX="1")
    del reader["ANSIBLE_COLLECTIONS_PATH"]
    output = run(f"bash {script}", tmp_path, reader)
    assert output.count("was installed successfully") == 2  # from a URL and from a Git repository
    recaps = re.findall(r"^([\w-]+) +: ok=\d+ +changed=(\d)", output, re.MULTILINE)
    # The property is missing on these Artifactory hosts; there is nothing to change on the others
    assert {("repo-eu", "1"), ("repo-us", "1"), ("repo", "1"), ("jenkins", "0"), ("localhost", "0")} <= set(recaps)
    assert writes(sandbox)


def test_each_page_with_commands_is_tested() -> None:
    elsewhere = [SITE / "index.rst", SITE / "start/editors.rst"]  # the latter in tests/lint
    command_pages = [page for page in (ROOT / "docs").rglob("*.rst") if commands(page) and page not in elsewhere]
    assert sorted(command_pages) == sorted([*START, *pages("guides"), *pages("migration")])
    readme = (ROOT / "README.md").read_text()
    assert [command for command in commands(SITE / "index.rst") if f"$ {command}\n" not in readme] == []
    playbook = (SITE / "release.yml").read_text().partition("---\n")[2]
    assert f"```yaml\n# release.yml\n{playbook}```" in readme


def test_pipeline_steps_are_the_commands_of_the_page() -> None:
    page = SITE / "guides/quality-gate.rst"
    pipelines = [yaml.safe_load(block["text"]) for block in BLOCK.finditer(page.read_text()) if block["what"] == "yaml"]
    assert [step["run"] for steps in pipelines for step in steps if "run" in step] == commands(page)


MARKDOWN_BLOCK = re.compile(r"^```(yaml|console|text)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def follow_readme(readme: str) -> str:
    """Return a script that pastes the code blocks of a README in their order.

    A YAML block names its file in the first line.
    """
    steps = []
    for language, text in MARKDOWN_BLOCK.findall(readme):
        if language == "yaml":
            file = text.partition("\n")[0].removeprefix("# ")
            steps.append(f"mkdir -p $(dirname {file})\ncat > {file} <<'END'\n{text}END")
        elif language == "console":
            lines = [line.removeprefix("$ ") for line in text.splitlines()]
            steps += [command for command in lines if not NOT_RUN.match(command)]
    return "\n".join(steps)


def test_readme_works_when_pasted_in_order_into_an_empty_folder(tmp_path: Path, path: str) -> None:
    readme = (ROOT / "README.md").read_text()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    script = follow_readme(readme)
    replacements = {
        "python3 -m venv": "python3 -m venv --without-pip",
        "8080": str(port),
        "https://git.example.com/buildworks/toolchain.git": f"file://{checkout(tmp_path / 'checkout')}",
    }
    for old, new in replacements.items():
        assert old in script, old
        script = script.replace(old, new)
    (tmp_path / "script").write_text(
        "set -eo pipefail\ntrap 'kill $(jobs -p)' EXIT\n"
        'toolchain-sandbox() { PYTHONPATH="$PYTHONPATH:$HOME/checkout/extensions" exec python -m sandbox "$@"; }\n'
        f"mkdir ~/empty\ncd ~/empty\n{script}\n"
    )
    packages = sysconfig.get_path("purelib")
    reader = environment(HOME=str(tmp_path), PATH=path, PYTHONPATH=packages, PIP_NO_INDEX="1")
    del reader["ANSIBLE_COLLECTIONS_PATH"]
    done = subprocess.run(
        ["timeout", "--signal=KILL", str(TIMEOUT), "bash", tmp_path / "script"],
        cwd=tmp_path,
        env=reader,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    output = done.stdout + done.stderr
    assert done.returncode == 0, output
    assert "WARNING" not in output, output
    lines = {line.strip() for line in output.splitlines()}
    documented = [
        line for language, text in MARKDOWN_BLOCK.findall(readme) if language == "text" for line in text.splitlines()
    ]
    assert documented
    assert [line for line in documented if line.strip() not in lines] == []
    assert re.findall(r"^(artifactory|jenkins) +: ok=\d+ +changed=(\d)", output, re.MULTILINE) == [
        *[("artifactory", "1"), ("jenkins", "0")] * 2,
    ]


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 200


# A script may only have read; after a restart, Jenkins reads the metadata of the update site again
NOT_A_CHANGE = ("script", "refresh_metadata")


def writes(sandbox: Sandbox) -> set[str]:
    """Return the services that were changed since the last call."""
    entries = [entry for entry in sandbox.journal() if entry["effect"] == "write"]
    sandbox.clear_journal()
    return {entry["service"] for entry in entries if entry["label"] not in NOT_A_CHANGE}


# Guides that need a program, which may be missing
PROGRAMS = {"signed-repositories": "gpg"}
GUIDES = [page for page in pages("guides") if shutil.which(PROGRAMS.get(page.stem, "sh"))]
FOR_EMPTY_SERVERS = [page for page in GUIDES if "--seed empty.yml" in page.read_text()]
OTHER_GUIDES = [page for page in GUIDES if page not in FOR_EMPTY_SERVERS and page.stem not in OTHER_TESTS]
WRITE_ONCE = [page for page in OTHER_GUIDES if page.stem not in ONLY_READS]
START_OF_PLAYBOOK = "ansible-playbook -i inventory.yml "
PLAY = re.compile(r"^PLAY \[(.*)\] \*+$((?:\n(?!PLAY ).*)*)", re.MULTILINE)


def playbooks(page: Path) -> list[str]:
    """Return the playbooks that a page runs, each with its options."""
    playbook_commands = [command for command in commands(page) if command.startswith(START_OF_PLAYBOOK)]
    return [command.removeprefix(START_OF_PLAYBOOK) for command in playbook_commands]


def run_playbooks(playbooks: list[str], folder: Path, reader: dict[str, str]) -> str:
    """Run playbooks with one start, and with the options of each of them; return the output."""
    names, options = zip(*(playbook.partition(" ")[::2] for playbook in playbooks), strict=True)
    return run(START_OF_PLAYBOOK + " ".join([*names, *options]), folder, reader)


def run_other_commands(pages: list[Path], folder: Path, reader: dict[str, str]) -> None:
    """Run the commands of pages that run no playbook."""
    for page in pages:
        for command in commands(page):
            if not command.startswith(START_OF_PLAYBOOK):
                run(command.replace("seq 500", "seq 20"), folder, reader)


def has_changed(page: Path, output: str) -> bool:
    """Return whether a play of a page's playbooks changed something."""
    files = {page.parent / playbook.split()[0] for playbook in playbooks(page)}
    names = {play["name"] for file in files for play in yaml.safe_load(file.read_text())}
    return any("\nchanged: [" in tasks for name, tasks in PLAY.findall(output) if name in names)


def test_guides_change_nothing_when_repeated(sandbox: Sandbox, reader: dict[str, str]) -> None:
    """Run the playbooks in check mode first where the guide does so."""
    snapshots = yaml.safe_load((SITE / "guides/maven-snapshots.yml").read_text())["artifact"]["repositories"]
    sandbox.seed({"artifact": {"repositories": snapshots}})
    folder = Path(reader["HOME"]) / "guides"
    run_other_commands(WRITE_ONCE, folder, reader)
    in_check_mode = [playbook for page in WRITE_ONCE for playbook in playbooks(page)[:-1]]
    assert all("--check" in playbook for playbook in in_check_mode)
    predicted = run_playbooks(in_check_mode, folder, reader)
    assert not writes(sandbox)

    output = run_playbooks([playbooks(page)[-1] for page in WRITE_ONCE], folder, reader)
    assert [page.stem for page in WRITE_ONCE if not has_changed(page, output)] == []
    assert writes(sandbox) == {"artifact", "ci", "inference", "review"}
    plan, summary = re.findall('^   ("artifacts": .*)$', (SITE / "guides/clean-up.rst").read_text(), re.MULTILINE)
    assert (plan in predicted, summary in output) == (True, True)

    output = run_playbooks([playbooks(page)[-1] for page in WRITE_ONCE if page.stem not in EACH_TIME], folder, reader)
    assert not writes(sandbox)
    assert not re.search("changed=[1-9]", output), output


def test_guides_that_only_read_send_no_writes(sandbox: Sandbox, reader: dict[str, str]) -> None:
    """ansible-runner starts ansible-playbook itself: a fork would read the variables of its callback too late."""
    pages = [page for page in OTHER_GUIDES if page.stem in ONLY_READS]
    folder = Path(reader["HOME"]) / "guides"
    run_other_commands(pages, folder, reader | {"PATH": os.pathsep.join([str(PLAYBOOK.parent), os.environ["PATH"]])})
    run_playbooks([playbook for page in pages for playbook in playbooks(page)], folder, reader)
    assert not writes(sandbox)


def test_testing_guide_runs_the_commands_of_the_release_guide(reader: dict[str, str]) -> None:
    """The test of the guide asserts that another run writes nothing."""
    options = re.findall('"-e", "(.*?)"', (SITE / "guides/test_release.py").read_text())
    assert [f"release.yml -e {option}" for option in dict.fromkeys(options)] == playbooks(SITE / "guides/release.rst")
    (command,) = commands(SITE / "guides/testing.rst")
    run(command, Path(reader["HOME"]) / "guides", reader)


def test_rehearsal_guide_changes_nothing(sandbox: Sandbox, reader: dict[str, str]) -> None:
    snapshot, rehearse = commands(SITE / "guides/rehearse.rst")
    folder = Path(reader["HOME"]) / "guides"
    run(snapshot, folder, reader)
    assert "The second run changed nothing." in run(rehearse, folder, reader)
    assert not writes(sandbox)


def test_guide_to_cleanup_policies_changes_nothing_when_repeated(sandbox: Sandbox, reader: dict[str, str]) -> None:
    """The seed of the guide has the edition that the module requires."""
    folder = Path(reader["HOME"]) / "guides"
    sandbox.seed(yaml.safe_load((folder / "enterprise.yml").read_text()), reset=True)
    page = SITE / "guides/cleanup-policies.rst"
    preview, create, refused = commands(page)
    run(preview, folder, reader)
    assert not writes(sandbox)
    assert "changed=1" in run(create, folder, reader)
    assert writes(sandbox) == {"artifact"}
    assert "changed=0" in run(create, folder, reader)
    output = run(f"{refused} || true", folder, reader)
    *_texts, message = re.findall(r"code-block:: text\n\n((?:   .*\n)+)", page.read_text())
    assert " ".join(message.split()) in " ".join(output.split())
    assert not writes(sandbox)


WITH_FAILURES = [page for page in GUIDES if FAILING.search(page.read_text())]


@pytest.mark.parametrize("page", WITH_FAILURES, ids=[page.stem for page in WITH_FAILURES])
def test_guides_fail_as_shown(page: Path, sandbox: Sandbox, reader: dict[str, str]) -> None:
    folder = Path(reader["HOME"]) / "guides"
    if seed := re.search(r"--seed ([\w-]+\.yml)", page.read_text()):
        sandbox.seed(yaml.safe_load((folder / seed[1]).read_text()), reset=True)
    for command in commands(page):
        if "ansible-playbook" not in command and page.stem not in OTHER_TESTS:
            run(command, folder, reader)
    for command, host, documented in FAILING.findall(page.read_text()):
        done = subprocess.run(
            ["timeout", "--signal=KILL", str(TIMEOUT), "sh", "-c", command],
            cwd=folder,
            env=reader,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        assert done.returncode == 2, done.stdout
        output = " ".join((done.stdout + done.stderr).split())
        message = re.sub(
            r"req_\w+", "req_...", list_failures(output)[host].replace(sandbox.url, "http://127.0.0.1:8080")
        )
        assert " ".join(documented.split()) in message


def test_guides_for_empty_servers_change_nothing_when_repeated(sandbox: Sandbox, reader: dict[str, str]) -> None:
    seed = Path(reader["HOME"]) / "guides/empty.yml"
    sandbox.seed(yaml.safe_load(seed.read_text()), reset=True)
    terraform = "ansible-playbook -i ../guides/inventory.yml terraform.yml --check --diff"
    assert "failed=0" in run(terraform, Path(reader["HOME"]) / "migration", reader)
    assert not writes(sandbox)
    run_twice(FOR_EMPTY_SERVERS, "ansible-playbook -i inventory.yml", sandbox, reader)


def test_migration_guides_change_nothing_when_repeated(sandbox: Sandbox, reader: dict[str, str]) -> None:
    run_twice(pages("migration"), "ansible-playbook -i ../guides/inventory.yml", sandbox, reader)


def run_twice(pages: list[Path], command: str, sandbox: Sandbox, reader: dict[str, str]) -> None:
    """Run the playbooks of pages, whose one command this is, with one start, then again with nothing to do.

    A start takes longer than the tasks of a playbook.
    """
    for page in pages:
        assert commands(page) == [f"{command} {page.stem}.yml"]
    folder = Path(reader["HOME"]) / pages[0].parent.name
    together = " ".join([command, *(f"{page.stem}.yml" for page in pages)])
    run(together, folder, reader)
    assert writes(sandbox) == {"artifact", "ci", "inference", "review"}
    output = run(together, folder, reader)
    assert not writes(sandbox)
    assert not re.search("changed=[1-9]", output), output


def test_each_file_is_shown_by_a_page_in_its_directory() -> None:
    for folder in WITH_FILES:
        pages = "".join(page.read_text() for page in (SITE / folder).glob("*.rst"))
        included = {name for names in INCLUDED_FILE.findall(pages) for name in names}
        assert {file.name for file in FILES if file.parent.name == folder} - included == set()


def test_each_playbook_is_run_by_a_page_in_its_directory() -> None:
    run_somewhere = " ".join(
        command for folder in WITH_FILES for page in pages(folder) for command in commands(page)
    ).split()
    playbooks = [file.name for file in FILES if file.suffix == ".yml" and "\n  hosts: " in file.read_text()]
    assert playbooks
    assert set(playbooks) - {"mistakes.yml"} <= set(run_somewhere)  # tests/lint checks this one
