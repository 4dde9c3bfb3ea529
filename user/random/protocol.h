/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the random test asks of its workers. MR 1 is the operation, MR 2 on are its arguments; label
 * RANDOM_LABEL both ways. The answer's MR 1 is the error code of an IPC, or for accesses: one bit
 * for each that was denied, then the words that were read.
 */
#ifndef RANDOM_PROTOCOL_H
#define RANDOM_PROTOCOL_H

#define RANDOM_LABEL 0x0200

enum random_operation {
    RANDOM_ACCESS,  /* pairs: va | 1 to write, word to write */
    RANDOM_MAP,     /* to, send base | kind, fpage, timeouts */
    RANDOM_ACCEPT,  /* from, window */
    RANDOM_UNMAP,   /* control, fpage */
    RANDOM_SEND,    /* to, va, size: a string */
    RANDOM_RECEIVE, /* from, va, size: a string */
};

#define RANDOM_ACCESSES 24
#define RANDOM_TIMEOUT  L4_TimePeriod(1000000)

/* After an access that faulted: where the worker goes on, told that it was denied (access.S). */
#define RANDOM_DENIED 12

#endif
