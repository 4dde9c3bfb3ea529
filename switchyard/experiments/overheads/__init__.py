# SPDX-License-Identifier: Apache-2.0
"""Direct and indirect overheads of context switches and of interrupts, whatever the system.

After F. David, J. Carlyle, R. Campbell, "Context Switch Overheads for Linux on ARM Platforms"
(ExpCS 2007), whose method and words are used: two tasks hand over to each other n times, a task is
interrupted n times, and what the running time grows by beyond the price of a switch (C) or of an
interrupt (D) is the indirect overhead. Nothing here knows an operating system: an experiment
measures cycles of runs, `formulas` makes records of them, `view` and `text.md` show these.
"""
