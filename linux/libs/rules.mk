# SPDX-License-Identifier: GPL-2.0-only
# Shared libraries (docs/shared-libraries.md): a C library from nolibc, the dynamic linker, programs
# that are linked with them, and BUILD/guests/linux-CONFIG-libs.cpio, a RAM disk with all of that.
# Included by ../Makefile; made by its goal `libs`, with the kernel that the configuration has.
LIBS := $(USER)/libs
LD   := $(PYTHON) -m ziglang ld.lld

.PHONY: libs
libs: $(IMAGE).zImage $(IMAGE).vmlinux $(IMAGE)-libs.cpio $(if $(DTB),$(IMAGE).dtb)

# Where libraries are in every process. Text: a megabyte is what a processor's entry covers, two what
# Linux takes at a time. Each library has two of them to itself, in the middle of the 16 MB that
# CONFIG_ARM_FASS gives to a process for its mappings: those fill from both ends. Data: below the
# programs that are linked here, and so in the same page table as theirs.
#   text = 0x80800000 + 16 MB * n, data = 0x10000 + 64 KB * n
AT_0 := --defsym library_text=0x80800000 --defsym library_data=0x10000
AT_1 := --defsym library_text=0x81800000 --defsym library_data=0x20000
PLACE_libc     := $(AT_0)
PLACE_libmore  := $(AT_1)
# What happens if two libraries are given one place: libmore again, under another name.
PLACE_libtaken := $(AT_0)
PROGRAM_BASE   := 0x100000
# The dynamic linker is below 64 KB, where no program is.
LINKER_BASE    := 0x8000

# nolibc with its functions marked: those that are static, or weak and in each program. A library
# has them as functions, a program's files as what is called there. Nobody has `errno` as a variable,
# and a library no beginning of a program.
NOLIBC := $(LIBS)/include
HAVING     := -DNOLIBC_FUNCTION=
CALLING    := -D'NOLIBC_FUNCTION=extern __inline__ __attribute__((__gnu_inline__, __noinline__))'
IN_PROGRAM := -DNOLIBC_PROGRAM $(CALLING)

$(NOLIBC)/nolibc.h: $(OBJECTS)/.headers libs/rules.mk
	rm -rf $(NOLIBC) && mkdir -p $(NOLIBC)
	cp $(SOURCE)/tools/include/nolibc/*.h $(NOLIBC)
	sed -i -E -e 's/^static (__attribute__\(\(.*unused.*\)\))$$/NOLIBC_FUNCTION \1/' \
		-e 's/^__attribute__\(\(weak,(unused.*)\)\)$$/NOLIBC_FUNCTION __attribute__((\1))/' \
		-e 's/^static ((void exit|void \*malloc|unsigned long getauxval)\(.*\);)$$/\1/' \
		-e 's/^int errno __attribute__\(\(weak\)\);$$/int *errno_place(void);/' $(NOLIBC)/*.h
	sed -i '/errno_place/a #define errno (*errno_place())' $(NOLIBC)/errno.h
	sed -i -E -e 's/^__attribute__\(\(weak,used\)\)$$/#ifdef NOLIBC_PROGRAM\n&/' \
		-e 's|^#endif /\* _NOLIBC_CRT_H \*/$$|#endif\n&|' $(NOLIBC)/crt.h
	touch $@

CFLAGS_LIBS := -isystem $(NOLIBC) $(CFLAGS_USER)
HEADERS_LIBS := $(NOLIBC)/nolibc.h $(HEADERS) libs/rules.mk

$(LIBS)/lib/%.o: libs/%.c $(HEADERS_LIBS)
	@mkdir -p $(@D)
	$(CC) $(TARGET) $(CFLAGS_LIBS) -fPIC $(if $(filter libc,$*),$(HAVING),$(CALLING)) \
		-include nolibc.h -c -o $@ $<

$(LIBS)/%.o: libs/%.c $(HEADERS_LIBS)
	@mkdir -p $(@D)
	$(CC) $(TARGET) $(CFLAGS_LIBS) $(IN_PROGRAM) -Iuser -include nolibc.h -c -o $@ $<

$(LIBS)/user/%.o: user/%.c $(HEADERS_LIBS)
	@mkdir -p $(@D)
	$(CC) $(TARGET) $(CFLAGS_LIBS) $(IN_PROGRAM) -include nolibc.h -c -o $@ $<

$(LIBS)/bench/%.o: $(TOP)/bench/%.c $(wildcard $(TOP)/bench/unix/*.h $(TOP)/bench/os/*.h) $(TOP)/include/probe.h \
             $(HEADERS_LIBS)
	@mkdir -p $(@D)
	$(CC) $(TARGET) $(CFLAGS_LIBS) $(IN_PROGRAM) -I$(TOP)/include -include nolibc.h -c -o $@ $<

$(LIBS)/init.o: user/init.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(TARGET) $(CFLAGS_USER) -DRUN -include nolibc.h -c -o $@ $<

# The dynamic linker and what stands beside it are static, with nolibc as it is.
$(addprefix $(LIBS)/,ld.o private.o): $(LIBS)/%.o: libs/%.c $(HEADERS)
	@mkdir -p $(@D)
	$(CC) $(TARGET) $(CFLAGS_USER) -include nolibc.h -c -o $@ $<

# The self-test's program with the tables of libs/test.c.
$(LIBS)/selftest.o: user/selftest.c $(HEADERS_LIBS)
	@mkdir -p $(@D)
	$(CC) $(TARGET) $(CFLAGS_LIBS) $(IN_PROGRAM) -D'TABLES=library_tests' -include nolibc.h -c -o $@ $<

# An instruction that the processor lacks: as for the other programs (../user/programs.mk).
CHECKED = $(OBJDUMP) -d $@ > $@.lst; \
	if grep -E '$(CODE)($(FOREIGN))(eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le)?(\.[nw])?\s' $@.lst; then \
		echo "linux: $@: the processor lacks the instructions above" >&2; rm -f $@; exit 1; fi

# Each library twice: at its place, and wherever there is room.
LINK := $(LD) -shared -e 0 -Bsymbolic --hash-style=sysv -z now -z norelro -z defs -z max-page-size=4096 \
        --gc-sections --undefined-version --version-script libs/exports.map

$(LIBS)/libc.so $(LIBS)/shared/libc.so: $(LIBS)/lib/libc.o
$(foreach name,libmore libtaken libgone,$(LIBS)/$(name).so): $(LIBS)/lib/libmore.o $(LIBS)/libc.so
$(foreach name,libmore libtaken,$(LIBS)/shared/$(name).so): $(LIBS)/lib/libmore.o $(LIBS)/shared/libc.so

$(LIBS)/shared/%.so: libs/library.lds libs/exports.map libs/rules.mk
	@mkdir -p $(@D)
	$(LINK) $(PLACE_$*) -T libs/library.lds -soname $*.so -o $@ $(filter %.o %.so,$^)
	$(CHECKED)
$(LIBS)/%.so: libs/exports.map libs/rules.mk
	@mkdir -p $(@D)
	$(LINK) -z separate-loadable-segments --no-rosegment -soname $*.so -o $@ $(filter %.o %.so,$^)
	$(CHECKED)

# Programs, by what is linked statically: ld.so, init, private; and dynamically.
STATIC_LIBS  := ld.so init private
DYNAMIC_LIBS := selftest low taken lost sh suite hello
$(LIBS)/ld.so: $(LIBS)/ld.o $(USER)/aeabi.o
$(LIBS)/init: $(LIBS)/init.o $(USER)/os.o $(USER)/aeabi.o
$(LIBS)/private: $(LIBS)/private.o $(USER)/aeabi.o
TEST_LIBS := $(addprefix $(LIBS)/,selftest.o test.o user/expect.o user/spaces.o user/os.o user/aeabi.o libc.so)
$(LIBS)/selftest: $(TEST_LIBS) $(LIBS)/libmore.so
$(LIBS)/low: $(TEST_LIBS) $(LIBS)/libmore.so
$(LIBS)/taken: $(TEST_LIBS) $(LIBS)/libtaken.so
$(LIBS)/lost: $(TEST_LIBS) $(LIBS)/libmore.so $(LIBS)/libgone.so
$(LIBS)/sh: $(addprefix $(LIBS)/user/,sh.o os.o aeabi.o) $(LIBS)/libc.so
$(LIBS)/suite: $(patsubst %,$(LIBS)/%.o,$(filter bench/%,$(SUITE))) \
	$(patsubst %,$(USER)/%.o,$(filter l4/%,$(SUITE))) $(LIBS)/libc.so
$(LIBS)/hello: $(LIBS)/bench/unix/hello.o $(LIBS)/libc.so

# Programs are above the places of libraries' data, but for the one that takes such a place.
$(LIBS)/low: BASE_ADDRESS := 0x10000
$(addprefix $(LIBS)/,$(DYNAMIC_LIBS)): BASE_ADDRESS ?= $(PROGRAM_BASE)
$(addprefix $(LIBS)/,$(DYNAMIC_LIBS)): libs/rules.mk
	$(LD) --image-base=$(BASE_ADDRESS) --dynamic-linker=/lib/ld.so --hash-style=sysv -z now -z norelro \
		-z nocopyreloc -z max-page-size=4096 -z separate-loadable-segments --no-rosegment --gc-sections \
		-o $@ $(filter %.o %.so,$^)
	$(CHECKED)
$(LIBS)/ld.so: BASE_ADDRESS := --image-base=$(LINKER_BASE)
$(addprefix $(LIBS)/,$(STATIC_LIBS)): libs/rules.mk
	$(LD) $(filter --image%,$(BASE_ADDRESS)) -static -z norelro -z max-page-size=4096 --no-rosegment \
		--gc-sections -o $@ $(filter %.o,$^)
	$(CHECKED)

ON_DISK := ld.so libc.so libmore.so libtaken.so
$(IMAGE)-libs.cpio: user/initramfs.list $(OBJECTS)/usr/gen_init_cpio libs/rules.mk \
	$(addprefix $(LIBS)/,$(STATIC_LIBS) $(DYNAMIC_LIBS) $(ON_DISK) $(patsubst %,shared/%,$(filter lib%,$(ON_DISK))))
	@mkdir -p $(@D)
	sed 's|@USER@|$(LIBS)|' $< > $(LIBS)/initramfs.list
	( echo "dir /lib 0755 0 0"; echo "dir /lib/shared 0755 0 0"; \
	for name in $(ON_DISK) $(patsubst %,shared/%,$(filter lib%,$(ON_DISK))); do \
		echo "file /lib/$$name $(LIBS)/$$name 0755 0 0"; done; \
	for name in private $(DYNAMIC_LIBS); do echo "file /bin/$$name $(LIBS)/$$name 0755 0 0"; done ) \
		>> $(LIBS)/initramfs.list
	$(OBJECTS)/usr/gen_init_cpio -t 0 $(LIBS)/initramfs.list > $@.new
	mv $@.new $@
