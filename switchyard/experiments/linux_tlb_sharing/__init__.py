# SPDX-License-Identifier: Apache-2.0
"""Fig. 3 of the FASS paper: a switch between processes whose shared memory is in the TLBs once.

The paper has lat_ctx without memory of its own, on the original kernel, the fast one, and the fast
one that shares TLB entries of what processes have in common there: the C library. Its processes
have one, ours do not; so each process of the ring reads some pages of one file at each turn
(`bench/unix/sharing.c`), which stand for it. Without sharing each process has mapped them for
itself, as the paper's fast kernel maps a library; with it, all have them at one address. What
passing the token and reading take without a switch is taken off, as lmbench does.
"""
