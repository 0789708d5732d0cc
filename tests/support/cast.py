# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Record the quick start of the landing page and write it as an animated SVG and as text to docs/site/_static.

Run it again if the output of the quick start changed: `make test-environment`, then
`PYTHONPATH=tests:tools:extensions:build/collections python -m support.cast` with the Python of that environment.

The output is real. Only long waits are shortened. The recording starts with the complete preview, so that its first
frame is not empty. Without animation, and as cast.svg#still, it shows the last run.
"""

from __future__ import annotations

import io
import os
import pty
import shutil
import subprocess
import tempfile
import termios
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

from rich.console import Console
from rich.segment import Segment
from rich.text import Text

from sandbox import client
from support.playbook import PLAYBOOK, ROOT, environment

TARGET = ROOT / "docs" / "site" / "_static"
LABEL = (
    "Terminal recording. A playbook is previewed with check and diff, applied, and run again. "
    "The last run reports changed=0."
)
COMMANDS = (
    "ansible-playbook release.yml --check --diff",
    "ansible-playbook release.yml",
    "ansible-playbook release.yml",
)
COLUMNS, ROWS = 80, 24
# Pixels
CHARACTER, LINE, MARGIN = 8.4, 20, 16
# Seconds
TYPING, LONGEST_WAIT, READING = 1.5, 0.8, 5.0
# Red, green, yellow, magenta and cyan by their numbers in a terminal
COLORS = {1: "#ff8d85", 2: "#7ee787", 3: "#e3b341", 5: "#d2a8ff", 6: "#79c0ff"}
STYLE = """
.cast-line { fill: #d5dbe1; font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace; white-space: pre; }
@keyframes cast-show { from { visibility: hidden; } }
@keyframes cast-type { from { clip-path: inset(0 100% 0 0); } }
@media screen and (prefers-reduced-motion: no-preference) {
  .cast-line { animation: cast-show 1ms step-end backwards; }
  .cast-typed { animation: cast-type TYPING steps(45) backwards; }
  .cast-lines { animation: cast-scroll DURATION step-end; }
}
#still:target * { animation: none; }
"""


@dataclass(frozen=True)
class Line:
    """A line of the terminal, and the time at which it appears, in seconds."""

    text: Text
    at: float
    is_typed: bool = False


def main() -> None:
    lines = start_with_full_screen(list(wrap(record())))
    (TARGET / "cast.svg").write_text(draw(lines))
    (TARGET / "cast.txt").write_text("\n".join(line.text.plain.rstrip() for line in lines) + "\n")


def record() -> Iterator[Line]:
    """Run the commands in a terminal and yield its lines."""
    with tempfile.TemporaryDirectory() as home, client.start() as sandbox:
        folder = Path(home) / "platform"
        folder.mkdir()
        shutil.copy(ROOT / "docs/site/release.yml", folder)
        variables = environment(sandbox, HOME=home, PATH=f"{PLAYBOOK.parent}:{os.environ['PATH']}", TERM="xterm")
        del variables["ANSIBLE_NOCOLOR"]
        now = 0.5
        for command in COMMANDS:
            yield Line(Text(f"$ {command}"), now, is_typed=True)
            now += TYPING
            for text, waited in run_in_terminal(command, folder, variables):
                now += min(waited, LONGEST_WAIT)
                yield Line(Text.from_ansi(text), now)
            now += READING


def run_in_terminal(command: str, folder: Path, variables: dict[str, str]) -> Iterator[tuple[str, float]]:
    """Run a command and yield the lines that it prints, each with the seconds since the line before."""
    terminal, program_end = pty.openpty()
    termios.tcsetwinsize(program_end, (ROWS, COLUMNS))
    with subprocess.Popen(
        command.split(), cwd=folder, env=variables, stdin=program_end, stdout=program_end, stderr=program_end
    ) as process:
        os.close(program_end)
        before = time.monotonic()
        with os.fdopen(terminal, newline="\n") as output:
            while line := read_line(output):
                now = time.monotonic()
                yield line.rstrip("\r\n"), now - before
                before = now
    assert process.returncode == 0, command


def read_line(output: io.TextIOBase) -> str:
    """Return the next line, or an empty text after the end, which a terminal reports as an error."""
    try:
        return output.readline()
    except OSError:
        return ""


def wrap(lines: Iterator[Line]) -> Iterator[Line]:
    """Break lines as a terminal does."""
    for line in lines:
        for part in line.text.divide(range(COLUMNS, len(line.text), COLUMNS)):
            yield Line(part, line.at, line.is_typed)


def start_with_full_screen(lines: list[Line]) -> list[Line]:
    """Let the recording start one second after the first screen is full. Earlier lines get negative times."""
    start = lines[ROWS - 1].at + 1
    return [replace(line, at=line.at - start) for line in lines]


def draw(lines: list[Line]) -> str:
    """Return the animated SVG."""
    seconds = lines[-1].at + READING
    width, height = round(COLUMNS * CHARACTER + 2 * MARGIN), ROWS * LINE + 2 * MARGIN
    visible = f'x="{MARGIN}" y="{MARGIN}" width="{width - 2 * MARGIN}" height="{ROWS * LINE}"'
    return "\n".join(
        [
            f'<svg id="still" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
            f'aria-label="{LABEL}">',
            "<style>" + STYLE.replace("TYPING", f"{TYPING}s").replace("DURATION", f"{seconds:.1f}s"),
            *scroll(lines, seconds),
            "</style>",
            f'<rect width="{width}" height="{height}" rx="8" fill="#10151b"/>',
            f'<svg {visible}><g class="cast-lines" transform="translate(0 {-compute_offset(len(lines))})">',
            *(draw_line(line, number) for number, line in enumerate(lines)),
            "</g></svg>",
            "</svg>",
            "",
        ]
    )


def compute_offset(count: int) -> int:
    """Return the pixels by which this number of lines is scrolled up."""
    return max(0, count - ROWS) * LINE


def scroll(lines: list[Line], seconds: float) -> Iterator[str]:
    """Yield the keyframes that scroll the terminal."""
    yield "@keyframes cast-scroll {"
    yield "  0% { transform: translateY(0); }"
    for number, line in enumerate(lines, start=1):
        if number > ROWS:
            yield f"  {100 * max(0, line.at) / seconds:.2f}% {{ transform: translateY({-compute_offset(number)}px); }}"
    yield f"  100% {{ transform: translateY({-compute_offset(len(lines))}px); }}"
    yield "}"


def draw_line(line: Line, number: int) -> str:
    """Return a line as an SVG text of the width that it has in a terminal."""
    kind = "cast-line cast-typed" if line.is_typed else "cast-line"
    plain = line.text.plain.rstrip()
    if not plain:
        return ""
    line.text.rstrip()
    spans = "".join(draw_span(segment) for segment in line.text.render(Console()))
    return (
        f'<text class="{kind}" style="animation-delay: {line.at:.2f}s" x="0" y="{number * LINE + 15}" '
        f'textLength="{len(plain) * CHARACTER:.1f}" xml:space="preserve">{spans}</text>'
    )


def draw_span(segment: Segment) -> str:
    """Return text in its color."""
    color = segment.style.color if segment.style else None
    text = escape(segment.text.rstrip("\n"))
    return f'<tspan fill="{COLORS[color.number]}">{text}</tspan>' if color and color.number else text


if __name__ == "__main__":
    main()
