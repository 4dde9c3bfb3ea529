# SPDX-License-Identifier: GPL-2.0-only
# The same kernel, linked so that its code, data and zeros lie elsewhere: `make shifted SHIFT=2` makes
# BUILD/guests/linux-CONFIG-shift2.zImage and .vmlinux. Included by ../Makefile. The rules of other
# kernels that are linked once more (../overheads) take SHIFT, too.
#
# Which lines meet in a set of a cache and which pages in a set of a TLB, and so what a system call
# takes, depends on where the linker has put things: by a quarter and more, and by chance (Mytkowicz
# et al., "Producing wrong data without doing anything obviously wrong!", ASPLOS 2009). So who
# compares kernels boots each of them in several places. Nothing is compiled anew but the pad.
SHIFT ?= 0
# All code moved alike meets itself in a cache as before. So from the fourth place on, pads lie between the
# objects, too: one kernel's luck with its order is not taken for what its code costs.
#
# By so many pages and lines each: numbers without a common factor with those of the sets.
PAD_TEXT := $(shell echo $$(($(SHIFT) * (3 * 4096 + 5 * 32))))
PAD_DATA := $(shell echo $$(($(SHIFT) * (5 * 4096 + 7 * 32))))
PAD_BSS  := $(shell echo $$(($(SHIFT) * (7 * 4096 + 3 * 32))))

# How such a kernel's files are called.
SUFFIX := $(if $(filter-out 0,$(SHIFT)),-shift$(SHIFT))

SHIFTED := $(CACHE)/$(CONFIG)-shift

.PHONY: shifted
shifted: $(IMAGE)$(SUFFIX).zImage $(IMAGE)$(SUFFIX).vmlinux $(if $(DTB),$(IMAGE).dtb) $(IMAGE)-bench.cpio

# A copy of a kernel's objects, which `relink` can link anew.
define copy_objects
	rm -rf $(@D) && cp -a $(OBJECTS) $(@D)
	mv $(@D)/vmlinux.a $(@D)/unmoved.a
endef

# $(call relink,FOLDER,WORDS): links such a copy with the pad in front of all objects, and takes the
# kernel from there; WORDS are for Linux's make. KCFLAGS must have the value that it had for the
# objects, else all would be compiled anew.
define relink
	@mkdir -p $(@D)
	$(CROSS)gcc -c -DPAD_TEXT=$(PAD_TEXT) -DPAD_DATA=$(PAD_DATA) -DPAD_BSS=$(PAD_BSS) \
		-o $(1)/pad.o shift/pad.S
	rm -f $(1)/vmlinux.a && cd $(1) && \
		$(CROSS)ar t unmoved.a > objects $(if $(filter-out 0 1 2 3,$(SHIFT)),&& \
		$(abspath shift)/between.sh $(CROSS)gcc $(SHIFT) < objects > mixed && \
		mv mixed objects) && $(CROSS)ar cDPrsT vmlinux.a pad.o $$(cat objects)
	$(subst -C $(OBJECTS) ,-C $(1) ,$(KERNEL)) zImage $(2)
	cp $(1)/vmlinux $(@:zImage=vmlinux)
	cp $(1)/arch/arm/boot/zImage $@
endef

$(SHIFTED)/.copied: $(OBJECTS)/arch/arm/boot/zImage
	$(copy_objects)
	touch $@

ifneq ($(SUFFIX),)
$(IMAGE)$(SUFFIX).zImage: shift/pad.S shift/between.sh shift/rules.mk $(SHIFTED)/.copied
	$(call relink,$(SHIFTED))

$(IMAGE)$(SUFFIX).vmlinux: $(IMAGE)$(SUFFIX).zImage
endif
