#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_query_info
short_description: Query Artifactory with AQL
description:
  - Run a query in the Artifactory Query Language (AQL) and return all rows. The module reads large results page by
    page. If the server truncates the result, the task fails and suggests how to narrow the query.
  - With O(find), the module generates the query. It escapes values, puts the parts in the required order, adds the
    fields that Artifactory requires from users who are not administrators, and sorts the rows so that pages are stable.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_query_info
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.listing
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Requires the Read permission on the items. Items that the account may not read are omitted. Anonymous users cannot
    run queries.
  - Domains other than V(items) and, on newer servers, V(builds) require an administrator account. Other users get no
    rows or an error.
  - The open-source edition cannot sort rows and therefore requires O(page_size=0) or O(by_repository=true).
  - For expensive queries, increase O(timeout).
options:
  domain:
    description: Domain to query, which determines what each row represents. If not set, V(items) is queried.
    type: str
    choices:
      items: Files and folders.
      builds: Builds.
      modules: Modules of builds.
      artifacts: Artifacts of build modules.
      dependencies: Dependencies of build modules.
      properties: Properties of files and folders.
      build.properties: Properties of builds.
      module.properties: Properties of build modules.
      build.promotions: Promotions of builds.
      stats: Download statistics.
      archive.entries: Files inside archives.
  find:
    description:
      - Dictionary of fields and conditions, or a list of such dictionaries. All conditions must be met. V({}) matches
        everything.
      - A condition is a value, or a dictionary with one or more of the operators C($eq), C($ne), C($gt), C($gte),
        C($lt), C($lte), C($match), C($nmatch), C($eqic), C($matchic), C($last) and C($before). C($match) supports the
        wildcards V(*) and V(?).
      - C($or), C($and), C($msp) and C($rf) take lists of dictionaries of conditions. All conditions in one dictionary
        must be met, also within C($or).
      - C($last) and C($before) take a relative time such as V(4w), V(3days) or V(1d2mo), with the units V(ms), V(s),
        V(mi), V(d), V(w), V(mo) and V(y). All other times are dates such as V(2026-10-01) or V(2026-10-01T12:00:00Z).
      - C(@key) refers to the property V(key). V(*) as its value matches any value. Fields of other domains are prefixed
        with their path, such as C(stat.downloads) or C(artifact.module.build.name).
      - Values are strings, integers or null. Strings must not contain quotation marks or line breaks and must not begin
        with a space, because AQL cannot express them.
      - Without a condition on C(type), only files are returned. The trash can is excluded, unless there is a condition
        that compares C(repo) with a name.
    type: raw
  include:
    description:
      - Fields to return. If not set, the server's default fields are returned.
      - V(*) returns all fields of the domain itself, V(property) all properties and V(stat) the download statistics,
        each as a list in the row. V(@key) returns that property and excludes rows without it.
      - C(repo), C(path) and C(name) of items, and C(name) and C(number) of builds, are always returned, because
        Artifactory requires them from users who are not administrators.
    type: list
    elements: str
  sort:
    description:
      - Fields to sort the rows by. If not set, items are sorted by C(repo), C(path) and C(name).
      - Not allowed if O(include) contains fields that do not belong to O(domain), because Artifactory does not sort
        these results.
    type: list
    elements: str
  descending:
    description: Whether to sort in descending order.
    type: bool
    default: false
  offset:
    description: Number of rows to skip. Not allowed if O(include) contains fields that do not belong to O(domain).
    type: int
    default: 0
  limit:
    description: Maximum number of rows. If not set, all rows are returned.
    type: int
  page_size:
    description:
      - Number of rows to request at a time. With V(0), all rows are requested at once.
      - If the server has its own limit, this number must be lower.
      - If O(include) contains fields that do not belong to O(domain), each page requires a second request. In domains
        other than V(items), such rows are returned in one response.
    type: int
    default: 5000
  by_repository:
    description:
      - Whether to request the items of one repository after the other, each with one query that does not sort, instead
        of page by page. Use this with the open-source edition and many items.
      - Only for the domain V(items). Virtual repositories have no items, and remote ones have those of their cache.
    type: bool
    default: false
  query:
    description:
      - Complete AQL query, which is sent without changes in one request. The query must not be empty.
      - The query must have the form C(<domain>.find(...)), followed only by C(include), C(sort), C(offset), C(limit),
        C(distinct) and C(transitive). The module refuses everything else before it sends a request, because AQL also
        has actions, such as C(items.delete(...)), that Artifactory executes at once.
      - Use either O(query) or the options above.
    type: str
seealso:
  - module: buildworks.toolchain.artifact_search_info
  - name: Artifactory Query Language
    description: Reference documentation of AQL.
    link: https://jfrog.com/help/r/jfrog-artifactory-documentation/artifactory-query-language
"""

EXAMPLES = r"""
- name: Find large archives that were not downloaded for a year
  buildworks.toolchain.artifact_query_info:
    find:
      repo: generic-local
      name: {$match: "*.tar.gz"}
      size: {$gt: 10485760}
      created: {$before: 1y}
      $or:
        - stat.downloaded: {$before: 1y}
        - stat.downloads: null
    include: [size, created]
  register: stale

- name: Find files that passed the tests on Linux or Windows
  buildworks.toolchain.artifact_query_info:
    find:
      repo: generic-local
      "@qa.status": passed
      $or:
        - "@qa.platforms": linux
        - "@qa.platforms": windows
    include: [property]

- name: Find the last ten builds
  buildworks.toolchain.artifact_query_info:
    domain: builds
    find: {}
    include: [name, number, started]
    sort: [started]
    descending: true
    limit: 10

- name: Write a list of all files to a file
  buildworks.toolchain.artifact_query_info:
    find: {}
    include: [size, sha256, modified]
    to_file: "{{ ansible_facts.env.HOME }}/files.jsonl"

- name: Run a query written in AQL
  buildworks.toolchain.artifact_query_info:
    query: items.find({"repo":"generic-local","@os":"linux","@os":"windows"}).include("repo","path","name")
"""

RETURN = r"""
rows:
  description:
    - Rows of the result with the requested fields. The module removes the domain from the field names that the server
      returns, so that V(build.name) becomes V(name).
    - Times are in UTC, sizes in bytes. Fields that are null are omitted.
  returned: success, when O(to_file) is not set
  type: list
  elements: dict
  sample:
    - repo: generic-local
      path: app/1.0
      name: app-1.0.tar.gz
      size: 20971520
      created: "2024-10-01T12:00:00.000Z"
count:
  description: Number of rows.
  returned: success
  type: int
  sample: 1
query:
  description: The query in AQL. If the result is read page by page, the module adds conditions for each page.
  returned: success
  type: str
  sample: items.find({"repo":"generic-local"}).include("repo","path","name","size")
masked:
  description: Texts that O(mask_secrets) replaced.
  returned: when O(mask_secrets) is set
  type: dict
  contains:
    count:
      description: Number of masked texts.
      type: int
    places:
      description: Locations of the first 100 masked texts.
      type: list
      elements: str
  sample:
    count: 1
    places: ["libs app/1.0 app.jar: properties: db.password: value"]
"""

import itertools
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import queries
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.search import aql
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import output_list
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import LISTING
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

MAX_ROWS = 2**31 - 1


def check_by_repository(params: Fields) -> None:
    if params["domain"] not in (None, "items") and params["by_repository"]:
        raise BadOption("domain", "must be 'items' with 'by_repository'")
    for option in ("query", "sort", "offset", "limit"):
        if params[option] and params["by_repository"]:
            raise BadOption(option, "cannot be combined with 'by_repository'")


SPEC = (ARTIFACT + LISTING) + ArgumentSpec(
    dict(
        domain=dict(type="str", choices=list(aql.DOMAINS)),
        find=dict(type="raw", unchecked="the query builder refuses by name what cannot be written"),
        include=dict(type="list", elements="str", each_element=NAME),
        sort=dict(type="list", elements="str", each_element=NAME),
        descending=dict(type="bool", default=False),
        offset=dict(type="int", default=0, at_least=0, at_most=MAX_ROWS),
        limit=dict(type="int", at_least=1, at_most=MAX_ROWS),
        page_size=dict(type="int", default=5000, at_least=0, at_most=1_000_000),
        by_repository=dict(type="bool", default=False),
        query=dict(type="str", not_empty=True),
    ),
    required_one_of=[("find", "query")],
    mutually_exclusive=[("query", option) for option in ("domain", "find", "include", "sort", "limit")],
    checks=[check_by_repository],
)


def run(task: Task) -> None:
    artifact = ArtifactService(task)
    if task.params["query"]:
        text = task.params["query"].strip()
        rows = aql.fetch_text_rows(artifact, text)
    else:
        query = aql.prepare(build_query(task.params))
        text, rows = str(query), fetch_rows(task, artifact, query)
    with aql.suggest_unsorted():
        task.result["count"] = output_list(task, "rows", rows)
    task.result["query"] = text


def fetch_rows(task: Task, artifact: ArtifactService, query: aql.Query) -> t.Iterator[Fields]:
    if not task.params["by_repository"]:
        return aql.fetch_rows(artifact, query, task.params["page_size"])
    keys = queries.list_item_repositories(artifact)
    return itertools.chain.from_iterable(aql.fetch_repository(artifact, query, key) for key in keys)


def build_query(params: Fields) -> aql.Query:
    return aql.Query(
        domain=params["domain"] or "items",
        find=params["find"],
        include=tuple(params["include"] or ()),
        sort=tuple(params["sort"] or ()),
        descending=params["descending"],
        offset=params["offset"],
        limit=params["limit"],
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
