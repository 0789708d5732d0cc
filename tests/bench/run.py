# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure speed and memory, print a table and write build/bench.json.

Most figures are ratios of durations that are measured in turn. The arguments are the subjects to measure, all by
default. The exit status is 1 if a figure misses its target.
"""

from __future__ import annotations

import datetime
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("extensions", "build/collections", "tests", "tools")]

from bench.row import CannotRunError, Figure, Row  # noqa: E402
from sandbox import client  # noqa: E402

# Modules in rows/; each has ROWS, and measure(sandbox), which returns their figures by key
SUBJECTS = (
    *("task", "item", "items", "mitogen", "hosts", "report", "imports", "requests", "read"),
    *(
        "upload",
        "cleanup",
        "snapshot",
        "build",
        "script",
        "pipeline",
        "review",
        "batch",
        "admin",
        "users",
        "repositories",
        "jobs",
    ),
)


def main(subjects: list[str]) -> int:
    """Measure, write build/bench.json, print the table and return the exit status."""
    results = []
    print(f"{'figure':20} {'value':>8} {'target':>9}  description", flush=True)
    for name in subjects or SUBJECTS:
        subject = import_module(f"bench.rows.{name}")
        figures, reason = measure(subject)
        for row in subject.ROWS:
            figure = figures.get(row.key)
            print(format_row(row, figure, reason), flush=True)
            results.append((row, figure))
    report = {"machine": describe_machine(), "rows": {row.key: to_json(row, figure) for row, figure in results}}
    (ROOT / "build" / "bench.json").write_text(json.dumps(report, indent=2) + "\n")
    print("machine: " + ", ".join(f"{name} {value}" for name, value in report["machine"].items()))
    is_missing = os.environ.get("TOOLCHAIN_REQUIRE_ALL") == "1" and any(figure is None for _row, figure in results)
    return int(is_missing or any(figure and not row.is_reached(figure) for row, figure in results))


def measure(subject: Any) -> tuple[dict[str, Figure], str]:
    """Return the figures of a subject on a new sandbox, or no figures and the reason."""
    try:
        with client.start() as sandbox:
            return subject.measure(sandbox), ""
    except CannotRunError as reason:
        return {}, f"CANNOT RUN HERE: {reason}"


def format_row(row: Row, figure: Figure | None, reason: str) -> str:
    """Return a row of the table."""
    target = f"{row.compare} {row.limit:g}" if row.compare else ""
    value = f"{figure.value:g}" if figure else "-"
    mark = "" if figure is None or row.is_reached(figure) else "MISSED: "
    return f"{row.key:20} {value:>8} {target:>9}  {mark}{row.description}{figure.text() if figure else '; ' + reason}"


def to_json(row: Row, figure: Figure | None) -> dict[str, Any] | None:
    """Return a row of build/bench.json, or `None` if it could not be measured."""
    return figure and {
        "description": row.description,
        "value": figure.value,
        "reached": row.is_reached(figure),
        "spread": figure.spread,
        **figure.details,
    }


def describe_machine() -> dict[str, Any]:
    """Describe the day, the machine and its load."""
    import ansible.release

    return {
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[1], 1),
        "python": sys.version.split()[0],
        "ansible-core": ansible.release.__version__,
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
