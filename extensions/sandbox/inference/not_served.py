# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls that the real API has and the sandbox does not serve: 501, after authentication."""

from __future__ import annotations

from starlette.responses import Response

from ..http.routing import ANY, Route
from .call import Call
from .protocol.errors import ApiError
from .protocol.json_bodies import public_path

# method, path, label, scope
CALLS = """
POST   /v1/completions                                      legacy_completion          model.request
POST   /v1/embeddings                                       embeddings                 model.request
POST   /v1/moderations                                      moderations                model.request
POST   /v1/responses                                        create_response            api.responses.write
POST   /v1/responses/input_tokens                           count_input_tokens         api.responses.write
POST   /v1/responses/compact                                compact_response           api.responses.write
GET    /v1/responses/{id}                                   retrieve_response          api.responses.read
DELETE /v1/responses/{id}                                   delete_response            api.responses.write
POST   /v1/responses/{id}/cancel                            cancel_response            api.responses.write
GET    /v1/responses/{id}/input_items                       list_input_items           api.responses.read
GET    /v1/files                                            list_files                 api.files.read
POST   /v1/files                                            create_file                api.files.write
GET    /v1/files/{id}                                       retrieve_file              api.files.read
DELETE /v1/files/{id}                                       delete_file                api.files.write
GET    /v1/files/{id}/content                               file_content               api.files.read
GET    /v1/batches                                          list_batches               api.batch.read
POST   /v1/batches                                          create_batch               api.batch.write
GET    /v1/batches/{id}                                     retrieve_batch             api.batch.read
POST   /v1/batches/{id}/cancel                              cancel_batch               api.batch.write
GET    /v1/fine_tuning/jobs                                 list_tuning_jobs           api.fine_tuning.jobs.read
POST   /v1/fine_tuning/jobs                                 create_tuning_job          api.fine_tuning.jobs.write
GET    /v1/fine_tuning/jobs/{id}                            retrieve_tuning_job        api.fine_tuning.jobs.read
POST   /v1/fine_tuning/jobs/{id}/cancel                     cancel_tuning_job          api.fine_tuning.jobs.write
POST   /v1/fine_tuning/jobs/{id}/pause                      pause_tuning_job           api.fine_tuning.jobs.write
POST   /v1/fine_tuning/jobs/{id}/resume                     resume_tuning_job          api.fine_tuning.jobs.write
GET    /v1/fine_tuning/jobs/{id}/events                     list_tuning_events         api.fine_tuning.jobs.read
GET    /v1/fine_tuning/jobs/{id}/checkpoints                list_tuning_checkpoints    api.fine_tuning.jobs.read
POST   /v1/organization/certificates/activate               activate_certificates      api.management.write
POST   /v1/organization/certificates/deactivate             deactivate_certificates    api.management.write
POST   /v1/organization/projects/{p}/api_keys/{id}          update_project_key         api.management.write
GET    /v1/organization/audit_logs                          audit_logs                 api.audit_logs.read
"""

# All calls below these paths
FAMILIES = (
    "agents",
    "assistants",
    "audio",
    "chatkit",
    "containers",
    "content_provenance_checks",
    "conversations",
    "decisions",
    "evals",
    "fine_tuning/alpha/graders",
    "fine_tuning/checkpoints",
    "images",
    "live",
    "realtime",
    "safety",
    "skills",
    "threads",
    "uploads",
    "vaults",
    "vector_stores",
    "videos",
    "webhook_endpoints",
    "webhook_event_types",
)

# All administrative calls below these paths of the organization and of a project
ORGANIZATION_FAMILIES = (
    "external_keys",
    "external_storage",
    "workload_identity_providers",
)
PROJECT_FAMILIES = (
    "certificates",
    "service_tier_settings",
)


async def refuse_not_served(call: Call, **_parts: str) -> Response:
    """Refuse any of these calls."""
    message = f"The sandbox does not serve this call yet: {call.request.method} {public_path(call.request)}"
    raise ApiError(501, message, type="not_implemented", code="not_implemented")


def _build_route(line: str) -> Route:
    method, path, label, scope = line.split()
    return Route(method, path, refuse_not_served, label, scope=scope)


def _build_family_route(path: str, scope: str) -> Route:
    return Route(ANY, f"/v1/{path}{{:(/.+)?}}", refuse_not_served, path.rpartition("/")[2], scope=scope)


ROUTES = (
    *map(_build_route, CALLS.strip().splitlines()),
    *(_build_family_route(name, "model.request") for name in FAMILIES),
    *(_build_family_route(f"organization/{name}", "api.management.read") for name in ORGANIZATION_FAMILIES),
    *(_build_family_route(f"organization/projects/{{p}}/{name}", "api.management.read") for name in PROJECT_FAMILIES),
)
