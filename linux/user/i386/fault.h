/* SPDX-License-Identifier: GPL-2.0-only */
/* Faults that a test wants: what the kernel says of one, and a way to go on. */
#ifndef LINUX_USER_FAULT_H
#define LINUX_USER_FAULT_H

#include "test.h"

/* The layout of a signal's frame; the second needs the first. */
#include <asm/sigcontext.h>
#include <asm-generic/ucontext.h>

/* The exceptions that are asked for (SDM vol. 3, table 5-1). */
enum {
    EX_DE = 0,
    EX_BP = 3,
    EX_OF = 4,
    EX_BR = 5,
    EX_UD = 6,
    EX_NP = 11,
    EX_SS = 12,
    EX_GP = 13,
    EX_PF = 14,
    EX_MF = 16,
    EX_AC = 17
};

/* Of EFLAGS. */
enum {
    FLAG_CF = 1 << 0,
    FLAG_PF = 1 << 2,
    FLAG_ZF = 1 << 6,
    FLAG_SF = 1 << 7,
    FLAG_TF = 1 << 8,
    FLAG_DF = 1 << 10,
    FLAG_OF = 1 << 11,
    FLAG_AC = 1 << 18
};

/* The last fault: the signal that it became, and what its frame has. */
struct fault {
    int signal, code;
    const char *address;
    unsigned int vector, error, eip, eflags, page;
};
extern volatile struct fault fault;

/* A handler, on a stack of its own, for whatever ends attempt(). */
void catch_faults(void);

/* Calls a function; 1 if a fault ended that (`fault`), 0 if it returned. */
int attempt(void (*function)(void *), void *argument);

/* The part of a handler's third argument that is the processor's. */
static inline struct sigcontext *interrupted(void *context) {
    return &((struct ucontext *)context)->uc_mcontext;
}

/* Whether this is QEMU, which checks neither limits and types of segments nor alignment. */
int is_qemu(void);

#endif
