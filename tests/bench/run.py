# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Measure what has to be fast, as ratios of what was timed in turn; writes build/bench.json and prints a table.

Exits with 1 when a row is short of what it has to reach. As arguments: the subjects to measure, else all of them.
"""

from __future__ import annotations

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

# Each is a file of rows/, with the ROWS that its measure(sandbox) gives the figures of
SUBJECTS = (
    *("task", "item", "items", "mitogen", "hosts", "imports", "requests", "read"),
    *("upload", "cleanup", "snapshot", "build", "script", "pipeline", "review", "batch", "admin"),
)


def main(subjects: list[str]) -> int:
    """Measure, write build/bench.json, print the table, and tell whether all was reached."""
    results = []
    print(f"{'figure':20} {'value':>8} {'to reach':>9}  what", flush=True)
    for name in subjects or SUBJECTS:
        subject = import_module(f"bench.rows.{name}")
        figures, reason = measured(subject)
        for row in subject.ROWS:
            figure = figures.get(row.key)
            print(line(row, figure, reason), flush=True)
            results.append((row, figure))
    report = {"machine": machine(), "rows": {row.key: entry(row, figure) for row, figure in results}}
    (ROOT / "build" / "bench.json").write_text(json.dumps(report, indent=2) + "\n")
    print("machine: " + ", ".join(f"{name} {value}" for name, value in report["machine"].items()))
    missing = os.environ.get("TOOLCHAIN_REQUIRE_ALL") == "1" and any(figure is None for _row, figure in results)
    return int(missing or any(figure and not row.reached(figure) for row, figure in results))


def measured(subject: Any) -> tuple[dict[str, Figure], str]:
    """The figures of a subject, against a new sandbox; or none, and what keeps this machine from measuring them."""
    try:
        with client.start() as sandbox:
            return subject.measure(sandbox), ""
    except CannotRunError as reason:
        return {}, f"CANNOT RUN HERE: {reason}"


def line(row: Row, figure: Figure | None, reason: str) -> str:
    """A row of the table."""
    target = f"{row.compare} {row.limit:g}" if row.compare else ""
    value = f"{figure.value:g}" if figure else "-"
    short = "" if figure is None or row.reached(figure) else "SHORT: "
    return f"{row.key:20} {value:>8} {target:>9}  {short}{row.what}{figure.text() if figure else '; ' + reason}"


def entry(row: Row, figure: Figure | None) -> dict[str, Any] | None:
    """A row of build/bench.json; null when it could not be measured."""
    return figure and {"value": figure.value, "reached": row.reached(figure), "spread": figure.spread, **figure.more}


def machine() -> dict[str, Any]:
    """What the figures were measured on, and how much else it had to do."""
    import ansible.release

    return {
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[1], 1),
        "python": sys.version.split()[0],
        "ansible-core": ansible.release.__version__,
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
