# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line of `python -m sandbox.rehearsal`.

Runs a playbook in check mode, then twice for real. The exit status is 1 if a task failed or if the second run changed
anything.
"""

from __future__ import annotations

import argparse
import pathlib
import signal
import sys
import tempfile
from types import FrameType

from .. import client
from ..seeds.snapshot import describe_skipped
from .report import find_problem, render_report
from .runs import rehearse

SIGNALS = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


def _parse_arguments() -> tuple[argparse.Namespace, list[str]]:
    description = (
        "Rehearse a playbook on a sandbox instead of the services of its inventory. "
        "Other options are passed to ansible-playbook."
    )
    parser = argparse.ArgumentParser(prog="python -m sandbox.rehearsal", description=description, allow_abbrev=False)
    parser.add_argument("-i", "--inventory", required=True, help="inventory of the playbook")
    parser.add_argument("--playbook", required=True, help="path or fully qualified name of the playbook")
    snapshot_help = "initial data of the sandbox: a snapshot or another seed (default: the default seed)"
    parser.add_argument("--snapshot", type=pathlib.Path, help=snapshot_help)
    return parser.parse_known_args()


def _handle_signal(number: int, _frame: FrameType | None) -> None:
    """Stop the rehearsal. Its files are removed when the exception leaves `main`.

    :raises SystemExit: always
    """
    for each in SIGNALS:
        signal.signal(each, signal.SIG_IGN)
    sys.exit(f"\nThe rehearsal was stopped by {signal.Signals(number).name}.")


def main() -> None:
    """Run the rehearsal, print the report and exit."""
    for each in SIGNALS:
        signal.signal(each, _handle_signal)
    arguments, others = _parse_arguments()
    program = str(pathlib.Path(sys.executable).with_name("ansible-playbook"))
    command = [program, arguments.playbook, "-i", arguments.inventory, *others]
    try:
        with client.start(seed=arguments.snapshot) as sandbox, tempfile.TemporaryDirectory() as scratch:
            runs = rehearse(sandbox, command, pathlib.Path(scratch))
            skipped = describe_skipped(arguments.snapshot) if arguments.snapshot else []
    except client.SandboxError as error:
        sys.exit(str(error))
    print(*(f"Warning: {sentence}" for sentence in skipped), render_report(runs), sep="\n")
    sys.exit(find_problem(runs))


if __name__ == "__main__":
    main()
