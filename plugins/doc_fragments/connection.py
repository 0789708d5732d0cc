# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Connection options of all services."""

    DOCUMENTATION = r"""
options:
  timeout:
    description:
      - Timeout in seconds for the connection, for all headers of a response, and for each 64 KiB of its body. The total
        time of a large download is not limited.
      - Increase the timeout for slow connections, or if the server pauses while it sends a long response.
      - Long operations have a separate timeout, such as O(ignore:wait_timeout). Output that is read while it is written
        is limited by that timeout only.
      - If not set, the host variable C(toolchain_<service>_timeout) applies.
    type: float
    default: 30.0
  retries:
    description:
      - Maximum number of retries if the connection fails or the server returns 429, 502, 503 or 504.
      - Requests that change data are retried only if they certainly had no effect, or if the service makes them
        idempotent.
      - The delay grows exponentially from about half a second, unless the server sends C(Retry-After). If this header
        requests more than 60 seconds, the task fails and reports it. The header C(x-should-retry) is respected.
      - Retries are reported as progress and in one warning.
      - If not set, the host variable C(toolchain_<service>_retries) applies.
    type: int
    default: 3
  validate_certs:
    description:
      - Whether to verify the TLS certificate of the server.
      - If not set, the host variable C(toolchain_<service>_validate_certs) applies.
    type: bool
    default: true
  ca_path:
    description:
      - Path to a PEM file with CA certificates, or to a directory prepared with C(openssl rehash).
      - V(system) uses the CA certificates of the operating system.
      - If not set, the host variable C(toolchain_<service>_ca_path) applies, then the first of the environment
        variables E(REQUESTS_CA_BUNDLE), E(CURL_CA_BUNDLE) and E(SSL_CERT_FILE), otherwise the CA certificates of the
        Python package C(certifi).
    type: path
  client_cert:
    description:
      - Path to the client certificate in PEM format. The file may also contain the key.
      - If not set, the host variable C(toolchain_<service>_client_cert) applies.
    type: path
  client_key:
    description:
      - Path to the private key of O(client_cert), in PEM format, without a passphrase.
      - If not set, the host variable C(toolchain_<service>_client_key) applies.
    type: path
  use_proxy:
    description:
      - Whether to use the proxy settings of the environment variables E(HTTP_PROXY), E(HTTPS_PROXY) and E(NO_PROXY).
      - SOCKS proxies require the Python package C(PySocks), which C(requests[socks]) installs.
      - If not set, the host variable C(toolchain_<service>_use_proxy) applies.
    type: bool
    default: true
notes:
  - Values are validated before the first request. Names must be a single line without surrounding blanks, names and
    paths must not be empty, and repository names must not contain a slash.
  - Quote versions, tags and build numbers. YAML reads an unquoted C(1.10) as the number 1.1, C(0123) as 83 and C(12:30)
    as 750. A number with a fraction is refused where text is expected; integers are accepted. Before ansible-core 2.19,
    templates such as C({{ item.version }}) convert the number to text, so quote the value of the variable.
  - An option without a default is treated as omitted if it is C(null). Options that limit what a task deletes, moves,
    overwrites or publishes must not be C(null), because the task would change more than intended. Before ansible-core
    2.19, a template with the value C(null) is an empty text.
requirements:
  - requests >= 2.28
"""
