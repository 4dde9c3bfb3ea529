// SPDX-License-Identifier: GPL-2.0-only
/*
 * Floating-point registers. An address space has one thread of L4's, whose registers the unit has
 * as the microkernel sees to it; tasks that share the space take turns in it.
 *
 * A program that does not use the unit costs nothing here: its first use is an exception
 * (l4/arch/ia32/first_fpu_use.h). From then on registers stay in the unit while the same task runs
 * and does its calls. Its thread saves them, in the stub (host_task_fpu), before another task of
 * the space runs, and before Linux looks at them: for a child, a signal's frame, a debugger. They
 * are then in the task's `thread.regs`, as FNSAVE has them.
 */
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <sysdep/ptrace.h>

#include "../host/host.h"
#include "fpu.h"

/* After FNINIT (SDM vol. 1, 8.1.5); the word that follows in a signal's frame says that nothing
 * follows it (asm/sigcontext.h, `magic`). */
#define CONTROL 0xffff037f
#define STATUS  0xffff0000
#define TAGS    0xffffffff
#define NO_FXSR 0xffff0000
enum { CONTROL_AT, STATUS_AT, TAGS_AT, FRAME_AT = HOST_FPU_WORDS };

/* Of the status word, and masked in the control word (SDM vol. 1, 8.1.3). */
enum { INVALID = 1, DENORMAL = 2, ZERO_DIVIDE = 4, OVERFLOW = 8, UNDERFLOW = 16, PRECISION = 32 };

static unsigned long *registers_of(struct task_struct *task) {
    return task->thread.regs.regs.fp;
}

void fpu_init(unsigned long *registers) {
    BUILD_BUG_ON(FRAME_AT >= MAX_FP_NR);
    memset(registers, 0, MAX_FP_NR * sizeof(*registers));
    registers[CONTROL_AT] = CONTROL;
    registers[STATUS_AT] = STATUS;
    registers[TAGS_AT] = TAGS;
    registers[FRAME_AT] = NO_FXSR;
}

void fpu_drop(struct fpu *fpu) {
    if (fpu->owner) {
        put_task_struct(fpu->owner);
        fpu->owner = NULL;
    }
}

static bool exchange(struct fpu *fpu, unsigned int slot, struct task_struct *next) {
    struct task_struct *last = fpu->owner;
    bool done =
        host_task_fpu(slot, last ? registers_of(last) : NULL, next ? registers_of(next) : NULL);

    if (done && last) {
        registers_of(last)[FRAME_AT] = NO_FXSR | (registers_of(last)[STATUS_AT] & 0xffff);
    }
    fpu_drop(fpu);
    fpu->owner = next ? get_task_struct(next) : NULL;
    return done;
}

bool fpu_load(struct fpu *fpu, unsigned int slot) {
    return !fpu->used || fpu->owner == current || exchange(fpu, slot, current);
}

bool fpu_save(struct fpu *fpu, unsigned int slot) {
    return fpu->owner != current || exchange(fpu, slot, NULL);
}

int fpu_code(const unsigned long *registers) {
    unsigned long raised = registers[STATUS_AT] & ~registers[CONTROL_AT];

    if (raised & INVALID) {
        return FPE_FLTINV;
    }
    if (raised & ZERO_DIVIDE) {
        return FPE_FLTDIV;
    }
    if (raised & OVERFLOW) {
        return FPE_FLTOVF;
    }
    if (raised & (UNDERFLOW | DENORMAL)) {
        return FPE_FLTUND;
    }
    return raised & PRECISION ? FPE_FLTRES : FPE_FLTUNK;
}
