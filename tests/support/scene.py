# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A case and the sandbox that it works on: earlier steps, runs, the state, and convergence within two more runs."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import re
from typing import Any, NamedTuple

from sandbox.client import Sandbox
from support import running
from support.cases import CASES, SERVICE_OF, module_of, prepare
from support.cases.form import Case, Fetch, Operation, Resource

STEPS = {"create": [], "update": ["create"], "absent": ["create", "update"]}
# The only step of other cases
ONLY_STEP = "options"
VOLATILE = re.compile(
    r'"(token_id|uuid|issued_at|expiry|last_used|last_used_at|session_id|id|created|created_at|modified|updated'
    r'|redacted_value|expires|expires_at|added|added_at)": [^,}]+'
)
UNKNOWN_EFFECT = "Whether the request had its effect is not known"
MORE_RUNS = 2


class CleanRun(NamedTuple):
    """The requests of a run without faults and the final state."""

    requests: list[dict[str, Any]]
    state: str


# By module and step: the same for all tests, because each begins with a reset
CLEAN_RUNS: dict[tuple[str, str], CleanRun] = {}


@dataclasses.dataclass
class Scene:
    """A module and the sandbox that it works on."""

    sandbox: Sandbox
    module: str
    folder: pathlib.Path

    @property
    def case(self) -> Case:
        return CASES[self.module]

    @property
    def secret_option(self) -> str:
        return self.case.secret_file if isinstance(self.case, Resource) else ""

    @property
    def secret_file(self) -> pathlib.Path:
        return self.folder / "secret"

    def begin(self, step: str) -> None:
        """Reset the sandbox and run the earlier steps."""
        self.sandbox.reset()
        prepare(self.sandbox, self.module)
        self.secret_file.unlink(missing_ok=True)
        if isinstance(self.case, (Fetch, Resource)):
            self.case.forget()
        for earlier_step in STEPS.get(step, ()):
            done = self.run(earlier_step)
            assert not done.get("failed"), done["msg"]

    def clean_run(self, step: str) -> CleanRun:
        """Run the step without faults, once per process."""
        if (self.module, step) not in CLEAN_RUNS:
            self.begin(step)
            self.run(step)  # later runs do not send requests whose responses are cached with the connection
            self.begin(step)
            self.sandbox.clear_journal()
            result = self.run(step)
            assert result["changed"], result
            CLEAN_RUNS[self.module, step] = CleanRun(self.requests(), self.state())
        return CLEAN_RUNS[self.module, step]

    def run(self, step: str, **more: Any) -> dict[str, Any]:
        """Return the result of one run of a step."""
        options = {"retries": 0, **getattr(self.case, step), **more}
        if self.secret_option:
            options[self.secret_option] = str(self.secret_file)
        return running.run(module_of(self.module), **options)

    def requests(self) -> list[dict[str, Any]]:
        """Return the requests that the sandbox has served since the journal was cleared."""
        return self.sandbox.journal(SERVICE_OF[self.module])

    def state(self) -> str:
        """Return the state as a query reports it, without values that differ between runs; or the fetched file."""
        if isinstance(self.case, Fetch):
            return self.case.file.read_bytes().hex() if self.case.file.exists() else "nothing"
        assert isinstance(self.case, (Resource, Operation))
        assert self.case.look
        query, options = self.case.look
        result = running.run(query, **options)
        return VOLATILE.sub(r'"\1": 0', json.dumps(result, sort_keys=True))

    def secret_works(self) -> bool:
        """Return whether the secret in the file logs in. The result is `True` if the case has no secret."""
        if not isinstance(self.case, Resource) or not self.case.secret_file:
            return True
        if not self.secret_file.exists():
            return False
        query, options = (self.case.opens, {}) if self.case.opens else self.case.look
        login = {self.case.login: self.secret_file.read_text().strip()}
        return not running.run(query, **options, **login).get("failed")

    def is_desired(self, step: str, desired: str) -> bool:
        """Return whether the state is the desired one and the secret, if there is one, works."""
        return self.state() == desired and (step == "absent" or self.secret_works())

    def check_converges(self, step: str, desired: str, case: str) -> None:
        """Verify that at most two more runs reach the desired state, and that the last run changes nothing."""
        for _attempt in range(MORE_RUNS):
            result = self.run(step)
            if not result.get("failed"):
                assert self.is_desired(step, desired), f"{case}: reported as reached, but is {self.state()}"
                if not result["changed"]:
                    return
        assert not result.get("failed"), f"{case}: {result['msg']}"
        assert not result["changed"], f"{case}: {result}"

    def check_changed(self, result: dict[str, Any], before: str, case: str) -> None:
        """Verify that `changed` is true only for a change, and that warnings and message do not contradict it."""
        doubts = [text for text in [*result.get("warnings", []), result.get("msg", "")] if UNKNOWN_EFFECT in text]
        assert not (doubts and result["changed"]), f"{case}: {doubts}"
        if result.get("failed") and result["changed"] and self.shows_changes_immediately:
            assert self.state() != before, f"{case}: {result['msg']}"

    @property
    def shows_changes_immediately(self) -> bool:
        """Return whether the state shows all changes immediately, without local files and background installations."""
        has_files = not isinstance(self.case, Resource) or self.case.secret_file or self.case.by_program
        return not has_files and self.module != "ci_plugin"
