# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an organization has other than it is declared to have, and what mends it."""

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

# What is declared, an entry each
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
class Finding:
    """One thing that is other than declared.

    :ivar kind: `projects`, `limits`, `users` or `keys`
    :ivar problem: `missing`, `undeclared`, `ambiguous`, `differs`, `above`, `below` or `too_old`
    :ivar name: of the project, user or key
    :ivar text: the finding as a sentence
    :ivar field: the member that differs
    :ivar remediation: the options of the module that mends it, or `None` when none can
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


class Declared:
    """What is declared of an organization; what is not given is not compared.

    :arg params: `projects`, `users` and `max_key_age_days`
    """

    def __init__(self, params: Fields) -> None:
        self.projects: list[Fields] | None = params["projects"]
        self.users: list[Fields] | None = params["users"]
        self.own_key: str | None = params["admin_key"]
        self.max_age: int | None = params["max_key_age_days"]
        _check_once("projects", [(_key(project), project[_key(project)]) for project in self.projects or ()])
        _check_once("users", [("email", user["email"].casefold()) for user in self.users or ()])
        for number, project in enumerate(self.projects or ()):
            rate_limits.parse_limits(project["limits"] or [], f"projects[{number}].limits")


def find_drift(admin: AdminClient, declared: Declared) -> list[dict[str, t.Any]]:
    """All findings, in the order in which they are mended."""
    found = projects.list_projects(admin) if _needs_projects(declared) else []
    findings: list[Finding] = []
    if declared.projects is not None:
        findings += _of_projects(declared.projects, found)
        for project in declared.projects:
            if project["state"] == "present" and project["limits"]:
                findings += _of_limits(admin, project, _named(found, project))
    if declared.users is not None:
        findings += _of_users(admin, declared.users, found)
    if declared.max_age is not None:
        findings += _of_keys(admin, declared, declared.max_age, found)
    return [dataclasses.asdict(finding) for finding in findings]


def _needs_projects(declared: Declared) -> bool:
    in_projects = any(user["projects"] is not None for user in declared.users or ())
    return declared.projects is not None or declared.max_age is not None or in_projects


def _check_once(option: str, names: list[tuple[str, str]]) -> None:
    seen: set[str] = set()
    for number, (key, name) in enumerate(names):
        if name in seen:
            raise BadOption(f"{option}[{number}].{key}", f"'{name}' is there already")
        seen.add(name)


def _named(found: list[Fields], declared: Fields) -> list[Fields]:
    """The projects that a declared one may be."""
    key = _key(declared)
    return [project for project in found if project[key] == declared[key]]


def _key(declared: Fields) -> str:
    return "name" if declared["id"] is None else "id"


def _of_projects(declared: list[Fields], found: list[Fields]) -> t.Iterator[Finding]:
    known = [projects.DEFAULT_PROJECT]
    for project in declared:
        theirs = _named(found, project)
        if project["state"] == "present":
            known += [one["id"] for one in theirs]
            yield from _of_project(project, theirs)
    for one in found:
        if one["id"] not in known and one["name"] not in known:
            yield Finding(
                "projects",
                "undeclared",
                one["name"],
                f"The project '{one['name']}' ({one['id']}) is not declared.",
                id=one["id"],
                remediation=_given({"name": one["name"], "id": one["id"], "state": "absent"}),
            )


def _of_project(declared: Fields, found: list[Fields]) -> t.Iterator[Finding]:
    name = declared["name"]
    mend = _given({key: declared[key] for key in ("name", "id", "external_key_id", "residency")})
    if not found:
        yield Finding("projects", "missing", name, f"There is no project '{name}'.", remediation=mend)
    elif len(found) > 1:
        text = f"{len(found)} projects have the name '{name}': declare which one by its id."
        yield Finding("projects", "ambiguous", name, text, current=[one["id"] for one in found])
    else:
        for what in ("name", "external_key_id"):
            if declared[what] is not None and declared[what] != found[0][what]:
                has, id_ = found[0][what], found[0]["id"]
                text = (
                    f"The project '{found[0]['name']}' has the {what} {_shown(has)}, but shall have '{declared[what]}'."
                )
                differing = {"field": what, "declared": declared[what], "current": has}
                yield Finding("projects", "differs", name, text, id=id_, **differing, remediation={**mend, "id": id_})


def _of_limits(admin: AdminClient, declared: Fields, found: list[Fields]) -> t.Iterator[Finding]:
    """A limit that the service does not have for a model is told as missing."""
    name = declared["name"]
    wanted = rate_limits.parse_limits(declared["limits"])
    entries = [{"model": model, **limits} for model, limits in wanted.items()]
    if not found:
        text = f"The limits of the project '{name}' are not set."
        yield Finding(
            "limits", "missing", name, text, project=name, remediation={"project_name": name, "limits": entries}
        )
    if len(found) != 1:
        return
    mend = {"project_id": found[0]["id"], "limits": entries}
    rows = rate_limits.fetch_project_limits(admin, found[0]["id"])
    for model, limits in wanted.items():
        for what, number in limits.items():
            has = rows.get(model, {}).get(what)
            if has != number:
                problem = "missing" if has is None else "above" if has > number else "below"
                text = f"The project '{name}' has {_shown(has)} as {what} of {model}, but shall have {number}."
                yield Finding(
                    *("limits", problem, model, text),
                    id=found[0]["id"],
                    project=name,
                    field=what,
                    declared=number,
                    current=has,
                    remediation=mend,
                )


def _of_users(admin: AdminClient, declared: list[Fields], found: list[Fields]) -> t.Iterator[Finding]:
    people = _people(admin, found if any(user["projects"] is not None for user in declared) else [])
    for user in declared:
        person = people.pop(user["email"].casefold(), None)
        if user["state"] == "absent":
            if person is not None:
                yield _undeclared(person)
        elif person is None:
            text = f"{user['email']} is neither in the organization nor invited."
            yield Finding("users", "missing", user["email"], text, remediation=_given(user))
        else:
            yield from _of_user(user, person, found)
    yield from map(_undeclared, people.values())


def _people(admin: AdminClient, of_projects: list[Fields]) -> dict[str, Fields]:
    """Users, and who has an invite that is pending, by e-mail address; each with the role in each of the projects."""
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


def _undeclared(person: Fields) -> Finding:
    email = person["email"]
    how = "invited into" if person.get("status") else "in"
    text = f"{email or person['id']} is {how} the organization as {person['role']}, but is not declared."
    mend = {"email": email, "state": "absent"} if email else None
    return Finding("users", "undeclared", email, text, id=person["id"], current=person["role"], remediation=mend)


def _of_user(declared: Fields, person: Fields, found: list[Fields]) -> t.Iterator[Finding]:
    differing = []
    if declared["role"] not in (None, person["role"]):
        has = person["role"]
        differing.append(("role", declared["role"], has, f"{has} in the organization, but shall be {declared['role']}"))
    if declared["projects"] is not None:
        names = {project["id"]: project["name"] for project in found}
        shall = {_id_of(project, found): project["role"] for project in declared["projects"]}
        if shall != person["roles"]:
            wanted, has = _roles(shall, names), _roles(person["roles"], names)
            differing.append(("projects", wanted, has, f"{has}, but shall be {wanted}"))
    for what, wanted, has, text in differing:
        yield Finding(
            *("users", "differs", declared["email"], f"{declared['email']} is {text}."),
            id=person["id"],
            field=what,
            declared=wanted,
            current=has,
            remediation=_given(declared),
        )


def _id_of(project: Fields, found: list[Fields]) -> str:
    """Its id, as far as there is one; else what it is declared by."""
    return next((one["id"] for one in found if one["name"] == project["name"]), project["id"] or project["name"])


def _of_keys(admin: AdminClient, declared: Declared, most: int, found: list[Fields]) -> t.Iterator[Finding]:
    """Admin keys can be revoked; keys of projects are of people and service accounts, who are to make others first."""
    keys = listings.list_admin_keys(admin)
    own = redacted_keys.find_key(declared.own_key, keys)
    # to revoke is by name
    kept = [key["name"] for key in keys if key is own or not _is_too_old(key, most)]
    for key in keys:
        mend = None if key["name"] in (None, *kept) else {"name": key["name"], "state": "absent"}
        yield from _of_key(key, most, remediation=mend)
    for project in found:
        for key in listings.list_project_keys(admin, project["id"]):
            yield from _of_key(key, most, project=project["name"])


def _of_key(
    key: Fields, most: int, *, project: str | None = None, remediation: Fields | None = None
) -> t.Iterator[Finding]:
    if not _is_too_old(key, most):
        return
    age, owner = key["age_days"], key["owner"]
    whose = owner["name"] or owner["email"] or owner["id"] or "an owner that is not told"
    what = f"admin key '{key['name']}'" if project is None else f"key '{key['name']}' of the project '{project}'"
    yield Finding(
        "keys",
        "too_old",
        key["name"],
        f"The {what} ({key['id']}, of {whose}) is {age} days old, which is more than {most}.",
        id=key["id"],
        project=project,
        field="age_days",
        declared=most,
        current=age,
        remediation=remediation,
    )


def _is_too_old(key: Fields, most: int) -> bool:
    """Return whether a key is known to be older than so many days."""
    return key["age_days"] is not None and key["age_days"] > most


def _given(entry: Fields) -> Fields:
    """An entry without what is not given."""
    given = {key: value for key, value in entry.items() if value is not None}
    if given.get("projects"):
        given["projects"] = [_given(project) for project in given["projects"]]
    return given


def _shown(value: t.Any) -> str:
    return "none" if value is None else f"'{value}'" if isinstance(value, str) else str(value)


def _roles(roles: dict[str, str], names: dict[str, str]) -> str:
    told = sorted(f"{role} of '{names.get(id_, id_)}'" for id_, role in roles.items())
    return ", ".join(told) or "in no project"
