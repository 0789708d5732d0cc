# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The names of the products that the services stand for."""

from __future__ import annotations

# By service, in the order in which pages list them
PRODUCTS = {
    "artifact": "Artifactory",
    "ci": "Jenkins",
    "review": "Klocwork",
    "inference": "OpenAI API",
    "other": "Other modules",
}


def name_product(service: str) -> str:
    """Return the name of the product that a service stands for, or the name of the service."""
    return PRODUCTS.get(service, service)
