/* SPDX-License-Identifier: Apache-2.0 */
/*
 * String items: which bytes go where, and the copy from the sender's space into the receiver's.
 *
 * The copy knows nothing of threads' states: it goes as far as it can and says why it stopped.
 * xfer_wait.h lets the fault be served and comes again with the same message; what is done is
 * counted in bytes, and all else is computed anew, so nothing that a program changes meanwhile is
 * trusted.
 */
#ifndef XFER_H
#define XFER_H

#include "tcb.h"

enum xfer_end {
    XFER_DONE,
    XFER_PAUSED,   /* an interrupt waits: to be continued */
    XFER_FAULT,    /* a page is missing */
    XFER_OVERFLOW, /* no buffer, or too small a one; or the item is malformed */
};

struct xfer_fault {
    struct tcb *who; /* sender or receiver */
    word_t va;
    bool write;
};

/* Is a string item among the typed items (MR 0 on in `message`, `words` of them after the tag)? */
bool xfer_has_strings(const word_t *message, word_t words);

/*
 * Copies the strings of `message` into the receiver's buffers, from byte `*done` of all on, and
 * counts *done up. DONE: the pointers in `message` are those of the receiver's buffers.
 * Leaves the sender's space in force.
 */
enum xfer_end xfer_strings(struct tcb *sender, struct tcb *receiver, word_t *message, word_t words,
                           word_t *done, struct xfer_fault *fault);

#endif
