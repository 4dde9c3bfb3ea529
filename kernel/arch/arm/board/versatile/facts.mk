# SPDX-License-Identifier: Apache-2.0
# The board's processor, then others that may be in its place; and where programs lie in its memory
# (layout.h).
BOARD_CPUS := arm926 arm920
BOARD_SIGMA0 := 0x00900000
BOARD_ROOT := 0x00a00000
# An image without a kernel: at a megabyte's boundary, as it maps that at 0 for the vectors.
BOARD_BARE := 0x00100000
