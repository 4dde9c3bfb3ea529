# SPDX-License-Identifier: Apache-2.0
# An RV64 with supervisor mode and Sv39; its data cache needs no cleaning.
CPU_DCACHE := 0
