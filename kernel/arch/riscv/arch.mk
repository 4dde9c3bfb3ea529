# SPDX-License-Identifier: Apache-2.0
# RISC-V's part of kernel/Makefile, whose head says what it expects of an arch.mk.
BOARD ?= virt
SWITCH ?= flush
include $(call folder,board/$(BOARD)) $(call folder,switch/$(SWITCH))

CPU ?= $(firstword $(BOARD_CPUS))
$(if $(filter $(CPU),$(BOARD_CPUS)),,$(error CPU=$(CPU): BOARD=$(BOARD) has $(BOARD_CPUS)))
$(if $(filter $(CPU),$(SWITCH_CPUS)),,$(error SWITCH=$(SWITCH) works on $(SWITCH_CPUS), not on $(CPU)))
include $(call folder,cpu/$(CPU))

ARCH_BOARD := $(BOARD)
ARCH_SWITCH := $(SWITCH)
ARCH_CPU = $(ARCH_PROGRAM_CPU)
ARCH_DEFINES :=
ARCH_FOLDERS := cpu/$(CPU)
ARCH_OBJS := boot machine entry ipc_path lipc_path switch kip ptab bootinfo offsets trap
COMMON_root := root
