# SPDX-License-Identifier: Apache-2.0
# How L4 programs are compiled: user/Makefile and bench/Makefile include this file.
#
# They set TOP (the repository); BUILD (where output goes) and CC may be given from outside.
# `$(call program,NAME,BASE,OBJECTS)` makes the rule for $(OUT)/NAME.elf; OBJECTS are named by their
# sources' place in the repository: user/sigma0/main.o.

BUILD ?= $(TOP)/build
# The Python that `make setup` has made, if it has; it brings the compiler.
PYTHON ?= $(or $(wildcard $(TOP)/.venv/bin/python),python3)
CC := $(if $(filter default,$(origin CC)),$(PYTHON) -m ziglang cc,$(CC))
CXX := $(if $(filter default,$(origin CXX)),$(PYTHON) -m ziglang c++,$(CXX))

export ZIG_GLOBAL_CACHE_DIR ?= $(abspath $(BUILD)/.zig-cache)
export ZIG_LOCAL_CACHE_DIR ?= $(abspath $(BUILD)/.zig-cache)

TARGET_FLAGS := --target=arm-freestanding-eabi -mcpu=strongarm1110
# A program carries the files of its children whole: where this checkout lies must not show in them.
REPRODUCIBLE := -ffile-prefix-map=$(TOP)/=
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wundef -Werror
COMMON_FLAGS := $(TARGET_FLAGS) -O2 -ffreestanding -fno-sanitize=undefined \
          -fno-stack-protector -fomit-frame-pointer -fno-unwind-tables \
          -fno-asynchronous-unwind-tables -mno-unaligned-access $(WARNINGS) $(REPRODUCIBLE) \
          -I$(TOP)/l4/include -I$(TOP)/include
CFLAGS := -std=c11 $(COMMON_FLAGS)
# There is no runtime for more of C++ than the language itself.
CXXFLAGS := -std=c++17 $(COMMON_FLAGS) -fno-exceptions -fno-rtti -fno-threadsafe-statics
LDFLAGS := $(TARGET_FLAGS) -ffreestanding -nostdlib -static -Wl,--build-id=none \
           -Wl,-z,max-page-size=4096

# The linker script's name follows. The compiler driver does not hand --emit-relocs on.
LINK = $(CC) $(LDFLAGS) -Wl,-T,
LINK_MOVABLE = $(patsubst cc,ld.lld,$(CC)) --emit-relocs -static --build-id=none -z max-page-size=4096 -T

# What every L4 program links; bare ones take RUNTIME only.
RUNTIME := l4/lib/string.o l4/lib/print.o l4/lib/arch/arm/divide.o l4/lib/arch/arm/aeabi.o
LIBRARY := l4/lib/arch/arm/crt0.o l4/lib/arch/arm/syscalls.o l4/lib/startup.o l4/lib/stack.o l4/lib/console.o \
           $(RUNTIME)

OBJ := $(BUILD)/obj

$(OBJ)/%.o: $(TOP)/%.c $(TOP)/l4/program.mk
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CFLAGS_$(notdir $*)) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

$(OBJ)/%.o: $(TOP)/%.cc $(TOP)/l4/program.mk
	@mkdir -p $(@D)
	$(CXX) $(CXXFLAGS) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

$(OBJ)/%.o: $(TOP)/%.S $(TOP)/l4/program.mk
	@mkdir -p $(@D)
	$(CC) $(TARGET_FLAGS) $(REPRODUCIBLE) -I$(TOP)/l4/include $(ASFLAGS_$(notdir $*)) -MMD -MP -MF $(@:.o=.d) -c $< -o $@

# string.c must not become calls of itself.
CFLAGS_string := -fno-builtin

# NAME, the address it is linked at, OBJECTS
define program
$(OUT)/$(1).elf: $(TOP)/l4/program.lds $(TOP)/l4/program.mk $(addprefix $(OBJ)/,$(3))
	@mkdir -p $$(@D)
	{ echo 'program_base = $(2);'; cat $$<; } > $$(@:.elf=.lds)
	$(if $(filter $(CHILD_BASE),$(2)),$$(LINK_MOVABLE),$$(LINK))$$(@:.elf=.lds) $(addprefix $(OBJ)/,$(3)) -o $$@
-include $(patsubst %.o,$(OBJ)/%.d,$(3))
endef

include $(TOP)/l4/boards.mk
# Children lie low in the 32 MB that a space has relocated. Where all programs share one address space
# they are moved from there (user/common/task.c), for which their files have to keep the relocations.
CHILD_BASE := 0x00008000
