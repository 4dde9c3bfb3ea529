/* SPDX-License-Identifier: Apache-2.0 */
/* The sizes of pages that the processor has. Plain constants and functions of them. */
#ifndef PAGE_SIZES_H
#define PAGE_SIZES_H

#include <stdint.h>

#define PAGE_SIZE 4096u
#define PAGE_MASK (PAGE_SIZE - 1)

/* The largest, which one entry of a page directory maps. */
#define SECTION_LOG2 20u
#define SECTION_MASK ((1u << SECTION_LOG2) - 1)

/* All of them, and how many pages of one fill a page of the next. */
enum page_size { SIZE_NONE, SIZE_4K, SIZE_64K, SIZE_1M };
#define PARTS 16u

static inline uint32_t size_log2(enum page_size size) {
    return 8 + 4 * (uint32_t)size;
}

#endif
