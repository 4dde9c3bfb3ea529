# SPDX-License-Identifier: Apache-2.0
# The compiler's name of the processor, and the folder of its cpu.c.
CPU_COMPILER := arm926ej_s
CPU_CODE := arm9
