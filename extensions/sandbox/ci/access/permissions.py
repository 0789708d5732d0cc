# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Permissions and their implications."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Permission:
    """A permission. The permission that implies it includes it."""

    id: str
    title: str
    implied_by: Permission | None

    def implications(self) -> Iterator[Permission]:
        """The permissions that imply this one, nearest first."""
        permission = self.implied_by
        while permission:
            yield permission
            permission = permission.implied_by


def _generic(name: str, implied_by: Permission) -> Permission:
    return Permission(f"hudson.security.Permission.Generic{name}", f"N/A/{name}", implied_by)


ADMINISTER = Permission("hudson.model.Hudson.Administer", "Overall/Administer", None)
_READ = _generic("Read", ADMINISTER)
_WRITE = _generic("Write", ADMINISTER)
_CREATE = _generic("Create", _WRITE)
_DELETE = _generic("Delete", _WRITE)
_UPDATE = _generic("Update", _WRITE)
_CONFIGURE = _generic("Configure", _UPDATE)

MANAGE = Permission("hudson.model.Hudson.Manage", "Overall/Manage", ADMINISTER)
READ = Permission("hudson.model.Hudson.Read", "Overall/Read", _READ)
JOB_READ = Permission("hudson.model.Item.Read", "Job/Read", _READ)
JOB_DISCOVER = Permission("hudson.model.Item.Discover", "Job/Discover", JOB_READ)
JOB_BUILD = Permission("hudson.model.Item.Build", "Job/Build", _UPDATE)
JOB_CANCEL = Permission("hudson.model.Item.Cancel", "Job/Cancel", _UPDATE)
JOB_CREATE = Permission("hudson.model.Item.Create", "Job/Create", _CREATE)
JOB_DELETE = Permission("hudson.model.Item.Delete", "Job/Delete", _DELETE)
JOB_MOVE = Permission("hudson.model.Item.Move", "Job/Move", _CREATE)
JOB_CONFIGURE = Permission("hudson.model.Item.Configure", "Job/Configure", _CONFIGURE)
JOB_WORKSPACE = Permission("hudson.model.Item.Workspace", "Job/Workspace", _READ)
SYSTEM_READ = Permission("hudson.model.Hudson.SystemRead", "Overall/SystemRead", ADMINISTER)
AGENT_CONNECT = Permission("hudson.model.Computer.Connect", "Agent/Connect", ADMINISTER)
AGENT_CREATE = Permission("hudson.model.Computer.Create", "Agent/Create", ADMINISTER)
AGENT_CONFIGURE = Permission("hudson.model.Computer.Configure", "Agent/Configure", ADMINISTER)
AGENT_DELETE = Permission("hudson.model.Computer.Delete", "Agent/Delete", ADMINISTER)
AGENT_DISCONNECT = Permission("hudson.model.Computer.Disconnect", "Agent/Disconnect", ADMINISTER)
VIEW_READ = Permission("hudson.model.View.Read", "View/Read", _READ)
VIEW_CREATE = Permission("hudson.model.View.Create", "View/Create", _CREATE)
VIEW_CONFIGURE = Permission("hudson.model.View.Configure", "View/Configure", _CONFIGURE)
VIEW_DELETE = Permission("hudson.model.View.Delete", "View/Delete", _DELETE)
BUILD_UPDATE = Permission("hudson.model.Run.Update", "Run/Update", _UPDATE)
BUILD_DELETE = Permission("hudson.model.Run.Delete", "Run/Delete", _DELETE)
_LOCKABLE = "org.jenkins.plugins.lockableresources.LockableResourcesManager"
LOCKABLE_VIEW = Permission(f"{_LOCKABLE}.View", "Lockable Resources/View", READ)
LOCKABLE_RESERVE = Permission(f"{_LOCKABLE}.Reserve", "Lockable Resources/Reserve", ADMINISTER)
LOCKABLE_STEAL = Permission(f"{_LOCKABLE}.Steal", "Lockable Resources/Steal", ADMINISTER)
LOCKABLE_UNLOCK = Permission(f"{_LOCKABLE}.Unlock", "Lockable Resources/Unlock", ADMINISTER)
_CREDENTIALS = "com.cloudbees.plugins.credentials.CredentialsProvider."
CREDENTIALS_VIEW = Permission(_CREDENTIALS + "View", "Credentials/View", _READ)
CREDENTIALS_CREATE = Permission(_CREDENTIALS + "Create", "Credentials/Create", _CREATE)
CREDENTIALS_UPDATE = Permission(_CREDENTIALS + "Update", "Credentials/Update", _UPDATE)
CREDENTIALS_DELETE = Permission(_CREDENTIALS + "Delete", "Credentials/Delete", _DELETE)
CREDENTIALS_MANAGE_DOMAINS = Permission(_CREDENTIALS + "ManageDomains", "Credentials/ManageDomains", _CONFIGURE)
# Known to Jenkins, but without an effect in the sandbox
OTHERS = (
    Permission("hudson.model.Hudson.RunScripts", "Overall/RunScripts", ADMINISTER),
    Permission("hudson.model.Hudson.UploadPlugins", "Overall/UploadPlugins", ADMINISTER),
    Permission("hudson.model.Hudson.ConfigureUpdateCenter", "Overall/ConfigureUpdateCenter", ADMINISTER),
    Permission("hudson.model.Computer.Build", "Agent/Build", ADMINISTER),
    Permission("hudson.model.Computer.ExtendedRead", "Agent/ExtendedRead", ADMINISTER),
    Permission("hudson.model.Computer.Provision", "Agent/Provision", ADMINISTER),
    Permission("hudson.model.Item.ExtendedRead", "Job/ExtendedRead", ADMINISTER),
    Permission("hudson.model.Item.WipeOut", "Job/WipeOut", ADMINISTER),
    Permission("hudson.model.Run.Artifacts", "Run/Artifacts", ADMINISTER),
    Permission("hudson.model.Run.Replay", "Run/Replay", JOB_CONFIGURE),
    Permission("hudson.scm.SCM.Tag", "SCM/Tag", _CREATE),
)

BY_TITLE = {
    permission.title: permission
    for permission in (
        ADMINISTER,
        MANAGE,
        READ,
        JOB_READ,
        JOB_DISCOVER,
        JOB_BUILD,
        JOB_CANCEL,
        JOB_CREATE,
        JOB_DELETE,
        JOB_CONFIGURE,
        JOB_MOVE,
        JOB_WORKSPACE,
        SYSTEM_READ,
        AGENT_CONNECT,
        AGENT_CREATE,
        AGENT_CONFIGURE,
        AGENT_DELETE,
        AGENT_DISCONNECT,
        VIEW_READ,
        VIEW_CREATE,
        VIEW_CONFIGURE,
        VIEW_DELETE,
        BUILD_UPDATE,
        BUILD_DELETE,
        LOCKABLE_VIEW,
        LOCKABLE_RESERVE,
        LOCKABLE_STEAL,
        LOCKABLE_UNLOCK,
        CREDENTIALS_VIEW,
        CREDENTIALS_CREATE,
        CREDENTIALS_UPDATE,
        CREDENTIALS_DELETE,
        CREDENTIALS_MANAGE_DOMAINS,
        *OTHERS,
    )
}
BY_ID = {permission.id: permission for permission in BY_TITLE.values()}
