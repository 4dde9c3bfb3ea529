/* SPDX-License-Identifier: Apache-2.0 */
/* What collisions.c tells its partners: words[0] is the operation. All but TOKEN are answered. */
#ifndef BENCH_L4_COLLISIONS_H
#define BENCH_L4_COLLISIONS_H

#define MAX_DATA_PAGES 8u

enum {
    COLLISIONS_RING = 1, /* words: name of partner 0, how many there are, one's own number */
    COLLISIONS_PAGE,     /* words: address, lines, write? A page that each turn touches */
    COLLISIONS_TOKEN,    /* words: hops, random state. 0 hops: to whoever started us; else a turn,
                            then one hop less to the next; state 0: in the ring's order */
};

/* Between the names of two partners that follow each other: a thread number (l4/types.h). */
#define NAME_STEP (1u << L4_VERSION_BITS)

#endif
