# SPDX-License-Identifier: GPL-2.0-only
# Programs for the ARM926EJ-S: ARMv5TE. The self-test in Thumb as well, and what the network needs.
TARGET := --target=arm-freestanding-eabi -mcpu=arm926ej_s
THUMB  := --target=thumb-freestanding-eabi -mcpu=arm926ej_s
MORE   := selftest-thumb net
# Instructions that must not be in them: what came with ARMv6 or Thumb-2.
FOREIGN := mov[wt]|[su]xta?[bh](16)?|rev(16|sh)?|(ld|st)rex[bhd]?|clrex|cps|setend|[su]?bfx|bf[ci]|mls|umaal|[su]div|dmb|dsb|isb|cbn?z|it[te]{0,3}
# The board's description, below arch/arm/boot/dts; the board cannot switch itself off.
DTB := arm/versatile-pb
END := LINUX_REBOOT_CMD_RESTART
# Where the kernel is to be fast (layout/).
MACHINE := versatilepb
CONSOLE := ttyAMA0,115200
