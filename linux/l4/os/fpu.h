/* SPDX-License-Identifier: GPL-2.0-only */
/* The floating-point registers of programs' tasks. */
#ifndef L4_OS_FPU_H
#define L4_OS_FPU_H

struct task_struct;

/* Of an address space, with one thread of L4's for all its tasks. */
struct fpu {
    bool used;                 /* by any of its tasks, ever */
    struct task_struct *owner; /* whose registers are in the unit; NULL: all are with Linux */
};

/* Before the current task runs in this space. False: the space's thread is lost. */
bool fpu_load(struct fpu *fpu, unsigned int slot);

/* The current task's registers are with Linux then, where it looks at them and sets them. */
bool fpu_save(struct fpu *fpu, unsigned int slot);

/* Whatever is in the unit is nobody's. */
void fpu_drop(struct fpu *fpu);

/* A new program's or handler's. */
void fpu_init(unsigned long *registers);

/* What a floating-point exception is to a program (si_code). */
int fpu_code(const unsigned long *registers);

#endif
