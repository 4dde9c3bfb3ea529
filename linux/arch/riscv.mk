# SPDX-License-Identifier: GPL-2.0-only
# RISC-V: what all its configurations have. See arm.mk.
CROSS  ?= riscv64-linux-gnu-
FOLDER := riscv
PACKED := Image
COMMON :=

# See arm.mk.
RUNTIME    :=
OWN_TESTS  :=
OWN_STRESS :=
BENCHMARKS :=
SUITE_OWN  :=
QUESTIONS  :=
