/* SPDX-License-Identifier: Apache-2.0 */
/*
 * 4 KB frames of a root program, from a pool in its own image: at the same address for the
 * program (virtual) and the machine (physical).
 */
#ifndef COMMON_FRAMES_H
#define COMMON_FRAMES_H

#include <l4/types.h>

#define FRAME_SIZE ((L4_Word_t)4096)
#define FRAME_LOG2 12u

/*
 * Touches every page of the program, so that sigma0 has mapped all of them: first, once, by the
 * first thread. Sigma0 would not give them to another, nor does that one's pager.
 */
void frames_init(void);

/* A frame full of zeros; NULL = the pool is empty. */
void *frame_alloc(void);

/* Several in a row, full of zeros; NULL = there is no such row. Each is given back by itself. */
void *frames_alloc(unsigned n);

/* Nobody else may still have the frame mapped. */
void frame_free(void *frame);

unsigned frames_left(void);

/* A block of 64 KB, aligned to its size, that is always there: for those who need large fpages. */
#define FRAMES_BLOCK_SIZE 0x10000u
#define FRAMES_BLOCK_LOG2 16u
uint8_t *frames_block(void);

#endif
