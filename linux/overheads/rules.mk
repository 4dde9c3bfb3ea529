# SPDX-License-Identifier: GPL-2.0-only
# The kernel with the code of this folder in it, which measures the overheads of context switches
# and interrupts: BUILD/guests/linux-CONFIG-overheads.zImage and .vmlinux. Included by ../Makefile.
#
# Nothing of Linux is changed nor compiled anew: a copy of the unmodified kernel's objects is linked
# once more, with ours behind them. Ours are compiled with the very flags of Linux's lib/crc32.o, as
# are the files of the same sources that the configuration leaves out (deflate, AES).
OVERHEADS := $(CACHE)/$(CONFIG)-overheads
# Ours, then Linux's.
OVERHEADS_OURS  := main switches interrupts marks tasks aes
OVERHEADS_LINUX := lib/zlib_deflate/deflate lib/zlib_deflate/deftree lib/crypto/aes
OVERHEADS_O := $(OVERHEADS_OURS:%=$(OVERHEADS)/overheads/%.o) \
               $(OVERHEADS_LINUX:%=$(OVERHEADS)/overheads/linux/%.o)

.PHONY: overheads
overheads: $(IMAGE)-overheads.zImage $(IMAGE)-overheads.vmlinux $(if $(DTB),$(IMAGE).dtb)

$(OVERHEADS)/.copied: $(OBJECTS)/arch/arm/boot/zImage
	rm -rf $(OVERHEADS) && cp -a $(OBJECTS) $(OVERHEADS)
	sed -n 's/^savedcmd_[^ ]* := //; s/ -Wp,-MMD,[^ ]*//; s/ -D_*KBUILD_[^ ]*//g; s/ -c -o .*//p' \
		$(OBJECTS)/lib/.crc32.o.cmd > $(OVERHEADS)/.flags
	touch $@

OVERHEADS_CC = cd $(OVERHEADS) && mkdir -p $(@D) && $$(cat .flags) -I$(SOURCE) -I$(TOP)/include \
    -ffile-prefix-map=$(TOP)/= -DKBUILD_MODFILE='"overheads"' -DKBUILD_BASENAME='"$(*F)"' \
    -DKBUILD_MODNAME='"overheads"' -D__KBUILD_MODNAME=kmod_overheads -c -o $@

$(OVERHEADS)/overheads/%.o: overheads/%.c overheads/overheads.h overheads/rules.mk \
                            $(TOP)/include/probe.h $(OVERHEADS)/.copied
	$(OVERHEADS_CC) -Werror $(abspath $<)

# The source is no prerequisite: it is not there before Linux is unpacked.
$(OVERHEADS)/overheads/linux/%.o: $(OVERHEADS)/.copied
	$(OVERHEADS_CC) $(SOURCE)/$*.c

# What Linux's own link takes besides vmlinux.a; objects given there are linked as they are. The
# value of KCFLAGS must be that of the unmodified kernel, else all would be compiled anew.
$(OVERHEADS)/.linked: $(OVERHEADS_O)
	$(subst -C $(OBJECTS) ,-C $(OVERHEADS) ,$(KERNEL)) zImage \
		KBUILD_VMLINUX_LIBS="arch/arm/lib/lib.a lib/lib.a $(OVERHEADS_O)"
	touch $@

$(IMAGE)-overheads.zImage: $(OVERHEADS)/.linked
	@mkdir -p $(@D)
	cp $(OVERHEADS)/arch/arm/boot/zImage $@

$(IMAGE)-overheads.vmlinux: $(OVERHEADS)/.linked
	@mkdir -p $(@D)
	cp $(OVERHEADS)/vmlinux $@
