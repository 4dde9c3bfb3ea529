# SPDX-License-Identifier: GPL-2.0-only
# Programs for the ARM926EJ-S that run with and without an MMU, the benchmarks alone.
include configs/versatilepb.mk
THUMB    :=
MORE     :=
ANYWHERE := y
