# SPDX-License-Identifier: GPL-2.0-only
# RAM disks with Debian's X server that draws into its own memory: with x11perf, with Doom, and with Doom where that
# memory is the PC's frame buffer. Included by rules.mk.
X11          := $(USER)/x11
X11_FETCHED  := $(DEBIAN)/x11/.fetched
# Programs and libraries, which is all of them that these two want. (None of them needs MMX or SSE.)
X11_SERVER   := tightvncserver/usr/bin/Xtightvnc
X11_PERF     := x11-apps/usr/bin/x11perf
X11_PACKAGES := libc6 zlib1g libjpeg62-turbo libxext6 libxft2 libxrender1 libx11-6 libxmuu1 libxcb1 libxau6 libxdmcp6 libbsd0 \
                libmd0 libfontconfig1 libfreetype6 libexpat1 libpng16-16 libbrotli1
X11_LIBRARIES := libc.so.6 libm.so.6 libz.so.1 libjpeg.so.62 libXext.so.6 libXft.so.2 libXrender.so.1 libX11.so.6 libXmuu.so.1 \
                 libxcb.so.1 libXau.so.6 libXdmcp.so.6 libbsd.so.0 libmd.so.0 libfontconfig.so.1 libfreetype.so.6 libexpat.so.1 \
                 libpng16.so.16 libbrotlidec.so.1 libbrotlicommon.so.1
X11_FONTS    := 6x13-ISO8859-1 cursor


.PHONY: x11 doom screen
x11 doom screen: %: $(IMAGE).$(PACKED) $(IMAGE).vmlinux $(IMAGE)-%.cpio

$(X11_FETCHED): debian/fetch debian/x11.mk
	debian/fetch i386 $(DEBIAN)/x11 tightvncserver x11-apps xfonts-base x11-common $(X11_PACKAGES)
	touch $@

$(eval $(call debian_suite,$(X11),&question_x11,))

$(X11)/suite: $(addprefix $(X11)/,$(ASKED) x11.o x11_server.o)
	$(DEBIAN_LD) -o $@ $^

# What x11perf takes for the C library's clock, and the server for its sockets; and both for its allocator (heap.h), whose
# memory is to be there twice where Linux is a server.
$(X11)/x11_clock.so: $(TOP)/bench/os/linux.c
$(X11)/own_malloc.so: $(TOP)/bench/unix/heap.c
$(X11)/%.so: $(TOP)/bench/unix/%.c $(DEBIAN_H) debian/x11.mk
	@mkdir -p $(@D)
	$(DEBIAN_CC) -fPIC -shared -D'HEAP=(8u << 20)' -Wl,--build-id=none -s -o $@ $(filter %.c,$^)

# 6x13 is what x11perf asks for, and what the server takes if nothing is asked for.
X11_6X13 := -misc-fixed-medium-r-semicondensed--13-120-75-75-c-60-iso8859-1

$(X11)/fonts.dir: debian/x11.mk
	@mkdir -p $(@D)
	printf '%s\n' 2 '6x13-ISO8859-1.pcf.gz $(X11_6X13)' 'cursor.pcf.gz cursor' > $@
	printf '%s\n' 'fixed $(X11_6X13)' '6x13 $(X11_6X13)' > $(X11)/fonts.alias

# What both disks have: the list of the server with its fonts, and of so many libraries. (A library's name is a link to
# the file, which the disk has under that name.) $1: the libraries.
define x11_list
	sed 's|@USER@|$(USER)|' user/initramfs.list; \
	for folder in /lib /usr /usr/bin /usr/share /usr/share/fonts /usr/share/X11; do echo "dir $$folder 0755 0 0"; done; \
	echo "file /usr/bin/Xtightvnc $(DEBIAN)/x11/$(X11_SERVER) 0755 0 0"; \
	for name in x11_local own_malloc; do echo "file /lib/$$name.so $(X11)/$$name.so 0755 0 0"; done; \
	for name in ld-linux.so.2 $1; do \
		file=$$(find $(DEBIAN)/x11 -path "*/i386-linux-gnu/$$name" -print -quit); \
		test -n "$$file" || { echo "linux: no $$name in $(X11_PACKAGES)" >&2; exit 1; }; \
		echo "file /lib/$$name $$file 0755 0 0"; done; \
	for name in $(X11_FONTS); do \
		echo "file /usr/share/fonts/$$name.pcf.gz $(DEBIAN)/x11/xfonts-base/usr/share/fonts/X11/misc/$$name.pcf.gz 0644 0 0"; done; \
	for name in dir alias; do echo "file /usr/share/fonts/fonts.$$name $(X11)/fonts.$$name 0644 0 0"; done; \
	echo "file /usr/share/X11/rgb.txt $(DEBIAN)/x11/x11-common/etc/X11/rgb.txt 0644 0 0"
endef
X11_FILES := user/initramfs.list $(OBJECTS)/usr/gen_init_cpio $(USER)/init $(X11)/x11_local.so $(X11)/own_malloc.so $(X11)/fonts.dir $(X11_FETCHED)

$(IMAGE)-x11.cpio: $(X11_FILES) $(X11)/suite $(X11)/x11_clock.so
	@mkdir -p $(@D)
	( $(call x11_list,$(X11_LIBRARIES)); \
		echo "file /bin/suite $(X11)/suite 0755 0 0"; \
		echo "file /lib/x11_clock.so $(X11)/x11_clock.so 0755 0 0"; \
		echo "file /usr/bin/x11perf $(DEBIAN)/x11/$(X11_PERF) 0755 0 0" ) > $(X11)/initramfs.list
	$(OBJECTS)/usr/gen_init_cpio -t 0 $(X11)/initramfs.list > $@.new
	mv $@.new $@

# Doom: sources in C from PyPI, where they are part of a package for Python, our platform, and Freedoom's data, of
# which the disk has what the recorded game needs. (The processor has no SSE2 here, and x87 alone computes fractions.)
DOOM         := $(USER)/doom
DOOM_PACKAGE := cydoomgeneric-0.1.0
DOOM_SOURCES := $(CACHE)/pypi/$(DOOM_PACKAGE)
DOOM_FETCHED := $(DOOM_SOURCES)/.unpacked
DOOM_WAD     := $(DEBIAN)/freedoom/usr/share/games/doom/freedoom1.wad
DOOM_CC      := gcc -m32 -std=gnu11 -O2 -g0 -march=pentium4 -mno-mmx -mno-sse -mfpmath=387 -fno-pie -fcf-protection=none \
                -ffile-prefix-map=$(TOP)/= -ffile-prefix-map=$(DOOM_SOURCES)/= -D_GNU_SOURCE -idirafter /usr/include/x86_64-linux-gnu

$(DOOM_FETCHED):
	@mkdir -p $(@D)
	$(PYTHON) -m pip -q --disable-pip-version-check download --no-deps --no-binary $(firstword $(subst -, ,$(DOOM_PACKAGE))) \
		-d $(@D) $(subst -,==,$(DOOM_PACKAGE))
	tar -C $(@D) --strip-components=1 -xf $(@D)/$(DOOM_PACKAGE).tar.gz
	touch $@

$(DOOM_WAD): debian/fetch
	debian/fetch i386 $(DEBIAN) freedoom
	touch $@

# (Their warnings are not ours to mend.)
$(DOOM)/doom: debian/doom/main.c $(DOOM_FETCHED) $(TOP)/include/probe.h debian/x11.mk
	@mkdir -p $(DOOM)/objects
	cd $(DOOM)/objects && ls $(DOOM_SOURCES)/doomgeneric/*.c | xargs -P $(JOBS) -n 8 \
		$(DOOM_CC) -w -DNORMALUNIX -DLINUX -c
	$(DOOM_CC) -Wall -Wextra -Wshadow -Wundef -Werror -I$(DOOM_SOURCES)/doomgeneric -I$(TOP)/include -c -o $(DOOM)/main.o $<
	$(DEBIAN_LD) -Wl,--wrap=I_Error -o $@ $(DOOM)/main.o $(DOOM)/objects/*.o -lm

$(DOOM)/doom.wad: debian/doom/wad.py $(DOOM_WAD)
	@mkdir -p $(@D)
	$(PYTHON) $< $(DOOM_WAD) $@ E1M4 DEMO1

$(eval $(call debian_suite,$(DOOM),&question_doom,))

$(DOOM)/suite: $(addprefix $(DOOM)/,$(ASKED) doom.o x11_server.o)
	$(DEBIAN_LD) -o $@ $^

DOOM_FILES := $(X11_FILES) $(DOOM)/suite $(DOOM)/doom $(DOOM)/doom.wad
define doom_list
	$(call x11_list,libc.so.6 libm.so.6 libz.so.1 libjpeg.so.62); \
	for name in suite doom; do echo "file /bin/$$name $(DOOM)/$$name 0755 0 0"; done; \
	echo "file /usr/share/doom.wad $(DOOM)/doom.wad 0644 0 0"
endef

$(IMAGE)-doom.cpio: $(DOOM_FILES)
	@mkdir -p $(@D)
	( $(doom_list) ) > $(DOOM)/initramfs.list
	$(OBJECTS)/usr/gen_init_cpio -t 0 $(DOOM)/initramfs.list > $@.new
	mv $@.new $@

# The same, and what the X server is given to be seen.
$(IMAGE)-screen.cpio: $(DOOM_FILES) $(X11)/x11_screen.so
	@mkdir -p $(@D)
	( $(doom_list); echo "file /lib/x11_screen.so $(X11)/x11_screen.so 0755 0 0" ) > $(DOOM)/screen.list
	$(OBJECTS)/usr/gen_init_cpio -t 0 $(DOOM)/screen.list > $@.new
	mv $@.new $@
