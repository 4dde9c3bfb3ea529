/* SPDX-License-Identifier: Apache-2.0 */
/* What pingpong.c, the root task, and its two tasks (pingpong_task.c) know of each other. */
#ifndef BENCH_PINGPONG_H
#define BENCH_PINGPONG_H

/* Labels of messages to the root task, which answers each with an order. */
#define PINGPONG_READY 0x0100
#define PINGPONG_DONE  0x0200

enum pingpong_order { PINGPONG_ECHO, PINGPONG_MEASURE };

/* The words of an order; addresses are the task's. */
enum pingpong_word {
    PINGPONG_ORDER,   /* ECHO: answers messages from now on, and does nothing else */
    PINGPONG_PROBE,   /* of MEASURE: where the probe is */
    PINGPONG_PARTNER, /* who answers */
    PINGPONG_CODE,    /* what is called in each round */
    PINGPONG_DATA,    /* what is read in each round: the first word, */
    PINGPONG_READS,   /* how many */
    PINGPONG_STRIDE,  /* and the bytes from each to the next */
    PINGPONG_ROUNDS,  /* of a sample */
    PINGPONG_REGION,  /* region and stream */
    PINGPONG_WORDS
};

#endif
