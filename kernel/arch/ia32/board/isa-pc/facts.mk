# SPDX-License-Identifier: Apache-2.0
# The board's processor, and where programs lie in its memory (layout.h).
BOARD_CPUS := pentium4
BOARD_SIGMA0 := 0x01000000
BOARD_ROOT := 0x01100000
# An image without a kernel: above what a PC has below its first megabyte.
BOARD_BARE := 0x00100000
