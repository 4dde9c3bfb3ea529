/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages: their tags, and the kinds of message that a thread sends or waits for (tcb.kind). All
 * but its own are made by the kernel in its name (tcb.kmsg), and ipc.c transfers all of them alike.
 *
 *   kind                made by       answered                         not answered
 *   KIND_USER           the program   it has the message               it has the error
 *   KIND_PAGEFAULT      fault.c       the access is repeated           likewise
 *   KIND_EXCEPTION      fault.c       the message has its registers    it is dead, or goes on
 *                                                                      if that was cancelled
 *   KIND_START          thread.c      it starts at this IP and SP      likewise
 *   KIND_INTERRUPT      irq.c         the interrupt is unmasked        the interrupt stays masked
 *   KIND_XFER           xfer_wait.h     a string copy is continued       the copy ends
 *   KIND_PREEMPTED      ipc.c         it runs until the next tick      likewise
 *   KIND_PREEMPT_FAULT  ipc.c         it goes on                       likewise
 *
 * What is not ipc.c's own to do is declared here, and done in the file that makes the kind: that
 * includes ipc.h, and ipc.c knows none of them.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "word.h"

struct tcb;

#define TAG_ERROR      0x8000u
#define TAG_REDIRECTED 0x2000u
#define TAG_PROPAGATED 0x1000u
#define TAG_UNTYPED(t) ((t) & 0x3f)
#define TAG_TYPED(t)   ((t) >> 6 & 0x3f)

static inline word_t message_tag(word_t label, word_t untyped) {
    return label << 16 | untyped;
}

#define KIND_USER          0
#define KIND_PAGEFAULT     1
#define KIND_EXCEPTION     2
#define KIND_START         3
#define KIND_INTERRUPT     4
#define KIND_XFER          5
#define KIND_PREEMPTED     6
#define KIND_PREEMPT_FAULT 7

/* KIND_EXCEPTION was answered, with this message. */
void message_exception_answered(struct tcb *t, const word_t *message);

/* KIND_INTERRUPT was answered. */
void message_interrupt_answered(struct tcb *interrupt);

/* Nobody takes a message of the kernel's (t->kmsg), so the thread stops: tells the user. */
void message_undeliverable(const struct tcb *t);

#endif
