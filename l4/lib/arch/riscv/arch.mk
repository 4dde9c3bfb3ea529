# SPDX-License-Identifier: Apache-2.0
# How C, C++ and assembly become code for RISC-V, in the kernel and in programs, and what of the
# library is RISC-V's: l4/program.mk and kernel/Makefile include this file.
ARCH_TARGET := --target=riscv64-freestanding-none
# What ELF calls the processor: EM_RISCV.
ARCH_ELF := 243
# Code finds what it names from where it is, so that programs can be moved, and the kernel can lie at
# the upper end of the addresses.
# A word's bytes, as log2: how a program that is carried as data is aligned.
ARCH_WORD_LOG2 := 3
ARCH_CFLAGS := -mcmodel=medany
# Formats of print are checked where words have 32 bits: it takes words, whatever they are called.
ARCH_WARNINGS := -Wno-format
# RV64IMAC: what every core of the machines has. Nothing computes with a floating-point unit.
ARCH_PROGRAM_CPU := -mcpu=generic_rv64+m+a+c -mabi=lp64
# What bare programs and the kernel link too (arithmetic that the compiler calls), and the rest.
ARCH_RUNTIME :=
ARCH_LIBRARY := crt0 syscalls
