# SPDX-License-Identifier: Apache-2.0
# How C, C++ and assembly become code for ARM, in the kernel and in programs, and what of the
# library is ARM's: l4/program.mk and kernel/Makefile include this file.
ARCH_TARGET := --target=arm-freestanding-eabi
# What ELF calls the processor: EM_ARM.
ARCH_ELF := 40
# A word's bytes, as log2: how a program that is carried as data is aligned.
ARCH_WORD_LOG2 := 2
ARCH_CFLAGS := -mno-unaligned-access
# Programs are the same on all boards, so they are for the oldest of their processors.
ARCH_PROGRAM_CPU := -mcpu=strongarm1110
# What bare programs and the kernel link too (arithmetic that the compiler calls), and the rest.
ARCH_RUNTIME := divide aeabi
ARCH_LIBRARY := crt0 syscalls
