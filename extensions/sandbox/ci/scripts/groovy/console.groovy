// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

// Runs scripts like the script console of Jenkins. Each line of standard input contains the console and the form fields of
// a request. Each line of standard output contains the output of the console, URL-encoded as well.

import org.codehaus.groovy.control.CompilerConfiguration
import org.codehaus.groovy.control.customizers.ImportCustomizer
import org.kohsuke.stapler.Stapler

def answers = System.out
System.out = System.err  // as on a Jenkins server
def imports = new ImportCustomizer().addStarImports('jenkins', 'jenkins.model', 'hudson', 'hudson.model')
def config = new CompilerConfiguration()
config.addCompilationCustomizers(imports)

System.in.eachLine('UTF-8') { line ->
    def (console, form) = line.split(' ', 2) as List
    def fields = form.split('&').collectEntries { it.split('=', 2).collect { URLDecoder.decode(it, 'UTF-8') } }
    Stapler.currentRequest2 = console == 'controller' ? [getParameter: { fields[it] }] as Expando : null
    def text = new StringWriter()
    def out = new PrintWriter(text)
    try {
        def shell = new GroovyShell(this.class.classLoader, new Binding(out: out), config)
        def value = shell.evaluate(fields.script)
        if (value != null) out.println("Result: $value")
    } catch (Throwable error) {
        error.printStackTrace(out)
    }
    answers.println(URLEncoder.encode(text.toString(), 'UTF-8'))
    answers.flush()
}
