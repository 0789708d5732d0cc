# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""ci_script with the Groovy release of current servers behind the script console of the sandbox."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.client import Sandbox
from support.running import run
from support.servers.groovy import groovy_jar
from support.servers.process import UnavailableError

CONSOLES: tuple[dict[str, str], ...] = ({}, {"node": "linux"})
# Each example has twenty or more arguments or texts of a script in it
GENERATED = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@pytest.fixture
def server(sandbox: Sandbox) -> dict[str, Any]:
    """Return the connection options of a server whose script consoles run Groovy."""
    try:
        jar = groovy_jar()
    except UnavailableError as reason:
        pytest.skip(f"CANNOT RUN HERE: {reason}")
    sandbox.switch("ci", groovy_jar=str(jar))
    sandbox.seed({"ci": {"agents": [{"name": "linux"}]}})
    return {
        "url": sandbox.environment["JENKINS_URL"],
        "username": sandbox.environment["JENKINS_USER_ID"],
        "api_token": sandbox.environment["JENKINS_API_TOKEN"],
        "wait_timeout": 300,
    }


def value_of(server: dict[str, Any], script: str, **options: Any) -> Any:
    result = run("ci_script", **server, script=script, **options)
    assert not result.get("failed"), result["msg"]
    return result["value"]


@pytest.mark.parametrize("console", CONSOLES)
@pytest.mark.parametrize(
    ("script", "value"),
    [
        ("null", None),
        ("return", None),
        ("// nothing but a comment", None),
        ("println 1", None),
        ("false", False),
        ("1 + 1", 2),
        ("2G ** 70", 2**70),
        ("1.10", 1.1),
        ("1e400", "1E+400"),
        ("10G ** 400", "1" + 400 * "0"),
        ("[Double.NaN, -1d/0]", ["NaN", "-Infinity"]),
        ("''", ""),
        ("'é💚' + (char) 0", "é💚\0"),
        ('def x = 5; "${x}\\$"', "5$"),
        ("[a: [1, [b: null]], 2: true]", {"a": [1, {"b": None}], "2": True}),
        ("[1, 2] as int[]", [1, 2]),
        ("['b', 'a'] as TreeSet", ["a", "b"]),
        ("'a'..'c'", ["a", "b", "c"]),
        ("new Date(0)", "1970-01-01T00:00:00Z"),
        ("new File('/a/b').toPath()", "/a/b"),
        ("String", "class java.lang.String"),
        ("(char) 'c'", "c"),
        ("'\\ud83d'", "?"),
        ("new java.util.concurrent.atomic.AtomicInteger(3)", 3),
    ],
)
def test_values_are_returned_as_data(server: dict[str, Any], script: str, value: Any, console: dict[str, str]) -> None:
    assert value_of(server, script, **console) == value


@pytest.mark.parametrize("console", CONSOLES)
def test_scripts_can_contain_classes_and_imports(server: dict[str, Any], console: dict[str, str]) -> None:
    script = """#!/usr/bin/env groovy
        import groovy.json.JsonSlurper
        import static java.lang.Math.max
        import hudson.model.*

        @groovy.transform.Canonical
        class Point { int x, y }

        def twice(value) { value * 2 }

        if (args.early) return 'early'
        print 'a'
        println "b ${new Point(1, 2).x}"
        [1].each { println it }
        tokens = new JsonSlurper().parseText('{"a": [1]}')
        return [twice(max(3, 4)), tokens.a[0]]
    """
    result = run("ci_script", **server, script=script, **console)
    assert (result["output"], result["value"], result["changed"]) == ("ab 1\n1\n", [8, 1], True)
    assert value_of(server, script, **console, args={"early": True}) == "early"


@pytest.mark.parametrize("console", CONSOLES)
@pytest.mark.parametrize(
    ("script", "message", "line", "changed"),
    [
        ("println 1\n\nthrow new IOException('no\\nway')", "failed in line 3: IOException: no.", 3, True),
        ("throw new Error()", "failed in line 1: Error.", 1, True),
        (
            "def f(n) {\n  1 / n\n}\n[1].each {\n  f(0)\n}",
            "failed in line 2: ArithmeticException: Division by",
            2,
            True,
        ),
        ("int i = 1\nassert i == 2", "failed in line 2: the assertion is false: assert i == 2.", 2, True),
        ("assert false : 'so'", "failed in line 1: the assertion is false: so. Expression: false.", 1, True),
        ("def f() { f() }\nf()", "failed in line 1: StackOverflowError.", 1, True),
        ("nowhere", "failed in line 1: MissingPropertyException: No such property: nowhere", 1, True),
        (
            "a = [:]\na.a = a",
            "failed: IllegalArgumentException: the value is nested too deeply",
            None,
            True,
        ),
        ("x = 1\ndef (", "does not compile and was not run. Error in line 2: unexpected token:", 2, False),
        (
            "import no.Such\n1",
            "does not compile and was not run. Error in line 1: unable to",
            1,
            False,
        ),
        ("1\n2 }", "does not compile and was not run. Error in line 2: ", 2, False),
    ],
)
def test_failures_are_reported_with_line(
    server: dict[str, Any], script: str, message: str, line: int | None, changed: bool, console: dict[str, str]
) -> None:
    result = run("ci_script", **server, script=script, **console)
    assert result["failed"]
    assert result["msg"].startswith(f"The script {message}")
    assert (result["error"]["line"], result["changed"]) == (line, changed)
    assert all("TaskScript" in frame for frame in result["error"]["trace"][-1:])


def test_output_before_failure_is_returned(server: dict[str, Any]) -> None:
    result = run("ci_script", **server, script="print 'half'\nprintln ' way'\nthrow new Error()")
    assert result["output"] == "half way\n"


def test_outcome_is_unknown_when_script_stops_the_console(server: dict[str, Any]) -> None:
    result = run("ci_script", **server, script="System.exit(0)", retries=2)
    assert result["failed"]
    assert "or the server was stopped or restarted" in result["msg"]
    assert value_of(server, "1") == 1


@pytest.mark.parametrize("console", CONSOLES)
def test_scripts_and_arguments_can_be_large(server: dict[str, Any], console: dict[str, str]) -> None:
    text = "é$'\"\\\r\n" * 50_000
    script = f"assert args.text.size() == {len(text)}\n" + "// long\n" * 50_000 + "return args.text"
    assert value_of(server, script, args={"text": text}, **console) == text


def test_unless_uses_groovy_truth(server: dict[str, Any]) -> None:
    for script, holds in [("'x'", True), ("[]", False), ("''", False), ("'a' =~ /b/", False), ("new Object()", True)]:
        result = run("ci_script", **server, script="1", unless=script)
        assert (result["plan"] is None) is holds


UNICODE = st.characters(exclude_categories=["Cs"])
TEXTS = st.text(UNICODE, max_size=30) | st.text("a'\"\\$/{}\r\n\t\0%+& u0", max_size=30)
NUMBERS = st.integers(-(2**80), 2**80) | st.floats(allow_nan=False, allow_infinity=False)
DATA = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXTS, inner, max_size=5),
    max_leaves=10,
)


@GENERATED
@given(args=st.dictionaries(TEXTS, DATA, min_size=20, max_size=30), console=st.sampled_from(CONSOLES))
def test_arguments_are_not_changed(server: dict[str, Any], args: dict[str, Any], console: dict[str, str]) -> None:
    assert value_of(server, "println args.size()\nreturn args", args=args, **console) == args


def single(text: str) -> str:
    """Return a Groovy string in single quotes."""
    escapes = {"\\": "\\\\", "'": "\\'", "\r": "\\r", "\n": "\\n", "\0": "\\u0000"}
    return "'" + "".join(escapes.get(letter, letter) for letter in text) + "'"


def triple(text: str) -> str:
    """Return a Groovy string in triple quotes, which can contain line breaks and expressions."""
    escapes = {"\\": "\\\\", '"': '\\"', "$": "\\$", "\r": "\\r", "\0": "\\u0000"}
    return '"""' + "".join(escapes.get(letter, letter) for letter in text) + '"""'


@GENERATED
@given(
    texts=st.lists(TEXTS, min_size=20, max_size=30),
    quoted=st.sampled_from((single, triple)),
    console=st.sampled_from(CONSOLES),
)
def test_scripts_are_not_changed(
    server: dict[str, Any], texts: list[str], quoted: Any, console: dict[str, str]
) -> None:
    literals = ",\n".join(map(quoted, texts))
    script = f"def texts = [\n{literals}\n]\nprint texts.join('')\nreturn texts"
    result = run("ci_script", **server, script=script, **console)
    assert result.get("value") == texts, result.get("msg")
    assert result["output"] == "".join(texts)
