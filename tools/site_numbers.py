# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Numbers that pages of the site quote, as substitutions of reStructuredText such as |task_vs_uri|.

docs/site/bench.json contains the results of the benchmark, each row with the day and the machine. To replace rows, run
on an idle machine:

    make bench ROWS="task items repositories users jobs mitogen"
    python tools/site_numbers.py
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from export import CHECKOUT
from generate import list_fragments, list_modules, read_documentation

BENCH = CHECKOUT / "docs/site/bench.json"


def main() -> None:
    """Add the rows of build/bench.json to docs/site/bench.json."""
    report = json.loads((CHECKOUT / "build/bench.json").read_text())
    rows = {name: {**row, **report["machine"]} for name, row in report["rows"].items() if row}
    BENCH.write_text(json.dumps({**read_bench(), **rows}, indent=2, sort_keys=True) + "\n")


def read_bench() -> dict[str, dict[str, Any]]:
    """Return the rows of the benchmark by name."""
    return json.loads(BENCH.read_text()) if BENCH.exists() else {}


def list_numbers() -> str:
    """Return the definitions of the substitutions."""
    return "".join(f".. |{name}| replace:: {value}\n" for name, value in find_numbers())


def find_numbers() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each number: the value of a row and its details, and counts of modules."""
    for name, row in read_bench().items():
        yield name, format_number(row["value"])
        yield from ((f"{name} {detail}", format_number(value)) for detail, value in row.items() if detail != "value")
    modules = list_modules()
    yield "modules", str(len(modules))
    yield "modules with check mode", str(sum(map(supports_check_mode, modules)))
    yield "modules that write", str(sum("attributes_info" not in list_fragments(module) for module in modules))


def format_number(value: Any) -> str:
    """Return a number with the digits that a measurement supports; other values as they are."""
    if isinstance(value, float) and value < 10:
        return f"{value:.2g}"
    return f"{value:,.0f}" if isinstance(value, (int, float)) else str(value)


def supports_check_mode(module: str) -> bool:
    """Return whether the documentation of a module promises check mode without restrictions."""
    own = read_documentation(module, "DOCUMENTATION").get("attributes", {})
    return "check_mode" not in own and not {"attributes", "attributes_info"}.isdisjoint(list_fragments(module))


if __name__ == "__main__":
    main()
