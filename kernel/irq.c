/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interrupts. The interrupt's TCB is never scheduled; its `scheduler` holds the handler's id.
 */
#include "irq.h"

#include "board.h"
#include "ipc.h"
#include "message.h"
#include "timer.h"
#include "upcalls.h"
#include "waiters.h"

/* Interrupts that have a handler. */
static uint32_t handled[(BOARD_INTERRUPTS + 31) / 32];

void irq_handle(void) {
    int pending;
    thread_entered_kernel();
    sched_interrupted();
    while ((pending = board_interrupt_pending()) >= 0) {
        uint32_t n = (uint32_t)pending;
        if (board_timer_is_tick(n)) {
            board_timer_acknowledge(n);
            timer_tick();
            if (waiters_pending != 0) {
                waiters_tick();
            }
        } else if (board_timer_is_alarm(n)) {
            board_timer_acknowledge(n);
            timer_alarm();
        } else {
            struct tcb *t = &tcbs[n];
            board_interrupt_mask(n);
            if (t->scheduler != 0 && t->state == STATE_INACTIVE) {
                t->kmsg[0] = message_tag(L4_LABEL_INTERRUPT, 0);
                ipc_send_kernel(t, KIND_INTERRUPT, t->scheduler);
                if (t->state == STATE_DEAD) {
                    t->state = STATE_INACTIVE; /* its handler has gone; it stays masked */
                }
            }
        }
    }
}

bool irq_control(uint32_t number, word_t handler) {
    struct tcb *t = &tcbs[number];
    if (!board_interrupt_available(number)) {
        return false;
    }
    board_interrupt_mask(number);
    ipc_leave(t);
    t->state = STATE_INACTIVE;
    t->kind = KIND_USER;
    t->scheduler = 0;
    handled[number / 32] &= ~(1u << (number % 32));
    if (handler == t->id || handler == 0) {
        return true;
    }
    const struct tcb *h = thread_find(handler);
    if (h == NULL || h->space == NULL) {
        return false;
    }
    t->scheduler = handler;
    handled[number / 32] |= 1u << (number % 32);
    waiters_add(t);
    board_interrupt_unmask(number);
    return true;
}

void message_interrupt_answered(struct tcb *interrupt) {
    if (interrupt->scheduler != 0) {
        board_interrupt_unmask((uint32_t)(interrupt - tcbs));
    }
}

void irq_forget_handler(word_t id) {
    for (uint32_t i = 0; i < BOARD_INTERRUPTS; i++) {
        if (handled[i / 32] == 0) {
            i |= 31;
        } else if ((handled[i / 32] >> (i % 32) & 1) != 0 && tcbs[i].scheduler == id) {
            irq_control(i, 0);
        }
    }
}
