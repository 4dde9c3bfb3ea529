# SPDX-License-Identifier: Apache-2.0
"""Fig. 4 of the FASS paper, and the same on the Linux that it started from: `extreme`.

2, 4 and 16 processes map the same 1 to 32 pages, each for itself or shared, read a byte from each,
and yield. The paper draws what its fast kernel gains by sharing TLB entries: up to a factor of 9
with two processes and of 3.7 with sixteen. With linux/6.12/fass this is `fass-shared`; under `fass`
entries survive a switch and are not shared, so that processes collide in what they share.
Unmodified Linux flushes both TLBs at each switch, and there is nothing to share.
"""
