# SPDX-License-Identifier: GPL-2.0-only
# Programs for the Pentium 4 without MMX and SSE, which the machine has not. They compute without the
# floating-point unit; only its tests name its registers.
ARCH   := i386
MORE   := net
TARGET := --target=x86-freestanding-none -mcpu=pentium4-sse-sse2-mmx-x87+soft_float
# Instructions that must not be in them, beside those with registers of MMX and SSE.
FOREIGN := emms|fxsave|fxrstor|ldmxcsr|stmxcsr|prefetch\w*|movnti|[lms]fence|clflush|monitor|mwait
# The board cannot switch itself off.
END := LINUX_REBOOT_CMD_RESTART
