# SPDX-License-Identifier: Apache-2.0
"""Direct and indirect overheads of a context switch and of an interrupt, on the microkernel.

After David et al. (ExpCS 2007; `overheads` has its formulas and values), on their processor: two
tasks in spaces of their own hand over to each other by ThreadSwitch, or one is interrupted
(bench/l4/overheads.c). Scheme `flush` is what the paper's Linux does at a switch, the others are
what there is to save. Every run is from power-on; the runs of a point differ in how many lines the
tasks have read before, which moves the generator by which the caches choose what to replace.
"""
