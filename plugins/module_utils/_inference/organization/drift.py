# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare an OpenAI organization with its declared state and find the module options that remediate differences."""

from __future__ import annotations

import dataclasses
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization import (
    listings,
    projects,
    rate_limits,
    redacted_keys,
    users,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_client import (
    AdminClient,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import STATE
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

# Options for the declared items
PROJECT_OPTIONS = dict(
    type="list",
    elements="dict",
    options=dict(
        name=dict(type="str", required=True, **NAME),
        id=dict(type="str", **NAME),
        external_key_id=dict(type="str", **NAME),
        residency=dict(type="str", **NAME),
        limits=dict(type="list", elements="dict", options=rate_limits.MODEL_OPTIONS),
        **STATE.options,
    ),
)
USER_OPTIONS = dict(
    type="list",
    elements="dict",
    options=dict(
        email=dict(type="str", required=True, matches=users.EMAIL),
        role=dict(type="str", choices=list(users.ROLES)),
        projects=users.PROJECT_OPTIONS,
        **STATE.options,
    ),
)


@dataclasses.dataclass(frozen=True)
class Difference:
    """A difference between the current and the declared state.

    :ivar kind: `projects`, `limits`, `users` or `keys`
    :ivar problem: `missing`, `undeclared`, `ambiguous`, `differs`, `above`, `below` or `too_old`
    :ivar name: name of the project or key, email address of the user, or ID of the model
    :ivar text: the difference as a sentence
    :ivar field: the field that differs
    :ivar remediation: options of the module that remediates it, `None` if a decision is required
    """

    kind: str
    problem: str
    name: str | None
    text: str
    id: str | None = None
    project: str | None = None
    field: str | None = None
    declared: t.Any = None
    current: t.Any = None
    remediation: Fields | None = None


class Declaration:
    """The declared state of an organization. Options that are not set are not compared.

    :arg params: `projects`, `users` and `max_key_age_days`
    """

    def __init__(self, params: Fields) -> None:
        self.projects: list[Fields] | None = params["projects"]
        self.users: list[Fields] | None = params["users"]
        self.own_key: str | None = params["admin_key"]
        self.max_key_age: int | None = params["max_key_age_days"]
        _check_unique(
            "projects", [(_identifier(project), project[_identifier(project)]) for project in self.projects or ()]
        )
        _check_unique("users", [("email", user["email"].casefold()) for user in self.users or ()])
        for number, project in enumerate(self.projects or ()):
            rate_limits.parse_limits(project["limits"] or [], f"projects[{number}].limits")

    @property
    def requires_projects(self) -> bool:
        """Whether the comparison requires the list of projects."""
        has_user_projects = any(user["projects"] is not None for user in self.users or ())
        return self.projects is not None or self.max_key_age is not None or has_user_projects


def find_drift(admin: AdminClient, declared: Declaration) -> list[dict[str, t.Any]]:
    """Return all differences in the order in which they must be remediated."""
    current_projects = projects.list_projects(admin) if declared.requires_projects else []
    differences: list[Difference] = []
    if declared.projects is not None:
        differences += _compare_projects(declared.projects, current_projects)
        for project in declared.projects:
            if project["state"] == "present" and project["limits"]:
                differences += _compare_limits(admin, project, _find_matches(current_projects, project))
    if declared.users is not None:
        differences += _compare_users(admin, declared.users, current_projects)
    if declared.max_key_age is not None:
        differences += _compare_keys(admin, declared.own_key, declared.max_key_age, current_projects)
    return [dataclasses.asdict(difference) for difference in differences]


def _check_unique(option: str, names: list[tuple[str, str]]) -> None:
    seen: set[str] = set()
    for number, (field, name) in enumerate(names):
        if name in seen:
            raise BadOption(f"{option}[{number}].{field}", f"'{name}' is listed twice")
        seen.add(name)


def _identifier(declared: Fields) -> str:
    """Return the field that identifies a declared project."""
    return "name" if declared["id"] is None else "id"


def _find_matches(current: list[Fields], declared: Fields) -> list[Fields]:
    """Return the existing projects that match a declared one."""
    field = _identifier(declared)
    return [project for project in current if project[field] == declared[field]]


def _compare_projects(declared: list[Fields], current: list[Fields]) -> t.Iterator[Difference]:
    expected = [projects.DEFAULT_PROJECT]
    for project in declared:
        matches = _find_matches(current, project)
        if project["state"] == "present":
            expected += [match["id"] for match in matches]
            yield from _compare_project(project, matches)
    for project in current:
        if project["id"] not in expected and project["name"] not in expected:
            yield Difference(
                "projects",
                "undeclared",
                project["name"],
                f"Project '{project['name']}' ({project['id']}) is not declared.",
                id=project["id"],
                remediation=_drop_unset({"name": project["name"], "id": project["id"], "state": "absent"}),
            )


def _compare_project(declared: Fields, matches: list[Fields]) -> t.Iterator[Difference]:
    name = declared["name"]
    remediation = _drop_unset({field: declared[field] for field in ("name", "id", "external_key_id", "residency")})
    if not matches:
        yield Difference("projects", "missing", name, f"Project '{name}' does not exist.", remediation=remediation)
        return
    if len(matches) > 1:
        text = f"{len(matches)} projects have the name '{name}'. Declare the ID of one of them."
        yield Difference("projects", "ambiguous", name, text, current=[project["id"] for project in matches])
        return
    project = matches[0]
    for field in ("name", "external_key_id"):
        if declared[field] is not None and declared[field] != project[field]:
            value = _format_value(project[field])
            yield Difference(
                "projects",
                "differs",
                name,
                f"Project '{project['name']}': {field} is {value}, but '{declared[field]}' is declared.",
                id=project["id"],
                field=field,
                declared=declared[field],
                current=project[field],
                remediation={**remediation, "id": project["id"]},
            )


def _compare_limits(admin: AdminClient, declared: Fields, matches: list[Fields]) -> t.Iterator[Difference]:
    name = declared["name"]
    desired = rate_limits.parse_limits(declared["limits"])
    entries = [{"model": model, **limits} for model, limits in desired.items()]
    if not matches:
        text = f"The rate limits of project '{name}' are not set, because the project does not exist."
        remediation = {"project_name": name, "limits": entries}
        yield Difference("limits", "missing", name, text, project=name, remediation=remediation)
    if len(matches) != 1:
        return
    id_ = matches[0]["id"]
    rows = rate_limits.fetch_project_limits(admin, id_)
    for model, limits in desired.items():
        for field, value in limits.items():
            current = rows.get(model, {}).get(field)
            if current != value:
                yield Difference(
                    "limits",
                    "missing" if current is None else "above" if current > value else "below",
                    model,
                    f"Project '{name}': {field} of {model} is {_format_value(current)}, but {value} is declared.",
                    id=id_,
                    project=name,
                    field=field,
                    declared=value,
                    current=current,
                    remediation={"project_id": id_, "limits": entries},
                )


def _compare_users(
    admin: AdminClient, declared: list[Fields], current_projects: list[Fields]
) -> t.Iterator[Difference]:
    has_projects = any(user["projects"] is not None for user in declared)
    current = _fetch_users(admin, current_projects if has_projects else [])
    for user in declared:
        person = current.pop(user["email"].casefold(), None)
        if user["state"] == "absent":
            if person is not None:
                yield _report_undeclared(person)
        elif person is None:
            text = f"User {user['email']} does not exist and has no pending invitation."
            yield Difference("users", "missing", user["email"], text, remediation=_drop_unset(user))
        else:
            yield from _compare_user(user, person, current_projects)
    yield from map(_report_undeclared, current.values())


def _fetch_users(admin: AdminClient, of_projects: list[Fields]) -> dict[str, Fields]:
    """Return users and pending invitations by email address, each with `roles` by the ID of the project."""
    people: dict[str, Fields] = {}
    for invite in listings.list_invites(admin):
        if invite["status"] == "pending":
            roles = {project["id"]: project["role"] for project in invite["projects"] or ()}
            people[invite["email"].casefold()] = {**invite, "roles": roles}
    for user in listings.list_users(admin):
        people[(user["email"] or user["id"]).casefold()] = {**user, "roles": {}}
    by_id = {person["id"]: person for person in people.values()}
    for project in of_projects:
        for user in listings.list_users(admin, project["id"]):
            if user["id"] in by_id:
                by_id[user["id"]]["roles"][project["id"]] = user["role"]
    return people


def _report_undeclared(person: Fields) -> Difference:
    email, role = person["email"], person["role"]
    kind = "Invitation for" if person.get("status") else "User"
    text = f"{kind} {email or person['id']} with the role {role} is not declared."
    remediation = {"email": email, "state": "absent"} if email else None
    return Difference("users", "undeclared", email, text, id=person["id"], current=role, remediation=remediation)


def _compare_user(declared: Fields, person: Fields, current_projects: list[Fields]) -> t.Iterator[Difference]:
    changes = []
    if declared["role"] not in (None, person["role"]):
        changes.append(("role", "Role", declared["role"], person["role"]))
    if declared["projects"] is not None:
        names = {project["id"]: project["name"] for project in current_projects}
        roles = {_find_project_id(project, current_projects): project["role"] for project in declared["projects"]}
        if roles != person["roles"]:
            current = _format_roles(person["roles"], names)
            changes.append(("projects", "Project roles", _format_roles(roles, names), current))
    for field, title, value, current in changes:
        yield Difference(
            "users",
            "differs",
            declared["email"],
            f"{title} of {declared['email']}: {current}. Declared: {value}.",
            id=person["id"],
            field=field,
            declared=value,
            current=current,
            remediation=_drop_unset(declared),
        )


def _find_project_id(project: Fields, current: list[Fields]) -> str:
    """Return the ID of a declared project, its name if it does not exist."""
    return next(
        (match["id"] for match in current if match["name"] == project["name"]), project["id"] or project["name"]
    )


def _compare_keys(
    admin: AdminClient, own_key: str | None, max_age: int, current_projects: list[Fields]
) -> t.Iterator[Difference]:
    """Report old keys. Project keys have no remediation, because their owners must create new keys first."""
    keys = listings.list_admin_keys(admin)
    own = redacted_keys.find_key(own_key, keys)
    # inference_admin_key revokes all keys with a name, so names with another key are excluded
    protected = [key["name"] for key in keys if key is own or not _is_too_old(key, max_age)]
    for key in keys:
        remediation = None if key["name"] in (None, *protected) else {"name": key["name"], "state": "absent"}
        yield from _compare_key(key, max_age, remediation=remediation)
    for project in current_projects:
        for key in listings.list_project_keys(admin, project["id"]):
            yield from _compare_key(key, max_age, project=project["name"])


def _compare_key(
    key: Fields, max_age: int, *, project: str | None = None, remediation: Fields | None = None
) -> t.Iterator[Difference]:
    if not _is_too_old(key, max_age):
        return
    age, owner = key["age_days"], key["owner"]
    owner_name = owner["name"] or owner["email"] or owner["id"] or "unknown"
    title = f"Admin key '{key['name']}'" if project is None else f"API key '{key['name']}' of project '{project}'"
    yield Difference(
        "keys",
        "too_old",
        key["name"],
        f"{title} ({key['id']}, owner: {owner_name}) is {age} days old, but the maximum is {max_age}.",
        id=key["id"],
        project=project,
        field="age_days",
        declared=max_age,
        current=age,
        remediation=remediation,
    )


def _is_too_old(key: Fields, max_age: int) -> bool:
    """Return whether a key is older than `max_age` days. A key of unknown age is not."""
    return key["age_days"] is not None and key["age_days"] > max_age


def _drop_unset(entry: Fields) -> Fields:
    """Return an entry without options that are not set."""
    options = {name: value for name, value in entry.items() if value is not None}
    if options.get("projects"):
        options["projects"] = [_drop_unset(project) for project in options["projects"]]
    return options


def _format_value(value: t.Any) -> str:
    return "not set" if value is None else f"'{value}'" if isinstance(value, str) else str(value)


def _format_roles(roles: dict[str, str], names: dict[str, str]) -> str:
    return ", ".join(sorted(f"{role} of '{names.get(id_, id_)}'" for id_, role in roles.items())) or "none"
