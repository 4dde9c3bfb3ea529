# SPDX-License-Identifier: GPL-2.0-only
# Kernel modules that the stress program loads, asks and unloads. Included by ../Makefile.
MODULES   := $(USER)/modules
ANSWERERS := 1 2 3 4
KO        := $(if $(ANYWHERE),,$(ANSWERERS:%=$(MODULES)/answer%.ko))

# One source under several names, in a folder of its own: that is where its objects get to.
$(KO) &: modules/answer.c modules/rules.mk $(BOOT)/$(PACKED)
	rm -rf $(MODULES) && mkdir -p $(MODULES)
	for n in $(ANSWERERS); do cp $< $(MODULES)/answer$$n.c && \
		printf 'obj-m += answer%s.o\nCFLAGS_answer%s.o := -DNUMBER=%s\n' $$n $$n $$n; done \
		> $(MODULES)/Kbuild
	$(KERNEL) modules_prepare
	$(KERNEL) M=$(MODULES) KBUILD_EXTRA_SYMBOLS=$(OBJECTS)/vmlinux.symvers modules
