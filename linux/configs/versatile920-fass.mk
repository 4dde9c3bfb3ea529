# SPDX-License-Identifier: GPL-2.0-only
# The ARM920T's kernel with fast address-space switching, for which the sources are patched (SERIES).
# Its programs are those of the unmodified kernel.
SERIES := fass
include configs/versatile920.mk
BASE   := versatilepb versatile920
