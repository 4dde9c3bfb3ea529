# SPDX-License-Identifier: Apache-2.0
# The compiler's name of the processor, and the folder of its cpu.c.
CPU_COMPILER := arm920t
CPU_CODE := arm9
