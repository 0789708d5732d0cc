# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The update site: the metadata that Jenkins has, and the responses of the site."""

from __future__ import annotations

from typing import Any

from ..state import State
from .archive import Archive
from .versions import is_older

DEFAULT_URL = "https://updates.jenkins.io/update-center.json"
NO_SIGNATURE = "No signature block found in update center 'default'"
# Messages of Jenkins for `broken` sites. It detects a bad signature only afterwards.
BROKEN = {
    "refused": "ConnectException: Connection refused",
    "not found": "FileNotFoundException: {url}",
    "error": "IOException: Server returned HTTP response code: 500 for URL: {url}",
    "page": "IOException: Could not find JSON in {url}",
    "signature": NO_SIGNATURE,
}

# An offered plugin: members of its manifest, older (other versions that can be downloaded), seconds (of a
# download), fails (one of `installations.FAILURES`), file (members that differ in the downloaded file).
Offer = dict[str, Any]


class UpdateSite:
    """The only configured site, `default`."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._storage = state.storage

    @property
    def url(self) -> str:
        """The configured URL."""
        url: str = self._storage.setting("update_site_url", DEFAULT_URL)
        return url

    @property
    def timestamp(self) -> int:
        """The time of the last metadata since the start in milliseconds, or 0."""
        timestamp: int = self._storage.setting("update_site_timestamp", 0)
        return timestamp

    @property
    def error(self) -> str | None:
        """The error of the last metadata request."""
        error: str | None = self._storage.setting("update_site_error")
        return error

    def configure(self, url: str) -> None:
        """Change the URL. The metadata of the old one stays in use."""
        self._storage.set("update_site_url", url)
        self.invalidate()

    def invalidate(self) -> None:
        """Mark the metadata as outdated."""
        self._storage.set("update_site_timestamp", 0)

    def start(self) -> None:
        """Keep the metadata, as a start does."""
        self.invalidate()
        self._storage.set("update_site_error", None)

    def add(self, site: dict[str, Any]) -> None:
        """Add a reachable site.

        :arg fetched: whether Jenkins has already read its metadata
        """
        sites = self._storage.setting("update_sites", {})
        url = site.get("url", DEFAULT_URL)
        offers = {offer["name"]: {**offer, "version": str(offer["version"])} for offer in site.get("plugins", [])}
        self._storage.set("update_sites", {**sites, url: {"broken": site.get("broken"), "offers": offers}})
        if site.get("fetched"):
            self._storage.set("update_site_offers", offers)

    def refresh(self, now: float) -> None:
        """Read the metadata of the site."""
        problem = self.problem(self.url)
        self._storage.set("update_site_error", problem)
        if problem is None:
            self._storage.set("update_site_offers", self._site(self.url)["offers"])
        if problem in (None, NO_SIGNATURE):
            self._storage.set("update_site_timestamp", int(now * 1000))

    def problem(self, url: str) -> str | None:
        """Return the problem with the site at a URL, or None."""
        broken = (self._site(url) or {"broken": "refused"})["broken"]
        return BROKEN[broken].format(url=url) if broken else None

    def _site(self, url: str) -> Any:
        return self._storage.setting("update_sites", {}).get(url)

    def offers(self) -> dict[str, Offer]:
        """Return the known updates by plugin name."""
        offers: dict[str, Offer] = self._storage.setting("update_site_offers", {})
        return offers

    def is_update(self, name: str, version: str) -> bool:
        """Return whether a newer version is offered."""
        offer = self.offers().get(name)
        return bool(offer and is_older(version, offer["version"]))

    def download(self, url: str) -> Archive | None:
        """Return the file at a URL of the site, which also has older versions."""
        for site in self._storage.setting("update_sites", {}).values():
            for offer in site["offers"].values():
                for version in (offer["version"], *offer.get("older", [])):
                    if url == download_url(offer["name"], str(version)):
                        return archive({**offer, "version": str(version)})
        return None


def download_url(name: str, version: str) -> str:
    """Return the URL of a plugin file on the vendor's site."""
    return f"https://updates.jenkins.io/download/plugins/{name}/{version}/{name}.hpi"


def archive(offer: Offer) -> Archive:
    """Return the manifest of the offered file, which may differ from the metadata."""
    of_offer = ("older", "seconds", "fails", "file")
    return {**{name: value for name, value in offer.items() if name not in of_offer}, **offer.get("file", {})}
