// SPDX-License-Identifier: GPL-2.0-only
/*
 * Marks: what runs now. With a probe they are its regions of interest, whose cycles and misses the
 * simulator counts; without one (QEMU, a board) the kernel's clock is read, and times are printed.
 * Both cost the same at each mark, however many there are.
 */
#include "overheads.h"

#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/reboot.h>
#include <linux/sizes.h>

#include <probe.h>

static void __iomem *probe;
static unsigned open;
static struct {
    unsigned entries;
    u64 ns;
} times[REGIONS];
static u64 since;

int marks_open(bool use_probe) {
    if (use_probe) {
        probe = ioremap(PROBE_BASE_PA, SZ_4K);
        if (!probe || __raw_readl(probe + PROBE_ID) != PROBE_ID_VALUE) {
            probe = NULL;
            return -ENODEV;
        }
    }
    return 0;
}

void mark(unsigned region) {
    if (likely(probe)) {
        if (open) {
            __raw_writel(open, probe + PROBE_REGION_END);
        }
        open = region;
        if (region) {
            __raw_writel(region, probe + PROBE_REGION_BEGIN);
        }
        return;
    }
    u64 now = ktime_get_ns();
    if (open) {
        times[open].entries++;
        times[open].ns += now - since;
    }
    open = region;
    since = now;
}

void marks_empty(void) {
    if (likely(probe)) {
        __raw_writel(0, probe + PROBE_EMPTY);
    }
}

void marks_show(void) {
    for (unsigned i = 0; i < REGIONS && !probe; i++) {
        if (times[i].entries) {
            pr_info("overheads: region=%u entries=%u ns=%llu\n", i, times[i].entries, times[i].ns);
        }
    }
}

void marks_exit(bool good) {
    if (probe) {
        __raw_writel(good ? 0 : 1, probe + PROBE_EXIT);
    }
    kernel_restart(NULL);
    for (;;) {
    }
}
