# SPDX-License-Identifier: GPL-2.0-only
# The programs of the RAM disk: static, with nolibc from the kernel's own sources as C library,
# made by the pinned compiler. Included by ../Makefile.
INIT     := init os $(RUNTIME)
SH       := sh os $(RUNTIME)
TESTS    := selftest expect process signals pipes sockets locks memory shared swap swap_disk disk together spaces $(OWN_TESTS) forking threads time os
STRESS   := stress draw stress_memory stress_process stress_shared stress_threads stress_swap stress_modules threads swap_disk expect os $(RUNTIME) $(OWN_STRESS)
RANDOM   := random random_plan random_memory random_turns draw threads expect os $(RUNTIME) $(OWN_STRESS)
LARGE    := large os $(RUNTIME)
TURNS    := turns expect os $(RUNTIME)
NETWORK  := net os $(RUNTIME)
# The suite of benchmarks (bench/unix), which has no file of this folder in it: its licence is not
# this folder's.
SUITE    := $(addprefix bench/unix/,suite measure children potato ctx bandwidth process call memory \
            signal extreme sharing prefork) bench/os/linux $(SUITE_OWN)
HELLO    := bench/unix/hello
BENCH    := $(if $(BENCHMARKS),$(addprefix $(USER)/,init $(if $(ANYWHERE),,sh) suite hello))
PROGRAMS := $(sort $(BENCH) $(if $(ANYWHERE),,$(addprefix $(USER)/,tests/init sh selftest stress random large turns $(MORE))))

# Programs are where the linker puts them, or (ANYWHERE) where there is room: then they relocate
# themselves, have a stack of a fixed size where there is no MMU, and fork() is the system call of
# that name, which such a kernel refuses; clone(), which nolibc takes, goes on in the same memory.
ifdef ANYWHERE
PLACED := -fPIE -D'sys_fork()=my_syscall0(__NR_fork)'
LINKED := -pie -Wl,-e,start_anywhere -Wl,-z,norelro -Wl,-z,max-page-size=4096 \
          -Wl,-z,stack-size=32768
BEGIN  := bench/os/relocate
else
PLACED := -fno-pic
endif

CFLAGS_USER := -std=gnu11 -O2 -ffreestanding -fno-sanitize=undefined -g0 -fno-stack-protector \
    $(PLACED) -fno-unwind-tables -ffunction-sections -Wall -Wextra -Wshadow -Wundef -Werror \
    -Iuser -Iuser/$(ARCH) -isystem $(SOURCE)/tools/include/nolibc -isystem $(OBJECTS)/usr/include -DEND=$(END)
HEADERS := user/test.h user/stress.h user/random.h user/draw.h user/threads.h user/os.h user/thumb.h $(wildcard user/$(ARCH)/*.h) user/programs.mk configs/$(CONFIG).mk \
           $(OBJECTS)/.headers
OBJDUMP ?= $(CROSS)objdump

$(USER)/%.o: user/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(TARGET) $(CFLAGS_USER) -include nolibc.h -c -o $@ $<

# The tables that this architecture's self-test has.
$(USER)/selftest.o: CFLAGS_USER += $(if $(TABLES),-D'TABLES=$(TABLES)')

# The machine's counters.
$(USER)/turns.o: CFLAGS_USER += -I$(TOP)/include
$(USER)/turns.o: $(TOP)/include/probe.h

# The init of the disk that has the stress program. That beside the benchmarks stays as it is, lest
# what is measured there change with the tests.
$(USER)/tests/init.o: user/init.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(TARGET) $(CFLAGS_USER) -DSTRESS='"/bin/stress"' -DRUN -include nolibc.h -c -o $@ $<

# From elsewhere in the repository, under their places in it. nolibc's types do not convert as
# Switchyard's own code has it, but it does as -Wall and -Wextra want.
$(USER)/bench/%.o: $(TOP)/bench/%.c $(wildcard $(TOP)/bench/unix/*.h $(TOP)/bench/os/*.h) $(TOP)/include/probe.h \
             $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(TARGET) $(CFLAGS_USER) -I$(TOP)/include -include nolibc.h -c -o $@ $<

# The questions that the suite has on this architecture alone.
$(USER)/bench/unix/suite.o: CFLAGS_USER += $(if $(QUESTIONS),-D'OWN_QUESTIONS=$(QUESTIONS)')

$(USER)/l4/%.o: $(TOP)/l4/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(TARGET) $(CFLAGS_USER) -c -o $@ $<

# Without -g0 an object of assembly names the place of its source.
$(USER)/l4/%.o: $(TOP)/l4/%.S $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(TARGET) -g0 -c -o $@ $<

# Thumb system calls have their number in r7, which must not be the frame pointer then.
$(USER)/thumb/%.o: user/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(THUMB) $(CFLAGS_USER) -fomit-frame-pointer -DNOLIBC_OMIT_FRAME_POINTER \
		-include user/thumb.h -c -o $@ $<

$(PROGRAMS): $(BEGIN:%=$(USER)/%.o)
$(USER)/init: $(INIT:%=$(USER)/%.o)
$(USER)/tests/init: $(USER)/tests/init.o $(USER)/os.o $(RUNTIME:%=$(USER)/%.o)
$(USER)/sh: $(SH:%=$(USER)/%.o)
$(USER)/stress: $(STRESS:%=$(USER)/%.o)
$(USER)/random: $(RANDOM:%=$(USER)/%.o)
$(USER)/large: $(LARGE:%=$(USER)/%.o)
$(USER)/turns: $(TURNS:%=$(USER)/%.o)
$(USER)/net: $(NETWORK:%=$(USER)/%.o)
$(USER)/suite: $(SUITE:%=$(USER)/%.o)
$(USER)/hello: $(HELLO:%=$(USER)/%.o)
$(USER)/selftest: $(TESTS:%=$(USER)/%.o) $(RUNTIME:%=$(USER)/%.o)
$(USER)/selftest-thumb: $(TESTS:%=$(USER)/thumb/%.o) $(RUNTIME:%=$(USER)/%.o)

# Refused if it has an instruction that the processor lacks.
$(PROGRAMS):
	$(CC) $(TARGET) -nostdlib -static $(LINKED) -Wl,--gc-sections -o $@ $^
	$(OBJDUMP) -d $@ > $@.lst
	$(REFUSE)
