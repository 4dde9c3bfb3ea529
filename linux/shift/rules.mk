# SPDX-License-Identifier: GPL-2.0-only
# The same kernel, linked so that its code, data and zeros lie elsewhere: `make shifted SHIFT=2` makes
# BUILD/guests/linux-CONFIG-shift2.zImage and .vmlinux. Included by ../Makefile.
#
# Which lines meet in a set of a cache and which pages in a set of a TLB, and so what a system call
# takes, depends on where the linker has put things: by a quarter and more, and by chance (Mytkowicz
# et al., "Producing wrong data without doing anything obviously wrong!", ASPLOS 2009). So who
# compares kernels boots each of them in several places. Nothing is compiled anew but the pad.
SHIFT ?= 1
# By so many pages and lines each: numbers without a common factor with those of the sets.
PAD_TEXT := $(shell echo $$(($(SHIFT) * (3 * 4096 + 5 * 32))))
PAD_DATA := $(shell echo $$(($(SHIFT) * (5 * 4096 + 7 * 32))))
PAD_BSS  := $(shell echo $$(($(SHIFT) * (7 * 4096 + 3 * 32))))

SHIFTED := $(CACHE)/$(CONFIG)-shift
MOVED   := $(IMAGE)-shift$(SHIFT)

.PHONY: shifted
shifted: $(MOVED).zImage $(MOVED).vmlinux $(if $(DTB),$(IMAGE).dtb) $(IMAGE)-bench.cpio

$(SHIFTED)/.copied: $(OBJECTS)/arch/arm/boot/zImage
	rm -rf $(SHIFTED) && cp -a $(OBJECTS) $(SHIFTED)
	mv $(SHIFTED)/vmlinux.a $(SHIFTED)/unmoved.a
	touch $@

# The archive of all objects has the pad in front. KCFLAGS must have the value that it had for the
# objects, else all would be compiled anew.
$(MOVED).zImage: shift/pad.S shift/rules.mk $(SHIFTED)/.copied
	@mkdir -p $(@D)
	$(CROSS)gcc -c -DPAD_TEXT=$(PAD_TEXT) -DPAD_DATA=$(PAD_DATA) -DPAD_BSS=$(PAD_BSS) \
		-o $(SHIFTED)/pad.o $<
	rm -f $(SHIFTED)/vmlinux.a && cd $(SHIFTED) && \
		$(CROSS)ar cDPrsT vmlinux.a pad.o $$($(CROSS)ar t unmoved.a)
	$(subst -C $(OBJECTS) ,-C $(SHIFTED) ,$(KERNEL)) zImage
	cp $(SHIFTED)/vmlinux $(MOVED).vmlinux
	cp $(SHIFTED)/arch/arm/boot/zImage $@

$(MOVED).vmlinux: $(MOVED).zImage
