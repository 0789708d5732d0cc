# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Features that only some editions of Artifactory have."""

from __future__ import annotations

import contextlib
import enum
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal, ToolchainError

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
    """A feature that only some editions have.

    :ivar name: a gerund, such as `Managing clean-up policies`
    :ivar edition: the lowest edition with the feature
    :ivar alternative: a sentence that says what other editions can do instead
    """

    name: str
    edition: Edition
    alternative: str


def check(artifact: ArtifactService, feature: Feature) -> None:
    """Verify that the edition of the server has a feature, as far as the server reports its edition.

    One request serves all tasks, for features of the Enterprise edition two.

    :raises ToolchainError: if the edition lacks the feature
    """
    requirement = f"{feature.name} requires {_NAMES[feature.edition]}"
    if artifact.is_open_source():
        raise ToolchainError(f"{requirement}, but the server is the open-source edition. {feature.alternative}")
    if feature.edition == Edition.PRO:
        return
    license_type = artifact.http.get_cached("license", lambda: _read(artifact))
    if _find_edition(license_type) < feature.edition:
        raise ToolchainError(
            f"{requirement}, but the server has a license of the type '{license_type}'. {feature.alternative}"
        )


@contextlib.contextmanager
def explain_refusal(artifact: ArtifactService, feature: Feature) -> t.Iterator[None]:
    """Replace the error of a refused request if the edition of the server lacks the feature.

    :raises ToolchainError: with the required edition and the alternative
    """
    try:
        yield
    except ServerRefusal as refusal:
        if refusal.status in _REFUSALS:
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
