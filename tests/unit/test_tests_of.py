# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from export import CHECKOUT
from tests_of import ALL, ALWAYS, main, select_tests


def test_all_tests_are_selected_without_files(capsys: pytest.CaptureFixture[str]) -> None:
    main([])
    assert capsys.readouterr().out.split() == ALL


@pytest.mark.parametrize(
    ("file", "tests"),
    [
        ("plugins/modules/ci_info.py", ["tests/unit/test_ci_info.py"]),
        ("plugins/module_utils/_artifact/cleanup/rules/rule.py", ["tests/unit/test_artifact_cleanup.py"]),
        ("plugins/module_utils/_http/client.py", ["tests/unit/test_http.py", "tests/unit/test_review_view.py"]),
        ("tests/support/ci_server.py", ["tests/unit/test_ci_restart.py"]),
        ("tests/unit/test_wait.py", ["tests/unit/test_wait.py"]),
        ("tools/tarball.py", []),
    ],
)
def test_file_selects_the_tests_that_use_it(file: str, tests: list[str]) -> None:
    selected = select_tests({CHECKOUT / file})
    assert {*ALWAYS, *tests} <= {*selected}
    assert "tests/unit/test_argspec.py" not in selected


def test_layer_selects_the_ladders_of_the_modules_that_import_it() -> None:
    selected = select_tests({CHECKOUT / "plugins/module_utils/_artifact/cleanup/rules/rule.py"})
    assert [test for test in selected if "ladder" in test] == [
        "tests/ladder/test_ladder.py::test_case_climbs_its_ladder[artifact_cleanup]"
    ]


@pytest.mark.parametrize(
    ("file", "folder"), [("ci/queue/scheduler.py", "tests/sandbox/ci"), ("http/routing.py", "tests/sandbox/core")]
)
def test_sandbox_file_selects_the_tests_of_its_service(file: str, folder: str) -> None:
    assert folder in select_tests({CHECKOUT / "extensions/sandbox" / file})
