# SPDX-License-Identifier: Apache-2.0
# The board's processor, and where programs lie in its memory. No kernel is for it yet.
BOARD_CPUS := pentium4
# An image without a kernel: above what a PC has below its first megabyte.
BOARD_BARE := 0x00100000
