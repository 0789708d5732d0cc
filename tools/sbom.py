# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Write build/sbom.json: the content of an execution environment in CycloneDX format.

Fails if the license of a package is unknown.

Usage: python tools/sbom.py ENVIRONMENT_DIRECTORY
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from export import CHECKOUT

SBOM = CHECKOUT / "build/sbom.json"

# Metadata of the collection for the generator
PYPROJECT = """\
[project]
name = "{namespace}.{name}"
version = "{version}"
description = "{description}"
license = "GPL-3.0-or-later"
dependencies = {dependencies}
"""


def main() -> None:
    """Write the software bill of materials."""
    sbom = select_dependencies(build_sbom(Path(sys.argv[1])))
    text = json.dumps(sbom, indent=2) + "\n"
    if error := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        sys.exit(f"Invalid CycloneDX 1.6: {error}")
    if unlicensed := [package["name"] for package in sbom["components"] if not package.get("licenses")]:
        sys.exit(f"Packages without a license: {', '.join(unlicensed)}")
    SBOM.write_text(text)
    print(f"{SBOM.relative_to(CHECKOUT)}: {len(sbom['components'])} packages")


def build_sbom(environment: Path) -> dict[str, Any]:
    """Return all packages of a virtual environment, and the collection with its dependencies."""
    with tempfile.TemporaryDirectory() as scratch:
        pyproject, output = Path(scratch) / "pyproject.toml", Path(scratch) / "sbom.json"
        collection = yaml.safe_load((CHECKOUT / "galaxy.yml").read_text())
        pyproject.write_text(PYPROJECT.format(**collection | {"dependencies": json.dumps(read_requirements())}))
        command = ["cyclonedx-py", "environment", "--pyproject", str(pyproject), "--output-file", str(output)]
        command += ["--output-reproducible", "--no-validate", str(environment)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
        return json.loads(output.read_text())


def read_requirements() -> list[str]:
    """Return the requirements of the collection, and additional ones of its execution environment."""
    lines = (CHECKOUT / "requirements.txt").read_text()
    of_guide = yaml.safe_load((CHECKOUT / "docs/site/guides/execution-environment.yml").read_text())["dependencies"]
    run_by = [of_guide[program]["package_pip"] for program in ("ansible_core", "ansible_runner")]
    return [*run_by, *of_guide.get("python", []), *re.findall(r"^\w.*", lines, re.MULTILINE)]


def select_dependencies(sbom: dict[str, Any]) -> dict[str, Any]:
    """Return the part of the SBOM that the collection depends on."""
    leads_to = {each["ref"]: each.get("dependsOn", []) for each in sbom["dependencies"]}
    selected, unseen = set[str](), [sbom["metadata"]["component"]["bom-ref"]]
    while unseen:
        package = unseen.pop()
        selected.add(package)
        unseen += set(leads_to[package]) - selected
    return sbom | {
        "components": [each for each in sbom["components"] if each["bom-ref"] in selected],
        "dependencies": [each for each in sbom["dependencies"] if each["ref"] in selected],
    }


if __name__ == "__main__":
    main()
