# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Information about the server and its background tasks, as 4.4.2 and 5.4.6 return it, and refused folder downloads.

The sandbox does not know what later versions return.
"""

from __future__ import annotations

import hashlib
import uuid

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.json_response import json_response
from ..protocol.versions import build_revision
from .unimplemented import not_implemented_error

ARCHIVE_TYPES = ("zip", "tar", "tar.gz", "tgz")
_HEAP, _OTHER_MEMORY = 252523520, 140950472
_HEAP_MAXIMUM, _OTHER_MAXIMUM = 1572864000, 144769024
_CORES = 2
# Classes of the jobs below `org.artifactory`, and their descriptions
_JOBS = {
    "repo.cleanup.VirtualCacheCleanupJob": "Virtual Repositories Cache Cleanup",
    "storage.jobs.StatsDelegatingServiceFlushJob": "Download Statistics Flushing Delegator",
    "storage.binstore.service.BinaryStoreGarbageCollectorJob": "Binaries Garbage Collector",
    "security.jobs.PasswordExpireNotificationJob": "Password expire notification job",
    "post.jobs.CallHomeJob": "Artifactory Version Checker",
    "search.archive.ArchiveIndexerImpl$ArchiveIndexJob": "Archive Files Indexer",
    "storage.db.servers.service.ArtifactoryHeartbeatServiceImpl$HeartbeatJob": "Database Heartbeat",
    "repo.cleanup.ArtifactCleanupJob": "Remote Repositories Cached Artifacts Cleanup",
    "storage.jobs.StatsPersistingServiceFlushJob": "Download Statistics Flushing",
    "security.jobs.CredentialsWatchJob": "Credentials watch job",
    "repo.cleanup.FolderPruningJob": "Empty Folders Pruning Job",
    "repo.cleanup.IntegrationCleanupJob": "Integration/Snapshot Versions Cleanup",
}
_NEW_JOBS = {
    "storage.binary.BinaryStoreManagerServiceImpl$BinaryStoreErrorNotificationJob": "binary store error notification",
}
_BACKUP_JOB = "backup.BackupJob"


async def dump_information(call: Call) -> Response:
    """Handle `GET /api/system`."""
    _begin(call)
    version = call.get_switch("version")
    sections: dict[str, dict[str, object]] = {
        "User Info": {"user.dir": "/opt/artifactory", "user.home": "/root", "user.language": "en", "user.name": "root"},
        "Host Info": {
            "Available Processors": _CORES,
            "Heap Memory Usage-Max": _HEAP_MAXIMUM,
            "Heap Memory Usage-Used": _HEAP,
            "Non-Heap Memory Usage-Max": -1,
            "Non-Heap Memory Usage-Used": _OTHER_MEMORY,
            "os.arch": "amd64",
            "os.name": "Linux",
        },
        "Artifactory Info": {"artifactory.version": version, "artifactory.revision": build_revision(version)},
        "Java System Info": {"java.home": "/usr/lib/jvm/java", "java.io.tmpdir": "/tmp"},
        "Java Class Path Info": {},
    }
    text = "\n\n SYSTEM INFORMATION DUMP\n =======================\n"
    for title, values in sections.items():
        lines = "".join(f"   {name:<70}| {value}\n" for name, value in values.items())
        text += f"\n {title}\n ========================\n{lines}\n"
    return PlainTextResponse(text, headers={"Content-Type": "text/plain"})


async def get_information(call: Call) -> Response:
    """Handle `GET /api/system/info`."""
    _begin(call)
    return json_response(
        {
            "committedVirtualMemorySize": 4391370752,
            "totalSwapSpaceSize": 0,
            "freeSwapSpaceSize": 0,
            "processCpuTime": 75070000000,
            "totalPhysicalMemorySize": 0,
            "openFileDescriptorCount": 162,
            "maxFileDescriptorCount": 20000,
            "processCpuLoad": 0.0,
            "systemCpuLoad": 0.0,
            "freePhysicalMemorySize": 0,
            "numberOfCores": _CORES,
            "heapMemoryUsage": _HEAP,
            "noneHeapMemoryUsage": _OTHER_MEMORY,
            "threadCount": 60,
            "noneHeapMemoryMax": _OTHER_MAXIMUM,
            "heapMemoryMax": _HEAP_MAXIMUM,
            "jvmUpTime": 1375591,
        }
    )


async def list_tasks(call: Call) -> Response:
    """Handle `GET /api/tasks`."""
    _begin(call)
    jobs = {**_JOBS, **(_NEW_JOBS if call.supports(feature_versions.BINARY_STORE_NOTIFICATIONS) else {})}
    backups = call.configuration.load_section("backups") or {}
    tasks = list(jobs.items())
    tasks += [(_BACKUP_JOB, f"Backup - {key}") for key, backup in backups.items() if backup.get("enabled", True)]
    return json_response({"tasks": [_describe_task(job, description) for job, description in tasks]})


async def download_folder(call: Call) -> Response:
    """Handle `GET /api/archive/download/{repo}/{path}`, up to the refusals that precede the archive."""
    call.require_login()
    archive_type = call.query.get("archiveType")
    if str(archive_type).lower() not in ARCHIVE_TYPES:
        types = ",".join(f"'{name}'" for name in ARCHIVE_TYPES)
        sent = "null" if archive_type is None else archive_type
        raise ArtifactError(400, f"Archive type parameter must be one of: {types}. You sent: {sent}")
    call.require_pro()
    raise not_implemented_error(call)


def _begin(call: Call) -> None:
    """Identify the administrator, or fail if the version is not recorded."""
    call.require_admin()
    if not call.supports(feature_versions.SYSTEM_INFORMATION):
        raise not_implemented_error(call)


def _describe_task(job: str, description: str) -> dict[str, str]:
    name = job.replace("$", ".").rpartition(".")[2]
    number = uuid.UUID(hashlib.md5(f"{job} {description}".encode(), usedforsecurity=False).hexdigest())
    return {
        "id": f"artifactory.{name}#{number}",
        "type": f"org.artifactory.{job}",
        "state": "scheduled",
        "description": description,
    }


ROUTES = (
    Route("GET", "/api/system", dump_information, "system_information"),
    Route("GET", "/api/system/info", get_information, "system_information"),
    Route("GET", "/api/tasks", list_tasks, "background_tasks"),
    Route("GET", "/api/archive/download/{:.+}", download_folder, "download_folder"),
)
