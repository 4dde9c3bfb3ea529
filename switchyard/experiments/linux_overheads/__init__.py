# SPDX-License-Identifier: Apache-2.0
"""Figs. 2, 3 and 5 of David et al. 2007: what switches and interrupts cost inside Linux.

The measurement is code of ours in the kernel (linux/overheads, which tells how tasks switch and
interrupt themselves). Each run is a boot of its own that measures every number of switches of one
pair, or of interrupts of one task; five runs make a point. Runs differ in the pages that the data
are in, in the state of the caches' pseudo-random replacement when the point begins, and in where
the kernel's code and data are linked (linux/shift).

Counters say where the cycles go. Two things only a profile tells, which takes the simulator five
times as long: how much of a switch is flushing, and what a line of instructions takes. They are
asked of shorter tasks, on whose length neither depends.
"""
