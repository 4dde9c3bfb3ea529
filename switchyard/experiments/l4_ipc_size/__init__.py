# SPDX-License-Identifier: Apache-2.0
"""One-way IPC between two address spaces by the message's length: registers, then strings.

One way is half a round trip: the cycles from the trap into the kernel to the partner's first
instruction. Published for the processor's family are three points of the fastest kernel, as the
project's list of tasks names them. Beside them stands the floor: what is left of the path if it
checked nothing.
"""
