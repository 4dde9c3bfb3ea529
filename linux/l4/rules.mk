# SPDX-License-Identifier: GPL-2.0-only
# Linux as a server on L4: `make l4` makes BUILD/linux/l4/linux.elf, a program of the microkernel's, and
# BUILD/guests/linux-l4-SCHEME.elf with the kernel in front (SCHEMES). Included by ../Makefile.
#
# User-Mode Linux for i386 is built as it is, which takes this computer's compiler and a C library of 32 bits; then
# its objects are linked once more, at the root task's address, without those that know a host: in their place
# come `os/`, compiled with the flags of Linux' own files, and `host/`, compiled as programs of L4 are.
#
# `make l4 SHIFT=2` makes linux-l4-SCHEME-shift2.elf, with pads between Linux' objects (../shift): which of its code meets in
# sets of the trace cache is the linker's chance otherwise.
#
# `make l4 KIND=tiny` makes linux-l4-tiny-SCHEME.elf: the least of Linux, in a third of the time (tiny/).
KIND    :=
L4_NAME := l4$(KIND:%=-%)
L4      := $(CACHE)/$(L4_NAME)
L4_OUT  := $(BUILD)/linux/$(L4_NAME)
# What is linked, with SHIFT's pads.
L4_LINK := $(L4_OUT)$(SUFFIX)
SCHEMES ?= flush small-spaces
L4_CONFIG := l4/$(if $(KIND),$(KIND)/$(KIND),l4).config
# A small-space area in which eight programs find regions of 256 MB.
L4_AREA := 0x80000000
# Behind the root task (root-task/root.h): the network driver and the server.
L4_DRIVER_START := 0x01120000
L4_START        := 0x01140000

include $(TOP)/kernel/arch/ia32/board/isa-pc/facts.mk
include $(TOP)/l4/lib/arch/ia32/arch.mk

# The sources, with our patches.
L4_PATCHES := $(sort $(wildcard 6.12/l4/*.patch))
L4_TREE    := $(SOURCE)-l4
L4_READY   := $(L4_TREE)/.patched-$(firstword $(shell cat $(L4_PATCHES) | cksum))

# Headers of the C library that are not the processor's are where those of 64 bits are.
L4_CC   := $(if $(KIND),$(L4)/compiler/cc,gcc -idirafter /usr/include/x86_64-linux-gnu)
L4_MAKE := TREE=$(L4_TREE) $(MAKE) -s -j$(JOBS) -C $(L4_TREE) O=$(L4) ARCH=um SUBARCH=i386 START=$(BOARD_ROOT) \
           CC='$(L4_CC) -ffile-prefix-map=$(L4_TREE)/= -ffile-prefix-map=$(L4)/=' LOCALVERSION= \
           $(if $(KIND),KCFLAGS='-O1 -w')

# What is left out of Linux: all that calls a host, and drivers for files of a host's.
L4_WITHOUT := /os-Linux/|arch/um/drivers/|arch/um/kernel/(irq|sigio|umid|skas/stub)\.o|arch/x86/um/(bugs_32|ptrace_user|stub_segv)\.o

# (The least of Linux has no network; the driver is there, and nobody asks it.)
L4_OS   := console interrupts memory misc process string switches threads time fpu $(if $(KIND),,network)
L4_HVC  := hvc_console hvc_irq
L4_HOST := linux/l4/host/start linux/l4/host/stub linux/l4/host/host linux/l4/host/alias linux/l4/host/timer linux/l4/host/task \
           linux/l4/host/network \
           l4/lib/startup l4/lib/console l4/lib/arch/ia32/syscalls l4/lib/arch/ia32/divide
L4_PROGRAM := l4/lib/startup l4/lib/console l4/lib/stack l4/lib/string l4/lib/print l4/lib/arch/ia32/syscalls l4/lib/arch/ia32/divide
L4_ROOT := l4/lib/arch/ia32/crt0 $(addprefix linux/l4/root-task/,main tasks network) user/common/probe $(L4_PROGRAM)
L4_DRIVER := l4/lib/arch/ia32/crt0 servers/driver servers/ne2000 $(L4_PROGRAM)
L4_O    := $(L4_OS:%=$(L4_OUT)/os/%.o) $(L4_HVC:%=$(L4_OUT)/hvc/%.o) $(L4_HOST:%=$(L4_OUT)/%.o)

.PHONY: l4
l4: $(SCHEMES:%=$(OUT)/linux-$(L4_NAME)-%$(SUFFIX).elf) \
    $(if $(KIND),,$(OUT)/linux-l4.cpio $(IMAGE)-run.cpio $(IMAGE)-bench.cpio $(IMAGE)-pipes.cpio)

# The RAM disk: programs of CONFIG=i386, which need no kernel of it.
L4_PROGRAMS := sh selftest large stress net

$(OUT)/linux-l4.cpio: user/initramfs.list $(OBJECTS)/usr/gen_init_cpio $(USER)/tests/init $(L4_PROGRAMS:%=$(USER)/%) l4/rules.mk
	@mkdir -p $(@D)
	sed 's|@USER@/init|$(USER)/tests/init|' $< > $(L4_OUT)/initramfs.list
	for name in $(L4_PROGRAMS); do echo "file /bin/$$name $(USER)/$$name 0755 0 0"; done >> $(L4_OUT)/initramfs.list
	$(OBJECTS)/usr/gen_init_cpio -t 0 $(L4_OUT)/initramfs.list > $@.new
	mv $@.new $@

$(L4_TREE)/.patched-%: $(SOURCE)/.unpacked
	rm -rf $(L4_TREE) $(CACHE)/l4 $(CACHE)/l4-tiny
	cp -al $(SOURCE) $(L4_TREE)
	for patch in $(L4_PATCHES); do \
		patch -s -f -p1 -d $(L4_TREE) < $$patch || \
			{ echo "linux: $$patch: does not fit the sources in $(SOURCE)" >&2; exit 1; }; done
	touch $@

# By what is in these files, not by when a checkout got them: the objects are for all checkouts. So the compiler is
# there, too. (What it keeps knows of no dependencies.)
L4_COMPILER := $(if $(KIND),l4/tiny/cc l4/tiny/headers.h)
L4_MADE_OF  := $(L4)/.made-of-$(firstword $(shell cat $(L4_CONFIG) $(L4_COMPILER) | cksum))

$(L4_MADE_OF): $(L4_READY)
	$(if $(KIND),rm -rf $(L4))
	@mkdir -p $(@D)
	rm -f $(L4)/.made-of-*
	$(if $(KIND),mkdir $(L4)/compiler && cp $(L4_COMPILER) $(L4)/compiler)
	$(L4_MAKE) KCONFIG_ALLCONFIG=$(abspath $(L4_CONFIG)) allnoconfig
	@! grep -E '^CONFIG_' $(L4_CONFIG) | grep -vxFf $(L4)/.config || \
		{ echo "linux: $(L4_CONFIG): the lines above did not get into the configuration" >&2; exit 1; }
	touch $@

$(L4)/vmlinux: $(L4_MADE_OF)
	$(L4_MAKE) vmlinux
	touch $@

$(L4)/.flags: $(L4)/vmlinux
	sed -n 's/^savedcmd_[^ ]* := //; s/ -Wp,-MMD,[^ ]*//; s/ -D_*KBUILD_[^ ]*//g; s/ -c -o .*//p' \
		$(L4)/arch/um/kernel/.trap.o.cmd > $@

L4_KERNEL_CC = cd $(L4) && $$(cat .flags) -ffile-prefix-map=$(TOP)/= -DKBUILD_MODFILE='"l4"' \
    -DKBUILD_BASENAME='"$(*F)"' -DKBUILD_MODNAME='"l4"' -D__KBUILD_MODNAME=kmod_l4

$(L4_OUT)/os/%.o: l4/os/%.c l4/os/layer.h l4/os/fpu.h l4/host/host.h l4/root-task/root.h l4/rules.mk $(L4)/.flags
	@mkdir -p $(@D)
	$(L4_KERNEL_CC) -Werror -I$(L4_TREE)/drivers/tty/hvc -c -o $(abspath $@) $(abspath $<)

# Linux' own driver, for whose configuration an architecture has to ask.
$(L4_OUT)/hvc/%.o: $(L4)/.flags l4/rules.mk
	@mkdir -p $(@D)
	$(L4_KERNEL_CC) -I$(L4_TREE)/drivers/tty/hvc -c -o $(abspath $@) $(L4_TREE)/drivers/tty/hvc/$*.c

L4_FLAGS := $(ARCH_TARGET) $(ARCH_PROGRAM_CPU) -ffile-prefix-map=$(TOP)/= -I$(TOP)/l4/include \
            -I$(TOP)/l4/include/l4/arch/ia32 -I$(TOP)/include
L4_CFLAGS := -std=c11 -O2 -ffreestanding -fno-sanitize=undefined -fno-stack-protector -fomit-frame-pointer \
             -fno-unwind-tables -fno-asynchronous-unwind-tables -g0 $(ARCH_CFLAGS) -Wall -Wextra -Wshadow \
             -Wconversion -Wundef -Werror

$(L4_OUT)/%.o: $(TOP)/%.c $(wildcard l4/host/*.h l4/root-task/*.h $(TOP)/servers/*.h $(TOP)/l4/include/l4/*.h) l4/rules.mk
	@mkdir -p $(@D)
	$(CC) $(L4_FLAGS) $(L4_CFLAGS) -c -o $@ $<

$(L4_OUT)/%.o: $(TOP)/%.S l4/rules.mk
	@mkdir -p $(@D)
	$(CC) $(L4_FLAGS) -g0 -c -o $@ $<

# The objects in the order of Linux' own link, by which the calls of its initialisation go.
$(L4_LINK)/linux.elf: $(L4_O) shift/between.sh
	@mkdir -p $(@D)
	sed 's/$(BOARD_ROOT)/$(L4_START)/' $(L4)/arch/um/kernel/vmlinux.lds > $(@D)/linux.lds
	ar t $(L4)/vmlinux.a | grep -vE '$(L4_WITHOUT)' > $(@D)/objects
	$(if $(SUFFIX),cd $(@D) && $(abspath shift/between.sh) 'gcc -m32' $(SHIFT) < objects > mixed && \
		sed 's|^pad-|$(abspath $(@D))/&|' mixed > objects)
	cd $(L4) && ld -m elf_i386 --no-warn-rwx-segments -z noexecstack -z max-page-size=4096 --build-id=none \
		-T $(abspath $(@D))/linux.lds -e _start -o $(abspath $@) @$(abspath $(@D))/objects \
		$(abspath $(L4_O)) lib/lib.a $$(gcc -m32 -print-libgcc-file-name)

# The network driver, of the multi-server system (servers/).
$(L4_OUT)/driver.elf: $(L4_DRIVER:%=$(L4_OUT)/%.o) $(TOP)/l4/program.lds l4/rules.mk
	{ echo 'program_base = $(L4_DRIVER_START);'; cat $(TOP)/l4/program.lds; \
		echo 'ASSERT(_program_end <= $(L4_START), "the network driver does not fit before the server")'; } > $(@:.elf=.lds)
	ld -m elf_i386 --no-warn-rwx-segments -z noexecstack -z max-page-size=4096 --build-id=none -T $(@:.elf=.lds) \
		-o $@ $(L4_DRIVER:%=$(L4_OUT)/%.o)

# The root task, with the driver's and Linux' images behind it where they are linked (Linux' begins with a section,
# after the place of ELF's headers).
L4_ENTRY = $$(readelf -h $1 | sed -n 's/.*Entry point address: *//p')

$(L4_LINK)/server.S: $(L4_LINK)/linux.elf $(L4_OUT)/driver.elf
	objcopy -O binary $< $(@D)/linux.bin
	objcopy -O binary $(L4_OUT)/driver.elf $(@D)/driver.bin
	printf '%s\n' '.section .rodata' '.globl root_driver_entry, root_server_entry' \
		"root_driver_entry: .long $(call L4_ENTRY,$(L4_OUT)/driver.elf)" \
		"root_server_entry: .long $(call L4_ENTRY,$<)" \
		'.section .driver, "awx"' '.incbin "$(abspath $(@D))/driver.bin"' \
		'.section .server, "awx"' \
		".space 0x$$(objdump -h $< | sed -n '/^Idx/{n;s/^ *0 [^ ]* *[^ ]* *\([0-9a-f]*\).*/\1/p}') - $(L4_START)" \
		'.incbin "$(abspath $(@D))/linux.bin"' > $@

$(L4_LINK)/root.elf: $(L4_ROOT:%=$(L4_OUT)/%.o) $(L4_LINK)/server.S l4/root-task/root.lds
	gcc -m32 -c -o $(@D)/server.o $(@D)/server.S
	ld -m elf_i386 --no-warn-rwx-segments -z noexecstack -z max-page-size=4096 --build-id=none -T l4/root-task/root.lds \
		-o $@ $(L4_ROOT:%=$(L4_OUT)/%.o) $(@D)/server.o

# The microkernel with both.
$(SCHEMES:%=$(OUT)/linux-$(L4_NAME)-%$(SUFFIX).elf): $(OUT)/linux-$(L4_NAME)-%$(SUFFIX).elf: $(L4_LINK)/root.elf FORCE
	@mkdir -p $(@D)
	$(MAKE) -s -C $(TOP)/kernel ARCH=ia32 BOARD=isa-pc SWITCH=$* PROGRAM=linux-$(L4_NAME)$(SUFFIX) BUILD=$(BUILD) \
		PROGRAM_ELF=$(abspath $<) $(if $(filter-out flush,$*),SMALL_AREA=$(L4_AREA)) \
		IMAGE=$(abspath $@)
