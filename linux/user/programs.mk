# SPDX-License-Identifier: GPL-2.0-only
# The programs of the RAM disk: static, with nolibc from the kernel's own sources as C library,
# made by the pinned compiler. Included by ../Makefile.
INIT     := init os aeabi
SH       := sh os aeabi
SELFTEST := selftest process signals pipes sockets locks memory shared code time os aeabi
PROGRAMS := $(USER)/init $(USER)/sh $(USER)/selftest

CFLAGS_USER := $(TARGET) -std=gnu11 -O2 -ffreestanding -fno-sanitize=undefined \
    -g0 -fno-stack-protector -fno-pic -fno-unwind-tables -ffunction-sections -Wall -Wextra -Wshadow \
    -Wundef -Werror -isystem $(SOURCE)/tools/include/nolibc -isystem $(OBJECTS)/usr/include \
    -include nolibc.h
OBJDUMP ?= $(CROSS)objdump

$(USER)/%.o: user/%.c user/test.h user/os.h user/programs.mk configs/$(CONFIG).mk \
             $(OBJECTS)/.headers
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_USER) -c -o $@ $<

$(USER)/init: $(INIT:%=$(USER)/%.o)
$(USER)/sh: $(SH:%=$(USER)/%.o)
$(USER)/selftest: $(SELFTEST:%=$(USER)/%.o)

# A program with an instruction that the processor does not have is no program for it.
$(PROGRAMS):
	$(CC) $(TARGET) -nostdlib -static -Wl,--gc-sections -o $@ $^
	$(OBJDUMP) -d $@ > $@.lst
	@! grep -E '^ +[0-9a-f]+:\s+[0-9a-f]{8}\s+($(FOREIGN))(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?\s' $@.lst || \
		{ echo "linux: $@: the instructions above are not ARMv4" >&2; rm -f $@; exit 1; }
