# SPDX-License-Identifier: Apache-2.0
# The board's processor, and where programs lie in its memory (layout.h).
BOARD_CPUS := rv64
BOARD_SIGMA0 := 0x80e00000
BOARD_ROOT := 0x81000000
