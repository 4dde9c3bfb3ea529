# SPDX-License-Identifier: GPL-2.0-only
# RAM disks with programs of Debian's packages for i386, which the build fetches by their names: the suite with a
# question of bench/unix that is about such a program. Included by ../Makefile; each is made by the goal of its name,
# with the configuration's kernel.
#
#   BUILD/guests/linux-CONFIG-database.cpio    the suite is linked with SQLite
#   BUILD/guests/linux-CONFIG-web.cpio         with libfcgi
#   BUILD/guests/linux-CONFIG-apache.cpio      with libfcgi, and Apache (apache.mk)
#   BUILD/guests/linux-CONFIG-make.cpio        with a compiler, which is TCC, and the microkernel's sources
#   BUILD/guests/linux-CONFIG-x11.cpio         with an X server and x11perf (x11.mk)
#   BUILD/guests/linux-CONFIG-doom.cpio        with an X server and Doom (x11.mk)
#   BUILD/guests/linux-CONFIG-screen.cpio      the same, where the X server draws into the PC's frame buffer
#
# All is linked with a C library of 32 bits of this computer, for which it takes the packages that `make l4` takes.
DEBIAN    := $(CACHE)/debian
SQLITE    := $(DEBIAN)/libsqlite3-dev/usr
SQLITE_A  := $(SQLITE)/lib/i386-linux-gnu/libsqlite3.a
FCGI      := $(DEBIAN)/libfcgi-dev/usr
FCGI_A    := $(FCGI)/lib/i386-linux-gnu/libfcgi.a
TCC       := $(DEBIAN)/libtcc-dev/usr
TCC_A     := $(TCC)/lib/i386-linux-gnu/libtcc.a
TCC_H     := $(DEBIAN)/tcc/usr/lib/i386-linux-gnu/tcc/include
DATABASE  := $(USER)/database
WEB       := $(USER)/web
MADE      := $(USER)/make
ASKED     := suite.o measure.o children.o bandwidth.o linux.o

.PHONY: database web make
web: $(IMAGE).$(PACKED) $(IMAGE).vmlinux $(IMAGE)-web.cpio
database: $(IMAGE).$(PACKED) $(IMAGE).vmlinux $(IMAGE)-database.cpio
make: $(IMAGE).$(PACKED) $(IMAGE).vmlinux $(IMAGE)-make.cpio

$(SQLITE_A): debian/fetch
	debian/fetch i386 $(DEBIAN) libsqlite3-dev
	touch $@

$(FCGI_A): debian/fetch
	debian/fetch i386 $(DEBIAN) libfcgi-dev
	touch $@

$(TCC_A): debian/fetch
	debian/fetch i386 $(DEBIAN) libtcc-dev tcc
	touch $@

DEBIAN_CC := gcc -m32 -std=gnu11 -O2 -g0 -fno-pie -fcf-protection=none -ffile-prefix-map=$(TOP)/= -D_GNU_SOURCE \
             -I$(TOP)/include -I$(TOP)/bench/arch/ia32 -I$(SQLITE)/include -I$(FCGI)/include/fastcgi -I$(FCGI)/include -I$(TCC)/include -idirafter /usr/include/x86_64-linux-gnu \
             -Wall -Wextra -Wshadow -Wundef -Werror
# (A static program has no extensions to load.)
DEBIAN_LD := gcc -m32 -static -no-pie -Wl,--build-id=none -Wl,--no-warnings -s
DEBIAN_H  := $(wildcard $(TOP)/bench/unix/*.h) $(TOP)/bench/os/unix.h $(TOP)/include/probe.h debian/rules.mk

# $1: folder of the objects; $2: the suite's questions; $3: a library that they need.
define debian_suite
$1/%.o: $(TOP)/bench/unix/%.c $(DEBIAN_H) $3
	@mkdir -p $$(@D)
	$(DEBIAN_CC) -D'QUESTIONS=$2' -c -o $$@ $$<

$1/%.o: $(TOP)/bench/os/%.c $(DEBIAN_H)
	@mkdir -p $$(@D)
	$(DEBIAN_CC) -c -o $$@ $$<
endef
$(eval $(call debian_suite,$(DATABASE),&question_database,$(SQLITE_A)))
$(eval $(call debian_suite,$(WEB),&question_web,$(FCGI_A)))
$(eval $(call debian_suite,$(MADE),&question_make,$(TCC_A)))

$(DATABASE)/suite: $(addprefix $(DATABASE)/,$(ASKED) database.o heap.o)
	$(DEBIAN_LD) -o $@ $^ $(SQLITE_A) -lm

$(WEB)/suite: $(addprefix $(WEB)/,$(ASKED) web.o fastcgi_server.o own_malloc.o heap.o)
	$(DEBIAN_LD) -o $@ $^ $(FCGI_A)

$(MADE)/suite: $(addprefix $(MADE)/,$(ASKED) make.o)
	$(DEBIAN_LD) -o $@ $^

$(MADE)/cc: $(addprefix $(MADE)/,cc.o own_malloc.o heap.o)
	$(DEBIAN_LD) -o $@ $^ $(TCC_A) -lm

# Those with nothing but the suite.
$(IMAGE)-database.cpio $(IMAGE)-web.cpio: $(IMAGE)-%.cpio: user/initramfs.list $(OBJECTS)/usr/gen_init_cpio $(USER)/init \
		$(USER)/%/suite debian/rules.mk
	@mkdir -p $(@D)
	( sed 's|@USER@|$(USER)|' $<; echo "file /bin/suite $(USER)/$*/suite 0755 0 0" ) > $(USER)/$*/initramfs.list
	$(OBJECTS)/usr/gen_init_cpio -t 0 $(USER)/$*/initramfs.list > $@.new
	mv $@.new $@

# The microkernel in C for IA-32, with its headers, the interface's, the probe's and the compiler's. (own_state.c and
# switch_impl.c have assembly that is not TCC's.)
MADE_FOLDERS := kernel kernel/arch/ia32 $(addprefix kernel/arch/ia32/,board/isa-pc switch/flush switch/common cpu/pentium4) \
                include l4/include l4/include/l4 l4/include/l4/arch/ia32 l4/include/l4/arch/ia32/l4
MADE_TREE    := $(sort $(wildcard $(addprefix $(TOP)/,$(addsuffix /*.h,$(MADE_FOLDERS)) $(addsuffix /*.c,$(MADE_FOLDERS)))))
MADE_SOURCES := $(filter-out %/own_state.c %/switch_impl.c,$(filter $(TOP)/kernel/%.c,$(MADE_TREE)))
MADE_INCLUDE := /src/tcc $(addprefix /src/,kernel kernel/arch/ia32) \
                $(addprefix /src/kernel/arch/ia32/,board/isa-pc switch/flush switch/common cpu/pentium4) \
                $(addprefix /src/,include l4/include l4/include/l4/arch/ia32)

$(MADE)/files: debian/rules.mk $(MADE_TREE)
	@mkdir -p $(@D)
	echo "/bin/cc -nostdinc $(addprefix -I,$(MADE_INCLUDE)) -DSWITCH_PROTECTS=1 -DSWITCH_RELOCATES=0" \
		'-DSWITCH_NAME=\"flush\" -DSMALL_AREA=0x20000000' > $@
	for file in $(patsubst $(TOP)/%,%,$(MADE_SOURCES)); do echo "/src/$$file"; done >> $@

# (Folders come before what is in them.)
$(IMAGE)-make.cpio: user/initramfs.list $(OBJECTS)/usr/gen_init_cpio $(USER)/init $(MADE)/suite $(MADE)/cc $(MADE)/files \
		debian/stdint.h $(MADE_TREE)
	@mkdir -p $(@D)
	( sed 's|@USER@|$(USER)|' $<; for name in suite cc; do echo "file /bin/$$name $(MADE)/$$name 0755 0 0"; done; \
		for folder in tcc $(MADE_FOLDERS); do \
			while [ $$folder != . ]; do echo "dir /src/$$folder 0755 0 0"; folder=$$(dirname $$folder); done; done | \
			( echo "dir /src 0755 0 0"; LC_ALL=C sort -u ); \
		for file in $(patsubst $(TOP)/%,%,$(MADE_TREE)); do echo "file /src/$$file $(TOP)/$$file 0644 0 0"; done; \
		echo "file /src/files $(MADE)/files 0644 0 0"; \
		for file in debian/stdint.h $(TCC_H)/*.h; do echo "file /src/tcc/$${file##*/} $$file 0644 0 0"; done ) \
		> $(MADE)/initramfs.list
	$(OBJECTS)/usr/gen_init_cpio -t 0 $(MADE)/initramfs.list > $@.new
	mv $@.new $@

include debian/apache.mk
include debian/x11.mk
