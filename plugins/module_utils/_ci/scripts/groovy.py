# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The Groovy runner for the script console, its input and its report.

The runner compiles the script separately. So no source code is assembled from data, the script may contain imports,
classes and `return`, and its outcome is always known. The runner supports Groovy 2.4 of current servers and Groovy 1.6
of Hudson, which has neither JSON nor import customizers.
"""

from __future__ import annotations

import json
import typing as t
from urllib.parse import quote

_REPORT_MARK = "\n@@toolchain@@"
# Groovy string literals are limited to 65,535 bytes
_MAX_LITERAL = 60_000

# On the controller, the script can read the other form fields
_READ_FORM = """\
def form
try {
    form = org.kohsuke.stapler.Stapler.currentRequest2
} catch (MissingPropertyException older) {
    form = org.kohsuke.stapler.Stapler.currentRequest
}
def code = form.getParameter('code')
def sent = form.getParameter('args')
"""

# On other nodes, the input is embedded as literals that contain only percent-encoded text
_READ_LITERALS = """\
def decoded = {{ URLDecoder.decode(it.join(''), 'UTF-8') }}
def code = decoded([{code}])
def sent = decoded([{args}])
"""

_HEADER = "// The runner of buildworks.toolchain\n"
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
def report
try {
    def shell = new GroovyShell(this.class.classLoader, new Binding([out: out, args: read()]), config)
    def script = shell.parse(code, 'TaskScript.groovy')
    ran = true
    def value = script.run()
    report = json([ran: ran, value: value, holds: value ? true : false], 0)
} catch (Throwable error) {
    def frames = error.stackTrace as List
    def own = frames.findAll { it.fileName == 'TaskScript.groovy' }
    def called = own ? frames.subList(0, frames.lastIndexOf(own[-1]) + 1) : []
    def trace = called.findAll {
        org.codehaus.groovy.runtime.StackTraceUtils.isApplicationClass(it.className) && !it.className.startsWith('jdk.')
    }
    def failure = [type: error.class.name, message: error.message, line: own.lineNumber.find { it > 0 }]
    failure.trace = trace.subList(0, Math.min(trace.size(), 50)).collect { it.toString() }
    report = json([ran: ran, error: failure], 0)
}
out.print('\n@@toolchain@@' + report)
null
"""


def controller_form(code: str, args: t.Mapping[str, t.Any]) -> dict[str, str]:
    """Return the form for the controller, with code and arguments in separate fields."""
    return {"script": _HEADER + _READ_FORM + _RUNNER, "code": code, "args": _tokens(args)}


def node_form(code: str, args: t.Mapping[str, t.Any]) -> dict[str, str]:
    """Return the form for another node, with code and arguments as literals in the runner."""
    source = _READ_LITERALS.format(code=_literals(code), args=_literals(_tokens(args)))
    return {"script": _HEADER + source + _RUNNER}


def parse_report(text: str) -> tuple[str, dict[str, t.Any]] | None:
    """Return the output of a script and the report of the runner, or `None` if there is no report.

    The report contains `ran` (whether the script was compiled and started) and either `value` and `holds` (whether
    Groovy considers the value true), or `error` with `type`, `message`, `line` of the script and `trace`.
    """
    output, mark, report = text.rpartition(_REPORT_MARK)
    try:
        result = json.loads(report) if mark else None
    except ValueError:
        return None
    return (output, result) if isinstance(result, dict) and "ran" in result else None


def _literals(text: str) -> str:
    encoded = quote(text, safe="")
    pieces = (encoded[start : start + _MAX_LITERAL] for start in range(0, len(encoded), _MAX_LITERAL))
    return ", ".join(f"'{piece}'" for piece in pieces)


def _tokens(value: t.Any) -> str:
    return " ".join(_each_token(value))


def _each_token(value: t.Any) -> t.Iterator[str]:
    """Yield a JSON value as tokens without quotes and escapes; containers start with their number of elements."""
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
