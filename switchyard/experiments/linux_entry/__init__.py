# SPDX-License-Identifier: Apache-2.0
"""The ways into Linux on a Pentium 4: system calls by INT 80h and by SYSENTER, and a pipe's token.

Cycles of the shortest calls, of reads and writes, and of a token between two processes, beside
what was measured on the Linux of the processor's time.
"""
