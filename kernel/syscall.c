/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System calls: from the caller's frame to the parts of the kernel, results back into the frame.
 * Registers are in the order of the frame (frame.h): arguments r[0] to
 * r[7], results from r[0].
 */
#include "syscall.h"

#include "exregs.h"
#include "fault.h"
#include "space.h"
#include "ipc.h"
#include "sched.h"
#include "spaces.h"
#include "space_control.h"
#include "switch.h"
#include "thread.h"
#include "timer.h"
#include "utcb.h"

#include <l4/syscall_list.h>

static void result(struct tcb *self, word_t value, word_t error) {
    frame_set_result(&self->frame, value);
    if (error != L4_ErrOk) {
        utcb_write(self, L4_UTCB_ERROR_CODE, error);
    }
}

static void sys_thread_control(struct tcb *self) {
    const word_t *r = frame_read_arguments(&self->frame);
    struct control_result done = thread_control(self, r[0], r[1], r[2], r[3], r[4]);
    result(self, done.result, done.error);
}

/* Nil leaves it as it is, any thread takes it away. */
static bool redirector_is_good(word_t id) {
    const struct tcb *t = thread_find(id);
    return id == 0 || id == IPC_ANY || (t != NULL && t->space != NULL);
}

static void sys_space_control(struct tcb *self) {
    const word_t *r = frame_read_arguments(&self->frame);
    const struct tcb *t = thread_find(r[0]);
    word_t error = L4_ErrOk;
    if (!self->space->privileged) {
        error = L4_ErrNoPrivilege;
    } else if (t == NULL || t->space == NULL) {
        error = L4_ErrInvalidSpace;
    } else if (!redirector_is_good(r[4])) {
        error = L4_ErrInvalidThread;
    } else if (t->space->areas_fixed || /* then the areas have no effect (X.2 manual) */
               space_set_areas(t->space, (L4_Fpage_t){.raw = r[2]}, (L4_Fpage_t){.raw = r[3]},
                               &error)) {
        if (r[4] != 0) {
            t->space->redirector = r[4] == IPC_ANY ? 0 : r[4];
            thread_mark_redirected(t->space);
        }
    }
    frame_set_second_result(&self->frame, error == L4_ErrOk ? space_control(t->space, r[1]) : 0);
    result(self, error == L4_ErrOk, error);
}

/* r0 control: bit 6 flush (from oneself too), bits 5..0 the last message register with an fpage. */
static void sys_unmap(struct tcb *self) {
    word_t control = frame_arguments(&self->frame)[0];
    word_t *message = frame_message(&self->frame);
    bool own = (control & 0x40) != 0;
    for (word_t i = 0; i <= (control & 0x3f); i++) {
        L4_Fpage_t page;
        page.raw = i < FRAME_MRS ? message[i] : utcb_read(self, L4_UTCB_MR + sizeof(word_t) * i);
        word_t status = space_unmap(self->space, page, own);
        page.raw = (page.raw & L4_BITS_ABOVE(4)) | status;
        if (i < FRAME_MRS) {
            message[i] = page.raw;
        } else {
            utcb_write(self, L4_UTCB_MR + sizeof(word_t) * i, page.raw);
        }
    }
}

static void sys_thread_switch(struct tcb *self) {
    word_t to = frame_arguments(&self->frame)[0];
    sched_yield(to == 0 ? NULL : thread_resolve(self->space, to));
}

static void sys_system_clock(struct tcb *self) {
    uint64_t now = timer_now();
    frame_set_result(&self->frame, (word_t)now);
    frame_set_second_result(&self->frame, (word_t)(now >> 32));
}

/*
 * r0 processor, r1 internal, r2 external frequency in kHz, r3 voltage in mV; ~0 leaves a value as
 * it is. The boards' clocks stay as the loader has set them, as the timing of their memory depends
 * on them, and no voltage can be set: so what is asked for must be what is.
 */
static void sys_processor_control(struct tcb *self) {
    const word_t *r = frame_read_arguments(&self->frame);
    word_t error = L4_ErrOk;
    if (!self->space->privileged) {
        error = L4_ErrNoPrivilege;
    } else if (r[0] != 0 || (r[1] != L4_ALL_BITS && r[1] != BOARD_INTERNAL_KHZ) ||
               (r[2] != L4_ALL_BITS && r[2] != BOARD_EXTERNAL_KHZ) || r[3] != L4_ALL_BITS) {
        error = L4_ErrInvalidParam;
    }
    result(self, error == L4_ErrOk, error);
}

/*
 * r0 control: bits 5..0 the last message register with an fpage; r1 to r4 the attributes. The low
 * two bits of each fpage say which of the four. The message registers are in the UTCB, all of them:
 * the attributes are where MR 0 and 1 would be.
 */
static void sys_memory_control(struct tcb *self) {
    const word_t *r = frame_read_arguments(&self->frame);
    if (!self->space->privileged) {
        result(self, 0, L4_ErrNoPrivilege);
        return;
    }
    word_t error = L4_ErrOk;
    for (word_t i = 0; i <= (r[0] & 0x3f); i++) { /* all are good before one is changed */
        L4_Fpage_t page = {.raw = utcb_read(self, L4_UTCB_MR + sizeof(word_t) * i)};
        if (!space_can_set_attribute(self->space, page, r[1 + (page.raw & 3)])) {
            error = L4_ErrInvalidParam;
        }
    }
    for (word_t i = 0; i <= (r[0] & 0x3f) && error == L4_ErrOk; i++) {
        L4_Fpage_t page = {.raw = utcb_read(self, L4_UTCB_MR + sizeof(word_t) * i)};
        if (!space_set_attribute(self->space, page, r[1 + (page.raw & 3)])) {
            error = L4_ErrNoMem;
        }
    }
    result(self, error == L4_ErrOk, error);
}

/* Those of other files; Lipc differs from Ipc in the kind of ids, which Ipc takes, too. */
#define sys_ipc                ipc
#define sys_lipc               ipc
#define sys_exchange_registers exchange_registers
#define sys_schedule           schedule

void syscall(struct tcb *self, word_t number) {
#define ENTRY(name, Name, number, word) [number] = sys_##name,
    static void (*const calls[L4_SYSTEM_CALL_COUNT])(struct tcb *) = {L4_SYSTEM_CALLS(ENTRY)};
    thread_entered_kernel();
    if (number < L4_SYSTEM_CALL_COUNT) {
        calls[number](self);
    } else {
        fault_swi(self);
    }
}
