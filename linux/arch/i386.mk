# SPDX-License-Identifier: GPL-2.0-only
# IA-32: what all its configurations have. Included by ../Makefile, as its twins are.
# The compiler of the kernel: on such a computer its own, which makes code of 32 bits, too. See arm.mk.
CROSS  ?= $(if $(filter x86_64 i%86,$(shell uname -m)),,i686-linux-gnu-)
FOLDER := x86
PACKED := bzImage
COMMON :=

# See arm.mk.
RUNTIME    := i386/runtime
OWN_TESTS  := fass code i386/clone i386/fpu i386/segments i386/traps i386/calls i386/written i386/fault
OWN_STRESS := i386/clone
BENCHMARKS := y
SUITE_OWN  := bench/unix/entry l4/lib/arch/ia32/divide
QUESTIONS  := &question_entry,

# The tables of the self-test (user/selftest.c), for those files.
TABLES := process_tests, signal_tests, pipe_tests, socket_tests, lock_tests, memory_tests, \
    shared_tests, swap_tests, disk_tests, together_tests, space_tests, code_tests, fpu_tests, \
    segment_tests, trap_tests, call_tests, written_tests, time_tests

# A program with an instruction that the processor does not have is no program for it: those that name
# a register of MMX or SSE, and those that name none (FOREIGN). Listings have tabs between address,
# bytes and instruction.
CODE := ^ +[0-9a-f]+:\t[^\t]+\t
define REFUSE
	@! grep -P '$(CODE)(.*%[xyz]?mm[0-7]|($(FOREIGN))(\s|$$))' $@.lst || \
		{ echo "linux: $@: the processor lacks the instructions above" >&2; rm -f $@; exit 1; }
endef
