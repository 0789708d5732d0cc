#!/bin/sh
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

# Prints the path and the version of the Python that $1 names, looking into pyenv when it is not on the PATH.
# Prints nothing when there is none that can be run. For a virtual environment, prints the Python that it is based on,
# because the environment may be rebuilt.

# Python 2 understands it too
describe='import sys; print("%s %d.%d" % ((getattr(sys, "_base_executable", sys.executable),) + sys.version_info[:2]))'

find_in_pyenv() {
    version=${1#python}
    for candidate in "$(pyenv root)"/versions/"$version" "$(pyenv root)"/versions/"$version".*; do
        [ -x "$candidate/bin/python" ] && echo "$candidate/bin/python"
    done | sort -V | tail -n 1
}

if found=$("$1" -c "$describe" 2>/dev/null); then
    echo "$found"
elif command -v pyenv >/dev/null 2>&1; then
    python=$(find_in_pyenv "$1")
    [ -z "$python" ] || "$python" -c "$describe"
fi
