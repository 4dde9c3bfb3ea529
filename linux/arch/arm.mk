# SPDX-License-Identifier: GPL-2.0-only
# ARM: what all its configurations have. Included by ../Makefile, as its twins are.
# The compiler of the kernel, where its sources are below arch/, the image that unpacks itself (PACKED),
# options that are ARM's (COMMON).
CROSS  ?= arm-linux-gnueabi-
FOLDER := arm
PACKED := zImage
COMMON := configs/common-arm.config

# Below user/: what compilers call (RUNTIME), tests that are ARM's (OWN_TESTS), the self-test's tables if
# they are not the usual ones (TABLES), what the stress program has for it alone (OWN_STRESS). And whether
# the suite of benchmarks is for it (BENCHMARKS), what it has there for it alone (SUITE_OWN) and which
# questions these are (QUESTIONS).
RUNTIME    := aeabi
OWN_TESTS  := fass placement code states growing
TABLES     :=
OWN_STRESS :=
BENCHMARKS := y
SUITE_OWN  := l4/lib/arch/arm/divide l4/lib/arch/arm/aeabi
QUESTIONS  :=

# A program with an instruction that the processor does not have is no program for it. Listings show
# an instruction's code as 8 digits (ARM) or 4 (Thumb; 4 and 4 for bl and blx, which are halves).
CODE := ^ +[0-9a-f]+:\s+([0-9a-f]{8}|[0-9a-f]{4}( [0-9a-f]{4})?)\s+
define REFUSE
	@! grep -E '$(CODE)($(FOREIGN))(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?(\.[nw])?\s' $@.lst || \
		{ echo "linux: $@: the processor lacks the instructions above" >&2; rm -f $@; exit 1; }
	@! grep -E '^ +[0-9a-f]+:\s+[0-9a-f]{4} [0-9a-f]{4}\s' $@.lst | grep -vE '\sblx?\s' || \
		{ echo "linux: $@: the instructions above are Thumb-2" >&2; rm -f $@; exit 1; }
endef
