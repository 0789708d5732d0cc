// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

package org.kohsuke.stapler

/** Stands in for the server's class of this name, by which a script on the controller reads its own request. */
class Stapler {
    /** Has `getParameter`; null on other nodes. */
    static def currentRequest2
}
