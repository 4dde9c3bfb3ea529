// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts: bits that the timer's thread sets (host/timer.c). They are taken where Linux enables
 * interrupts, and where a program is stopped for them (process.c).
 */
#include <linux/hardirq.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/irq_regs.h>
#include <irq_user.h>
#include <kern_util.h>
#include <os.h>
#include <sysdep/ptrace.h>

#include "../host/host.h"
#include "layer.h"

int signals_enabled;

/* As on a processor, an interrupt's own code enables interrupts (softirqs); but one at a time is
 * enough of the stack. */
static bool active;

unsigned int do_IRQ(int irq, struct uml_pt_regs *regs) {
    struct pt_regs *old = set_irq_regs((struct pt_regs *)regs);

    irq_enter();
    generic_handle_irq(irq);
    irq_exit();
    set_irq_regs(old);
    return 1;
}

void take_interrupts(struct uml_pt_regs *regs) {
    static struct uml_pt_regs kernel;
    unsigned int pending = host_take_pending();

    if (pending & HOST_TICK) {
        timer_handler(0, NULL, regs ? regs : &kernel);
    }
    if (pending & HOST_INPUT) {
        do_IRQ(CONSOLE_IRQ, regs ? regs : &kernel);
    }
    if (pending & HOST_NETWORK) {
        do_IRQ(NETWORK_IRQ, regs ? regs : &kernel);
    }
}

void block_signals(void) {
    signals_enabled = 0;
    barrier();
}

void unblock_signals(void) {
    if (signals_enabled) {
        return;
    }
    signals_enabled = 1;
    barrier();
    while (host_pending && !active) {
        active = true;
        signals_enabled = 0;
        take_interrupts(NULL);
        signals_enabled = 1;
        active = false;
        barrier();
    }
}

int um_set_signals(int enable) {
    int old = signals_enabled;

    if (enable) {
        unblock_signals();
    } else {
        block_signals();
    }
    return old;
}

/* (Tracing is off.) */
int um_set_signals_trace(int enable) {
    return um_set_signals(enable);
}

static void nothing(struct irq_data *d) {
}

static struct irq_chip chip = {
    .name = "L4",
    .irq_disable = nothing,
    .irq_enable = nothing,
    .irq_ack = nothing,
    .irq_mask = nothing,
    .irq_unmask = nothing,
};

void __init init_IRQ(void) {
    irq_set_chip_and_handler(TIMER_IRQ, &chip, handle_edge_irq);
    irq_set_chip_and_handler(CONSOLE_IRQ, &chip, handle_edge_irq);
    irq_set_chip_and_handler(NETWORK_IRQ, &chip, handle_edge_irq);
}

int arch_show_interrupts(struct seq_file *p, int prec) {
    return 0;
}
