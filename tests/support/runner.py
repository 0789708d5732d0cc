# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Private data directories of ansible-runner."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

# A directory contains its own playbook, like the projects of AWX.
PROVISION = [{"name": "Provision", "import_playbook": "buildworks.toolchain.provision"}]


class RunnerFolder:
    """A private data directory: a playbook, an inventory, extra variables, and the artifacts of each run."""

    def __init__(self, folder: Path, playbook: Any, inventory: dict[str, Any], **extra_variables: Any) -> None:
        self.path = folder
        for name, content in (
            ("project/play.yml", playbook),
            ("inventory/hosts.yml", inventory),
            ("env/extravars", extra_variables),
        ):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True))

    def artifacts(self, ident: str) -> Path:
        return self.path / "artifacts" / ident

    def read(self, ident: str, artifact: str) -> str:
        return (self.artifacts(ident) / artifact).read_text()

    def events(self, ident: str, kind: str) -> list[dict[str, Any]]:
        """Return the events of a type, in order."""
        files = (self.artifacts(ident) / "job_events").glob("*.json")
        events = [json.loads(file.read_text()) for file in files]
        return sorted((event for event in events if event["event"] == kind), key=lambda event: event["counter"])

    def everything(self, ident: str) -> str:
        """Return the contents of all artifact files."""
        return "".join(file.read_text() for file in self.artifacts(ident).rglob("*") if file.is_file())
