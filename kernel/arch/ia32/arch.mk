# SPDX-License-Identifier: Apache-2.0
# IA-32's part of kernel/Makefile, whose head says what it expects of an arch.mk.
BOARD ?= isa-pc
SWITCH ?= flush
include $(call folder,board/$(BOARD)) $(call folder,switch/$(SWITCH))

CPU ?= $(firstword $(BOARD_CPUS))
$(if $(filter $(CPU),$(BOARD_CPUS)),,$(error CPU=$(CPU): BOARD=$(BOARD) has $(BOARD_CPUS)))
$(if $(filter $(CPU),$(SWITCH_CPUS)),,$(error SWITCH=$(SWITCH) works on $(SWITCH_CPUS), not on $(CPU)))
include $(call folder,cpu/$(CPU))

# The small-space area of layout.h: 0x20000000 (512 MB), or SMALL_AREA=0x40000000 or 0x80000000, which
# makes build/guests/isa-pc-small-spaces-area0x40000000-test.elf.
SMALL_AREA_DEFAULT := 0x20000000
SMALL_AREA ?= $(SMALL_AREA_DEFAULT)

ARCH_BOARD := $(BOARD)
ARCH_SWITCH := $(SWITCH)$(if $(filter-out $(SMALL_AREA_DEFAULT),$(SMALL_AREA)),-area$(SMALL_AREA))
ARCH_CPU = $(ARCH_PROGRAM_CPU)
ARCH_DEFINES := -DSMALL_AREA=$(SMALL_AREA)
ARCH_FOLDERS := cpu/$(CPU)
ARCH_OBJS := boot entry ipc_path kip ptab bootinfo modules offsets trap ports software_interrupt own_state own_traps own_path screen cpu/$(CPU)/cpu switch
COMMON_small := small
