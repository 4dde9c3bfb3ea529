// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two tasks that switch to each other (CSO 3). They are kernel threads, each with a user address
 * space of its own (an mm_struct), so that a switch loads another page directory.
 *
 * CSO calls context_switch() of Linux 2.6.20's scheduler, which was switch_mm() and switch_to().
 * pair_switch() is what is left of Linux 6.12's when the bookkeeping of run queues is taken away:
 * the same two, and finish_arch_post_lock_switch(), to which 6.12 defers cpu_switch_mm() where
 * interrupts are off, on processors without address-space identifiers. All three are Linux's own.
 * context_switch() itself is static there, and wants a locked run queue.
 *
 * The scheduler knows nothing of all this. Both threads were created and never woken: they sleep in
 * kthread(). Their saved registers are put aside, they are run on their own stacks below what
 * sleeps there, and in the end the registers are put back. Interrupts are off meanwhile.
 */
#include "overheads.h"

#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/mmu_context.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task_stack.h>
#include <asm/mmu_context.h>
#include <asm/switch_to.h>

#define DIRECT_ROUNDS 16u

static struct side {
    const struct task *task;
    struct pace pace;
    struct task_struct *thread;
    struct cpu_context_save asleep;
    u32 result; /* of its first run, once it is known */
    bool known;
} sides[2];

static struct task_struct *controller; /* who began it all */
static void (*body)(struct side *me);  /* what both run */
static unsigned switches, wanted, first_region;

static noinline void pair_switch(struct task_struct *prev, struct task_struct *next) {
    switch_mm_irqs_off(prev->active_mm, next->mm, next);
    switch_to(prev, next, prev);
    finish_arch_post_lock_switch();
}

static struct side *mine(void) {
    return current == sides[0].thread ? &sides[0] : &sides[1];
}

/* To the other one, and here again when it comes back. */
static void change(void) {
    unsigned me = mine() - sides;
    switches++;
    mark(first_region + PART_SWITCH);
    pair_switch(sides[me].thread, sides[1 - me].thread);
    mark(first_region + me);
}

static __noreturn void leave(void) {
    struct task_struct *last = current;
    mark(0);
    switch_to(last, controller, last);
    unreachable();
}

/* Where a side begins: what switched to it went on here, not in pair_switch(). */
static void side_main(void) {
    finish_arch_post_lock_switch();
    body(mine());
    leave();
}

/* The task, then to the other one if it is not the end. */
static void body_task(struct side *me) {
    if (switches == 0) {
        cold();
    }
    mark(first_region + (me - sides));
    me->task->run(&me->pace);
    if (switches < wanted) {
        change();
    }
}

/* Switches with nothing in the caches: the other one's time begins when this one is found cold. */
static void body_direct(struct side *me) {
    mark(0);
    while (switches < wanted) {
        switches++;
        cold();
        mark(REGION_SWITCH);
        pair_switch(me->thread, sides[1 - (me - sides)].thread);
        mark(0);
    }
}

/* The first of them leaves, at the end or, in the middle of its loop, the other. */
static void run_pair(void (*what)(struct side *me)) {
    unsigned long flags;
    body = what;
    switches = 0;
    controller = current;
    local_irq_save(flags);
    for (unsigned i = 0; i < 2; i++) {
        struct cpu_context_save *context = &task_thread_info(sides[i].thread)->cpu_context;
        sides[i].asleep = *context;
        context->sp = round_down(context->sp - 64, 8);
        context->pc = (unsigned long)side_main;
    }
    pair_switch(controller, sides[0].thread);
    /* Here again, with the page directory of whoever left. */
    cpu_switch_mm(init_mm.pgd, &init_mm);
    for (unsigned i = 0; i < 2; i++) {
        task_thread_info(sides[i].thread)->cpu_context = sides[i].asleep;
    }
    local_irq_restore(flags);
}

static int never(void *unused) {
    return 0;
}

bool switches_prepare(const struct task *a, const struct task *b) {
    sides[0].task = a;
    sides[1].task = b;
    for (unsigned i = 0; i < 2; i++) {
        struct mm_struct *mm = mm_alloc();
        struct task_struct *thread = kthread_create(never, NULL, "overheads/%u", i);
        if (!mm || IS_ERR(thread)) {
            pr_err("overheads: no memory for a task\n");
            return false;
        }
        thread->mm = mm;
        thread->active_mm = mm;
        sides[i].thread = thread;
    }
    return true;
}

bool switches_measure(unsigned count, unsigned scale, unsigned run, unsigned regions) {
    first_region = regions;
    wanted = count;
    for (unsigned i = 0; i < 2; i++) {
        struct side *side = &sides[i];
        pace_set(&side->pace, units_of(side->task, scale), (count + 2 - i) / 2, change);
        side->task->prepare(run);
    }
    vary(run);
    run_pair(body_task);
    if (switches != count) {
        pr_err("overheads: %u switches, expected %u\n", switches, count);
        return false;
    }
    for (unsigned i = 0; i < 2; i++) {
        u32 result = sides[i].task->result();
        if (result == 0 || (sides[i].known && result != sides[i].result)) {
            pr_err("overheads: %s: another result with %u switches\n", sides[i].task->name, count);
            return false;
        }
        sides[i].known = true;
        sides[i].result = result;
    }
    return true;
}

bool switches_direct(void) {
    wanted = DIRECT_ROUNDS;
    run_pair(body_direct);
    return true;
}
