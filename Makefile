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
$(error PYTHON=$(PYTHON) is not Python 3.11 or newer. Set PYTHON, for example: make PYTHON=/usr/bin/python3.12)
endif
endif

# The newest release line of ansible-core that this Python supports
ANSIBLE_CORE ?= $(if $(filter 3.11,$(version)),2.19,2.21)

# The supported release lines of ansible-core, and the Python versions that each of them supports
lines := 2.18 2.19 2.20 2.21 2.22
pythons-2.18 := 3.11 3.12 3.13
pythons-2.19 := 3.11 3.12 3.13
pythons-2.20 := 3.12 3.13 3.14
pythons-2.21 := 3.12 3.13 3.14
pythons-2.22 := 3.13 3.14
ifneq ($(filter-out help clean,$(or $(MAKECMDGOALS),help)),)
ifeq ($(filter $(ANSIBLE_CORE),$(lines)),)
$(error ANSIBLE_CORE=$(ANSIBLE_CORE) is not supported. Use one of: $(lines))
endif
ifeq ($(filter $(version),$(pythons-$(ANSIBLE_CORE))),)
$(error ansible-core $(ANSIBLE_CORE) does not support Python $(version). Set PYTHON to one of: $(pythons-$(ANSIBLE_CORE)))
endif
endif

export PYTHON ANSIBLE_CORE

# Always write compiled code, even if the caller's environment disables it: otherwise each start of a program compiles all
# packages that it imports.
export PYTHONPYCACHEPREFIX = $(CURDIR)/build/pycache
export PYTHONDONTWRITEBYTECODE =

# Keep the caches and temporary files of Ansible out of the home directory
export ANSIBLE_HOME = $(CURDIR)/build/ansible

# --- Virtual environments: rebuilt if their lock in requirements/ changes ----------------------------------------------

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
environments: ## Build the virtual environments and download the clients and servers for the tests
	@$(MAKE) --no-print-directory -j2 $(environments:%=%/.filled) environments-of-other-pythons clients build/sanity/.filled

.PHONY: environments-of-other-pythons
environments-of-other-pythons:
	@$(build-environment) execution another > /dev/null
	@if [ -n "$$(tools/find-python.sh python3.9)" ]; then $(build-environment) oldest python3.9 > /dev/null; \
		else echo "CANNOT RUN HERE: modules on the oldest supported packages: Python 3.9 is missing"; fi

# The virtual environments of ansible-test
build/sanity/.filled: $(lint)/.filled tools/sanity.py
	@echo "Building the environments of ansible-test (once)"
	@$(call in,$(lint)) python tools/sanity.py --prime-venvs > /dev/null
	@touch $@

# The clients and servers for the contract tests
.PHONY: clients
clients: $(test)/.filled $(go)/.filled
	@$(call in,$(test)) PYTHONPATH=tools:tests python -m support.clients

.PHONY: lock
lock: ## Resolve requirements/*.in into lock files [OPTIONS=--upgrade]
	@$(python) tools/lock.py $(OPTIONS)

# Run a command with the programs of a virtual environment
in = PATH="$(CURDIR)/$(1)/bin:$$PATH"
pytest = $(call in,$(test)) python -m pytest
# Number of pytest workers. A phase of `make test` has one, because phases run in parallel.
WORKERS ?= 3
side_by_side = $(if $(filter-out 1,$(WORKERS)),--numprocesses $(WORKERS) --dist loadscope --no-loadscope-reorder)

# --- A link to the checkout where Ansible finds collections ------------------------------------------------------------

collections := build/collections
collection := $(collections)/ansible_collections/buildworks/toolchain
export ANSIBLE_COLLECTIONS_PATH = $(CURDIR)/$(collections)

$(collection):
	@mkdir -p $(dir $@)
	@ln -s ../../../.. $@

# --- Targets ------------------------------------------------------------------------------------------------------------

.DEFAULT_GOAL := help
.PHONY: help
help: ## Show this list
	@echo "make TARGET [PYTHON=python3] [ANSIBLE_CORE=$(ANSIBLE_CORE)]"
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | while IFS='	' read -r target does; do printf '  %-14s %s\n' "$$target" "$$does"; done

.PHONY: demo
demo: $(core)/.filled $(collection) ## Provision all four services of a sandbox twice and show the results
	@$(call in,$(core)) python tools/demo.py

.PHONY: sandbox
sandbox: $(core)/.filled ## Run the sandbox in the foreground [PORT=0] [STATE=directory]
	@cd extensions && exec $(CURDIR)/$(core)/bin/python -m sandbox --port $(PORT) $(if $(STATE),--state $(abspath $(STATE)))

.PHONY: rehearse
rehearse: $(core)/.filled $(collection) ## Rehearse a playbook on a sandbox [PLAYBOOK= INVENTORY= SNAPSHOT= OPTIONS=]
	$(if $(and $(PLAYBOOK),$(INVENTORY)),,$(error Set both, for example: make rehearse PLAYBOOK=site.yml INVENTORY=inventory))
	@$(call in,$(core)) PYTHONPATH=extensions python -m sandbox.rehearsal --playbook $(PLAYBOOK) --inventory $(INVENTORY) \
		$(if $(SNAPSHOT),--snapshot $(SNAPSHOT)) $(OPTIONS)

.PHONY: bench
bench: $(test)/.filled $(collection) ## Measure speed as ratios and write build/bench.json [ROWS="task item"]
	@$(call in,$(test)) python tests/bench/run.py $(ROWS)

# Restrict `make check` to files, for example: make check FILES="plugins/module_utils/_bulk.py"
FILES ?=
.PHONY: check
check: $(test)/.filled $(lint)/.filled $(collection) ## Run ruff, mypy and the unit tests, in about two minutes [FILES=]
	@$(call in,$(lint)) ruff check $(FILES)
	@$(call in,$(lint)) ruff format --check $(FILES)
	@$(MAKE) --no-print-directory lint-types
	@tests=$$($(call in,$(test)) python tools/tests_of.py $(FILES)) && $(pytest) $(side_by_side) $$tests

# The phases of `make test`, longest first, so that no long phase runs alone at the end
phases := integration,WORKERS=2 sanity contract sandbox-tests molecule lint-ansible faults unit site-pages dist demo sbom \
	lint-types docs lint-changelog lint-python lint-shell
.PHONY: test
test: $(collection) ## Run all tests and linters
	@WORKERS=1 $(python) tools/run_tests.py --set-up environments $(phases)

.PHONY: test-environment
test-environment: $(test)/.filled

.PHONY: unit
unit: $(test)/.filled $(collection) ## Test modules against exact requests and responses
	@$(pytest) $(side_by_side) tests/unit tests/ladder tests/meta

.PHONY: integration
integration: $(test)/.filled $(collection) ## Test with ansible-playbook against the sandbox
	@$(pytest) $(side_by_side) tests/integration

.PHONY: rule-sets
rule-sets: $(test)/.filled $(collection) ## Test generated clean-up rules against a model of their documentation [RULE_SETS=200]
	@$(pytest) tests/integration/cleanup/test_rule_sets.py

.PHONY: matrix
matrix: $(test)/.filled $(collection) ## Run the integration tests that depend on the ansible-core release
	@$(pytest) $(side_by_side) -m ansible_core tests/integration

.PHONY: faults
faults: $(test)/.filled $(collection) ## Test modules while requests and responses fail [ALL=1: each fault at each request]
	@$(if $(ALL),TOOLCHAIN_ALL_FAULTS=1) $(pytest) $(side_by_side) tests/faults

.PHONY: sandbox-tests
sandbox-tests: $(test)/.filled $(collection) ## Test the sandbox
	@$(pytest) $(side_by_side) tests/sandbox

.PHONY: contract
contract: $(test)/.filled $(collection) ## Test with independent clients and servers
	@$(pytest) tests/contract

.PHONY: mutants
mutants: $(test)/.filled $(collection) ## List mutations of module_utils that no test detects [FILES= N=40 SEED=]
	@cd tests && $(call in,$(test)) PYTHONPATH=../tools python -m mutants $(if $(N),--number $(N)) $(if $(SEED),--seed $(SEED)) $(FILES)

.PHONY: molecule
molecule: $(test)/.filled $(collection) ## Run the Molecule scenario of each role [SCENARIO=name]
	@cd extensions && $(call in,$(test)) PYTHONPATH=../tests python -m support.scenarios $(SCENARIO)

.PHONY: sanity
sanity: $(lint)/.filled ## Run ansible-test sanity
	@$(call in,$(lint)) python tools/sanity.py

.PHONY: lint
lint: lint-python lint-types lint-ansible lint-shell lint-changelog ## Run all linters

.PHONY: lint-python
lint-python: $(lint)/.filled
	@$(call in,$(lint)) ruff check
	@$(call in,$(lint)) ruff format --check

plugins := ansible_collections.buildworks.toolchain.plugins
typed := $(plugins).module_utils $(plugins).plugin_utils $(plugins).action $(plugins).callback $(plugins).filter sandbox

.PHONY: format
format: $(lint)/.filled ## Format the code
	@$(call in,$(lint)) ruff check --fix --quiet --exit-zero
	@$(call in,$(lint)) ruff format

.PHONY: lint-types
lint-types: $(lint)/.filled $(collection)
	@$(call in,$(lint)) mypy $(typed:%=--package %) $(patsubst tools/%.py,--module %,$(wildcard tools/*.py))

.PHONY: lint-ansible
lint-ansible: $(lint)/.filled $(test)/.filled $(collection)
	@$(call in,$(lint)) PYTHONPATH=tests python -m support.programs ansible-lint --offline
	@$(call in,$(lint)) $(CURDIR)/$(test)/bin/python -m pytest tests/lint

.PHONY: lint-shell
lint-shell: $(lint)/.filled
	@$(call in,$(lint)) shellcheck .ci/run $$(git ls-files -co --exclude-standard '*.sh')

.PHONY: lint-changelog
lint-changelog: $(lint)/.filled ## Check the changelog fragments and CHANGELOG.md
	@$(call in,$(lint)) antsibull-changelog lint
	@$(call in,$(lint)) antsibull-changelog lint-changelog-yaml changelogs/changelog.yaml
	@$(call in,$(lint)) antsibull-changelog generate --output build/CHANGELOG.md
	@diff -u CHANGELOG.md build/CHANGELOG.md

.PHONY: changelog
changelog: $(lint)/.filled $(collection) ## Release the changelog fragments as the version in galaxy.yml
	@cd $(collection) && $(call in,$(lint)) antsibull-changelog release --reload-plugins

.PHONY: docs
docs: export ANSIBLE_COLLECTIONS_PATH = $(CURDIR)/build/docs
docs: $(lint)/.filled ## Check the documentation of modules, plugins and roles
	@$(call in,$(lint)) python tools/export.py build/docs/ansible_collections/buildworks/toolchain
	@cd build/docs/ansible_collections/buildworks/toolchain && $(call in,$(lint)) antsibull-docs lint-collection-docs --plugin-docs .

.PHONY: site
site: $(lint)/.filled $(collection) ## Build the documentation site, build/site
	@$(call in,$(lint)) python tools/build_site.py

.PHONY: site-pages
site-pages: site $(test)/.filled ## Test the documentation site in a browser
	@$(pytest) tests/site

.PHONY: dist
dist: $(core)/.filled $(galaxy)/.filled ## Build, check and install the collection tarball
	@$(call in,$(core)) python tools/dist.py $(galaxy)

.PHONY: sbom
sbom: $(lint)/.filled ## Write a software bill of materials, build/sbom.json (CycloneDX)
	@programs=$$($(build-environment) execution another) && $(call in,$(lint)) python tools/sbom.py $$programs/..

# Release lines of ansible-core with their Python versions: 2.22=3.13,3.14
comma := ,
empty :=
lines-with-pythons = $(foreach line,$(lines),$(line)=$(subst $(empty) ,$(comma),$(pythons-$(line))))

.PHONY: release-notes
release-notes: $(lint)/.filled ## Check that the version in galaxy.yml can be released
	@$(call in,$(lint)) python tools/release_notes.py

.PHONY: installed
installed: $(core)/.filled ## Run the demo with the installed tarball on each release line of ansible-core
	@$(call in,$(core)) python tools/installed.py $(lines-with-pythons)

.PHONY: release-check
release-check: ## Run all checks that a release requires
	@for target in release-notes lint-changelog docs site dist sbom installed; do \
		printf '\n##### make %s: %s\n' $$target "$$(sed -n "s/^$$target:.*## //p" Makefile)"; \
		$(MAKE) --no-print-directory $$target || { printf '\nNot ready to publish: make %s failed.\n' $$target; exit 1; }; \
	done
	@printf '\nReady to publish: %s\n' build/dist/*.tar.gz

.PHONY: clean
clean: ## Remove build/
	rm -rf build
