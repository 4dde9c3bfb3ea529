# SPDX-License-Identifier: GPL-2.0-only
# BUILD/guests/linux-CONFIG-run.cpio: a RAM disk that runs somebody's program, which is put behind it as
# another archive (`switchyard boot --run`). Included by ../Makefile; made by its goal `run`, with the
# configuration's kernel.
RUN := $(USER)/run

.PHONY: run
run: $(IMAGE).$(PACKED) $(IMAGE).vmlinux $(IMAGE)-run.cpio $(if $(DTB),$(IMAGE).dtb)

$(RUN)/init.o: run/init.c $(HEADERS) $(TOP)/include/probe.h run/rules.mk
	@mkdir -p $(@D)
	$(CC) $(TARGET) $(CFLAGS_USER) -I$(TOP)/include -include nolibc.h -c -o $@ $<

$(RUN)/init: $(RUN)/init.o $(USER)/os.o $(RUNTIME:%=$(USER)/%.o)
	$(CC) $(TARGET) -nostdlib -static $(LINKED) -Wl,--gc-sections -o $@ $^
	$(OBJDUMP) -d $@ > $@.lst
	$(REFUSE)

$(IMAGE)-run.cpio: user/initramfs.list $(OBJECTS)/usr/gen_init_cpio $(RUN)/init run/rules.mk
	@mkdir -p $(@D)
	( sed 's|@USER@|$(RUN)|' $<; echo "dir /run 0755 0 0"; echo "dir /root 0700 0 0" ) \
		> $(RUN)/initramfs.list
	$(OBJECTS)/usr/gen_init_cpio -t 0 $(RUN)/initramfs.list > $@.new
	mv $@.new $@
