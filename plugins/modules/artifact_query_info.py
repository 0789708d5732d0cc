#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_query_info
short_description: Find artifacts and builds with the query language
description:
  - Asks the server with its query language (AQL), and gives all rows, page by page, or none. When the server trims an
    answer, the task fails and says what to narrow.
  - With O(find) the module writes the query. Values cannot break out of it. It sees to the order of its parts, to the
    fields that the server demands from ordinary accounts, and to a sort by which pages are stable.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.listing
  - buildworks.toolchain.to_file
  - buildworks.toolchain.attributes_info
notes:
  - Needs the permission Read on what is to be found; what may not be read is left out. Anonymous callers may not query.
    Domains other than V(items), and V(builds) on newer servers, need an administrator; others get no rows, or are
    refused.
  - The open source edition cannot sort, so it needs O(page_size=0).
  - Heavy queries take their time; see O(timeout).
options:
  domain:
    description: What the rows are; V(items), which are files and folders, when not given.
    type: str
    choices:
      - items
      - builds
      - modules
      - artifacts
      - dependencies
      - properties
      - build.properties
      - module.properties
      - build.promotions
      - stats
      - archive.entries
  find:
    description:
      - Conditions, field by field, all of which must hold; or a list of such dictionaries, all of which must hold.
        C({}) for everything.
      - A condition is a value, or one or more of C($eq), C($ne), C($gt), C($gte), C($lt), C($lte), C($match),
        C($nmatch), C($eqic), C($matchic), C($last) and C($before), each with a value. C($match) knows V(*) and V(?).
      - C($or), C($and), C($msp) and C($rf) take lists of dictionaries of conditions. Inside one dictionary all must
        hold, in C($or), too.
      - C($last) and C($before) take ages such as V(4w), V(3days) or V(1d2mo), with the units V(ms), V(s), V(mi),
        V(d), V(w), V(mo) and V(y). All other times are dates such as V(2026-10-01) or V(2026-10-01T12:00:00Z).
      - C(@key) stands for the property V(key), with V(*) for any value. Fields of other domains have their way before
        their names, such as C(stat.downloads) or C(artifact.module.build.name).
      - Values are texts, whole numbers and null. They can have neither quotation marks nor line breaks, and cannot
        begin with a blank, for the language has no way to write them.
      - Without a condition on C(type) only files are found. The trash is left out, unless C(repo) is compared with
        something by its name alone.
    type: raw
  include:
    description:
      - Fields of a row. Without it those that the server gives by default.
      - C(*) is all fields of the domain itself, V(property) all properties and V(stat) the download statistics, each as
        a list in the row. C(@key) is that property; what does not have it is not found then.
      - Of items V(repo), V(path) and V(name) are always there, of builds V(name) and V(number), for ordinary accounts
        have to ask for them.
    type: list
    elements: str
  sort:
    description:
      - Fields of the row to sort by. Items are sorted by V(repo), V(path) and V(name) when nothing is given.
      - Not with fields of other domains in O(include), for the server does not sort then.
    type: list
    elements: str
  descending:
    description: Sort from the largest to the smallest.
    type: bool
    default: false
  offset:
    description: Number of rows to pass over, 0 to 2,147,483,647. Not with fields of other domains in O(include).
    type: int
    default: 0
  limit:
    description: Number of rows at most, 1 to 2,147,483,647. Without it all.
    type: int
  page_size:
    description:
      - Rows to ask for at once, 0 to 1,000,000. With V(0) one request asks for all of them.
      - It must be below the server's own limit, if there is one.
      - Fields of other domains in O(include) cost a second request for each page. In other domains than V(items) such
        rows come in one answer.
    type: int
    default: 5000
  query:
    description:
      - A whole query as a text, in place of all of the above, sent as it is in one request. Nothing in it is seen to,
        but it must not be empty.
    type: str
seealso:
  - module: buildworks.toolchain.artifact_search_info
  - name: Artifactory Query Language
    description: The reference of the vendor.
    link: https://jfrog.com/help/r/jfrog-artifactory-documentation/artifactory-query-language
"""

EXAMPLES = r"""
- name: Find large archives that nobody has downloaded for a year
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

- name: Find what passed its tests, on linux or on windows
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

- name: Keep a list of all files for later, however many there are
  buildworks.toolchain.artifact_query_info:
    find: {}
    include: [size, sha256, modified]
    to_file: "{{ ansible_facts.env.HOME }}/files.jsonl"

- name: Ask with a query of one's own
  buildworks.toolchain.artifact_query_info:
    query: items.find({"repo":"generic-local","@os":"linux","@os":"windows"}).include("repo","path","name")
"""

RETURN = r"""
rows:
  description:
    - What was found, with the fields that were asked for. The names are without the domain that the server puts before
      those of builds and the like (V(name), not V(build.name)).
    - Times are in UTC, sizes in bytes. A member that is null is not there.
  returned: success, without O(to_file)
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
  description: The query as a text. When it is asked page by page, the server gets more conditions with each page.
  returned: success
  type: str
  sample: items.find({"repo":"generic-local"}).include("repo","path","name","size")
masked:
  description: What O(mask_secrets) masked.
  returned: with O(mask_secrets)
  type: dict
  contains:
    count:
      description: Number of masked texts.
      type: int
    places:
      description: Where they were, the first 100 of them.
      type: list
      elements: str
  sample:
    count: 1
    places: ["libs app/1.0 app.jar: properties: db.password: value"]
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import query
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import LISTING
from ansible_collections.buildworks.toolchain.plugins.module_utils._private_file import gather
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

MOST = 2**31 - 1
SPEC = (ARTIFACT + LISTING) + ArgumentSpec(
    dict(
        domain=dict(type="str", choices=list(query.DOMAINS)),
        find=dict(type="raw", free="the query builder refuses by name what cannot be written"),
        include=dict(type="list", elements="str", each=NAME),
        sort=dict(type="list", elements="str", each=NAME),
        descending=dict(type="bool", default=False),
        offset=dict(type="int", default=0, at_least=0, at_most=MOST),
        limit=dict(type="int", at_least=1, at_most=MOST),
        page_size=dict(type="int", default=5000, at_least=0, at_most=1_000_000),
        query=dict(type="str", not_empty=True),
    ),
    required_one_of=[("find", "query")],
    mutually_exclusive=[("query", option) for option in ("domain", "find", "include", "sort", "limit")],
)


def run(task):
    artifact = ArtifactService(task)
    if task.params["query"]:
        text = task.params["query"].strip()
        rows = query.rows_of_text(artifact, text)
    else:
        typed = query.prepared(wanted(task.params))
        text, rows = str(typed), query.rows(artifact, typed, task.params["page_size"])
    task.result["count"] = gather(task, "rows", rows)
    task.result["query"] = text


def wanted(params):
    return query.Query(
        domain=params["domain"] or "items",
        find=params["find"],
        include=tuple(params["include"] or ()),
        sort=tuple(params["sort"] or ()),
        descending=params["descending"],
        offset=params["offset"],
        limit=params["limit"],
    )


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
