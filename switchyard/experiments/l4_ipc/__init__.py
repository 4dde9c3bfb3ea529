# SPDX-License-Identifier: Apache-2.0
"""Fig. 5 of the FASS paper: round-trip IPC between a server and n client address spaces.

A server sends to clients at random, each of which replies at once; the latency of a round trip is
measured for 1 to 64 clients, with a full flush at each change of address space and with fast
address-space switching, and beside the paper with shared domains, with one unprotected space for
all programs, and with nothing to flush on a machine that has address-space tags. The paper gives
the figure's curves in words; the published values are those words, and nothing was read off the
drawing.
"""
