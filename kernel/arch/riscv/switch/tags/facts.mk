# SPDX-License-Identifier: Apache-2.0
# Where the scheme stands in tables, the processors that it works on, and what it does (switch.h).
SWITCH_ORDER := 5
SWITCH_CPUS := rv64
SWITCH_PROTECTS := 1
SWITCH_RELOCATES := 0
