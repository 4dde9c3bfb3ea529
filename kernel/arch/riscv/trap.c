/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From entry.S: what a program has come to the kernel for.
 */
#include "fault_entry.h"

#include "irq.h"
#include "kdb.h"
#include "syscall.h"

#include <l4/arch.h>
#include <l4/syscall_list.h>

/* t0 has a debug call's number, or that of a system call, which goes on after the ECALL; all others
 * are exceptions. */
static void environment_call(struct tcb *self) {
    word_t number = self->frame.t[0];
    if (number > L4_RISCV_TRAPS && number <= L4_TRAP_STATISTICS) {
        thread_entered_kernel();
        kdb_trap(self, number);
    } else if (number < L4_SYSTEM_CALL_COUNT) {
        self->frame.pc += 4;
        syscall(self, number);
    } else {
        thread_entered_kernel();
        fault_exception(self, CAUSE_ECALL, 0);
    }
}

void trap(struct tcb *self, word_t cause, word_t value) {
    if ((cause & CAUSE_INTERRUPT) != 0) {
        irq_handle();
        return;
    }
    switch (cause) {
    case CAUSE_ECALL:
        environment_call(self);
        break;
    case CAUSE_FETCH_PAGE:
    case CAUSE_LOAD_PAGE:
    case CAUSE_STORE_PAGE:
        thread_entered_kernel();
        fault_page(self, cause, value);
        break;
    default:
        thread_entered_kernel();
        fault_exception(self, cause, value);
        break;
    }
}
