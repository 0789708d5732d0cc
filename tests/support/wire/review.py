# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A minimal Klocwork client."""

from __future__ import annotations

import json
from typing import Any

import requests

FORM = "application/x-www-form-urlencoded;charset=UTF-8"
LTOKENS = {
    "admin": "ad00000000000000000000000000000000000000000000000000000000000001",
    "alice": "a11ce00000000000000000000000000000000000000000000000000000000002",
    "bob": "b0b0000000000000000000000000000000000000000000000000000000000003",
}
ACTIONS_OF_THE_INTERFACE = """
    builds create_group create_module create_role create_user create_view defect_types delete_build delete_group
    delete_module delete_project delete_role delete_user delete_view fchurns groups import_project
    import_server_configuration import_status issue_details license_count metrics modules project_configuration
    projects report role_assignments roles search task_status taxonomies update_build update_defect_type update_group
    update_module update_project update_role_assignment update_role_permissions update_status update_view users
    version views
"""
ALL_ACTIONS = ACTIONS_OF_THE_INTERFACE.split()


class Api:
    """A client that sends form fields and returns responses."""

    def __init__(self, sandbox: Any) -> None:
        self.url = f"{sandbox.url}/analysis/review/api"
        self.user = "admin"

    def post(self, action: str, **fields: str) -> requests.Response:
        common = {"action": action, "user": self.user, "ltoken": LTOKENS.get(self.user, "")}
        return requests.post(self.url, data={**common, **fields}, headers={"Content-Type": FORM}, timeout=60)

    def records(self, action: str, **fields: str) -> list[Any]:
        answer = self.post(action, **fields)
        assert answer.status_code == 200, answer.text
        assert answer.text == "" or answer.text.endswith("\n")
        return [json.loads(line) for line in answer.text.splitlines()]

    def write(self, action: str, **fields: str) -> None:
        answer = self.post(action, **fields)
        assert (answer.status_code, answer.content) == (200, b"")

    def expect_error(self, action: str, **fields: str) -> tuple[int, str]:
        answer = self.post(action, **fields)
        assert answer.text.endswith("}\n")
        assert answer.text.count("\n") == 1
        body = json.loads(answer.text)
        assert set(body) == {"status", "message"}
        assert body["status"] == answer.status_code
        return body["status"], body["message"]
