# SPDX-License-Identifier: Apache-2.0
# ARM's part of kernel/Makefile, whose head says what it expects of an arch.mk.
BOARD ?= assabet
SWITCH ?= fass
include $(call folder,board/$(BOARD)) $(call folder,switch/$(SWITCH))

# A board with another processor than its own: BOARD=versatile CPU=arm920 makes
# build/guests/versatile-arm920-fass-test.elf.
CPU ?= $(firstword $(BOARD_CPUS))
$(if $(filter $(CPU),$(BOARD_CPUS)),,$(error CPU=$(CPU): BOARD=$(BOARD) has $(BOARD_CPUS)))
include $(call folder,cpu/$(CPU))
$(if $(filter $(CPU),$(SWITCH_CPUS)),,$(error SWITCH=$(SWITCH) works on $(SWITCH_CPUS), not on $(CPU)))
# For a machine that has another data cache than its processor: DCACHE=16384 makes
# build/guests/assabet-fass-dcache16384-test.elf.
DCACHE ?= $(CPU_DCACHE)
# By which rule schemes with domains recycle them, which few builds choose: POLICY=lru makes
# build/guests/assabet-fass-lru-test.elf.
POLICY_DEFAULT := clean-first
POLICY ?= $(POLICY_DEFAULT)
include $(call folder,policy/$(POLICY))

ARCH_BOARD := $(BOARD)$(if $(filter-out $(firstword $(BOARD_CPUS)),$(CPU)),-$(CPU))
ARCH_SWITCH := $(SWITCH)$(if $(filter-out $(POLICY_DEFAULT),$(POLICY)),-$(POLICY))$(if $(filter-out $(CPU_DCACHE),$(DCACHE)),-dcache$(DCACHE))
ARCH_CPU := -mcpu=$(CPU_COMPILER)
ARCH_DEFINES := $(if $(DCACHE),-DCPU_DCACHE_BYTES=$(DCACHE))
ARCH_FOLDERS := cpu/$(CPU) policy/$(POLICY) policy/common cpu/common
ARCH_OBJS := boot entry ipc_path fault_path yield_path lipc_path switch kip ptab bootinfo offsets cpu/$(CPU_CODE)/cpu
# As they are to lie in memory, where what a switch needs is close together.
COMMON_cpd := bypass prepare state reclaim directory domains pages pid_slots
