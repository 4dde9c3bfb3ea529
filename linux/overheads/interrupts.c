// SPDX-License-Identifier: GPL-2.0-only
/*
 * One task that forces interrupts upon itself (CSO 4), through the interrupt controller's register
 * of soft interrupts (PL190, DDI 0181, VICSOFTINT). Linux handles it as any other: vector, entry,
 * the controller's driver, which also takes the soft interrupt back, the flow handler of its line
 * and the handler below, which counts.
 *
 * CSO used the timer's line with the timer off. Here it is line 1, which the board leaves to
 * software (DUI 0225, table 4-35) and no device raises.
 */
#include "overheads.h"

#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/irqdomain.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/of.h>
#include <linux/of_address.h>

#define VIC_ENABLE       0x10
#define VIC_ENABLE_CLEAR 0x14
#define VIC_SOFT         0x18
#define SOURCE           1u
#define DIRECT_ROUNDS    100u /* CSO 4.1 */
#define COLD_ROUNDS      16u

static void __iomem *vic;
static struct device_node *node;
static u32 enabled;
static const struct task *task;
static struct pace pace;
static unsigned count;
static u32 first_result;
static bool known;

int controller_open(void) {
    node = of_find_compatible_node(NULL, NULL, "arm,versatile-vic");
    vic = node ? of_iomap(node, 0) : NULL;
    return vic ? 0 : -ENODEV;
}

void controller_mask(void) {
    enabled = readl(vic + VIC_ENABLE);
    writel(~0u, vic + VIC_ENABLE_CLEAR);
}

void controller_restore(void) {
    writel(enabled, vic + VIC_ENABLE);
}

static irqreturn_t handler(int irq, void *unused) {
    WRITE_ONCE(count, count + 1);
    return IRQ_HANDLED;
}

/* Raises the interrupt; when it returns it has been handled. */
static void raise(void) {
    unsigned before = READ_ONCE(count);
    writel(1u << SOURCE, vic + VIC_SOFT);
    while (READ_ONCE(count) == before) {
    }
}

bool interrupts_prepare(const struct task *which) {
    unsigned irq = irq_find_mapping(irq_find_host(node), SOURCE);
    task = which;
    if (irq == 0 || request_irq(irq, handler, 0, "overheads", NULL)) {
        pr_err("overheads: line %u of the interrupt controller is not to be had\n", SOURCE);
        return false;
    }
    return true;
}

/* Ours and no other. */
static void only_ours(void) {
    controller_mask();
    writel(1u << SOURCE, vic + VIC_ENABLE);
}

bool interrupts_measure(unsigned wanted, unsigned scale, unsigned run, unsigned region) {
    pace_set(&pace, units_of(task, scale), wanted + 1, raise);
    task->prepare(run);
    count = 0;
    only_ours();
    vary(run);
    cold();
    mark(region);
    task->run(&pace);
    mark(0);
    controller_restore();
    if (count != wanted) {
        pr_err("overheads: %u interrupts, expected %u\n", count, wanted);
        return false;
    }
    u32 result = task->result();
    if (result == 0 || (known && result != first_result)) {
        pr_err("overheads: %s: another result with %u interrupts\n", task->name, wanted);
        return false;
    }
    known = true;
    first_result = result;
    return true;
}

bool interrupts_direct(void) {
    only_ours();
    raise(); /* CSO 4.1: "the caches are warmed by raising an interrupt just before" */
    dsb();
    mark(REGION_IRQ);
    for (unsigned i = 0; i < DIRECT_ROUNDS; i++) {
        raise();
    }
    mark(0);
    for (unsigned i = 0; i < COLD_ROUNDS; i++) {
        cold();
        mark(REGION_COLD);
        raise();
        mark(0);
    }
    controller_restore();
    return true;
}
