# SPDX-License-Identifier: GPL-2.0-only
# BUILD/guests/linux-CONFIG-pipes.cpio: a RAM disk with those questions of bench/unix that are about pipes between
# processes of small and large spaces, a program of their own lest the others move in it. Included by ../Makefile;
# made by its goal `pipes`, with the configuration's kernel.
PIPES := $(USER)/pipes
PIPED := $(addprefix bench/unix/,measure children bandwidth pingpong chain) bench/working_set_ia32 \
         bench/os/linux l4/lib/arch/ia32/divide

.PHONY: pipes
pipes: $(IMAGE).$(PACKED) $(IMAGE).vmlinux $(IMAGE)-pipes.cpio

$(PIPES)/suite.o: $(TOP)/bench/unix/suite.c $(TOP)/bench/unix/suite.h $(HEADERS) pipes/rules.mk
	@mkdir -p $(@D)
	$(CC) $(TARGET) $(CFLAGS_USER) -I$(TOP)/include -D'QUESTIONS=&question_pingpong,&question_chain' \
		-include nolibc.h -c -o $@ $<

$(PIPED:%=$(USER)/%.o): CFLAGS_USER += -I$(TOP)/bench/arch/ia32

$(PIPES)/suite: $(PIPES)/suite.o $(PIPED:%=$(USER)/%.o)
	$(CC) $(TARGET) -nostdlib -static $(LINKED) -Wl,--gc-sections -o $@ $^
	$(OBJDUMP) -d $@ > $@.lst
	$(REFUSE)

$(IMAGE)-pipes.cpio: user/initramfs.list $(OBJECTS)/usr/gen_init_cpio $(USER)/init $(PIPES)/suite pipes/rules.mk
	@mkdir -p $(@D)
	( sed 's|@USER@|$(USER)|' $<; echo "file /bin/suite $(PIPES)/suite 0755 0 0" ) > $(PIPES)/initramfs.list
	$(OBJECTS)/usr/gen_init_cpio -t 0 $(PIPES)/initramfs.list > $@.new
	mv $@.new $@
