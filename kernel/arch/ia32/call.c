/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls: from the registers of the binding (L4 X.2 manual, appendix on IA-32) to the order
 * of arguments that all architectures have (syscall.c), and back.
 */
#include "call.h"

#include "board.h"
#include "cpu.h"
#include "fault.h"
#include "fault_entry.h"
#include "irq.h"
#include "kdb.h"
#include "offsets.h"
#include "segments.h"
#include "spaces.h"
#include "syscall.h"
#include "utcb.h"

#include <l4/syscall_list.h>

#define REGISTER(name) (offsetof(struct frame, name) / 4)
#define EAX            REGISTER(eax)
#define EBX            REGISTER(message[1])
#define ECX            REGISTER(ecx)
#define EDX            REGISTER(edx)
#define ESI            REGISTER(message[0])
#define EDI            REGISTER(edi)
#define EBP            REGISTER(message[2])

/* By a call's name: where its arguments are, in order, and how many of them are results, too (the
 * first of all, EAX, is known to frame.h). */
struct convention {
    uint8_t arguments, results;
    uint8_t in[7];
};
#define ipc_convention                                                                             \
    {                                                                                              \
        3, 0, {                                                                                    \
            EAX, EDX, ECX                                                                          \
        }                                                                                          \
    }
#define lipc_convention ipc_convention
#define thread_switch_convention                                                                   \
    {                                                                                              \
        1, 0, {                                                                                    \
            EAX                                                                                    \
        }                                                                                          \
    }
#define thread_control_convention                                                                  \
    {                                                                                              \
        5, 0, {                                                                                    \
            EAX, ESI, EDX, ECX, EDI                                                                \
        }                                                                                          \
    }
#define exchange_registers_convention                                                              \
    {                                                                                              \
        7, 7, {                                                                                    \
            EAX, ECX, EDX, ESI, EDI, EBX, EBP                                                      \
        }                                                                                          \
    }
#define schedule_convention                                                                        \
    {                                                                                              \
        5, 2, {                                                                                    \
            EAX, EDX, ESI, ECX, EDI                                                                \
        }                                                                                          \
    }
#define unmap_convention                                                                           \
    {                                                                                              \
        1, 0, {                                                                                    \
            EAX                                                                                    \
        }                                                                                          \
    }
#define space_control_convention                                                                   \
    {                                                                                              \
        5, 2, {                                                                                    \
            EAX, ECX, EDX, ESI, EDI                                                                \
        }                                                                                          \
    }
#define processor_control_convention                                                               \
    {                                                                                              \
        4, 0, {                                                                                    \
            EAX, ECX, EDX, ESI                                                                     \
        }                                                                                          \
    }
#define memory_control_convention                                                                  \
    {                                                                                              \
        5, 0, {                                                                                    \
            EAX, ECX, EDX, EBX, EBP                                                                \
        }                                                                                          \
    }
#define system_clock_convention                                                                    \
    {                                                                                              \
        0, 2, {                                                                                    \
            EAX, EDX                                                                               \
        }                                                                                          \
    }

#define CONVENTION(name, Name, number, word) [number] = name##_convention,
static const struct convention conventions[L4_SYSTEM_CALL_COUNT] = {L4_SYSTEM_CALLS(CONVENTION)};

#define NUMBER_OF(name, Name, number, word) CALL_##name = number,
enum { L4_SYSTEM_CALLS(NUMBER_OF) };

_Static_assert(CALL_ipc == 0 && CALL_lipc == LIPC_ASM, "ipc_path.S knows them");

/* Which calls have message registers: the first comes in ESI, the next two are in the UTCB, and in
 * EBX and EBP when an IPC returns. */
static bool has_message(uint32_t number) {
    return number == CALL_ipc || number == CALL_lipc || number == CALL_unmap;
}

void call(struct tcb *self, uint32_t number) {
    uint32_t *registers = (uint32_t *)&self->frame;
    thread_entered_kernel();
    if (number >= L4_SYSTEM_CALL_COUNT) {
        fault_swi(self);
        return;
    }
    const struct convention *c = &conventions[number];
    for (uint32_t i = 0; i < c->arguments; i++) {
        self->frame.arguments[i] = registers[c->in[i]];
    }
    if (has_message(number)) {
        utcb_read_words(self, L4_UTCB_MR + 4, &self->frame.message[1], FRAME_MRS - 1);
    } else if (number == CALL_memory_control) {
        utcb_write(self, L4_UTCB_MR, self->frame.message[0]);
    }
    syscall(self, number);
    for (uint32_t i = 0; i < c->results; i++) {
        registers[c->in[i]] = self->frame.arguments[i];
    }
    if (number == CALL_unmap) {
        utcb_write_words(self, L4_UTCB_MR + 4, &self->frame.message[1], FRAME_MRS - 1);
    }
}

void call_by_sysenter(struct tcb *self, uint32_t number) {
    self->frame.pc = L4_Address(self->space->kip_area) + KIP_RETURN;
    call(self, number);
}

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
