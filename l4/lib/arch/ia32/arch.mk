# SPDX-License-Identifier: Apache-2.0
# How C, C++ and assembly become code for IA-32, and what of the library is IA-32's: l4/program.mk
# includes this file. There is no kernel for it yet, so what it is for are programs without one.
ARCH_TARGET := --target=x86-freestanding-none
# What ELF calls the processor: EM_386.
ARCH_ELF := 3
ARCH_CFLAGS :=
# A Pentium 4 without MMX and SSE, which the machine has not; nothing computes with its floating-point unit.
ARCH_PROGRAM_CPU := -mcpu=pentium4-sse-sse2-mmx-x87+soft_float
ARCH_RUNTIME := divide
ARCH_LIBRARY :=
