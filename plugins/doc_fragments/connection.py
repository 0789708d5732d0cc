# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """How to connect: the same options for every service."""

    DOCUMENTATION = r"""
options:
  timeout:
    description:
      - Seconds to wait for a connection, and for each piece of an answer.
      - Not the time that a long operation may take; modules that wait have an option for that.
    type: float
    default: 30.0
  retries:
    description:
      - How often a request is repeated when the server cannot be reached or answers 429, 502, 503 or 504.
      - A write is repeated only when it surely had no effect, or when the service makes it idempotent.
      - The delay grows from about half a second and varies; C(Retry-After) of the server is honoured up to 60 seconds.
      - Each repeat is shown as progress, and all of them as one warning at the end.
    type: int
    default: 3
  validate_certs:
    description: Check the server's certificate.
    type: bool
    default: true
  ca_path:
    description:
      - File or folder with the certificates of the authorities to trust.
      - Without it the environment variables E(REQUESTS_CA_BUNDLE) and E(CURL_CA_BUNDLE) are honoured, else the
        authorities that come with the Python package C(certifi) are trusted.
    type: path
  client_cert:
    description: File with the client certificate in PEM format. It may hold the key as well.
    type: path
  client_key:
    description: File with the key of O(client_cert) in PEM format.
    type: path
  use_proxy:
    description: Honour the environment variables E(HTTP_PROXY), E(HTTPS_PROXY) and E(NO_PROXY).
    type: bool
    default: true
requirements:
  - requests >= 2.28
"""
