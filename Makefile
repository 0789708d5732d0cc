# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

PYTHON ?= python3
PORT ?= 0

found := $(shell tools/find-python.sh $(PYTHON))
python := $(word 1,$(found))
version := $(word 2,$(found))
ifneq ($(filter 2.% 3.0 3.1 3.2 3.3 3.4 3.5 3.6 3.7 3.8 3.9 3.10,$(or $(version),2.0)),)
ifneq ($(filter-out help clean,$(or $(MAKECMDGOALS),help)),)
$(error PYTHON=$(PYTHON) is no Python 3.11 or newer that can be run here; name one, as in: make PYTHON=/usr/bin/python3.12)
endif
endif

# The newest line of ansible-core that this Python runs
ANSIBLE_CORE ?= $(if $(filter 3.11,$(version)),2.19,2.21)

# Each line of ansible-core that is supported, and the Pythons that it runs on
lines := 2.18 2.19 2.20 2.21 2.22
pythons-2.18 := 3.11 3.12 3.13
pythons-2.19 := 3.11 3.12 3.13
pythons-2.20 := 3.12 3.13 3.14
pythons-2.21 := 3.12 3.13 3.14
pythons-2.22 := 3.13 3.14
ifneq ($(filter-out help clean,$(or $(MAKECMDGOALS),help)),)
ifeq ($(filter $(ANSIBLE_CORE),$(lines)),)
$(error ANSIBLE_CORE=$(ANSIBLE_CORE) is not supported; there are $(lines))
endif
ifeq ($(filter $(version),$(pythons-$(ANSIBLE_CORE))),)
$(error ansible-core $(ANSIBLE_CORE) runs on Python $(pythons-$(ANSIBLE_CORE)), not on $(version); name one of them with PYTHON=)
endif
endif

export PYTHON ANSIBLE_CORE

# Compiled code goes here, also where the environment of the caller forbids it beside the sources: without it, each start
# of a program compiles all packages that it imports.
export PYTHONPYCACHEPREFIX = $(CURDIR)/build/pycache
export PYTHONDONTWRITEBYTECODE =

# Ansible keeps caches and temporary files here, not in the home folder
export ANSIBLE_HOME = $(CURDIR)/build/ansible

# --- Virtual environments: built once, and again when their lock in requirements/ changes -----------------------------

core := build/env/core-$(ANSIBLE_CORE)-py$(version)
test := build/env/test-$(ANSIBLE_CORE)-py$(version)
lint := build/env/lint-py$(version)
galaxy := build/env/galaxy-importer-py$(version)
litellm := build/env/litellm-py$(version)
sarif := build/env/sarif-tools-py$(version)
go := build/env/go-py$(version)
environments := $(core) $(test) $(lint) $(galaxy) $(litellm) $(sarif) $(go)

build-environment = $(python) tools/environments.py

build/env/%-py$(version)/.filled: requirements/%.txt
	@echo "Building build/env/$*-py$(version) (once)"
	@$(build-environment) $* > /dev/null

.PHONY: environments
environments: ## build the environments and fetch the clients and servers of the tests
	@$(MAKE) --no-print-directory -j2 $(environments:%=%/.filled) environments-of-other-pythons clients build/sanity/.filled

.PHONY: environments-of-other-pythons
environments-of-other-pythons:
	@$(build-environment) execution another > /dev/null
	@if [ -n "$$(tools/find-python.sh python3.9)" ]; then $(build-environment) oldest python3.9 > /dev/null; \
		else echo "CANNOT RUN HERE: modules on the oldest packages: Python 3.9 is missing"; fi

# The environments of ansible-test
build/sanity/.filled: $(lint)/.filled tools/sanity.py
	@echo "Building the environments of ansible-test (once)"
	@$(call in,$(lint)) python tools/sanity.py --prime-venvs > /dev/null
	@touch $@

# The clients and servers that the contract tests drive
.PHONY: clients
clients: $(test)/.filled $(go)/.filled
	@$(call in,$(test)) PYTHONPATH=tools:tests python -m support.clients

.PHONY: lock
lock: ## write the locks of all environments in requirements/ from their inputs [OPTIONS=--upgrade]
	@$(python) tools/lock.py $(OPTIONS)

# Runs a command with the programs of an environment
in = PATH="$(CURDIR)/$(1)/bin:$$PATH"
pytest = $(call in,$(test)) python -m pytest
# Workers of pytest; a phase of `make test` has one, for other phases run beside it
WORKERS ?= 3
side_by_side = $(if $(filter-out 1,$(WORKERS)),--numprocesses $(WORKERS) --dist loadscope --no-loadscope-reorder)

# --- The checkout, where Ansible looks for a collection ---------------------------------------------------------------

collections := build/collections
collection := $(collections)/ansible_collections/buildworks/toolchain
export ANSIBLE_COLLECTIONS_PATH = $(CURDIR)/$(collections)

$(collection):
	@mkdir -p $(dir $@)
	@ln -s ../../../.. $@

# --- What people run --------------------------------------------------------------------------------------------------

.DEFAULT_GOAL := help
.PHONY: help
help: ## show this list
	@echo "make TARGET [PYTHON=python3] [ANSIBLE_CORE=$(ANSIBLE_CORE)]"
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS='	' read -r target does; do printf '  %-14s %s\n' "$$target" "$$does"; done

.PHONY: demo
demo: $(core)/.filled $(collection) ## provision all four services of a sandbox, twice, and tell what happened
	@$(call in,$(core)) python tools/demo.py

.PHONY: sandbox
sandbox: $(core)/.filled ## the four services on loopback, in the foreground [PORT=0] [STATE=folder]
	@cd extensions && exec $(CURDIR)/$(core)/bin/python -m sandbox --port $(PORT) $(if $(STATE),--state $(abspath $(STATE)))

.PHONY: rehearse
rehearse: $(core)/.filled $(collection) ## a playbook on a sandbox in place of an inventory's services [PLAYBOOK= INVENTORY= SNAPSHOT= OPTIONS=]
	$(if $(and $(PLAYBOOK),$(INVENTORY)),,$(error name both, as in: make rehearse PLAYBOOK=site.yml INVENTORY=inventory))
	@$(call in,$(core)) PYTHONPATH=extensions python -m sandbox.rehearsal --playbook $(PLAYBOOK) --inventory $(INVENTORY) \
		$(if $(SNAPSHOT),--snapshot $(SNAPSHOT)) $(OPTIONS)

.PHONY: bench
bench: $(test)/.filled $(collection) ## what has to be fast, as ratios; writes build/bench.json, fails when short [ROWS="task item"]
	@$(call in,$(test)) python tests/bench/run.py $(ROWS)

# The files that `make check` is about, as in: make check FILES="plugins/module_utils/_bulk.py"
FILES ?=
.PHONY: check
check: $(test)/.filled $(lint)/.filled $(collection) ## ruff, mypy, unit tests and ladders, in minutes [FILES= what concerns these files]
	@$(call in,$(lint)) ruff check $(FILES)
	@$(call in,$(lint)) ruff format --check $(FILES)
	@$(MAKE) --no-print-directory lint-types
	@tests=$$($(call in,$(test)) python tools/tests_of.py $(FILES)) && $(pytest) $(side_by_side) $$tests

# The phases of `make test`. Those that take longest come first, so that none is left alone at the end.
phases := integration,WORKERS=2 sanity contract sandbox-tests molecule lint-ansible faults unit site-pages dist demo sbom \
	lint-types docs lint-changelog lint-python lint-shell
.PHONY: test
test: $(collection) ## everything but the bench, the mutants and the full product of faults
	@WORKERS=1 $(python) tools/run_tests.py --set-up environments $(phases)

.PHONY: test-environment
test-environment: $(test)/.filled

.PHONY: unit
unit: $(test)/.filled $(collection) ## modules against exact wire conversations, their ladders, the architecture
	@$(pytest) $(side_by_side) tests/unit tests/ladder tests/meta

.PHONY: integration
integration: $(test)/.filled $(collection) ## ansible-playbook against the sandbox
	@$(pytest) $(side_by_side) tests/integration

.PHONY: rule-sets
rule-sets: $(test)/.filled $(collection) ## clean-ups by generated rules against a model of their documentation [RULE_SETS=200]
	@$(pytest) tests/integration/cleanup/test_rule_sets.py

.PHONY: matrix
matrix: $(test)/.filled $(collection) ## those of the integration tests that depend on the line of ansible-core
	@$(pytest) $(side_by_side) -m ansible_core tests/integration

.PHONY: faults
faults: $(test)/.filled $(collection) ## modules against the sandbox, when something goes wrong [ALL=1 each fault at each request]
	@$(if $(ALL),TOOLCHAIN_ALL_FAULTS=1) $(pytest) $(side_by_side) tests/faults

.PHONY: sandbox-tests
sandbox-tests: $(test)/.filled $(collection) ## the sandbox on the wire
	@$(pytest) $(side_by_side) tests/sandbox

.PHONY: contract
contract: $(test)/.filled $(collection) ## independent clients and servers
	@$(pytest) tests/contract

.PHONY: mutants
mutants: $(test)/.filled $(collection) ## mutations of module_utils that no test notices [FILES= N=40 SEED=]
	@cd tests && $(call in,$(test)) PYTHONPATH=../tools python -m mutants $(if $(N),--number $(N)) $(if $(SEED),--seed $(SEED)) $(FILES)

.PHONY: molecule
molecule: $(test)/.filled $(collection) ## the scenario of each role [SCENARIO=name]
	@cd extensions && $(call in,$(test)) PYTHONPATH=../tests python -m support.scenarios $(SCENARIO)

.PHONY: sanity
sanity: $(lint)/.filled ## ansible-test sanity
	@$(call in,$(lint)) python tools/sanity.py

.PHONY: lint
lint: lint-python lint-types lint-ansible lint-shell lint-changelog ## ruff, mypy, ansible-lint, shellcheck and the changelog

.PHONY: lint-python
lint-python: $(lint)/.filled
	@$(call in,$(lint)) ruff check
	@$(call in,$(lint)) ruff format --check

plugins := ansible_collections.buildworks.toolchain.plugins
typed := $(plugins).module_utils $(plugins).plugin_utils $(plugins).action $(plugins).callback $(plugins).filter sandbox

.PHONY: format
format: $(lint)/.filled ## let ruff put imports and layout in order
	@$(call in,$(lint)) ruff check --fix --quiet --exit-zero
	@$(call in,$(lint)) ruff format

.PHONY: lint-types
lint-types: $(lint)/.filled $(collection)
	@$(call in,$(lint)) mypy $(typed:%=--package %) $(patsubst tools/%.py,--module %,$(wildcard tools/*.py))

.PHONY: lint-ansible
lint-ansible: $(lint)/.filled $(collection)
	@$(call in,$(lint)) PYTHONPATH=tests python -m support.programs ansible-lint --offline
	@$(call in,$(lint)) python tools/lint_tasks.py

.PHONY: lint-shell
lint-shell: $(lint)/.filled
	@$(call in,$(lint)) shellcheck .ci/run $$(git ls-files -co --exclude-standard '*.sh')

.PHONY: lint-changelog
lint-changelog: $(lint)/.filled ## the fragments, and CHANGELOG.md, which must be as antsibull-changelog writes it
	@$(call in,$(lint)) antsibull-changelog lint
	@$(call in,$(lint)) antsibull-changelog lint-changelog-yaml changelogs/changelog.yaml
	@$(call in,$(lint)) antsibull-changelog generate --output build/CHANGELOG.md
	@diff -u CHANGELOG.md build/CHANGELOG.md

.PHONY: changelog
changelog: $(lint)/.filled $(collection) ## release the fragments and new modules as the version of galaxy.yml
	@cd $(collection) && $(call in,$(lint)) antsibull-changelog release --reload-plugins

.PHONY: docs
docs: export ANSIBLE_COLLECTIONS_PATH = $(CURDIR)/build/docs
docs: $(lint)/.filled ## lint the documentation of the modules
	@$(call in,$(lint)) python tools/export.py build/docs/ansible_collections/buildworks/toolchain
	@cd build/docs/ansible_collections/buildworks/toolchain && $(call in,$(lint)) antsibull-docs lint-collection-docs --plugin-docs .

.PHONY: site
site: $(lint)/.filled $(collection) ## the documentation site, build/site; warnings and dead links fail
	@$(call in,$(lint)) python tools/build_site.py

.PHONY: site-pages
site-pages: site $(test)/.filled ## the pages of the site in a browser
	@$(pytest) tests/site

.PHONY: dist
dist: $(core)/.filled $(galaxy)/.filled ## build the tarball, let galaxy-importer judge it, install it and run it
	@$(call in,$(core)) python tools/dist.py $(galaxy)

.PHONY: sbom
sbom: $(lint)/.filled ## write what an execution environment holds to build/sbom.json (CycloneDX)
	@programs=$$($(build-environment) execution another) && $(call in,$(lint)) python tools/sbom.py $$programs/..

# A line of ansible-core with the Pythons that it runs on: 2.22=3.13,3.14
comma := ,
empty :=
lines-with-pythons = $(foreach line,$(lines),$(line)=$(subst $(empty) ,$(comma),$(pythons-$(line))))

.PHONY: release-notes
release-notes: $(lint)/.filled ## try the release of the version of galaxy.yml: names, fragments, what is new
	@$(call in,$(lint)) python tools/release_notes.py

.PHONY: installed
installed: $(core)/.filled ## run the demo with the installed tarball, in a fresh environment on each line of ansible-core
	@$(call in,$(core)) python tools/installed.py $(lines-with-pythons)

.PHONY: release-check
release-check: ## whether the checkout can be published: all that a release needs, one after the other
	@for target in release-notes lint-changelog docs site dist sbom installed; do \
		printf '\n##### make %s: %s\n' $$target "$$(sed -n "s/^$$target:.*## //p" Makefile)"; \
		$(MAKE) --no-print-directory $$target || { printf '\nThis cannot be published: make %s failed.\n' $$target; exit 1; }; \
	done
	@printf '\nThis can be published: %s\n' build/dist/*.tar.gz

.PHONY: clean
clean: ## remove build/
	rm -rf build
