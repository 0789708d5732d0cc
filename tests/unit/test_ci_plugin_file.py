# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The module ci_plugin with files as desired state, and plugins that are not declared."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.plugin_server import (
    available_plugin,
    batch,
    center,
    change,
    install,
    installed_page,
    job,
    listing,
    manifest,
    not_offered,
    plugin,
    providers,
)
from support.running import run

TOKEN = {"username": "admin", "api_token": "11aa22bb33cc44dd55ee66ff7700881199"}
GIT = plugin("git", "5.2.1", needs="credentials")
CREDENTIALS = plugin("credentials", "1.10")
TIMESTAMPER = plugin("timestamper", "1.28")
HELPER = plugin("helper", needs="base")
BASE = plugin("base")
ADMINISTERS = call("GET", "/scriptText")


def run_module(*calls: Call, **parameters: Any) -> dict[str, Any]:
    """Run a task in exactly this conversation."""
    with conversation(*calls) as server:
        return run("ci_plugin", url=server.url, **{**TOKEN, **parameters})


def write_file(folder: Path, text: str, name: str = "plugins.txt") -> str:
    """Write a file and return its path."""
    path = folder / name
    path.write_text(text, encoding="utf-8", newline="")
    return str(path)


def steps(result: dict[str, Any]) -> list[str]:
    assert not result.get("failed"), result["msg"]
    return [f"{step['action']} {step['name']} {step['version']}" for step in result["plan"]]


def test_text_file_is_the_desired_state(tmp_path: Path) -> None:
    text = "\ufeff# all plugins\r\n\r\n  git:5.2.1   # source code\r\ntimestamper:latest\r\ncredentials:1.10\r\n"
    result = run_module(listing(GIT, CREDENTIALS, TIMESTAMPER), center(), plugins_file=write_file(tmp_path, text))
    assert steps(result) == []
    assert not result["changed"]
    assert list(result["plugins"]) == ["credentials", "git", "timestamper"]


@pytest.mark.parametrize("suffix", ["yaml", "yml"])
def test_yaml_file_is_the_desired_state(tmp_path: Path, suffix: str) -> None:
    text = """\
jenkins:
  systemMessage: ignored
plugins:
  - artifactId: git
    source: {version: "5.2.1"}
  - artifactId: credentials
    source:
      version: 1.10
  - artifactId: timestamper
"""
    path = write_file(tmp_path, text, f"plugins.{suffix}")
    result = run_module(listing(GIT, CREDENTIALS, TIMESTAMPER), center(), plugins_file=path)
    assert steps(result) == []


def test_versions_of_a_file_are_exact(tmp_path: Path) -> None:
    path = write_file(tmp_path, "git:5.0\ntimestamper:9:https://files.example.com/timestamper.hpi\n")
    result = run_module(
        *(listing(GIT, CREDENTIALS, TIMESTAMPER), center(), available_plugin("git", "5.7")),
        *(manifest("https://files.example.com/timestamper.hpi", "timestamper", "9"), ADMINISTERS),
        plugins_file=path,
        check_mode=True,
    )
    assert steps(result) == ["upload git 5.0", "upload timestamper 9"]


def test_blanks_of_a_line_are_removed(tmp_path: Path) -> None:
    """As the Plugin Installation Manager does."""
    path = write_file(
        tmp_path,
        " git:\t latest ## newest\r\n   # none\n#git:1\n\x0ctimestamper : 9 :"
        " https://files.example.com/timestamper.hpi  ##note\n",
    )
    newest = {**TIMESTAMPER, "version": "9"}
    result = run_module(listing(GIT, CREDENTIALS, newest), center(), plugins_file=path, check_mode=True)
    assert list(result["plugins"]) == ["git", "timestamper"]
    assert (steps(result), result["changed"]) == ([], False)


def test_pinned_version_that_the_site_does_not_offer_is_a_problem(tmp_path: Path) -> None:
    path = write_file(tmp_path, "git:9.9\nnothing:1.0\n")
    offer = available_plugin("git", "5.7", url="https://files.example.com/git.hpi")
    result = run_module(
        *(listing(GIT, CREDENTIALS), center(), installed_page(), offer, not_offered("nothing")), plugins_file=path
    )
    assert result["msg"] == (
        "No plugin was changed because of 2 problem(s): git 9.9 is not available, only 5.7: set its file in 'src' or "
        "'url'; nothing is not available from the update site."
    )


def test_plugins_are_added_to_those_of_the_file(tmp_path: Path) -> None:
    result = run_module(
        *(listing(GIT, CREDENTIALS, TIMESTAMPER), center(), providers(), ADMINISTERS),
        plugins_file=write_file(tmp_path, "git:5.2.1\n"),
        plugins=[{"name": "timestamper", "state": "disabled"}],
        check_mode=True,
    )
    assert steps(result) == ["disable timestamper 1.28"]


INVALID_TEXT = {
    "a:experimental": "Jenkins cannot install 'experimental' versions. Configure the experimental update site",
    "a:incrementals;org.example;1.0-rc1": "Jenkins cannot install incremental versions by group ID. Specify",
    "a 1.0": "is invalid: the name must be a short name",  # read as a1.0
    "a:1.30#pin": "is invalid: the version must be a version number",
    "a:1.30@b": "is invalid: the version must be a version number",
    "a:1.30;b": "is invalid: the version must be a version number",
    "a:../1": "is invalid: the version must be a version number",
    "a.b:1.0": "is invalid: the name must be a short name: letters, digits, '-' and '_'",
    ":1.0": "is invalid: the name must be a short name",
    'a:1"0': "is invalid: the version must be a version number",
    "a:latest:https://files.example.com/a.hpi": "is invalid: the url must be the URL of a .hpi or .jpi file",
    "a::https://files.example.com/a.hpi": "is invalid: the url must be the URL of a .hpi or .jpi file",
    "a:1.0:https://files.example.com/a.zip": "is invalid: the url must be the URL of a .hpi or .jpi file",
    "git": "'git' is already in line 2 of",
    "timestamper:1": "'timestamper' is already in plugins[0]",
}


@pytest.mark.parametrize("line", INVALID_TEXT)
def test_invalid_line_is_refused_with_its_number(tmp_path: Path, line: str) -> None:
    path = write_file(tmp_path, f"# first\ngit:5.2.1\n{line}\n")
    result = run_module(plugins_file=path, plugins=[{"name": "timestamper"}])
    assert result["msg"].startswith(f"Option 'plugins_file': line 3 of '{path}'")
    assert INVALID_TEXT[line] in result["msg"]


INVALID_YAML = {
    "- artifactId: a\n  source: {version: experimental}": (3, "Jenkins cannot install 'experimental' versions"),
    "- artifactId: a\n  groupId: org.example\n  source: {version: 1.0-rc1}": (3, "Jenkins cannot install incremental"),
    "- artifactId: a\n  sources: {version: 1}": (4, "'sources' is unknown. Use artifactId, groupId, source"),
    "- artifactId: a\n  source: {verison: 1}": (4, "'verison' is unknown. Use version, url"),
    "- artifactId: a\n  artifactId: b": (4, "'artifactId' occurs twice"),
    "- artifactId: a\n  source: 1.0": (4, "must be a mapping"),
    "- artifactId: a\n  source: {version: [1]}": (4, "'version' must be a string that is not empty"),
    "- artifactId: ''": (3, "'artifactId' must be a string that is not empty"),
    "- source: {version: '1'}": (3, "requires 'artifactId'"),
    "- git": (3, "must be a mapping"),
    "- {": (4, "is not valid YAML"),
}


@pytest.mark.parametrize("entry", INVALID_YAML)
def test_invalid_yaml_is_refused_with_its_line(tmp_path: Path, entry: str) -> None:
    path = write_file(tmp_path, f"---\nplugins:\n{entry}\n", "plugins.yaml")
    line, problem = INVALID_YAML[entry]
    result = run_module(plugins_file=path)
    assert result["msg"].startswith(f"Option 'plugins_file': line {line} of '{path}': {problem}")


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("plugins.txt", "# none\n", "must list at least one plugin"),
        ("plugins.yaml", "", "must list at least one plugin"),
        ("plugins.yaml", "plugins: []", "must list at least one plugin"),
        ("plugins.yaml", "jenkins: {}", "must list at least one plugin"),
        ("plugins.yaml", "plugins: {git: 1}", "line 1 of '{path}': 'plugins' must be a list"),
        ("plugins.yaml", "[]", "line 1 of '{path}': must be a mapping"),
        ("plugins.json", "{}", "must be a .txt, .yaml or .yml file, not '{path}'"),
    ],
)
def test_invalid_file_is_refused(tmp_path: Path, name: str, text: str, problem: str) -> None:
    path = write_file(tmp_path, text, name)
    assert run_module(plugins_file=path)["msg"].startswith(f"Option 'plugins_file': {problem.format(path=path)}")


def test_unreadable_file_is_refused(tmp_path: Path) -> None:
    missing = str(tmp_path / "plugins.txt")
    assert run_module(plugins_file=missing)["msg"] == (
        f"Option 'plugins_file': '{missing}' cannot be read: it does not exist."
    )
    (tmp_path / "plugins.txt").write_bytes(b"git\xff")
    assert "must be a text file in UTF-8" in run_module(plugins_file=missing)["msg"]


def test_password_of_a_url_in_the_file_is_a_secret(tmp_path: Path) -> None:
    path = write_file(tmp_path, "top:1.0:https://ci:s3cret-word@files.example.com/top.hpi\n")
    result = run_module(
        *(listing(), center(), installed_page()),
        manifest("https://ci:s3cret-word@files.example.com/top.hpi", "top", "1.0"),
        call("POST", "/pluginManager/uploadPlugin", 500, text="Oops!"),
        *(listing(), center()),
        plugins_file=path,
    )
    assert "Check whether https://ci:********@files.example.com/top.hpi is accessible" in result["msg"]
    assert "s3cret" not in str(result)


INSTALLED = (GIT, CREDENTIALS, HELPER, BASE, plugin("bundle", bundled=True, needs="part"), plugin("part"))


def test_undeclared_plugins_are_reported(tmp_path: Path) -> None:
    result = run_module(
        *(listing(*INSTALLED), center()), plugins_file=write_file(tmp_path, "git:5.2.1"), undeclared="report"
    )
    assert steps(result) == []
    assert (result["changed"], result["undeclared"]) == (False, ["base", "helper"])
    assert result["warnings"] == ["These plugins exist, but are not declared: base, helper."]
    assert list(result["plugins"]) == ["base", "git", "helper"]


def test_undeclared_plugins_are_removed() -> None:
    gone = [plugin("helper", needs="base", deleted=True), plugin("base", deleted=True)]
    after = listing(GIT, CREDENTIALS, *gone, *INSTALLED[4:])
    result = run_module(
        *(listing(*INSTALLED), center(), providers()),
        *(change("base", "doUninstall", 302), change("helper", "doUninstall", 302)),
        *(after, center()),
        plugins=[{"name": "git"}],
        undeclared="remove",
        diff_mode=True,
    )
    assert steps(result) == ["uninstall base None", "uninstall helper None"]
    assert (result["changed"], result["undeclared"]) == (True, ["base", "helper"])
    assert result["diff"]["before"]["helper"] == {"installed": True, "version": "1.0", "enabled": True}
    assert result["diff"]["after"]["helper"] == {"installed": False}
    again = run_module(after, center(), plugins=[{"name": "git"}], undeclared="remove")
    assert (again["changed"], again["undeclared"], "warnings" in again) == (False, [], False)


def test_dependencies_of_new_and_disabled_plugins_are_declared() -> None:
    result = run_module(
        *(listing(*INSTALLED), center(), installed_page(), available_plugin("top", needs="helper")),
        *(providers(), ADMINISTERS),
        plugins=[{"name": "git", "state": "disabled"}, {"name": "top"}],
        undeclared="remove",
        check_mode=True,
    )
    assert steps(result) == ["install top 1.0", "disable git 5.2.1"]
    assert result["undeclared"] == []


def test_dependencies_of_an_absent_plugin_are_undeclared() -> None:
    result = run_module(
        *(listing(*INSTALLED), center(), providers(), ADMINISTERS),
        plugins=[{"name": "git"}, {"name": "helper", "state": "absent"}],
        undeclared="remove",
        check_mode=True,
    )
    assert steps(result) == ["uninstall helper None", "uninstall base None"]


def test_undeclared_plugins_are_kept_while_dependencies_are_unknown(tmp_path: Path) -> None:
    kept = (
        "Undeclared plugins were kept: base, helper. Jenkins reports the dependencies of git only after loading the "
        "new version. Run the task again once Jenkins has restarted to remove the undeclared plugins."
    )
    file = write_file(tmp_path, "git:5.0\n")
    planned = run_module(
        *(listing(*INSTALLED), center(), available_plugin("git", "5.7"), ADMINISTERS),
        plugins_file=file,
        undeclared="remove",
        check_mode=True,
    )
    assert steps(planned) == ["upload git 5.0"]
    assert planned["warnings"] == [kept]
    waits = job(1, "git", "SuccessButRequiresRestart", "5.0")
    pending = run_module(listing(*INSTALLED), center(waits, waits=True), plugins_file=file, undeclared="remove")
    assert (pending["changed"], pending["warnings"], pending["undeclared"]) == (False, [kept], ["base", "helper"])


def test_upgrade_and_removal_in_one_task() -> None:
    waits = job(1, "git", "SuccessButRequiresRestart", "5.7")
    done = (waits, batch(2))
    after = listing(GIT, CREDENTIALS, plugin("base", deleted=True))
    result = run_module(
        *(listing(GIT, CREDENTIALS, BASE), center(), available_plugin("git", "5.7", needs="credentials")),
        providers(),
        *(install("git"), center(*done, waits=True), listing(GIT, CREDENTIALS, BASE), center(*done, waits=True)),
        *(change("base", "doUninstall", 302), after, center(*done, waits=True)),
        plugins=[{"name": "git", "version": "5.7", "exact": True}],
        undeclared="remove",
    )
    assert steps(result) == ["install git 5.7", "uninstall base None"]
    assert result["restart_required"]


@pytest.mark.parametrize("mode", ["report", "remove"])
def test_undeclared_requires_a_plugin_that_should_exist(mode: str) -> None:
    result = run_module(plugins=[{"name": "git", "state": "absent"}], undeclared=mode)
    assert result["msg"].startswith("Option 'undeclared': must be 'keep' unless at least one plugin should exist")


def test_one_of_the_options_is_required() -> None:
    assert "one of the following is required: plugins, plugins_file" in run_module()["msg"]
    assert "plugins_file" in run_module(plugins=[{"name": "git"}], plugins_file=None, undeclared="remove")["msg"]
