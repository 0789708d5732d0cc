// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

// A stand-in for Jenkins that runs a declarative pipeline and prints each step as JSON: its name, its argument, and the
// variables with credentials that it sees. The last line is the result and the description of the build.
//
// Written from the public documentation, not measured on Jenkins: jenkins.io/doc/book/pipeline/syntax and
// jenkins.io/doc/pipeline/steps. It knows only what the pipeline of examples/platform uses, and fails otherwise. Sections
// must be in the order in which Jenkins executes them.
//
// Arguments: the Jenkinsfile, and JSON with
//   env      variables of the build
//   branch   name of the branch
//   cause    class of the cause, such as TimerTrigger
//   failing  a command that fails
//   files    texts of the files in the workspace

import groovy.json.JsonOutput
import groovy.json.JsonSlurper

class StepFailed extends Exception {}

class Pipeline {
    Map build
    Map env
    Expando currentBuild = new Expando()
    boolean failed = false
    boolean skipped = false
    List conditions = []

    def run(Closure body) {
        body.delegate = this
        body.resolveStrategy = Closure.DELEGATE_FIRST
        return body()
    }

    def attempt(Closure body) {
        try {
            run(body)
        } catch (StepFailed failure) {
            failed = true
        }
    }

    void record(String step, Object argument) {
        def credentials = env.findAll { name, value -> value.startsWith('credential ') }
        println JsonOutput.toJson([step, argument, credentials])
    }

    // Sections

    void agent(label) { assert label == 'any' }
    void options(Closure body) { run(body) }
    void disableConcurrentBuilds() { record('disableConcurrentBuilds', null) }
    void triggers(Closure body) { run(body) }
    void cron(String schedule) { record('cron', schedule) }
    void environment(Closure body) { if (!skipped) run(body) }
    void stages(Closure body) { run(body) }
    void steps(Closure body) { if (!skipped) attempt(body) }
    void post(Closure body) { if (!skipped) run(body) }
    void always(Closure body) { attempt(body) }

    void stage(String name, Closure body) {
        if (failed) return
        def outside = env
        env = new LinkedHashMap(env)
        run(body)
        env = outside
        skipped = false
    }

    // Conditions

    void when(Closure body) { skipped = !holds(body) }
    void branch(String name) { conditions << (build.branch == name) }
    void changeRequest() { conditions << env.containsKey('CHANGE_ID') }
    void triggeredBy(String cause) { conditions << (build.cause == cause) }
    void expression(Closure body) { conditions << (run(body) as boolean) }
    void not(Closure body) { conditions << !holds(body) }

    boolean holds(Closure body) {
        def outside = conditions
        conditions = []
        run(body)
        def all = conditions.every()
        conditions = outside
        return all
    }

    // Steps

    void sh(String command) {
        record('sh', command)
        if (command == build.failing) throw new StepFailed()
    }
    void echo(String text) { record('echo', text) }
    void archiveArtifacts(Map options) { record('archiveArtifacts', options) }
    void junit(Map options) { record('junit', options) }
    void script(Closure body) { run(body) }
    boolean fileExists(String path) { build.files.containsKey(path) }
    String readFile(String path) { build.files[path] }
    String credentials(String id) { "credential $id" }
    Map string(Map options) { options }

    void withCredentials(List bindings, Closure body) {
        def outside = env
        env = env + bindings.collectEntries { [it.variable, credentials(it.credentialsId)] }
        try {
            run(body)
        } finally {
            env = outside
        }
    }

    // Names without quotes

    def propertyMissing(String name) {
        if (name == 'any') return name
        if (env.containsKey(name)) return env[name]
        throw new MissingPropertyException(name, Pipeline)
    }

    def propertyMissing(String name, value) { env[name] = value.toString() }
}

def build = new JsonSlurper().parseText(args[1])
def pipeline = new Pipeline(build: build, env: new LinkedHashMap(build.env))
def shell = new GroovyShell(new Binding(pipeline: { body -> pipeline.run(body) }))
shell.evaluate(new File(args[0]))
println JsonOutput.toJson([pipeline.failed ? 'FAILURE' : 'SUCCESS', pipeline.currentBuild.description])
