# SPDX-License-Identifier: GPL-2.0-only
# The kernel with the code of this folder in it, which measures the overheads of context switches
# and interrupts: BUILD/guests/linux-CONFIG-overheads.zImage and .vmlinux, with SHIFT=2 (../shift)
# linux-CONFIG-overheads-shift2. Included by ../Makefile.
#
# Nothing of Linux is changed nor compiled anew: a copy of the unmodified kernel's objects is linked
# once more, with ours behind them. Ours are compiled with the very flags of Linux's lib/crc32.o, as
# are the files of the same sources that the configuration leaves out (deflate, AES).
OVERHEADS := $(CACHE)/$(CONFIG)-overheads
# Ours, then those shared with the microkernel's tasks, then Linux's.
OVERHEADS_OURS  := main switches interrupts marks tasks aes
OVERHEADS_TASKS := data
OVERHEADS_LINUX := lib/zlib_deflate/deflate lib/zlib_deflate/deftree lib/crypto/aes
OVERHEADS_O := $(OVERHEADS_OURS:%=$(OVERHEADS)/overheads/%.o) \
               $(OVERHEADS_TASKS:%=$(OVERHEADS)/overheads/tasks/%.o) \
               $(OVERHEADS_LINUX:%=$(OVERHEADS)/overheads/linux/%.o)

.PHONY: overheads
overheads: $(IMAGE)-overheads$(SUFFIX).zImage $(IMAGE)-overheads$(SUFFIX).vmlinux \
           $(if $(DTB),$(IMAGE).dtb)

$(OVERHEADS)/unmoved.a: $(OBJECTS)/arch/arm/boot/zImage
	$(copy_objects)
	sed -n 's/^savedcmd_[^ ]* := //; s/ -Wp,-MMD,[^ ]*//; s/ -D_*KBUILD_[^ ]*//g; s/ -c -o .*//p' \
		$(OBJECTS)/lib/.crc32.o.cmd > $(OVERHEADS)/.flags
	touch $@

OVERHEADS_CC = cd $(OVERHEADS) && mkdir -p $(@D) && $$(cat .flags) -I$(TREE) -I$(TOP)/include \
    -ffile-prefix-map=$(TOP)/= -DKBUILD_MODFILE='"overheads"' -DKBUILD_BASENAME='"$(*F)"' \
    -DKBUILD_MODNAME='"overheads"' -D__KBUILD_MODNAME=kmod_overheads -c -o $@

$(OVERHEADS)/overheads/%.o: overheads/%.c overheads/overheads.h overheads/rules.mk \
                            $(TOP)/include/probe.h $(OVERHEADS)/unmoved.a
	$(OVERHEADS_CC) -Werror $(abspath $<)

# These want the compiler's own stdint.h and the like, which it has where there is no C library.
$(OVERHEADS)/overheads/tasks/%.o: $(TOP)/bench/tasks/%.c $(TOP)/bench/tasks/tasks.h \
                                  overheads/rules.mk $(OVERHEADS)/unmoved.a
	$(OVERHEADS_CC) -Werror -ffreestanding -isystem $$($(CROSS)gcc -print-file-name=include) $<

# The source is no prerequisite: it is not there before Linux is unpacked.
$(OVERHEADS)/overheads/linux/%.o: $(OVERHEADS)/unmoved.a
	$(OVERHEADS_CC) $(TREE)/$*.c

# What Linux's own link takes besides vmlinux.a; objects given there are linked as they are.
$(IMAGE)-overheads$(SUFFIX).zImage: shift/pad.S shift/rules.mk $(OVERHEADS_O)
	$(call relink,$(OVERHEADS),KBUILD_VMLINUX_LIBS="arch/arm/lib/lib.a lib/lib.a $(OVERHEADS_O)")

$(IMAGE)-overheads$(SUFFIX).vmlinux: $(IMAGE)-overheads$(SUFFIX).zImage
