# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Features and options that only some editions or versions of Artifactory have. Their table is in `features`."""

from __future__ import annotations

import contextlib
import enum
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    ServerRefusal,
    ServerUnreachable,
    ToolchainError,
    UnexpectedResponse,
)

LICENSES_ADDRESS = "/artifactory/api/system/licenses"
# Statuses with which servers refuse a request because of the edition
_REFUSALS = frozenset((400, 402, 403, 404, 405, 501))


class Edition(enum.IntEnum):
    """The editions of Artifactory, in ascending order of their features."""

    OPEN_SOURCE = 0
    PRO = 1
    ENTERPRISE = 2


_NAMES = {Edition.PRO: "Artifactory Pro", Edition.ENTERPRISE: "Artifactory Enterprise"}
# Types of licenses, by the first words of their names. Trial licenses can be of any edition
_LICENSE_TYPES = {
    "OSS": Edition.OPEN_SOURCE,
    "JCR": Edition.OPEN_SOURCE,
    "Community": Edition.OPEN_SOURCE,
    "Commercial": Edition.PRO,
    "Pro": Edition.PRO,
    "Enterprise": Edition.ENTERPRISE,
    "Edge": Edition.ENTERPRISE,
}


class Feature(t.NamedTuple):
    """A feature that only some editions or versions have.

    :ivar name: a gerund, such as `Managing clean-up policies`
    :ivar source: where the edition and the version come from
    :ivar edition: the lowest edition with the feature
    :ivar since: the first version with the feature, empty for versions before 4.4
    :ivar alternative: a sentence that says what others can do instead
    :ivar refused_with: more statuses with which servers refuse requests for the feature because of the edition
    """

    name: str
    source: str
    edition: Edition = Edition.OPEN_SOURCE
    since: str = ""
    alternative: str = ""
    refused_with: tuple[int, ...] = ()


class Option(t.NamedTuple):
    """An option that only some editions or versions have. Others ignore it, or refuse it.

    :ivar source: where the edition and the version come from
    :ivar edition: the lowest edition with the option
    :ivar since: the first version with the option
    :ivar default: the value, besides empty ones and `false`, by which servers without the option act
    """

    source: str
    edition: Edition = Edition.OPEN_SOURCE
    since: str = ""
    default: str = ""


def check(artifact: ArtifactService, feature: Feature, reads_license: bool = True) -> None:
    """Verify that the server has a feature, as far as it reports its edition and version.

    One request serves all tasks, for features of the Enterprise edition two.

    :arg reads_license: whether to read the license, which distinguishes Enterprise from Pro
    :raises ToolchainError: if the edition or the version lacks the feature
    """
    if lack := find_lack(artifact, feature, reads_license):
        raise ToolchainError(f"{feature.name} {lack}.{_advise(feature)}")


def check_options(
    artifact: ArtifactService, options: t.Mapping[str, Option], fields: t.Mapping[str, t.Any], place: str = ""
) -> None:
    """Verify that the server has the options that are set, as `check` does. Without such options, send no request.

    :arg options: options that only some editions or versions have
    :arg fields: the values to write, by option
    :arg place: the option that contains the options, such as `targets`
    :raises BadOption: if the edition or the version lacks an option
    """
    for name, option in options.items():
        value = fields.get(name)
        if value and value != option.default and (lack := find_lack(artifact, option)):
            raise BadOption(f"{place}.{name}" if place else name, lack)


def find_lack(artifact: ArtifactService, required: Feature | Option, reads_license: bool = True) -> str:
    """Return what the server lacks, such as `requires Artifactory 7.0 or later`, or an empty text.

    :arg reads_license: whether to read the license, which distinguishes Enterprise from Pro
    """
    edition = _NAMES.get(required.edition)
    if edition and artifact.is_open_source():
        return _describe_open_source(edition)
    if edition and required.edition > Edition.PRO and reads_license:
        license_type = artifact.http.get_cached("license", lambda: _read(artifact))
        if _find_edition(license_type) < required.edition:
            return f"requires {edition}, but the server has a license of the type '{license_type}'"
    if artifact.is_older_than(required.since):
        return f"requires Artifactory {required.since} or later"
    return ""


def open_source_error(feature: Feature) -> ToolchainError:
    """Return the error for a feature that the open-source edition lacks."""
    return ToolchainError(f"{feature.name} {_describe_open_source(_NAMES[feature.edition])}.{_advise(feature)}")


def _describe_open_source(edition: str) -> str:
    return f"requires {edition}, but the server is the open-source edition"


def _advise(feature: Feature) -> str:
    return f" {feature.alternative}" if feature.alternative else ""


@contextlib.contextmanager
def explain_refusal(artifact: ArtifactService, feature: Feature) -> t.Iterator[None]:
    """Replace the error of a refused request if the edition or the version of the server lacks the feature.

    :raises ToolchainError: with the required edition or version and the alternative
    """
    try:
        yield
    except ServerRefusal as refusal:
        if refusal.status in _REFUSALS or refusal.status in feature.refused_with:
            with contextlib.suppress(ServerRefusal, ServerUnreachable, UnexpectedResponse):  # unknown version
                check(artifact, feature)
        raise


def _read(artifact: ArtifactService) -> str:
    """Return the type of the license, or an empty string if the server does not report it to the account.

    A single server returns an object, a cluster the licenses of all nodes.
    """
    try:
        response = artifact.http.read("GET", LICENSES_ADDRESS)
    except ServerRefusal:
        return ""
    body = response.json_or_none()
    licenses = body.get("licenses", [body]) if isinstance(body, dict) else body
    entries = licenses if isinstance(licenses, list) else ()
    types = {str(entry.get("type") or "") for entry in entries if isinstance(entry, dict)}
    return max(types, key=_find_edition, default="")


def find_edition(license_type: str) -> Edition | None:
    """Return the edition of a license, or `None` if it is unknown."""
    known = (edition for prefix, edition in _LICENSE_TYPES.items() if license_type.startswith(prefix))
    return next(known, None)


def _find_edition(license_type: str) -> Edition:
    """Return the edition of a license, the highest one if it is unknown."""
    edition = find_edition(license_type)
    return Edition.ENTERPRISE if edition is None else edition
