# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Groovy for the script console: a constant runner, what it is given as data, and what it tells of the end.

The runner compiles the script apart from itself. So nothing is pasted into a text that is compiled, the script may have
imports, classes and `return`, and whatever becomes of it is known. It runs on the Groovy 2.4 of today's servers and on
the 1.6 of Hudson, which has neither JSON nor customised imports.
"""

from __future__ import annotations

import json
import typing as t
from urllib.parse import quote

_MARK = "\n@@toolchain@@"
# A literal of Groovy takes 65,535 bytes
_LITERAL = 60_000

# On the controller the other fields of the form can be read
_FROM_THE_FORM = """\
def form
try {
    form = org.kohsuke.stapler.Stapler.currentRequest2
} catch (MissingPropertyException older) {
    form = org.kohsuke.stapler.Stapler.currentRequest
}
def code = form.getParameter('code')
def sent = form.getParameter('args')
"""

# Elsewhere they cannot, and percent-encoded text is all that the literals have in them
_FROM_LITERALS = """\
def decoded = {{ URLDecoder.decode(it.join(''), 'UTF-8') }}
def code = decoded([{code}])
def sent = decoded([{args}])
"""

_FIRST = "// The runner of buildworks.toolchain\n"
_RUNNER = r"""
def tokens = sent.tokenize(' ').iterator()
def read
read = {
    def token = tokens.next()
    def rest = token.substring(1)
    switch (token.substring(0, 1)) {
        case 'm': def map = [:]; rest.toInteger().times { def key = read(); map[key] = read() }; return map
        case 'l': def list = []; rest.toInteger().times { list.add(read()) }; return list
        case 's': return URLDecoder.decode(rest, 'UTF-8')
        case 'd': return new BigDecimal(rest)
        case 'b': return rest == 'true'
        case 'n': return null
        case 'i':
            def number = new BigInteger(rest)
            return number.bitLength() < 32 ? number.intValue() : number.bitLength() < 64 ? number.longValue() : number
    }
}

def quoted = { text ->
    def whole = new String(text.getBytes('UTF-8'), 'UTF-8')
    '"' + whole.replaceAll(/[^ -~]|["\\]/) { odd ->
        odd.toCharArray().collect { String.format('\\u%04x', (int) it) }.join('')
    } + '"'
}
def utc = new java.text.SimpleDateFormat("yyyy-MM-dd'T'HH:mm:ss'Z'")
utc.timeZone = TimeZone.getTimeZone('UTC')
def json
json = { value, depth ->
    if (depth > 100) throw new IllegalArgumentException('the value is nested too deeply, or has itself inside')
    if (value == null || value instanceof Boolean) return String.valueOf(value)
    if (value instanceof Map)
        return '{' + value.collect { quoted(it.key.toString()) + ':' + json(it.value, depth + 1) }.join(',') + '}'
    if (value instanceof Collection || value instanceof Object[] || value.getClass().isArray())
        return '[' + value.collect { json(it, depth + 1) }.join(',') + ']'
    if (value instanceof Date) return quoted(utc.format(value))
    def text = value.toString()
    def number = value instanceof Number && text ==~ /-?\d+(\.\d+)?([eE][-+]?\d+)?/ && !value.toDouble().isInfinite()
    number ? text : quoted(text)
}

def config = new org.codehaus.groovy.control.CompilerConfiguration()
try {
    def imports = Class.forName('org.codehaus.groovy.control.customizers.ImportCustomizer').newInstance()
    imports.addStarImports('jenkins', 'jenkins.model', 'hudson', 'hudson.model')
    config.addCompilationCustomizers(imports)
} catch (ClassNotFoundException older) { }

def ran = false
def told
try {
    def shell = new GroovyShell(this.class.classLoader, new Binding([out: out, args: read()]), config)
    def script = shell.parse(code, 'TaskScript.groovy')
    ran = true
    def value = script.run()
    told = json([ran: ran, value: value, holds: value ? true : false], 0)
} catch (Throwable error) {
    def frames = error.stackTrace as List
    def own = frames.findAll { it.fileName == 'TaskScript.groovy' }
    def called = own ? frames.subList(0, frames.lastIndexOf(own[-1]) + 1) : []
    def trace = called.findAll {
        org.codehaus.groovy.runtime.StackTraceUtils.isApplicationClass(it.className) && !it.className.startsWith('jdk.')
    }
    def failure = [type: error.class.name, message: error.message, line: own.lineNumber.find { it > 0 }]
    failure.trace = trace.subList(0, Math.min(trace.size(), 50)).collect { it.toString() }
    told = json([ran: ran, error: failure], 0)
}
out.print('\n@@toolchain@@' + told)
null
"""


def with_fields(code: str, args: t.Mapping[str, t.Any]) -> dict[str, str]:
    """The form for a console of the controller: code and arguments travel beside the runner, as data."""
    return {"script": _FIRST + _FROM_THE_FORM + _RUNNER, "code": code, "args": _tokens(args)}


def with_literals(code: str, args: t.Mapping[str, t.Any]) -> dict[str, str]:
    """The form for a console of another node: code and arguments are in the runner, percent-encoded."""
    source = _FROM_LITERALS.format(code=_literals(code), args=_literals(_tokens(args)))
    return {"script": _FIRST + source + _RUNNER}


def end_of(text: str) -> tuple[str, dict[str, t.Any]] | None:
    """What a script printed, and what the runner tells of its end; `None` when the runner did not come to its own end.

    It tells `ran` (whether the script was compiled and begun) and either `value` and whether it `holds` for Groovy, or
    the `error` with `type`, `message`, `line` of the script and `trace`.
    """
    printed, mark, report = text.rpartition(_MARK)
    try:
        told = json.loads(report) if mark else None
    except ValueError:
        return None
    return (printed, told) if isinstance(told, dict) and "ran" in told else None


def _literals(text: str) -> str:
    encoded = quote(text, safe="")
    pieces = (encoded[start : start + _LITERAL] for start in range(0, len(encoded), _LITERAL))
    return ", ".join(f"'{piece}'" for piece in pieces)


def _tokens(value: t.Any) -> str:
    return " ".join(_each_token(value))


def _each_token(value: t.Any) -> t.Iterator[str]:
    """JSON's values as tokens with neither quotes nor escapes; containers begin with their number of elements."""
    if value is None:
        yield "n"
    elif isinstance(value, bool):
        yield f"b{json.dumps(value)}"
    elif isinstance(value, int):
        yield f"i{value}"
    elif isinstance(value, float):
        yield f"d{value!r}"
    elif isinstance(value, str):
        yield f"s{quote(value, safe='')}"
    elif isinstance(value, dict):
        yield f"m{len(value)}"
        for key, item in value.items():
            yield from _each_token(key)
            yield from _each_token(item)
    else:
        yield f"l{len(value)}"
        for item in value:
            yield from _each_token(item)
