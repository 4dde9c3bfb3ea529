/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a test asks of its child: MR 1 = operation, MR 2 on = arguments; the answer's MR 1 on =
 * results. Label CHILD_LABEL both ways, so that an answer cannot be taken for a page fault.
 */
#ifndef TEST_CHILD_PROTOCOL_H
#define TEST_CHILD_PROTOCOL_H

#define CHILD_LABEL 0x0100

enum child_operation {
    CHILD_READY,            /* the child's first message, to its pager */
    CHILD_READ,             /* va -> word */
    CHILD_WRITE,            /* va, word */
    CHILD_WRITE_READ,       /* va, word, other va -> word read there, with nothing in between */
    CHILD_WRITE_UNMAP_READ, /* va, word, control, fpage, other va -> word read there, after an unmap
                               and with no other space running in between */
    CHILD_EXECUTE,          /* va of a function without arguments -> its result */
    CHILD_FILL,             /* va, words, seed: pattern(seed, i) to each word */
    CHILD_COMPARE,     /* va, words, seed -> how many words differ, the first one's index, value */
    CHILD_ECHO,        /* -> the same words */
    CHILD_SEND,        /* to, word, timeouts -> error code (0 = sent) */
    CHILD_CALL,        /* to, word -> error code, answer's word */
    CHILD_RECEIVE,     /* from, timeouts -> error code, tag, MR 1, sender */
    CHILD_MAP,         /* to, fpage, send base, item kind -> error code */
    CHILD_ACCEPT,      /* from, window -> error code, tag, item's two words */
    CHILD_UNMAP,       /* control, fpage -> status fpage */
    CHILD_SIGMA0,      /* fpage -> what sigma0 gave */
    CHILD_CONTROL,     /* which, target: a privileged call -> its result, ErrorCode */
    CHILD_IDENTITY,    /* -> global id, UTCB address, KIP address, pager */
    CHILD_UNDEFINED,   /* executes an undefined instruction -> word that the handler put in r0 */
    CHILD_SWI,         /* executes SWI 0x123456 with r0 = argument -> r0 */
    CHILD_SET_HANDLER, /* exception handler */
    CHILD_FAULT_KEEPS, /* va of a missing page, number -> which registers a load from there changed
                        */
    CHILD_IPC /* to, from, timeouts, transfer timeouts, virtual sender, n, n buffer registers,
                 tag, message -> error code, tag, from, actual sender, intended receiver,
                 MR 1 to 16 */
};

/* CHILD_CONTROL's calls. */
enum {
    CHILD_THREAD_CONTROL,
    CHILD_SPACE_CONTROL,
    CHILD_MEMORY_CONTROL,
    CHILD_PROCESSOR_CONTROL,
    CHILD_SCHEDULE
};

/* Words of a pattern: all different, and different for different seeds. In memory they have 32
 * bits, as has what is read and written. */
#define CHILD_PATTERN(seed, i) (((seed) << 16 | (seed)) ^ (i) * 0x9e3779b1u)

#endif
