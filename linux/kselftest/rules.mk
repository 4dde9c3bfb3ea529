# SPDX-License-Identifier: GPL-2.0-only
# The kernel's own self-tests, tools/testing/selftests: those that need nothing but a C library
# (kselftest/list), linked dynamically with Debian's glibc for armel, which takes ARMv5T; and
# BUILD/guests/linux-CONFIG-kselftest.cpio, a RAM disk with them, that library and a program that
# runs one after the other. Included by ../Makefile; made by its goal `kselftest`, with the
# configuration's kernel.
KSELFTEST := $(USER)/kselftest
KSOURCES  := $(SOURCE)/tools/testing/selftests
# A folder's programs stand on the disk under its name and theirs: futex.functional.futex_wait.
KTESTS    := $(shell cat kselftest/list)

# What programs of a folder have in common.
WITH_mm    := mm/vm_util.c mm/thp_settings.c
WITH_memfd := memfd/common.c

.PHONY: kselftest
kselftest: $(IMAGE).zImage $(IMAGE).vmlinux $(IMAGE)-kselftest.cpio $(if $(DTB),$(IMAGE).dtb)

GLIBC := $(addprefix /usr/arm-linux-gnueabi/lib/,libc.so.6 ld-linux.so.3 libgcc_s.so.1)
# What compiling takes besides: the package with the headers has it.
GLIBC_DEV := /usr/arm-linux-gnueabi/lib/libc.a
/usr/arm-linux-gnueabi/%:
	@echo "linux: no $@; install it with: sudo apt-get install libc6-dev-armel-cross" >&2; exit 1

# The compiler's names of processors have no underscore. The tests' warnings are others' concern.
CC_KSELFTEST := $(CROSS)gcc $(subst _,-,$(filter -mcpu=%,$(TARGET))) -O2 -g0 -s -pthread -D_GNU_SOURCE \
    -I$(KSOURCES) -isystem $(OBJECTS)/usr/include -isystem $(SOURCE)/tools/include/uapi

$(addprefix $(KSELFTEST)/,$(KTESTS)): $(KSELFTEST)/%: $(OBJECTS)/.headers $(GLIBC) $(GLIBC_DEV) kselftest/rules.mk
	@mkdir -p $(@D)
	$(CC_KSELFTEST) -w -I$(KSOURCES)/$(dir $(subst .,/,$*))../include -o $@ $(KSOURCES)/$(subst .,/,$*).c \
		$(addprefix $(KSOURCES)/,$(WITH_$(firstword $(subst ., ,$*))))

$(KSELFTEST)/run: kselftest/run.c $(OBJECTS)/.headers $(GLIBC) $(GLIBC_DEV) kselftest/rules.mk
	@mkdir -p $(@D)
	$(CC_KSELFTEST) -Wall -Wextra -Werror -o $@ $<

$(KSELFTEST)/init: $(USER)/tests/init
	@mkdir -p $(@D)
	cp $< $@

$(IMAGE)-kselftest.cpio: user/initramfs.list $(OBJECTS)/usr/gen_init_cpio kselftest/list kselftest/rules.mk \
	$(addprefix $(KSELFTEST)/,init run $(KTESTS))
	@mkdir -p $(@D)
	sed 's|@USER@|$(KSELFTEST)|' $< > $(KSELFTEST)/initramfs.list
	( echo "file /bin/kselftest $(KSELFTEST)/run 0755 0 0"; echo "dir /lib 0755 0 0"; \
	for file in $(GLIBC); do echo "file /lib/$${file##*/} $$file 0755 0 0"; done; \
	echo "dir /tests 0755 0 0"; \
	echo "file /tests/list $(CURDIR)/kselftest/list 0644 0 0"; \
	for name in $(KTESTS); do echo "file /tests/$$name $(KSELFTEST)/$$name 0755 0 0"; done ) \
		>> $(KSELFTEST)/initramfs.list
	$(OBJECTS)/usr/gen_init_cpio -t 0 $(KSELFTEST)/initramfs.list > $@.new
	mv $@.new $@
