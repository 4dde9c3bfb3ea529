# SPDX-License-Identifier: GPL-2.0-only
# Programs for the ARM920T: ARMv4T, which has no BLX.
BASE   := versatilepb
TARGET := --target=arm-freestanding-eabi -mcpu=arm920t
MORE   := net
# Instructions that must not be in them: what came after ARMv4T.
FOREIGN := blx|clz|ldrd|strd|pld|bkpt|q(d)?(add|sub)|smla[bw][bt]|smlal[bt][bt]|smul[bw][bt]?
# The board is the Versatile's, and so is its description.
DTB := arm/versatile-pb
END := LINUX_REBOOT_CMD_RESTART
# Where the kernel is to be fast (layout/).
MACHINE := versatile920
CONSOLE := ttyAMA0,115200
