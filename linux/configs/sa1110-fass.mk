# SPDX-License-Identifier: GPL-2.0-only
# The SA-1110's kernel with fast address-space switching, for which the sources are patched (SERIES).
# Its programs are those of the unmodified kernel.
BASE   := sa1110
SERIES := fass
include configs/sa1110.mk
