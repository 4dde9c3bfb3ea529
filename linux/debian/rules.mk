# SPDX-License-Identifier: GPL-2.0-only
# BUILD/guests/linux-CONFIG-database.cpio: a RAM disk with the question of bench/unix about a database server, which is
# SQLite as Debian compiled it. The suite is linked with it and with a C library of 32 bits of this computer, for which
# it takes the packages that `make l4` takes. Included by ../Makefile; made by its goal `database`, with the
# configuration's kernel.
DEBIAN    := $(CACHE)/debian
DATABASE  := $(USER)/database
SQLITE    := $(DEBIAN)/libsqlite3-dev/usr
SQLITE_A  := $(SQLITE)/lib/i386-linux-gnu/libsqlite3.a
DATABASED := $(addprefix $(DATABASE)/,suite.o measure.o children.o bandwidth.o database.o linux.o)

.PHONY: database
database: $(IMAGE).$(PACKED) $(IMAGE).vmlinux $(IMAGE)-database.cpio

$(SQLITE_A): debian/fetch
	debian/fetch i386 $(DEBIAN) libsqlite3-dev
	touch $@

DEBIAN_CC := gcc -m32 -std=gnu11 -O2 -g0 -fno-pie -fcf-protection=none -ffile-prefix-map=$(TOP)/= -D_GNU_SOURCE \
             -I$(TOP)/include -idirafter /usr/include/x86_64-linux-gnu -Wall -Wextra -Wshadow -Wundef -Werror

DATABASE_NEEDS := $(TOP)/bench/unix/suite.h $(TOP)/bench/os/unix.h $(TOP)/include/probe.h debian/rules.mk $(SQLITE_A)

define DATABASE_COMPILE
@mkdir -p $(@D)
$(DEBIAN_CC) -I$(SQLITE)/include -D'QUESTIONS=&question_database' -c -o $@ $<
endef

$(DATABASE)/%.o: $(TOP)/bench/unix/%.c $(DATABASE_NEEDS)
	$(DATABASE_COMPILE)

$(DATABASE)/%.o: $(TOP)/bench/os/%.c $(DATABASE_NEEDS)
	$(DATABASE_COMPILE)

# (SQLite can load extensions, which a static program has none of.)
$(DATABASE)/suite: $(DATABASED)
	gcc -m32 -static -no-pie -Wl,--build-id=none -Wl,--no-warnings -s -o $@ $^ $(SQLITE_A) -lm

$(IMAGE)-database.cpio: user/initramfs.list $(OBJECTS)/usr/gen_init_cpio $(USER)/init $(DATABASE)/suite debian/rules.mk
	@mkdir -p $(@D)
	( sed 's|@USER@|$(USER)|' $<; echo "file /bin/suite $(DATABASE)/suite 0755 0 0" ) > $(DATABASE)/initramfs.list
	$(OBJECTS)/usr/gen_init_cpio -t 0 $(DATABASE)/initramfs.list > $@.new
	mv $@.new $@
