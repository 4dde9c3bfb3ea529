/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Four computations that run in slices: bubble sort, deflate, AES and CRC, after the tasks of
 * F. David et al., "Context Switch Overheads for Linux on ARM Platforms" (2007), section 3.1.
 *
 * A task is a fixed number of units of work, each about as long as the next, and can be stopped
 * after any of them: a benchmark decides where. What it computes does not depend on where it was
 * stopped; `result` tells, so that it can be checked. No library, no global state but tables: what
 * a task knows is in the memory that it is given, which is why two of the same can run at once.
 *
 * `data` is the task's data set: its content comes from data.c, and it is gone through as often as
 * it takes for the wanted work ("operate on large data streams": the data set is much larger than a
 * data cache, so that the second time is like the first). For bubble sort it is the array.
 */
#ifndef BENCH_TASKS_H
#define BENCH_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct task_work {
    uint8_t *data;
    uint32_t size;   /* of the data set, in bytes */
    uint32_t passes; /* how often all of it is worked on; bubble sort: 1 */
    void *memory;    /* of at least kind->memory bytes, aligned to 8 */
    uint8_t *out;    /* deflate: where its output goes */
    uint32_t out_size;
};

struct task_kind {
    const char *name;
    uint32_t memory;
    /* Fills the data set, prepares tables. */
    void (*begin)(const struct task_work *work);
    /* How many units there are. */
    uint32_t (*units)(const struct task_work *work);
    /* Goes on until `until` units are done. */
    void (*run)(const struct task_work *work, uint32_t until);
    /* Once all units are done: a number by which the result is known; 0 = it is wrong. */
    uint32_t (*result)(const struct task_work *work);
};

enum { TASK_SORT, TASK_DEFLATE, TASK_AES, TASK_CRC, TASK_KINDS };

extern const struct task_kind sort_kind, deflate_kind, aes_kind, crc_kind;

const struct task_kind *task_kind(unsigned which);

/* ---- data.c ---- */

/* Pseudo-random bytes, and text of words as frequent as words are. Both depend on `size` only. */
void data_random(uint8_t *data, uint32_t size);
void data_text(uint8_t *data, uint32_t size);

/* ---- what tests and other tasks use ---- */

/* The CRC-32 of IEEE 802.3 of `size` more bytes; it starts with 0, as zlib's does. */
uint32_t crc32_update(uint32_t crc, const uint8_t *data, uint32_t size);

struct aes_key {
    uint32_t round[44];
};
void aes_set_key(struct aes_key *key, const uint8_t bytes[16]);
void aes_encrypt(const struct aes_key *key, const uint8_t in[16], uint8_t out[16]);

/* Deflate: bytes of output so far. */
uint32_t deflate_length(const struct task_work *work);

#endif
