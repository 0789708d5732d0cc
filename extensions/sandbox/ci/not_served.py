# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls that Jenkins has and the sandbox does not serve: 501, after the checks of the real server."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, NoReturn

from ..http.routing import ANY, Route
from .access.permissions import BY_TITLE
from .builds import build_api
from .call import JOB, Answer, Call
from .http.refusals import NotFound, NotServed
from .jobs import configuration, views
from .jobs.item_kinds import MULTIBRANCH, PIPELINE
from .nodes import computers

NODE = "/computer/{node}"
LABEL = "not_served"


class Row(NamedTuple):
    """A row of the tables below."""

    method: str
    permission: str
    path: str
    name: str
    plugins: tuple[str, ...] = ()


# Method, permission, path and name. GET stands for all methods; only calls that change something require POST.
CALLS = """
GET  Overall/Manage      /about{:/?}                                     the page about the server
GET  Overall/Administer  /administrativeMonitor/{:.+}                    administrative monitors
GET  Overall/Read        /{:check(DisplayName|URIEncoding|ViewName)}     checks of form fields
GET  Overall/Administer  /cloud{:(/.*)?}                                 clouds
GET  Overall/Administer  /config.xml                                     the configuration as XML
POST Overall/Manage      /configSubmit                                   the form of the configuration
GET  Overall/Administer  /{:configure(Security|Tools|Clouds)(/.*)?}      the pages of the configuration
GET  Overall/Read        /descriptor/{:.+}                               checks of form fields
GET  Overall/Read        /descriptorByName/{:[^/]+/.+}                   checks of form fields
POST Overall/Read        /doFingerprintCheck                             fingerprints
POST Overall/Administer  /fingerprintCleanup                             fingerprints
POST Overall/Administer  /eval                                           templates
GET  Overall/Read        /fingerprintCheck                               fingerprints
POST Overall/Administer  /{:gc|heapDump}                                 memory dumps
GET  Overall/Read        /i18n/resourceBundle                            translations
GET  Job/Create          /itemCategories                                 the list of item types
GET  Overall/Read        /load-statistics                                load statistics
GET  Overall/Administer  /log                                            the page of log recorders
GET  Overall/Read        /{:(overall|unlabeled)Load/.+}                  load statistics
GET  Overall/Administer  /pluginManager/{:.*}                            the pages of the plugin manager
POST Overall/Administer  /queue/clearQueue                               the emptying of the queue
GET  Overall/Read        /{:rss(All|Failed|Latest)}                      feeds
GET  Overall/Read        /search{:/(suggest)?}                           the search
GET  Overall/Administer  /securityRealm/user/{:[^/]+/.+}                 the users of the security realm
GET  Overall/Read        /wsagents                                       connections of agents
POST Overall/Administer  /updateCenter/{:restart|upgrade}                a downgrade of the server
GET  Overall/Administer  /updateCenter/{:.*}                             the listings of the update center
GET  Overall/Read        /user/{:[^/]+/(account|security|builds)/?}      the pages of users
GET  Overall/Read        /viewExistsCheck                                checks of form fields
POST Overall/Administer  /workspaceCleanup                               the clean-up of workspaces
GET  Overall/Read        /{:me|user/[^/]+}/my-views{:(/.*)?}             the views of users
"""
# Paths that would match the name of a node
OF_ALL_NODES = """
POST Overall/Administer  /computer/{:configSubmit|updateNow}             the settings of all nodes
GET  Overall/Administer  /computer/configure                             the settings of all nodes
"""
OF_NODES = """
GET  Overall/Read        /{:builds|rss(All|Failed|Latest)}               the builds of a node
GET  Agent/Configure     /configure                                      the form of a node
POST Agent/Configure     /configSubmit                                   the form of a node
GET  Overall/Read        /{:(executors|oneOffExecutors)/.+}              executors
GET  Overall/Read        /{:load-statistics|loadStatistics/.+}           load statistics
GET  Agent/Connect       /{:log|logText/.+|systemInfo|dumpExportTable}   the diagnosis of nodes
"""
OF_JOBS = """
GET  Job/Read            /{:buildHistory/(ajax|all)|buildTimeTrend}      the pages of a job
POST Job/Configure       /configSubmit                                   the form of a job
GET  Job/Read            /check{:(Build|New)Name}                        checks of form fields
GET  Job/Read            /{:confirm-rename|delete}                       the pages of a job
GET  Job/Read            /descriptorByName/{:[^/]+/.+}                   checks of form fields
POST Job/Build           /polling                                        polling
POST Job/Configure       /reload                                         the reloading of a job
GET  Job/Read            /{:rss(All|Changelog|Failed)}                   feeds
GET  Job/Read            /scmPollLog{:/?}                                polling
GET  Job/Read            /search{:/(suggest)?}                           the search
"""
OF_BUILDS = """
POST Run/Update          /configSubmit                                   the form of a build
GET  Job/Read            /{:configure|confirmDelete|parameters/?}        the pages of a build
"""
OF_VIEWS = """
GET  View/Read           /{:builds|delete|itemCategories|newJob}         the pages of a view
GET  View/Read           /checkJobName                                   checks of form fields
POST View/Configure      /configSubmit                                   the form of a view
GET  View/Read           /{:rss(All|Failed|Latest)}                      feeds
"""
OF_COMPUTED_FOLDERS = """
GET  Job/Read            /{:(computation|events|indexing)(/.*)?}         scans of branches
"""

# The same, preceded by plugins. If none of them is active, the path does not exist.
OF_PLUGINS = """
blueocean-rest GET Overall/Read /blue/{:.*} Blue Ocean
credentials GET Overall/Read {:(/user/[^/]+)?}/credentials{:(/.*)?} credentials
generic-webhook-trigger POST Overall/Read /generic-webhook-trigger/invoke commit hooks
git GET Overall/Read /git/notifyCommit commit hooks
github POST Overall/Read /github-webhook commit hooks
gitlab-plugin POST Overall/Read /project/{:.+} commit hooks
metrics GET Overall/Read /metrics{:(/.*)?} metrics
pipeline-model-definition,workflow-aggregator POST Overall/Read /pipeline-model-converter/{:.+} Pipeline checks
prometheus GET Overall/Read /prometheus{:/?} metrics
script-security GET Overall/Administer /scriptApproval{:(/.*)?} the page of script approvals
workflow-cps,workflow-aggregator GET Overall/Read /pipeline-syntax{:(/.*)?} Pipeline help
"""
JOBS_OF_PLUGINS = """
cloudbees-folder,workflow-aggregator GET Job/Read /move{:(/(move)?)?} moves of items
credentials GET Job/Read /credentials{:(/.*)?} credentials
workflow-cps,workflow-aggregator GET Job/Read /pipeline-syntax{:(/.*)?} Pipeline help
"""
PIPELINE_BUILDS_OF_PLUGINS = """
pipeline-input-step,workflow-aggregator GET Job/Read /input{:(/.*)?} Pipeline input
pipeline-rest-api,pipeline-stage-view GET Job/Read /wfapi{:(/.*)?} Pipeline stages
workflow-cps,workflow-aggregator GET Job/Read /replay{:(/.*)?} Pipeline replays
workflow-job,workflow-aggregator GET Job/Read /{:execution|flowGraphTable}{:(/.*)?} Pipeline steps
"""


def _exists(call: Call, job: str = "", node: str = "") -> bool:
    if job:
        return bool(call.job(job))
    return not node or node in computers.CONTROLLER or bool(computers.find_agent(call, node))


def _refuse(call: Call, row: Row) -> NoReturn:
    if row.method == "POST":
        call.require_post()
    call.require(BY_TITLE[row.permission])
    raise NotServed(row.name)


def _refusing(row: Row) -> Callable[..., Answer]:
    def refuse(call: Call, **place: str) -> Answer:
        if not _exists(call, **place) or not call.plugins.have(row.plugins):
            raise NotFound
        _refuse(call, row)

    return refuse


def _refusing_of_builds(row: Row) -> Callable[..., Answer]:
    def refuse(call: Call, job: str, build: str) -> Answer:
        found = build_api.find_by_path(call, job, build)
        if row.plugins and not (found.kind == PIPELINE.name and call.plugins.have(row.plugins)):
            return build_api.handle_unknown(call, job, build)
        _refuse(call, row)

    return refuse


def _refusing_of_views(row: Row) -> Callable[..., Answer]:
    def refuse(call: Call, view: str, job: str = "") -> Answer:
        views.find(call, job, view)
        _refuse(call, row)

    return refuse


def _refusing_of_computed_folders(row: Row) -> Callable[..., Answer]:
    def refuse(call: Call, job: str) -> Answer:
        if configuration.parse_configuration(call.job(job).config).kind is not MULTIBRANCH:
            raise NotFound
        _refuse(call, row)

    return refuse


def _rows(table: str) -> Iterator[Row]:
    for line in table.strip().splitlines():
        method, permission, path, name = line.split(maxsplit=3)
        yield Row(method, permission, path, name)


def _rows_of_plugins(table: str) -> Iterator[Row]:
    for line in table.strip().splitlines():
        plugins, row = line.split(maxsplit=1)
        yield from (found._replace(plugins=tuple(plugins.split(","))) for found in _rows(row))


def _routes(
    rows: Iterable[Row], below: str = "", refusing: Callable[[Row], Callable[..., Answer]] = _refusing
) -> Iterator[Route]:
    for row in rows:
        yield Route(ANY, below + row.path, refusing(row), LABEL, read_only=row.method == "GET")


# Before the routes that match any node name or any path below a build
AHEAD = (
    *_routes(_rows(OF_ALL_NODES)),
    *_routes(_rows(OF_BUILDS), build_api.PATH, _refusing_of_builds),
    *_routes(_rows_of_plugins(PIPELINE_BUILDS_OF_PLUGINS), build_api.PATH, _refusing_of_builds),
)
ROUTES = (
    *_routes(_rows(CALLS)),
    *_routes(_rows(OF_NODES), NODE),
    *_routes(_rows(OF_JOBS), JOB),
    *_routes(_rows(OF_COMPUTED_FOLDERS), JOB, _refusing_of_computed_folders),
    *_routes(_rows(OF_VIEWS), views.VIEW, _refusing_of_views),
    *_routes(_rows(OF_VIEWS), JOB + views.VIEW, _refusing_of_views),
    *_routes(_rows_of_plugins(OF_PLUGINS)),
    *_routes(_rows_of_plugins(JOBS_OF_PLUGINS), JOB),
)
