/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From assembly to fault.c.
 */
#ifndef FAULT_ENTRY_H
#define FAULT_ENTRY_H

#include "tcb.h"

/*
 * From entry.S, on the abort stack and with nothing saved: is the fault the scheme's own doing?
 * Then it is repaired, and the access is repeated. Of data, only for translation faults of sections
 * and domain faults are they asked; what else can be the scheme's (switch.h) fault_data finds out.
 */
bool fault_scheme_data(void);
bool fault_scheme_prefetch(uint32_t pc);

/*
 * From fault_path.S, what it leaves. The thread's registers are saved; pc is the instruction that
 * faulted, or for an undefined instruction the next.
 */
enum fault_end {
    FAULT_SCHEDULE, /* the scheduler says who goes on */
    FAULT_RESUME,   /* the thread does, with the same instruction */
    FAULT_MESSAGE   /* its pager is to be told what is in kmsg now: by fault_send, or sooner */
};
enum fault_end fault_data(struct tcb *self, uint32_t status, uint32_t va);
enum fault_end fault_prefetch(struct tcb *self);
void fault_undefined(struct tcb *self);
void fault_send(struct tcb *self);
/* In abort mode, on its stack: 0 repeats the kernel's access, 4 skips it. */
uint32_t fault_kernel(uint32_t pc);
_Noreturn void fault_unexpected(uint32_t lr);

#endif
