# SPDX-License-Identifier: Apache-2.0
# Where programs are linked, by BOARD. Sigma0 and root programs run where they lie in memory: the
# kernel keeps 1 MB and 8 MB for them behind its own 9 MB (kernel/arch/arm/layout.h).
BOARD ?= assabet
SIGMA0_BASE_assabet := 0xc0900000
ROOT_BASE_assabet := 0xc0a00000
SIGMA0_BASE_versatile := 0x00900000
ROOT_BASE_versatile := 0x00a00000
SIGMA0_BASE := $(SIGMA0_BASE_$(BOARD))
ROOT_BASE := $(ROOT_BASE_$(BOARD))
