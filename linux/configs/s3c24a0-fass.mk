# SPDX-License-Identifier: GPL-2.0-only
# The Versatile's kernel with fast address-space switching for the machine that is compared with and
# without an MMU: its RAM disk is that of s3c24a0-nommu.
KERNEL_OF := versatilepb-fass
BASE      := versatilepb
SERIES    := fass
include configs/anywhere.mk
