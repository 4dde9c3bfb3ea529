# SPDX-License-Identifier: GPL-2.0-only
# Programs for RV64GC.
ARCH   := riscv
TARGET := --target=riscv64-freestanding-none -mcpu=generic_rv64+m+a+f+d+c
MORE   :=
FOREIGN :=
END := LINUX_REBOOT_CMD_POWER_OFF
