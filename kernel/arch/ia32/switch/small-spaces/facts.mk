# SPDX-License-Identifier: Apache-2.0
# Where the scheme stands in tables, the processors that it works on, and what it does (switch.h).
SWITCH_ORDER := 2
SWITCH_CPUS := pentium4
SWITCH_PROTECTS := 1
SWITCH_RELOCATES := 0
# The folders of common that it has.
SWITCH_COMMON := small
