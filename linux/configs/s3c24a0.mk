# SPDX-License-Identifier: GPL-2.0-only
# The Versatile's unmodified kernel for a machine that is compared with and without an MMU: its RAM
# disk, of programs that run on both, is that of s3c24a0-nommu.
KERNEL_OF := versatilepb
include configs/anywhere.mk
