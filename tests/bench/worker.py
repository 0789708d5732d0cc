# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Print the CPU time and page faults of the steps of a task that changes nothing, as in a worker of ansible-playbook.

A worker is a fork of the controller. The first use of each memory page costs a fault, so each step is measured in its
own process. The argument is the number of rounds, 100 by default.
"""

from __future__ import annotations

import http.client
import json
import os
import pickle
import resource
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / name) for name in ("extensions", "build/collections", "tests", "tools")]

import requests  # noqa: E402
import urllib3  # noqa: E402
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator  # noqa: E402

from ansible_collections.buildworks.toolchain.plugins.action.artifact_properties import ActionModule  # noqa: E402
from bench.rows.request import OURS, uri_task  # noqa: E402
from sandbox import client  # noqa: E402
from sandbox.client import Sandbox  # noqa: E402
from support import running  # noqa: E402

PARAMETERS = OURS["buildworks.toolchain.artifact_properties"]
SPEC = ActionModule.module.SPEC
Sample = tuple[float, int]


def main(rounds: int) -> None:
    """Measure all steps in turn and print the medians."""
    with client.start() as sandbox:
        os.environ.update(sandbox.environment)
        samples: dict[str, list[Sample]] = defaultdict(list)
        for _round in range(rounds):
            for name, function in parts(sandbox).items():
                samples[name].append(measure_in_fork(function))
    print(f"{'part':46} {'CPU ms':>7} {'faults':>7}")
    for name, values in samples.items():
        seconds, faults = zip(*values, strict=True)
        print(f"{name:46} {1000 * statistics.median(seconds):7.2f} {statistics.median(faults):7.0f}")


def parts(sandbox: Sandbox) -> dict[str, Callable[[], object]]:
    """Return the measured steps by description."""
    options = uri_task(sandbox)["ansible.builtin.uri"]
    url, headers = options["url"], options["headers"]
    url_parts = urlsplit(url)
    target = f"{url_parts.path}?{url_parts.query}"

    def request_with_http_client() -> object:
        connection = http.client.HTTPConnection(url_parts.netloc, timeout=30)
        connection.request("GET", target, headers=headers)
        return json.loads(connection.getresponse().read())

    def request_with_urllib3() -> object:
        pool = urllib3.connection_from_url(url)
        return json.loads(pool.urlopen("GET", target, headers=headers).data)

    return {
        "empty function": lambda: None,
        "validation by ansible-core": lambda: ArgumentSpecValidator(**SPEC.to_keywords()).validate(dict(PARAMETERS)),
        "request with http.client": request_with_http_client,
        "request with urllib3": request_with_urllib3,
        "request with requests": lambda: requests.get(url, headers=headers, timeout=30).json(),
        "whole task": lambda: running.run("artifact_properties", **PARAMETERS),
    }


def measure_in_fork(function: Callable[[], object]) -> Sample:
    """Return CPU seconds and page faults of a function that runs in a fork of this process."""
    reader, writer = os.pipe()
    if (pid := os.fork()) == 0:
        seconds, faults = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        function()
        seconds = time.process_time() - seconds
        os.write(writer, pickle.dumps((seconds, resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults)))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        sample: Sample = pickle.load(pipe)
    os.waitpid(pid, 0)
    return sample


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 100)
