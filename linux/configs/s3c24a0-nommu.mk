# SPDX-License-Identifier: GPL-2.0-only
# A kernel without paging (BASE and its own .config), for which the sources are patched (SERIES).
BASE   := versatilepb
SERIES := nommu
include configs/anywhere.mk
