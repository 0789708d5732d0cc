# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The parts of an overview: health of a service, findings, figures and tables."""

from __future__ import annotations

import dataclasses
import re
import shlex
import typing as t

from ansible_collections.buildworks.toolchain.plugins.plugin_utils import _units as units
from ansible_collections.buildworks.toolchain.plugins.plugin_utils._products import name_product

State = t.Mapping[str, t.Any]

# Worst first
HEALTH = ("failing", "unknown", "attention", "notice", "ok")
# The words that the page shows beside color and symbol
HEALTH_WORDS = {
    "failing": "Failing",
    "unknown": "Unknown",
    "attention": "Needs attention",
    "notice": "Notice",
    "ok": "OK",
}
DAY = 86_400
# Days left of a finding without a deadline
NO_DEADLINE = float("inf")
# A longer list would hide what is below it; the JSON file is complete
MAX_ROWS = 1000
_DATE = re.compile(r"\d{4}-\d\d-\d\d")


class Remedy(t.NamedTuple):
    """How to fix a finding.

    :ivar text: imperative
    :ivar page: page of the documentation site, without suffix
    :ivar command: command that does the same without the site; `{host}` is the host
    """

    text: str
    page: str
    command: str


def _get_module_page(name: str) -> str:
    return f"collections/buildworks/toolchain/{name}_module"


REMEDIES = {
    "storage": Remedy(
        "Clean up old artifacts", "guides/clean-up", "ansible-playbook buildworks.toolchain.housekeeping --limit {host}"
    ),
    "storage_size": Remedy(
        "Read the size of the storage",
        _get_module_page("artifact_storage_info"),
        "ansible {host} -m buildworks.toolchain.artifact_storage_info",
    ),
    # Rotates what the variables of the role declare with `rotate_before` or `rotate_after`
    "tokens": Remedy(
        "Rotate declared tokens",
        "guides/rotate-tokens",
        "ansible-playbook buildworks.toolchain.provision --limit {host} --tags tokens",
    ),
    "certificates": Remedy(
        "Renew certificates in Artifactory",
        _get_module_page("artifact_certificate_info"),
        "ansible {host} -m buildworks.toolchain.artifact_certificate_info",
    ),
    "admin_keys": Remedy(
        "Rotate declared admin keys",
        "guides/rotate-tokens",
        "ansible-playbook buildworks.toolchain.provision --limit {host} --tags admin_keys",
    ),
    "project_keys": Remedy(
        "Rotate declared service accounts",
        "guides/rotate-tokens",
        "ansible-playbook buildworks.toolchain.provision --limit {host} --tags service_accounts",
    ),
    "jobs": Remedy(
        "Read the log of the last failed build",
        _get_module_page("ci_build_info"),
        "ansible {host} -m buildworks.toolchain.ci_build_info -a {arguments}",
    ),
    "nodes": Remedy(
        "See why nodes are offline",
        _get_module_page("ci_node_info"),
        "ansible {host} -m buildworks.toolchain.ci_node_info",
    ),
    "plugins": Remedy(
        "Update plugins",
        "guides/nightly-restart",
        "ansible-playbook buildworks.toolchain.maintenance --limit {host}",
    ),
    "quiet_down": Remedy(
        "End the quiet-down mode",
        _get_module_page("ci_quiet_down"),
        "ansible {host} -m buildworks.toolchain.ci_quiet_down -a state=absent",
    ),
    "issues": Remedy(
        "List new critical and error issues",
        _get_module_page("review_issue_info"),
        "ansible {host} -m buildworks.toolchain.review_issue_info -a {arguments}",
    ),
    "licenses": Remedy(
        "Renew licenses",
        _get_module_page("review_server_info"),
        "ansible {host} -m buildworks.toolchain.review_server_info -a gather=licenses",
    ),
    "limits": Remedy(
        "Change rate limits",
        "guides/openai-organization",
        "ansible-playbook buildworks.toolchain.governance --limit {host}",
    ),
    "connection": Remedy(
        "Check URL, account and permissions",
        "reference/permissions",
        "ansible {host} -m buildworks.toolchain.{module} -vvv",
    ),
    "host": Remedy(
        "Read the output of the playbook", "troubleshooting/index", "ansible {host} -m ansible.builtin.debug"
    ),
}


@dataclasses.dataclass(frozen=True)
class Finding:
    """An item that needs attention on a host.

    :ivar severity: `failing`, `unknown`, `attention` or `notice`
    :ivar remedy: name of an entry of `REMEDIES`
    :ivar arguments: values for its command
    :ivar days_left: days until its deadline; 0 if it is a problem or can be fixed now
    """

    severity: str
    reason: str
    remedy: str
    arguments: t.Mapping[str, str] = dataclasses.field(default_factory=dict)
    days_left: float = 0

    @property
    def urgency(self) -> tuple[int, float]:
        """The key by which findings are sorted, the most urgent first."""
        return HEALTH.index(self.severity), self.days_left

    def to_entry(self, host: str, service: str) -> dict[str, t.Any]:
        """Return an entry of the summary."""
        remedy = REMEDIES[self.remedy]
        quoted = {name: shlex.quote(value) for name, value in {"host": host, **self.arguments}.items()}
        return {
            "severity": self.severity,
            "host": host,
            "service": service,
            "reason": self.reason,
            "remedy": remedy.text,
            "page": remedy.page,
            "command": remedy.command.format(**quoted),
        }


@dataclasses.dataclass(frozen=True)
class Figure:
    """A number of a card.

    :ivar value: the number as text, or `unknown`
    :ivar note: comparison value, or the reason why it is unknown
    """

    name: str
    value: str
    note: str = ""


@dataclasses.dataclass(frozen=True)
class Cell:
    """A cell of a table.

    :ivar share: length of the bar in the cell, from 0 to 1
    :ivar tone: `good`, `changed` or `bad`
    :ivar link: address of an http or https page
    """

    text: str
    share: float | None = None
    tone: str = ""
    link: str = ""

    @property
    def is_date(self) -> bool:
        """Whether the text starts with a date, which is not wrapped."""
        return bool(_DATE.match(self.text))


@dataclasses.dataclass(frozen=True)
class Table:
    """A table whose first column names the rows.

    :ivar columns: titles; those of numbers start with `#`
    :ivar noun: plural noun for the rows
    :ivar visible: number of rows that are not folded
    """

    columns: t.Sequence[str]
    rows: t.Sequence[t.Sequence[Cell | str]]
    noun: str
    visible: int

    @property
    def fold_label(self) -> str:
        """The text that unfolds the table."""
        return f"all {len(self.rows):,} {self.noun}" if len(self.rows) > 1 else "the numbers"

    @property
    def cells(self) -> list[list[Cell]]:
        """The rows, at most `MAX_ROWS`."""
        return [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in list(self.rows)[:MAX_ROWS]]


@dataclasses.dataclass(frozen=True)
class Section:
    """A part of the details of a service.

    :ivar modules: modules that returned the data
    :ivar group: title of the group of sections, such as a project
    """

    title: str
    modules: t.Sequence[str]
    chart: t.Any = None
    table: Table | None = None
    note: str = ""
    group: str = ""


@dataclasses.dataclass(frozen=True)
class Service:
    """The state of a service of a host, as the page shows it.

    :ivar ok_reason: the reason of the health without findings
    :ivar anchor: id of its details on the page
    """

    host: str
    service: str
    about: str
    findings: t.Sequence[Finding]
    figures: t.Sequence[Figure]
    sections: t.Sequence[Section] = ()
    problems: t.Sequence[t.Mapping[str, str]] = ()
    ok_reason: str = "Everything that was checked is in order."
    anchor: str = ""

    @property
    def product(self) -> str:
        """The name of the product."""
        return name_product(self.service)

    @property
    def health(self) -> str:
        """The health, which is that of the worst finding."""
        return min((finding.severity for finding in self.findings), key=HEALTH.index, default="ok")

    @property
    def reason(self) -> str:
        """The reason of the health."""
        if not self.findings:
            return self.ok_reason
        first, *more = sorted(self.findings, key=lambda finding: finding.urgency)
        return first.reason + (f" And {units.pluralize(len(more), 'more item')}." if more else "")

    def to_entry(self) -> dict[str, t.Any]:
        """Return an entry of the summary."""
        return {
            "host": self.host,
            "service": self.service,
            "health": self.health,
            "reason": self.reason,
            "figures": [dataclasses.asdict(figure) for figure in self.figures],
        }


@dataclasses.dataclass(frozen=True)
class Scope:
    """Time and thresholds of an overview.

    :ivar now: time of the data in seconds since 1970
    :ivar growth_note: when the growth will be known
    """

    now: float
    expires_within_days: int
    max_age_days: int
    rows: int
    history: t.Sequence[State]
    growth_note: str

    @property
    def soon(self) -> float:
        """The time before which keys expire soon."""
        return self.now + self.expires_within_days * DAY

    @property
    def old(self) -> float:
        """The time before which keys are old."""
        return self.now - self.max_age_days * DAY


def find_failure(state: State, *modules: str) -> str:
    """Return the first of the modules that failed, or an empty text."""
    failed = {problem["module"] for problem in state["problems"]}
    return next((module for module in modules if module in failed), "")


def build_unknown_figure(name: str, module: str) -> Figure:
    """Return a figure whose module failed."""
    return Figure(name, "unknown", f"{module} failed")


def list_problems(state: State) -> list[Finding]:
    """Return the failed modules as one finding, because they usually have the same cause."""
    if not state["problems"]:
        return []
    first, *others = state["problems"]
    more = f" and {units.pluralize(len(others), 'other module')}" if others else ""
    reason = f"{first['module']}{more} failed: {shorten(first['problem'], 300)}"
    return [Finding("unknown", reason, "connection", {"module": first["module"]})]


def group_rows(rows: t.Iterable[State], get_name: t.Callable[[State], str]) -> dict[str, list[State]]:
    """Return the rows by name."""
    groups: dict[str, list[State]] = {}
    for row in rows:
        groups.setdefault(get_name(row), []).append(row)
    return groups


def join_names(names: t.Sequence[str], limit: int = 3) -> str:
    """Return names as a text: `a, b and c`, or `a, b, c and 7 more`."""
    shown = [shorten(name, 60) for name in names[:limit]]
    if len(names) > limit:
        return f"{', '.join(shown)} and {len(names) - limit} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def shorten(text: str, length: int) -> str:
    """Return the beginning of a text on one line."""
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[: length - 1].rstrip()}…"
