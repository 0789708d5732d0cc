# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Print the mutations of plugins/module_utils that no test notices; exit with 1 if there are any.

Neither mutmut nor cosmic-ray fits: mutmut mutates only functions, not the options that modules declare, and draws no
sample; cosmic-ray runs one fixed command per mutant and removes no statements. See `trial.py` for how tests are chosen.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from mutants import trial
from mutants.copies import CHECKOUT, tracked_files
from mutants.mutations import Mutation, mutations
from mutants.recording import TESTS
from mutants.trial import Outcome, Trial

PACKAGE = "plugins/module_utils"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="mutants", description="Print the mutations that no test notices.")
    parser.add_argument("files", nargs="*", help=f"files to mutate, default all of {PACKAGE}")
    parser.add_argument("--number", type=int, default=40, help="size of the sample")
    parser.add_argument("--seed", type=int, default=random.randrange(1000), help="default: a random one")
    options = parser.parse_args(arguments)
    found = find_mutations(CHECKOUT, options.files or [PACKAGE])
    sample = sorted(found, key=lambda mutation: mutation.order(options.seed))[: options.number]
    print(f"Seed {options.seed}: {len(sample):,} of {len(found):,} mutations", flush=True)
    return report(trial.run(CHECKOUT, sample, tests=TESTS))


def find_mutations(checkout: Path, places: Iterable[str]) -> list[Mutation]:
    """Return the mutations of Python files, which are named by themselves or by their folder."""
    folders = tuple(f"{place.rstrip('/')}/" for place in places)
    paths = [name for name in tracked_files(checkout) if name.endswith(".py") and f"{name}/".startswith(folders)]
    return [mutation for path in paths for mutation in mutations(path, (checkout / path).read_text())]


def report(trials: Iterable[Trial]) -> int:
    """Print each survivor as it is found, then the counts, and return the exit status."""
    counts: Counter[Outcome] = Counter()
    for done in trials:
        counts[done.outcome] += 1
        if done.outcome in trial.SURVIVED:
            print(describe(done), flush=True)
    print(", ".join(f"{counts[outcome]} {outcome.value}" for outcome in Outcome))
    return int(any(counts[outcome] for outcome in trial.SURVIVED))


def describe(done: Trial) -> str:
    """Return what was mutated, and the tests that executed it."""
    mutation = done.mutation
    executed = f"  executed by {len(done.tests)} tests: {', '.join(done.tests[:3])}{', ...' * (len(done.tests) > 3)}"
    return "\n".join(
        [
            f"\n{mutation.path}:{mutation.line}: {done.outcome.value}",
            *(f"- {line}" for line in mutation.statement(mutation.source)),
            *(f"+ {line}" for line in mutation.statement(mutation.mutated_source)),
            *([executed] if done.tests else []),
        ]
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
