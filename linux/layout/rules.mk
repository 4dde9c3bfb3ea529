# SPDX-License-Identifier: GPL-2.0-only
# The kernel, its hot code packed: `make layout` makes BUILD/guests/linux-CONFIG-layout.zImage and
# .vmlinux. Included by ../Makefile; docs/layout.md says what is done and what it brings.
#
# The kernel boots on a simulated machine and is asked questions of bench/unix, while each of its
# instructions is counted; `switchyard layout` puts a copy of what was executed often in front; Linux's
# own build links that in place of its objects. Nothing is compiled anew.
#
# Anybody's questions: make layout WORKLOADS='mine' WORKLOAD_mine='ctx processes=8 size=0 rounds=50'
WORKLOADS ?= pipe fifo unix ring
WORKLOAD_pipe ?= potato case=pipe rounds=200
WORKLOAD_fifo ?= potato case=fifo rounds=200
WORKLOAD_unix ?= potato case=unix rounds=200
WORKLOAD_ring ?= ctx processes=2 size=0 rounds=200

LAYOUT := $(CACHE)/$(CONFIG)-layout
PLACED := $(USER)/layout
COUNTS := $(WORKLOADS:%=$(PLACED)/%.csv)
SWITCHYARD = cd $(TOP) && $(PYTHON) -m switchyard

.PHONY: layout
layout: $(IMAGE)-layout.zImage $(IMAGE)-layout.vmlinux $(if $(DTB),$(IMAGE).dtb) $(IMAGE).cpio $(IMAGE)-bench.cpio

# What a workload is and what it ran on, for make to see when that changes.
$(COUNTS:.csv=.words): $(PLACED)/%.words: FORCE
	@mkdir -p $(@D)
	$(if $(WORKLOAD_$*),,$(error layout: WORKLOAD_$* is not set; expected words of bench/unix))
	@echo '$(MACHINE) $(WORKLOAD_$*)' | cmp -s - $@ || echo '$(MACHINE) $(WORKLOAD_$*)' > $@

$(COUNTS): %.csv: %.words $(IMAGE).zImage $(IMAGE)-bench.cpio $(if $(DTB),$(IMAGE).dtb)
	$(SWITCHYARD) boot --machine $(MACHINE) --kernel $(IMAGE).zImage --initrd $(IMAGE)-bench.cpio \
		$(if $(DTB),--dtb $(IMAGE).dtb) --max-cycles 20000000000 --counts $@.new --append \
		"console=$(CONSOLE) panic=-1 quiet -- bench $(WORKLOAD_$(*F)) clock=probe" \
		< /dev/null > $*.console 2>&1 && grep -q '^END status=0' $*.console || \
		{ tail -5 $*.console; echo "linux: layout: $(*F): the workload failed" >&2; exit 1; }
	mv $@.new $@

$(PLACED)/vmlinux.o: $(COUNTS) $(IMAGE).vmlinux
	$(SWITCHYARD) layout $(OBJECTS)/vmlinux.o --linked $(IMAGE).vmlinux --machine $(MACHINE) \
		$(COUNTS:%=--counts %) --out $@

$(LAYOUT)/.copied: $(OBJECTS)/arch/arm/boot/zImage
	rm -rf $(LAYOUT) && cp -a $(OBJECTS) $(LAYOUT)
	touch $@

# The archive of all objects has that one in it. KCFLAGS must have the value that it had for the
# objects, else all would be compiled anew.
$(IMAGE)-layout.zImage: $(PLACED)/vmlinux.o $(LAYOUT)/.copied
	cp $< $(LAYOUT)/placed.o
	rm -f $(LAYOUT)/vmlinux.a && cd $(LAYOUT) && $(CROSS)ar cDPrsT vmlinux.a placed.o
	$(subst -C $(OBJECTS) ,-C $(LAYOUT) ,$(KERNEL)) zImage
	cp $(LAYOUT)/vmlinux $(IMAGE)-layout.vmlinux
	cp $(LAYOUT)/arch/arm/boot/zImage $@

$(IMAGE)-layout.vmlinux: $(IMAGE)-layout.zImage

.PHONY: FORCE
FORCE:
