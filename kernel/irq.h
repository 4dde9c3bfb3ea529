/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interrupts: the kernel's own timer, and all others as IPC.
 *
 * An interrupt is a thread number below SYSTEM_BASE with version 1. ThreadControl with a pager
 * makes that thread its handler: the interrupt is unmasked, each arrival masks it and sends the
 * handler a message (label -1), and the handler's reply unmasks it again.
 */
#ifndef IRQ_H
#define IRQ_H

#include "tcb.h"

/* From entry.S: an interrupt of a program or of the idle thread. */
void irq_handle(void);

/* ThreadControl of interrupt `number`: `handler` becomes its handler; its own id ends that. */
bool irq_control(uint32_t number, word_t handler);

/* The thread is gone: what it handled is masked. */
void irq_forget_handler(word_t id);

#endif
