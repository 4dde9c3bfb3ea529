# SPDX-License-Identifier: GPL-2.0-only
# RISC-V: what all its configurations have. See arm.mk.
CROSS  ?= riscv64-linux-gnu-
FOLDER := riscv
PACKED := Image
COMMON :=

# See arm.mk.
RUNTIME    :=
OWN_TESTS  := fass code riscv/clone
OWN_STRESS := riscv/clone
BENCHMARKS := y
SUITE_OWN  :=
QUESTIONS  :=

# The tables of the self-test (user/selftest.c), for those files.
TABLES := process_tests, signal_tests, pipe_tests, socket_tests, lock_tests, memory_tests, \
    shared_tests, swap_tests, disk_tests, together_tests, space_tests, code_tests, time_tests

# The processor has all that the compiler uses.
REFUSE :=
