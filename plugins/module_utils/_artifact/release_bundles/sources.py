# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The sources of release bundles: options, requests, and comparison with the contents of existing release bundles.

Sources have the names and forms of the options, with all defaults and sorted.
"""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.images import registry
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.search.aql_text import check_read_only
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, join_names
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

SOURCES = ("artifacts", "aql", "builds", "release_bundles")
DEFAULT_PROJECT = "default"
_BUILD_REPOSITORY = "build-info"
_MANIFEST_LIST = "list.manifest.json"

_NOUNS = {"artifacts": "artifacts", "builds": "builds", "release_bundles": "release bundles"}
# Names of required suboptions
_REQUIRED = {"artifacts": ("path",), "builds": ("name", "number"), "release_bundles": ("name", "version")}

Entry = dict[str, t.Any]


def check(params: Fields) -> None:
    """Validate the options of one release bundle.

    :raises BadOption: if they contradict each other
    """
    if params["project"] == DEFAULT_PROJECT:
        raise BadOption("project", f"must not be '{DEFAULT_PROJECT}'. Omit it for global release bundles")
    if params["environment"] is not None:
        if params["state"] == "absent":
            raise BadOption("environment", "must not be set with 'state: absent'")
        if not params["wait"]:
            raise BadOption("wait", "must be true with 'environment'. Only complete release bundles are promoted")
    parse_options(params)


def parse_options(params: Fields) -> Fields:
    """Return the declared source, or an empty dictionary if none is declared.

    :raises BadOption: if an entry is incomplete or listed twice, or the query does not only read
    """
    for option, names in _REQUIRED.items():
        for number, entry in enumerate(params[option] or ()):
            if missing := [name for name in names if entry[name] is None]:
                raise BadOption(f"{option}[{number}].{missing[0]}", "is required")
    if params["artifacts"] is not None:
        return {"artifacts": _sort_unique("artifacts", map(_parse_artifact, params["artifacts"]), ("path",))}
    if params["aql"] is not None:
        check_read_only("aql", params["aql"].strip())
        return {"aql": params["aql"].strip()}
    if params["builds"] is not None:
        builds = [_parse_build(params, build) for build in params["builds"]]
        return {"builds": _sort_unique("builds", builds, ("repository", "name", "number"))}
    if params["release_bundles"] is not None:
        bundles = [
            {
                "name": bundle["name"],
                "version": bundle["version"],
                "project": normalize_project(bundle["project"] or params["project"]),
            }
            for bundle in params["release_bundles"]
        ]
        return {"release_bundles": _sort_unique("release_bundles", bundles, ("project", "name", "version"))}
    return {}


def to_request(source: Fields) -> Fields:
    """Return the members of a request to create a release bundle of a source."""
    ((kind, value),) = source.items()
    convert: dict[str, t.Callable[[Entry], Entry]] = {
        "artifacts": dict,
        "builds": lambda build: {
            "build_name": build["name"],
            "build_number": build["number"],
            "build_repository": build["repository"],
            "include_dependencies": build["include_dependencies"],
        },
        "release_bundles": lambda bundle: {
            "release_bundle_name": bundle["name"],
            "release_bundle_version": bundle["version"],
            "project_key": bundle["project"] or DEFAULT_PROJECT,
        },
    }
    return {"source_type": kind, "source": {kind: value if kind == "aql" else [convert[kind](one) for one in value]}}


def read_source(declared: Fields, contents: Record, skips_layers: bool) -> Fields:
    """Return the source of an existing release bundle in the form of the declared one.

    What the server does not return is returned as declared, because it cannot be compared.

    :arg skips_layers: whether the layers of images are not part of the release bundle
    """
    if "artifacts" in declared:
        return {"artifacts": _read_artifacts(declared["artifacts"], contents, skips_layers)}
    source = contents.maybe_record("source")
    if not declared or not source or not any(source.get(kind) for kind in SOURCES):
        return declared
    if "aql" in declared:
        return {"aql": (source.maybe_text("aql") or "").strip()}
    if "builds" in declared:
        builds = [_read_build(record, declared["builds"]) for record in source.maybe_records("builds")]
        return {"builds": sorted(builds, key=_sort_key)}
    bundles = [_read_bundle(record, declared["release_bundles"]) for record in source.maybe_records("release_bundles")]
    return {"release_bundles": sorted(bundles, key=_sort_key)}


def list_artifacts(contents: Record) -> list[Entry]:
    """Return the artifacts of a release bundle in the form of the option, sorted."""
    return sorted(map(_read_artifact, contents.maybe_records("artifacts")), key=_sort_key)


def explain_difference(declared: Fields, existing: Fields) -> str:
    """Return how an existing source differs from the declared one."""
    ((kind, value),) = declared.items()
    if kind == "aql":
        return "it was created with another AQL query" if existing["aql"] else "it was not created with an AQL query"
    missing, surplus = (
        [_name_entry(kind, entry) for entry in entries if entry not in others]
        for entries, others in ((value, existing[kind]), (existing[kind], value))
    )
    texts = []
    if missing:
        texts.append(f"these {_NOUNS[kind]} are not part of it: {join_names(missing)}")
    if surplus:
        texts.append(f"these {_NOUNS[kind]} are only in the existing one: {join_names(surplus)}")
    return "; ".join(texts)


def normalize_project(key: str | None) -> str:
    """Return the key of a project, empty if there is none."""
    return "" if key in (None, DEFAULT_PROJECT) else str(key)


def _name_entry(kind: str, entry: Entry) -> str:
    if kind == "artifacts":
        return f"{entry['path']} (SHA-256 {entry['sha256']})" if "sha256" in entry else entry["path"]
    return f"{entry['name']}/{entry['number' if kind == 'builds' else 'version']}"


def _parse_artifact(artifact: Entry) -> Entry:
    sha256 = artifact["sha256"]
    return {"path": artifact["path"], **({"sha256": sha256.lower()} if sha256 else {})}


def _parse_build(params: Fields, build: Entry) -> Entry:
    project = params["project"]
    return {
        "name": build["name"],
        "number": build["number"],
        "repository": build["repository"] or f"{project or 'artifactory'}-{_BUILD_REPOSITORY}",
        "include_dependencies": bool(build["include_dependencies"]),
    }


def _read_artifacts(declared: list[Entry], contents: Record, skips_layers: bool) -> list[Entry]:
    """Return the artifacts, with checksums only where the declared ones have them, and without layers of images."""
    by_path = {artifact["path"]: artifact for artifact in declared}
    manifests = [path for path in by_path if path.rpartition("/")[2] in registry.MANIFEST_FILES]
    artifacts = []
    for record in contents.maybe_records("artifacts"):
        artifact = _read_artifact(record)
        one = by_path.get(artifact["path"])
        is_of_image = not skips_layers and record.maybe_text("package_type") in registry.PACKAGE_TYPES
        if one is None and is_of_image and _is_added(artifact["path"], manifests):
            continue
        artifacts.append({"path": artifact["path"]} if one is not None and "sha256" not in one else artifact)
    return sorted(artifacts, key=_sort_key)


def _is_added(path: str, manifests: list[str]) -> bool:
    """Return whether the server adds a file of an image to a release bundle with these manifests.

    It adds layers, and with a manifest list the manifests of the platforms, but no manifests of other images.
    """
    folder, _slash, name = path.rpartition("/")
    if name not in registry.MANIFEST_FILES:
        return bool(manifests)
    image, _slash, tag = folder.rpartition("/")
    images = [manifest.rsplit("/", 2)[0] for manifest in manifests if manifest.endswith(f"/{_MANIFEST_LIST}")]
    return tag.startswith(registry.DIGESTS) and image in images


def _read_artifact(record: Record) -> Entry:
    return {
        "path": f"{record.text('source_repository_key')}/{record.text('path')}",
        "sha256": record.text("checksum").lower(),
    }


def _read_build(record: Record, declared: list[Entry]) -> Entry:
    build = {
        "name": record.text("build_name"),
        "number": record.text("build_number"),
        "repository": record.maybe_text("build_repository"),
        "include_dependencies": bool(record.maybe_flag("include_dependencies")),
    }
    return _complete(build, declared, ("name", "number"), {"repository": f"artifactory-{_BUILD_REPOSITORY}"})


def _read_bundle(record: Record, declared: list[Entry]) -> Entry:
    project = record.maybe_text("project_key")
    bundle = {
        "name": record.text("release_bundle_name"),
        "version": record.text("release_bundle_version"),
        "project": None if project is None else normalize_project(project),
    }
    return _complete(bundle, declared, ("name", "version"), {"project": ""})


def _complete(entry: Entry, declared: list[Entry], identity: tuple[str, ...], defaults: Entry) -> Entry:
    """Return an entry with declared values where the server returns none, or with defaults if it is not declared."""
    same = (one for one in declared if all(one[name] == entry[name] for name in identity))
    values = next(same, defaults)
    return {name: values[name] if value is None else value for name, value in entry.items()}


def _sort_unique(option: str, entries: t.Iterable[Entry], identity: tuple[str, ...]) -> list[Entry]:
    found: dict[tuple[str, ...], Entry] = {}
    for number, entry in enumerate(entries):
        if found.setdefault(tuple(entry[name] for name in identity), entry) is not entry:
            raise BadOption(f"{option}[{number}]", "is listed twice")
    return sorted(found.values(), key=_sort_key)


def _sort_key(entry: Entry) -> list[str]:
    return [str(value) for value in entry.values()]
