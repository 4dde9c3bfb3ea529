# SPDX-License-Identifier: Apache-2.0
# How C, C++ and assembly become code for IA-32, in the kernel and in programs, and what of the
# library is IA-32's: l4/program.mk and kernel/Makefile include this file.
ARCH_TARGET := --target=x86-freestanding-none
# What ELF calls the processor: EM_386.
ARCH_ELF := 3
# A word's bytes, as log2: how a program that is carried as data is aligned.
ARCH_WORD_LOG2 := 2
# Structures of a word, as tags and thread ids are, come back in EAX: the library's assembly knows that.
ARCH_CFLAGS := -freg-struct-return
# A Pentium 4 without MMX and SSE, which the machine has not; nothing computes with its floating-point unit.
ARCH_PROGRAM_CPU := -mcpu=pentium4-sse-sse2-mmx-x87+soft_float
# What bare programs and the kernel link too (arithmetic that the compiler calls), and the rest.
ARCH_RUNTIME := divide
ARCH_LIBRARY := crt0 syscalls
