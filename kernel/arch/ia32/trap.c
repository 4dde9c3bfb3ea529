/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions, interrupts and INTs: which vector is whose.
 */
#include "board.h"
#include "call.h"
#include "cpu.h"
#include "fault_entry.h"
#include "irq.h"
#include "kdb.h"
#include "segments.h"

#include "call.c"

void call_debug(struct tcb *self, uint32_t number) {
    uint32_t *r = self->frame.arguments;
    r[0] = self->frame.ecx;
    self->frame.pc -= 2; /* frame_return goes on after it */
    kdb_trap(self, number);
    if (number == L4_TRAP_KERNEL_INTERFACE) {
        self->frame.ecx = r[1];
        self->frame.edx = r[2];
        self->frame.message[0] = r[3];
    }
    self->frame.eax = r[0];
}

void trap(struct tcb *self, uint32_t vector, uint32_t error) {
    thread_entered_kernel();
    switch (vector) {
    case VECTOR_PAGE:
        fault_page(self, error, cpu_fault_address());
        break;
    case VECTOR_EXREGS:
        call(self, CALL_exchange_registers);
        break;
    case VECTOR_MEMORY:
        call(self, CALL_memory_control);
        break;
    case VECTOR_DEBUG_CALL:
        call_debug(self, self->frame.eax);
        break;
    default:
        if (vector - VECTOR_IRQ < VECTOR_IRQS_END - VECTOR_IRQ) {
            board_interrupt_taken(vector - VECTOR_IRQ);
            irq_handle();
        } else {
            fault_exception(self, vector, error);
        }
        break;
    }
}
