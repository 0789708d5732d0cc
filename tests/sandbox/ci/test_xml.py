# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: responses in XML."""

from __future__ import annotations

import pytest

from support.wire.ci import Ci


@pytest.mark.parametrize(
    ("parameters", "status", "body"),
    [
        ({"xpath": "/*/action/parameter[name='TARGET']/value"}, 200, "<value>staging</value>"),
        ({"xpath": "/*/action/parameter[name='DRY_RUN']/value"}, 200, "<value>false</value>"),
        ({"xpath": "/*/action/parameter[name='SECRET']/value", "wrapper": "w"}, 200, "<w/>"),
        ({"xpath": "/*/action/parameter[name='EMPTY']/value"}, 404, None),
        ({"xpath": "/workflowRun/number"}, 404, "XPath /workflowRun/number didn?t match"),
        ({"xpath": "freeStyleBuild/number"}, 200, "<number>1</number>"),
        ({"xpath": "/*/number", "wrapper": "w"}, 200, "<w><number>1</number></w>"),
        ({"xpath": "/*/number/text()", "wrapper": "w"}, 200, "<w>1</w>"),
        ({"xpath": "/*/@_class"}, 200, ' _class="hudson.model.FreeStyleBuild"'),
        ({"xpath": "/*/number", "wrapper": "1 w"}, 400, None),
        ({"xpath": "/*/number/text()"}, 403, None),
        ({"xpath": "string(/*/number)"}, 403, None),
        ({"xpath": "count(//action)"}, 403, None),
        ({"xpath": "/*/number=1"}, 403, None),
        ({"xpath": ""}, 500, None),
        ({"xpath": "//["}, 500, None),
        (
            {"tree": "number,keepLog", "exclude": "/*/keepLog"},
            200,
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            '<freeStyleBuild _class="hudson.model.FreeStyleBuild"><number>1</number></freeStyleBuild>',
        ),
        (
            {"tree": "number,result", "wrapper": "w"},
            200,
            "<freeStyleBuild _class='hudson.model.FreeStyleBuild'><number>1</number></freeStyleBuild>",
        ),
    ],
)
def test_xml_matches_jenkins(ci: Ci, parameters: dict[str, str], status: int, body: str | None) -> None:
    ci.post("/job/deploy/buildWithParameters")
    answer = ci.get("/job/deploy/1/api/xml", params=parameters)
    assert answer.status_code == status
    if body is not None:
        assert answer.text == body
    if status == 200:
        assert answer.headers["Content-Type"] == "application/xml;charset=UTF-8"


def test_empty_value_is_an_empty_element(ci: Ci) -> None:
    ci.post("/job/deploy/buildWithParameters?VERSION=")
    xpath = "/*/action/parameter[name='VERSION']/value"
    assert ci.get("/job/deploy/1/api/xml", params={"xpath": xpath}).text == "<value/>"


@pytest.mark.parametrize("xpath", ["/", "."])
def test_document_paths_return_the_document(ci: Ci, xpath: str) -> None:
    answer = ci.get("/api/xml", params={"tree": "mode", "xpath": xpath})
    assert answer.text == (
        '<?xml version="1.0" encoding="UTF-8"?>\n<hudson _class="hudson.model.Hudson"><mode>NORMAL</mode></hudson>'
    )
