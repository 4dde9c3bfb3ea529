# SPDX-License-Identifier: Apache-2.0
"""Table 1 of the FASS paper: Linux that flushes at each switch, and Linux that switches fast.

Hot-potato latency and bandwidth, and process creation, as lmbench measures them. The paper's Linux
was a 2.4 on a 200 MHz SA-1100; this is 6.12, unmodified and with linux/6.12/fass, on the same
processor, and on an ARM926EJ-S, which the paper did not have; with linux/6.12/fass where shared
mappings have a domain of their own, of which these programs have next to none; and unmodified where
the hardware has ideal address-space tags, the bound of all ways to switch. The other cases of the
suite (system calls, faults, signals) have no published value, and show what one such thing takes.
"""
