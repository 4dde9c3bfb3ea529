/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls: from the registers of the binding (L4 X.2 manual, appendix on IA-32) to the order
 * of arguments that all architectures have (syscall.c), and back. (trap.c includes this file: in
 * one unit the two calls that come by INT are expanded there. It uses what call.h has, and no
 * more.)
 */
#include "call.h"

#include "fault.h"
#include "offsets.h"
#include "segments.h"
#include "spaces.h"
#include "syscall.h"
#include "utcb.h"

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
