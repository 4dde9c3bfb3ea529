# SPDX-License-Identifier: GPL-2.0-only
# A RAM disk with Debian's Apache. Included by rules.mk. (It needs neither MMX nor SSE.)
APACHE          := $(USER)/apache
APACHE_FETCHED  := $(DEBIAN)/apache/.fetched
APACHE_PACKAGES := apache2-bin libc6 libapr1 libaprutil1 libpcre2-8-0 libuuid1 libcrypt1 libexpat1
APACHE_LIBRARIES := ld-linux.so.2 libc.so.6 libapr-1.so.0 libaprutil-1.so.0 libpcre2-8.so.0 libuuid.so.1 libcrypt.so.1 libexpat.so.1
APACHE_ROOT     := $(DEBIAN)/apache/apache2-bin/usr
APACHE_MODULES  := $(shell sed -n 's|^LoadModule .* modules/||p' debian/apache2.conf)

.PHONY: apache
apache: $(IMAGE).$(PACKED) $(IMAGE).vmlinux $(IMAGE)-apache.cpio

$(APACHE_FETCHED): debian/fetch debian/apache.mk
	debian/fetch i386 $(DEBIAN)/apache $(APACHE_PACKAGES)
	touch $@

$(eval $(call debian_suite,$(APACHE),&question_apache,$(FCGI_A)))

$(APACHE)/suite: $(addprefix $(APACHE)/,$(ASKED) apache.o fastcgi_server.o sampled_environment.o own_malloc.o heap.o)
	$(DEBIAN_LD) -o $@ $^ $(FCGI_A)

$(APACHE)/apache_clock.so: $(addprefix $(TOP)/bench/,unix/apache_clock.c unix/sampled.c os/linux.c) $(DEBIAN_H)
	@mkdir -p $(@D)
	$(DEBIAN_CC) -fPIC -shared -Wl,--build-id=none -s -o $@ $(filter %.c,$^)

# For tests, which want the packages alone.
$(APACHE)/fetched: $(APACHE_FETCHED)
	@mkdir -p $(@D)
	touch $@

# Who it runs as.
$(APACHE)/passwd: debian/apache.mk
	@mkdir -p $(@D)
	echo 'www-data:x:33:' > $(APACHE)/group
	echo 'www-data:x:33:33:www-data:/tmp:/bin/sh' > $@

# (A library's name is a link to the file, which the disk has under that name.)
$(IMAGE)-apache.cpio: user/initramfs.list $(OBJECTS)/usr/gen_init_cpio $(USER)/init $(APACHE)/suite $(APACHE)/apache_clock.so \
		$(APACHE)/passwd debian/apache2.conf $(APACHE_FETCHED)
	@mkdir -p $(@D)
	( sed 's|@USER@|$(USER)|' $<; \
		for folder in /lib /etc /etc/apache2 /usr /usr/sbin /usr/lib /usr/lib/apache2 /usr/lib/apache2/modules; do \
			echo "dir $$folder 0755 0 0"; done; \
		echo "nod /dev/null 0666 0 0 c 1 3"; \
		echo "nod /dev/urandom 0444 0 0 c 1 9"; \
		echo "file /bin/suite $(APACHE)/suite 0755 0 0"; \
		echo "file /lib/apache_clock.so $(APACHE)/apache_clock.so 0755 0 0"; \
		for name in passwd group; do echo "file /etc/$$name $(APACHE)/$$name 0644 0 0"; done; \
		echo "file /etc/apache2/apache2.conf debian/apache2.conf 0644 0 0"; \
		echo "file /usr/sbin/apache2 $(APACHE_ROOT)/sbin/apache2 0755 0 0"; \
		for name in $(APACHE_MODULES); do \
			echo "file /usr/lib/apache2/modules/$$name $(APACHE_ROOT)/lib/apache2/modules/$$name 0644 0 0"; done; \
		for name in $(APACHE_LIBRARIES); do \
			file=$$(find $(DEBIAN)/apache -path "*/i386-linux-gnu/$$name" -print -quit); \
			test -n "$$file" || { echo "linux: no $$name in $(APACHE_PACKAGES)" >&2; exit 1; }; \
			echo "file /lib/$$name $$file 0755 0 0"; done ) > $(APACHE)/initramfs.list
	$(OBJECTS)/usr/gen_init_cpio -t 0 $(APACHE)/initramfs.list > $@.new
	mv $@.new $@
