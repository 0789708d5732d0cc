# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""With TOOLCHAIN_REQUIRE_ALL=1, as in .ci/run, a test that is skipped has failed."""

from __future__ import annotations

import os
from collections.abc import Generator

import pytest

REQUIRE_ALL = os.environ.get("TOOLCHAIN_REQUIRE_ALL") == "1"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Turn a skipped test into a failure."""
    report = yield
    refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Turn a skipped file into a failure."""
    report = yield
    refuse_skip(report)
    return report


def refuse_skip(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip into a failure."""
    expected_failure = hasattr(report, "wasxfail")
    if REQUIRE_ALL and report.skipped and not expected_failure:
        report.outcome = "failed"
        report.longrepr = f"Nothing may be skipped here, but this was: {reason(report.longrepr)}"


def reason(longrepr: object) -> str:
    """What pytest keeps of a skip: path, line and reason."""
    return str(longrepr[2] if isinstance(longrepr, tuple) else longrepr)
