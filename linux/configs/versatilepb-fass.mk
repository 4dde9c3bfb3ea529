# SPDX-License-Identifier: GPL-2.0-only
# The Versatile's kernel with fast address-space switching, for which the sources are patched
# (SERIES). Its programs are those of the unmodified kernel.
BASE   := versatilepb
SERIES := fass
include configs/versatilepb.mk
