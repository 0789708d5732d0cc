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
      - Seconds to wait for a connection, for all headers of a response, and for each 64 KiB of its body or what is
        left of it, 0.01 to 86,400.
      - A response that arrives more slowly counts as lost. The total time of a large download is not limited. Increase
        the value if the connection is slow, or if the server pauses while it sends a long response.
      - Not the time that a long operation may take. Modules that wait have an option for that. When that time is over,
        a response that has begun may take as many seconds more as this option says. An output that is read while it is
        written may pause. Its total time is limited by the option for waiting.
      - When this is not given, the host's variable C(toolchain_<service>_timeout) is used.
    type: float
    default: 30.0
  retries:
    description:
      - How often a request is repeated, 0 to 100, when the server cannot be reached or answers 429, 502, 503
        or 504.
      - A write is repeated only when it surely had no effect, or when the service makes it idempotent.
      - The delay grows from about half a second and varies, unless the server asks for one (C(Retry-After)). When it
        asks for more than 60 seconds, the request is not repeated and the task fails, telling how long to wait.
      - A server may say itself whether another try is worth it (C(x-should-retry)).
      - Each repeat is shown as progress, and all of them as one warning at the end.
      - When this is not given, the host's variable C(toolchain_<service>_retries) is used.
    type: int
    default: 3
  validate_certs:
    description:
      - Check the server's certificate.
      - When this is not given, the host's variable C(toolchain_<service>_validate_certs) is used.
    type: bool
    default: true
  ca_path:
    description:
      - File with the certificates of the authorities to trust, in PEM format, or folder with such files that
        C(openssl rehash) was run on.
      - V(system) stands for those that the machine trusts, as a company's own authority may be.
      - Without it the environment variables E(REQUESTS_CA_BUNDLE), E(CURL_CA_BUNDLE) and E(SSL_CERT_FILE) are honoured,
        in this order, else the authorities that come with the Python package C(certifi) are trusted.
      - When this is not given, the host's variable C(toolchain_<service>_ca_path) is used.
    type: path
  client_cert:
    description:
      - File with the client certificate in PEM format. It may hold the key as well.
      - When this is not given, the host's variable C(toolchain_<service>_client_cert) is used.
    type: path
  client_key:
    description:
      - File with the key of O(client_cert) in PEM format, without a passphrase.
      - When this is not given, the host's variable C(toolchain_<service>_client_key) is used.
    type: path
  use_proxy:
    description:
      - Honour the environment variables E(HTTP_PROXY), E(HTTPS_PROXY) and E(NO_PROXY).
      - A proxy that speaks SOCKS needs the Python package C(PySocks), which C(requests[socks]) brings.
      - When this is not given, the host's variable C(toolchain_<service>_use_proxy) is used.
    type: bool
    default: true
notes:
  - A text that names something is one line, without blanks at its ends; neither it nor a path must be empty. The name
    of a repository has no slash. What else an option takes is said in its description. Other values are refused before
    the first request.
  - Put versions, tags and numbers of builds in quotes. YAML reads an unquoted C(1.10) as the number 1.1, C(0123) as 83
    and C(12:30) as 750. Where a text is expected, a number with a fraction is refused; an integer is accepted, because
    it does not show how it was written. Before ansible-core 2.19 a template such as C({{ item.version }}) makes a text
    of the number, so put the value of the variable in quotes.
  - In an option without a default C(null) counts as omitted. An option that narrows what a task deletes, moves,
    overwrites or publishes must not be C(null), because the task would then change more than intended. Before
    ansible-core 2.19 a template whose value is C(null) is an empty text.
requirements:
  - requests >= 2.28
"""
