/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workers as the root program sees them: making, ending, telling them what to do, serving
 * their faults.
 */
#ifndef RANDOM_WORKERS_H
#define RANDOM_WORKERS_H

#include <l4/l4.h>

#include "../common/task.h"
#include "model.h"
#include "protocol.h"

/* One access, and what came of it. */
struct access {
    unsigned page;
    L4_Word_t offset; /* of the mark */
    unsigned mark;
    bool write;
    bool denied;    /* by the model */
    L4_Word_t word; /* to be written, or that the model expects */
};

/* The address of a page in a space; where it is accessed. (They differ where all programs share one
 * address space: then maps are bookkeeping only.) */
L4_Word_t page_va(unsigned space, unsigned page);
L4_Word_t access_va(unsigned space, unsigned page);
extern L4_Word_t pool; /* where the frames are: address of frame 0 */
extern const L4_Word_t mark_offsets[MARKS];

L4_ThreadId_t worker_id(unsigned w);
void worker_make(unsigned w);
void worker_end(unsigned w);

/* Tells it to do something, with n arguments; it must be waiting for that. */
void worker_tell(unsigned w, enum random_operation operation, unsigned n,
                 const L4_Word_t *arguments);

/* Waits for its answer, whose first word is returned. */
L4_Word_t worker_wait(unsigned w);

/* Does the accesses (at most RANDOM_ACCESSES) and compares with the model, also what is denied. */
void worker_access(unsigned w, struct access *accesses, unsigned n);

/* main.c: ends the program with a line that says what, at which step of which seed. */
_Noreturn void mismatch(const char *what, unsigned space, L4_Word_t va, L4_Word_t got,
                        L4_Word_t expected);
unsigned random_below(L4_Word_t n);

extern unsigned denied_count, resolved_count;

#endif
