# SPDX-License-Identifier: Apache-2.0
# How L4 programs are compiled: user/Makefile and bench/Makefile include this file.
#
# They set TOP (the repository); BUILD (where output goes), ARCH, BOARD and CC may be given from outside.
# `$(call program,NAME,BASE,OBJECTS)` makes the rule for $(OUT)/NAME.elf; OBJECTS are named by their
# sources' place in the repository, with the ending .o.

BUILD ?= $(TOP)/build
ARCH ?= arm
BOARD ?= assabet
include $(TOP)/l4/lib/arch/$(ARCH)/arch.mk
# Sigma0 and root programs run where they lie in the board's memory.
BOARD_FACTS := $(TOP)/kernel/arch/$(ARCH)/board/$(BOARD)/facts.mk
include $(BOARD_FACTS)
# The Python that `make setup` has made, if it has; it brings the compiler.
PYTHON ?= $(or $(wildcard $(TOP)/.venv/bin/python),python3)
CC := $(if $(filter default,$(origin CC)),$(PYTHON) -m ziglang cc,$(CC))
CXX := $(if $(filter default,$(origin CXX)),$(PYTHON) -m ziglang c++,$(CXX))

export ZIG_GLOBAL_CACHE_DIR ?= $(abspath $(BUILD)/.zig-cache)
export ZIG_LOCAL_CACHE_DIR ?= $(abspath $(BUILD)/.zig-cache)

TARGET_FLAGS := $(ARCH_TARGET) $(ARCH_PROGRAM_CPU)
# A program carries the files of its children whole: where this checkout lies must not show in them.
# (Sources are named from the repository on, so debug information says no folder that they were compiled in.)
REPRODUCIBLE := -ffile-prefix-map=$(TOP)/= -fdebug-compilation-dir=$(TOP)/
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wundef -Werror $(ARCH_WARNINGS)
# (and what of the programs in user/, bench/ and servers/ is the architecture's)
INCLUDES := -I$(TOP)/l4/include -I$(TOP)/l4/include/l4/arch/$(ARCH) -I$(TOP)/include \
            -I$(TOP)/user/arch/$(ARCH) -I$(TOP)/user/test/arch/$(ARCH) -I$(TOP)/bench/arch/$(ARCH) \
            -I$(TOP)/servers/arch/$(ARCH)
COMMON_FLAGS := $(TARGET_FLAGS) -O2 -ffreestanding -fno-sanitize=undefined \
          -fno-stack-protector -fomit-frame-pointer -fno-unwind-tables \
          -fno-asynchronous-unwind-tables $(ARCH_CFLAGS) $(WARNINGS) $(REPRODUCIBLE) $(INCLUDES)
CFLAGS := -std=c11 $(COMMON_FLAGS)
# There is no runtime for more of C++ than the language itself.
CXXFLAGS := -std=c++17 $(COMMON_FLAGS) -fno-exceptions -fno-rtti -fno-threadsafe-statics
LDFLAGS := $(TARGET_FLAGS) -ffreestanding -nostdlib -static -Wl,--build-id=none \
           -Wl,-z,max-page-size=4096

# The linker script's name follows. The compiler driver does not hand --emit-relocs on.
LINK = $(CC) $(LDFLAGS) -Wl,-T,
LINK_MOVABLE = $(patsubst cc,ld.lld,$(CC)) --emit-relocs -static --build-id=none -z max-page-size=4096 -T

# What every L4 program links; bare ones take RUNTIME only.
RUNTIME := l4/lib/string.o l4/lib/print.o $(ARCH_RUNTIME:%=l4/lib/arch/$(ARCH)/%.o)
LIBRARY := $(ARCH_LIBRARY:%=l4/lib/arch/$(ARCH)/%.o) l4/lib/startup.o l4/lib/stack.o l4/lib/console.o $(RUNTIME)

OBJ := $(BUILD)/obj/$(ARCH)
RULES := $(TOP)/l4/program.mk $(TOP)/l4/lib/arch/$(ARCH)/arch.mk

$(OBJ)/%.o: $(TOP)/%.c $(RULES)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CFLAGS_$(notdir $*)) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

$(OBJ)/%.o: $(TOP)/%.cc $(RULES)
	@mkdir -p $(@D)
	$(CXX) $(CXXFLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

$(OBJ)/%.o: $(TOP)/%.S $(RULES)
	@mkdir -p $(@D)
	$(CC) $(TARGET_FLAGS) $(REPRODUCIBLE) $(INCLUDES) -DWORD_LOG2=$(ARCH_WORD_LOG2) $(ASFLAGS_$(notdir $*)) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

# string.c must not become calls of itself.
CFLAGS_string := -fno-builtin

# NAME, the address it is linked at, OBJECTS
define program
$(OUT)/$(1).elf: $(TOP)/l4/program.lds $(RULES) $(BOARD_FACTS) $(addprefix $(OBJ)/,$(3))
	@mkdir -p $$(@D)
	{ echo 'program_base = $(2);'; cat $$<; } > $$(@:.elf=.lds)
	$(if $(filter $(CHILD_BASE),$(2)),$$(LINK_MOVABLE),$$(LINK))$$(@:.elf=.lds) $(addprefix $(OBJ)/,$(3)) -o $$@
-include $(patsubst %.o,$(OBJ)/%.d,$(3))
endef

# Children lie low in the 32 MB that a space has relocated. Where all programs share one address space
# they are moved from there (user/common/task.c), for which their files have to keep the relocations.
CHILD_BASE := 0x00008000
