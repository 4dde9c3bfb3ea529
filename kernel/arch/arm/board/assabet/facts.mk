# SPDX-License-Identifier: Apache-2.0
# The board's processor, and where programs lie in its memory (layout.h).
BOARD_CPUS := sa1110
BOARD_SIGMA0 := 0xc0900000
BOARD_ROOT := 0xc0a00000
# An image without a kernel: at a megabyte's boundary, as it maps that at 0 for the vectors.
BOARD_BARE := 0xc0100000
