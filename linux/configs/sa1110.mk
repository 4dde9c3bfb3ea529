# SPDX-License-Identifier: GPL-2.0-only
# Programs for the SA-1110: ARMv4, which has neither Thumb nor BX.
TARGET := --target=arm-freestanding-eabi -mcpu=strongarm1110
# Instructions that must not be in them: Thumb's branch, and what came after ARMv4.
FOREIGN := bx|blx|clz|ldrd|strd|pld|bkpt|q(d)?(add|sub)|smla[bw][bt]|smlal[bt][bt]|smul[bw][bt]?
END := LINUX_REBOOT_CMD_POWER_OFF
# Where the kernel is to be fast (layout/).
MACHINE := sa1110
CONSOLE := ttySA1,115200
