# SPDX-License-Identifier: Apache-2.0
# The compiler's name of the processor, and the folder of its cpu.c.
CPU_COMPILER := strongarm1110
CPU_CODE := sa1110
# Bytes of data cache, for which there is no operation: it is cleaned by reading as much.
CPU_DCACHE := 8192
