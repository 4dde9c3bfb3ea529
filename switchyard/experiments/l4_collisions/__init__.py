# SPDX-License-Identifier: Apache-2.0
"""IPC between spaces whose parts lie at the same addresses, where no PID register moves them apart.

Spaces hand a token on, in a ring; of UTCB, KIP, code and data the first c lie at the same address
above 32 MB in all of them, each in a megabyte of its own. `fass` has one entry of its directory for
a megabyte, so it has to exchange c of them at each switch. What it must not be is slower than
`flush`, which exchanges everything. No value of this is published.
"""
