# SPDX-License-Identifier: Apache-2.0
"""`cat FILE | cat | wc` where Linux is a server on L4 (section 4.4 of the paper on small spaces).

Cycles, and how many entries of the TLBs are walked for, native and with programs in large and in
small spaces. The processes of bench/unix/chain.c stand for the programs.
"""
